// The numbers of the solver for small problems, each with its unit and why it is there.
//
// Measured in counted work (geometric means over 23 linear and 10 kernel sets, C in {0.01, 1, 100}): a half to a third, or two
// to three times, of any one in the first group changes the work by a twentieth or less, so none is tuned to a set.
// benchmarks/small_solver.py measures the solver on sets that no number was chosen on.
#pragma once

#include "rows/rows.hpp"

namespace separatrix {

struct SmallTuning {
    // Width in margins of the quadratic piece of the hinge at the first level: the rows at w = 0 lie on it.
    static constexpr double first_width = 3.0;
    // Bounds of a row's first 1 / rho, in units of ||x||^2: a softer one only delays a small C, which is at its bound
    // anyway; a stiffer one makes Newton's method from w = 0 take short steps where C ||x||^2 is a million.
    static constexpr double softest = 0.03, stiffest = 1e-4;
    // Part of 1 / rho that the next level has; after a level of one step the pieces are known, and it may be far less.
    static constexpr double narrowing = 0.1, fast_narrowing = 0.003;
    // Part of the slope that a line search may leave.
    static constexpr double enough = 0.1;

    // Violation in margins at which steps on pairs of rows hand over to Newton's method, and the part of it that is next
    // where Newton's method, so many steps of it, would take more than `patience` times their work and `cheap` products.
    static constexpr double pair_tolerance = 0.1, next_tolerance = 0.3;
    // Of 1, 2 and 4 times, on five sets of 770 to 2,000 rows: 4 takes 2.5 times the work of 2 for one, 1 gives up the last
    // digits of more.
    static constexpr double patience = 2.0, cheap = 1e6, newton_steps = 8.0;
    // Rounds of at most 2 n such steps, after which Newton's method comes whatever it costs.
    static constexpr Index most_rounds = 50;

    // Rows for each column up to which their products are made into a matrix, which takes n^2 d / 2 products once for all
    // problems: at 2 rows it gains a factor of 3 to 9, at 3.5 nothing, at 5 it loses up to 2.
    static constexpr Index rows_per_column = 3;

    // Least part of the first 1 / rho: beyond it the digits of a Cholesky factor are lost, with `stiffest` 1e-11.
    static constexpr double least = 1e-7;
    // Norm of a row, relative to the mean, below which it counts as this large.
    static constexpr double small_row = 1e-3;
    // Relative gap at which there is nothing left to gain.
    static constexpr double exact = 1e-12;
    // Fall of the primal value, relative to it, that is rounding.
    static constexpr double nothing = 1e-16;
    // Part of the aim that this solver's own sums must be within, so that others find the aim reached.
    static constexpr double trusted = 0.5;
    // Newton steps after which something is wrong: the longest of 5,000 random problems with weights from 1e-6 to 1e6
    // that succeeded took fewer.
    static constexpr Index most_steps = 500;
    // Products of two numbers of one call, so that it takes a fraction of a second, and that are worth a thread of their own,
    // a tenth of a millisecond.
    static constexpr double most_work = 2e9, thread_work = 1e6;
};

}  // namespace separatrix
