// dot, axpy and squared norm of one row, dense or sparse, against a dense vector.
//
// This header is included only by kernels.cpp, which is compiled once per instruction set into a namespace of
// its own (SEPARATRIX_ISA). Sums run in W, the type of the dense vector, in several independent lanes so that
// the compiler may vectorise them and the adder's latency is hidden.
#pragma once

#include "separatrix/rows.hpp"

namespace separatrix::SEPARATRIX_ISA {

// Four vector registers' worth of accumulators on AVX2; a multiple of every vector width up to 512 bits.
template <class W>
inline constexpr Index lanes = 128 / static_cast<Index>(sizeof(W));

// What is left of a row, in eight lanes and then one by one: short rows are all of this.
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

// Four columns at a time, each in a scalar register: left to itself the compiler gathers w into vectors and takes
// them apart again, which costs more than the arithmetic.
#if defined(__GNUC__)
#define SEPARATRIX_SCALARS(a, b, c, d) __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d))
#else
#define SEPARATRIX_SCALARS(a, b, c, d) ((void)0)
#endif

template <class W, class V, class I>
SEPARATRIX_INLINE W dot(const SparseRow<V, I>& row, const W* SEPARATRIX_RESTRICT w) {
    W first = 0, second = 0, third = 0, fourth = 0;
    const V* SEPARATRIX_RESTRICT x = row.values;
    Index j = 0;
    for (; j + 4 <= row.size; j += 4) {
        Index a = row.indices[j], b = row.indices[j + 1], c = row.indices[j + 2], d = row.indices[j + 3];
        SEPARATRIX_SCALARS(a, b, c, d);
        first += static_cast<W>(x[j]) * w[a];
        second += static_cast<W>(x[j + 1]) * w[b];
        third += static_cast<W>(x[j + 2]) * w[c];
        fourth += static_cast<W>(x[j + 3]) * w[d];
    }
    for (; j < row.size; ++j) first += static_cast<W>(x[j]) * w[row.indices[j]];
    return (first + second) + (third + fourth);
}

template <class W, class V>
SEPARATRIX_INLINE void axpy(W scale, const DenseRow<V>& row, W* SEPARATRIX_RESTRICT w) {
    for (Index j = 0; j < row.size; ++j) w[j] += scale * static_cast<W>(row.values[j]);
}

// Columns within a row are distinct (canonical CSR), so the updates are independent.
template <class W, class V, class I>
SEPARATRIX_INLINE void axpy(W scale, const SparseRow<V, I>& row, W* SEPARATRIX_RESTRICT w) {
    const V* SEPARATRIX_RESTRICT x = row.values;
    Index j = 0;
    for (; j + 4 <= row.size; j += 4) {
        Index a = row.indices[j], b = row.indices[j + 1], c = row.indices[j + 2], d = row.indices[j + 3];
        SEPARATRIX_SCALARS(a, b, c, d);
        const W first = w[a] + scale * static_cast<W>(x[j]), second = w[b] + scale * static_cast<W>(x[j + 1]);
        const W third = w[c] + scale * static_cast<W>(x[j + 2]), fourth = w[d] + scale * static_cast<W>(x[j + 3]);
        w[a] = first;
        w[b] = second;
        w[c] = third;
        w[d] = fourth;
    }
    for (; j < row.size; ++j) w[row.indices[j]] += scale * static_cast<W>(x[j]);
}

template <class Row>
SEPARATRIX_INLINE double squared_norm(const Row& row) {
    double sum[8] = {};
    Index j = 0;
    for (; j + 8 <= row.size; j += 8) {
        for (Index k = 0; k < 8; ++k) {
            const double value = static_cast<double>(row.values[j + k]);
            sum[k] += value * value;
        }
    }
    for (; j < row.size; ++j) sum[0] += static_cast<double>(row.values[j]) * static_cast<double>(row.values[j]);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

}  // namespace separatrix::SEPARATRIX_ISA
