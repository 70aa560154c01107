// A Newton step in the space of the rows: w is known, and a pass over the rows gives their scores.
//
//     (I + X_F^T D X_F) dw + X_F^T D 1 db = -g        g = w - sum_i c_i x_i,   D = diag(rho_F)
//     1^T D X_F dw + (1^T D 1) db = sum_i c_i         the second with a free bias
//
// With fewer rows F than columns the same step is dw = -g - X_F^T v, (X_F X_F^T + D^-1) v = -X_F g + db.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "small/small_cholesky.hpp"
#include "small/small_memory.hpp"

namespace separatrix::SEPARATRIX_ISA {

// The rows that a step takes as free: they lie on the quadratic piece of the loss.
struct FreeRows {
    const std::int32_t* rows;
    Index count;
    const double* rho;  // (n) curvature of each row's loss
};

struct Direction {
    double db;
    double slope, curvature;  // of 1/2 ||w||^2: w.dw and ||dw||^2
};

class RowSpace {
public:
    RowSpace(const SmallProblem& problem, Memory& memory)
        : p(problem), n(p.rows), D(p.columns), Dp(padded(D)), order(padded(D + 1)), d(D - ones()) {
        w = memory.zeros(Dp);
        dw = memory.zeros(Dp);
        g = memory.zeros(Dp);
        sum = memory.zeros(Dp);
        kept = memory.zeros(Dp);
        known = memory.zeros(padded(n));
        A = memory.take(order * order);
        M = memory.take(chunk_of(order) * order);
        right = memory.take(order);
        ones_right = memory.take(order);
        diagonal = memory.take(order);
        inverse = memory.take(order);
    }
    static Index memory(const SmallProblem& p) {
        const Index n = padded(p.rows), order = padded(p.columns + 1);
        return n + order * order + chunk_of(order) * order + 9 * order;
    }

    static constexpr bool has_matrix = false;  // of the kernel
    std::int64_t work = 0;

    double squared_norm(Index i) const {
        double out = static_cast<double>(ones());
        for (Index j = 0; j < d; ++j) out += row(i)[j] * row(i)[j];
        return out;
    }
    // A bound on the sum of the terms of a score, over the norm of its row.
    double terms() const { return sqrt(square()); }
    double square() const { return padded_dot(w, w, Dp); }

    // The step for coefficients c (n) of the rows, and what it adds to their scores: df (padded n), without db.
    Direction direction(const FreeRows& F, const double* c, double total_c, double* df) {
        update_sum(c);
        for (Index j = 0; j < Dp; ++j) g[j] = w[j] - sum[j];
        Direction out{0, 0, 0};
        if (F.count == 0) {
            for (Index j = 0; j < Dp; ++j) dw[j] = -g[j];
        } else if (F.count <= D) {
            few_rows(F, total_c, out.db);
        } else {
            many_rows(F, total_c, out.db);
        }
        scores(dw, df);
        out.slope = padded_dot(w, dw, Dp);
        out.curvature = padded_dot(dw, dw, Dp);
        return out;
    }

    // alpha of the free rows after a whole step, straight from its system: 1 - m has lost its digits where rho is large.
    void free_alpha(const FreeRows& F, const double* c, const double* df, double db, double* alpha) const {
        for (Index k = 0; k < F.count; ++k) {
            const Index i = F.rows[k];
            alpha[i] = p.y[i] * (c[i] - (F.count <= D ? right[k] : F.rho[i] * (df[i] + db)));
        }
    }

    void move(double t) { padded_axpy(t, dw, w, Dp); }

    // w = sum_i c_i x_i from scratch, and the scores of all rows
    void restart(const double* c, double* f) {
        fill(sum, 0, Dp);
        fill(known, 0, padded(n));
        update_sum(c);
        copy(sum, w, Dp);
        scores(w, f);
    }

    // Remembers w; `go_back` returns to it.
    void keep() { copy(w, kept, Dp); }
    void go_back() { copy(kept, w, Dp); }

    // The scores of w from scratch.
    void rescore(double* f) { scores(w, f); }

    void answer(SmallAnswer& out) const {
        if (p.bias == SmallBias::augmented) out.b = w[d];
        copy(w, out.w, Dp);
    }

private:
    static constexpr Index chunk = 128;  // rows that are weighted at a time, so that they stay in the cache
    static Index chunk_of(Index order) { return order > chunk ? order : chunk; }

    Index ones() const { return p.bias == SmallBias::augmented ? 1 : 0; }
    bool free_bias() const { return p.bias == SmallBias::free; }
    const double* row(Index i) const { return p.X + p.ids[i] * d; }

    void update_sum(const double* c) {
        for (Index i = 0; i < n; ++i) {
            const double change = c[i] - known[i];
            if (change == 0) continue;
            known[i] = c[i];
            const double* SEPARATRIX_RESTRICT x = row(i);
            double* SEPARATRIX_RESTRICT out = sum;
            for (Index j = 0; j < d; ++j) out[j] += change * x[j];
            if (ones()) out[d] += change;
            work += D;
        }
    }

    void scores(const double* of, double* out) {
        const double* panel = p.panels;
        for (Index i = 0; i < n; i += small_width, panel += small_width * D) {
            Wide even[registers], odd[registers];
            for (int k = 0; k < registers; ++k) even[k] = odd[k] = Wide::spread(0);
            Index j = 0;
            for (; j + 2 <= D; j += 2) {
                const Wide left = Wide::spread(of[j]), next = Wide::spread(of[j + 1]);
                const double* at = panel + j * small_width;
                for (int k = 0; k < registers; ++k) {
                    even[k] = Wide::fma(left, Wide::load(at + k * Wide::width), even[k]);
                    odd[k] = Wide::fma(next, Wide::load(at + small_width + k * Wide::width), odd[k]);
                }
            }
            if (j < D) {
                const Wide left = Wide::spread(of[j]);
                for (int k = 0; k < registers; ++k)
                    even[k] = Wide::fma(left, Wide::load(panel + j * small_width + k * Wide::width), even[k]);
            }
            for (int k = 0; k < registers; ++k) (even[k] + odd[k]).store(out + i + k * Wide::width);
        }
        work += n * D;
    }

    void few_rows(const FreeRows& F, double total_c, double& db) {
        const Index m = padded(F.count);
        double* transposed = M;  // (D, m)
        for (Index i = 0; i < m; ++i) {
            const bool there = i < F.count;
            const double* x = there ? row(F.rows[i]) : nullptr;
            for (Index j = 0; j < d; ++j) transposed[j * m + i] = there ? x[j] : 0.0;
            if (ones()) transposed[d * m + i] = there ? 1.0 : 0.0;
        }
        fill(A, 0, m * m);
        add_products_of_rows(transposed, D, m, A);
        for (Index i = 0; i < m; ++i) {
            A[i * m + i] += i < F.count ? 1.0 / F.rho[F.rows[i]] : 1.0;
            right[i] = 0;
            ones_right[i] = i < F.count ? 1.0 : 0.0;
        }
        for (Index j = 0; j < D; ++j) padded_axpy(-g[j], transposed + j * m, right, m);
        factorise(A, m, diagonal, inverse);
        if (free_bias())
            db = solve_with_sum(A, m, inverse, right, ones_right, F.count, total_c);
        else
            solve_factorised(A, m, inverse, right);
        for (Index j = 0; j < D; ++j) dw[j] = -g[j] - padded_dot(transposed + j * m, right, m);
        work += m * m * (D + m / 3) / 2;
    }

    void many_rows(const FreeRows& F, double total_c, double& db) {
        const Index all = D + (free_bias() ? 1 : 0), m = padded(all);
        const double *factor = A, *inverses = inverse;
        if (F.count == n && p.shared != nullptr) {
            factor = p.shared->factor, inverses = p.shared->inverse;
            if (!is_shared(F)) {
                factorise_columns(F, all, p.shared->factor, p.shared->inverse);
                copy(F.rho, p.shared->rho, n);
                p.shared->known = true;
            }
        } else {
            factorise_columns(F, all, A, inverse);
        }
        for (Index j = 0; j < m; ++j) right[j] = j < D ? -g[j] : 0.0;
        if (free_bias()) right[D] = total_c;
        solve_factorised(factor, m, inverses, right);
        for (Index j = 0; j < D; ++j) dw[j] = right[j];
        if (free_bias()) db = right[D];
        work += m * m * (F.count + m / 3) / 2;  // even if it was shared: the count does not depend on threads
    }

    bool is_shared(const FreeRows& F) const {
        bool same = p.shared->known;
        for (Index i = 0; i < n && same; ++i) same = F.rho[i] == p.shared->rho[i];
        return same;
    }

    // I + X_F^T D X_F, with a free bias as the last of `all` columns
    void factorise_columns(const FreeRows& F, Index all, double* out, double* inverses) {
        const Index m = padded(all);
        fill(out, 0, m * m);
        for (Index j = 0; j < m; ++j) out[j * m + j] = j < D || j >= all ? 1.0 : 0.0;
        for (Index first = 0; first < F.count; first += chunk) {
            const Index count = F.count - first < chunk ? F.count - first : chunk;
            for (Index i = 0; i < count; ++i) {
                const double* SEPARATRIX_RESTRICT x = row(F.rows[first + i]);
                double* SEPARATRIX_RESTRICT weighted = M + i * m;
                const double by = sqrt(F.rho[F.rows[first + i]]);
                for (Index j = 0; j < d; ++j) weighted[j] = by * x[j];
                for (Index j = d; j < m; ++j) weighted[j] = j < all ? by : 0.0;
            }
            add_products_of_rows(M, count, m, out);
        }
        factorise(out, m, diagonal, inverses);
    }

    const SmallProblem& p;
    Index n, D, Dp, order, d;
    double *w, *dw, *g, *sum, *kept, *known;  // sum = sum_i known_i x_i
    double *A, *M, *right, *ones_right, *diagonal, *inverse;
};

}  // namespace separatrix::SEPARATRIX_ISA
