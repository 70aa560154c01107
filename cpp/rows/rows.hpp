// Row views over memory that somebody else owns: dense row-major and CSR, float or double, any index type.
//
// A view is three pointers and two lengths; `row(i)` is what every kernel reads. Nothing here allocates, and
// everything is forced inline: kernels are compiled once per instruction set, and a shared out-of-line copy of
// these functions could carry instructions that the running CPU does not have.
#pragma once

#include <cstdint>

#if defined(_MSC_VER)
#define SEPARATRIX_INLINE __forceinline
#define SEPARATRIX_APART __declspec(noinline)
#define SEPARATRIX_RESTRICT __restrict
#define SEPARATRIX_INDEPENDENT __pragma(loop(ivdep))
#define SEPARATRIX_PREFETCH(address) ((void)(address))
#else
#define SEPARATRIX_INLINE inline __attribute__((always_inline))
#define SEPARATRIX_APART __attribute__((noinline))
#define SEPARATRIX_RESTRICT __restrict__
#if defined(__clang__)
#define SEPARATRIX_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SEPARATRIX_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define SEPARATRIX_PREFETCH(address) __builtin_prefetch(address)
#endif

namespace separatrix {

using Index = std::int64_t;

template <class V>
struct DenseRow {
    const V* values;
    Index size;
};

template <class V, class I>
struct SparseRow {
    const V* values;
    const I* indices;
    Index size;
};

// Row i is values[i * columns .. (i + 1) * columns).
template <class V>
struct DenseRows {
    using Value = V;
    static constexpr bool sparse = false;
    const V* values;
    Index rows;
    Index columns;

    SEPARATRIX_INLINE DenseRow<V> row(Index i) const { return {values + i * columns, columns}; }
    SEPARATRIX_INLINE void prefetch(Index i) const {
        SEPARATRIX_PREFETCH(values + i * columns);
        SEPARATRIX_PREFETCH(values + i * columns + 64 / sizeof(V));
    }
};

// Row i is the entries starts[i] .. starts[i + 1); I is the type of column indices, S that of the starts.
template <class V, class I, class S = I>
struct SparseRows {
    using Value = V;
    static constexpr bool sparse = true;
    const V* values;
    const I* indices;
    const S* starts;
    Index rows;
    Index columns;

    SEPARATRIX_INLINE SparseRow<V, I> row(Index i) const {
        const Index begin = static_cast<Index>(starts[i]);
        return {values + begin, indices + begin, static_cast<Index>(starts[i + 1]) - begin};
    }
    // The whole row: rows are visited in random order, and the hardware sees a stream only after some misses. In runs of
    // 64 entries, so that short rows are one of them: beyond their end is, as a rule, what comes next.
    SEPARATRIX_INLINE void prefetch(Index i) const {
        constexpr Index line = 64, run = 64;
        const SparseRow<V, I> next = row(i);
        for (Index j = 0; j < next.size; j += run) {
            for (Index k = 0; k < run; k += line / static_cast<Index>(sizeof(V)))
                SEPARATRIX_PREFETCH(next.values + j + k);
            for (Index k = 0; k < run; k += line / static_cast<Index>(sizeof(I)))
                SEPARATRIX_PREFETCH(next.indices + j + k);
        }
    }
};

template <class Rows>
SEPARATRIX_INLINE Index entries_of(const Rows& rows) {
    if constexpr (Rows::sparse)
        return static_cast<Index>(rows.starts[rows.rows]);
    else
        return rows.rows * rows.columns;
}

// Sparse rows that the coordinate solver has copied and iterates on.
template <class V>
using PackedRows = SparseRows<V, std::int32_t, Index>;

}  // namespace separatrix
