// Support vector machines of few rows to the last digits: Newton's method on augmented Lagrangians of the dual.
//
//     min_{w, b}  1/2 ||w||^2 + sum_i psi_i(m_i),   m_i = y_i (w.x_i + b),   -psi_i'(m_i) = alpha_i
//     alpha_i = min(max(a_i + rho_i (1 - m_i), 0), upper_i)
//
// The squared hinge is this with a = 0, rho = 2 C and no upper bound. The hinge is the limit of a sequence of these with
// upper = C and rho = C / h: a is the alpha of the one before, the width h falls from level to level. Each is a piecewise
// quadratic function, and Newton's method on it ends after finitely many steps, exactly: when a full step leaves every row
// on its piece. The first step of a level takes the pieces of the level before. Because rho is finite, no matrix is
// singular whatever rows are duplicates or linearly dependent; because a follows alpha, the margins of the rows
// between the bounds become 1 up to rounding, and alpha is at a bound exactly or not at all.
//
// X. Li, D. Sun, K.-C. Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso problems,
// SIAM Journal on Optimization 28 (2018), is the same method on another problem.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "small/small_gram.hpp"

namespace separatrix::SEPARATRIX_ISA {

enum class Piece : std::int8_t { zero, middle, upper };

template <class Space>
class SmallSolver {
public:
    SmallSolver(const SmallProblem& problem, Memory& memory)
        : p(problem), n(p.rows), np(padded(n)), space(p, memory) {
        f = memory.zeros(np);
        df = memory.zeros(np);
        u = memory.zeros(np);
        c = memory.zeros(np);
        centre = memory.zeros(np);
        rho = memory.zeros(np);
        upper = memory.zeros(np);
        ids = memory.take_ids(np);
        piece = reinterpret_cast<Piece*>(memory.take_ids(np));
    }
    static Index memory(const SmallProblem& p) { return 9 * padded(p.rows) + Space::memory(p); }

    void solve(SmallAnswer& out) {
        for (Index i = 0; i < np; ++i) upper[i] = p.squared ? (p.C[i] > 0 ? unbounded : 0.0) : p.C[i];
        h = first_width;
        double before = unbounded;
        for (Index level = 0; space.work < p.most; ++level) {
            set_curvatures();
            const bool solved = minimise(level > 0);
            if (!solved) look();
            const Gap gap = centre_gap();
            if (p.squared || !solved) break;
            if (gap.gap <= exact * gap.primal || (level > 8 && gap.gap > 0.5 * before)) break;
            before = gap.gap;
            if (h > least_width) h *= narrowing;
        }
        finish(out);
    }

private:
    static constexpr double unbounded = 1e300;
    static constexpr double first_width = 3.0;   // of the quadratic piece, in margins
    static constexpr double narrowing = 0.3;     // of a level
    static constexpr double least_width = 1e-4;
    static constexpr double exact = 1e-13;       // relative gap at which there is nothing left to gain
    static constexpr double enough = 0.1;        // part of the slope that a line search may leave

    struct Gap {
        double primal, gap;
    };

    void set_curvatures() {
        for (Index i = 0; i < np; ++i) rho[i] = p.squared ? 2.0 * p.C[i] : p.C[i] / h;
    }

    // Newton's method for this level; false if the work is used up.
    bool minimise(bool predict) {
        for (Index step = 0; space.work < p.most; ++step) {
            look();
            if (!(predict && step == 0)) classify();
            if (free_count == 0 && p.bias == SmallBias::free) {
                best_bias();
                look();
                classify();
            }
            double total = 0;
            for (Index i = 0; i < n; ++i) {
                const double a = piece[i] == Piece::middle ? u[i] : piece[i] == Piece::upper ? upper[i] : 0.0;
                c[i] = a * p.y[i];
                total += c[i];
            }
            const Direction to = space.direction({ids, free_count, rho}, c, total, df);
            const Ray at_start = along(0.0, to), at_end = along(1.0, to);
            if (!(at_start.slope < 0)) {
                if (predict && step == 0) continue;
                return true;  // rounding hides what is left
            }
            const double t = fabs(at_end.slope) <= enough * -at_start.slope ? 1.0 : search(to, -at_start.slope, at_end);
            space.move(t);
            padded_axpy(t, df, f, np);
            b += t * to.db;
            if (t == 1.0 && !at_end.crossed) {
                // Straight from the step: 1 - m has lost its digits where it is multiplied by a large rho.
                for (Index i = 0; i < n; ++i)
                    if (piece[i] == Piece::middle) u[i] -= rho[i] * (p.y[i] * (df[i] + to.db));
                return true;
            }
        }
        return false;
    }

    // u = a + rho (1 - y (f + b))
    void look() {
        for (Index i = 0; i < np; ++i) u[i] = centre[i] + rho[i] * (1.0 - p.y[i] * (f[i] + b));
    }

    static Piece piece_of(double u, double upper) {
        return u <= 0 ? Piece::zero : u >= upper ? Piece::upper : Piece::middle;
    }

    void classify() {
        free_count = 0;
        for (Index i = 0; i < n; ++i) {
            piece[i] = piece_of(u[i], upper[i]);
            ids[free_count] = static_cast<std::int32_t>(i);
            free_count += piece[i] == Piece::middle ? 1 : 0;
        }
    }

    struct Ray {
        double slope, curvature;
        bool crossed;  // whether any row is on another piece than at the start of the step
    };

    Ray along(double t, const Direction& to) const {
        Ray out{to.slope + t * to.curvature, to.curvature, false};
        for (Index i = 0; i < n; ++i) {
            const double pull = p.y[i] * (df[i] + to.db), at = u[i] - t * rho[i] * pull;
            const Piece is = piece_of(at, upper[i]);
            const double alpha = is == Piece::middle ? at : is == Piece::upper ? upper[i] : 0.0;
            out.slope -= alpha * pull;
            out.curvature += is == Piece::middle ? rho[i] * pull * pull : 0.0;
            out.crossed |= is != piece[i];
        }
        return out;
    }

    // The step at which the slope has fallen to a part of what it was: Newton's method between bounds.
    double search(const Direction& to, double steepness, Ray at) const {
        double t = 1.0, low = 0.0, high = unbounded;
        for (int look = 0; look < 60; ++look) {
            (at.slope > 0 ? high : low) = t;
            double next = t - at.slope / at.curvature;
            if (!(next > low && next < high)) next = high < unbounded ? 0.5 * (low + high) : 2.0 * t;
            t = next;
            at = along(t, to);
            if (fabs(at.slope) <= enough * steepness) break;
        }
        return t;
    }

    // b at which sum_i alpha_i y_i = 0, for scores f
    void best_bias() {
        double low = -unbounded, high = unbounded, reach = 1.0;
        for (int look_again = 0; look_again < 200; ++look_again) {
            double sum = 0, slope = 0, size = 0;
            for (Index i = 0; i < n; ++i) {
                const double at = centre[i] + rho[i] * (1.0 - p.y[i] * (f[i] + b));
                const Piece is = piece_of(at, upper[i]);
                const double alpha = is == Piece::middle ? at : is == Piece::upper ? upper[i] : 0.0;
                sum += alpha * p.y[i];
                size += alpha;
                slope += is == Piece::middle ? rho[i] : 0.0;
            }
            if (fabs(sum) <= 1e-14 * size) return;
            (sum > 0 ? low : high) = b;
            double next = slope > 0 ? b + sum / slope : b;
            if (!(next > low && next < high)) {
                const bool bounded = low > -unbounded && high < unbounded;
                next = bounded ? 0.5 * (low + high) : b + (sum > 0 ? reach : -reach);
                reach *= 2;
            }
            if (next == b) return;
            b = next;
        }
    }

    // alpha becomes the centre; the gap of alpha and (w, b) if w is what alpha adds up to.
    Gap centre_gap() {
        Gap out{0.5 * space.square(), 0};
        for (Index i = 0; i < n; ++i) {
            const double slack = 1.0 - p.y[i] * (f[i] + b), loss = slack > 0 ? slack : 0.0;
            const Piece is = piece_of(u[i], upper[i]);
            const double alpha = is == Piece::middle ? u[i] : is == Piece::upper ? upper[i] : 0.0;
            out.primal += p.C[i] * (p.squared ? loss * loss : loss);
            out.gap += p.C[i] * loss - alpha * slack;
            if (!p.squared) centre[i] = alpha;
            c[i] = alpha;
        }
        return out;
    }

    // alpha in c, the rest from the data alone
    void finish(SmallAnswer& out) {
        if (p.bias == SmallBias::free) balance();
        for (Index i = 0; i < np; ++i) {
            out.alpha[i] = c[i];
            c[i] *= p.y[i];
        }
        space.restart(c, f);
        out.b = p.bias == SmallBias::free ? b : 0.0;
        const double shared = p.bias == SmallBias::augmented ? 0.0 : out.b;  // an augmented one is within the scores
        double primal = 0.5 * space.square(), dual = -primal;
        for (Index i = 0; i < n; ++i) {
            const double slack = 1.0 - p.y[i] * (f[i] + shared), loss = slack > 0 ? slack : 0.0;
            primal += p.C[i] * (p.squared ? loss * loss : loss);
            dual += out.alpha[i] - (p.squared ? 0.25 * out.alpha[i] * out.alpha[i] / p.C[i] : 0.0);
        }
        space.answer(out);
        out.work = space.work;
        out.reached = primal - dual <= p.aim * primal;
    }

    // sum_i alpha_i y_i = 0 up to the rounding of its largest term: the rest goes to the rows with room for it.
    void balance() {
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += c[i] * p.y[i];
        for (Index i = 0; i < n && sum != 0; ++i) {
            if (!(c[i] > 0 && c[i] < upper[i])) continue;
            const double before = c[i], wanted = before - sum * p.y[i];
            c[i] = wanted < 0 ? 0 : wanted > upper[i] ? upper[i] : wanted;
            sum += (c[i] - before) * p.y[i];
        }
    }

    const SmallProblem& p;
    Index n, np;
    Space space;
    double *f, *df, *u, *c, *centre, *rho, *upper;
    std::int32_t* ids;
    Piece* piece;
    Index free_count = 0;
    double b = 0, h = 0;
};

}  // namespace separatrix::SEPARATRIX_ISA
