// Kernel blocks and the working-set solver, compiled once per instruction set like simd/table.cpp (see there for the rules).
#include "smo/kernel_tile.hpp"
#include "smo/smo_inner.hpp"

namespace separatrix::SEPARATRIX_ISA {
namespace {

template <class T>
void values(const KernelFormula& formula, const KernelBlock<T>& block, T* const* out) {
    with_kind(formula.kind, [&]<KernelKind kind>() {
        each_tile<kind>(block,
                        StoreValues<kind, T>{Formula<kind, T>(formula), block.row_norms, block.column_norms, out});
    });
}

template <class T>
void combine(const KernelFormula& formula, const KernelBlock<T>& block, const T* coef, Index classes, double* out) {
    with_kind(formula.kind, [&]<KernelKind kind>() {
        each_tile<kind>(block, CombineValues<kind, T>{Formula<kind, T>(formula), block.row_norms, block.column_norms,
                                                      coef, classes, out});
    });
}

template <class T>
void sparse_values(const KernelFormula& formula, const SparseKernelBlock<T>& block, T* const* out) {
    with_kind(formula.kind, [&]<KernelKind kind>() {
        const StoreValues<kind, T> store{Formula<kind, T>(formula), block.row_norms, block.column_norms, out};
        block.place == nullptr ? each_sparse_tile<false>(block, store) : each_sparse_tile<true>(block, store);
    });
}

template <class T>
void sparse_combine(const KernelFormula& formula, const SparseKernelBlock<T>& block, const T* coef, Index classes,
                    double* out) {
    with_kind(formula.kind, [&]<KernelKind kind>() {
        const CombineValues<kind, T> add{
            Formula<kind, T>(formula), block.row_norms, block.column_norms, coef, classes, out};
        block.place == nullptr ? each_sparse_tile<false>(block, add) : each_sparse_tile<true>(block, add);
    });
}

// Sums of sixteen rows in T, then in double: the rows are read once, F stays in the first-level cache.
template <class T>
void add_rows(const T* const* rows, const double* coef, Index n_rows, Index begin, Index end, double* F) {
    using L = Lanes<T>;
    constexpr Index at_once = 16, strip = 2 * L::width, span = 1024;
    for (Index first = begin; first < end; first += span) {
        const Index last = end < first + span ? end : first + span;
        for (Index r = 0; r < n_rows; r += at_once) {
            const Index count = n_rows - r < at_once ? n_rows - r : at_once;
            Index c = first;
            for (; c + strip <= last; c += strip) {
                L low = L::spread(0), high = L::spread(0);
                for (Index k = 0; k < count; ++k) {
                    const L factor = L::spread(static_cast<T>(coef[r + k]));
                    low = L::fma(factor, L::load(rows[r + k] + c), low);
                    high = L::fma(factor, L::load(rows[r + k] + c + L::width), high);
                }
                T sums[strip];
                low.store(sums);
                high.store(sums + L::width);
                for (Index k = 0; k < strip; ++k) F[c + k] += static_cast<double>(sums[k]);
            }
            for (; c < last; ++c) {
                T sum = 0;
                for (Index k = 0; k < count; ++k) sum += static_cast<T>(coef[r + k]) * rows[r + k][c];
                F[c] += static_cast<double>(sum);
            }
        }
    }
}

template <class T>
constexpr KernelFunctions<T> made = {.tile_rows = Shape<T>::rows,
                                     .panel_columns = Shape<T>::columns,
                                     .sparse_rows = Shape<T>::sparse_rows,
                                     .values = values<T>,
                                     .combine = combine<T>,
                                     .sparse_values = sparse_values<T>,
                                     .sparse_combine = sparse_combine<T>,
                                     .add_rows = add_rows<T>,
                                     .solve = solve_inner<T>};

}  // namespace

extern const KernelTable kernel_table;
const KernelTable kernel_table = {.by_type = {made<float>, made<double>}};

}  // namespace separatrix::SEPARATRIX_ISA
