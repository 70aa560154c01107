// One pass of dual coordinate descent over scheduled rows.
//
//     max_alpha  sum_i alpha_i - 1/2 sum_i shift_i alpha_i^2 - 1/2 ||w||^2 - (bias term),   w = sum_i alpha_i y_i x_i
//
// At row i, with the gradient G = y_i (w.x_i + b) - 1 + shift_i alpha_i, alpha_i moves to the exact minimiser
// alpha_i - G / curvature_i clipped to its bounds, and w follows. Hsieh et al., ICML 2008, Algorithm 3.
//
// Each row's share of the duality gap is computed from the same G on the way, before the update:
//     hinge           max(-G (C - alpha), G alpha)
//     squared hinge   (G / shift)^2 C where y f < 1, else alpha (y f - 1) + shift alpha^2 / 2
// Included only by kernels.cpp.
#pragma once

#include "simd/primitives.hpp"
#include "simd/table.hpp"

namespace separatrix::SEPARATRIX_ISA {

template <bool squared>
SEPARATRIX_INLINE double gap_share(double G, double alpha, double limit) {
    if (!squared) return G < 0 ? -G * (limit - alpha) : G * alpha;
    const double violation = G - limit * alpha;  // y f - 1
    return violation < 0 ? G * G / (2 * limit) : alpha * (violation + 0.5 * limit * alpha);
}

// A row is fetched into the cache while this many others are worked on.
inline constexpr Index rows_ahead = 2;

// The places in `active` that a schedule comes to, one after the other. Once it is over, it stays at the last one.
class Course {
public:
    SEPARATRIX_INLINE explicit Course(const Schedule& schedule) : schedule_(schedule), over_(schedule.n_chunks <= 0) {
        if (!over_) enter();
    }
    SEPARATRIX_INLINE bool over() const { return over_; }
    SEPARATRIX_INLINE Index at() const { return at_; }
    SEPARATRIX_INLINE void advance() {
        if (at_ + 1 < end_) {
            ++at_;
        } else if (chunk_ + 1 < schedule_.n_chunks) {
            ++chunk_;
            enter();
        } else {
            over_ = true;
        }
    }

private:
    SEPARATRIX_INLINE void enter() {
        at_ = schedule_.chunks[chunk_] * schedule_.chunk;
        end_ = at_ + schedule_.chunk < schedule_.n_active ? at_ + schedule_.chunk : schedule_.n_active;
    }

    const Schedule& schedule_;
    bool over_;
    Index chunk_ = 0, at_ = 0, end_ = 0;
};

template <bool squared, class Rows, class W>
PassReport descend(const Rows& rows, Coordinate* coordinates, const Schedule& schedule, Iterate<W>& iterate) {
    PassReport report;
    W* SEPARATRIX_RESTRICT w = iterate.w;
    double bias = iterate.bias;
    const double bias_curvature = iterate.bias_curvature;
    double gap = 0, rise = 0;
    Gradients below, above;
    Course here(schedule), ahead(schedule);
    for (Index k = 0; k < rows_ahead; ++k) ahead.advance();
    for (; !here.over(); here.advance(), ahead.advance()) {
        const Index k = here.at(), i = schedule.active[k], soon = schedule.active[ahead.at()];
        SEPARATRIX_PREFETCH(coordinates + soon);
        rows.prefetch(soon);
        Coordinate& at = coordinates[i];
        const auto row = rows.row(i);
        if (schedule.first) {
            at.signed_curvature = at.label() * (squared_norm(row) + bias_curvature + (squared ? at.limit : 0.0));
        }
        const double score = static_cast<double>(dot(row, static_cast<const W*>(w))) + bias;
        const double alpha = at.alpha;
        const double label = at.label();
        double G = label * score - 1.0;
        if (squared) G += at.limit * alpha;
        if (alpha <= 0 ? G >= 0 : !squared && alpha >= at.limit && G <= 0) {
            schedule.held[k] = static_cast<float>(G);
            continue;
        }
        schedule.held[k] = 0;
        gap += gap_share<squared>(G, alpha, at.limit);
        if (schedule.look) continue;
        if (G < 0) {
            below.add(-G);
        } else {
            above.add(G);
        }
        double target = alpha - G / at.curvature();
        target = target > 0 ? target : 0;
        if (!squared) target = target < at.limit ? target : at.limit;
        if (target == alpha) continue;
        const double step = target - alpha, change = step * label;
        rise += (bias + 0.5 * bias_curvature * change) * change - (G + 0.5 * at.curvature() * step) * step;
        at.alpha = target;
        axpy(static_cast<W>(change), row, w);
        bias += bias_curvature * change;
    }
    iterate.bias = bias;
    report.gap = gap;
    report.rise = rise;
    report.below = below;
    report.above = above;
    return report;
}

}  // namespace separatrix::SEPARATRIX_ISA
