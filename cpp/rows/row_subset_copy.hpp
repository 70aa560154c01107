// Copies of some rows, close together in memory, as a matrix of their own: row k of the copy is row ids[k].
//
// Sparse copies number their columns anew, in the order in which they are met: a few thousand rows of text touch a part
// of the columns, and the frequent ones, met first, come to lie side by side in the cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "rows/buffer.hpp"
#include "rows/rows.hpp"
#include "simd/table.hpp"

namespace separatrix {

template <class V, class Given>
void convert(const Given* from, Index size, V* SEPARATRIX_RESTRICT to) {
    for (Index j = 0; j < size; ++j) to[j] = static_cast<V>(from[j]);
}

// Columns numbered anew, in the order in which they are met.
class ColumnNumbers {
public:
    explicit ColumnNumbers(Index columns)
        : number_(static_cast<std::size_t>(columns), -1), met_(static_cast<std::size_t>(columns) + 1) {}

    // Writes the new numbers of `size` columns.
    template <class I>
    void number(const I* columns, Index size, std::int32_t* SEPARATRIX_RESTRICT to) {
        std::int32_t* SEPARATRIX_RESTRICT number = number_.data();
        std::int32_t* SEPARATRIX_RESTRICT met = met_.data();
        std::int32_t count = count_;
        for (Index j = 0; j < size; ++j) {  // written whether it is new or not: a branch would be guessed wrong
            const auto column = static_cast<std::size_t>(columns[j]);
            const std::int32_t known = number[column];
            met[count] = static_cast<std::int32_t>(column);
            to[j] = number[column] = known < 0 ? count : known;
            count += known < 0;
        }
        count_ = count;
    }

    // The columns met so far, by their new numbers.
    std::vector<std::int32_t> met() const { return {met_.begin(), met_.begin() + count_}; }

private:
    std::vector<std::int32_t> number_, met_;
    std::int32_t count_ = 0;
};

template <class V>
class PackedSparse {
public:
    using View = PackedRows<V>;

    template <class Rows>
    PackedSparse(const Rows& rows, const std::vector<std::int32_t>& ids) : starts_(ids.size() + 1) {
        Index entries = 0;
        for (const std::int32_t id : ids) entries += rows.row(id).size;
        values_ = Buffer<V>(static_cast<std::size_t>(entries));
        indices_ = Buffer<std::int32_t>(static_cast<std::size_t>(entries));
        ColumnNumbers numbers(rows.columns);
        Index begin = 0;
        for (std::size_t k = 0; k < ids.size(); ++k) {
            if (k + 2 < ids.size()) rows.prefetch(ids[k + 2]);
            const auto row = rows.row(ids[k]);
            starts_[k] = begin;
            convert(row.values, row.size, values_.data() + begin);
            numbers.number(row.indices, row.size, indices_.data() + begin);
            begin += row.size;
        }
        starts_[ids.size()] = begin;
        columns_ = numbers.met();
    }

    View view() const {
        return {values_.data(), indices_.data(), starts_.data(), static_cast<Index>(starts_.size()) - 1,
                static_cast<Index>(columns_.size())};
    }
    // The column of the original that each column of the copy is.
    const std::vector<std::int32_t>& columns() const { return columns_; }

private:
    Buffer<V> values_;
    Buffer<std::int32_t> indices_;
    std::vector<Index> starts_;
    std::vector<std::int32_t> columns_;
};

template <class V>
class PackedDense {
public:
    using View = DenseRows<V>;

    template <class Rows>
    PackedDense(const Rows& rows, const std::vector<std::int32_t>& ids)
        : values_(ids.size() * static_cast<std::size_t>(rows.columns)), rows_(static_cast<Index>(ids.size())) {
        for (Index k = 0; k < rows_; ++k) {
            const auto row = rows.row(ids[static_cast<std::size_t>(k)]);
            convert(row.values, row.size, values_.data() + k * row.size);
        }
        for (Index j = 0; j < rows.columns; ++j) columns_.push_back(static_cast<std::int32_t>(j));
    }

    View view() const { return {values_.data(), rows_, static_cast<Index>(columns_.size())}; }
    const std::vector<std::int32_t>& columns() const { return columns_; }

private:
    Buffer<V> values_;
    Index rows_;
    std::vector<std::int32_t> columns_;
};

// A copy of rows like these with values of type V.
template <class Rows, class V>
using PackedCopy = std::conditional_t<Rows::sparse, PackedSparse<V>, PackedDense<V>>;

// True if every value of these rows is a float, so that a copy as floats is exact.
template <class Rows>
bool all_floats(const Rows& rows, const std::vector<std::int32_t>& ids) {
    return std::all_of(ids.begin(), ids.end(), [&](std::int32_t id) {
        const auto row = rows.row(id);
        Index rounded = 0;
        for (Index j = 0; j < row.size; ++j)
            rounded += static_cast<typename Rows::Value>(static_cast<float>(row.values[j])) != row.values[j];
        return rounded == 0;
    });
}

}  // namespace separatrix
