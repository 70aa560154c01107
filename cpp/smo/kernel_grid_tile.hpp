// Kernel blocks of points on a grid, x = step q with whole numbers 0 <= q <= 255: products of 16-bit integers, exact.
//
// One instruction multiplies and adds pairs, so that two columns of X are dealt with at a time: twice the speed of
// floats. Included only by kernel_tiles.cpp, once per instruction set.
#pragma once

#include "smo/kernel_tile.hpp"

namespace separatrix::SEPARATRIX_ISA {

#if defined(__AVX512BW__) && defined(__AVX512F__)
using WholeLanes = __m512i;
SEPARATRIX_INLINE WholeLanes no_lanes() { return _mm512_setzero_si512(); }
SEPARATRIX_INLINE WholeLanes spread_pair(std::int32_t pair) { return _mm512_set1_epi32(pair); }
SEPARATRIX_INLINE WholeLanes load_pairs(const std::int16_t* from) { return _mm512_loadu_si512(from); }
SEPARATRIX_INLINE Lanes<float> to_floats(WholeLanes a) { return {_mm512_cvtepi32_ps(a)}; }
SEPARATRIX_INLINE WholeLanes load_wholes(const std::int32_t* from) { return _mm512_loadu_si512(from); }
SEPARATRIX_INLINE WholeLanes distances(WholeLanes norms, WholeLanes own, WholeLanes dots) {
    return _mm512_sub_epi32(_mm512_add_epi32(norms, own), _mm512_slli_epi32(dots, 1));
}
#define SEPARATRIX_GRID 1
#elif defined(__AVX2__) && defined(__FMA__)
using WholeLanes = __m256i;
SEPARATRIX_INLINE WholeLanes no_lanes() { return _mm256_setzero_si256(); }
SEPARATRIX_INLINE WholeLanes spread_pair(std::int32_t pair) { return _mm256_set1_epi32(pair); }
SEPARATRIX_INLINE WholeLanes load_pairs(const std::int16_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
SEPARATRIX_INLINE Lanes<float> to_floats(WholeLanes a) { return {_mm256_cvtepi32_ps(a)}; }
SEPARATRIX_INLINE WholeLanes load_wholes(const std::int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
SEPARATRIX_INLINE WholeLanes distances(WholeLanes norms, WholeLanes own, WholeLanes dots) {
    return _mm256_sub_epi32(_mm256_add_epi32(norms, own), _mm256_slli_epi32(dots, 1));
}
#define SEPARATRIX_GRID 1
#endif

#if defined(SEPARATRIX_GRID)

// sum + a b, products added in pairs. Written out: left to itself a compiler computes products of several rows ahead,
// runs out of registers and moves sums about, for half the speed.
SEPARATRIX_INLINE WholeLanes add_pairs(WholeLanes sum, WholeLanes a, WholeLanes b) {
    WholeLanes products;
    asm("vpmaddwd %2, %3, %1\n\tvpaddd %1, %0, %0" : "+v"(sum), "=&v"(products) : "v"(a), "v"(b));
    return sum;
}

// The tile's products (or squared distances, for rbf) as floats; a function of its own as `multiply` is.
template <bool squared_distances>
SEPARATRIX_APART void multiply_grid(const GridBlock& block, Index row, Index panel, float* SEPARATRIX_RESTRICT out) {
    using S = Shape<float>;
    constexpr int width = Lanes<float>::width;
    const std::int32_t* a = block.rows + row * block.pairs;
    const std::int16_t* b = block.panels + panel * block.pairs * S::columns * 2;
    WholeLanes sum[S::rows][S::vectors];
    for (int r = 0; r < S::rows; ++r)
        for (int k = 0; k < S::vectors; ++k) sum[r][k] = no_lanes();
    for (Index j = 0; j < block.pairs; ++j, a += S::rows, b += 2 * S::columns) {
        WholeLanes column[S::vectors];
        for (int k = 0; k < S::vectors; ++k) column[k] = load_pairs(b + 2 * k * width);
#pragma GCC unroll 16
        for (int r = 0; r < S::rows; ++r) {
            const WholeLanes value = spread_pair(a[r]);
            for (int k = 0; k < S::vectors; ++k) sum[r][k] = add_pairs(sum[r][k], value, column[k]);
        }
    }
    for (int r = 0; r < S::rows; ++r) {
        for (int k = 0; k < S::vectors; ++k) {
            WholeLanes value = sum[r][k];
            if constexpr (squared_distances) {
                const WholeLanes norms = load_wholes(block.column_norms + panel * S::columns + k * width);
                value = distances(norms, spread_pair(block.row_norms[row + r]), value);
            }
            to_floats(value).store(out + r * S::columns + k * width);
        }
    }
}

template <bool squared_distances, class Finish>
SEPARATRIX_INLINE void each_grid_tile(const GridBlock& block, const Finish& finish) {
    using S = Shape<float>;
    const Index chunk = 1 + chunk_bytes / (1 + block.pairs * S::columns * 4);
    alignas(64) float products[S::rows * S::columns];
    for (Index first = 0; first < block.n_panels; first += chunk) {
        const Index last = block.n_panels < first + chunk ? block.n_panels : first + chunk;
        for (Index row = 0; row < block.n_rows; row += S::rows) {
            const Index count = block.n_rows - row < S::rows ? block.n_rows - row : S::rows;
            for (Index panel = first; panel < last; ++panel) {
                multiply_grid<squared_distances>(block, row, panel, products);
                finish(products, row, count, panel * S::columns);
            }
        }
    }
}

// Columns one by one, as in each_sparse_tile: an entry is a pair of columns of X, and meets the line of that pair.
template <bool squared_distances, class Finish>
SEPARATRIX_INLINE void each_sparse_grid_tile(const SparseKernelBlock<std::int32_t>& block, const Finish& finish) {
    using S = Shape<float>;
    constexpr int width = Lanes<float>::width, vectors = S::sparse_rows / width;
    alignas(64) float products[S::sparse_rows * S::columns], column_sums[S::sparse_rows];
    for (Index column = block.first_column; column < block.last_column; column += S::columns) {
        const Index left = block.last_column - column;
        const int filled = left < S::columns ? static_cast<int>(left) : S::columns;
        for (int c = 0; c < filled; ++c) {
            WholeLanes sum[vectors];
            for (int k = 0; k < vectors; ++k) sum[k] = no_lanes();
            for (Index e = block.starts[column + c]; e < block.starts[column + c + 1]; ++e) {
                const std::int32_t* from = block.rows + static_cast<Index>(block.indices[e]) * S::sparse_rows;
                const WholeLanes value = spread_pair(block.values[e]);
                for (int k = 0; k < vectors; ++k) sum[k] = add_pairs(sum[k], value, load_wholes(from + k * width));
            }
            for (int k = 0; k < vectors; ++k) {
                WholeLanes value = sum[k];
                if constexpr (squared_distances)
                    value = distances(load_wholes(block.row_norms + k * width),
                                      spread_pair(block.column_norms[column + c]), value);
                to_floats(value).store(column_sums + k * width);
            }
            for (int r = 0; r < S::sparse_rows; ++r) products[r * S::columns + c] = column_sums[r];
        }
        for (int c = filled; c < S::columns; ++c)
            for (int r = 0; r < S::sparse_rows; ++r) products[r * S::columns + c] = 0;
        finish(products, 0, block.n_rows, column);
    }
}

// Calls work<kind, squared distances>(finish) with the formula in terms of q: rbf decays with the squared distance as
// laplacian does with its own.
template <class Work>
SEPARATRIX_INLINE void with_grid_formula(const KernelFormula& formula, double step, float* const* out,
                                         const Work& work) {
    KernelFormula scaled = formula;
    scaled.gamma *= step * step;
    if (formula.kind == KernelKind::linear) scaled = {KernelKind::poly, step * step, 0.0, 1};
    with_kind(scaled.kind, [&]<KernelKind kind>() {
        constexpr bool rbf = kind == KernelKind::rbf;
        constexpr KernelKind used = rbf ? KernelKind::laplacian : kind;
        work.template operator()<rbf>(StoreValues<used, float>{Formula<used, float>(scaled), nullptr, nullptr, out});
    });
}

inline void grid_values(const KernelFormula& formula, const GridBlock& block, float* const* out) {
    with_grid_formula(formula, block.step, out,
                      [&]<bool rbf>(const auto& finish) { each_grid_tile<rbf>(block, finish); });
}

inline void sparse_grid_values(const KernelFormula& formula, const SparseKernelBlock<std::int32_t>& block, double step,
                               float* const* out) {
    with_grid_formula(formula, step, out,
                      [&]<bool rbf>(const auto& finish) { each_sparse_grid_tile<rbf>(block, finish); });
}

#undef SEPARATRIX_GRID
#else
// Floats are as fast.
constexpr void (*grid_values)(const KernelFormula&, const GridBlock&, float* const*) = nullptr;
constexpr void (*sparse_grid_values)(const KernelFormula&, const SparseKernelBlock<std::int32_t>&, double,
                                     float* const*) = nullptr;
#endif

}  // namespace separatrix::SEPARATRIX_ISA
