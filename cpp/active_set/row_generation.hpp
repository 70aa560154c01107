// The hard margin of many rows: the active-set method on a growing set of rows.
//
//     min 1/2 ||w||^2   s.t.   y_i (w.x_i + b) >= 1
//
// At most d + 1 rows hold the slab. A working set is solved, rows are scanned for margins below 1, the worst of each
// class join, and the active-set method goes on from where it was. The first scans read a sample of the rows, each
// later level a larger one: a solution of r rows leaves about D n / r of n rows short (K. L. Clarkson, Las Vegas
// algorithms for linear and integer programming, JACM 42, 1995), so the passes over all rows are few.
// The answer rests on the last level, which is all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "active_set/active_set.hpp"
#include "active_set/least_squares.hpp"
#include "rows/products.hpp"

namespace separatrix {

template <class V>
void write_row(const DenseRow<V>& row, double* out) {
    std::copy(row.values, row.values + row.size, out);
}
template <class V, class I>
void write_row(const SparseRow<V, I>& row, double* out) {
    for (Index k = 0; k < row.size; ++k) out[row.indices[k]] += static_cast<double>(row.values[k]);
}

// The `keep` rows with the lowest margins among those offered.
class Lowest {
public:
    explicit Lowest(Index keep) : keep_(static_cast<std::size_t>(keep)) { found_.reserve(4 * keep_); }
    void clear(double limit) {
        limit_ = limit;
        found_.clear();
    }
    double limit() const { return limit_; }
    void offer(double margin, Index row) {
        if (!(margin < limit_)) return;
        found_.emplace_back(margin, row);
        if (found_.size() == 4 * keep_) trim();
    }
    const std::vector<std::pair<double, Index>>& sorted() {
        if (found_.size() > keep_) trim();
        std::sort(found_.begin(), found_.end());
        return found_;
    }

private:
    void trim() {
        std::nth_element(found_.begin(), found_.begin() + (keep_ - 1), found_.end());
        found_.resize(keep_);
        limit_ = found_.back().first;
    }

    std::size_t keep_;
    double limit_ = 0.0;
    std::vector<std::pair<double, Index>> found_;
};

template <class Rows>
class RowGeneration {
public:
    RowGeneration(const Rows& rows, const double* y, bool bias)
        : rows_(rows),
          y_(y),
          bias_(bias),
          n_(rows.rows),
          d_(rows.columns),
          loops_(simd().rows.of(rows)),
          engine_(d_ + (bias ? 1 : 0), bias),
          joined_(n_, 0),
          w_(d_, 0.0),
          centre_(d_, 0.0),
          margins_(block),
          above_(d_ + 8),
          below_(d_ + 8) {
        for (Index size = n_; size > 2 * (256 + 64 * d_) && every_ < n_; size /= 8) every_ *= 8;
    }

    // `keep_going` is asked before every round and within it; it may throw.
    template <class Question>
    ActiveSet::Outcome run(Index max_rounds, const Question& keep_going) {
        if (!begin()) return ActiveSet::Outcome::infeasible;
        for (Index round = 0; round < max_rounds; ++round) {
            keep_going();
            const auto outcome = engine_.solve(100 * d_ + 10 * n_ + 1000, keep_going);
            read_point();
            if (outcome != ActiveSet::Outcome::optimal) return outcome;
            if (!std::isfinite(b_) || !std::isfinite(dense::dot(w_.data(), w_.data(), d_)))
                return ActiveSet::Outcome::stalled;
            if (static_cast<Index>(members_.size()) == n_) return outcome;
            for (;; every_ /= 8) {
                scan(1.0 - short_of);
                if (join_found() > 0) break;
                if (every_ == 1) return outcome;
            }
        }
        return ActiveSet::Outcome::stalled;
    }

    const std::vector<double>& w() const { return w_; }
    double b() const { return b_; }
    const ActiveSet& engine() const { return engine_; }
    std::vector<Index> given(const std::vector<Index>& own) const {
        std::vector<Index> out;
        for (const Index i : own) out.push_back(members_[i]);
        return out;
    }

private:
    static constexpr Index block = 1024;       // rows scored before their margins are looked at
    static constexpr Index run_length = 16;    // consecutive rows of a sample
    static constexpr double short_of = 1e-10;  // a row within this of its margin is not worth another round

    Index few_rows() const { return 64 + 4 * d_; }  // so few are handed over at once

    // Calls work(begin, end) on the ranges of rows that this level looks at.
    template <class Work>
    void ranges(Index every, const Work& work) const {
        const Index length = every == 1 ? block : run_length;
        for (Index at = 0; at < n_; at += length * every) work(at, std::min(n_, at + length));
    }

    // The first working set; false if two equal rows of both classes are in it.
    bool begin() {
        guess(std::max<Index>(every_, n_ / (96 + 4 * d_)));
        scan(std::numeric_limits<double>::infinity());
        Index pair[2] = {-1, -1};
        for (Lowest* side : {&above_, &below_}) {
            for (const auto& [margin, i] : side->sorted()) join(i);
            Index& first = pair[side == &above_ ? 0 : 1];
            if (!side->sorted().empty()) first = side->sorted().front().second;
        }
        for (Index i = 0; i < n_ && n_ <= few_rows(); ++i) {
            if (!joined_[i]) join(i);
        }
        if (!bias_) return true;
        for (Index i = 0; i < n_ && (pair[0] < 0 || pair[1] < 0); ++i) {  // a class that the sample has missed
            Index& first = pair[y_[i] > 0 ? 0 : 1];
            if (first < 0) join(first = i);
        }
        for (Index& i : pair) i = std::find(members_.begin(), members_.end(), i) - members_.begin();
        return engine_.begin_with(pair[0], pair[1]) == ActiveSet::Outcome::optimal;
    }

    void centred(Index i, double* out) const {
        std::fill(out, out + d_, 0.0);
        write_row(rows_.row(i), out);
        if (bias_)
            for (Index j = 0; j < d_; ++j) out[j] -= centre_[j];
    }

    // From a sample: the mean that rows are shifted by, which a free bias absorbs; tau, the size of what is left; and
    // a direction to rank rows by, least squares where columns are few, else the difference of means.
    void guess(Index every) {
        std::vector<double> x(d_);
        double mean = 0.0, squared = 0.0;
        Index count = 0;
        ranges(every, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i, ++count) {
                mean += y_[i];
                if (!bias_) continue;
                std::fill(x.begin(), x.end(), 0.0);
                write_row(rows_.row(i), x.data());
                dense::axpy(1.0, x.data(), centre_.data(), d_);
            }
        });
        mean /= static_cast<double>(count);
        for (double& a : centre_) a /= static_cast<double>(count);
        LeastSquares sums(d_, d_ <= 1000);
        ranges(every, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) {
                double* row = sums.next(y_[i] - mean);
                centred(i, row);
                squared += dense::dot(row, row, d_);
            }
        });
        tau_ = std::sqrt(squared / static_cast<double>(count));
        if (!(tau_ > 0.0)) tau_ = 1.0;
        w_ = sums.solution();
        b_ = 0.0;
    }

    // The rows of this level with margins below the limit, worst first, of each class.
    void scan(double limit) {
        above_.clear(limit);
        below_.clear(limit);
        ranges(every_, [&](Index begin, Index end) {
            loops_.scores(rows_, begin, end, w_.data(), margins_.data());
            const double least = std::max(above_.limit(), below_.limit());
            if (simd().rows.margins_below(y_ + begin, b_, least, margins_.data(), end - begin) == 0) return;
            for (Index i = begin; i < end; ++i) {
                Lowest& side = y_[i] > 0 ? above_ : below_;
                if (margins_[i - begin] < side.limit() && !joined_[i]) side.offer(margins_[i - begin], i);
            }
        });
    }

    Index join_found() {
        const std::size_t before = members_.size();
        for (Lowest* side : {&above_, &below_}) {
            for (const auto& [margin, i] : side->sorted()) join(i);
        }
        return static_cast<Index>(members_.size() - before);
    }

    void join(Index i) {
        signed_row_.resize(engine_.width());
        centred(i, signed_row_.data());
        if (bias_) signed_row_[d_] = tau_;
        for (double& a : signed_row_) a *= y_[i];
        const double one = 1.0;
        engine_.add(signed_row_.data(), &one, 1);
        members_.push_back(i);
        joined_[i] = 1;
    }

    void read_point() {
        const std::vector<double>& u = engine_.point();
        std::copy(u.begin(), u.begin() + d_, w_.begin());
        b_ = bias_ ? u[d_] * tau_ - dense::dot(w_.data(), centre_.data(), d_) : 0.0;
    }

    Rows rows_;
    const double* y_;
    bool bias_;
    Index n_, d_;
    RowLoops<Rows> loops_;
    ActiveSet engine_;
    Index every_ = 1;  // this level looks at one run of rows in so many
    std::vector<Index> members_;
    std::vector<char> joined_;
    std::vector<double> w_, centre_, margins_, signed_row_;
    double b_ = 0.0, tau_ = 1.0;
    Lowest above_, below_;
};

}  // namespace separatrix
