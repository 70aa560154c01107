// Learning from rows as they come, and a bound on the mistakes that needs no second look at them.
//
// Freund and Schapire (1999), Theorem 2: for any unit vector u and margin g > 0, with d_i = max(0, g - y_i u.x_i)
// and D^2 = sum_i d_i^2, the updates number at most ((R + D) / g)^2. The comparator u must be fixed before the rows
// it is compared on: it is the direction of w at a restart, after 64, 256, 1024, ... rows. Starting from w_0 = a u,
//
//     a + k g - sqrt(k) D <= u.w_k <= ||w_k|| <= sqrt(a^2 + k R^2) <= a + sqrt(k) R,
//
// so the same bound holds for the k updates since the restart. D is kept for 16 margins g = R 2^-j.
#pragma once

#include <cmath>

#include "perceptron/perceptron.hpp"

namespace separatrix {

// A row of Kesler's construction, (x, -x), stands for two.
inline double squared_length_factor(const PerceptronState& state) { return state.planes == 1 ? 1.0 : 2.0; }

// Chooses the direction of w for the comparator.
inline void restart(PerceptronState& state) {
    Comparator& comparator = state.comparator;
    const double gain = state.step.gain;
    double squared = 0;
    for (const double weight : state.w) squared += weight * weight;
    for (std::size_t r = 0; r < state.b.size() && gain > 0; ++r) squared += state.b[r] * state.b[r] / gain;
    comparator.restart_at *= 4;
    if (!(squared > 0) || !std::isfinite(squared)) return;  // no direction yet
    const double norm = std::sqrt(squared);
    comparator.u.resize(state.w.size());
    comparator.b.resize(state.b.size());
    for (std::size_t j = 0; j < state.w.size(); ++j) comparator.u[j] = state.w[j] / norm;
    for (std::size_t r = 0; r < state.b.size(); ++r) comparator.b[r] = state.b[r] / norm;
    comparator.updates = state.tally.updates;
    comparator.visits = state.tally.visits;
    comparator.margin = std::sqrt(squared_length_factor(state) * (comparator.longest + gain));
    for (double& deficit : comparator.deficits) deficit = 0;
}

// The most updates that the rows so far can have caused.
inline double most_updates(const PerceptronState& state) {
    const Comparator& comparator = state.comparator;
    const double seen = static_cast<double>(state.tally.visits - comparator.visits);
    const double before = static_cast<double>(comparator.updates);
    if (!comparator.chosen() || !(comparator.margin > 0)) return before + seen;
    const double radius = std::sqrt(squared_length_factor(state) * (comparator.longest + state.step.gain));
    double least = INFINITY, margin = comparator.margin;
    for (const double deficit : comparator.deficits) {
        least = std::min(least, (radius + std::sqrt(deficit)) / margin);
        margin *= 0.5;
    }
    return before + std::min(seen, least * least);
}

// The squared norms of the rows; returns the first row for which it is not a finite number, or -1.
template <class Rows>
Index measure(const Rows& rows, double* norms, double& largest) {
    simd().perceptron.of(rows).squared_norms(rows, 0, rows.rows, norms);
    for (Index i = 0; i < rows.rows; ++i) {
        if (!std::isfinite(norms[i])) return i;
        largest = std::max(largest, norms[i]);
    }
    return -1;
}

// Runs learn(begin, end) over all rows, stopping at each restart on the way, so that where a batch begins and ends
// makes no difference to anything. Returns the first row that is not finite, in which case nothing was learnt, or -1.
template <class Rows, class Margins, class Learn>
Index in_stretches(PerceptronState& state, const Rows& rows, const Margins& compare, const Learn& learn) {
    Comparator& comparator = state.comparator;
    std::vector<double> norms, margins(static_cast<std::size_t>(rows.rows));
    // Norms are needed row by row only where a row may be longer than the longest so far.
    if (rows.rows < 64 || !(squared_norm_bound(rows, 1) <= comparator.longest)) {
        norms.resize(static_cast<std::size_t>(rows.rows));
        double largest = 0;
        const Index bad = measure(rows, norms.data(), largest);
        if (bad >= 0) return bad;
    }
    for (Index p = 0; p < rows.rows;) {
        const Index room = std::max<Index>(1, comparator.restart_at - state.tally.visits);
        // A short stretch is still in the cache when its rows are scored for the second time.
        const Index end = std::min({rows.rows, p + room, p + 128});
        for (Index i = p; i < end && !norms.empty(); ++i)
            comparator.longest = std::max(comparator.longest, norms[static_cast<std::size_t>(i)]);
        if (comparator.chosen()) {
            compare(p, end, margins.data());
            simd().perceptron.add_deficits(margins.data(), end - p, comparator.margin, comparator.deficits);
        }
        learn(p, end);
        p = end;
        if (state.tally.visits >= comparator.restart_at) restart(state);
    }
    return -1;
}

// Two classes. `scores`, where wanted, gets f(x) of every row as it was when the row came.
template <class Rows>
Index learn_signs(PerceptronState& state, const Rows& rows, const Sign* signs, std::vector<Mistake>& seen,
                  double* scores) {
    const auto& kernel = simd().perceptron.of(rows);
    const Comparator& comparator = state.comparator;
    const auto compare = [&](Index begin, Index end, double* out) {
        kernel.scores(rows, begin, end, comparator.u.data(), out);
        for (Index i = begin; i < end; ++i) out[i - begin] = signs[i] * (out[i - begin] + comparator.b[0]);
    };
    const auto visit = [&](Index begin, Index end) {
        visit_signs(state, rows, signs, Visit{nullptr}, begin, end, comparator.longest, 1, &seen);
    };
    const auto learn = [&](Index begin, Index end) {
        if (scores == nullptr) return visit(begin, end);
        for (Index i = begin; i < end; ++i) {
            scores[i] = kernel.score(rows, i, state.w.data()) + state.b[0];
            visit(i, i + 1);
        }
    };
    return in_stretches(state, rows, compare, learn);
}

// Many classes.
template <class Rows>
Index learn_codes(PerceptronState& state, const Rows& rows, const Code* codes, std::vector<Mistake>& seen) {
    const auto& kernel = simd().perceptron.of(rows);
    const Comparator& comparator = state.comparator;
    const auto lead = [&](Index i) {
        const auto score = [&](Code r) {
            return kernel.score(rows, i, comparator.u.data() + r * rows.columns) +
                   comparator.b[static_cast<std::size_t>(r)];
        };
        double rival = -INFINITY;
        for (Code r = 0; r < state.planes; ++r) {
            if (r != codes[i]) rival = std::max(rival, score(r));
        }
        return score(codes[i]) - rival;
    };
    const auto compare = [&](Index begin, Index end, double* out) {
        for (Index i = begin; i < end; ++i) out[i - begin] = lead(i);
    };
    const auto learn = [&](Index begin, Index end) {
        visit_codes(state, rows, codes, Visit{nullptr}, begin, end, 1, &seen);
    };
    return in_stretches(state, rows, compare, learn);
}

}  // namespace separatrix
