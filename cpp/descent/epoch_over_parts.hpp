// One epoch over the rows of several descents as if they were one: w and the bias pass from hand to hand.
//
// Going through one descent after the other is block coordinate descent, and blocks whose rows have much in common
// undo each other's work. Runs of a few chunks of all of them in one random order mix as a single descent does.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "descent/descent_interface.hpp"
#include "rows/random.hpp"

namespace separatrix {

// `w` and `bias` are those of all rows together, before and after; every descent keeps w in float64 (in_place).
inline void epoch_together(const std::vector<Descent*>& parts, std::vector<double>& w, double& bias,
                           std::uint64_t seed) {
    constexpr Index run = 4;  // chunks in sequence, so that the next rows can be fetched ahead
    std::vector<std::pair<std::int32_t, std::int32_t>> order;  // part, first chunk
    std::vector<Index> n_chunks;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        n_chunks.push_back(parts[part]->begin_pass());
        for (Index first = 0; first < n_chunks.back(); first += run) {
            order.emplace_back(static_cast<std::int32_t>(part), static_cast<std::int32_t>(first));
        }
    }
    Random(seed).shuffle(order.data(), static_cast<Index>(order.size()));
    for (const auto& [part, first] : order) {
        Descent& descent = *parts[static_cast<std::size_t>(part)];
        descent.swap_w(w, bias);
        descent.visit(first, std::min(run, n_chunks[static_cast<std::size_t>(part)] - first));
        descent.swap_w(w, bias);
    }
    for (Descent* descent : parts) descent->end_pass(true);
}

}  // namespace separatrix
