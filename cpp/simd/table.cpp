// Every kernel, compiled once per instruction set: CMake builds this file several times with SEPARATRIX_ISA set to
// the name of a namespace and the matching compiler flags. Keep the standard library out of here: one of its
// inline functions compiled with wide instructions could be the copy that the linker keeps for everybody.
#include "simd/table.hpp"
#include "descent/epoch.hpp"
#include "path/path_direction.hpp"
#include "rows/normal_matrix.hpp"
#include "simd/primitives.hpp"
#include "simd/registers.hpp"
#include "simd/vectors.hpp"

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

// Rows of so few columns: a loop over the columns would cost more than the products.
template <Index columns, class V>
SEPARATRIX_INLINE void short_scores(const V* SEPARATRIX_RESTRICT x, Index rows, const double* w,
                                    double* SEPARATRIX_RESTRICT out) {
    for (Index i = 0; i < rows; ++i) {
        double sum = 0;
        for (Index j = 0; j < columns; ++j) sum += static_cast<double>(x[i * columns + j]) * w[j];
        out[i] = sum;
    }
}

template <class V>
SEPARATRIX_INLINE void each_score(const DenseRows<V>& rows, Index begin, Index end, const double* w, double* out) {
    const Index d = rows.columns;
    const V* x = rows.row(begin).values;
    if (d == 1) return short_scores<1>(x, end - begin, w, out);
    if (d == 2) return short_scores<2>(x, end - begin, w, out);
    if (d == 3) return short_scores<3>(x, end - begin, w, out);
    if (d == 4) return short_scores<4>(x, end - begin, w, out);
    Index i = begin;
    for (; i + 4 <= end; i += 4, x += 4 * d, out += 4) {  // four rows share the reading of w
        const V* const four[4] = {x, x + d, x + 2 * d, x + 3 * d};
        dots<4>(four, d, w, out);
    }
    for (; i < end; ++i, x += d) dots<1>(&x, d, w, out++);
}

template <class Rows>
SEPARATRIX_INLINE void each_score(const Rows& rows, Index begin, Index end, const double* w, double* out) {
    for (Index i = begin; i < end; ++i) out[i - begin] = dot(rows.row(i), w);
}

// The sums of one row against a few planes.
struct PlaneSums {
    using Register = Lanes<double>;
    static constexpr int registers = static_cast<int>(plane_lanes) / Register::width;
    Register sum[registers];

    SEPARATRIX_INLINE PlaneSums() {
        for (Register& part : sum) part = Register::spread(0.0);
    }
    SEPARATRIX_INLINE void add(double x, const double* w) {
        const Register times = Register::spread(x);
        for (int k = 0; k < registers; ++k)
            sum[k] = Register::fma(times, Register::load(w + k * Register::width), sum[k]);
    }
    SEPARATRIX_INLINE void write(double* out, Index planes) const {
        double all[plane_lanes];
        for (int k = 0; k < registers; ++k) sum[k].store(all + k * Register::width);
        for (Index k = 0; k < planes && k < plane_lanes; ++k) out[k] = all[k];
    }
};

// Four rows share the reading of W. Where fewer are left the last one is summed up again: every row is added up in the same way.
template <class V>
SEPARATRIX_INLINE void each_plane(const DenseRows<V>& rows, Index begin, Index end, const double* W, Index first,
                                  Index planes, double* out) {
    const Index d = rows.columns, width = plane_width(planes);
    for (Index i = begin; i < end; i += 4) {
        const Index some = end - i < 4 ? end - i : 4;
        const V* const x = rows.row(i).values;
        const V *const q = some > 1 ? x + d : x, *const r = some > 2 ? q + d : q, *const s = some > 3 ? r + d : r;
        PlaneSums sums[4];
        for (Index j = 0; j < d; ++j) {
            const double* const w = W + j * width + first;
            sums[0].add(static_cast<double>(x[j]), w);
            sums[1].add(static_cast<double>(q[j]), w);
            sums[2].add(static_cast<double>(r[j]), w);
            sums[3].add(static_cast<double>(s[j]), w);
        }
        for (Index k = 0; k < some; ++k) sums[k].write(out + (i + k - begin) * planes + first, planes - first);
    }
}

template <class Rows>
SEPARATRIX_INLINE void each_plane(const Rows& rows, Index begin, Index end, const double* W, Index first, Index planes,
                                  double* out) {
    const Index width = plane_width(planes);
    for (Index i = begin; i < end; ++i) {
        const auto row = rows.row(i);
        PlaneSums sums;
        for (Index j = 0; j < row.size; ++j)
            sums.add(static_cast<double>(row.values[j]), W + static_cast<Index>(row.indices[j]) * width + first);
        sums.write(out + (i - begin) * planes + first, planes - first);
    }
}

// True if most of the coefficients are zero, so that rows are better passed over.
SEPARATRIX_INLINE bool mostly_zero(const double* c, Index count) {
    Index used = 0;
    for (Index i = 0; i < count; ++i) used += c[i] != 0;
    return 4 * used < count;
}

template <class V>
SEPARATRIX_INLINE void add_each(const DenseRows<V>& rows, Index begin, Index end, const double* c,
                                double* SEPARATRIX_RESTRICT out) {
    const Index d = rows.columns, count = end - begin;
    const V* const first = rows.row(begin).values;
    Index i = 0;
#if defined(__GNUC__)
    constexpr Index few = 16;       // columns: more are faster in one sweep
    constexpr Index together = 64;  // rows
    if (d <= few) {
        for (; i < count; i += together) {
            const Index some = count - i < together ? count - i : together;
            if (mostly_zero(c + i, some)) {
                for (Index k = i; k < i + some; ++k)
                    if (c[k] != 0) axpy(c[k], rows.row(begin + k), out);
            } else {
                add_stripes(first + i * d, d, c + i, some, out);
            }
        }
        return;
    }
#endif
    for (; i + 4 <= count; i += 4) {  // out is read and written once for four rows
        const double p = c[i], q = c[i + 1], r = c[i + 2], s = c[i + 3];
        if (p == 0 && q == 0 && r == 0 && s == 0) continue;
        const V* SEPARATRIX_RESTRICT x = first + i * d;
        for (Index j = 0; j < d; ++j) {
            out[j] += (p * static_cast<double>(x[j]) + q * static_cast<double>(x[d + j])) +
                      (r * static_cast<double>(x[2 * d + j]) + s * static_cast<double>(x[3 * d + j]));
        }
    }
    for (; i < count; ++i) {
        if (c[i] != 0) axpy(c[i], rows.row(begin + i), out);
    }
}

template <class Rows>
SEPARATRIX_INLINE void add_each(const Rows& rows, Index begin, Index end, const double* c, double* out) {
    for (Index i = begin; i < end; ++i) {
        if (c[i - begin] != 0) axpy(c[i - begin], rows.row(i), out);
    }
}

// The shape of a row decides among the above.
template <class Rows>
void scores(const Rows& rows, Index begin, Index end, const double* w, double* out) {
    each_score(rows, begin, end, w, out);
}

template <class Rows>
void plane_scores(const Rows& rows, Index begin, Index end, const double* W, Index planes, double* out) {
    for (Index first = 0; first < planes; first += plane_lanes) each_plane(rows, begin, end, W, first, planes, out);
}

template <class Rows>
void add_weighted(const Rows& rows, Index begin, Index end, const double* c, double* out) {
    add_each(rows, begin, end, c, out);
}

template <class Rows>
void squared_norms(const Rows& rows, Index begin, Index end, double* out) {
    for (Index i = begin; i < end; ++i) out[i - begin] = squared_norm(rows.row(i));
}

template <class Part>
constexpr Part made{};
template <class Rows>
constexpr RowLoops<Rows> made<RowLoops<Rows>> = {.scores = scores<Rows>,
                                                 .plane_scores = plane_scores<Rows>,
                                                 .add_weighted = add_weighted<Rows>,
                                                 .squared_norms = squared_norms<Rows>};
template <class V>
constexpr NormalLoop<DenseRows<V>> made<NormalLoop<DenseRows<V>>> = {.add = add_products<V>};
template <class Rows>
constexpr DescentLoops<Rows> made<DescentLoops<Rows>> = {.hinge = descend<false, Rows>,
                                                         .squared_hinge = descend<true, Rows>};
template <class... Parts>
constexpr Entries<Parts...> made<Entries<Parts...>> = {made<Parts>...};

}  // namespace

extern const RowTable row_table;
const RowTable row_table = {
    .by_type = made<decltype(RowTable::by_type)>,
    .hinge_path = Path<false>::loops,
    .squared_hinge_path = Path<true>::loops,
    .dot = vector_dot,
    .axpy = vector_axpy,
    .rotate = rotate,
    .add_outer_products = add_outer_products,
    .margins_below = margins_below,
    .squared_hinge_rows = squared_hinge_rows,
    .squared_hinge_slope = squared_hinge_slope,
    .any_crossed = any_crossed,
};

}  // namespace separatrix::SEPARATRIX_ISA
