// The table of compiled kernels, one per instruction set, and the choice among them.
//
// At this border there are pointers and lengths only. The functions behind it hold no state.
#pragma once

#include <math.h>  // fabs and copysign of C, which the compiler has built in

#include "path/path_arrays.hpp"
#include "rows/rows.hpp"

namespace separatrix {

// Products with a range of rows [begin, end), in double whatever the type of the rows.
template <class Rows>
struct RowKernels {
    // out[i] = x_i . w
    void (*scores)(const Rows&, Index begin, Index end, const double* w, double* out);
    // out += sum_i c_i x_i
    void (*add_weighted)(const Rows&, Index begin, Index end, const double* c, double* out);
    // out[i] = ||x_i||^2
    void (*squared_norms)(const Rows&, Index begin, Index end, double* out);
};

// Columns, the one of a bias included, up to which the functions below are faster than a product of matrices.
inline constexpr Index most_normal_columns = 128;

// Columns of the sums below: whole tiles.
inline constexpr Index normal_width(Index columns) { return (columns + 7) / 8 * 8; }

// out[r * width + c] += sum_k weights[k] x_kr x_kc, for c <= r at least, over the rows k in [begin, end), or ids[k] if
// there are ids; with `ones` each row has one more column, of ones. out is (width, width), width = normal_width(columns).
template <class Rows>
using NormalKernel = void (*)(const Rows&, const std::int64_t* ids, Index begin, Index end, const double* weights,
                              bool ones, double* out);

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

// What one pass over some coordinates saw before each of its updates.
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
struct DescentKernels {
    PassReport (*hinge)(const Rows&, Coordinate*, const Visits&, Iterate&);
    PassReport (*squared_hinge)(const Rows&, Coordinate*, const Visits&, Iterate&);
};

struct Kernels {
    const char* name;
    RowKernels<DenseRows<float>> dense_f;
    RowKernels<DenseRows<double>> dense_d;
    RowKernels<SparseRows<float, std::int32_t>> sparse_f32;
    RowKernels<SparseRows<float, std::int64_t>> sparse_f64;
    RowKernels<SparseRows<double, std::int32_t>> sparse_d32;
    RowKernels<SparseRows<double, std::int64_t>> sparse_d64;
    RowKernels<PackedRows<float>> packed_f;
    RowKernels<PackedRows<double>> packed_d;
    DescentKernels<DenseRows<float>> descend_dense_f;
    DescentKernels<DenseRows<double>> descend_dense_d;
    DescentKernels<SparseRows<float, std::int32_t>> descend_sparse_f32;
    DescentKernels<SparseRows<float, std::int64_t>> descend_sparse_f64;
    DescentKernels<SparseRows<double, std::int32_t>> descend_sparse_d32;
    DescentKernels<SparseRows<double, std::int64_t>> descend_sparse_d64;
    DescentKernels<PackedRows<float>> descend_packed_f;
    DescentKernels<PackedRows<double>> descend_packed_d;
    double (*dot)(const double* a, const double* b, Index size);
    NormalKernel<DenseRows<float>> normal_f;
    NormalKernel<DenseRows<double>> normal_d;
    PathKernels hinge_path;
    PathKernels squared_hinge_path;

    RowKernels<DenseRows<float>> of(const DenseRows<float>&) const { return dense_f; }
    RowKernels<DenseRows<double>> of(const DenseRows<double>&) const { return dense_d; }
    RowKernels<SparseRows<float, std::int32_t>> of(const SparseRows<float, std::int32_t>&) const { return sparse_f32; }
    RowKernels<SparseRows<float, std::int64_t>> of(const SparseRows<float, std::int64_t>&) const { return sparse_f64; }
    RowKernels<SparseRows<double, std::int32_t>> of(const SparseRows<double, std::int32_t>&) const {
        return sparse_d32;
    }
    RowKernels<SparseRows<double, std::int64_t>> of(const SparseRows<double, std::int64_t>&) const {
        return sparse_d64;
    }
    RowKernels<PackedRows<float>> of(const PackedRows<float>&) const { return packed_f; }
    RowKernels<PackedRows<double>> of(const PackedRows<double>&) const { return packed_d; }

    NormalKernel<DenseRows<float>> normal(const DenseRows<float>&) const { return normal_f; }
    NormalKernel<DenseRows<double>> normal(const DenseRows<double>&) const { return normal_d; }

    DescentKernels<DenseRows<float>> descent(const DenseRows<float>&) const { return descend_dense_f; }
    DescentKernels<DenseRows<double>> descent(const DenseRows<double>&) const { return descend_dense_d; }
    DescentKernels<SparseRows<float, std::int32_t>> descent(const SparseRows<float, std::int32_t>&) const {
        return descend_sparse_f32;
    }
    DescentKernels<SparseRows<float, std::int64_t>> descent(const SparseRows<float, std::int64_t>&) const {
        return descend_sparse_f64;
    }
    DescentKernels<SparseRows<double, std::int32_t>> descent(const SparseRows<double, std::int32_t>&) const {
        return descend_sparse_d32;
    }
    DescentKernels<SparseRows<double, std::int64_t>> descent(const SparseRows<double, std::int64_t>&) const {
        return descend_sparse_d64;
    }
    DescentKernels<PackedRows<float>> descent(const PackedRows<float>&) const { return descend_packed_f; }
    DescentKernels<PackedRows<double>> descent(const PackedRows<double>&) const { return descend_packed_d; }
};

// The table for this CPU, chosen on first use: the best instruction set it has, or the one that the environment
// variable SEPARATRIX_ISA names (baseline, avx2, avx512) if the CPU has that.
const Kernels& kernels();

}  // namespace separatrix
