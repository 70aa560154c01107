// The arrays of an interior-point step, and what is done with them row by row; see path_direction.hpp.
#pragma once

#include "rows/rows.hpp"

namespace separatrix {

// Each array has one number a row; C may have one for all (cost_step 0).
struct PathArrays {
    Index n, cost_step;
    const double* C;
    double *alpha, *beta, *s, *xi;  // the iterate; beta is not there for the squared hinge
    double* spare;                  // A z for the predictor; then what a correction adds to da
    double* da;
    float *a, *c;  // the correction; c is not there for the squared hinge
};

// Which right-hand side g of a step's linear system.
enum class PathStage { predictor, correction };

struct PathLoops {
    // The weights.
    void (*theta)(const PathArrays&, double* out);
    // g, by stage.
    void (*right_side[2])(const PathArrays&, double* out);
    // values = theta (g - values) for the rows [begin, end), by stage; values[0] is that of row `begin`.
    void (*weigh[2])(const PathArrays&, Index begin, Index end, double* values);
    // The fastest relative fall of alpha, s, beta and xi along the predictor.
    void (*predicted_falls)(const PathArrays&, double* out);
    // The sum of all products now, and after a step of this length along the predictor.
    void (*predicted_products)(const PathArrays&, double reach, double* out);
    // Aims products at the target, with the predictor's second-order error where that is of the scale of mu.
    void (*correct)(const PathArrays&, double target, double mu);
    // The fastest relative fall of any quantity; NaN stays NaN.
    double (*fall)(const PathArrays&);
    // Moves the iterate along the direction.
    void (*take)(const PathArrays&, double reach);
};

}  // namespace separatrix
