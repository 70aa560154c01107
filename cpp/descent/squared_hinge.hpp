// The squared hinge over many rows, sum_i C_i max(0, s_i)^2 with s_i = 1 - y_i (x_i.w + b), as Newton's method reads it.
//
// A row is read once: its slack, its part of both objectives and of the gradient are computed while it is in the cache.
#pragma once

#include <algorithm>
#include <vector>

#include "rows/products.hpp"

namespace separatrix {

inline double total(const double* lanes) {
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
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
    const int parts = sum_parts<Rows>(count, n_threads);
    const auto d = static_cast<std::size_t>(rows.columns);
    const double b = ones ? w[d] : 0.0;
    std::vector<double> partial(d * static_cast<std::size_t>(parts - 1));
    std::vector<HingeSums> sums(static_cast<std::size_t>(parts));
    split(count, parts, n_threads, [&](int part, Index begin, Index end) {
        double* sum = part == 0 ? v : partial.data() + d * static_cast<std::size_t>(part - 1);
        double f[block];
        for (Index at = begin; at < end; at += block) {
            const Index size = std::min(block, end - at), row = first + at;
            loops.scores(rows, row, row + size, w, f);
            simd().rows.squared_hinge_rows(y + at, C + at, b, size, f, slack + at,
                                           sums[static_cast<std::size_t>(part)]);
            loops.add_weighted(rows, row, row + size, f, sum);
        }
    });
    for (int part = 1; part < parts; ++part) {
        const double* sum = partial.data() + d * static_cast<std::size_t>(part - 1);
        for (std::size_t j = 0; j < d; ++j) v[j] += sum[j];
    }
    HingeValues found{0, 0};
    for (const HingeSums& part : sums) {
        found.loss += total(part.loss);
        found.alpha += total(part.alpha);
        if (ones) v[d] += total(part.bias);
    }
    return found;
}

// The matrix R + 2 sum_i C_i a_i a_i^T over the rows marked `active`, brought to the rows with s_i > 0: out (lower triangle,
// Fortran order) changes by the rows that crossed, and so do the marks.
template <class V>
void move_normal_matrix(const DenseRows<V>& rows, Index first, Index count, const double* C, const double* slack,
                        bool* active, bool ones, double* out, int n_threads) {
    constexpr Index block = 128;  // rows
    const auto loop = simd().rows.normal(rows);
    const Index D = rows.columns + (ones ? 1 : 0);
    sum_normal_matrices<DenseRows<V>>(count, D, out, n_threads, [&](Index begin, Index end, double* sum) {
        std::int64_t ids[block];
        double weights[block];
        for (Index at = begin; at < end; at += block) {
            const Index last = std::min(end, at + block);
            if (!simd().rows.any_crossed(slack + at, active + at, last - at)) continue;
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
