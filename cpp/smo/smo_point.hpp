// A point of the kernel SVM's dual, and how far it is from the solution.
//
//     v_i = y_i - F_i (- y_i alpha_i / (2 C_i) for the squared hinge),   F = K (alpha y)
//
// Values are kept by place: order[p] is the row at place p, and only the first `active` places are worked on.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "smo/smo_interface.hpp"

namespace separatrix {

class SmoPoint {
public:
    SmoPoint(const double* labels, const double* bounds, Index n, bool is_squared, SmoBias bias_kind)
        : rows(n),
          active(n),
          squared(is_squared),
          kind(bias_kind),
          y(labels, labels + n),
          C(bounds, bounds + n),
          upper(C),
          alpha(at(n), 0.0),
          F(at(n), 0.0),
          v(at(n)),
          order(at(n)) {
        if (squared) std::fill(upper.begin(), upper.end(), std::numeric_limits<double>::infinity());
        for (Index p = 0; p < n; ++p) order[at(p)] = static_cast<std::int32_t>(p);
    }

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    bool free_bias() const { return kind == SmoBias::free; }
    bool augmented() const { return kind == SmoBias::augmented; }
    bool may_grow(Index p) const { return y[at(p)] > 0 ? alpha[at(p)] < upper[at(p)] : alpha[at(p)] > 0; }
    bool may_shrink(Index p) const { return y[at(p)] > 0 ? alpha[at(p)] > 0 : alpha[at(p)] < upper[at(p)]; }

    // alpha and F = K (alpha y) by row
    void set(const double* new_alpha, const double* new_F) {
        sum = 0;
        for (Index p = 0; p < rows; ++p) {
            alpha[at(p)] = std::clamp(new_alpha[order[at(p)]], 0.0, upper[at(p)]);
            F[at(p)] = new_F[order[at(p)]];
            sum += alpha[at(p)] * y[at(p)];
        }
        if (augmented())
            for (double& f : F) f += sum;
        measure();
    }
    void get_alpha(double* out) const {
        for (Index p = 0; p < rows; ++p) out[order[at(p)]] = alpha[at(p)];
    }

    void get_sums(double* out) const {
        for (Index p = 0; p < rows; ++p) out[order[at(p)]] = F[at(p)] - (augmented() ? sum : 0.0);
    }

    // Place k takes what was at places[k].
    void rearrange(const std::vector<std::int32_t>& places) {
        for (auto* values : {&y, &C, &upper, &alpha, &F, &v}) permute(*values, places);
        permute(order, places);
    }

    // v, its extremes over the rows that may move, and the values that they imply.
    void measure() {
        double top = free_bias() ? -std::numeric_limits<double>::infinity() : 0.0, bottom = -top;
        for (Index p = 0; p < active; ++p) {
            double own = y[at(p)] - F[at(p)];
            if (squared) own -= y[at(p)] * alpha[at(p)] / (2 * C[at(p)]);
            v[at(p)] = own;
            if (may_grow(p)) top = std::max(top, own);
            if (may_shrink(p)) bottom = std::min(bottom, own);
        }
        highest = top, lowest = bottom;
        const bool bounded = std::isfinite(highest) && std::isfinite(lowest);
        centre = free_bias() && bounded ? 0.5 * (highest + lowest) : 0.0;
        violation = bounded ? std::max(0.0, highest - lowest) : 0.0;
        bias = centre;
        gap = gap_at(bias);
        if (active == rows) {
            dual = 0;
            for (Index p = 0; p < rows; ++p) {
                const double a = alpha[at(p)];
                dual += a - 0.5 * a * y[at(p)] * F[at(p)];
                if (squared) dual -= a * a / (4 * C[at(p)]);
            }
        }
    }

    // The bias with the least primal value: where its derivative, which grows with the bias, passes zero.
    void improve_bias() {
        double width = std::max(violation, 1e-12), low = centre - width, high = centre + width;
        for (int k = 0; k < 60 && slope_at(low) > 0; ++k) low -= width, width *= 2;
        for (int k = 0; k < 60 && slope_at(high) < 0; ++k) high += width, width *= 2;
        squared ? bisect(low, high) : pass_corners(low, high);
        for (const double b : {low, high}) {
            const double other = gap_at(b);
            if (other < gap) gap = other, bias = b;
        }
    }

    Index rows, active;
    bool squared;
    SmoBias kind;
    std::vector<double> y, C, upper, alpha, F, v;
    std::vector<std::int32_t> order;
    double highest = 0, lowest = 0, centre = 0, violation = 0;  // of v; centre is the bias in the middle
    double bias = 0, gap = 0, dual = 0;                         // gap and bias of the active rows
    double sum = 0;                                             // of alpha y

private:
    // sum_i C_i loss_i + dual term's conjugate - alpha_i s_i with s_i = 1 - y_i (F_i + b): each row's share is >= 0.
    double gap_at(double b) const {
        double total = 0;
        for (Index p = 0; p < active; ++p) {
            const double s = y[at(p)] * (y[at(p)] - F[at(p)] - b), a = alpha[at(p)], c = C[at(p)];
            if (squared) {
                const double left = s - a / (2 * c);
                total += s > 0 ? c * left * left : a * a / (4 * c) - a * s;
            } else {
                total += s > 0 ? (c - a) * s : -a * s;
            }
        }
        return total;
    }

    void bisect(double& low, double& high) const {
        for (int k = 0; k < 20; ++k) {
            const double middle = 0.5 * (low + high);
            (slope_at(middle) > 0 ? high : low) = middle;
        }
    }

    // The hinge's derivative is constant but for a step of C_i at each b = v_i: the best bias is one of them.
    void pass_corners(double& low, double& high) const {
        std::vector<std::pair<double, double>> corners;
        for (Index p = 0; p < active; ++p)
            if (v[at(p)] >= low && v[at(p)] <= high) corners.emplace_back(v[at(p)], C[at(p)]);
        std::sort(corners.begin(), corners.end());
        double slope = slope_at(low);
        for (const auto& [corner, step] : corners) {
            high = corner;
            if ((slope += step) >= 0) break;
        }
    }

    double slope_at(double b) const {
        double slope = 0;
        for (Index p = 0; p < active; ++p) {
            const double s = y[at(p)] * (y[at(p)] - F[at(p)] - b);
            if (s > 0) slope -= y[at(p)] * C[at(p)] * (squared ? 2 * s : 1.0);
        }
        return slope;
    }

    template <class V>
    static void permute(std::vector<V>& values, const std::vector<std::int32_t>& places) {
        std::vector<V> moved;
        moved.reserve(values.size());
        for (const std::int32_t p : places) moved.push_back(values[at(p)]);
        values.swap(moved);
    }
};

}  // namespace separatrix
