// The rows of a round: the newer half of the last working set, where it is wanted, and the rows that violate optimality
// most.
//
// Half of the new rows are those whose alpha y should grow most, half those whose alpha y should shrink most.
// Zanghirati, Zanni, A parallel solver for large quadratic programs in training SVMs, Parallel Computing 29 (2003).
#pragma once

#include <algorithm>
#include <vector>

#include "smo/smo_point.hpp"

namespace separatrix {

class WorkingSet {
public:
    WorkingSet(Index n, Index size) : size_(size), chosen_(static_cast<std::size_t>(n), 0) {
        up_.reserve(static_cast<std::size_t>(n));
        low_.reserve(static_cast<std::size_t>(n));
        places_.reserve(static_cast<std::size_t>(size));
    }

    const std::vector<std::int32_t>& places() const { return places_; }
    // Number of them, the first ones, that were the last ones of the round before.
    Index kept() const { return kept_; }

    // `afresh` keeps nothing of the last round.
    void choose(const SmoPoint& point, bool afresh) {
        // A pair has no room for a row of the last round: it could be chosen with one that it cannot improve on for ever.
        const std::size_t stay = afresh || places_.size() < 3 ? 0 : places_.size() / 2;
        const std::vector<std::int32_t> last(places_.end() - static_cast<std::ptrdiff_t>(stay), places_.end());
        for (const std::int32_t p : places_) chosen_[static_cast<std::size_t>(p)] = 0;
        places_.clear();
        for (const std::int32_t p : last) take(p);
        kept_ = static_cast<Index>(last.size());
        up_.clear();
        low_.clear();
        for (Index p = 0; p < point.active; ++p) {
            const double v = point.v[static_cast<std::size_t>(p)];
            const float key = static_cast<float>(v - point.centre);
            if (v > point.lowest && point.may_grow(p)) up_.push_back({-key, static_cast<std::int32_t>(p)});
            if (v < point.highest && point.may_shrink(p)) low_.push_back({key, static_cast<std::int32_t>(p)});
        }
        take_best(up_, room() - room() / 2);
        take_best(low_, room());
        take_best(up_, room());
    }

    // Places have changed: nothing of the last round is kept.
    void forget() {
        places_.clear();
        std::fill(chosen_.begin(), chosen_.end(), 0);
    }

private:
    // A row and how much it wants to move; smaller keys first.
    struct Candidate {
        float key;
        std::int32_t place;
        bool operator<(const Candidate& other) const {
            return key < other.key || (key == other.key && place < other.place);
        }
    };

    Index room() const { return size_ - static_cast<Index>(places_.size()); }

    void take(std::int32_t p) {
        places_.push_back(p);
        chosen_[static_cast<std::size_t>(p)] = 1;
    }

    void take_best(std::vector<Candidate>& candidates, Index count) {
        const std::size_t enough = std::min(candidates.size(), static_cast<std::size_t>(count) + places_.size());
        std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(enough),
                         candidates.end());
        std::sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(enough));
        for (std::size_t k = 0; k < enough && count > 0; ++k) {
            if (chosen_[static_cast<std::size_t>(candidates[k].place)]) continue;
            take(candidates[k].place);
            --count;
        }
    }

    Index size_, kept_ = 0;
    std::vector<std::int32_t> places_;
    std::vector<char> chosen_;
    std::vector<Candidate> up_, low_;
};

}  // namespace separatrix
