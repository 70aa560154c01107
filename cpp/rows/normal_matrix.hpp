// The matrix of the normal equations, sum_i t_i a_i a_i^T, for rows of few columns.
//
// Some rows at a time are widened, once as they are and once weighted, into memory that the first-level cache holds.
// Then tiles of four rows and eight columns of the lower triangle are summed up in registers. A general product of
// matrices spends half of its time on copies where it has so few columns.
// Included only by simd/table.cpp, once per instruction set.
#pragma once

#include "simd/primitives.hpp"
#include "simd/registers.hpp"
#include "simd/table.hpp"

namespace separatrix::SEPARATRIX_ISA {

inline constexpr Index normal_block = 32;  // rows

// A tile has eight columns, and as many rows as make eight registers of sums: fewer would wait for each other.
using NormalLanes = Lanes<double>;
inline constexpr int tile_columns = 8, tile_registers = tile_columns / NormalLanes::width;
inline constexpr int tile_rows = tile_registers == 1 ? 8 : 4;

// out[r * width + c] += sum_k weighted[k * width + r] plain[k * width + c] over a tile
SEPARATRIX_APART inline void normal_tile(const double* SEPARATRIX_RESTRICT weighted,
                                         const double* SEPARATRIX_RESTRICT plain, Index count, Index width,
                                         double* SEPARATRIX_RESTRICT out) {
    NormalLanes sum[tile_rows][tile_registers], columns[tile_registers];
    const auto place = [&](int r, int h) { return out + r * width + h * NormalLanes::width; };
    for (int r = 0; r < tile_rows; ++r)
        for (int h = 0; h < tile_registers; ++h) sum[r][h] = NormalLanes::load(place(r, h));
    for (Index k = 0; k < count; ++k, weighted += width, plain += width) {
        for (int h = 0; h < tile_registers; ++h) columns[h] = NormalLanes::load(plain + h * NormalLanes::width);
        for (int r = 0; r < tile_rows; ++r) {
            const NormalLanes by = NormalLanes::spread(weighted[r]);
            for (int h = 0; h < tile_registers; ++h) sum[r][h] = NormalLanes::fma(by, columns[h], sum[r][h]);
        }
    }
    for (int r = 0; r < tile_rows; ++r)
        for (int h = 0; h < tile_registers; ++h) sum[r][h].store(place(r, h));
}

template <class V>
void add_products(const DenseRows<V>& rows, const std::int64_t* ids, Index begin, Index end, const double* weights,
                  bool ones, double* out) {
    const Index d = rows.columns, D = d + (ones ? 1 : 0), width = normal_width(D);
    alignas(64) double plain[normal_block * most_normal_columns], weighted[normal_block * most_normal_columns];
    for (Index first = begin; first < end; first += normal_block) {
        const Index count = end - first < normal_block ? end - first : normal_block;
        for (Index k = 0; k < count; ++k) {
            const V* SEPARATRIX_RESTRICT x = rows.row(ids == nullptr ? first + k : ids[first - begin + k]).values;
            double *p = plain + k * width, *q = weighted + k * width;
            const double by = weights[first - begin + k];
            for (Index j = 0; j < d; ++j) {
                p[j] = static_cast<double>(x[j]);
                q[j] = by * static_cast<double>(x[j]);
            }
            for (Index j = d; j < width; ++j) p[j] = q[j] = 0;
            if (ones) p[d] = 1, q[d] = by;
        }
        for (Index r = 0; r < D; r += tile_rows)
            for (Index c = 0; c < r + tile_rows; c += tile_columns)
                normal_tile(weighted + r, plain + c, count, width, out + r * width + c);
    }
}

}  // namespace separatrix::SEPARATRIX_ISA
