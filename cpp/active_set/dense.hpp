// Dense algebra on doubles for the active-set method, by the loops of the instruction set in use.
#pragma once

#include "simd/table.hpp"

namespace separatrix::dense {

inline double dot(const double* a, const double* b, Index size) { return simd().rows.dot(a, b, size); }

inline void axpy(double scale, const double* x, double* out, Index size) { simd().rows.axpy(scale, x, out, size); }

// out = M x for M (rows, columns) row-major.
inline void matvec(const double* M, Index rows, Index columns, const double* x, double* out) {
    const DenseRows<double> view{M, rows, columns};
    simd().rows.of(view).scores(view, 0, rows, x, out);
}

// out += M^T x
inline void add_transposed(const double* M, Index rows, Index columns, const double* x, double* out) {
    const DenseRows<double> view{M, rows, columns};
    simd().rows.of(view).add_weighted(view, 0, rows, x, out);
}

}  // namespace separatrix::dense
