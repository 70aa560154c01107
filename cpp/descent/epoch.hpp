// One pass of dual coordinate descent over rows in a given order.
//
//     max_alpha  sum_i alpha_i - 1/2 sum_i shift_i alpha_i^2 - 1/2 ||w||^2 - (bias term),   w = sum_i alpha_i y_i x_i
//
// At row i, with the gradient G = y_i (w.x_i + b) - 1 + shift_i alpha_i, alpha_i moves to the exact minimiser
// alpha_i - G / curvature_i clipped to its bounds, and w follows. Hsieh et al., ICML 2008, Algorithm 3.
//
// Each row's share of the duality gap is computed from the same G on the way, before the update:
//     hinge           max(-G (C - alpha), G alpha)
//     squared hinge   (G / shift)^2 C where y f < 1, else alpha (y f - 1) + shift alpha^2 / 2
// Included only by simd/table.cpp.
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

template <bool squared, class Rows>
PassReport descend(const Rows& rows, Coordinate* coordinates, const Visits& visits, Iterate& iterate) {
    constexpr Index rows_ahead = 2;  // a row is fetched into the cache while this many others are worked on
    PassReport report;
    double* SEPARATRIX_RESTRICT w = iterate.w;
    double bias = iterate.bias, gap = 0, rise = 0;
    const double bias_curvature = iterate.bias_curvature;
    Gradients below, above;
    for (Index k = 0; k < visits.count; ++k) {
        const Index i = visits.rows[k], last = visits.count - 1;
        const Index soon = visits.rows[k + rows_ahead < last ? k + rows_ahead : last];
        SEPARATRIX_PREFETCH(coordinates + soon);
        rows.prefetch(soon);
        Coordinate& at = coordinates[i];
        const auto row = rows.row(i);
        const double alpha = at.alpha, label = at.label();
        if (at.signed_curvature == 0) {  // the first visit to this row
            at.signed_curvature = label * (squared_norm(row) + bias_curvature + (squared ? at.limit : 0.0));
        }
        report.entries += row.size;
        double G = label * (dot(row, static_cast<const double*>(w)) + bias) - 1.0;
        if (squared) G += at.limit * alpha;
        if (alpha <= 0 ? G >= 0 : !squared && alpha >= at.limit && G <= 0) {
            visits.outward[i] = static_cast<float>(G);
            continue;
        }
        visits.outward[i] = 0;
        gap += gap_share<squared>(G, alpha, at.limit);
        if (!visits.moving) continue;
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
        axpy(change, row, w);
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
