// The constraint of a free bias, sum_i alpha_i y_i = 0: the b at which it holds, and alpha that satisfy it.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "small/small_vectors.hpp"

namespace separatrix::SEPARATRIX_ISA {

inline double clipped(double value, double most) { return value <= 0 ? 0.0 : value >= most ? most : value; }

// Rows of a level: alpha_i = min(max(offset_i + rho_i (1 - y_i (f_i + b)), 0), upper_i).
struct LevelRows {
    const double *y, *f, *rho, *offset, *upper;
    Index n;
};

// The b at which sum_i alpha_i y_i = 0, from a first guess: Newton's method between bounds.
inline double best_bias(const LevelRows& r, double b) {
    double low = -1e300, high = 1e300, reach = 1.0;
    for (int round = 0; round < 200; ++round) {
        double sum = 0, slope = 0, size = 0;
        for (Index i = 0; i < r.n; ++i) {
            const double at = r.offset[i] + r.rho[i] * (1.0 - r.y[i] * (r.f[i] + b));
            const double alpha = clipped(at, r.upper[i]);
            sum += alpha * r.y[i];
            size += alpha;
            slope += at > 0 && at < r.upper[i] ? r.rho[i] : 0.0;
        }
        if (fabs(sum) <= 1e-14 * size) return b;
        (sum > 0 ? low : high) = b;
        double next = slope > 0 ? b + sum / slope : b;
        if (!(next > low && next < high)) {
            const bool bounded = low > -1e300 && high < 1e300;
            next = bounded ? 0.5 * (low + high) : b + (sum > 0 ? reach : -reach);
            reach *= 2;
        }
        if (next == b) return b;
        b = next;
    }
    return b;
}

// Makes sum_i alpha_i y_i = 0 up to the rounding of its largest term: the rest goes to the rows with room for it.
inline void balance(const double* y, const double* upper, Index n, double* alpha) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += alpha[i] * y[i];
    for (Index i = 0; i < n && sum != 0; ++i) {
        if (!(alpha[i] > 0 && alpha[i] < upper[i])) continue;
        const double before = alpha[i];
        alpha[i] = clipped(before - sum * y[i], upper[i]);
        sum += (alpha[i] - before) * y[i];
    }
}

}  // namespace separatrix::SEPARATRIX_ISA
