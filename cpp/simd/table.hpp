// Loops over rows, for the linear solvers: what the table of an instruction set holds.
//
// At this border there are pointers and lengths only. The functions behind it hold no state.
#pragma once

#include <math.h>  // fabs and copysign of C, which the compiler has built in

#include "path/path_arrays.hpp"
#include "rows/rows.hpp"
#include "simd/dispatch.hpp"

namespace separatrix {

// Products with a range of rows [begin, end), in double whatever the type of the rows.
template <class Rows>
struct RowLoops {
    // out[i - begin] = x_i . w
    void (*scores)(const Rows&, Index begin, Index end, const double* w, double* out);
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
// The curvature carries the label as its sign: there is one of these for every row, in memory that rows are short of.
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

// What one pass over some coordinates saw before each of its updates.
struct PassReport {
    double gap = 0;          // sum of the rows' shares of the duality gap
    double rise = 0;         // of sum_i dual_term(alpha_i) - 1/2 ||w||^2 by its updates
    Gradients below, above;  // zero

    void add(const PassReport& other) {
        gap += other.gap;
        rise += other.rise;
        below.add(other.below);
        above.add(other.above);
    }
};

// Rows to visit: chunks of `chunk` consecutive entries of `active`, in the order `chunks[0 .. n_chunks)`.
// A visit leaves in `held`, beside the entry of `active`, the gradient of a coordinate that its bound held, 0 of one that moved.
struct Schedule {
    const std::int32_t* active;
    float* held;
    Index n_active;
    const std::int32_t* chunks;
    Index n_chunks;
    Index chunk;
    bool first;         // curvatures are only labels yet: each row's is computed when it is visited
    bool look = false;  // nothing moves: only the gap is summed
};

// f(x) = w.x + bias, where bias += bias_curvature * (change of alpha) * label at each update.
template <class W>
struct Iterate {
    W* w;
    double bias;
    double bias_curvature;
};

template <class Rows, class W>
struct DescentLoops {
    PassReport (*hinge)(const Rows&, Coordinate*, const Schedule&, Iterate<W>&);
    PassReport (*squared_hinge)(const Rows&, Coordinate*, const Schedule&, Iterate<W>&);
};

struct RowTable {
    using Float32 = SparseRows<float, std::int32_t>;
    using Float64 = SparseRows<float, std::int64_t>;
    using Double32 = SparseRows<double, std::int32_t>;
    using Double64 = SparseRows<double, std::int64_t>;

    Entries<RowLoops<DenseRows<float>>, RowLoops<DenseRows<double>>, RowLoops<Float32>, RowLoops<Float64>,
            RowLoops<Double32>, RowLoops<Double64>, RowLoops<PackedRows<float>>, RowLoops<PackedRows<double>>,
            NormalLoop<DenseRows<float>>, NormalLoop<DenseRows<double>>, DescentLoops<DenseRows<float>, float>,
            DescentLoops<DenseRows<float>, double>, DescentLoops<DenseRows<double>, double>,
            DescentLoops<Float32, float>, DescentLoops<Float32, double>, DescentLoops<Float64, float>,
            DescentLoops<Float64, double>, DescentLoops<Double32, float>, DescentLoops<Double32, double>,
            DescentLoops<Double64, float>, DescentLoops<Double64, double>, DescentLoops<PackedRows<float>, float>,
            DescentLoops<PackedRows<float>, double>, DescentLoops<PackedRows<double>, float>,
            DescentLoops<PackedRows<double>, double>>
        by_type;
    double (*dot)(const double* a, const double* b, Index size);
    PathLoops hinge_path, squared_hinge_path;

    template <class Rows>
    const RowLoops<Rows>& of(const Rows&) const {
        return by_type;
    }
    template <class Rows, class W>
    const DescentLoops<Rows, W>& of(const Rows&, W) const {
        return by_type;
    }
    template <class Rows>
    const NormalLoop<Rows>& normal(const Rows&) const {
        return by_type;
    }
};

inline const RowTable& kernels() { return simd().rows; }

}  // namespace separatrix
