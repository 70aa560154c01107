// The numbers of solvers/small/tuning.py, where they are explained.
#pragma once

namespace separatrix {

struct SmallTuning {
    double first_width, softest, stiffest, narrowing, least, line_search;
    double pair_tolerance, newton_share;
    double rows_per_column;
    double most_work, thread_work;
};

}  // namespace separatrix
