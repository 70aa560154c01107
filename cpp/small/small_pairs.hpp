// Sequential minimal optimisation on a whole kernel matrix: where Newton's method in the space of a kernel begins.
//
//     v = y - f [- alpha y / (2 C) of the squared hinge],   f = K (alpha y)
//     i = argmax v over up;   j = argmax (v_i - v_t)^2 / (K_ii + K_tt - 2 K_it) over low with v_t < v_i
//
// A step moves alpha_i y_i up and alpha_j y_j down; without a free bias it moves one alpha. Each takes two passes over
// v and reads two rows of K. Fan, Chen, Lin, JMLR 6 (2005), WSS 2; smo/smo_inner.hpp is the same for a block of a matrix.
// Included only by small_loops.cpp, once per instruction set.
#pragma once

#include "small/small_vectors.hpp"
#include "smo/smo_inner.hpp"

namespace separatrix::SEPARATRIX_ISA {

template <class Rows>
class PairDescent {
public:
    // Arrays of padded length. It continues from alpha and v; diagonal = K_ii + shift + bend, up and low are scratch.
    struct Arrays {
        const double *y, *upper, *bend;  // bend = 1 / (2 C) of the squared hinge, else 0
        double *alpha, *v, *up, *low, *diagonal;
    };

    PairDescent(const Arrays& arrays, const Rows& rows, Index n, bool pairs, double shift)
        : a(arrays), rows(rows), n(n), np(padded(n)), pairs(pairs), shift(shift) {
        for (Index i = 0; i < np; ++i) {
            a.up[i] = -never<double>;
            a.low[i] = never<double>;
            a.diagonal[i] = i < n ? rows(i)[i] + shift + a.bend[i] : 1.0;
            if (i < n) set_directions(i);
        }
    }

    std::int64_t steps = 0;
    double violation = 0, bias = 0;

    // Steps until no row violates its optimality condition by more than `tolerance`; at most so many.
    void run(double tolerance, std::int64_t most) {
        pairs ? run_pairs(tolerance, most) : run_singles(tolerance, most);
    }

private:
    void set_directions(Index i) {
        const bool may_grow = a.alpha[i] < a.upper[i], may_shrink = a.alpha[i] > 0, positive = a.y[i] > 0;
        a.up[i] = (positive ? may_grow : may_shrink) ? 0.0 : -never<double>;
        a.low[i] = (positive ? may_shrink : may_grow) ? 0.0 : never<double>;
    }
    double room(Index i, double direction) const {
        return a.y[i] * direction > 0 ? a.upper[i] - a.alpha[i] : a.alpha[i];
    }
    // alpha_i y_i moves by direction * length; all the room there is ends exactly on the bound.
    void move(Index i, double direction, double length) {
        const bool grows = a.y[i] * direction > 0;
        if (length >= room(i, direction)) {
            a.alpha[i] = grows ? a.upper[i] : 0.0;
        } else {
            a.alpha[i] += grows ? length : -length;
        }
        a.v[i] -= a.bend[i] * direction * length;
        set_directions(i);
    }

    void run_pairs(double tolerance, std::int64_t most) {
        using L = Wide;
        const L places = places_from_zero<double>(), further = L::spread(L::width);
        Index i = 0, j = 0;
        double length = 0;
        for (std::int64_t begun = steps;; ++steps) {
            Largest<double> top;
            L bottom = L::spread(never<double>), place = places;
            const double *row_i = rows(i), *row_j = rows(j);
            const L by = L::spread(-length);
            for (Index t = 0; t < np; t += L::width, place = place + further) {
                const L now = L::fma(by, L::load(row_i + t) - L::load(row_j + t), L::load(a.v + t));
                now.store(a.v + t);
                top.see(now + L::load(a.up + t), place);
                bottom = L::min(bottom, now + L::load(a.low + t));
            }
            double highest;
            i = top.index(highest);
            const double least = lowest<double>(bottom);
            violation = highest - least;
            bias = 0.5 * (highest + least);
            if (!(violation > tolerance) || steps - begun >= most) return;
            row_i = rows(i);
            const L level = L::spread(highest), own = L::spread(a.diagonal[i]), two = L::spread(-2);
            Largest<double> gain;
            place = places;
            for (Index t = 0; t < np; t += L::width, place = place + further) {
                const L above = L::max(level - (L::load(a.v + t) + L::load(a.low + t)), L::spread(0));
                const L sum = own + L::load(a.diagonal + t);
                const L curvature = L::max(L::fma(two, L::load(row_i + t), sum), L::spread(flat) * sum);
                gain.see(above * above / curvature, place);
            }
            double best;
            j = gain.index(best);
            const double sum = a.diagonal[i] + a.diagonal[j];
            const double curvature = larger(sum - 2.0 * row_i[j], flat * sum), slope = highest - a.v[j];
            length = smaller(slope / curvature, smaller(room(i, 1.0), room(j, -1.0)));
            if (!(length > 0)) return;
            move(i, 1.0, length);
            move(j, -1.0, length);
        }
    }

    void run_singles(double tolerance, std::int64_t most) {
        using L = Wide;
        const L places = places_from_zero<double>(), further = L::spread(L::width), zero = L::spread(0);
        Index i = 0;
        double length = 0;
        for (std::int64_t begun = steps;; ++steps) {
            Largest<double> gain;
            L steepest = zero, place = places;
            const double* row = rows(i);
            const L by = L::spread(-length), moved = L::spread(-length * shift);
            for (Index t = 0; t < np; t += L::width, place = place + further) {
                const L now = L::fma(by, L::load(row + t), L::load(a.v + t) + moved);
                now.store(a.v + t);
                const L follow =
                    L::max(L::max(now + L::load(a.up + t), zero), zero - L::min(now + L::load(a.low + t), zero));
                steepest = L::max(steepest, follow);
                gain.see(follow * follow / L::load(a.diagonal + t), place);
            }
            violation = -lowest<double>(zero - steepest);
            if (!(violation > tolerance) || steps - begun >= most) return;
            double best;
            i = gain.index(best);
            const double direction = a.v[i] > 0 ? 1.0 : -1.0, slope = fabs(a.v[i]);
            const double step = smaller(slope / a.diagonal[i], room(i, direction));
            if (!(step > 0)) return;
            move(i, direction, step);
            length = direction * step;
        }
    }

    static constexpr double flat = 1e-12;  // relative curvature that is rounding

    Arrays a;
    const Rows& rows;
    Index n, np;
    bool pairs;
    double shift;
};

}  // namespace separatrix::SEPARATRIX_ISA
