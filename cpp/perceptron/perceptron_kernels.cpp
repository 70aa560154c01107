// The perceptron's kernels, compiled once per instruction set like kernels.cpp (see there for the rules).
#include "perceptron/perceptron_kernels.hpp"

#include "perceptron/float_screening.hpp"
#include "simd/lanes.hpp"
#include "simd/primitives.hpp"

namespace separatrix::SEPARATRIX_ISA {
namespace {

constexpr Index block = 4;            // rows scored together
constexpr Index stream_ahead = 4096;  // bytes fetched in advance where rows follow each other
constexpr Index ahead = 3 * block;    // rows fetched in advance where the order jumps about

template <class V>
SEPARATRIX_INLINE double row_score(const DenseRow<V>& row, const double* w) {
    double out;
    dots<1>(&row.values, row.size, w, &out);
    return out;
}

template <class V, class I>
SEPARATRIX_INLINE double row_score(const SparseRow<V, I>& row, const double* w) {
    return dot(row, w);
}

SEPARATRIX_INLINE bool is_mistake(Sign sign, double score) { return !(sign * score > 0); }

template <class V>
SEPARATRIX_INLINE void fetch(const DenseRows<V>& rows, Index i) {
    const char* from = reinterpret_cast<const char*>(rows.values + i * rows.columns);
    const Index bytes = rows.columns * static_cast<Index>(sizeof(V));
    for (Index at = 0; at < bytes && at < 1024; at += 64) SEPARATRIX_PREFETCH(from + at);
}

template <bool ordered, class V>
SEPARATRIX_INLINE Index skip_certain_dense(const DenseRows<V>& rows, const Sign* SEPARATRIX_RESTRICT signs,
                                           const Index* SEPARATRIX_RESTRICT order, Index begin, Index end,
                                           Hyperplane plane) {
    Index p = begin;
    if constexpr (sizeof(V) == sizeof(float)) {
        if (plane.rounded == nullptr) return begin;
        const float b = static_cast<float>(plane.b);
        const Columns columns(rows.columns);
        for (; p + float_block <= end; p += float_block) {
            const V* const first = rows.values + p * rows.columns;
            const Sign* sign = signs + p;
            [[maybe_unused]] Sign gathered[float_block];
            if constexpr (ordered) {
                for (Index k = 0; k < float_block; ++k) gathered[k] = signs[order[p + k]];
                for (Index k = float_block; k < 2 * float_block && p + k < end; ++k) fetch(rows, order[p + k]);
                sign = gathered;
            }
            const auto row = [&](Index k) {
                return ordered ? rows.values + order[p + k] * rows.columns : first + k * rows.columns;
            };
            if (!surely_right(row, columns, plane.rounded, b, plane.slack, sign)) break;
        }
    }
    return p;
}

template <bool ordered, class V>
SEPARATRIX_INLINE Mistake find_dense(const DenseRows<V>& rows, const Sign* SEPARATRIX_RESTRICT signs,
                                     const Index* SEPARATRIX_RESTRICT order, Index begin, Index end, Hyperplane plane) {
    const Index d = rows.columns;
    const auto row = [order](Index p) { return ordered ? order[p] : p; };
    const auto alone = [&](Index p) { return row_score(rows.row(row(p)), plane.w) + plane.b; };
    Index p = begin;
    // Right after an update another mistake is likely: two rows alone, then blocks.
    for (const Index until = begin + 2 < end ? begin + 2 : end; p < until; ++p) {
        const double score = alone(p);
        if (is_mistake(signs[row(p)], score)) return {p, score, 0};
    }
    for (; p = skip_certain_dense<ordered>(rows, signs, order, p, end, plane), p + block <= end; p += block) {
        const V* const x[block] = {rows.values + row(p) * d, rows.values + row(p + 1) * d, rows.values + row(p + 2) * d,
                                   rows.values + row(p + 3) * d};
        if constexpr (ordered) {
            for (Index k = 0; k < block && p + ahead + k < end; ++k) fetch(rows, order[p + ahead + k]);
        } else {
            // The hardware's own prefetch stops at each 4 KiB page; this carries the stream across.
            const char* from = reinterpret_cast<const char*>(x[0]) + stream_ahead;
            for (Index at = 0; at < block * d * static_cast<Index>(sizeof(V)); at += 64) SEPARATRIX_PREFETCH(from + at);
        }
        double score[block];
        dots<block>(x, d, plane.w, score);
        bool all_right = true;
        for (Index k = 0; k < block; ++k) {
            score[k] += plane.b;
            all_right &= !is_mistake(signs[row(p + k)], score[k]);
        }
        if (all_right) continue;
        for (Index k = 0;; ++k) {
            if (is_mistake(signs[row(p + k)], score[k])) return {p + k, score[k], 0};
        }
    }
    for (; p < end; ++p) {
        const double score = alone(p);
        if (is_mistake(signs[row(p)], score)) return {p, score, 0};
    }
    return {end, 0, 0};
}

template <class V>
Index skip_certain(const DenseRows<V>& rows, const Sign* signs, Visit visit, Index begin, Index end, Hyperplane plane) {
    return visit.order == nullptr ? skip_certain_dense<false>(rows, signs, nullptr, begin, end, plane)
                                  : skip_certain_dense<true>(rows, signs, visit.order, begin, end, plane);
}

template <class V, class I>
Index skip_certain(const SparseRows<V, I>&, const Sign*, Visit, Index begin, Index, Hyperplane) {
    return begin;
}

template <class V>
Mistake find(const DenseRows<V>& rows, const Sign* signs, Visit visit, Index begin, Index end, Hyperplane plane) {
    return visit.order == nullptr ? find_dense<false>(rows, signs, nullptr, begin, end, plane)
                                  : find_dense<true>(rows, signs, visit.order, begin, end, plane);
}

template <class V, class I>
Mistake find(const SparseRows<V, I>& rows, const Sign* signs, Visit visit, Index begin, Index end, Hyperplane plane) {
    for (Index p = begin; p < end; ++p) {
        if (visit.order != nullptr && p + ahead < end) rows.prefetch(visit.order[p + ahead]);
        const Index i = visit.row(p);
        const double score = row_score(rows.row(i), plane.w) + plane.b;
        if (is_mistake(signs[i], score)) return {p, score, 0};
    }
    return {end, 0, 0};
}

// The scores of one row for every class; four classes at a time share the reading of the row.
template <class V>
SEPARATRIX_INLINE void class_scores(const DenseRow<V>& row, const Hyperplanes& planes, double* out) {
    Code r = 0;
    for (; r + 4 <= planes.classes; r += 4) {
        const double* W[4];
        for (Code k = 0; k < 4; ++k) W[k] = planes.W + (r + k) * row.size;
        dots<4>(W, row.size, row.values, out + r);
        for (Code k = 0; k < 4; ++k) out[r + k] += planes.b[r + k];
    }
    for (; r < planes.classes; ++r) out[r] = row_score(row, planes.W + r * row.size) + planes.b[r];
}

template <class Rows>
Mistake find_among(const Rows& rows, const Code* codes, Visit visit, Index begin, Index end, Hyperplanes planes,
                   double* scores) {
    for (Index p = begin; p < end; ++p) {
        if (visit.order != nullptr && p + ahead < end) rows.prefetch(visit.order[p + ahead]);
        const Index i = visit.row(p);
        if constexpr (Rows::sparse) {
            for (Code r = 0; r < planes.classes; ++r)
                scores[r] = row_score(rows.row(i), planes.W + r * rows.columns) + planes.b[r];
        } else {
            class_scores(rows.row(i), planes, scores);
        }
        const Code own = codes[i];
        Code rival = own == 0 ? 1 : 0;
        for (Code r = rival + 1; r < planes.classes; ++r) {
            if (r != own && scores[r] > scores[rival]) rival = r;
        }
        if (!(scores[own] > scores[rival])) return {p, scores[own] - scores[rival], rival};
    }
    return {end, 0, 0};
}

template <class Rows>
void add(const Rows& rows, Index i, double scale, double* w) {
    axpy(scale, rows.row(i), w);
}

template <class Rows>
double score(const Rows& rows, Index i, const double* w) {
    return row_score(rows.row(i), w);
}

template <class V>
SEPARATRIX_INLINE void block_scores(const DenseRows<V>& rows, Index begin, Index end, const double* w, double* out) {
    const Index d = rows.columns;
    Index i = begin;
    for (; i + block <= end; i += block) {
        const V* const x[block] = {rows.values + i * d, rows.values + (i + 1) * d, rows.values + (i + 2) * d,
                                   rows.values + (i + 3) * d};
        dots<block>(x, d, w, out + (i - begin));
    }
    for (; i < end; ++i) out[i - begin] = row_score(rows.row(i), w);
}

template <class V, class I>
SEPARATRIX_INLINE void block_scores(const SparseRows<V, I>& rows, Index begin, Index end, const double* w,
                                    double* out) {
    for (Index i = begin; i < end; ++i) out[i - begin] = row_score(rows.row(i), w);
}

template <class Rows>
void scores(const Rows& rows, Index begin, Index end, const double* w, double* out) {
    block_scores(rows, begin, end, w, out);
}

template <class Rows>
void squared_norms(const Rows& rows, Index begin, Index end, double* out) {
    if constexpr (Rows::sparse) {
        for (Index i = begin; i < end; ++i) out[i - begin] = squared_norm(rows.row(i));
    } else {
        const Index d = rows.columns;
        Index i = begin;
        for (; i + block <= end; i += block) {
            const auto* first = rows.values + i * d;
            const typename Rows::Value* const x[block] = {first, first + d, first + 2 * d, first + 3 * d};
            norms<block>(x, d, out + (i - begin));
        }
        for (; i < end; ++i) {
            const typename Rows::Value* const x[1] = {rows.values + i * d};
            norms<1>(x, d, out + (i - begin));
        }
    }
}

void add_deficits(const double* margins, Index size, double largest, double* deficits) {
    double limit[compared_margins], sum[compared_margins];
    for (int j = 0; j < compared_margins; ++j, largest *= 0.5) {
        limit[j] = largest;
        sum[j] = deficits[j];
    }
    for (Index i = 0; i < size; ++i) {
        for (int j = 0; j < compared_margins; ++j) {
            const double gap = limit[j] - margins[i], lacking = gap > 0 ? gap : 0;
            sum[j] += lacking * lacking;
        }
    }
    for (int j = 0; j < compared_margins; ++j) deficits[j] = sum[j];
}

double norm_bound(const DenseRows<float>& rows, Index begin, Index end) {
    return norm_bound_of(rows.values + begin * rows.columns, end - begin, rows.columns);
}

double read(const float* values, Index size) {
    Quad sum[8] = {};
    const float half[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    const Quad factor = load(half);
    Index j = 0;
    for (; j + 32 <= size; j += 32) {
        for (int k = 0; k < 8; ++k) add_product(sum[k], load(values + j + 4 * k), factor);
    }
    double out = 0;
    for (int k = 0; k < 8; ++k) out += total(sum[k], sum[k]);
    return out;
}

template <class Part>
constexpr Part made{};
template <class Rows>
constexpr PerceptronKernels<Rows> made<PerceptronKernels<Rows>> = {.find = find,
                                                                   .skip_certain = skip_certain,
                                                                   .find_among = find_among<Rows>,
                                                                   .add = add<Rows>,
                                                                   .score = score<Rows>,
                                                                   .scores = scores<Rows>,
                                                                   .squared_norms = squared_norms<Rows>};
template <class... Parts>
constexpr Entries<Parts...> made<Entries<Parts...>> = {made<Parts>...};

}  // namespace

extern const PerceptronTable perceptron_table;
const PerceptronTable perceptron_table = {.by_rows = made<decltype(PerceptronTable::by_rows)>,
                                          .add_deficits = add_deficits,
                                          .norm_bound = norm_bound,
                                          .read = read};

}  // namespace separatrix::SEPARATRIX_ISA
