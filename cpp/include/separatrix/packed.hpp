// An owned copy of sparse rows in the order in which they will be read, with 32-bit columns.
//
// Row ids do not change when only some rows are copied: a row that was left out has length zero.
#pragma once

#include <type_traits>

#include "separatrix/buffer.hpp"
#include "separatrix/rows.hpp"

namespace separatrix {

template <class V>
class Packed {
public:
    // Makes room for new rows, in the memory of the old ones if they fit: fresh pages cost more than the copy itself.
    void reset(Index rows, Index columns, Index entries) {
        if (static_cast<std::size_t>(entries) > values_.size()) {
            values_ = Buffer<V>();
            values_ = Buffer<V>(static_cast<std::size_t>(entries));
            indices_ = Buffer<std::int32_t>();
            indices_ = Buffer<std::int32_t>(static_cast<std::size_t>(entries));
        }
        if (starts_.size() == 0) starts_ = Buffer<Index>(static_cast<std::size_t>(rows + 1));
        starts_[0] = 0;
        rows_ = rows;
        columns_ = columns;
    }
    void clear() { rows_ = 0; }

    PackedRows<V> view() const { return {values_.data(), indices_.data(), starts_.data(), rows_, columns_}; }
    bool empty() const { return rows_ == 0; }

    // Row `id` becomes a copy of `row`. Rows are written in order of id. False if `watch` and a value had to be rounded.
    template <class Row>
    bool put(Index id, const Row& row, bool watch = false) {
        const Index begin = starts_[static_cast<std::size_t>(id)];
        V* SEPARATRIX_RESTRICT values = values_.data() + begin;
        std::int32_t* SEPARATRIX_RESTRICT indices = indices_.data() + begin;
        using Given = std::decay_t<decltype(row.values[0])>;
        int rounded = 0;
        for (Index j = 0; j < row.size; ++j) values[j] = static_cast<V>(row.values[j]);
        if constexpr (sizeof(Given) > sizeof(V)) {
            for (Index j = 0; watch && j < row.size; ++j) rounded |= static_cast<Given>(values[j]) != row.values[j];
        }
        for (Index j = 0; j < row.size; ++j) indices[j] = static_cast<std::int32_t>(row.indices[j]);
        starts_[static_cast<std::size_t>(id) + 1] = begin + row.size;
        return rounded == 0;
    }

    void skip(Index id) { starts_[static_cast<std::size_t>(id) + 1] = starts_[static_cast<std::size_t>(id)]; }

private:
    Buffer<V> values_;
    Buffer<std::int32_t> indices_;
    Buffer<Index> starts_;
    Index rows_ = 0;
    Index columns_ = 0;
};

}  // namespace separatrix
