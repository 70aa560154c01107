// Shrinking: rows that sit firmly at a bound are left out of the passes.
//
// A row at a bound stays there while its gradient points outwards. The gradients of the rows that still move show how far
// gradients may change; a row whose own gradient points outwards by more than that is left out until it is visited again.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "simd/table.hpp"

namespace separatrix {

using Ids = std::vector<std::int32_t>;

// The rows of n that are not among `some`, which are in increasing order.
inline Ids others(const Ids& some, Index n) {
    Ids rest;
    rest.reserve(static_cast<std::size_t>(n) - some.size());
    std::size_t k = 0;
    for (std::int32_t id = 0; id < n; ++id) {
        if (k < some.size() && some[k] == id)
            ++k;
        else
            rest.push_back(id);
    }
    return rest;
}

class Shrinking {
public:
    // `outlier`: gradients beyond this multiple of their root mean square do not count as the largest.
    Shrinking(Index n, double outlier) : restored_(static_cast<std::size_t>(n)), outlier_(outlier) {}

    // Removes rows from `active` after a pass: those whose outward gradient was beyond the gradients of rows that moved.
    // `id(row)` is the row's number in the whole problem.
    template <class Id>
    void shrink(const PassReport& pass, const std::vector<float>& outward, Ids& active, const Id& id) {
        const double low = -bound(pass.below), high = bound(pass.above);
        std::erase_if(active, [&](std::int32_t row) {
            const float gradient = outward[static_cast<std::size_t>(row)];
            return (gradient < low || gradient > high) && !restored_[static_cast<std::size_t>(id(row))];
        });
    }

    // Adds rows that were left out by mistake to `active`, for good: two rows of which each is at its bound while the other
    // moves would be left out in turn for ever.
    void restore(const Ids& rows, Ids& active) {
        const auto old = static_cast<std::ptrdiff_t>(active.size());
        active.insert(active.end(), rows.begin(), rows.end());
        std::inplace_merge(active.begin(), active.begin() + old, active.end());
        for (const std::int32_t row : rows) restored_[static_cast<std::size_t>(row)] = true;
    }

private:
    double bound(const Gradients& seen) const {
        if (seen.largest <= 0) return std::numeric_limits<double>::infinity();
        return std::min(seen.largest, outlier_ * std::sqrt(seen.squares / static_cast<double>(seen.count)));
    }

    std::vector<bool> restored_;
    double outlier_;
};

}  // namespace separatrix
