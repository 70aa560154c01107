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

template <class W, class V>
SEPARATRIX_INLINE W dot(const DenseRow<V>& row, const W* SEPARATRIX_RESTRICT w) {
    W sum[lanes<W>] = {};
    Index j = 0;
    for (; j + lanes<W> <= row.size; j += lanes<W>) {
        for (Index k = 0; k < lanes<W>; ++k) sum[k] += static_cast<W>(row.values[j + k]) * w[j + k];
    }
    W tail = 0;
    for (; j < row.size; ++j) tail += static_cast<W>(row.values[j]) * w[j];
    for (Index half = lanes<W> / 2; half > 0; half /= 2) {
        for (Index k = 0; k < half; ++k) sum[k] += sum[k + half];
    }
    return sum[0] + tail;
}

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

template <class W, class V>
SEPARATRIX_INLINE void axpy(W scale, const DenseRow<V>& row, W* SEPARATRIX_RESTRICT w) {
    for (Index j = 0; j < row.size; ++j) w[j] += scale * static_cast<W>(row.values[j]);
}

// Columns within a row are distinct (canonical CSR), so the updates are independent.
template <class W, class V, class I>
SEPARATRIX_INLINE void axpy(W scale, const SparseRow<V, I>& row, W* SEPARATRIX_RESTRICT w) {
    for (Index j = 0; j < row.size; ++j) w[row.indices[j]] += scale * static_cast<W>(row.values[j]);
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
