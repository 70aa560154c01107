// A barely regularised least-squares direction from rows that are seen once.
//
//     (sum_i v_i v_i^T + 1e-6 mean diagonal) w = sum_i c_i v_i
#pragma once

#include <cmath>
#include <vector>

#include "active_set/dense.hpp"

namespace separatrix {

class LeastSquares {
public:
    // Without `products` only the right-hand side is kept, and is the answer.
    LeastSquares(Index width, bool products)
        : d_(width),
          products_(products),
          target_(d_, 0.0),
          pending_(batch * d_, 0.0),
          H_(products ? d_ * d_ : 0, 0.0) {}

    // The place of the next row v (d,); c is its weight.
    double* next(double c) {
        if (count_ == batch) flush();
        weights_[count_] = c;
        return pending_.data() + d_ * count_++;
    }

    std::vector<double> solution() {
        flush();
        if (!products_ || !factor()) return target_;
        std::vector<double> w = target_;
        for (Index i = 0; i < d_; ++i) w[i] = (w[i] - dense::dot(row(i), w.data(), i)) / row(i)[i];
        for (Index i = d_ - 1; i >= 0; --i) {
            w[i] /= row(i)[i];
            dense::axpy(-w[i], row(i), w.data(), i);
        }
        return w;
    }

private:
    static constexpr Index batch = 8;

    double* row(Index i) { return H_.data() + i * d_; }

    void flush() {
        for (Index k = 0; k < count_; ++k) dense::axpy(weights_[k], pending_.data() + k * d_, target_.data(), d_);
        if (products_) simd().rows.add_outer_products(pending_.data(), count_, d_, H_.data());
        count_ = 0;
    }

    // H = L L^T in the lower triangle; false where rounding leaves it indefinite.
    bool factor() {
        double trace = 0.0;
        for (Index i = 0; i < d_; ++i) trace += row(i)[i];
        const double ridge = 1e-6 * (trace / static_cast<double>(d_) + 1e-300);
        for (Index i = 0; i < d_; ++i) {
            for (Index j = 0; j < i; ++j) row(i)[j] = (row(i)[j] - dense::dot(row(i), row(j), j)) / row(j)[j];
            const double pivot = row(i)[i] + ridge - dense::dot(row(i), row(i), i);
            if (!(pivot > 0.0)) return false;
            row(i)[i] = std::sqrt(pivot);
        }
        return true;
    }

    Index d_;
    bool products_;
    std::vector<double> target_, pending_, H_;
    double weights_[batch] = {};
    Index count_ = 0;
};

}  // namespace separatrix
