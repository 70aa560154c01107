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
    Packed() = default;
    Packed(Index rows, Index columns, Index entries)
        : values_(static_cast<std::size_t>(entries)),
          indices_(static_cast<std::size_t>(entries)),
          starts_(static_cast<std::size_t>(rows + 1)),
          rows_(rows),
          columns_(columns) {
        starts_[0] = 0;
    }

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
