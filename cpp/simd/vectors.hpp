// Loops on plain vectors of doubles.
// Included only by table.cpp, once per instruction set.
#pragma once

#include "simd/table.hpp"

namespace separatrix::SEPARATRIX_ISA {

inline double vector_dot(const double* a, const double* b, Index size) {
    if (size >= 16) return dot(DenseRow<double>{a, size}, b);
    double sum = 0;  // clearing and adding up lanes would cost more than so few products
    for (Index j = 0; j < size; ++j) sum += a[j] * b[j];
    return sum;
}

inline void vector_axpy(double scale, const double* x, double* out, Index size) {
    axpy(scale, DenseRow<double>{x, size}, out);
}

inline void rotate(double* SEPARATRIX_RESTRICT a, double* SEPARATRIX_RESTRICT b, double cosine, double sine,
                   Index size) {
    for (Index j = 0; j < size; ++j) {
        const double left = a[j], right = b[j];
        a[j] = cosine * left + sine * right;
        b[j] = cosine * right - sine * left;
    }
}

inline void add_outer_products(const double* M, Index rows, Index columns, double* SEPARATRIX_RESTRICT H) {
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

inline Index margins_below(const double* SEPARATRIX_RESTRICT y, double b, double limit, double* SEPARATRIX_RESTRICT f,
                           Index size) {
    Index count = 0;
    for (Index i = 0; i < size; ++i) {
        f[i] = y[i] * (f[i] + b);
        count += f[i] < limit ? 1 : 0;
    }
    return count;
}

// max(0, s), but NaN of NaN: an overflow must not look like a row without loss.
SEPARATRIX_INLINE double positive_part(double s) { return s < 0.0 ? 0.0 : s; }

inline void squared_hinge_rows(const double* SEPARATRIX_RESTRICT y, const double* SEPARATRIX_RESTRICT C, double b,
                               Index size, double* SEPARATRIX_RESTRICT f, double* SEPARATRIX_RESTRICT slack,
                               HingeSums& sums) {
    HingeSums own;
    Index i = 0;
    const auto step = [&](Index width) {
        for (Index k = 0; k < width; ++k) {
            const double s = slack[i + k] = 1.0 - y[i + k] * (f[i + k] + b), active = positive_part(s);
            const double alpha = 2.0 * C[i + k] * active, coefficient = alpha * y[i + k];
            own.loss[k] += 0.5 * alpha * active;
            own.alpha[k] += alpha;
            own.bias[k] += coefficient;
            f[i + k] = coefficient;
        }
    };
    for (; i + hinge_lanes <= size; i += hinge_lanes) step(hinge_lanes);
    step(size - i);
    for (Index k = 0; k < hinge_lanes; ++k) {
        sums.loss[k] += own.loss[k];
        sums.alpha[k] += own.alpha[k];
        sums.bias[k] += own.bias[k];
    }
}

inline void squared_hinge_slope(const double* SEPARATRIX_RESTRICT C, const double* SEPARATRIX_RESTRICT before,
                                const double* SEPARATRIX_RESTRICT after, double t, Index size, double* out) {
    double slope[hinge_lanes] = {}, curvature[hinge_lanes] = {};
    Index i = 0;
    const auto step = [&](Index width) {
        for (Index k = 0; k < width; ++k) {
            const double change = after[i + k] - before[i + k], pull = C[i + k] * change;
            const double active = positive_part(before[i + k] + t * change);
            slope[k] += pull * active;
            curvature[k] += active > 0.0 ? pull * change : 0.0;
        }
    };
    for (; i + hinge_lanes <= size; i += hinge_lanes) step(hinge_lanes);
    step(size - i);
    out[0] = out[1] = 0;
    for (Index k = 0; k < hinge_lanes; ++k) {
        out[0] += 2.0 * slope[k];
        out[1] += 2.0 * curvature[k];
    }
}

inline bool any_crossed(const double* SEPARATRIX_RESTRICT slack, const bool* SEPARATRIX_RESTRICT active, Index size) {
    int crossed = 0;
    for (Index i = 0; i < size; ++i) crossed |= (slack[i] > 0.0) != active[i];
    return crossed != 0;
}

}  // namespace separatrix::SEPARATRIX_ISA
