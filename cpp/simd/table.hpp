// Loops over rows, for the linear solvers: what the table of an instruction set holds.
//
// At this border there are pointers and lengths only. The functions behind it hold no state.
#pragma once

#include <math.h>  // fabs and copysign of C, which the compiler has built in

#include "path/path_arrays.hpp"
#include "rows/rows.hpp"
#include "simd/dispatch.hpp"

namespace separatrix {

// Planes that are summed up together, and their number in whole groups.
inline constexpr Index plane_lanes = 8;
inline constexpr Index plane_width(Index planes) { return (planes + plane_lanes - 1) / plane_lanes * plane_lanes; }

// Products with a range of rows [begin, end), in double whatever the type of the rows.
template <class Rows>
struct RowLoops {
    // out[i - begin] = x_i . w
    void (*scores)(const Rows&, Index begin, Index end, const double* w, double* out);
    // out[(i - begin) planes + k] = x_i . w_k, where w_k is column k of W (columns, plane_width(planes))
    void (*plane_scores)(const Rows&, Index begin, Index end, const double* W, Index planes, double* out);
    // out += sum_i c[i - begin] x_i
    void (*add_weighted)(const Rows&, Index begin, Index end, const double* c, double* out);
    // out[i - begin] = ||x_i||^2
    void (*squared_norms)(const Rows&, Index begin, Index end, double* out);
};

// Columns, the one of a bias included, up to which the functions below are faster than a product of matrices.
inline constexpr Index most_normal_columns = 128;

// Columns of the sums below: whole tiles.
inline constexpr Index normal_width(Index columns) { return (columns + 7) / 8 * 8; }

// out[r * width + c] += sum_k weights[k - begin] x_kr x_kc, for c <= r at least, over the rows k in [begin, end), or
// ids[k - begin] if there are ids; with `ones` each row has one more column, of ones. out is (width, width),
// width = normal_width(columns).
template <class Rows>
struct NormalLoop {
    void (*add)(const Rows&, const std::int64_t* ids, Index begin, Index end, const double* weights, bool ones,
                double* out);
};

// One coordinate of the dual: alpha in [0, upper], curvature = ||x||^2 + bias term + diagonal shift.
// `limit` is the upper bound C for the hinge (shift 0) and the shift 1 / (2 C) for the squared hinge (no bound).
// The curvature carries the label as its sign, because there is one of these for every row; it is zero before the first visit.
struct Coordinate {
    double alpha;
    double limit;
    double signed_curvature;

    double label() const { return copysign(1.0, signed_curvature); }
    double curvature() const { return fabs(signed_curvature); }
};

// The projected gradients of one sign that a pass saw.
struct Gradients {
    double largest = 0;  // in magnitude
    double squares = 0;
    Index count = 0;

    SEPARATRIX_INLINE void add(double magnitude) {
        largest = magnitude > largest ? magnitude : largest;
        squares += magnitude * magnitude;
        ++count;
    }
    void add(const Gradients& others) {
        largest = others.largest > largest ? others.largest : largest;
        squares += others.squares;
        count += others.count;
    }
};

// Statistics of one pass over some coordinates, taken before each of its updates.
struct PassReport {
    Index entries = 0;       // of the rows visited
    double gap = 0;          // sum of the rows' shares of the duality gap
    double rise = 0;         // of sum_i dual_term(alpha_i) - 1/2 ||w||^2 by its updates
    Gradients below, above;  // zero

    void add(const PassReport& other) {
        entries += other.entries;
        gap += other.gap;
        rise += other.rise;
        below.add(other.below);
        above.add(other.above);
    }
};

// Rows to visit, in this order. A visit leaves in `outward`, at the row's own place, the gradient of a coordinate that its
// bound held, 0 of one that could move.
struct Visits {
    const std::int32_t* rows;
    Index count;
    float* outward;
    bool moving = true;  // false: only the gap is measured
};

// f(x) = w.x + bias, where bias += bias_curvature * (change of alpha) * label at each update.
struct Iterate {
    double* w;
    double bias;
    double bias_curvature;
};

template <class Rows>
struct DescentLoops {
    PassReport (*hinge)(const Rows&, Coordinate*, const Visits&, Iterate&);
    PassReport (*squared_hinge)(const Rows&, Coordinate*, const Visits&, Iterate&);
};

// Sums of the squared hinge over rows, in independent lanes so that the compiler may use wide registers.
inline constexpr Index hinge_lanes = 8;
struct HingeSums {
    double loss[hinge_lanes] = {};   // C max(0, s)^2
    double alpha[hinge_lanes] = {};  // alpha = 2 C max(0, s)
    double bias[hinge_lanes] = {};   // alpha y
};

struct RowTable {
    using Float32 = SparseRows<float, std::int32_t>;
    using Float64 = SparseRows<float, std::int64_t>;
    using Double32 = SparseRows<double, std::int32_t>;
    using Double64 = SparseRows<double, std::int64_t>;

    Entries<RowLoops<DenseRows<float>>, RowLoops<DenseRows<double>>, RowLoops<Float32>, RowLoops<Float64>,
            RowLoops<Double32>, RowLoops<Double64>, RowLoops<PackedRows<float>>, RowLoops<PackedRows<double>>,
            NormalLoop<DenseRows<float>>, NormalLoop<DenseRows<double>>, DescentLoops<DenseRows<float>>,
            DescentLoops<DenseRows<double>>, DescentLoops<Float32>, DescentLoops<Float64>, DescentLoops<Double32>,
            DescentLoops<Double64>, DescentLoops<PackedRows<float>>, DescentLoops<PackedRows<double>>>
        by_type;
    PathLoops hinge_path, squared_hinge_path;

    double (*dot)(const double* a, const double* b, Index size);
    // out += scale x
    void (*axpy)(double scale, const double* x, double* out, Index size);
    // (a, b) = (cosine a + sine b, cosine b - sine a)
    void (*rotate)(double* a, double* b, double cosine, double sine, Index size);
    // The lower triangle of H (columns, columns) += sum of v v^T over the rows v of M.
    void (*add_outer_products)(const double* M, Index rows, Index columns, double* H);
    // f = y (f + b); returns how many are below the limit.
    Index (*margins_below)(const double* y, double b, double limit, double* f, Index size);
    // slack = s = 1 - y (f + b), where f has the scores x_i.w on entry, and the coefficients alpha_i y_i at the end.
    void (*squared_hinge_rows)(const double* y, const double* C, double b, Index size, double* f, double* slack,
                               HingeSums& sums);
    // First and second derivative of sum_i C_i max(0, s_i)^2 at t, s = before + t (after - before).
    void (*squared_hinge_slope)(const double* C, const double* before, const double* after, double t, Index size,
                                double* out);
    // True if slack > 0 differs from what `active` says for any row.
    bool (*any_crossed)(const double* slack, const bool* active, Index size);

    template <class Rows>
    const RowLoops<Rows>& of(const Rows&) const {
        return by_type;
    }
    template <class Rows>
    const DescentLoops<Rows>& descent(const Rows&) const {
        return by_type;
    }
    template <class Rows>
    const NormalLoop<Rows>& normal(const Rows&) const {
        return by_type;
    }
};

}  // namespace separatrix
