// The table of the perceptron's kernels, one per instruction set: the search for the next mistake, and the update.
//
// Searching leaves w alone, so a range of rows may be scored together, or by several threads; the first row found
// is the row at which the sequential algorithm would make its next update.
#pragma once

#include "rows/rows.hpp"
#include "simd/dispatch.hpp"

namespace separatrix {

using Sign = std::int8_t;
using Code = std::int32_t;

// Rows to visit: position p is row order[p], or row p where there is no order.
struct Visit {
    const Index* order;
    SEPARATRIX_INLINE Index row(Index position) const { return order == nullptr ? position : order[position]; }
};

// position == end: none was found. `score` is f(x) of the row (two classes), `rival` the wrong class with the
// highest score (many classes).
struct Mistake {
    Index position;
    double score;
    Code rival;
};

// f(x) = w.x + b for two classes. `rounded`, where given, is w rounded to float (`FloatPlane`): float rows are then
// scored in float first, and in double only where the score is within `slack`, so that its sign may be wrong.
struct Hyperplane {
    const double* w;
    double b;
    const float* rounded = nullptr;
    float slack = 0;
};

// f_r(x) = W[r].x + b[r] for classes r = 0 .. classes - 1; W is (classes, d), row after row.
struct Hyperplanes {
    const double* W;
    const double* b;
    Code classes;
};

template <class Rows>
struct PerceptronKernels {
    // The first position in [begin, end) whose row has sign * f(x) <= 0.
    Mistake (*find)(const Rows&, const Sign*, Visit, Index begin, Index end, Hyperplane);
    // A position in [begin, end] before which every row has sign * f(x) > 0 whatever rounding did; maybe `begin`.
    Index (*skip_certain)(const Rows&, const Sign*, Visit, Index begin, Index end, Hyperplane);
    // The first position in [begin, end) whose row's own class does not score above every other.
    Mistake (*find_among)(const Rows&, const Code*, Visit, Index begin, Index end, Hyperplanes, double* scores);
    // w += scale x_i
    void (*add)(const Rows&, Index i, double scale, double* w);
    // x_i . w, the same bits as in `find`
    double (*score)(const Rows&, Index i, const double* w);
    // out[i - begin] = x_i . w for i in [begin, end), the same bits as `score`
    void (*scores)(const Rows&, Index begin, Index end, const double* w, double* out);
    // out[i - begin] = ||x_i||^2
    void (*squared_norms)(const Rows&, Index begin, Index end, double* out);
};

// Deficits are kept for the margins g = largest 2^-j, j = 0 .. compared_margins - 1.
inline constexpr int compared_margins = 16;

struct PerceptronTable {
    Entries<PerceptronKernels<DenseRows<float>>, PerceptronKernels<DenseRows<double>>,
            PerceptronKernels<SparseRows<float, std::int32_t>>, PerceptronKernels<SparseRows<float, std::int64_t>>,
            PerceptronKernels<SparseRows<double, std::int32_t>>, PerceptronKernels<SparseRows<double, std::int64_t>>>
        by_rows;
    // deficits[j] += max(0, largest 2^-j - margins[i])^2 for i = 0, 1, .. size - 1 in turn
    void (*add_deficits)(const double* margins, Index size, double largest, double* deficits);
    // At least max ||x||^2; infinite where that is not finite, or where `skip_certain` has no use for it.
    double (*norm_bound)(const DenseRows<float>&, Index begin, Index end);
    // Reads `size` floats and returns something that depends on all of them: the speed of memory itself.
    double (*read)(const float* values, Index size);

    template <class Rows>
    const PerceptronKernels<Rows>& of(const Rows&) const {
        return by_rows;
    }
};

}  // namespace separatrix
