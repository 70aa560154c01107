// Every kernel, compiled once per instruction set: CMake builds this file several times with SEPARATRIX_ISA set to
// the name of a namespace and the matching compiler flags. Keep the standard library out of here: one of its
// inline functions compiled with wide instructions could be the copy that the linker keeps for everybody.
#include "separatrix/descent.hpp"
#include "separatrix/kernels.hpp"
#include "separatrix/path_direction.hpp"
#include "separatrix/primitives.hpp"

#define SEPARATRIX_QUOTE_(name) #name
#define SEPARATRIX_QUOTE(name) SEPARATRIX_QUOTE_(name)

namespace separatrix::SEPARATRIX_ISA {
namespace {

template <class Rows>
void scores(const Rows& rows, Index begin, Index end, const double* w, double* out) {
    for (Index i = begin; i < end; ++i) out[i] = dot(rows.row(i), w);
}

template <class Rows>
void add_weighted(const Rows& rows, Index begin, Index end, const double* c, double* out) {
    for (Index i = begin; i < end; ++i) {
        if (c[i] != 0) axpy(c[i], rows.row(i), out);
    }
}

template <class Rows>
void squared_norms(const Rows& rows, Index begin, Index end, double* out) {
    for (Index i = begin; i < end; ++i) out[i] = squared_norm(rows.row(i));
}

double dense_dot(const double* a, const double* b, Index size) { return dot(DenseRow<double>{a, size}, b); }

template <class Rows>
constexpr RowKernels<Rows> row_kernels = {scores<Rows>, add_weighted<Rows>, squared_norms<Rows>};

template <class Rows, class W>
constexpr DescentKernels<Rows, W> descent_kernels = {descend<false, Rows, W>, descend<true, Rows, W>};

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
    descent_kernels<DenseRows<float>, float>,
    descent_kernels<DenseRows<float>, double>,
    descent_kernels<DenseRows<double>, double>,
    descent_kernels<SparseRows<float, std::int32_t>, float>,
    descent_kernels<SparseRows<float, std::int32_t>, double>,
    descent_kernels<SparseRows<float, std::int64_t>, float>,
    descent_kernels<SparseRows<float, std::int64_t>, double>,
    descent_kernels<SparseRows<double, std::int32_t>, float>,
    descent_kernels<SparseRows<double, std::int32_t>, double>,
    descent_kernels<SparseRows<double, std::int64_t>, float>,
    descent_kernels<SparseRows<double, std::int64_t>, double>,
    descent_kernels<PackedRows<float>, float>,
    descent_kernels<PackedRows<float>, double>,
    descent_kernels<PackedRows<double>, double>,
    dense_dot,
    Path<false>::kernels,
    Path<true>::kernels,
};

}  // namespace separatrix::SEPARATRIX_ISA
