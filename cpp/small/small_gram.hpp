// A Newton step in the space of a kernel, whose matrix is given: w = sum_i beta_i phi(x_i), f = G beta.
//
//     dbeta = c - beta - v on F,   (G_FF + D^-1) v = (G (c - beta))_F + db
//
// An augmented bias adds one to every entry of G.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "small/small_rows.hpp"

namespace separatrix::SEPARATRIX_ISA {

class GramSpace {
public:
    GramSpace(const SmallProblem& problem, Memory& memory)
        : p(problem), n(p.rows), np(padded(n)), shift(p.bias == SmallBias::augmented ? 1.0 : 0.0) {
        beta = memory.zeros(np);
        step = memory.zeros(np);
        scores = memory.zeros(np);
        right = memory.take(np);
        ones_right = memory.take(np);
        diagonal = memory.take(np);
        inverse = memory.take(np);
        moved = memory.take_ids(np);
        A = memory.take(np * np);
    }
    static Index memory(const SmallProblem& p) {
        const Index n = padded(p.rows);
        return 9 * n + n * n;
    }

    std::int64_t work = 0;

    double square() const { return padded_dot(beta, scores, np); }

    Direction direction(const FreeRows& F, const double* c, double total_c, double* df) {
        Index count = 0;
        for (Index i = 0; i < n; ++i) {
            step[i] = c[i] - beta[i];
            moved[count] = static_cast<std::int32_t>(i);
            count += step[i] != 0 ? 1 : 0;
        }
        Direction out{0, 0, 0};
        if (F.count > 0) solve(F, count, total_c, out.db);
        combine(step, df);
        out.slope = padded_dot(step, scores, np);
        out.curvature = padded_dot(step, df, np);
        last = df;
        return out;
    }

    void move(double t) {
        padded_axpy(t, step, beta, np);
        padded_axpy(t, last, scores, np);
    }

    void restart(const double* c, double* f) {
        copy(c, beta, np);
        combine(beta, f);
        copy(f, scores, np);
    }

    // An answer in this space has no w but the sum over alpha.
    static bool keep(double*) { return false; }
    static void go_back() {}

    void answer(SmallAnswer& out) const {
        if (p.bias != SmallBias::augmented) return;
        out.b = 0;
        for (Index i = 0; i < n; ++i) out.b += beta[i];
    }

private:
    const double* row(Index i) const { return p.gram + p.ids[i] * p.gram_rows; }

    // out = (G + shift) coef
    void combine(const double* coef, double* SEPARATRIX_RESTRICT out) {
        double sum = 0;
        Index used = 0;
        fill(out, 0, np);
        const bool all = n == p.gram_rows;
        for (Index i = 0; i < n; ++i) {
            const double by = coef[i];
            if (by == 0) continue;
            sum += by;
            ++used;
            const double* SEPARATRIX_RESTRICT values = row(i);
            if (all) {
                for (Index j = 0; j < n; ++j) out[j] += by * values[j];
            } else {
                for (Index j = 0; j < n; ++j) out[j] += by * values[p.ids[j]];
            }
        }
        for (Index j = 0; j < n; ++j) out[j] += shift * sum;
        work += used * n;
    }

    void solve(const FreeRows& F, Index count, double total_c, double& db) {
        const Index m = padded(F.count);
        fill(A, 0, m * m);
        double shifted = 0;
        for (Index k = 0; k < count; ++k) shifted += shift * step[moved[k]];
        for (Index i = 0; i < m; ++i) {
            right[i] = ones_right[i] = 0;
            if (i >= F.count) {
                A[i * m + i] = 1;
                continue;
            }
            const double* values = row(F.rows[i]);
            for (Index j = i; j < F.count; ++j) A[i * m + j] = values[p.ids[F.rows[j]]] + shift;
            A[i * m + i] += 1.0 / F.rho[F.rows[i]];
            double sum = shifted;
            for (Index k = 0; k < count; ++k) sum += step[moved[k]] * values[p.ids[moved[k]]];
            right[i] = sum;
            ones_right[i] = 1;
        }
        factorise(A, m, diagonal, inverse);
        solve_factorised(A, m, inverse, right);
        if (p.bias == SmallBias::free) {
            solve_factorised(A, m, inverse, ones_right);
            double of_right = 0, of_ones = 0;
            for (Index i = 0; i < F.count; ++i) {
                of_right += right[i];
                of_ones += ones_right[i];
            }
            db = (total_c - of_right) / of_ones;
            padded_axpy(db, ones_right, right, m);
        }
        for (Index i = 0; i < F.count; ++i) step[F.rows[i]] -= right[i];
        work += F.count * (count + m * m / 6);
    }

    const SmallProblem& p;
    Index n, np;
    double shift;
    double *beta, *step, *scores;  // scores = G beta
    double *right, *ones_right, *diagonal, *inverse, *A;
    const double* last = nullptr;  // what the last direction adds to the scores
    std::int32_t* moved;
};

}  // namespace separatrix::SEPARATRIX_ISA
