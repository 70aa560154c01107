// A hyperplane rounded to float, and how far a score in float may be from the truth.
//
// With u = 2^-24 and ||x||^2 <= norm_bound, x.w summed in float in eight lanes (d / 8 + 8 roundings, that of w included),
// plus b, is wrong by at most (d / 8 + 10) u ||w|| sqrt(norm_bound) + 3 u |b|. `slack` is twice that, because its own
// ingredients are rounded too: a row whose float score is beyond it is on that side in exact arithmetic as well.
#pragma once

#include <cmath>
#include <vector>

#include "perceptron/perceptron_kernels.hpp"

namespace separatrix {

class FloatPlane {
public:
    // norm_bound: at least max ||x||^2 of the rows to be scored; infinite: not known, and nothing is done in float.
    FloatPlane(const double* w, Index d, double norm_bound) : w_(w), radius_(std::sqrt(norm_bound)), columns_(d) {
        if (std::isfinite(norm_bound) && d <= most_columns) rounded_.resize(static_cast<std::size_t>(d));
        refresh();
    }

    // Rounds w again after it has changed.
    void refresh() {
        double squared = 0;
        for (std::size_t j = 0; j < rounded_.size(); ++j) {
            rounded_[j] = static_cast<float>(w_[j]);
            squared += w_[j] * w_[j];
        }
        norm_ = std::sqrt(squared);
    }

    Hyperplane with_bias(double b) const {
        constexpr double u = 0x1p-24;
        const double size = norm_ * radius_;
        const double slack = 2 * u * ((static_cast<double>(columns_) / 8 + 12) * size + 4 * std::abs(b));
        // Well inside the range of float, so that nothing overflows and what underflows is far below the slack.
        const bool usable = !rounded_.empty() && norm_ > 1e-10 && slack > 1e-25 && size + std::abs(b) < 1e30;
        return {w_, b, usable ? rounded_.data() : nullptr, static_cast<float>(slack)};
    }

private:
    // Sums of more columns would lose too many digits.
    static constexpr Index most_columns = Index{1} << 20;

    const double* w_;
    std::vector<float> rounded_;
    double radius_, norm_ = 0;
    Index columns_;
};

}  // namespace separatrix
