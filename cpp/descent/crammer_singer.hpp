// Dual coordinate descent for the joint multi-class SVM of Crammer and Singer.
//
//     min_{W, b}  1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i max_m (1 - [m = y_i] + f_m(x_i) - f_{y_i}(x_i)),    f = W x + b
//     max_A       sum_i A_{i, y_i} - 1/2 ||A^T X||^2 [- 1/2 ||A^T 1||^2],   sum_m A_im = 0,   A_im <= C_i [m = y_i]
//
// A row's k entries are one block, minimised exactly: with q = ||x_i||^2 and gradient G_m = f_m + [m != y_i],
//     A_im = min(C_i [m = y_i], (beta - B_m) / q),    B = G - q A_i,    beta such that the row sums to zero.
// Keerthi, Sundararajan, Chang, Hsieh, Lin: A sequential dual method for large scale multi-class linear SVMs, KDD 2008.
//
// The bias is one more column of value tau with weights tau s, s = A^T 1, beside a given offset: tau = 1, offset 0 is
// the augmented bias. A free one wants s = 0: the method of multipliers moves the offset by tau^2 s after some passes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "rows/rows.hpp"

namespace separatrix {

struct JointReport {
    double loss = 0;       // sum of C_i times the row's loss, each as it was when the row was visited
    double violation = 0;  // largest by which a row's gradient missed its optimality condition
    Index visited = 0;
    bool whole = true;  // false where time was over before the last active row
};

template <class Rows>
class CrammerSinger {
public:
    // codes (n,) in [0, k), C (n,) > 0; alpha (n, k) is where to start, rows summing to zero and within bounds.
    CrammerSinger(const Rows& rows, const std::int64_t* codes, const double* C, Index classes, double tau_squared,
                  std::uint64_t seed)
        : rows_(rows),
          codes_(codes, codes + rows.rows),
          C_(C, C + rows.rows),
          k_(classes),
          stride_((classes + 3) / 4 * 4),
          tau2_(tau_squared),
          W(rows.columns * stride_, 0.0),
          A(rows.rows * stride_, 0.0),
          sums(stride_, 0.0),
          offset(stride_, 0.0),
          norms_(rows.rows),
          order_(rows.rows),
          G_(stride_),
          B_(stride_),
          sorted_(classes),
          generator_(seed) {
        for (Index i = 0; i < rows.rows; ++i) {
            double square = tau2_;
            const auto row = rows_.row(i);
            for (Index j = 0; j < row.size; ++j) square += static_cast<double>(row.values[j]) * row.values[j];
            norms_[i] = square;
            order_[i] = i;
        }
        active_ = rows.rows;
    }

    void start(const double* alpha) {
        for (Index i = 0; i < rows_.rows; ++i) {
            for (Index m = 0; m < k_; ++m) G_[m] = A[i * stride_ + m] = alpha[i * k_ + m];
            add(i, G_.data());
        }
    }

    // One pass over the active rows in random order, or over as many of them as there are seconds for.
    JointReport pass(double seconds) {
        const auto began = std::chrono::steady_clock::now();
        JointReport report;
        for (Index left = active_; left > 1; --left) {
            std::swap(order_[left - 1], order_[static_cast<Index>(generator_() % static_cast<std::uint64_t>(left))]);
        }
        double largest = 0.0;
        for (Index place = 0; place < active_; ++place) {
            if (report.visited % rows_between_looks == rows_between_looks - 1 &&
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() >= seconds) {
                report.whole = false;
                break;
            }
            const Index i = order_[place];
            gradient(i);
            double* a = A.data() + i * stride_;
            const Index y = codes_[i];
            double above = -infinity, best_other = -infinity, below = infinity;
            bool support = false;
            for (Index m = 0; m < k_; ++m) {
                above = std::max(above, G_[m]);
                if (m != y) best_other = std::max(best_other, G_[m]);
                if (a[m] < (m == y ? C_[i] : 0.0)) below = std::min(below, G_[m]);
                support |= a[m] != 0.0;
            }
            report.loss += C_[i] * std::max(0.0, best_other - G_[y]);
            ++report.visited;
            const double violation = above - below;
            // A row without weight whose own class leads by far is left out until the others agree.
            if (!support && G_[y] - best_other > shrink_) {
                std::swap(order_[place--], order_[--active_]);
                continue;
            }
            largest = std::max(largest, violation);
            if (violation > 1e-14 * (1.0 + std::abs(above)) && norms_[i] > 0.0) move(i, a);
        }
        report.violation = largest;
        if (report.whole) shrink_ = std::max(largest, 1e-12);
        return report;
    }

    // All rows take part again.
    void restore() {
        active_ = rows_.rows;
        shrink_ = infinity;
    }

    // offset += tau^2 s: the method of multipliers for s = 0.
    void move_offset() {
        for (Index m = 0; m < k_; ++m) offset[m] += tau2_ * sums[m];
    }

    Index classes() const { return k_; }
    Index rows() const { return rows_.rows; }
    Index columns() const { return rows_.columns; }
    Index active() const { return active_; }
    double half_norm() const {
        double total = 0.0;
        for (const double w : W) total += w * w;
        return 0.5 * total;
    }

    // alpha (n, k) without padding.
    void copy_alpha(double* out) const {
        for (Index i = 0; i < rows_.rows; ++i) std::copy_n(A.data() + i * stride_, k_, out + i * k_);
    }
    // b (k,) = offset + tau^2 s
    void copy_bias(double* out) const {
        for (Index m = 0; m < k_; ++m) out[m] = offset[m] + tau2_ * sums[m];
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr Index rows_between_looks = 64;

    // G_m = w_m . x_i + b_m + [m != y_i]
    void gradient(Index i) {
        for (Index m = 0; m < stride_; ++m) G_[m] = 1.0 + offset[m] + tau2_ * sums[m];
        G_[codes_[i]] -= 1.0;
        const auto row = rows_.row(i);
        for (Index j = 0; j < row.size; ++j) {
            const double x = row.values[j];
            if (x == 0.0) continue;
            const double* SEPARATRIX_RESTRICT w = W.data() + column(row, j) * stride_;
            double* SEPARATRIX_RESTRICT g = G_.data();
            for (Index m = 0; m < stride_; ++m) g[m] += x * w[m];
        }
    }

    // Minimise over the row's block.
    void move(Index i, double* a) {
        const double q = norms_[i], bound = C_[i];
        const Index y = codes_[i];
        for (Index m = 0; m < k_; ++m) {
            B_[m] = G_[m] - q * a[m];
            sorted_[m] = m == y ? B_[m] + q * bound : B_[m];
        }
        std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
        double beta = sorted_[0] - q * bound;
        Index r = 1;
        for (; r < k_ && beta < static_cast<double>(r) * sorted_[r]; ++r) beta += sorted_[r];
        beta /= static_cast<double>(r);
        double* change = G_.data();
        double total = 0.0;
        for (Index m = 0; m < k_; ++m) {
            if (m == y) continue;
            const double next = std::min(0.0, (beta - B_[m]) / q);
            change[m] = next - a[m];
            a[m] = next;
            total -= next;
        }
        total = std::min(total, bound);  // its own class takes what the others left, to the last bit but rounding
        change[y] = total - a[y];
        a[y] = total;
        for (Index m = k_; m < stride_; ++m) change[m] = 0.0;
        add(i, change);
    }

    void add(Index i, const double* SEPARATRIX_RESTRICT change) {
        for (Index m = 0; m < k_; ++m) sums[m] += change[m];
        const auto row = rows_.row(i);
        for (Index j = 0; j < row.size; ++j) {
            const double x = row.values[j];
            if (x == 0.0) continue;
            double* SEPARATRIX_RESTRICT w = W.data() + column(row, j) * stride_;
            for (Index m = 0; m < k_; ++m) w[m] += x * change[m];
        }
    }

    template <class V>
    static Index column(const DenseRow<V>&, Index j) {
        return j;
    }
    template <class V, class I>
    static Index column(const SparseRow<V, I>& row, Index j) {
        return static_cast<Index>(row.indices[j]);
    }

    Rows rows_;
    std::vector<Index> codes_;
    std::vector<double> C_;
    Index k_, stride_, active_ = 0;
    double tau2_, shrink_ = infinity;

public:
    std::vector<double> W, A, sums, offset;  // (d, stride), (n, stride), (stride,), (stride,)

private:
    std::vector<double> norms_;
    std::vector<Index> order_;
    std::vector<double> G_, B_, sorted_;
    std::mt19937_64 generator_;
};

}  // namespace separatrix
