// Sums of products in eight lanes, for one or several vectors at once, always in the same order of additions.
//
// x.w is defined here as: lane k adds the products of the columns k, k + 8, k + 16, ...; the lanes are then added
// in pairs. Scoring four rows together gives each row the very
// bits that it gets alone, which is what lets a block of rows stand for a sequence of single steps.
// Included only by files that are compiled once per instruction set (SEPARATRIX_ISA).
#pragma once

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include "rows/rows.hpp"

namespace separatrix::SEPARATRIX_ISA {

#if defined(__AVX2__) && defined(__FMA__)

using Quad = __m256d;

SEPARATRIX_INLINE Quad load(const double* from) { return _mm256_loadu_pd(from); }
SEPARATRIX_INLINE Quad load(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }
SEPARATRIX_INLINE void add_product(Quad& sum, Quad a, Quad b) { sum = _mm256_fmadd_pd(a, b, sum); }
SEPARATRIX_INLINE double total(Quad low, Quad high) {
    const Quad sum = _mm256_add_pd(low, high);
    const __m128d left = _mm256_castpd256_pd128(sum), right = _mm256_extractf128_pd(sum, 1);
    return _mm_cvtsd_f64(_mm_add_sd(_mm_hadd_pd(left, left), _mm_hadd_pd(right, right)));
}
// The last entries of a row, `left` <= 4 of them, as four whose others are zero, read without a branch.
SEPARATRIX_INLINE __m128i mask_of(Index left) {
    alignas(32) static constexpr std::int32_t ones_then_zeros[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(ones_then_zeros + 4 - left));
}
SEPARATRIX_INLINE __m256d read_some(const double* from, __m128i mask) {
    return _mm256_maskload_pd(from, _mm256_cvtepi32_epi64(mask));
}
SEPARATRIX_INLINE __m128 read_some(const float* from, __m128i mask) { return _mm_maskload_ps(from, mask); }
SEPARATRIX_INLINE Quad load_some(const double* from, Index left) { return read_some(from, mask_of(left)); }
SEPARATRIX_INLINE Quad load_some(const float* from, Index left) {
    return _mm256_cvtps_pd(read_some(from, mask_of(left)));
}
// Four totals at once, each with the additions of `total`.
SEPARATRIX_INLINE void totals(const Quad* low, const Quad* high, double* out) {
    const Quad first = _mm256_hadd_pd(_mm256_add_pd(low[0], high[0]), _mm256_add_pd(low[1], high[1]));
    const Quad second = _mm256_hadd_pd(_mm256_add_pd(low[2], high[2]), _mm256_add_pd(low[3], high[3]));
    _mm256_storeu_pd(
        out, _mm256_add_pd(_mm256_blend_pd(first, second, 0b1100), _mm256_permute2f128_pd(first, second, 0x21)));
}

#else

struct Quad {
    double lane[4] = {0, 0, 0, 0};
};
template <class V>
SEPARATRIX_INLINE Quad load(const V* from) {
    Quad value;
    for (int k = 0; k < 4; ++k) value.lane[k] = static_cast<double>(from[k]);
    return value;
}
template <class V>
SEPARATRIX_INLINE Quad load_some(const V* from, Index left) {
    V values[4] = {};
    values[0] = from[0];  // written out, or the compiler calls memcpy for three numbers
    if (left > 1) values[1] = from[1];
    if (left > 2) values[2] = from[2];
    return load(values);
}
SEPARATRIX_INLINE void add_product(Quad& sum, const Quad& a, const Quad& b) {
    for (int k = 0; k < 4; ++k) sum.lane[k] += a.lane[k] * b.lane[k];
}
SEPARATRIX_INLINE double total(const Quad& low, const Quad& high) {
    double sum[4];
    for (int k = 0; k < 4; ++k) sum[k] = low.lane[k] + high.lane[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
SEPARATRIX_INLINE void totals(const Quad* low, const Quad* high, double* out) {
    for (int k = 0; k < 4; ++k) out[k] = total(low[k], high[k]);
}

#endif

// Four columns, or the last d mod 4 of them filled up with zeros.
struct Whole {
    template <class V>
    SEPARATRIX_INLINE Quad operator()(const V* from) const {
        return load(from);
    }
};
struct Part {
    Index size;
    template <class V>
    SEPARATRIX_INLINE Quad operator()(const V* from) const {
        return load_some(from, size);
    }
};

template <bool own, int N, class V, class W, class Read>
SEPARATRIX_INLINE void add_columns(Quad (&sum)[N], const V* const* x, const W* w, Index j, const Read& read) {
    if constexpr (own) {
        for (int k = 0; k < N; ++k) {
            const Quad value = read(x[k] + j);
            add_product(sum[k], value, value);
        }
    } else {
        const Quad by = read(w + j);
        for (int k = 0; k < N; ++k) add_product(sum[k], read(x[k] + j), by);
    }
}

// out[k] = x[k] . w for N dense vectors of d columns, or ||x[k]||^2 where each is its `own` w.
template <int N, bool own = false, class V, class W>
SEPARATRIX_INLINE void dots(const V* const* x, Index d, const W* w, double* out) {
    Quad low[N] = {}, high[N] = {};
    Index j = 0;
    for (; j + 8 <= d; j += 8) {
        add_columns<own>(low, x, w, j, Whole{});
        add_columns<own>(high, x, w, j + 4, Whole{});
    }
    if (j + 4 <= d) {
        add_columns<own>(low, x, w, j, Whole{});
        j += 4;
        if (j < d) add_columns<own>(high, x, w, j, Part{d - j});
    } else if (j < d) {
        add_columns<own>(low, x, w, j, Part{d - j});
    }
    if constexpr (N == 4) {
        totals(low, high, out);
    } else {
        for (int k = 0; k < N; ++k) out[k] = total(low[k], high[k]);
    }
}

template <int N, class V>
SEPARATRIX_INLINE void norms(const V* const* x, Index d, double* out) {
    dots<N, true>(x, d, static_cast<const double*>(nullptr), out);
}

}  // namespace separatrix::SEPARATRIX_ISA
