// Blocks of a kernel matrix: products of a tile of rows and a panel of columns in registers, the kernel's formula
// applied while they are in the first-level cache, then stored or summed up with coefficients.
//
// Included only by kernel_tiles.cpp, once per instruction set.
#pragma once

#include <type_traits>

#include "simd/registers.hpp"
#include "smo/kernel_table.hpp"

namespace separatrix::SEPARATRIX_ISA {

constexpr double log2_e = 1.4426950408889634074;
constexpr Index chunk_bytes = 1 << 18;  // of panels: they stay in the second-level cache while all tiles pass

template <class T>
struct Shape {
    static constexpr int vectors = 2;
    static constexpr int rows = sizeof(Lanes<T>) == 64 ? 12 : 6;  // accumulators fill the registers of each set
    static constexpr int columns = vectors * Lanes<T>::width;
    static constexpr int sparse_rows = 4 * Lanes<T>::width;
};

struct Products {
    template <class L>
    SEPARATRIX_INLINE static L add(L sum, L a, L b) {
        return L::fma(a, b, sum);
    }
};
struct Distances {
    template <class L>
    SEPARATRIX_INLINE static L add(L sum, L a, L b) {
        return sum + L::absolute(a - b);
    }
};

// out[r][c] = sum_k of a[k][r] and b[k][c], for one tile and one panel. A function of its own: the constants of what
// follows would take registers from the sums, which then go through memory, for half the speed.
template <class Sum, class T>
SEPARATRIX_APART void multiply(const T* SEPARATRIX_RESTRICT a, const T* SEPARATRIX_RESTRICT b, Index depth,
                               T* SEPARATRIX_RESTRICT out) {
    using L = Lanes<T>;
    using S = Shape<T>;
    L sum[S::rows][S::vectors];
    for (int r = 0; r < S::rows; ++r)
        for (int k = 0; k < S::vectors; ++k) sum[r][k] = L::spread(0);
    for (Index j = 0; j < depth; ++j, a += S::rows, b += S::columns) {
        L column[S::vectors];
        for (int k = 0; k < S::vectors; ++k) column[k] = L::load(b + k * L::width);
#pragma GCC unroll 16
        for (int r = 0; r < S::rows; ++r) {
            const L value = L::spread(a[r]);
            for (int k = 0; k < S::vectors; ++k) sum[r][k] = Sum::add(sum[r][k], value, column[k]);
        }
    }
    for (int r = 0; r < S::rows; ++r)
        for (int k = 0; k < S::vectors; ++k) sum[r][k].store(out + r * S::columns + k * L::width);
}

// The kernel's value from the product (or distance) of two points.
template <KernelKind kind, class T>
struct Formula {
    using L = Lanes<T>;
    L scale, shift;
    int degree;
    SEPARATRIX_INLINE explicit Formula(const KernelFormula& f) : degree(f.degree) {
        double factor = f.gamma;
        if constexpr (kind == KernelKind::rbf) factor = 2 * f.gamma * log2_e;
        if constexpr (kind == KernelKind::laplacian) factor = -f.gamma * log2_e;
        if constexpr (kind == KernelKind::sigmoid) factor = 2 * f.gamma * log2_e;
        scale = L::spread(static_cast<T>(factor));
        shift = L::spread(static_cast<T>(kind == KernelKind::sigmoid ? 2 * f.coef0 * log2_e : f.coef0));
    }
    SEPARATRIX_INLINE L operator()(L product, [[maybe_unused]] L norms) const {
        if constexpr (kind == KernelKind::linear) return product;
        if constexpr (kind == KernelKind::rbf)
            return exp2_lanes<T>(L::min(L::fma(scale, product, L::spread(0) - norms), L::spread(0)));
        if constexpr (kind == KernelKind::laplacian) return exp2_lanes<T>(scale * product);
        if constexpr (kind == KernelKind::sigmoid) {  // tanh u = 1 - 2 / (e^2u + 1)
            const L one = L::spread(1);
            return one - L::spread(2) / (exp2_lanes<T>(L::fma(scale, product, shift)) + one);
        }
        if constexpr (kind == KernelKind::poly) {
            const L base = L::fma(scale, product, shift);
            L power = base, out = L::spread(1);
            for (int left = degree; left > 0; left >>= 1) {
                if (left & 1) out = out * power;
                power = power * power;
            }
            return out;
        }
    }
};

// Finishes a tile of products [rows][stride] that belong to rows [row, row + count) and columns from `column` on.
template <KernelKind kind, class T>
struct StoreValues {
    Formula<kind, T> formula;
    const T* row_norms;
    const T* column_norms;
    T* const* out;
    SEPARATRIX_INLINE void operator()(const T* products, Index row, Index count, Index column) const {
        using L = Lanes<T>;
        for (Index r = 0; r < count; ++r) {
            T* to = out[row + r] + column;
            const L own = kind == KernelKind::rbf ? L::spread(row_norms[row + r]) : L::spread(0);
            for (int k = 0; k < Shape<T>::columns; k += L::width) {
                L norms = own;
                if constexpr (kind == KernelKind::rbf) norms = own + L::load(column_norms + column + k);
                formula(L::load(products + r * Shape<T>::columns + k), norms).store(to + k);
            }
        }
    }
};

template <KernelKind kind, class T>
struct CombineValues {
    Formula<kind, T> formula;
    const T* row_norms;
    const T* column_norms;
    const T* coef;
    Index classes;
    double* out;
    SEPARATRIX_INLINE void operator()(T* products, Index row, Index count, Index column) const {
        using L = Lanes<T>;
        using S = Shape<T>;
        for (Index r = 0; r < count; ++r) {
            const L own = kind == KernelKind::rbf ? L::spread(row_norms[row + r]) : L::spread(0);
            for (int k = 0; k < S::columns; k += L::width) {
                L norms = own;
                if constexpr (kind == KernelKind::rbf) norms = own + L::load(column_norms + column + k);
                formula(L::load(products + r * S::columns + k), norms).store(products + r * S::columns + k);
            }
        }
        for (Index s = 0; s < classes; ++s) {
            T total[S::columns];
            for (int k = 0; k < S::columns; k += L::width) {
                L sum = L::spread(0);
                for (Index r = 0; r < count; ++r)
                    sum = L::fma(L::spread(coef[(row + r) * classes + s]), L::load(products + r * S::columns + k), sum);
                sum.store(total + k);
            }
            double* to = out + column * classes + s;
            for (int k = 0; k < S::columns; ++k) to[k * classes] += static_cast<double>(total[k]);
        }
    }
};

template <KernelKind kind, class T, class Finish>
SEPARATRIX_INLINE void each_tile(const KernelBlock<T>& block, const Finish& finish) {
    using S = Shape<T>;
    using Sum = std::conditional_t<kind == KernelKind::laplacian, Distances, Products>;
    const Index panel_size = block.depth * S::columns;
    const Index chunk = 1 + chunk_bytes / (1 + panel_size * static_cast<Index>(sizeof(T)));
    alignas(64) T products[S::rows * S::columns];
    for (Index first = 0; first < block.n_panels; first += chunk) {
        const Index last = block.n_panels < first + chunk ? block.n_panels : first + chunk;
        for (Index row = 0; row < block.n_rows; row += S::rows) {
            const Index count = block.n_rows - row < S::rows ? block.n_rows - row : S::rows;
            for (Index panel = first; panel < last; ++panel) {
                multiply<Sum>(block.rows + row * block.depth, block.panels + panel * panel_size, block.depth, products);
                finish(products, row, count, panel * S::columns);
            }
        }
    }
}

// Columns one by one: each entry of a sparse point meets the line of its column, sparse_rows wide.
template <bool placed, class T, class Finish>
SEPARATRIX_INLINE void each_sparse_tile(const SparseKernelBlock<T>& block, const Finish& finish) {
    using L = Lanes<T>;
    using S = Shape<T>;
    constexpr int vectors = S::sparse_rows / L::width;
    alignas(64) T products[S::sparse_rows * S::columns], column_sums[S::sparse_rows];
    for (Index column = block.first_column; column < block.last_column; column += S::columns) {
        const Index left = block.last_column - column;
        const int filled = left < S::columns ? static_cast<int>(left) : S::columns;
        for (int c = 0; c < filled; ++c) {
            L sum[vectors];
            for (int k = 0; k < vectors; ++k) sum[k] = L::spread(0);
            for (Index e = block.starts[column + c]; e < block.starts[column + c + 1]; ++e) {
                const Index line = placed ? block.place[block.indices[e]] : block.indices[e];
                const T* from = block.rows + line * S::sparse_rows;
                const L value = L::spread(block.values[e]);
                for (int k = 0; k < vectors; ++k) sum[k] = L::fma(value, L::load(from + k * L::width), sum[k]);
            }
            for (int k = 0; k < vectors; ++k) sum[k].store(column_sums + k * L::width);
            for (int r = 0; r < S::sparse_rows; ++r) products[r * S::columns + c] = column_sums[r];
        }
        for (int c = filled; c < S::columns; ++c)
            for (int r = 0; r < S::sparse_rows; ++r) products[r * S::columns + c] = 0;
        finish(products, 0, block.n_rows, column);
    }
}

// Calls work.template operator()<kind>() for the formula's kind.
template <class Work>
SEPARATRIX_INLINE void with_kind(KernelKind kind, const Work& work) {
    switch (kind) {
        case KernelKind::linear:
            return work.template operator()<KernelKind::linear>();
        case KernelKind::poly:
            return work.template operator()<KernelKind::poly>();
        case KernelKind::rbf:
            return work.template operator()<KernelKind::rbf>();
        case KernelKind::sigmoid:
            return work.template operator()<KernelKind::sigmoid>();
        case KernelKind::laplacian:
            return work.template operator()<KernelKind::laplacian>();
    }
}

}  // namespace separatrix::SEPARATRIX_ISA
