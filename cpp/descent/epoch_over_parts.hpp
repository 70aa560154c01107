// One epoch over the rows of several descents as if they were one: w and the bias pass from hand to hand.
//
// Going through one descent after the other is block coordinate descent, and blocks whose rows have much in common
// undo each other's work. A few runs of each, all in one random order, mix as a single descent does.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "descent/descent.hpp"
#include "rows/random.hpp"

namespace separatrix {

// `w` and `bias` are those of all rows together, before and after.
inline void epoch_over_parts(const std::vector<Descent*>& parts, double* w, double& bias, std::uint64_t seed) {
    constexpr Index together = 4;  // runs in sequence, so that the next rows can be fetched ahead
    std::vector<std::pair<std::int32_t, std::int32_t>> order;  // part, first run
    std::vector<Index> n_runs;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        n_runs.push_back(parts[part]->begin_pass());
        for (Index first = 0; first < n_runs.back(); first += together)
            order.emplace_back(static_cast<std::int32_t>(part), static_cast<std::int32_t>(first));
    }
    Random(seed).shuffle(order.data(), static_cast<Index>(order.size()));
    for (const auto& [part, first] : order) {
        const Index count = std::min(together, n_runs[static_cast<std::size_t>(part)] - first);
        parts[static_cast<std::size_t>(part)]->visit(first, count, w, bias);
    }
    for (Descent* descent : parts) descent->end_pass(true);
}

}  // namespace separatrix
