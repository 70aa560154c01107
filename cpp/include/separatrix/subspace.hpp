// Exact maximisation of the dual over the span of the last few moves.
//
// Coordinate descent creeps along a few ill-conditioned directions; the moves of the last sweeps span them. With
// moves p_1 .. p_k (of alpha) and P_j = sum_i p_ij y_i x_i (of w), restricted to rows strictly inside their bounds,
//
//     max_c  sum_j c_j g_j - 1/2 c' M c,   g_j = p_j . (1 - shift alpha) - w . P_j - b s_j,
//                                          M_jl = P_j . P_l + p_j . (shift p_l) + kappa s_j s_l,   s_j = p_j . y
//
// is a k x k system. Rows that the step would carry over a bound are clipped, and the step is kept only if the
// dual rises. This is a limited-memory relative of conjugate gradients that survives changes of the free set.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "separatrix/buffer.hpp"
#include "separatrix/kernels.hpp"

namespace separatrix {

inline constexpr int max_moves = 8;

// Solves M c = g for symmetric positive semidefinite M (k x k); directions without curvature get c_j = 0.
inline void solve_small(int k, std::array<std::array<double, max_moves>, max_moves> M,
                        std::array<double, max_moves> g, std::array<double, max_moves>& c) {
    std::array<bool, max_moves> used{};
    std::array<double, max_moves> scale{};
    for (int j = 0; j < k; ++j) scale[j] = M[j][j];
    for (int j = 0; j < k; ++j) {  // Gaussian elimination in place; pivots are the Schur complements
        used[j] = M[j][j] > 1e-10 * scale[j] && M[j][j] > 0;
        if (!used[j]) continue;
        for (int l = j + 1; l < k; ++l) {
            const double factor = M[l][j] / M[j][j];
            for (int m = j; m < k; ++m) M[l][m] -= factor * M[j][m];
            g[l] -= factor * g[j];
        }
    }
    for (int j = k - 1; j >= 0; --j) {
        c[j] = 0;
        if (!used[j]) continue;
        double sum = g[j];
        for (int m = j + 1; m < k; ++m) sum -= M[j][m] * c[m];
        c[j] = sum / M[j][j];
    }
}

}  // namespace separatrix
