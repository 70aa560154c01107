// A direction along the central path, row by row: where it leads, how far it may be followed, how it is corrected.
//
//     ds = a - s - s (da / alpha),   dxi = c - xi + xi (da / beta)     hinge; xi follows alpha for the squared hinge
//     theta = 1 / (s / alpha + xi / beta)                              1 / (s / alpha + 1 / (2 C))
//
// for the products s alpha -> alpha a and xi beta -> beta c that are aimed at; a = c = 0 for the predictor. da solves
// the step's linear system, whose right-hand side g is 1 - A z for the predictor and changes by a - c.
//
// Vectors over rows are the memory of an interior point. Only da, a and c are kept beside the iterate, and all else is
// computed again in every loop: that takes less time than to fetch it. a and c steer, so they are float32; whoever uses
// them uses the rounded numbers, so that s - xi still follows A z - 1. See solvers/central_path.py for the whole.
// Included only by simd/table.cpp.
#pragma once

#include <math.h>

#include "path/path_arrays.hpp"

namespace separatrix::SEPARATRIX_ISA {

inline constexpr double largest_error = 10;  // of the predictor, in parts of the mean product
inline constexpr Index path_lanes = 8;       // rows looked at together, so that the compiler may use wide instructions

struct PathRow {
    double a, c, da, ds, dxi;
};

template <bool squared>
struct Path {
    using Arrays = PathArrays;

    // Members: smo_inner.hpp has a `larger` of its own that keeps a NaN where this one drops it.
    SEPARATRIX_INLINE static double larger(double a, double b) { return a > b ? a : b; }
    SEPARATRIX_INLINE static double clipped(double value, double least, double most) {
        return value < least ? least : value > most ? most : value;
    }

    SEPARATRIX_INLINE static double cost(const Arrays& at, Index i) { return at.C[i * at.cost_step]; }

    SEPARATRIX_INLINE static PathRow moved(const Arrays& at, Index i, double da, double a, double c) {
        const double ds = a - at.s[i] - at.s[i] * (da / at.alpha[i]);
        if constexpr (squared)
            return {a, c, da, ds, 0};
        else
            return {a, c, da, ds, c - at.xi[i] + at.xi[i] * (da / at.beta[i])};
    }

    SEPARATRIX_INLINE static PathRow predicted(const Arrays& at, Index i) { return moved(at, i, at.da[i], 0, 0); }

    SEPARATRIX_INLINE static PathRow kept(const Arrays& at, Index i) {
        if constexpr (squared)
            return moved(at, i, at.da[i], at.a[i], 0);
        else
            return moved(at, i, at.da[i], at.a[i], at.c[i]);
    }

    SEPARATRIX_INLINE static double weight(const Arrays& at, Index i) {
        if constexpr (squared)
            return 1 / (at.s[i] / at.alpha[i] + 0.5 / cost(at, i));
        else
            return 1 / (at.s[i] / at.alpha[i] + at.xi[i] / at.beta[i]);
    }

    template <PathStage stage>
    SEPARATRIX_INLINE static double g(const Arrays& at, Index i) {
        if constexpr (stage == PathStage::predictor) {
            if constexpr (squared)
                return 1 - at.spare[i] - 0.5 * at.alpha[i] / cost(at, i);
            else
                return 1 - at.spare[i];
        } else {
            if constexpr (squared)
                return at.a[i];
            else
                return double{at.a[i]} - double{at.c[i]};
        }
    }

    static void theta(const Arrays& at, double* SEPARATRIX_RESTRICT out) {
        SEPARATRIX_INDEPENDENT
        for (Index i = 0; i < at.n; ++i) out[i] = weight(at, i);
    }

    template <PathStage stage>
    static void right_side(const Arrays& at, double* SEPARATRIX_RESTRICT out) {
        SEPARATRIX_INDEPENDENT
        for (Index i = 0; i < at.n; ++i) out[i] = g<stage>(at, i);
    }

    template <PathStage stage>
    static void weigh(const Arrays& at, Index begin, Index end, double* SEPARATRIX_RESTRICT values) {
        SEPARATRIX_INDEPENDENT
        for (Index i = begin; i < end; ++i) values[i - begin] = weight(at, i) * (g<stage>(at, i) - values[i - begin]);
    }

    // The largest of values(0), ..., values(n - 1); NaN if there is one among them.
    template <class Values>
    SEPARATRIX_INLINE static double largest(Index n, const Values& values) {
        double most[path_lanes], unknown[path_lanes];
        for (Index lane = 0; lane < path_lanes; ++lane) {
            most[lane] = -infinity;
            unknown[lane] = 0;
        }
        Index i = 0;
        for (; i + path_lanes <= n; i += path_lanes) {
            for (Index lane = 0; lane < path_lanes; ++lane) {
                const double value = values(i + lane);
                most[lane] = larger(value, most[lane]);
                unknown[lane] += value == value ? 0.0 : 1.0;
            }
        }
        for (; i < n; ++i) {
            const double value = values(i);
            most[0] = larger(value, most[0]);
            unknown[0] += value == value ? 0.0 : 1.0;
        }
        for (Index lane = 1; lane < path_lanes; ++lane) {
            most[0] = larger(most[0], most[lane]);
            unknown[0] += unknown[lane];
        }
        return unknown[0] > 0 ? infinity - infinity : most[0];
    }

    template <class Values>
    SEPARATRIX_INLINE static double total(Index n, const Values& values) {
        double sum[path_lanes] = {};
        Index i = 0;
        for (; i + path_lanes <= n; i += path_lanes) {
            for (Index lane = 0; lane < path_lanes; ++lane) sum[lane] += values(i + lane);
        }
        for (; i < n; ++i) sum[0] += values(i);
        for (Index lane = 1; lane < path_lanes; ++lane) sum[0] += sum[lane];
        return sum[0];
    }

    static void predicted_falls(const Arrays& at, double* out) {
        out[0] = largest(at.n, [&](Index i) { return -(at.da[i] / at.alpha[i]); });
        out[1] = largest(at.n, [&](Index i) { return 1 + at.da[i] / at.alpha[i]; });
        out[2] = out[3] = -infinity;
        if constexpr (!squared) {
            out[2] = largest(at.n, [&](Index i) { return at.da[i] / at.beta[i]; });
            out[3] = largest(at.n, [&](Index i) { return 1 - at.da[i] / at.beta[i]; });
        }
    }

    static void predicted_products(const Arrays& at, double reach, double* out) {
        out[0] = total(at.n, [&](Index i) {
            if constexpr (squared)
                return at.s[i] * at.alpha[i];
            else
                return at.s[i] * at.alpha[i] + at.xi[i] * at.beta[i];
        });
        out[1] = total(at.n, [&](Index i) {
            const PathRow row = predicted(at, i);
            const double product = (at.s[i] + reach * row.ds) * (at.alpha[i] + reach * row.da);
            if constexpr (squared)
                return product;
            else
                return product + (at.xi[i] + reach * row.dxi) * (at.beta[i] - reach * row.da);
        });
    }

    static void correct(const Arrays& at, double target, double mu) {
        const double most = largest_error * mu;
        SEPARATRIX_INDEPENDENT
        for (Index i = 0; i < at.n; ++i) {
            const PathRow row = predicted(at, i);
            at.a[i] = static_cast<float>((target - clipped(row.ds * row.da, -most, most)) / at.alpha[i]);
            if constexpr (!squared)
                at.c[i] = static_cast<float>((target + clipped(row.dxi * row.da, -most, most)) / at.beta[i]);
        }
    }

    SEPARATRIX_INLINE static double row_fall(const Arrays& at, Index i, const PathRow& row) {
        const double outer = larger(-row.da / at.alpha[i], -row.ds / at.s[i]);
        if constexpr (squared)
            return row.ds == row.ds ? outer : row.ds;
        else {
            const double most = larger(outer, larger(row.da / at.beta[i], -row.dxi / at.xi[i]));
            const double all = row.ds + row.dxi;  // comparisons lose a NaN, which da would bring to both
            return all == all ? most : all;
        }
    }

    static double fall(const Arrays& at) {
        return largest(at.n, [&](Index i) { return row_fall(at, i, kept(at, i)); });
    }

    static void take(const Arrays& at, double reach) {
        SEPARATRIX_INDEPENDENT
        for (Index i = 0; i < at.n; ++i) {
            const PathRow row = kept(at, i);
            at.alpha[i] += reach * row.da;
            at.s[i] += reach * row.ds;
            if constexpr (squared) {
                at.xi[i] = 0.5 * at.alpha[i] / cost(at, i);
            } else {
                at.beta[i] -= reach * row.da;
                at.xi[i] += reach * row.dxi;
            }
        }
    }

    static constexpr double infinity = HUGE_VAL;
    static constexpr PathLoops loops = {
        .theta = theta,
        .right_side = {right_side<PathStage::predictor>, right_side<PathStage::correction>},
        .weigh = {weigh<PathStage::predictor>, weigh<PathStage::correction>},
        .predicted_falls = predicted_falls,
        .predicted_products = predicted_products,
        .correct = correct,
        .fall = fall,
        .take = take,
    };
};

}  // namespace separatrix::SEPARATRIX_ISA
