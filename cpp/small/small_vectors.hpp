// Loops on vectors whose lengths are multiples of small_width.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "simd/registers.hpp"
#include "small/small_problem.hpp"

namespace separatrix::SEPARATRIX_ISA {

using Wide = Lanes<double>;
inline constexpr Index registers = small_width / Wide::width;  // that make up eight numbers

SEPARATRIX_INLINE double total(Wide a) {
    double values[Wide::width];
    a.store(values);
    for (int half = Wide::width / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) values[k] += values[k + half];
    return values[0];
}

SEPARATRIX_INLINE double padded_dot(const double* a, const double* b, Index size) {
    Wide even = Wide::spread(0), odd = Wide::spread(0);
    Index j = 0;
    for (; j + 2 * Wide::width <= size; j += 2 * Wide::width) {
        even = Wide::fma(Wide::load(a + j), Wide::load(b + j), even);
        odd = Wide::fma(Wide::load(a + j + Wide::width), Wide::load(b + j + Wide::width), odd);
    }
    for (; j < size; j += Wide::width) even = Wide::fma(Wide::load(a + j), Wide::load(b + j), even);
    return total(even + odd);
}

// out += scale x
SEPARATRIX_INLINE void padded_axpy(double scale, const double* x, double* out, Index size) {
    const Wide by = Wide::spread(scale);
    for (Index j = 0; j < size; j += Wide::width) Wide::fma(by, Wide::load(x + j), Wide::load(out + j)).store(out + j);
}

SEPARATRIX_INLINE void fill(double* out, double value, Index size) {
    for (Index j = 0; j < size; ++j) out[j] = value;
}

SEPARATRIX_INLINE void copy(const double* from, double* out, Index size) {
    for (Index j = 0; j < size; ++j) out[j] = from[j];
}

}  // namespace separatrix::SEPARATRIX_ISA
