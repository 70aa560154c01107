// The solver for small problems, compiled once per instruction set like simd/table.cpp (see there for the rules).
#include "small/small_newton.hpp"

namespace separatrix::SEPARATRIX_ISA {
namespace {

Index memory(const SmallProblem& problem) {
    return problem.gram != nullptr ? SmallSolver<GramSpace>::memory(problem) : SmallSolver<RowSpace>::memory(problem);
}

void solve(const SmallProblem& problem, double* block, SmallAnswer& answer) {
    Memory memory(block);
    if (problem.gram != nullptr) {
        SmallSolver<GramSpace>(problem, memory).solve(answer);
    } else {
        SmallSolver<RowSpace>(problem, memory).solve(answer);
    }
}

void pack(const double* X, Index d, const std::int32_t* ids, Index rows, bool ones, double* panels) {
    const Index D = d + (ones ? 1 : 0);
    for (Index i = 0; i < padded(rows); ++i) {
        double* out = panels + i / small_width * small_width * D + i % small_width;
        const double* x = i < rows ? X + ids[i] * d : nullptr;
        for (Index j = 0; j < d; ++j) out[j * small_width] = i < rows ? x[j] : 0.0;
        if (ones) out[d * small_width] = i < rows ? 1.0 : 0.0;
    }
}

void gram(const double* X, Index rows, Index d, double* scratch, double* G) {
    const Index m = padded(rows);
    double *transposed = scratch, *A = scratch + d * m;
    constexpr Index together = 8;  // columns, of which each row has a line of the cache
    for (Index first = 0; first < d; first += together) {
        const Index last = d < first + together ? d : first + together;
        for (Index i = 0; i < m; ++i)
            for (Index j = first; j < last; ++j) transposed[j * m + i] = i < rows ? X[i * d + j] : 0.0;
    }
    fill(A, 0, m * m);
    add_products_of_rows(transposed, d, m, A);
    for (Index i = 0; i < rows; ++i)
        for (Index j = i; j < rows; ++j) G[i * rows + j] = G[j * rows + i] = A[i * m + j];
}

}  // namespace

extern const SmallTable small_table;
const SmallTable small_table = {.memory = memory, .solve = solve, .pack = pack, .gram = gram};

}  // namespace separatrix::SEPARATRIX_ISA
