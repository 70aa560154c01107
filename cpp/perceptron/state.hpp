// State of a perceptron run: the weights, the counts, and what is kept for the other outputs and for the running bound.
#pragma once

#include <cmath>
#include <vector>

#include "perceptron/perceptron_kernels.hpp"

namespace separatrix {

// The step of update t = 1, 2, ... is `size`, or `size` / sqrt(t). An update moves the bias by gain = c^2 times that,
// where c is the constant of the fictitious column (0: no bias, 1: `unit`, R: `radius`).
struct Step {
    double size;
    double gain;
    bool decreasing;

    double at(Index updates) const { return decreasing ? size / std::sqrt(static_cast<double>(updates + 1)) : size; }
};

struct Tally {
    Index visits = 0;  // rows visited
    Index updates = 0;
    Index run = 0;  // rows classified correctly since the last update
};

// One update: its row, how many rows had been visited before it, and the class that lost (many classes).
struct Update {
    Index row;
    Index visit;
    Code rival;
};

// The best weights so far, by length of run and then, with `ratchet`, by errors on all rows (Gallant 1990).
struct Pocket {
    std::vector<double> w, b;  // empty: no pocket is kept
    Index run = -1;
    Index errors = -1;  // -1: none counted yet
    bool ratchet = true;
};

// A unit vector u fixed before the rows it is compared on, and the squared deficits of those rows; see online.hpp.
struct Comparator {
    std::vector<double> u, b;  // empty until the first restart
    Index restart_at = 64;     // rows visited at which u is chosen anew
    Index updates = 0;         // made before the last restart
    Index visits = 0;
    double longest = 0;  // max ||x||^2 of all rows so far
    double margin = 0;   // the largest of the margins g
    double deficits[compared_margins] = {};

    bool chosen() const { return !u.empty(); }
};

// One plane for two classes, one a class for many; w is (planes, columns), row after row.
struct PerceptronState {
    PerceptronState(Index planes_, Index columns_, Step step_)
        : planes(planes_),
          columns(columns_),
          step(step_),
          w(static_cast<std::size_t>(planes_ * columns_)),
          b(static_cast<std::size_t>(planes_)) {}

    const Index planes, columns;
    const Step step;
    std::vector<double> w, b;
    Tally tally;
    std::vector<Index> counts;       // updates on each row; empty: not counted
    std::vector<double> lag, lag_b;  // the sum of w over all visits is visits * w - lag; empty: not kept
    Pocket pocket;
    bool logged = false;
    std::vector<Update> log;
    Comparator comparator;
};

}  // namespace separatrix
