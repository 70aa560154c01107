// Float rows in float: which rows are right whatever rounding did, and how long the rows are.
//
// A pass over rows in memory is as fast as memory only if little is done to each number on its way: one product and
// one sum. Rows follow each other in memory and are read in that order, so that the hardware fetches ahead.
// Included only by files that are compiled once per instruction set (SEPARATRIX_ISA), and so without functions of the
// standard library: an out-of-line copy of one could carry instructions that the running CPU does not have.
#pragma once

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include <float.h>
#include <math.h>

#include "rows/rows.hpp"

namespace separatrix::SEPARATRIX_ISA {

inline constexpr Index float_block = 8;  // rows judged together

#if defined(__AVX2__) && defined(__FMA__)

// d columns as whole registers of eight and a part of one; worked out once for many rows.
struct Columns {
    Index size, whole;
    __m256i part;

    explicit Columns(Index d) : size(d), whole(d / 8 * 8) {
        const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        part = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(size - whole)), places);
    }
};

// lane k of the result is the sum of the eight lanes of sums[k]
SEPARATRIX_INLINE __m256 eight_totals(const __m256* sums) {
    const __m256 a = _mm256_hadd_ps(sums[0], sums[1]), b = _mm256_hadd_ps(sums[2], sums[3]);
    const __m256 c = _mm256_hadd_ps(sums[4], sums[5]), e = _mm256_hadd_ps(sums[6], sums[7]);
    const __m256 low = _mm256_hadd_ps(a, b), high = _mm256_hadd_ps(c, e);
    return _mm256_add_ps(_mm256_blend_ps(low, high, 0b11110000), _mm256_permute2f128_ps(low, high, 0x21));
}

// Eight lanes whose sum is x.w, or ||x||^2 where x is its own w. At most d / 8 + 2 roundings in each.
template <bool own>
SEPARATRIX_INLINE __m256 lanes_of(const float* x, const Columns& columns, const float* w) {
    __m256 even = _mm256_setzero_ps(), odd = _mm256_setzero_ps();
    const auto add = [&](__m256& sum, Index j) {
        const __m256 value = _mm256_loadu_ps(x + j);
        sum = _mm256_fmadd_ps(value, own ? value : _mm256_loadu_ps(w + j), sum);
    };
    Index j = 0;
    for (; j + 32 <= columns.whole; j += 32) {
        add(even, j);
        add(odd, j + 8);
        add(even, j + 16);
        add(odd, j + 24);
    }
    for (; j < columns.whole; j += 8) add(even, j);
    if (j < columns.size) {
        const __m256 value = _mm256_maskload_ps(x + j, columns.part);
        odd = _mm256_fmadd_ps(value, own ? value : _mm256_maskload_ps(w + j, columns.part), odd);
    }
    return _mm256_add_ps(even, odd);
}

// The sums of eight rows, where row(k) says where row k begins. Written out, so that they stay in registers.
template <bool own, class Row>
SEPARATRIX_INLINE __m256 eight_sums(const Row& row, const Columns& columns, const float* w) {
    const auto lanes = [&](Index k) { return lanes_of<own>(row(k), columns, w); };
    const __m256 sums[8] = {lanes(0), lanes(1), lanes(2), lanes(3), lanes(4), lanes(5), lanes(6), lanes(7)};
    return eight_totals(sums);
}

// True if sign (x.w + b) > slack for each of eight rows; false where anything is not a number.
template <class Row>
SEPARATRIX_INLINE bool surely_right(const Row& row, const Columns& columns, const float* w, float b, float slack,
                                    const std::int8_t* signs) {
    const __m256 score = _mm256_add_ps(eight_sums<false>(row, columns, w), _mm256_set1_ps(b));
    const __m256i wide = _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(signs)));
    const __m256 minus = _mm256_and_ps(_mm256_castsi256_ps(wide), _mm256_set1_ps(-0.0f));
    const __m256 product = _mm256_xor_ps(score, minus);
    return _mm256_movemask_ps(_mm256_cmp_ps(product, _mm256_set1_ps(slack), _CMP_GT_OQ)) == 0b11111111;
}

// At least max ||x||^2 over rows that follow each other; infinite where a row is not finite, or too long for float.
SEPARATRIX_INLINE double norm_bound_of(const float* x, Index rows, Index d) {
    const Columns columns(d);
    __m256 most = _mm256_setzero_ps(), endless = _mm256_setzero_ps();
    const __m256 largest = _mm256_set1_ps(FLT_MAX);
    for (Index i = 0; i < rows; i += float_block) {
        // The last row stands in for those that would come after it.
        const auto row = [&](Index k) { return x + (i + k < rows ? i + k : rows - 1) * d; };
        const __m256 squares = eight_sums<true>(row, columns, nullptr);
        endless = _mm256_or_ps(endless, _mm256_cmp_ps(squares, largest, _CMP_NLE_UQ));
        most = _mm256_max_ps(most, squares);
    }
    if (_mm256_movemask_ps(endless) != 0) return INFINITY;
    float square[8];
    _mm256_storeu_ps(square, most);
    float longest = square[0];
    for (int k = 1; k < 8; ++k) longest = square[k] > longest ? square[k] : longest;
    // The most that rounding may have taken: a share of each sum, and squares too small for float.
    const double share = 2 * (static_cast<double>(d) / 8 + 8) * 0x1p-24, vanished = static_cast<double>(d) * 0x1p-148;
    return longest * (1 + share) + vanished;
}

#else

// Without wide registers, scoring in double at once is as fast.
struct Columns {
    explicit Columns(Index) {}
};
template <class Row>
SEPARATRIX_INLINE bool surely_right(const Row&, const Columns&, const float*, float, float, const std::int8_t*) {
    return false;
}
SEPARATRIX_INLINE double norm_bound_of(const float*, Index, Index) { return INFINITY; }

#endif

}  // namespace separatrix::SEPARATRIX_ISA
