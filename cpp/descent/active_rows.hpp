// The rows that coordinate descent still visits, and which of them may be left alone.
//
// A row at a bound stays there while its gradient points outwards. How far gradients still move is what a pass sees on the
// rows that are free to move; a row whose own gradient is well beyond that is left out until it is looked at again.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "simd/table.hpp"

namespace separatrix {

// The rows of n that are not among some in increasing order.
inline std::vector<std::int32_t> others(const std::vector<std::int32_t>& some, Index n) {
    std::vector<std::int32_t> rest;
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

class ActiveRows {
public:
    // Every one of n rows.
    explicit ActiveRows(Index n) : ids_(static_cast<std::size_t>(n)), held_(static_cast<std::size_t>(n)) {
        std::iota(ids_.begin(), ids_.end(), 0);
    }

    Index size() const { return static_cast<Index>(ids_.size()); }
    std::int32_t operator[](Index k) const { return ids_[static_cast<std::size_t>(k)]; }
    const std::vector<std::int32_t>& ids() const { return ids_; }

    // The same rows by their places here; `named` undoes it.
    ActiveRows by_place() const {
        ActiveRows same = *this;
        std::iota(same.ids_.begin(), same.ids_.end(), 0);
        for (std::int32_t& id : same.kept_)
            id = static_cast<std::int32_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
        return same;
    }
    ActiveRows named(const std::vector<std::int32_t>& names) && {
        for (std::int32_t& id : ids_) id = names[static_cast<std::size_t>(id)];
        for (std::int32_t& id : kept_) id = names[static_cast<std::size_t>(id)];
        return std::move(*this);
    }

    // All n rows are active again. Those that were not have been held by a bound: `bound(id)` is 1 for the lower one, -1 for the upper.
    template <class Bound>
    void reactivate(Index n, const Bound& bound) {
        ActiveRows all(n);
        std::size_t k = 0;
        for (std::int32_t id = 0; id < n; ++id) {
            const bool known = k < ids_.size() && ids_[k] == id;
            all.held_[static_cast<std::size_t>(id)] =
                known ? held_[k++] : bound(id) * std::numeric_limits<float>::max();
        }
        ids_ = std::move(all.ids_);
        held_ = std::move(all.held_);
    }

    // These rows, in increasing order, were left out by mistake: they are active again, and stay so. Two rows of which each is held
    // while the other moves would leave in turn.
    void keep(const std::vector<std::int32_t>& rows) {
        std::vector<std::int32_t> ids;
        std::vector<float> held;
        std::size_t k = 0;
        const auto take_until = [&](std::int32_t end) {
            for (; k < ids_.size() && ids_[k] < end; ++k) {
                ids.push_back(ids_[k]);
                held.push_back(held_[k]);
            }
        };
        for (const std::int32_t id : rows) {
            take_until(id);
            ids.push_back(id);
            held.push_back(0.0F);
        }
        take_until(std::numeric_limits<std::int32_t>::max());
        ids_ = std::move(ids);
        held_ = std::move(held);
        kept_.insert(kept_.end(), rows.begin(), rows.end());
        std::sort(kept_.begin(), kept_.end());
    }

    // Makes room for what visits write, see Schedule.
    float* begin_pass() {
        held_now_.assign(ids_.size(), 0.0F);
        return held_now_.data();
    }
    float* held() { return held_now_.data(); }

    // After a pass a row leaves, unless it is kept, with `twice`, whose bound held it twice with a gradient beyond those that the pass has seen move,
    // and with `once`, whose bound held it in this one beyond those of the pass before, which are larger.
    void leave_out(const PassReport& pass, bool once, bool twice) {
        const Cuts cuts{-firmness(pass.below), firmness(pass.above)};
        std::size_t kept = 0;
        for (std::size_t k = 0; k < ids_.size(); ++k) {
            const float now = held_now_[k], before = held_[k];
            ids_[kept] = ids_[k];
            held_[kept] = now;
            const bool leaves = (once && cuts_.beyond(now)) || (twice && cuts.beyond(now) && cuts.beyond(before));
            kept += !leaves || std::binary_search(kept_.begin(), kept_.end(), ids_[k]);
        }
        ids_.resize(kept);
        held_.resize(kept);
        cuts_ = cuts;
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    struct Cuts {
        double low = -infinity, high = infinity;
        bool beyond(float gradient) const { return gradient < low || gradient > high; }
    };

    // Among the gradients of rows that move, a few are far larger than the others; the largest alone would keep most rows
    // active long after they have settled.
    static double firmness(const Gradients& seen) {
        constexpr double outlying = 3;
        if (seen.largest <= 0) return infinity;
        return std::min(seen.largest, outlying * std::sqrt(seen.squares / static_cast<double>(seen.count)));
    }

    std::vector<std::int32_t> ids_;
    std::vector<float> held_, held_now_;  // of each row, in the last pass and in the present one
    std::vector<std::int32_t> kept_;      // never left out
    Cuts cuts_;                           // of the last pass
};

}  // namespace separatrix
