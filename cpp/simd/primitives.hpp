// dot, axpy and squared norm of one row, dense or sparse, against a dense vector.
//
// This header is included only by files that are compiled once per instruction set into a namespace of
// its own (SEPARATRIX_ISA). Sums run in W, the type of the dense vector, in several independent lanes so that
// the compiler may vectorise them and the adder's latency is hidden.
#pragma once

#include "simd/lanes.hpp"

namespace separatrix::SEPARATRIX_ISA {

// Four vector registers' worth of accumulators on AVX2; a multiple of every vector width up to 512 bits.
template <class W>
inline constexpr Index lanes = 128 / static_cast<Index>(sizeof(W));

// The rest of a row, in eight lanes and then one by one: short rows are all of this.
template <class W, class V>
SEPARATRIX_INLINE W dot_rest(const DenseRow<V>& row, const W* SEPARATRIX_RESTRICT w, Index j) {
    W sum[8] = {};
    for (; j + 8 <= row.size; j += 8) {
        for (Index k = 0; k < 8; ++k) sum[k] += static_cast<W>(row.values[j + k]) * w[j + k];
    }
    W tail = 0;
    for (; j < row.size; ++j) tail += static_cast<W>(row.values[j]) * w[j];
    for (Index half = 4; half > 0; half /= 2) {
        for (Index k = 0; k < half; ++k) sum[k] += sum[k + half];
    }
    return sum[0] + tail;
}

template <class W, class V>
SEPARATRIX_INLINE W dot(const DenseRow<V>& row, const W* SEPARATRIX_RESTRICT w) {
    if (row.size < lanes<W>) return dot_rest(row, w, 0);
    W sum[lanes<W>] = {};
    Index j = 0;
    for (; j + lanes<W> <= row.size; j += lanes<W>) {
        for (Index k = 0; k < lanes<W>; ++k) sum[k] += static_cast<W>(row.values[j + k]) * w[j + k];
    }
    for (Index half = lanes<W> / 2; half > 0; half /= 2) {
        for (Index k = 0; k < half; ++k) sum[k] += sum[k + half];
    }
    return sum[0] + dot_rest(row, w, j);
}

template <class W, class V>
SEPARATRIX_INLINE void axpy(W scale, const DenseRow<V>& row, W* SEPARATRIX_RESTRICT w) {
    for (Index j = 0; j < row.size; ++j) w[j] += scale * static_cast<W>(row.values[j]);
}

// Sparse rows, four columns at a time: the entries of w are put together in a vector register, one load each, so that the
// values are read and multiplied four at once. A gather instruction takes longer than the four loads.
#if defined(__AVX2__) && defined(__FMA__)
SEPARATRIX_INLINE __m128 read_values(const float* from, float) { return _mm_loadu_ps(from); }
SEPARATRIX_INLINE __m128 read_values(const double* from, float) { return _mm256_cvtpd_ps(_mm256_loadu_pd(from)); }
SEPARATRIX_INLINE __m256d read_values(const float* from, double) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }
SEPARATRIX_INLINE __m256d read_values(const double* from, double) { return _mm256_loadu_pd(from); }

SEPARATRIX_INLINE __m128 read_some_values(const float* from, __m128i mask, float) { return read_some(from, mask); }
SEPARATRIX_INLINE __m128 read_some_values(const double* from, __m128i mask, float) {
    return _mm256_cvtpd_ps(read_some(from, mask));
}
SEPARATRIX_INLINE __m256d read_some_values(const float* from, __m128i mask, double) {
    return _mm256_cvtps_pd(read_some(from, mask));
}
SEPARATRIX_INLINE __m256d read_some_values(const double* from, __m128i mask, double) { return read_some(from, mask); }

// The places of four columns in w. Two 32-bit columns are read as one number.
template <class W>
struct Places {
    W *first, *second, *third, *fourth;
    SEPARATRIX_INLINE Places(const std::int64_t* columns, W* w)
        : first(w + columns[0]), second(w + columns[1]), third(w + columns[2]), fourth(w + columns[3]) {}
    SEPARATRIX_INLINE Places(const std::int32_t* columns, W* w) {
        std::uint64_t low, high;
        __builtin_memcpy(&low, columns, 8);
        __builtin_memcpy(&high, columns + 2, 8);
        set(low, high, w);
    }
    // Of columns that are masked out: the first one.
    SEPARATRIX_INLINE Places(const std::int64_t* columns, __m128i mask, W* w) {
        const __m256i four =
            _mm256_maskload_epi64(reinterpret_cast<const long long*>(columns), _mm256_cvtepi32_epi64(mask));
        const __m128i low = _mm256_castsi256_si128(four), high = _mm256_extracti128_si256(four, 1);
        first = w + _mm_cvtsi128_si64(low);
        second = w + _mm_extract_epi64(low, 1);
        third = w + _mm_cvtsi128_si64(high);
        fourth = w + _mm_extract_epi64(high, 1);
    }
    SEPARATRIX_INLINE Places(const std::int32_t* columns, __m128i mask, W* w) {
        const __m128i four = _mm_maskload_epi32(columns, mask);
        set(static_cast<std::uint64_t>(_mm_cvtsi128_si64(four)), static_cast<std::uint64_t>(_mm_extract_epi64(four, 1)),
            w);
    }

private:
    SEPARATRIX_INLINE void set(std::uint64_t low, std::uint64_t high, W* w) {
        first = w + static_cast<std::uint32_t>(low);
        second = w + (low >> 32);
        third = w + static_cast<std::uint32_t>(high);
        fourth = w + (high >> 32);
    }
};

SEPARATRIX_INLINE __m128 read_at(const Places<const float>& at) {
    const __m128 two = _mm_insert_ps(_mm_load_ss(at.first), _mm_load_ss(at.second), 0x10);
    return _mm_insert_ps(_mm_insert_ps(two, _mm_load_ss(at.third), 0x20), _mm_load_ss(at.fourth), 0x30);
}
SEPARATRIX_INLINE __m256d read_at(const Places<const double>& at) {
    const __m128d low = _mm_loadh_pd(_mm_load_sd(at.first), at.second),
                  high = _mm_loadh_pd(_mm_load_sd(at.third), at.fourth);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}
SEPARATRIX_INLINE void add_at(const Places<float>& at, __m128 change) {
    const __m128 second = _mm_movehdup_ps(change), third = _mm_movehl_ps(change, change);
    const float a = *at.first + _mm_cvtss_f32(change), b = *at.second + _mm_cvtss_f32(second);
    const float c = *at.third + _mm_cvtss_f32(third), d = *at.fourth + _mm_cvtss_f32(_mm_movehl_ps(second, second));
    *at.first = a;
    *at.second = b;
    *at.third = c;
    *at.fourth = d;
}
SEPARATRIX_INLINE void add_at(const Places<double>& at, __m256d change) {
    const __m128d low = _mm256_castpd256_pd128(change), high = _mm256_extractf128_pd(change, 1);
    const double a = *at.first + _mm_cvtsd_f64(low), b = *at.second + _mm_cvtsd_f64(_mm_unpackhi_pd(low, low));
    const double c = *at.third + _mm_cvtsd_f64(high), d = *at.fourth + _mm_cvtsd_f64(_mm_unpackhi_pd(high, high));
    *at.first = a;
    *at.second = b;
    *at.third = c;
    *at.fourth = d;
}
// The first three, one after the other: places may be the same where nothing is added.
SEPARATRIX_INLINE void add_in_turn(const Places<float>& at, __m128 change) {
    *at.first += _mm_cvtss_f32(change);
    *at.second += _mm_cvtss_f32(_mm_movehdup_ps(change));
    *at.third += _mm_cvtss_f32(_mm_movehl_ps(change, change));
}
SEPARATRIX_INLINE void add_in_turn(const Places<double>& at, __m256d change) {
    const __m128d low = _mm256_castpd256_pd128(change);
    *at.first += _mm_cvtsd_f64(low);
    *at.second += _mm_cvtsd_f64(_mm_unpackhi_pd(low, low));
    *at.third += _mm_cvtsd_f64(_mm256_extractf128_pd(change, 1));
}
SEPARATRIX_INLINE __m128 four_of(float value) { return _mm_set1_ps(value); }
SEPARATRIX_INLINE __m256d four_of(double value) { return _mm256_set1_pd(value); }
SEPARATRIX_INLINE __m128 multiply(__m128 a, __m128 b) { return _mm_mul_ps(a, b); }
SEPARATRIX_INLINE __m256d multiply(__m256d a, __m256d b) { return _mm256_mul_pd(a, b); }
SEPARATRIX_INLINE void add_product(__m128& sum, __m128 a, __m128 b) { sum = _mm_fmadd_ps(a, b, sum); }
SEPARATRIX_INLINE float total(__m128 sum) {
    const __m128 two = _mm_add_ps(sum, _mm_movehdup_ps(sum));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehl_ps(two, two)));
}
SEPARATRIX_INLINE double total(__m256d sum) {
    const __m128d low = _mm256_castpd256_pd128(sum), high = _mm256_extractf128_pd(sum, 1);
    return _mm_cvtsd_f64(_mm_add_sd(_mm_hadd_pd(low, low), _mm_hadd_pd(high, high)));
}

template <class W, class V, class I>
SEPARATRIX_INLINE W dot(const SparseRow<V, I>& row, const W* SEPARATRIX_RESTRICT w) {
    if (row.size == 0) return 0;  // w may be empty
    auto sum = four_of(W{0});
    Index j = 0;
    for (; j + 4 <= row.size; j += 4) {
        add_product(sum, read_values(row.values + j, W{}), read_at(Places<const W>(row.indices + j, w)));
    }
    const __m128i mask = mask_of(row.size - j);
    add_product(sum, read_some_values(row.values + j, mask, W{}), read_at(Places<const W>(row.indices + j, mask, w)));
    return total(sum);
}

// Columns within a row are distinct (canonical CSR), so the updates are independent.
template <class W, class V, class I>
SEPARATRIX_INLINE void axpy(W scale, const SparseRow<V, I>& row, W* SEPARATRIX_RESTRICT w) {
    if (row.size == 0) return;
    const auto scales = four_of(scale);
    Index j = 0;
    for (; j + 4 <= row.size; j += 4) {
        add_at(Places<W>(row.indices + j, w), multiply(scales, read_values(row.values + j, W{})));
    }
    const __m128i mask = mask_of(row.size - j);
    add_in_turn(Places<W>(row.indices + j, mask, w), multiply(scales, read_some_values(row.values + j, mask, W{})));
}
#else
template <class W, class V, class I>
SEPARATRIX_INLINE W dot(const SparseRow<V, I>& row, const W* SEPARATRIX_RESTRICT w) {
    W sum[4] = {};
    Index j = 0;
    for (; j + 4 <= row.size; j += 4) {
        for (Index k = 0; k < 4; ++k) sum[k] += static_cast<W>(row.values[j + k]) * w[row.indices[j + k]];
    }
    for (; j < row.size; ++j) sum[0] += static_cast<W>(row.values[j]) * w[row.indices[j]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class W, class V, class I>
SEPARATRIX_INLINE void axpy(W scale, const SparseRow<V, I>& row, W* SEPARATRIX_RESTRICT w) {
    for (Index j = 0; j < row.size; ++j) w[row.indices[j]] += scale * static_cast<W>(row.values[j]);
}
#endif

template <class Row>
SEPARATRIX_INLINE double squared_norm(const Row& row) {
    double out;
    norms<1>(&row.values, row.size, &out);
    return out;
}

}  // namespace separatrix::SEPARATRIX_ISA
