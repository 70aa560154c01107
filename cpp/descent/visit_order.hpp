// The order of a pass: runs of rows that lie together in memory, the runs in random order, and the visits to them.
#pragma once

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "rows/random.hpp"
#include "rows/rows.hpp"

namespace separatrix {

// How many rows to visit in the order in which they lie in memory, `chunk` at most but in early passes: long runs come sooner from
// there, an order closer to chance needs fewer passes. Rows that stay in the cache, of so many entries together, can be had in
// any order; and early passes over many rows move w by much whatever it is.
inline Index run_length(Index chunk, double entries, Index rows, Index passes) {
    constexpr Index early_passes = 3, longer = 4, cached_run = 2;
    constexpr double cached_entries = 1 << 20;
    const Index run = entries <= cached_entries ? std::min(chunk, cached_run) : chunk;
    const bool early = passes < early_passes && rows >= 64 * longer * chunk;
    return early ? longer * run : run;
}

// `rows` active rows in chunks of `length`; the last one may be shorter.
class Chunks {
public:
    void shuffle(Index rows, Index length, Random& random) {
        rows_ = rows;
        length_ = length;
        order_.resize(static_cast<std::size_t>((rows + length - 1) / length));
        std::iota(order_.begin(), order_.end(), 0);
        random.shuffle(order_.data(), count());
    }

    Index count() const { return static_cast<Index>(order_.size()); }
    Index length() const { return length_; }
    const std::int32_t* from(Index at) const { return order_.data() + at; }
    // The first row of a chunk, and the one after its last.
    Index begin(Index at) const { return order_[static_cast<std::size_t>(at)] * length_; }
    Index end(Index at) const { return std::min(rows_, begin(at) + length_); }

    // Calls `visit(at, count)` for up to `at_once` chunks at a time, until all are visited or `seconds` have passed, which is looked
    // at every `between` chunks; returns how many were visited. Of rows in a file, `soon` is told of each chunk some visits ahead,
    // and `done` when it was visited.
    template <class Visit, class Soon, class Done>
    Index visit_for(double seconds, Index at_once, Index between, const Visit& visit, const Soon& soon,
                    const Done& done) const {
        constexpr Index ahead = 8;
        const auto began = std::chrono::steady_clock::now();
        for (Index at = 0; at < std::min(ahead, count()); ++at) soon(at);
        Index unlooked = 0, at = 0;
        while (at < count()) {
            const Index some = std::min(at_once, count() - at);
            if (at + ahead < count()) soon(at + ahead);
            visit(at, some);
            done(at);
            at += some;
            unlooked += some;
            if (unlooked < between) continue;
            if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() >= seconds) break;
            unlooked = 0;
        }
        return at;
    }

private:
    std::vector<std::int32_t> order_;
    Index rows_ = 0, length_ = 1;
};

}  // namespace separatrix
