// The kernel solver as its caller sees it, whatever the type of its kernel values.
#pragma once

#include <vector>

#include "rows/rows.hpp"

namespace separatrix {

enum class SmoBias : int { none, augmented, free };

struct SmoSettings {
    bool squared;  // squared hinge instead of hinge
    SmoBias bias;
    Index working_set;      // rows in a round
    double cache_mb;        // memory of kernel rows, at least one working set
    bool shrink;            // leave out rows that sit firmly at a bound
    bool stop_on_negative;  // end when K turns out not to be positive semidefinite
    int n_threads;
};

struct SmoReport {
    double primal = 0, dual = 0;  // as F implies them; F carries the rounding of the kernel values
    double bias = 0, violation = 0;
    Index rounds = 0, steps = 0, active = 0, computed = 0;  // computed: rows of K
    bool reached = false;                                   // (primal - dual) <= target * primal over all rows
    bool stalled = false;                                   // more rounds would change nothing
    Index negative_first = -1, negative_second = -1;        // rows i, j with K_ii + K_jj - 2 K_ij = curvature < 0
    double curvature = 0;
};

class Smo {
public:
    virtual ~Smo() = default;
    virtual void set_point(const double* alpha, const double* F) = 0;
    virtual void tolerate_negative() = 0;  // go on in spite of it, and forget what was seen
    virtual void get_alpha(double* out) const = 0;
    virtual void get_sums(double* out) const = 0;  // F = K (alpha y) as the rounds have added it up
    // Rounds until the gap is within target, at most `rounds` of them or `seconds`.
    virtual SmoReport run(double target, Index rounds, double seconds) = 0;
    // One round in which the caller supplies the rows of K: which are needed; here they are; go.
    virtual const std::vector<std::int32_t>& select() = 0;
    virtual void supply(const double* rows) = 0;
    virtual SmoReport advance(double target) = 0;
};

}  // namespace separatrix
