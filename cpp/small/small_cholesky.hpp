// Cholesky factors A = R^T R and products M^T M of small dense matrices.
//
// Matrices are square or tall, row-major, with rows of `stride` numbers, a multiple of eight; only the upper triangle
// in tiles of eight is read and written. Both are sums of outer products of rows, added up in registers.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include <math.h>

#include "small/small_vectors.hpp"

namespace separatrix::SEPARATRIX_ISA {

// out (8, 8) += sign sum_p M[p][r .. r + 8]^T M[p][c .. c + 8] over `count` rows of M
template <int sign>
SEPARATRIX_INLINE void add_tile(const double* M, Index count, Index stride, Index r, Index c, double* out,
                                Index out_stride) {
    constexpr int together = registers == 1 ? 8 : 4;  // rows whose sums fit the registers
    for (int first = 0; first < 8; first += together) {
        Wide sum[together][registers];
        for (int i = 0; i < together; ++i)
            for (int k = 0; k < registers; ++k)
                sum[i][k] = Wide::load(out + (first + i) * out_stride + k * Wide::width);
        const double* left = M + r + first;
        const double* right = M + c;
        for (Index p = 0; p < count; ++p, left += stride, right += stride) {
            Wide of[registers];
            for (int k = 0; k < registers; ++k) of[k] = Wide::load(right + k * Wide::width);
            for (int i = 0; i < together; ++i) {
                const Wide by = Wide::spread(sign * left[i]);
                for (int k = 0; k < registers; ++k) sum[i][k] = Wide::fma(by, of[k], sum[i][k]);
            }
        }
        for (int i = 0; i < together; ++i)
            for (int k = 0; k < registers; ++k) sum[i][k].store(out + (first + i) * out_stride + k * Wide::width);
    }
}

// The upper tiles of A (size, size) += M^T M, M (count, size).
inline void add_products_of_rows(const double* M, Index count, Index size, double* A) {
    for (Index r = 0; r < size; r += 8)
        for (Index c = r; c < size; c += 8) add_tile<1>(M, count, size, r, c, A + r * size + c, size);
}

// The factor of the tile on the diagonal, eight pivots. A pivot that rounding has taken counts as the rounding itself.
SEPARATRIX_INLINE void factor_diagonal(double* tile, Index stride, const double* diagonal, double* inverse) {
    constexpr double rounding = 1e-15;
    for (Index i = 0; i < 8; ++i) {
        double* row = tile + i * stride;
        double pivot = row[i];
        const double least = rounding * diagonal[i];
        if (!(pivot > least)) pivot = least > 0 ? least : 1.0;
        const double root = sqrt(pivot), by = 1.0 / root;
        inverse[i] = by;
        row[i] = root;
        for (Index j = i + 1; j < 8; ++j) row[j] *= by;
        for (Index k = i + 1; k < 8; ++k) {
            const double factor = row[k];
            double* other = tile + k * stride;
            for (Index j = k; j < 8; ++j) other[j] -= factor * row[j];
        }
    }
}

// R over the upper tiles of A (size, size); inverse (size) = 1 / diagonal of R, diagonal (size) is scratch.
inline void factorise(double* A, Index size, double* diagonal, double* inverse) {
    for (Index i = 0; i < size; ++i) diagonal[i] = A[i * size + i];
    for (Index k = 0; k < size; k += 8) {
        double* block = A + k * size;
        add_tile<-1>(A, k, size, k, k, block + k, size);
        factor_diagonal(block + k, size, diagonal + k, inverse + k);
        for (Index c = k + 8; c < size; c += 8) {
            add_tile<-1>(A, k, size, k, c, block + c, size);
            for (int part = 0; part < registers; ++part) {
                double* at = block + c + part * Wide::width;
                Wide rows[8];
                for (int i = 0; i < 8; ++i) {
                    rows[i] = Wide::load(at + i * size);
                    for (int j = 0; j < i; ++j)
                        rows[i] = Wide::fma(Wide::spread(-block[j * size + k + i]), rows[j], rows[i]);
                    rows[i] = rows[i] * Wide::spread(inverse[k + i]);
                    rows[i].store(at + i * size);
                }
            }
        }
    }
}

// x = A^-1 x
inline void solve_factorised(const double* R, Index size, const double* inverse, double* x) {
    for (Index i = 0; i < size; ++i) {
        const double* row = R + i * size;
        const double value = x[i] * inverse[i];
        x[i] = value;
        const Index aligned = (i + 8) / 8 * 8;  // the next tile
        for (Index j = i + 1; j < aligned; ++j) x[j] -= value * row[j];
        padded_axpy(-value, row + aligned, x + aligned, size - aligned);
    }
    for (Index i = size - 1; i >= 0; --i) {
        const double* row = R + i * size;
        const Index aligned = (i + 8) / 8 * 8;
        double value = x[i] - padded_dot(row + aligned, x + aligned, size - aligned);
        for (Index j = i + 1; j < aligned; ++j) value -= row[j] * x[j];
        x[i] = value * inverse[i];
    }
}

// right = A^-1 right + s ones, where ones becomes A^-1 ones: the first `count` entries of right add up to `total`. Returns s.
inline double solve_with_sum(const double* R, Index size, const double* inverse, double* right, double* ones,
                             Index count, double total) {
    solve_factorised(R, size, inverse, right);
    solve_factorised(R, size, inverse, ones);
    double of_right = 0, of_ones = 0;
    for (Index i = 0; i < count; ++i) {
        of_right += right[i];
        of_ones += ones[i];
    }
    const double s = (total - of_right) / of_ones;
    padded_axpy(s, ones, right, size);
    return s;
}

}  // namespace separatrix::SEPARATRIX_ISA
