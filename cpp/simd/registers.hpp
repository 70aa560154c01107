// Vectors of one register, float or double, with the few operations that kernel blocks need.
//
// Included only by files that are compiled once per instruction set (SEPARATRIX_ISA); everything is forced inline.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__) && defined(__FMA__)
// GCC 12 takes the undefined vectors of its own header, which no lane of a result is taken from, for a fault.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#include "rows/rows.hpp"

namespace separatrix::SEPARATRIX_ISA {

template <class T>
struct Lanes;

#if defined(__AVX512F__) && defined(__AVX512DQ__)

template <>
struct Lanes<float> {
    static constexpr int width = 16;
    __m512 v;
    SEPARATRIX_INLINE static Lanes load(const float* p) { return {_mm512_loadu_ps(p)}; }
    SEPARATRIX_INLINE static Lanes spread(float x) { return {_mm512_set1_ps(x)}; }
    SEPARATRIX_INLINE void store(float* p) const { _mm512_storeu_ps(p, v); }
    SEPARATRIX_INLINE friend Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
    SEPARATRIX_INLINE static Lanes min(Lanes a, Lanes b) { return {_mm512_min_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes max(Lanes a, Lanes b) { return {_mm512_max_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes absolute(Lanes a) { return {_mm512_abs_ps(a.v)}; }
    SEPARATRIX_INLINE static Lanes rounded(Lanes a) {
        return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
    }
    // 2^n for whole numbers n
    SEPARATRIX_INLINE static Lanes power_of_two(Lanes n) {
        const __m512i bits = _mm512_add_epi32(_mm512_cvtps_epi32(n.v), _mm512_set1_epi32(127));
        return {_mm512_castsi512_ps(_mm512_slli_epi32(bits, 23))};
    }
    // a > b ? x : y
    SEPARATRIX_INLINE static Lanes where_greater(Lanes a, Lanes b, Lanes x, Lanes y) {
        return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ), y.v, x.v)};
    }
};

template <>
struct Lanes<double> {
    static constexpr int width = 8;
    __m512d v;
    SEPARATRIX_INLINE static Lanes load(const double* p) { return {_mm512_loadu_pd(p)}; }
    SEPARATRIX_INLINE static Lanes spread(double x) { return {_mm512_set1_pd(x)}; }
    SEPARATRIX_INLINE void store(double* p) const { _mm512_storeu_pd(p, v); }
    SEPARATRIX_INLINE friend Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
    SEPARATRIX_INLINE static Lanes min(Lanes a, Lanes b) { return {_mm512_min_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes max(Lanes a, Lanes b) { return {_mm512_max_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes absolute(Lanes a) { return {_mm512_abs_pd(a.v)}; }
    SEPARATRIX_INLINE static Lanes rounded(Lanes a) {
        return {_mm512_roundscale_pd(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
    }
    SEPARATRIX_INLINE static Lanes power_of_two(Lanes n) {
        const __m512i bits = _mm512_add_epi64(_mm512_cvtpd_epi64(n.v), _mm512_set1_epi64(1023));
        return {_mm512_castsi512_pd(_mm512_slli_epi64(bits, 52))};
    }
    SEPARATRIX_INLINE static Lanes where_greater(Lanes a, Lanes b, Lanes x, Lanes y) {
        return {_mm512_mask_blend_pd(_mm512_cmp_pd_mask(a.v, b.v, _CMP_GT_OQ), y.v, x.v)};
    }
};

#elif defined(__AVX2__) && defined(__FMA__)

template <>
struct Lanes<float> {
    static constexpr int width = 8;
    __m256 v;
    SEPARATRIX_INLINE static Lanes load(const float* p) { return {_mm256_loadu_ps(p)}; }
    SEPARATRIX_INLINE static Lanes spread(float x) { return {_mm256_set1_ps(x)}; }
    SEPARATRIX_INLINE void store(float* p) const { _mm256_storeu_ps(p, v); }
    SEPARATRIX_INLINE friend Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator*(Lanes a, Lanes b) { return {_mm256_mul_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator/(Lanes a, Lanes b) { return {_mm256_div_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
    SEPARATRIX_INLINE static Lanes min(Lanes a, Lanes b) { return {_mm256_min_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes max(Lanes a, Lanes b) { return {_mm256_max_ps(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes absolute(Lanes a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0F), a.v)}; }
    SEPARATRIX_INLINE static Lanes rounded(Lanes a) {
        return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
    }
    SEPARATRIX_INLINE static Lanes power_of_two(Lanes n) {
        const __m256i bits = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
        return {_mm256_castsi256_ps(_mm256_slli_epi32(bits, 23))};
    }
    SEPARATRIX_INLINE static Lanes where_greater(Lanes a, Lanes b, Lanes x, Lanes y) {
        return {_mm256_blendv_ps(y.v, x.v, _mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ))};
    }
};

template <>
struct Lanes<double> {
    static constexpr int width = 4;
    __m256d v;
    SEPARATRIX_INLINE static Lanes load(const double* p) { return {_mm256_loadu_pd(p)}; }
    SEPARATRIX_INLINE static Lanes spread(double x) { return {_mm256_set1_pd(x)}; }
    SEPARATRIX_INLINE void store(double* p) const { _mm256_storeu_pd(p, v); }
    SEPARATRIX_INLINE friend Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator*(Lanes a, Lanes b) { return {_mm256_mul_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE friend Lanes operator/(Lanes a, Lanes b) { return {_mm256_div_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
    SEPARATRIX_INLINE static Lanes min(Lanes a, Lanes b) { return {_mm256_min_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes max(Lanes a, Lanes b) { return {_mm256_max_pd(a.v, b.v)}; }
    SEPARATRIX_INLINE static Lanes absolute(Lanes a) { return {_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v)}; }
    SEPARATRIX_INLINE static Lanes rounded(Lanes a) {
        return {_mm256_round_pd(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
    }
    SEPARATRIX_INLINE static Lanes power_of_two(Lanes n) {
        const __m256i bits = _mm256_cvtepi32_epi64(_mm_add_epi32(_mm256_cvtpd_epi32(n.v), _mm_set1_epi32(1023)));
        return {_mm256_castsi256_pd(_mm256_slli_epi64(bits, 52))};
    }
    SEPARATRIX_INLINE static Lanes where_greater(Lanes a, Lanes b, Lanes x, Lanes y) {
        return {_mm256_blendv_pd(y.v, x.v, _mm256_cmp_pd(a.v, b.v, _CMP_GT_OQ))};
    }
};

#else

// Short arrays: every loop below has a fixed length, and compilers turn it into the vectors they have.
template <class T>
struct Lanes {
    static constexpr int width = 16 / static_cast<int>(sizeof(T));
    T v[width];
    template <class F>
    SEPARATRIX_INLINE static Lanes each(F f) {
        Lanes out;
        for (int k = 0; k < width; ++k) out.v[k] = f(k);
        return out;
    }
    SEPARATRIX_INLINE static Lanes load(const T* p) {
        return each([&](int k) { return p[k]; });
    }
    SEPARATRIX_INLINE static Lanes spread(T x) {
        return each([&](int) { return x; });
    }
    SEPARATRIX_INLINE void store(T* p) const { std::memcpy(p, v, sizeof v); }
    SEPARATRIX_INLINE friend Lanes operator+(Lanes a, Lanes b) {
        return each([&](int k) { return a.v[k] + b.v[k]; });
    }
    SEPARATRIX_INLINE friend Lanes operator-(Lanes a, Lanes b) {
        return each([&](int k) { return a.v[k] - b.v[k]; });
    }
    SEPARATRIX_INLINE friend Lanes operator*(Lanes a, Lanes b) {
        return each([&](int k) { return a.v[k] * b.v[k]; });
    }
    SEPARATRIX_INLINE friend Lanes operator/(Lanes a, Lanes b) {
        return each([&](int k) { return a.v[k] / b.v[k]; });
    }
    SEPARATRIX_INLINE static Lanes fma(Lanes a, Lanes b, Lanes c) {
        return each([&](int k) { return a.v[k] * b.v[k] + c.v[k]; });
    }
    SEPARATRIX_INLINE static Lanes min(Lanes a, Lanes b) {
        return each([&](int k) { return a.v[k] < b.v[k] ? a.v[k] : b.v[k]; });
    }
    SEPARATRIX_INLINE static Lanes max(Lanes a, Lanes b) {
        return each([&](int k) { return a.v[k] > b.v[k] ? a.v[k] : b.v[k]; });
    }
    SEPARATRIX_INLINE static Lanes absolute(Lanes a) {
        return each([&](int k) { return a.v[k] < 0 ? -a.v[k] : a.v[k]; });
    }
    SEPARATRIX_INLINE static Lanes rounded(Lanes a) {
        const T magic = sizeof(T) == 4 ? static_cast<T>(12582912.0) : static_cast<T>(6755399441055744.0);
        return each([&](int k) { return (a.v[k] + magic) - magic; });
    }
    SEPARATRIX_INLINE static Lanes power_of_two(Lanes n) {
        return each([&](int k) {
            T out;
            if constexpr (sizeof(T) == 4) {
                const std::int32_t bits = (static_cast<std::int32_t>(n.v[k]) + 127) << 23;
                std::memcpy(&out, &bits, sizeof out);
            } else {
                const std::int64_t bits = (static_cast<std::int64_t>(n.v[k]) + 1023) << 52;
                std::memcpy(&out, &bits, sizeof out);
            }
            return out;
        });
    }
    SEPARATRIX_INLINE static Lanes where_greater(Lanes a, Lanes b, Lanes x, Lanes y) {
        return each([&](int k) { return a.v[k] > b.v[k] ? x.v[k] : y.v[k]; });
    }
};

#endif

// 2^x for x in [-max exponent, 0]-ish ranges: x = n + f, |f| <= 1/2, 2^f by its Taylor polynomial in f log 2. The
// truncation error is below 2^-25 (degree 6) for float and 2^-54 (degree 12) for double.
template <class T>
SEPARATRIX_INLINE Lanes<T> exp2_lanes(Lanes<T> x) {
    using L = Lanes<T>;
    constexpr T lowest = sizeof(T) == 4 ? T(-126) : T(-1022);
    constexpr T highest = sizeof(T) == 4 ? T(127) : T(1023);
    x = L::min(L::max(x, L::spread(lowest)), L::spread(highest));
    const L n = L::rounded(x), f = x - n;
    constexpr double c[13] = {1.0,
                              0.69314718055994530942,
                              0.24022650695910071233,
                              0.055504108664821579953,
                              0.0096181291076284771619,
                              0.0013333558146428443423,
                              0.00015403530393381609954,
                              1.5252733804059840280e-05,
                              1.3215486790144309488e-06,
                              1.0178086009239699728e-07,
                              7.0549116208011233299e-09,
                              4.4455382718708114976e-10,
                              2.5678435993488205142e-11};
    constexpr int degree = sizeof(T) == 4 ? 6 : 12;
    L p = L::spread(static_cast<T>(c[degree]));
    for (int k = degree - 1; k >= 0; --k) p = L::fma(p, f, L::spread(static_cast<T>(c[k])));
    return p * L::power_of_two(n);
}

}  // namespace separatrix::SEPARATRIX_ISA
