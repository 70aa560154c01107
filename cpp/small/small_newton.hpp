// Support vector machines of few rows to the last digits: Newton's method on augmented Lagrangians of the dual.
//
//     min_{w, b}  1/2 ||w||^2 + sum_i psi_i(m_i),   m_i = y_i (w.x_i + b),   -psi_i'(m_i) = alpha_i
//     alpha_i = min(max(rho_i (delta_i a_i + 1 - m_i), 0), upper_i),   rho_i = 1 / (bend_i + delta_i)
//
// bend = 0 and upper = C of the hinge; bend = 1 / (2 C) and no bound of the squared hinge, which is this with delta = 0. The
// hinge is the limit of a sequence of these: a is the alpha of the level before, and delta falls from level to level. Each
// level is a piecewise quadratic function, and Newton's method on it ends after finitely many steps, exactly: when a whole
// step leaves every row on its piece. The first step of a level takes the pieces of the level before. Because delta is
// positive, no matrix is singular whatever rows are repeated or linearly dependent; because a follows alpha, the margins
// of the rows between the bounds become 1 up to rounding, and alpha is at a bound exactly or not at all.
//
// X. Li, D. Sun, K.-C. Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso problems,
// SIAM Journal on Optimization 28 (2018), is the same method on another problem.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "small/small_bias.hpp"
#include "small/small_gram.hpp"

namespace separatrix::SEPARATRIX_ISA {

// The piece of the loss that a row is on; stored as a number so that lanes can compare it.
namespace piece {
inline constexpr double zero = 0, middle = 1, upper = 2;
}

template <class Space>
class SmallSolver {
public:
    SmallSolver(const SmallProblem& problem, Memory& memory)
        : p(problem), t(*p.tuning), n(p.rows), np(padded(n)), space(p, memory) {
        f = memory.zeros(np);
        df = memory.zeros(np);
        u = memory.zeros(np);
        c = memory.zeros(np);
        centre = memory.zeros(np);
        offset = memory.zeros(np);
        delta = memory.zeros(np);
        rho = memory.zeros(np);
        upper = memory.zeros(np);
        pieces = memory.zeros(np);
        best_alpha = memory.zeros(np);
        ids = memory.take_ids(np);
    }
    static Index memory(const SmallProblem& p) { return 12 * padded(p.rows) + Space::memory(p); }

    void solve(SmallAnswer& out) {
        for (Index i = 0; i < np; ++i) upper[i] = p.squared ? (p.C[i] > 0 ? unbounded : 0.0) : p.C[i];
        if (!one_class()) {
            if (p.start != nullptr) begin_at_start();
            const double width = begin();
            if (width > 0) levels(width);
        }
        finish(out);
    }

private:
    // With a free bias and rows of one class, or none, nothing is left to do: alpha = 0, w = 0.
    bool one_class() {
        if (p.bias != SmallBias::free) return false;
        bool one = true;
        for (Index i = 1; i < n && one; ++i) one = p.y[i] == p.y[0];
        if (one && n > 0) b = p.y[0];
        return one;
    }

    // Level after level until there is nothing left to gain. The answer is the best of them: near the end rounding may make
    // a level worse than the one before, by any factor.
    void levels(double width) {
        const bool regular = !set_deltas(width);
        double before = unbounded, best = unbounded;
        negligible = rounding_unit * primal_value();
        for (Index level = 0; may_go_on(); ++level) {
            set_curvatures();
            minimise(level > 0);
            const Gap gap = centre_gap();
            if (gap.gap < best) {
                best = gap.gap;
                keep_level();
            }
            if (regular || gap.gap <= p.aim * gap.primal) break;
            if ((tau <= t.least || !solved) && !(gap.gap < 0.5 * before)) break;
            before = gap.gap;
            negligible = rounding_unit * gap.primal;
            tau = larger(t.least, tau * t.narrowing);
        }
        if (best < unbounded) return_to_level();
    }

    void keep_level() {
        copy(centre, best_alpha, np);
        best_b = b;
        space.keep();
    }
    void return_to_level() {
        copy(best_alpha, c, np);
        b = best_b;
        space.go_back();
    }

    static constexpr double unbounded = 1e300, rounding_unit = 2.2e-16;
    struct Gap {
        double primal, gap;
    };

    bool may_go_on() const { return space.work < p.most; }

    double bend(Index i) const { return p.squared ? 0.5 / p.C[i] : 0.0; }

    // delta of each row at the first level, tau = 1; false if it is 0 for all: the squared hinge needs none while its own
    // bend is more than the least that delta falls to.
    bool set_deltas(double width) {
        double mean = 0;
        for (Index i = 0; i < n; ++i) mean += space.squared_norm(i) / static_cast<double>(n);
        bool any = false;
        for (Index i = 0; i < n; ++i) {
            const double size = mean > 0 ? larger(space.squared_norm(i), mean) : 1.0, stiff = t.stiffest * size;
            if (p.squared) {
                delta[i] = bend(i) < t.least * stiff ? stiff : 0.0;
            } else {
                delta[i] = larger(smaller(width / p.C[i], t.softest * size), stiff);
            }
            any = any || delta[i] > 0;
        }
        return any;
    }

    // The best multiple of the answer for other costs that these costs allow.
    void begin_at_start() {
        double sum = 0, bent = 0, most = unbounded;
        for (Index i = 0; i < n; ++i) {
            c[i] = smaller(p.start[i], upper[i]);
            u[i] = c[i] * p.y[i];
            sum += c[i];
            bent += bend(i) * c[i] * c[i];
            if (c[i] > 0) most = smaller(most, upper[i] / c[i]);
        }
        space.restart(u, f);
        const double curvature = space.square() + bent;
        const double by = curvature > 0 ? smaller(sum / curvature, most) : 1.0;
        for (Index i = 0; i < n; ++i) {
            centre[i] = c[i] = smaller(by * c[i], upper[i]);
            u[i] = c[i] * p.y[i];
        }
        space.restart(u, f);
        if (p.bias == SmallBias::free) b = p.start_bias;
    }

    // Goes to where Newton's method begins: zero or the start, or where steps on pairs of rows lead from there. Returns the width
    // of the violations there; 0 if the aim is reached and Newton's method would cost much more.
    double begin() {
        if constexpr (Space::has_matrix) return begin_with_pairs();
        return t.first_width;
    }

    double begin_with_pairs()
        requires(Space::has_matrix)
    {
        double scale = 0;
        for (Index i = 0; i < n; ++i) scale += p.C[i] * space.squared_norm(i) / static_cast<double>(n);
        double tolerance = t.pair_tolerance;
        if (scale > 0) tolerance = smaller(tolerance, t.softest * scale);
        for (;;) {
            const double left = space.descend(upper, tolerance, 2 * n, c, f, b, df);
            copy(c, centre, np);
            if (newton_work() <= t.newton_share * static_cast<double>(space.work) || !may_go_on())
                return smaller(larger(left, tolerance), t.first_width);
            if (left > tolerance) continue;
            const double primal = primal_value(), dual = dual_value(c);
            if (primal - dual <= p.aim * primal) return 0;
            tolerance *= t.pair_tolerance;
        }
    }

    // Products that a step of Newton's method on the rows between the bounds would take.
    double newton_work() const {
        double count = 0;
        for (Index i = 0; i < n; ++i) count += c[i] > 0 && c[i] < upper[i] ? 1 : 0;
        return count * count * count / 6.0;
    }

    void set_curvatures() {
        for (Index i = 0; i < n; ++i) {
            rho[i] = 1.0 / (bend(i) + tau * delta[i]);
            offset[i] = rho[i] * (tau * delta[i] * centre[i]);
        }
    }

    // Newton's method for this level.
    void minimise(bool predict) {
        for (Index step = 0; may_go_on(); ++step) {
            space.work += 20 * np;
            const bool predicted = predict && step == 0;
            double total = look(predicted);
            if (free_count == 0 && p.bias == SmallBias::free) {
                b = best_bias({p.y, f, rho, offset, upper, n}, b);
                total = look(false);
            }
            const Direction to = space.direction({ids, free_count, rho}, c, total, df);
            const Ray at_start = along(0.0, to), at_end = along(1.0, to);
            solved = !at_end.crossed;
            if (!solved && !(at_start.slope < -negligible)) {
                if (predicted) continue;
                break;  // rounding hides what is left
            }
            // Longer steps gain a tenth of the work in the space of the rows. In that of a matrix they gain nothing, and where
            // it is singular rounding would decide how long they are.
            const bool whole = solved || fabs(at_end.slope) <= t.line_search * -at_start.slope ||
                               (Space::has_matrix && at_end.slope < 0);
            const double part = whole ? 1.0 : search(to, -at_start.slope, at_end);
            space.move(part);
            padded_axpy(part, df, f, np);
            b += part * to.db;
            if (solved) {
                space.free_alpha({ids, free_count, rho}, c, df, to.db, u);
                return;
            }
        }
        look(false);
    }

    static Wide piece_at(Wide at, Wide most) {
        const Wide inside = Wide::where_greater(most, at, Wide::spread(piece::middle), Wide::spread(piece::upper));
        return Wide::where_greater(at, Wide::spread(0), inside, Wide::spread(piece::zero));
    }

    // u = rho (delta a + 1 - y (f + b)), the piece of each row unless `as_before`, and the coefficients c = alpha y on those
    // pieces. Returns their sum.
    double look(bool as_before) {
        const Wide one = Wide::spread(1), bias = Wide::spread(b), zero = Wide::spread(0), half = Wide::spread(0.5),
                   more = Wide::spread(1.5);
        Wide sum = zero;
        for (Index i = 0; i < np; i += Wide::width) {
            const Wide y = Wide::load(p.y + i), most = Wide::load(upper + i);
            const Wide slack = one - y * (Wide::load(f + i) + bias);
            const Wide at = Wide::fma(Wide::load(rho + i), slack, Wide::load(offset + i));
            const Wide is = as_before ? Wide::load(pieces + i) : piece_at(at, most);
            const Wide alpha = Wide::where_greater(is, half, Wide::where_greater(is, more, most, at), zero);
            const Wide signed_alpha = alpha * y;
            at.store(u + i);
            is.store(pieces + i);
            signed_alpha.store(c + i);
            sum = sum + signed_alpha;
        }
        if (!as_before) {
            free_count = 0;
            for (Index i = 0; i < n; ++i) {
                ids[free_count] = static_cast<std::int32_t>(i);
                free_count += pieces[i] == piece::middle ? 1 : 0;
            }
        }
        return total(sum);
    }

    struct Ray {
        double slope, curvature;
        bool crossed;  // whether any row is on another piece than at the start of the step
    };

    Ray along(double part, const Direction& to) const {
        const Wide bias = Wide::spread(to.db), back = Wide::spread(-part), zero = Wide::spread(0);
        Wide slope = zero, curvature = zero, crossed = zero;
        for (Index i = 0; i < np; i += Wide::width) {
            const Wide pull = Wide::load(p.y + i) * (Wide::load(df + i) + bias), most = Wide::load(upper + i);
            const Wide bend = Wide::load(rho + i) * pull, at = Wide::fma(back, bend, Wide::load(u + i));
            const Wide alpha = Wide::min(Wide::max(at, zero), most);
            slope = Wide::fma(alpha, pull, slope);
            curvature =
                curvature + Wide::where_greater(at, zero, Wide::where_greater(most, at, bend * pull, zero), zero);
            crossed = Wide::max(crossed, Wide::absolute(piece_at(at, most) - Wide::load(pieces + i)));
        }
        return {to.slope + part * to.curvature - total(slope), to.curvature + total(curvature), total(crossed) > 0};
    }

    // The step at which the slope has fallen to a part of what it was: Newton's method between bounds.
    double search(const Direction& to, double steepness, Ray at) const {
        double part = 1.0, low = 0.0, high = unbounded;
        for (int look = 0; look < 40; ++look) {
            (at.slope > 0 ? high : low) = part;
            double next = part - at.slope / at.curvature;
            if (!(next > low && next < high)) next = high < unbounded ? 0.5 * (low + high) : 2.0 * part;
            part = next;
            at = along(part, to);
            if (fabs(at.slope) <= t.line_search * steepness) break;
        }
        return part;
    }

    // alpha becomes the centre; primal - dual of (w, b) and alpha. A level that was solved leaves w equal to what alpha adds
    // up to; after others it is made so.
    Gap centre_gap() {
        if (!solved) space.restart(c, f);
        Gap out{0.5 * space.square(), 0};
        for (Index i = 0; i < n; ++i) {
            const double slack = 1.0 - p.y[i] * (f[i] + b), loss = slack > 0 ? slack : 0.0;
            const double alpha = clipped(u[i], upper[i]);
            out.primal += p.C[i] * (p.squared ? loss * loss : loss);
            out.gap += p.squared ? p.C[i] * (loss - bend(i) * alpha) * (loss - bend(i) * alpha) + alpha * (loss - slack)
                                 : p.C[i] * loss - alpha * slack;
            centre[i] = c[i] = alpha;
        }
        return out;
    }

    // alpha in c. Of two points, the one of the best level and the sum of the rows that alpha gives, the better is kept: the
    // sum cannot have margins more precise than the digits of alpha times the squares of the rows.
    void finish(SmallAnswer& out) {
        if (p.bias == SmallBias::free) balance(p.y, upper, n, c);
        for (Index i = 0; i < np; ++i) {
            out.alpha[i] = c[i];
            c[i] *= p.y[i];
        }
        out.b = p.bias == SmallBias::free ? b : 0.0;
        double primal = unbounded;
        if constexpr (!Space::has_matrix) {
            space.keep();
            space.rescore(f);
            primal = primal_value();
        }
        space.restart(c, f);
        const double dual = dual_value(out.alpha), of_sum = primal_value();
        if (of_sum <= primal) {
            primal = of_sum;
        } else if constexpr (!Space::has_matrix) {
            space.go_back();
            space.rescore(f);
        }
        space.answer(out);
        out.work = space.work;
        out.reached = fabs(primal - dual) + rounding(out.alpha) <= p.aim * primal;
    }

    // The most that rounding of the scores may do to the gap, whoever computes it. A row without a coefficient counts where
    // rounding decides whether it has a loss.
    double rounding(const double* alpha) const {
        double out = 0;
        const double terms = space.terms();
        if (terms == 0) return 0;  // every score is b, as it is
        for (Index i = 0; i < n; ++i) {
            const double slack = 1.0 - p.y[i] * (f[i] + b);
            const double error = rounding_unit * (terms * sqrt(space.squared_norm(i)) + fabs(b) + 1.0);
            const double slope = p.squared ? 2.0 * p.C[i] * (larger(slack, 0.0) + error) : p.C[i];
            out += error * (alpha[i] + (slack > -error ? slope : 0.0));
        }
        return out;
    }

    // The dual value if w is what alpha adds up to.
    double dual_value(const double* alpha) const {
        double out = -0.5 * space.square();
        for (Index i = 0; i < n; ++i) out += alpha[i] - 0.5 * bend(i) * alpha[i] * alpha[i];
        return out;
    }

    double primal_value() const {
        double out = 0.5 * space.square();
        for (Index i = 0; i < n; ++i) {
            const double slack = 1.0 - p.y[i] * (f[i] + b), loss = slack > 0 ? slack : 0.0;
            out += p.C[i] * (p.squared ? loss * loss : loss);
        }
        return out;
    }

    const SmallProblem& p;
    const SmallTuning& t;
    Index n, np;
    Space space;
    double *f, *df, *u, *c, *centre, *offset, *delta, *rho, *upper;
    double *pieces, *best_alpha;
    std::int32_t* ids;
    Index free_count = 0;
    double b = 0, best_b = 0, tau = 1;
    double negligible = 0;  // a fall of the primal value that is rounding
    bool solved = false;    // whether the last level was left by a step that crossed no piece
};

}  // namespace separatrix::SEPARATRIX_ISA
