// The window of rounds after which block SMO gives up.
//
// Near a solution that rounding hides, pairs can be moved to and fro for ever: every step gains, by the rounded values.
// So within a window of rounds the dual must rise or the gap fall by a visible part of itself.
#pragma once

#include <limits>

#include "smo/smo_point.hpp"

namespace separatrix {

class SmoPatience {
public:
    // The window has several rounds for every row.
    SmoPatience(Index n, Index working_set) : window_(100 + 10 * n / working_set) {}

    void restart() {
        left_ = window_;
        gap_ = least_ = std::numeric_limits<double>::infinity();
        dual_ = -std::numeric_limits<double>::infinity();
    }

    // Called after every round: whether nothing was gained for a whole window.
    bool exhausted(const SmoPoint& point) {
        if (point.gap < least_) least_ = point.gap;
        if (--left_ > 0) return false;
        const bool moving = least_ < 0.9 * gap_ || !(point.dual < dual_ + 1e-5 * std::abs(dual_));
        left_ = window_, gap_ = least_, dual_ = point.dual;
        return !moving;
    }

private:
    Index window_, left_ = window_;
    double gap_ = std::numeric_limits<double>::infinity(), least_ = gap_;  // of the last window, and so far
    double dual_ = -gap_;                                                  // at the end of the last window
};

}  // namespace separatrix
