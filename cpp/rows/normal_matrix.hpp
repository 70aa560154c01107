// The matrix of the normal equations, sum_i t_i a_i a_i^T, for rows of few columns.
//
// Some rows at a time are widened, once as they are and once weighted, into memory that the first-level cache holds.
// Then tiles of four rows and eight columns of the lower triangle are summed up in registers. A general product of
// matrices spends half of its time on copies where it has so few columns.
// Included only by simd/table.cpp, once per instruction set.
#pragma once

#include "simd/primitives.hpp"
#include "simd/table.hpp"

namespace separatrix::SEPARATRIX_ISA {

inline constexpr Index normal_block = 32;  // rows

// Written with vectors of four, so that the sums stay in registers.
#if defined(__GNUC__)
using NormalLanes = double __attribute__((vector_size(32)));
using NormalPlace = double __attribute__((vector_size(32), aligned(8), may_alias));

// out[r * width + c] += sum_k weighted[k * width + r] plain[k * width + c] for r < 4, c < 8
SEPARATRIX_APART inline void normal_tile(const double* SEPARATRIX_RESTRICT weighted,
                                         const double* SEPARATRIX_RESTRICT plain, Index count, Index width,
                                         double* SEPARATRIX_RESTRICT out) {
    NormalLanes sum[4][2];
    for (int r = 0; r < 4; ++r)
        for (int h = 0; h < 2; ++h) sum[r][h] = *reinterpret_cast<const NormalPlace*>(out + r * width + 4 * h);
    for (Index k = 0; k < count; ++k, weighted += width, plain += width) {
        const NormalLanes left = *reinterpret_cast<const NormalPlace*>(plain);
        const NormalLanes right = *reinterpret_cast<const NormalPlace*>(plain + 4);
        for (int r = 0; r < 4; ++r) {
            const NormalLanes by = {weighted[r], weighted[r], weighted[r], weighted[r]};
            sum[r][0] += by * left;
            sum[r][1] += by * right;
        }
    }
    for (int r = 0; r < 4; ++r)
        for (int h = 0; h < 2; ++h) *reinterpret_cast<NormalPlace*>(out + r * width + 4 * h) = sum[r][h];
}
#else
inline void normal_tile(const double* weighted, const double* plain, Index count, Index width, double* out) {
    for (Index k = 0; k < count; ++k)
        for (Index r = 0; r < 4; ++r)
            for (Index c = 0; c < 8; ++c) out[r * width + c] += weighted[k * width + r] * plain[k * width + c];
}
#endif

template <class V>
void add_products(const DenseRows<V>& rows, const std::int64_t* ids, Index begin, Index end, const double* weights,
                  bool ones, double* out) {
    const Index d = rows.columns, D = d + (ones ? 1 : 0), width = normal_width(D);
    alignas(64) double plain[normal_block * most_normal_columns], weighted[normal_block * most_normal_columns];
    for (Index first = begin; first < end; first += normal_block) {
        const Index count = end - first < normal_block ? end - first : normal_block;
        for (Index k = 0; k < count; ++k) {
            const V* SEPARATRIX_RESTRICT x = rows.row(ids == nullptr ? first + k : ids[first - begin + k]).values;
            double *p = plain + k * width, *q = weighted + k * width;
            const double by = weights[first - begin + k];
            for (Index j = 0; j < d; ++j) {
                p[j] = static_cast<double>(x[j]);
                q[j] = by * static_cast<double>(x[j]);
            }
            for (Index j = d; j < width; ++j) p[j] = q[j] = 0;
            if (ones) p[d] = 1, q[d] = by;
        }
        for (Index r = 0; r < D; r += 4)
            for (Index c = 0; c < r + 4; c += 8)
                normal_tile(weighted + r, plain + c, count, width, out + r * width + c);
    }
}

}  // namespace separatrix::SEPARATRIX_ISA
