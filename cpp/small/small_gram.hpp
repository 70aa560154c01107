// A Newton step in the space of a kernel, whose matrix is given: w = sum_i beta_i phi(x_i), f = G beta.
//
//     dbeta = c - beta - v on F,   (G_FF + D^-1) v = (G (c - beta))_F + db
//
// An augmented bias adds one to every entry of G.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "small/small_pairs.hpp"
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
        last_rows = memory.take(most_copied(p) * np);
        at = reinterpret_cast<const double**>(memory.take(np));
        find_rows();
    }
    static Index memory(const SmallProblem& p) {
        const Index n = padded(p.rows);
        return 9 * n + n * n + most_copied(p) * n;
    }

    static constexpr bool has_matrix = true;  // of the kernel
    std::int64_t work = 0;

    double squared_norm(Index i) const { return row(i)[i] + shift; }
    // A bound on the sum of the terms of a score, over the norm of its row.
    double terms() const {
        double out = 0;
        for (Index i = 0; i < n; ++i) out += fabs(beta[i]) * sqrt(squared_norm(i));
        return out;
    }
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

    // alpha of the free rows after a whole step, straight from its system: 1 - m has lost its digits where rho is large.
    void free_alpha(const FreeRows& F, const double* c, const double*, double, double* alpha) const {
        for (Index i = 0; i < F.count; ++i) alpha[F.rows[i]] = p.y[F.rows[i]] * (c[F.rows[i]] - right[i]);
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

    // At most `steps` steps on pairs of rows from alpha and f on, until the margins are right up to `tolerance`; the
    // violation that is left.
    double descend(const double* upper, double tolerance, std::int64_t steps, double* alpha, double* f, double& b,
                   double* scratch) {
        const auto rows = [this](Index i) { return row(i); };
        double* bend = right;
        for (Index i = 0; i < np; ++i) {
            bend[i] = p.squared && i < n ? 0.5 / p.C[i] : 0.0;
            f[i] = p.y[i] - f[i] - bend[i] * alpha[i] * p.y[i];
        }
        PairDescent<decltype(rows)> descent({p.y, upper, bend, alpha, f, diagonal, inverse, scratch}, rows, n,
                                            p.bias == SmallBias::free, shift);
        descent.run(tolerance, steps);
        work += (descent.steps + 1) * pair_work();
        b = p.bias == SmallBias::free ? descent.bias : 0.0;
        for (Index i = 0; i < np; ++i) {
            beta[i] = alpha[i] * p.y[i];
            scores[i] = f[i] = p.y[i] - f[i] - bend[i] * beta[i];
        }
        return descent.violation;
    }
    std::int64_t pair_work() const { return 5 * np; }

    // An answer in this space has no w but the sum over alpha, so there is nothing to remember.
    static void keep() {}
    static void go_back() {}

    void answer(SmallAnswer& out) const {
        if (p.bias != SmallBias::augmented) return;
        out.b = 0;
        for (Index i = 0; i < n; ++i) out.b += beta[i];
    }

    // Row i of G, of which the padding has any finite numbers.
    const double* row(Index i) const {
        if (at[i] == nullptr) gather(i);
        return at[i];
    }

private:
    bool all_rows() const { return n == p.gram_rows; }
    // Rows that are copied because their padding would lie behind the end of G, or because they have gaps.
    static Index most_copied(const SmallProblem& p) {
        return p.rows == p.gram_rows && p.rows >= small_width ? 1 : p.rows;
    }

    void find_rows() {
        for (Index i = 0; i < n; ++i) {
            const bool fits = (i + 1) * n + small_width <= n * n;
            at[i] = all_rows() && fits ? p.gram + i * n : nullptr;
        }
    }

    void gather(Index i) const {
        double* out = last_rows + (most_copied(p) == 1 ? 0 : i) * np;
        const double* values = p.gram + p.ids[i] * p.gram_rows;
        for (Index j = 0; j < np; ++j) out[j] = j < n ? values[p.ids[j]] : 0.0;
        at[i] = out;
    }

    // out = (G + shift) coef
    void combine(const double* coef, double* SEPARATRIX_RESTRICT out) {
        Index used = 0;
        double sum = 0;
        const double* rows[4];
        double by[4];
        fill(out, 0, np);
        for (Index i = 0; i < n; ++i) {
            if (coef[i] == 0) continue;
            sum += coef[i];
            by[used % 4] = coef[i];
            rows[used++ % 4] = row(i);
            if (used % 4 == 0) add_four(rows, by, out);
        }
        for (Index k = 0; k < used % 4; ++k) padded_axpy(by[k], rows[k], out, np);
        for (Index j = 0; j < n; ++j) out[j] += shift * sum;
        work += used * n;
    }

    void add_four(const double* const* rows, const double* by, double* SEPARATRIX_RESTRICT out) const {
        const Wide p0 = Wide::spread(by[0]), p1 = Wide::spread(by[1]), p2 = Wide::spread(by[2]),
                   p3 = Wide::spread(by[3]);
        for (Index j = 0; j < np; j += Wide::width) {
            const Wide first = Wide::fma(p0, Wide::load(rows[0] + j), p1 * Wide::load(rows[1] + j));
            const Wide second = Wide::fma(p2, Wide::load(rows[2] + j), p3 * Wide::load(rows[3] + j));
            (Wide::load(out + j) + (first + second)).store(out + j);
        }
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
            for (Index j = i; j < F.count; ++j) A[i * m + j] = values[F.rows[j]] + shift;
            A[i * m + i] += 1.0 / F.rho[F.rows[i]];
            double sum = shifted;
            for (Index k = 0; k < count; ++k) sum += step[moved[k]] * values[moved[k]];
            right[i] = sum;
            ones_right[i] = 1;
        }
        factorise(A, m, diagonal, inverse);
        if (p.bias == SmallBias::free)
            db = solve_with_sum(A, m, inverse, right, ones_right, F.count, total_c);
        else
            solve_factorised(A, m, inverse, right);
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
    double* last_rows;
    const double** at;  // the rows of G
};

}  // namespace separatrix::SEPARATRIX_ISA
