// The dual active-set method of Goldfarb and Idnani for least-norm points of a polyhedron.
//
//     min 1/2 ||w||^2   s.t.   a_i . u >= c_i,   u = w   or, with a free bias,   u = (w, b / tau), a_i = y_i (x_i, tau)
//
// Every iterate is optimal for the constraints it holds active, so rows may be added at any time. It ends with u and
// multipliers alpha > 0 on linearly independent rows, w = sum alpha_i a_i (and sum alpha_i y_i = 0 with a free bias);
// or with lambda > 0 on a circuit of rows, sum lambda_i a_i = 0, sum lambda_i c_i > 0: no u exists.
//
// The active rows are kept as A = L Q, Q with orthonormal rows; a row enters by Gram-Schmidt and leaves by
// rotations. D. Goldfarb, A. Idnani, A numerically stable dual method for solving strictly convex quadratic programs,
// Mathematical Programming 27 (1983). With a free bias the factor holds (x, tau) and the direction is corrected so
// that the last entry of sum alpha_i a_i stays zero; that leaves the problem unchanged for every tau.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "active_set/dense.hpp"

namespace separatrix {

class ActiveSet {
public:
    enum class Outcome { optimal, infeasible, stalled };

    ActiveSet(Index width, bool free_bias) : D(width), free(free_bias), u(D, 0.0), step(D) {}

    // Rows (count, D) and their right-hand sides; copied.
    void add(const double* rows, const double* rhs, Index count) {
        V.insert(V.end(), rows, rows + count * D);
        c.insert(c.end(), rhs, rhs + count);
        for (Index i = 0; i < count; ++i) norm.push_back(std::sqrt(dense::dot(rows + i * D, rows + i * D, D)));
        active_at.resize(c.size(), -1);
        value.resize(c.size());
        candidates.clear();
    }

    // A first active pair, one row of each class; needed with a free bias, before the first `solve`.
    Outcome begin_with(Index p, Index q) {
        for (Index j = 0; j + 1 < D; ++j) step[j] = row(p)[j] + row(q)[j];
        const double squared = dense::dot(step.data(), step.data(), D - 1);
        if (squared <= tiny * norm[p] * norm[p]) {
            certificate_rows = {p, q};
            certificate_weights = {1.0, 1.0};
            return Outcome::infeasible;
        }
        const double a = (c[p] + c[q]) / squared;
        for (const Index i : {p, q}) {
            project(row(i));
            append(i, a);
        }
        resolve();
        return Outcome::optimal;
    }

    // `keep_going` is asked now and then, a few times in a second; it may throw, and then the point is as it was.
    template <class Question>
    Outcome solve(Index max_steps, const Question& keep_going) {
        double work = 0.0;
        for (Index steps = 0; steps < max_steps;) {
            work += static_cast<double>(D) * static_cast<double>(c.size() + W.size());
            if (work > often) {
                keep_going();
                work = 0.0;
            }
            const Index p = most_violated();
            if (p < 0) {
                if (fresh) return Outcome::optimal;
                refactor();
                continue;
            }
            const Outcome outcome = enter(p, steps);
            if (outcome != Outcome::optimal) return outcome;
        }
        return Outcome::stalled;
    }

    Index width() const { return D; }
    Index count() const { return static_cast<Index>(c.size()); }
    const std::vector<double>& point() const { return u; }
    const std::vector<Index>& active() const { return W; }
    const std::vector<double>& multipliers() const { return alpha; }
    const std::vector<Index>& dependent() const { return certificate_rows; }
    const std::vector<double>& dependence() const { return certificate_weights; }

private:
    static constexpr double stale = 0.3;   // the part of the worst violation below which all rows are looked at again
    static constexpr double often = 5e7;   // multiplications between two questions whether to go on
    static constexpr double tiny = 1e-26;  // squared sine below which a row counts as dependent on the active ones

    const double* row(Index i) const { return V.data() + i * D; }
    double* q_row(Index k) { return Q.data() + k * D; }
    double* l_row(Index k) { return L.data() + k * capacity; }

    // A constraint that is violated about as much as any, relative to its norm; -1 if none is. All rows are looked at
    // when the worst of the last measurement have become much less violated; until then only those.
    Index most_violated() {
        double most = 0.0;
        size = std::sqrt(dense::dot(u.data(), u.data(), D));
        Index worst = -1;
        for (const Index i : candidates) {
            value[i] = dense::dot(row(i), u.data(), D);
            const double share = violation(i);
            if (share > most) most = share, worst = i;
        }
        if (most >= stale * worst_seen && worst >= 0) return worst;
        return full_look();
    }

    Index full_look() {
        const Index n = static_cast<Index>(c.size());
        dense::matvec(V.data(), n, D, u.data(), value.data());
        ranked.clear();
        for (Index i = 0; i < n; ++i) {
            const double share = violation(i);
            if (share > 0.0) ranked.emplace_back(-share, i);
        }
        candidates.clear();
        worst_seen = 0.0;
        if (ranked.empty()) return -1;
        const std::size_t keep = std::min<std::size_t>(ranked.size(), 4 + n / 16);
        std::partial_sort(ranked.begin(), ranked.begin() + keep, ranked.end());
        for (std::size_t k = 0; k < keep; ++k) candidates.push_back(ranked[k].second);
        worst_seen = -ranked[0].first;
        return candidates[0];
    }

    // Violation of row i, its distance below its bound, over its norm; 0 where that is rounding, or the row is active.
    double violation(Index i) const {
        const double slack = c[i] - value[i];
        if (active_at[i] >= 0 || !(slack > 1e-13 * (std::abs(c[i]) + norm[i] * size))) return 0.0;
        return norm[i] > 0.0 ? slack / norm[i] : infinity;
    }

    // Bring constraint p to equality, dropping constraints that block the way.
    Outcome enter(Index p, Index& steps) {
        double slack = c[p] - value[p], weight = 0.0;
        project(row(p));
        for (;; ++steps) {
            find_step();
            const double curvature = dense::dot(step.data(), step.data(), free ? D - 1 : D);
            // D active rows span the space: what is left of another one is rounding, whatever its size.
            const bool dependent_row = curvature <= tiny * norm[p] * norm[p] || static_cast<Index>(W.size()) >= D;
            const Index blocking = ratio_test();
            const double dual = blocking < 0 ? infinity : alpha[blocking] / r[blocking];
            const double primal = dependent_row ? infinity : slack / curvature;
            if (blocking < 0 && dependent_row) return infeasible(p);
            const double t = std::min(dual, primal);
            if (!std::isfinite(t)) return Outcome::stalled;
            for (std::size_t k = 0; k < W.size(); ++k) alpha[k] -= t * r[k];
            weight += t;
            if (!dependent_row) {
                if (free) step[D - 1] = bias_step;
                dense::axpy(t, step.data(), u.data(), D);
                slack -= t * curvature;
            }
            if (primal <= dual) {
                append(p, weight);
                fresh = false;
                return Outcome::optimal;
            }
            drop(blocking);
        }
    }

    // direction = the part of a orthogonal to the active rows, by Gram-Schmidt done twice where once is not enough.
    void project(const double* a) {
        const Index k = static_cast<Index>(W.size());
        enter_g.assign(k, 0.0);
        work.resize(k);
        direction.assign(a, a + D);
        const double before = dense::dot(a, a, D);
        for (int pass = 0; pass < 2; ++pass) {
            dense::matvec(Q.data(), k, D, direction.data(), work.data());
            for (Index i = 0; i < k; ++i) {
                enter_g[i] += work[i];
                work[i] = -work[i];
            }
            dense::add_transposed(Q.data(), k, D, work.data(), direction.data());
            const double left = dense::dot(direction.data(), direction.data(), D);
            residual = std::sqrt(left);
            if (left > 0.1 * before) break;  // little cancelled: the rest is orthogonal already
        }
    }

    // step = the way that the active rows leave free, r = how fast their multipliers fall; after `project`.
    void find_step() {
        const Index k = static_cast<Index>(W.size());
        g = enter_g;
        r.resize(k);
        work.resize(k);
        step = direction;
        bias_step = 0.0;
        if (free && k > 0) {
            // The change of b / tau that keeps sum alpha_i y_i at zero.
            double squared = 0.0;
            for (Index i = 0; i < k; ++i) squared += q_row(i)[D - 1] * q_row(i)[D - 1];
            bias_step = direction[D - 1] / squared;
            for (Index i = 0; i < k; ++i) {
                work[i] = -bias_step * q_row(i)[D - 1];
                g[i] -= work[i];
            }
            dense::add_transposed(Q.data(), k, D, work.data(), step.data());
        }
        back_substitute(g.data(), r.data());
    }

    // r = L^-T g
    void back_substitute(const double* right, double* out) {
        const Index k = static_cast<Index>(W.size());
        std::copy(right, right + k, out);
        for (Index i = k - 1; i >= 0; --i) {
            out[i] /= l_row(i)[i];
            dense::axpy(-out[i], l_row(i), out, i);
        }
    }

    Index ratio_test() const {
        Index best = -1;
        double largest = 0.0;
        for (const double value_of : r) largest = std::max(largest, std::abs(value_of));
        for (Index i = 0; i < static_cast<Index>(r.size()); ++i) {
            if (r[i] <= 1e-13 * largest) continue;
            if (best < 0 || alpha[i] * r[best] < alpha[best] * r[i]) best = i;
        }
        return best;
    }

    // Uses the last `project`: enter_g, direction, residual.
    void append(Index i, double weight) {
        const Index k = static_cast<Index>(W.size());
        if (k + 1 > capacity) grow();
        Q.resize((k + 1) * D);
        std::copy(enter_g.begin(), enter_g.end(), l_row(k));
        l_row(k)[k] = residual;
        const double inverse = residual > 0 ? 1.0 / residual : 0.0;
        for (Index j = 0; j < D; ++j) q_row(k)[j] = direction[j] * inverse;
        W.push_back(i);
        alpha.push_back(weight);
        active_at[i] = k;
    }

    void drop(Index j) {
        const Index k = static_cast<Index>(W.size());
        active_at[W[j]] = -1;
        for (Index i = j; i + 1 < k; ++i) {
            std::copy(l_row(i + 1), l_row(i + 1) + i + 2, l_row(i));
            W[i] = W[i + 1];
            alpha[i] = alpha[i + 1];
            active_at[W[i]] = i;
        }
        // Row i of L now reaches to column i + 1; rotate columns i, i + 1 (and rows of Q) to clear that entry. Row
        // by row, each taking the rotations of the rows before it, so that memory is read in order.
        cosines.resize(k);
        sines.resize(k);
        for (Index m = j; m + 1 < k; ++m) {
            double* entries = l_row(m);
            for (Index i = j; i < m; ++i) turn(entries, i);
            const double length = std::hypot(entries[m], entries[m + 1]);
            cosines[m] = length > 0 ? entries[m] / length : 1.0;
            sines[m] = length > 0 ? entries[m + 1] / length : 0.0;
            turn(entries, m);
            turn(enter_g.data(), m);
            simd().rows.rotate(q_row(m), q_row(m + 1), cosines[m], sines[m], D);
        }
        // The last row of Q is free again: what the entering row has along it belongs to its direction.
        dense::axpy(enter_g[k - 1], q_row(k - 1), direction.data(), D);
        enter_g.pop_back();
        residual = std::sqrt(dense::dot(direction.data(), direction.data(), D));
        W.pop_back();
        alpha.pop_back();
        Q.resize((k - 1) * D);
        fresh = false;
    }

    void turn(double* entries, Index i) const {
        const double left = entries[i], right = entries[i + 1];
        entries[i] = cosines[i] * left + sines[i] * right;
        entries[i + 1] = cosines[i] * right - sines[i] * left;
    }

    // u and alpha from the factor alone, free of the errors that updates leave behind.
    void resolve() {
        const Index k = static_cast<Index>(W.size());
        work.resize(k);
        for (Index i = 0; i < k; ++i) {
            work[i] = (c[W[i]] - dense::dot(l_row(i), work.data(), i)) / l_row(i)[i];
        }
        double bias = 0.0;
        if (free) {
            double along = 0.0, squared = 0.0;
            for (Index i = 0; i < k; ++i) {
                along += q_row(i)[D - 1] * work[i];
                squared += q_row(i)[D - 1] * q_row(i)[D - 1];
            }
            bias = along / squared;
            for (Index i = 0; i < k; ++i) work[i] -= bias * q_row(i)[D - 1];
        }
        back_substitute(work.data(), alpha.data());
        std::fill(u.begin(), u.end(), 0.0);
        dense::add_transposed(Q.data(), k, D, work.data(), u.data());
        if (free) u[D - 1] = bias;
    }

    void refactor() {
        const std::vector<Index> rows = W;
        const std::vector<double> weights = alpha;
        W.clear();
        alpha.clear();
        Q.clear();
        for (std::size_t k = 0; k < rows.size(); ++k) {
            project(row(rows[k]));
            append(rows[k], weights[k]);
        }
        resolve();
        // A multiplier that rounding had kept positive: let the row go, it may come back.
        for (Index k = static_cast<Index>(W.size()) - 1; k >= 0; --k) {
            if (alpha[k] < 0 && W.size() > (free ? 2u : 0u)) {
                enter_g.assign(W.size(), 0.0);  // no row is entering
                drop(k);
                resolve();
            }
        }
        fresh = true;
    }

    Outcome infeasible(Index p) {
        certificate_rows = {p};
        certificate_weights = {1.0};
        for (std::size_t k = 0; k < W.size(); ++k) {
            if (r[k] < 0) {
                certificate_rows.push_back(W[k]);
                certificate_weights.push_back(-r[k]);
            }
        }
        return Outcome::infeasible;
    }

    void grow() {
        const Index wider = std::max<Index>(16, std::max(capacity + 1, std::min(2 * capacity, D)));
        std::vector<double> bigger(wider * wider, 0.0);
        for (std::size_t i = 0; i < W.size(); ++i) std::copy(l_row(i), l_row(i) + capacity, bigger.data() + i * wider);
        L.swap(bigger);
        capacity = wider;
    }

    static constexpr double infinity = std::numeric_limits<double>::infinity();

    Index D;
    bool free;
    bool fresh = true;  // whether u and alpha come straight from the factor
    Index capacity = 0;
    std::vector<double> V, c, norm, value;  // the rows, their right-hand sides, norms and a_i . u
    std::vector<double> u, alpha, L, Q;
    std::vector<Index> W, active_at;
    std::vector<Index> candidates;  // the worst rows of the last look at all of them
    std::vector<std::pair<double, Index>> ranked;
    double worst_seen = 0.0, size = 0.0;
    std::vector<double> step, direction, g, enter_g, r, work, cosines, sines;
    double residual = 0.0, bias_step = 0.0;
    std::vector<Index> certificate_rows;
    std::vector<double> certificate_weights;
};

}  // namespace separatrix
