// When a step of the acceleration is worth its time.
//
// It takes as long as a pass or two. Where each pass raises the dual by r times what the one before did, passes have still
// r / (1 - r) times the last rise to gain, and on sparse rows a step was seen to gain about a fifth of that. So none is taken
// while r is small, until one has paid; then they follow each other until one does not.
#pragma once

#include <algorithm>

#include "rows/rows.hpp"

namespace separatrix {

class StepTiming {
public:
    // By how much a pass has raised the dual.
    void passed(double rise) {
        rate_ = rise_ > 0 ? rise / rise_ : 0;
        rise_ = rise;
    }
    // Whether the last step was long enough ago.
    bool due(Index epochs) const { return epochs >= next_; }
    bool promising() const { return pays_ || rate_ >= slow; }
    // A step was taken that raised the dual by `rise`. `always`: whatever it gained, the next one is as good.
    void stepped(double rise, Index epochs, bool always) {
        pays_ = always || rise >= worthwhile * rise_;
        pause_ = pays_ ? shortest_pause : std::min(2 * pause_, longest_pause);
        next_ = epochs + pause_;
    }

private:
    static constexpr double slow = 0.65;                           // r from which a step is tried
    static constexpr double worthwhile = 0.8;                      // rise by a step, relative to that by the last pass
    static constexpr Index shortest_pause = 2, longest_pause = 4;  // passes from step to step

    double rise_ = 0, rate_ = 0;  // rise by the last pass, and r
    bool pays_ = false;           // the last step did
    Index pause_ = shortest_pause, next_ = 0;
};

}  // namespace separatrix
