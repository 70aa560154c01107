// A few dense loops on doubles for the active-set method, compiled for several instruction sets where that is possible.
#pragma once

#include "rows/rows.hpp"

namespace separatrix::dense {

#if defined(__GNUC__)
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#endif

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
    Index i = 0;
#if defined(__GNUC__)
    for (; columns >= 8 && i + 4 <= rows; i += 4) {  // four rows share the reading of x
        const double* a = M + i * columns;
        const double *b = a + columns, *c = b + columns, *e = c + columns;
        Four p = {}, q = {}, r = {}, s = {};
        Index j = 0;
        for (; j + 4 <= columns; j += 4) {
            const Four& v = *reinterpret_cast<const Four*>(x + j);
            p += *reinterpret_cast<const Four*>(a + j) * v;
            q += *reinterpret_cast<const Four*>(b + j) * v;
            r += *reinterpret_cast<const Four*>(c + j) * v;
            s += *reinterpret_cast<const Four*>(e + j) * v;
        }
        out[i] = (p[0] + p[1]) + (p[2] + p[3]);
        out[i + 1] = (q[0] + q[1]) + (q[2] + q[3]);
        out[i + 2] = (r[0] + r[1]) + (r[2] + r[3]);
        out[i + 3] = (s[0] + s[1]) + (s[2] + s[3]);
        for (; j < columns; ++j) {
            out[i] += a[j] * x[j];
            out[i + 1] += b[j] * x[j];
            out[i + 2] += c[j] * x[j];
            out[i + 3] += e[j] * x[j];
        }
    }
#endif
    for (; i < rows; ++i) out[i] = dot_inline(M + i * columns, x, columns);
}

template <Index columns, class V>
SEPARATRIX_INLINE void short_products(const V* SEPARATRIX_RESTRICT M, Index rows, const double* w,
                                      double* SEPARATRIX_RESTRICT out) {
    for (Index i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (Index j = 0; j < columns; ++j) sum += static_cast<double>(M[i * columns + j]) * w[j];
        out[i] = sum;
    }
}

// out = M w for rows of at most four columns, where a loop over the columns would cost more than the products.
template <class V>
SEPARATRIX_INLINE bool short_matvec_inline(const V* M, Index rows, Index columns, const double* w, double* out) {
    switch (columns) {
        case 1:
            short_products<1>(M, rows, w, out);
            return true;
        case 2:
            short_products<2>(M, rows, w, out);
            return true;
        case 3:
            short_products<3>(M, rows, w, out);
            return true;
        case 4:
            short_products<4>(M, rows, w, out);
            return true;
        default:
            return false;
    }
}
SEPARATRIX_CLONES inline bool short_matvec(const double* M, Index rows, Index columns, const double* w, double* out) {
    return short_matvec_inline(M, rows, columns, w, out);
}
SEPARATRIX_CLONES inline bool short_matvec(const float* M, Index rows, Index columns, const double* w, double* out) {
    return short_matvec_inline(M, rows, columns, w, out);
}

// f = y (f + b); returns how many are below the limit.
SEPARATRIX_CLONES inline Index margins_below(const double* SEPARATRIX_RESTRICT y, double b, double limit,
                                             double* SEPARATRIX_RESTRICT f, Index size) {
    Index count = 0;
    for (Index i = 0; i < size; ++i) {
        f[i] = y[i] * (f[i] + b);
        count += f[i] < limit ? 1 : 0;
    }
    return count;
}

// out -= M^T x, four rows at a time: out is read and written once for them.
SEPARATRIX_CLONES inline void matvec_transposed_subtract(const double* M, Index rows, Index columns, const double* x,
                                                         double* SEPARATRIX_RESTRICT out) {
    Index i = 0;
    for (; i + 4 <= rows; i += 4) {
        const double* SEPARATRIX_RESTRICT row = M + i * columns;
        const double a = x[i], b = x[i + 1], c = x[i + 2], e = x[i + 3];
        for (Index j = 0; j < columns; ++j) {
            out[j] -= a * row[j] + b * row[columns + j] + (c * row[2 * columns + j] + e * row[3 * columns + j]);
        }
    }
    for (; i < rows; ++i) {
        const double scale = x[i];
        const double* SEPARATRIX_RESTRICT row = M + i * columns;
        for (Index j = 0; j < columns; ++j) out[j] -= scale * row[j];
    }
}

// The lower triangle of H (columns, columns) += sum of v v^T over the rows v of M.
SEPARATRIX_CLONES inline void add_products(const double* M, Index rows, Index columns, double* SEPARATRIX_RESTRICT H) {
    for (Index i = 0; i < columns; ++i) {
        double* SEPARATRIX_RESTRICT out = H + i * columns;
        Index k = 0;
        for (; k + 4 <= rows; k += 4) {
            const double* SEPARATRIX_RESTRICT row = M + k * columns;
            const double a = row[i], b = row[columns + i], c = row[2 * columns + i], e = row[3 * columns + i];
            for (Index j = 0; j <= i; ++j) {
                out[j] += a * row[j] + b * row[columns + j] + (c * row[2 * columns + j] + e * row[3 * columns + j]);
            }
        }
        for (; k < rows; ++k) {
            const double* SEPARATRIX_RESTRICT row = M + k * columns;
            for (Index j = 0; j <= i; ++j) out[j] += row[i] * row[j];
        }
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
