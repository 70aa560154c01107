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

// The first entries of an array of doubles that lives with the model, so that it can be saved with it.
struct Watch {
    double restart_at;
    double base_updates;  // updates before the restart
    double base_visits;
    double active;   // 0 until the first restart
    double largest;  // max ||x||^2 so far
    double margin;   // the largest g
    double deficits[watched_margins];
};

// u and its bias, one row for two classes, one row a class for many.
struct Comparator {
    double* u;
    double* b;
};

inline void restart(Watch& watch, const Tally& tally, const Comparator& comparator, const double* w, const double* b,
                    Index planes, Index d, double gain, double factor) {
    double squared = 0;
    for (Index j = 0; j < planes * d; ++j) squared += w[j] * w[j];
    for (Index r = 0; r < planes && gain > 0; ++r) squared += b[r] * b[r] / gain;
    watch.restart_at *= 4;
    if (!(squared > 0) || !std::isfinite(squared)) return;  // no direction yet
    const double norm = std::sqrt(squared);
    for (Index j = 0; j < planes * d; ++j) comparator.u[j] = w[j] / norm;
    for (Index r = 0; r < planes; ++r) comparator.b[r] = b[r] / norm;
    watch.base_updates = static_cast<double>(tally.updates);
    watch.base_visits = static_cast<double>(tally.visits);
    watch.active = 1;
    watch.margin = std::sqrt(factor * (watch.largest + gain));
    for (double& deficit : watch.deficits) deficit = 0;
}

// The squared norms of the rows; returns the first row for which it is not a finite number, or -1.
template <class Rows>
Index measure(const Rows& rows, double* norms, double& largest) {
    perceptron_kernels().of(rows).squared_norms(rows, 0, rows.rows, norms);
    for (Index i = 0; i < rows.rows; ++i) {
        if (!std::isfinite(norms[i])) return i;
        largest = std::max(largest, norms[i]);
    }
    return -1;
}

// As `measure`, but leaves `norms` empty where no row can be longer than the longest so far.
template <class Rows>
Index survey(const Rows& rows, const Watch& watch, std::vector<double>& norms) {
    if (rows.rows >= 64 && reach(rows, 1) <= watch.largest) return -1;
    norms.resize(static_cast<std::size_t>(rows.rows));
    double largest = 0;
    return measure(rows, norms.data(), largest);
}

// The most updates that the rows so far can have caused; `factor` is 2 where a row of Kesler's stands for two.
inline double most_updates(const Watch& watch, const Tally& tally, double gain, double factor) {
    const double seen = static_cast<double>(tally.visits) - watch.base_visits;
    if (watch.active == 0 || !(watch.margin > 0)) return watch.base_updates + seen;
    const double radius = std::sqrt(factor * (watch.largest + gain));
    double least = INFINITY, margin = watch.margin;
    for (const double deficit : watch.deficits) {
        least = std::min(least, (radius + std::sqrt(deficit)) / margin);
        margin *= 0.5;
    }
    return watch.base_updates + std::min(seen, least * least);
}

// Runs learn(begin, end) over all rows, stopping at each restart on the way, so that where a batch begins and ends
// makes no difference to anything. `norms` may be empty, see `survey`.
template <class Rows, class Margin, class Learn>
void in_stretches(const Rows& rows, const std::vector<double>& norms, Watch& watch, Tally& tally, const Margin& margin,
                  const Learn& learn, const Comparator& comparator, const double* w, const double* b, Index planes,
                  double gain, double factor) {
    std::vector<double> margins(static_cast<std::size_t>(rows.rows));
    for (Index p = 0; p < rows.rows;) {
        const Index room = std::max<Index>(1, static_cast<Index>(watch.restart_at) - tally.visits);
        // A short stretch is still in the cache when its rows are scored for the second time.
        const Index end = std::min({rows.rows, p + room, p + 128});
        for (Index i = p; i < end && !norms.empty(); ++i)
            watch.largest = std::max(watch.largest, norms[static_cast<std::size_t>(i)]);
        if (watch.active != 0) {
            margin(p, end, margins.data());
            perceptron_kernels().add_deficits(margins.data(), end - p, watch.margin, watch.deficits);
        }
        learn(p, end);
        p = end;
        if (tally.visits >= static_cast<Index>(watch.restart_at))
            restart(watch, tally, comparator, w, b, planes, rows.columns, gain, factor);
    }
}

// `scores`, where wanted, gets f(x) of every row as it was when the row came.
template <class Rows>
void learn_two(const Rows& rows, const std::vector<double>& norms, const Sign* signs, double* w, double* b, Step step,
               Tally& tally, Average average, Pocket& pocket, Watch& watch, Comparator comparator,
               std::vector<Mistake>& seen, double* scores) {
    const auto& kernel = perceptron_kernels().of(rows);
    const auto margin = [&](Index begin, Index end, double* out) {
        kernel.scores(rows, begin, end, comparator.u, out);
        for (Index i = begin; i < end; ++i) out[i - begin] = signs[i] * (out[i - begin] + comparator.b[0]);
    };
    const auto pass = [&](Index begin, Index end) {
        perceptron_pass(rows, signs, Visit{nullptr}, begin, end, w, *b, step, watch.largest, 1, tally, nullptr, average,
                        pocket, nullptr, &seen);
    };
    const auto learn = [&](Index begin, Index end) {
        if (scores == nullptr) return pass(begin, end);
        for (Index i = begin; i < end; ++i) {
            scores[i] = kernel.score(rows, i, w) + *b;
            pass(i, i + 1);
        }
    };
    in_stretches(rows, norms, watch, tally, margin, learn, comparator, w, b, 1, step.gain, 1.0);
}

template <class Rows>
void learn_many(const Rows& rows, const std::vector<double>& norms, const Code* codes, double* W, double* b,
                Code classes, Step step, Tally& tally, Average average, Watch& watch, Comparator comparator,
                std::vector<Update>& seen) {
    const auto& kernel = perceptron_kernels().of(rows);
    const auto lead = [&](Index i) {
        const auto score = [&](Code r) {
            return kernel.score(rows, i, comparator.u + r * rows.columns) + comparator.b[r];
        };
        double rival = -INFINITY;
        for (Code r = 0; r < classes; ++r) {
            if (r != codes[i]) rival = std::max(rival, score(r));
        }
        return score(codes[i]) - rival;
    };
    const auto margin = [&](Index begin, Index end, double* out) {
        for (Index i = begin; i < end; ++i) out[i - begin] = lead(i);
    };
    const auto learn = [&](Index begin, Index end) {
        kesler_pass(rows, codes, Visit{nullptr}, begin, end, W, b, classes, step, 1, tally, average, &seen);
    };
    in_stretches(rows, norms, watch, tally, margin, learn, comparator, W, b, classes, step.gain, 2.0);
}

}  // namespace separatrix
