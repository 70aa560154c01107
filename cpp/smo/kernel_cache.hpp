// Rows of the kernel matrix that were computed before, within a bounded memory; the longest unused goes first.
//
// The memory grows by a row whenever a row has to be computed again: the first touch of a page costs about as much as
// computing what it holds, and most rows are needed in a few rounds and never again.
#pragma once

#include <vector>

#include "rows/buffer.hpp"
#include "rows/rows.hpp"

namespace separatrix {

template <class T>
class RowCache {
public:
    // Room for `slots` rows of `length` values each, of a matrix with `rows` rows; at first only `some` of them are used.
    RowCache(Index rows, Index slots, Index some, Index length)
        : length_(length),
          slots_(slots),
          limit_(some < slots ? some : slots),
          memory_(static_cast<std::size_t>(slots * length), Pages::ordinary),
          slot_of_(static_cast<std::size_t>(rows), -1),
          seen_(static_cast<std::size_t>(rows), 0),
          id_of_(static_cast<std::size_t>(slots), -1),
          newer_(static_cast<std::size_t>(slots + 1)),
          older_(static_cast<std::size_t>(slots + 1)) {
        // A ring through the slots in use; slot number `slots` is its anchor: older_[anchor] is the newest, newer_[anchor] the oldest.
        newer_[at(slots)] = older_[at(slots)] = slots;
    }

    Index slots() const { return slots_; }
    T* row(std::int32_t id) { return memory_.data() + slot_of_[at(id)] * length_; }
    bool holds(std::int32_t id) const { return slot_of_[at(id)] >= 0; }

    // Marks a row as used now.
    void touch(std::int32_t id) { renew(slot_of_[at(id)]); }

    // A slot for row `id`, which is not held: a fresh one, or the oldest, whose row is forgotten.
    T* take(std::int32_t id) {
        if (seen_[at(id)]) limit_ = limit_ < slots_ ? limit_ + 1 : slots_;
        seen_[at(id)] = 1;
        Index slot = newer_[at(slots_)];
        if (used_ < limit_) {
            slot = used_++;
            newer_[at(slot)] = older_[at(slot)] = slot;
        } else if (id_of_[at(slot)] >= 0) {
            slot_of_[at(id_of_[at(slot)])] = -1;
        }
        id_of_[at(slot)] = id;
        slot_of_[at(id)] = slot;
        renew(slot);
        return memory_.data() + slot * length_;
    }

    // Every row keeps only the values at places[0 .. count), in that order; places grow.
    void keep(const std::int32_t* places, Index count) {
        for (Index s = 0; s < used_; ++s) {
            if (id_of_[at(s)] < 0) continue;
            T* values = memory_.data() + s * length_;
            for (Index k = 0; k < count; ++k) values[k] = values[places[k]];
        }
    }

    void clear() {
        for (std::int32_t& id : id_of_) {
            if (id >= 0) slot_of_[at(id)] = -1;
            id = -1;
        }
    }

private:
    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

    void renew(Index slot) {
        newer_[at(older_[at(slot)])] = newer_[at(slot)];
        older_[at(newer_[at(slot)])] = older_[at(slot)];
        const Index newest = older_[at(slots_)];
        newer_[at(newest)] = slot;
        older_[at(slot)] = newest;
        newer_[at(slot)] = slots_;
        older_[at(slots_)] = slot;
    }

    Index length_, slots_, limit_, used_ = 0;
    Buffer<T> memory_;
    std::vector<Index> slot_of_;
    std::vector<char> seen_;
    std::vector<std::int32_t> id_of_;
    std::vector<Index> newer_, older_;
};

}  // namespace separatrix
