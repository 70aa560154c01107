// What the caller of coordinate descent sees: settings, the report of an epoch, and the calls between epochs.
#pragma once

#include <vector>

#include "rows/rows.hpp"

namespace separatrix {

struct DescentSettings {
    bool squared = false;
    bool shrink = true;
    double kappa = 0;
    std::uint64_t seed = 0;
    int n_threads = 1;
    Index chunk = 8;        // rows visited in sequence
    int memory = 5;         // moves that span the subspace step; 0 for none
    bool in_place = false;  // read the caller's rows only, with w in float64: no copy of them is ever made
    bool mapped = false;    // rows are in a file: each chunk is announced to the system before it is visited
};

struct DescentReport {
    double gap = 0;    // estimate: sum of the shares of the gap that the visited rows had before their updates
    double dual = 0;   // sum_i dual_term(alpha_i) - 1/2 ||w||^2
    Index active = 0;  // rows that were visited
    Index epochs = 0;
    Index steps = 0;      // accepted subspace steps
    int precision = 0;    // 0: float32 throughout; 1: float64 w; 2: float64 w and values
    double residual = 0;  // s; like `room`, where there is a bias
    double bias = 0;      // b
    double room = 0;      // sum over rows inside their bounds of the distance to the nearer bound
    bool whole = true;    // false: time was over before every active row was visited, and gap is not known
};

// Alpha, w and the active rows between epochs, whatever the type of the rows.
class Descent {
public:
    virtual ~Descent() = default;
    // One pass over the active rows, ended early once this many seconds have passed. `passes`: about how many are still
    // needed, this one included; what takes a few of them to pay is left for few.
    virtual DescentReport epoch(double seconds, double passes) = 0;
    // The gap of the active rows as they are now: what an epoch reports was measured before its updates.
    virtual double look() = 0;
    // The gap of the rows left out. Where it is more than `enough`, with the rows of a copy and the others each on their own, those
    // that are part of it are active from now on.
    virtual double look_aside(double enough) = 0;
    // The parts of an epoch: chunks of active rows in random order (how many), visits to some of them, the end.
    virtual Index begin_pass() = 0;
    virtual void visit(Index first, Index count) = 0;
    virtual void end_pass(bool whole) = 0;
    // Exchanges w and the bias for the caller's; passes must keep w in float64.
    virtual void swap_w(std::vector<double>& w, double& bias) = 0;
    virtual void refine(int precision) = 0;
    virtual void unshrink() = 0;
    virtual void resum() = 0;
    virtual void set_centre(double centre) = 0;
    virtual void get_alpha(Index begin, Index end, double* alpha) const = 0;
    // Sets some alphas, clipped to their bounds; `resum` brings w in line.
    virtual void place_alpha(Index begin, Index end, const double* alpha) = 0;
    virtual double bias() const = 0;
    virtual void get_w(double* w) const = 0;
};

}  // namespace separatrix
