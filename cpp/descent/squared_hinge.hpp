// The squared hinge over many rows, sum_i C_i max(0, s_i)^2 with s_i = 1 - y_i (x_i.w + b), as Newton's method reads it.
//
// A row is read once: its slack, its part of both objectives and of the gradient are computed while it is in the cache.
#pragma once

#include <algorithm>
#include <vector>

#include "rows/products.hpp"

namespace separatrix {

// Sums of independent lanes, so that the compiler may vectorise them.
inline constexpr Index hinge_lanes = 8;

struct HingeSums {
    double loss[hinge_lanes] = {};   // C max(0, s)^2
    double alpha[hinge_lanes] = {};  // alpha = 2 C max(0, s)
    double bias[hinge_lanes] = {};   // alpha y

    void add(const HingeSums& other) {
        for (Index k = 0; k < hinge_lanes; ++k) {
            loss[k] += other.loss[k];
            alpha[k] += other.alpha[k];
            bias[k] += other.bias[k];
        }
    }
};

inline double total(const double* lanes) {
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// max(0, s), but NaN of NaN: an overflow must not look like a row without loss.
SEPARATRIX_INLINE double positive_part(double s) { return s < 0.0 ? 0.0 : s; }

// f: scores x_i.w on entry, the coefficients alpha_i y_i when it returns.
SEPARATRIX_CLONES inline void squared_hinge_rows(const double* SEPARATRIX_RESTRICT y,
                                                 const double* SEPARATRIX_RESTRICT C, double b, Index size,
                                                 double* SEPARATRIX_RESTRICT f, double* SEPARATRIX_RESTRICT slack,
                                                 HingeSums& sums) {
    HingeSums own;
    Index i = 0;
    const auto step = [&](Index width) {
        for (Index k = 0; k < width; ++k) {
            const double s = slack[i + k] = 1.0 - y[i + k] * (f[i + k] + b), active = positive_part(s);
            const double alpha = 2.0 * C[i + k] * active, coefficient = alpha * y[i + k];
            own.loss[k] += 0.5 * alpha * active;
            own.alpha[k] += alpha;
            own.bias[k] += coefficient;
            f[i + k] = coefficient;
        }
    };
    for (; i + hinge_lanes <= size; i += hinge_lanes) step(hinge_lanes);
    step(size - i);
    sums.add(own);
}

struct HingeValues {
    double loss;   // sum_i C_i max(0, s_i)^2
    double alpha;  // sum_i alpha_i
};

// slack[i] = s_i and v (d,) += sum_i alpha_i y_i x_i over `count` rows from `first` on; y, C and slack begin with the first of
// them. With `ones` each row has one more column, of ones, and so have w and v: that of the bias.
template <class Rows>
HingeValues squared_hinge(const Rows& rows, Index first, Index count, const double* y, const double* C, const double* w,
                          bool ones, double* slack, double* v, int n_threads) {
    constexpr Index block = 256;  // rows
    const auto loops = simd().rows.of(rows);
    const int parts = useful_threads(count, n_threads);
    const auto d = static_cast<std::size_t>(rows.columns);
    const double b = ones ? w[d] : 0.0;
    std::vector<double> partial(d * static_cast<std::size_t>(parts - 1));
    std::vector<HingeSums> sums(static_cast<std::size_t>(parts));
    split(count, parts, [&](int part, Index begin, Index end) {
        double* sum = part == 0 ? v : partial.data() + d * static_cast<std::size_t>(part - 1);
        double f[block];
        for (Index at = begin; at < end; at += block) {
            const Index size = std::min(block, end - at), row = first + at;
            loops.scores(rows, row, row + size, w, f);
            squared_hinge_rows(y + at, C + at, b, size, f, slack + at, sums[static_cast<std::size_t>(part)]);
            loops.add_weighted(rows, row, row + size, f, sum);
        }
    });
    for (int part = 1; part < parts; ++part) {
        const double* sum = partial.data() + d * static_cast<std::size_t>(part - 1);
        for (std::size_t j = 0; j < d; ++j) v[j] += sum[j];
        sums[0].add(sums[static_cast<std::size_t>(part)]);
    }
    if (ones) v[d] += total(sums[0].bias);
    return {total(sums[0].loss), total(sums[0].alpha)};
}

struct Slope {
    double slope;
    double curvature;
};

// First and second derivative of sum_i C_i max(0, s_i(t))^2 at t, where s(t) = s(0) + t (s(1) - s(0)) for the slacks of two
// points.
SEPARATRIX_CLONES inline Slope squared_hinge_slope(const double* SEPARATRIX_RESTRICT C,
                                                   const double* SEPARATRIX_RESTRICT from,
                                                   const double* SEPARATRIX_RESTRICT to, double t, Index size) {
    double slope[hinge_lanes] = {}, curvature[hinge_lanes] = {};
    Index i = 0;
    const auto step = [&](Index width) {
        for (Index k = 0; k < width; ++k) {
            const double change = to[i + k] - from[i + k], pull = C[i + k] * change;
            const double active = positive_part(from[i + k] + t * change);
            slope[k] += pull * active;
            curvature[k] += active > 0.0 ? pull * change : 0.0;
        }
    };
    for (; i + hinge_lanes <= size; i += hinge_lanes) step(hinge_lanes);
    step(size - i);
    return {2.0 * total(slope), 2.0 * total(curvature)};
}

SEPARATRIX_CLONES inline bool any_crossed(const double* SEPARATRIX_RESTRICT slack,
                                          const bool* SEPARATRIX_RESTRICT active, Index size) {
    int crossed = 0;
    for (Index i = 0; i < size; ++i) crossed |= (slack[i] > 0.0) != active[i];
    return crossed != 0;
}

// The matrix R + 2 sum_i C_i a_i a_i^T over the rows marked `active`, brought to the rows with s_i > 0: out (lower triangle,
// Fortran order) changes by the rows that crossed, and so do the marks.
template <class V>
void move_normal_matrix(const DenseRows<V>& rows, Index first, Index count, const double* C, const double* slack,
                        bool* active, bool ones, double* out, int n_threads) {
    constexpr Index block = 128;  // rows
    const auto loop = simd().rows.normal(rows);
    sum_normal_matrices(count, rows.columns + (ones ? 1 : 0), out, n_threads, [&](Index begin, Index end, double* sum) {
        std::int64_t ids[block];
        double weights[block];
        for (Index at = begin; at < end; at += block) {
            const Index last = std::min(end, at + block);
            if (!any_crossed(slack + at, active + at, last - at)) continue;
            Index crossed = 0;
            for (Index i = at; i < last; ++i) {  // written whether it crossed or not: a branch would be guessed wrong
                const bool on = slack[i] > 0.0;
                ids[crossed] = first + i;
                weights[crossed] = on ? 2.0 * C[i] : -2.0 * C[i];
                crossed += on != active[i];
                active[i] = on;
            }
            loop.add(rows, ids, 0, crossed, weights, ones, sum);
        }
    });
}

}  // namespace separatrix
