// Every kernel, compiled once per instruction set: CMake builds this file several times with SEPARATRIX_ISA set to
// the name of a namespace and the matching compiler flags. Keep the standard library out of here: one of its
// inline functions compiled with wide instructions could be the copy that the linker keeps for everybody.
#include "simd/table.hpp"
#include "descent/epoch.hpp"
#include "path/path_direction.hpp"
#include "rows/normal_matrix.hpp"
#include "simd/primitives.hpp"

#define SEPARATRIX_QUOTE_(name) #name
#define SEPARATRIX_QUOTE(name) SEPARATRIX_QUOTE_(name)

namespace separatrix::SEPARATRIX_ISA {
namespace {

#if defined(__GNUC__)
template <class V>
struct Four {
    typedef V Unaligned __attribute__((vector_size(4 * sizeof(V)), aligned(alignof(V)), may_alias));
};
using Sums = double __attribute__((vector_size(32)));

// By reference: where vectors are narrower, returning one would be another calling convention.
template <class V>
SEPARATRIX_INLINE void read_four(const V* values, Sums& out) {
    out = __builtin_convertvector(*reinterpret_cast<const typename Four<V>::Unaligned*>(values), Sums);
}

// Some rows at a time share the reading of w; four products of each are added up side by side.
template <int count, class V>
SEPARATRIX_INLINE void dots(const V* values, Index columns, const double* w, double* out) {
    Sums sum[count] = {};
    Index j = 0;
    for (; j + 4 <= columns; j += 4) {
        Sums by, x;
        read_four(w + j, by);
        for (int r = 0; r < count; ++r) {
            read_four(values + r * columns + j, x);
            sum[r] += x * by;
        }
    }
    const Index left = columns - j;  // written out: a loop over so few would take longer than all the rest
    for (int r = 0; r < count; ++r) {
        const V* x = values + r * columns + j;
        double rest = left > 0 ? static_cast<double>(x[0]) * w[j] : 0.0;
        if (left > 1) rest += static_cast<double>(x[1]) * w[j + 1];
        if (left > 2) rest += static_cast<double>(x[2]) * w[j + 2];
        out[r] = ((sum[r][0] + sum[r][1]) + (sum[r][2] + sum[r][3])) + rest;
    }
}

template <class V>
SEPARATRIX_INLINE void each_score(const DenseRows<V>& rows, Index begin, Index end, const double* w, double* out) {
    Index i = begin;
    for (; i + 4 <= end; i += 4) dots<4>(rows.row(i).values, rows.columns, w, out + i);
    for (; i < end; ++i) dots<1>(rows.row(i).values, rows.columns, w, out + i);
}

// out[j] += sum_i c_i x_ij over `count` rows for 4 wide columns, summed up in registers: two sums each hide the latency.
template <int wide, class V>
SEPARATRIX_INLINE void add_stripe(const V* x, Index columns, const double* c, Index count, double* out) {
    Sums sum[2][wide] = {}, four;
    Index i = 0;
    for (; i + 2 <= count; i += 2, x += 2 * columns) {
        for (int j = 0; j < wide; ++j) {
            read_four(x + 4 * j, four);
            sum[0][j] += c[i] * four;
            read_four(x + columns + 4 * j, four);
            sum[1][j] += c[i + 1] * four;
        }
    }
    for (int j = 0; i < count && j < wide; ++j) {
        read_four(x + 4 * j, four);
        sum[0][j] += c[i] * four;
    }
    for (int j = 0; j < wide; ++j)
        for (int k = 0; k < 4; ++k) out[4 * j + k] += sum[0][j][k] + sum[1][j][k];
}

// One stripe of columns after another, for rows of few columns: a sum in memory would wait for itself at every row.
template <class V>
SEPARATRIX_INLINE void add_stripes(const V* x, Index columns, const double* c, Index count, double* out) {
    Index j = 0;
    for (; j + 8 <= columns; j += 8) add_stripe<2>(x + j, columns, c, count, out + j);
    for (; j + 4 <= columns; j += 4) add_stripe<1>(x + j, columns, c, count, out + j);
    if (j == columns) return;
    if (columns >= 4) {  // four once more, of which some are new
        double last[4] = {};
        add_stripe<1>(x + columns - 4, columns, c, count, last);
        for (; j < columns; ++j) out[j] += last[j - columns + 4];
        return;
    }
    for (Index i = 0; i < count; ++i) axpy(c[i], DenseRow<V>{x + i * columns, columns}, out);
}
#endif

template <class Rows>
SEPARATRIX_INLINE void each_score(const Rows& rows, Index begin, Index end, const double* w, double* out) {
    for (Index i = begin; i < end; ++i) out[i] = dot(rows.row(i), w);
}

// Whether most of the coefficients are zero, so that rows are better passed over.
SEPARATRIX_INLINE bool mostly_zero(const double* c, Index count) {
    Index used = 0;
    for (Index i = 0; i < count; ++i) used += c[i] != 0;
    return 4 * used < count;
}

template <class V>
SEPARATRIX_INLINE void add_each(const DenseRows<V>& rows, Index begin, Index end, const double* c,
                                double* SEPARATRIX_RESTRICT out) {
    const Index d = rows.columns;
    Index i = begin;
#if defined(__GNUC__)
    constexpr Index few = 16;       // columns: more are faster in one sweep
    constexpr Index together = 64;  // rows
    if (d <= few) {
        for (; i < end; i += together) {
            const Index count = end - i < together ? end - i : together;
            if (mostly_zero(c + i, count)) {
                for (Index k = i; k < i + count; ++k)
                    if (c[k] != 0) axpy(c[k], rows.row(k), out);
            } else {
                add_stripes(rows.row(i).values, d, c + i, count, out);
            }
        }
        return;
    }
#endif
    for (; i + 4 <= end; i += 4) {  // out is read and written once for four rows
        const double p = c[i], q = c[i + 1], r = c[i + 2], s = c[i + 3];
        if (p == 0 && q == 0 && r == 0 && s == 0) continue;
        const V* SEPARATRIX_RESTRICT x = rows.row(i).values;
        for (Index j = 0; j < d; ++j) {
            out[j] += (p * static_cast<double>(x[j]) + q * static_cast<double>(x[d + j])) +
                      (r * static_cast<double>(x[2 * d + j]) + s * static_cast<double>(x[3 * d + j]));
        }
    }
    for (; i < end; ++i) {
        if (c[i] != 0) axpy(c[i], rows.row(i), out);
    }
}

template <class Rows>
SEPARATRIX_INLINE void add_each(const Rows& rows, Index begin, Index end, const double* c, double* out) {
    for (Index i = begin; i < end; ++i) {
        if (c[i] != 0) axpy(c[i], rows.row(i), out);
    }
}

// The shape of a row decides among the above.
template <class Rows>
void scores(const Rows& rows, Index begin, Index end, const double* w, double* out) {
    each_score(rows, begin, end, w, out);
}

template <class Rows>
void add_weighted(const Rows& rows, Index begin, Index end, const double* c, double* out) {
    add_each(rows, begin, end, c, out);
}

template <class Rows>
void squared_norms(const Rows& rows, Index begin, Index end, double* out) {
    for (Index i = begin; i < end; ++i) out[i] = squared_norm(rows.row(i));
}

double dense_dot(const double* a, const double* b, Index size) { return dot(DenseRow<double>{a, size}, b); }

template <class Rows>
constexpr RowKernels<Rows> row_kernels = {scores<Rows>, add_weighted<Rows>, squared_norms<Rows>};

template <class Rows>
constexpr DescentKernels<Rows> descent_kernels = {descend<false, Rows>, descend<true, Rows>};

}  // namespace

extern const Kernels table;
const Kernels table = {
    SEPARATRIX_QUOTE(SEPARATRIX_ISA),
    row_kernels<DenseRows<float>>,
    row_kernels<DenseRows<double>>,
    row_kernels<SparseRows<float, std::int32_t>>,
    row_kernels<SparseRows<float, std::int64_t>>,
    row_kernels<SparseRows<double, std::int32_t>>,
    row_kernels<SparseRows<double, std::int64_t>>,
    row_kernels<PackedRows<float>>,
    row_kernels<PackedRows<double>>,
    descent_kernels<DenseRows<float>>,
    descent_kernels<DenseRows<double>>,
    descent_kernels<SparseRows<float, std::int32_t>>,
    descent_kernels<SparseRows<float, std::int64_t>>,
    descent_kernels<SparseRows<double, std::int32_t>>,
    descent_kernels<SparseRows<double, std::int64_t>>,
    descent_kernels<PackedRows<float>>,
    descent_kernels<PackedRows<double>>,
    dense_dot,
    add_products<float>,
    add_products<double>,
    Path<false>::kernels,
    Path<true>::kernels,
};

}  // namespace separatrix::SEPARATRIX_ISA
