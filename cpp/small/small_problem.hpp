// A binary problem of at most a few thousand rows, solved by one thread in one call, and its answer.
//
//     min_{w, b}  1/2 ||w||^2 [+ 1/2 b^2 if augmented] + sum_i C_i loss(y_i (w.phi(x_i) + b))
//
// At this border there are pointers and lengths only; every array of rows is filled up with zeros to a multiple of
// `small_width`, so that no loop has a remainder.
#pragma once

#include "rows/rows.hpp"
#include "simd/dispatch.hpp"
#include "small/small_tuning.hpp"

namespace separatrix {

inline constexpr Index small_width = 8;
SEPARATRIX_INLINE constexpr Index padded(Index size) { return (size + small_width - 1) / small_width * small_width; }

enum class SmallBias { none, augmented, free };

// The factor of the first step, in which all rows are free: one-vs-rest problems with the same costs share it.
struct SmallShared {
    bool known;
    double *factor, *inverse, *rho;  // (order, order), (order), (padded rows); order = padded(columns + 1)
};

// A binary problem. `columns` counts the column of ones of an augmented bias where there are rows.
struct SmallProblem {
    const SmallTuning* tuning;
    Index rows;
    const std::int32_t* ids;  // number of each row in X or gram
    const double* y;          // (padded rows) -1 or 1
    const double* C;          // (padded rows)
    bool squared;
    SmallBias bias;
    double aim;         // relative gap that is a success
    std::int64_t most;  // work after which it gives up

    const double* X;       // (all rows, columns without the one of ones), or null
    const double* panels;  // the rows of the problem in panels of small_width: [panel][column][row]
    Index columns;
    SmallShared* shared;  // or null
    const double* gram;   // (all rows, all rows), or null
    Index gram_rows;

    const double* start;  // (padded rows) alpha of the same rows and labels with other costs, or null
    double start_bias;
};

// Its answer. `work` is in products of two numbers.
struct SmallAnswer {
    double* alpha;  // (padded rows)
    double* w;      // (padded columns), not written with a gram matrix
    double b;
    std::int64_t work;
    bool reached;  // whether the relative gap of alpha and (w, b) is below the aim
};

struct SmallTable {
    // Doubles of memory that `solve` needs.
    Index (*memory)(const SmallProblem&);
    void (*solve)(const SmallProblem&, double* memory, SmallAnswer&);
    // panels of these rows of X (…, d), with a column of ones if asked for
    void (*pack)(const double* X, Index d, const std::int32_t* ids, Index rows, bool ones, double* panels);
    // G = X X^T
    void (*gram)(const double* X, Index rows, Index d, double* transposed, double* G);
};

}  // namespace separatrix
