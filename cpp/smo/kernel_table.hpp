// The table of kernel-matrix blocks and of the working-set solver, one per instruction set.
//
//     linear x.z    poly (gamma x.z + coef0)^degree    rbf exp(-gamma ||x - z||^2)
//     sigmoid tanh(gamma x.z + coef0)                  laplacian exp(-gamma ||x - z||_1)
//
// At this border there are pointers and lengths only. The functions behind it hold no state.
#pragma once

#include "rows/rows.hpp"
#include "simd/dispatch.hpp"

namespace separatrix {

enum class KernelKind : int { linear, poly, rbf, sigmoid, laplacian };

struct KernelFormula {
    KernelKind kind;
    double gamma;
    double coef0;
    int degree;
};

// Points packed for products. "Rows" are cut into tiles of tile_rows points, [tile][depth][tile_rows]; "columns" into
// panels of panel_columns points, [panel][depth][panel_columns]. The last of each is filled up with zeros.
// For rbf the norms are gamma log2(e) ||x||^2; other kernels do not read them.
template <class T>
struct KernelBlock {
    const T* rows;
    const T* row_norms;
    Index n_rows;
    const T* panels;
    const T* column_norms;
    Index n_panels;
    Index depth;
};

// The same with sparse columns, the points [first_column, last_column) of a CSR matrix. The rows, at most `sparse_rows`
// of them, are a dense matrix [lines][sparse_rows]: line c for column c, or place[c] if there is a place (where a
// column that none of the rows has shares a line of zeros).
template <class T>
struct SparseKernelBlock {
    const T* rows;
    const T* row_norms;
    Index n_rows;
    const std::int32_t* place;
    const T* values;
    const std::int32_t* indices;
    const Index* starts;
    const T* column_norms;
    Index first_column, last_column;
};

// A working set of `size` rows, each array `stride` long (filled up with entries that cannot move):
//     v_t = -y_t (gradient of the dual's negative)_t - centre;   up_t = 0 where y_t alpha_t may grow, else -big;
//     low_t = 0 where it may shrink, else +big;   K (size, stride) with the loss's shift on its diagonal.
template <class T>
struct InnerBlock {
    Index size, stride;
    const T* K;
    const T* diagonal;
    T* v;
    T* up;
    T* low;
    double* alpha;
    const double* upper;
    const double* y;
    bool pairs;        // whether sum alpha_t y_t must stay as it is
    double tolerance;  // stop when the largest violation is at most this
    Index max_steps;
    double flat;  // curvature below -flat (K_ii + K_jj) is negative for sure; below +flat it is taken as flat
};

struct InnerReport {
    Index steps = 0;
    double gain = 0;                // of the dual
    double violation = 0;           // left at the end
    Index first = -1, second = -1;  // the pair (or the row alone, second = -1) of negative curvature
    double curvature = 0;
};

template <class T>
struct KernelFunctions {
    Index tile_rows, panel_columns, sparse_rows;
    // out[r][c] = k(row r, column c) for whole panels
    void (*values)(const KernelFormula&, const KernelBlock<T>&, T* const* out);
    // out[c * classes + s] += sum_r coef[r * classes + s] k(row r, column c)
    void (*combine)(const KernelFormula&, const KernelBlock<T>&, const T* coef, Index classes, double* out);
    void (*sparse_values)(const KernelFormula&, const SparseKernelBlock<T>&, T* const* out);
    void (*sparse_combine)(const KernelFormula&, const SparseKernelBlock<T>&, const T* coef, Index classes,
                           double* out);
    // F[c] += sum_r coef[r] rows[r][c] for c in [begin, end)
    void (*add_rows)(const T* const* rows, const double* coef, Index n_rows, Index begin, Index end, double* F);
    InnerReport (*solve)(const InnerBlock<T>&);
};

struct KernelTable {
    Entries<KernelFunctions<float>, KernelFunctions<double>> by_type;
    template <class T>
    const KernelFunctions<T>& of() const {
        return by_type;
    }
};

}  // namespace separatrix
