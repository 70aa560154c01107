// A few dense loops on doubles for the active-set method, compiled for several instruction sets where that is possible.
#pragma once

#include "separatrix/rows.hpp"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define SEPARATRIX_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SEPARATRIX_CLONES
#endif

namespace separatrix::dense {

SEPARATRIX_INLINE double dot_inline(const double* a, const double* b, Index size) {
    if (size < 16) {  // short rows: clearing and adding up the lanes would cost more than the products
        double sum = 0.0;
        for (Index j = 0; j < size; ++j) sum += a[j] * b[j];
        return sum;
    }
    double sum[16] = {};
    Index j = 0;
    for (; j + 16 <= size; j += 16) {
        for (Index k = 0; k < 16; ++k) sum[k] += a[j + k] * b[j + k];
    }
    double tail = 0.0;
    for (; j < size; ++j) tail += a[j] * b[j];
    for (Index half = 8; half > 0; half /= 2) {
        for (Index k = 0; k < half; ++k) sum[k] += sum[k + half];
    }
    return sum[0] + tail;
}

SEPARATRIX_CLONES inline double dot(const double* a, const double* b, Index size) { return dot_inline(a, b, size); }

SEPARATRIX_CLONES inline void axpy(double scale, const double* SEPARATRIX_RESTRICT x, double* SEPARATRIX_RESTRICT out,
                                   Index size) {
    for (Index j = 0; j < size; ++j) out[j] += scale * x[j];
}

// out = M x for M (rows, columns) row-major.
SEPARATRIX_CLONES inline void matvec(const double* M, Index rows, Index columns, const double* x, double* out) {
    for (Index i = 0; i < rows; ++i) out[i] = dot_inline(M + i * columns, x, columns);
}

// out -= M^T x
SEPARATRIX_CLONES inline void matvec_transposed_subtract(const double* M, Index rows, Index columns, const double* x,
                                                         double* SEPARATRIX_RESTRICT out) {
    for (Index i = 0; i < rows; ++i) {
        const double scale = x[i];
        const double* SEPARATRIX_RESTRICT row = M + i * columns;
        for (Index j = 0; j < columns; ++j) out[j] -= scale * row[j];
    }
}

SEPARATRIX_CLONES inline void rotate(double* SEPARATRIX_RESTRICT a, double* SEPARATRIX_RESTRICT b, double cosine,
                                     double sine, Index size) {
    for (Index j = 0; j < size; ++j) {
        const double left = a[j], right = b[j];
        a[j] = cosine * left + sine * right;
        b[j] = cosine * right - sine * left;
    }
}

}  // namespace separatrix::dense
