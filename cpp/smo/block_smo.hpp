// Block SMO for the kernel SVM: the dual is improved on a working set of rows at a time.
//
//     max_alpha  sum_i dual_term(alpha_i) - 1/2 (alpha y).F,   F = K (alpha y),  0 <= alpha_i <= upper_i,
//                sum_i alpha_i y_i = 0 if the bias is free;    K stands for K + 1 if it is augmented
//
// alpha is optimal if and only if no row that may grow in the direction y_i has a larger v (smo_point.hpp) than one
// that may shrink. A round takes the rows that violate this most (smo_working_set.hpp), solves their problem
// (smo_inner.hpp), for which their values with each other suffice, gets the rows of K whose alpha moved
// (smo_kernel_rows.hpp) and updates F.
//
// In a long run, rows that sit at a bound far from changing are left out (shrinking): the places from `active` on keep
// the F that they had then. Before the end they are brought up to date from the alphas that changed since.
//
// Zanghirati, Zanni, A parallel solver for large quadratic programs in training SVMs, Parallel Computing 29 (2003).
// Glasmachers, Igel, Maximum-gain working set selection for SVMs, JMLR 7 (2006).
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "smo/smo_kernel_rows.hpp"
#include "smo/smo_patience.hpp"
#include "smo/smo_point.hpp"
#include "smo/smo_working_set.hpp"

namespace separatrix {

template <class T>
class BlockSmo final : public Smo {
public:
    // `points` is null where the caller supplies the rows of K.
    BlockSmo(const double* y, const double* C, Index n, const SmoSettings& settings, Points* points,
             const KernelFormula& formula)
        : settings_(settings),
          size_(std::min(settings.working_set, n)),
          stride_(SmoKernelRows<T>::padded(size_)),
          point_(y, C, n, settings.squared, settings.bias),
          working_(n, size_),
          rows_(points, formula, n, size_, settings.cache_mb, settings.n_threads),
          K_(at(size_ * stride_)),
          inner_(at(5 * stride_)),
          inner_alpha_(at(3 * size_)),
          patience_(n, size_) {
        if (rows_.computes()) {
            rows_.pack(point_.order, n);
            if (rows_.depth() > 64) shrink_at_ = shrink_every_ = static_cast<Index>(2 * rows_.depth());
        }
        point_.measure();
    }

    void set_point(const double* alpha, const double* F) override {
        if (point_.active < point_.rows) restore();
        point_.set(alpha, F);
        stalled_ = false;
        patience_.restart();
        shrink_at_ = rounds_ + shrink_every_;
    }
    void tolerate_negative() override {
        settings_.stop_on_negative = false;
        negative_first_ = negative_second_ = -1;
    }
    void get_alpha(double* out) const override { point_.get_alpha(out); }
    void get_sums(double* out) const override { point_.get_sums(out); }

    SmoReport run(double target, Index rounds, double seconds) override {
        const auto began = std::chrono::steady_clock::now();
        const TeamForCall team(settings_.n_threads);  // a round has half a dozen loops to split
        for (Index k = 0; k < rounds && !finished(target); ++k) {
            select();
            solve();
            if (settings_.shrink && point_.active == point_.rows && rounds_ >= shrink_at_) shrink();
            if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > seconds) break;
        }
        return report(target);
    }

    const std::vector<std::int32_t>& select() override {
        working_.choose(point_, whole());
        known_ = working_.places().size() == at(gathered_) ? working_.kept() : 0;
        gathered_ = 0;
        return rows_.look_for(working_.places(), point_.order);
    }
    void supply(const double* rows) override { rows_.supply(rows); }
    SmoReport advance(double target) override {
        solve();
        return report(target);
    }

private:
    static constexpr double cheap_depth = 32;  // products

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

    // True if the set has room for all rows. Steps of pairs are then those of SMO on all rows, and few rounds go far;
    // steps of single rows are many more, and gain as much in many rounds.
    bool whole() const { return point_.free_bias() && size_ >= point_.active; }

    bool finished(double target) {
        if (settled(target) && point_.active < point_.rows) unshrink();
        return settled(target);
    }

    bool settled(double target) {
        const double limit = target * std::max(point_.dual, 1e-300);
        if (point_.free_bias() && point_.gap > limit && point_.gap < 4 * limit) point_.improve_bias();
        return reached(target) || stalled_ || point_.violation == 0 ||
               (settings_.stop_on_negative && negative_first_ >= 0);
    }

    bool reached(double target) const { return point_.gap <= target * (point_.dual + point_.gap); }

    void solve() {
        const Index size = static_cast<Index>(working_.places().size());
        if (size == 0) {
            stalled_ = true;
            return;
        }
        const InnerReport inner = simd().kernel.of<T>().solve(inner_block(size));
        if (inner.first >= 0) note_negative(row_in_set(inner.first), row_in_set(inner.second), inner.curvature);
        ++rounds_;
        steps_ += inner.steps;
        update(size);
        point_.dual += inner.gain;
        point_.measure();
        stalled_ = inner.steps == 0 || patience_.exhausted(point_);
    }

    // The problem of the working set, gathered side by side.
    InnerBlock<T> inner_block(Index size) {
        const T shift = point_.augmented() ? T(1) : T(0);
        const Index stride = SmoKernelRows<T>::padded(size);
        T *v = inner_.data(), *up = v + stride, *low = up + stride, *diagonal = low + stride;
        double *alpha = inner_alpha_.data(), *upper = alpha + size, *y = upper + size;
        for (Index k = 0; k < stride; ++k) v[k] = 0, diagonal[k] = 1, up[k] = T(-1e30), low[k] = T(1e30);
        const std::vector<std::int32_t>& places = working_.places();
        move_up(size, stride);
        rows_.computes() && rows_.depth() < cheap_depth ? compute(size, stride) : gather(size, stride);
        for (Index k = known_; k < size; ++k) {
            T* to = K_.data() + k * stride;
            for (Index j = 0; j < size; ++j) to[j] += shift;
            for (Index j = size; j < stride; ++j) to[j] = 0;
            if (point_.squared) to[k] += static_cast<T>(1 / (2 * point_.C[at(places[at(k)])]));
        }
        mirror(size, stride);
        gathered_ = size;
        for (Index k = 0; k < size; ++k) {
            const Index p = places[at(k)];
            diagonal[k] = K_[at(k * stride + k)];
            if (diagonal[k] < 0) note_negative(row_in_set(k), -1, static_cast<double>(diagonal[k]));
            v[k] = static_cast<T>(point_.v[at(p)] - point_.centre);
            alpha[k] = point_.alpha[at(p)], upper[k] = point_.upper[at(p)], y[k] = point_.y[at(p)];
            up[k] = point_.may_grow(p) ? T(0) : T(-1e30);
            low[k] = point_.may_shrink(p) ? T(0) : T(1e30);
        }
        const double tolerance = (whole() ? 1e-3 : 0.1) * point_.violation;
        const Index most = whole() ? 4 * point_.active : 20 * size + 200;
        return {size,  stride, K_.data(), diagonal,           v,         up,   low,
                alpha, upper,  y,         point_.free_bias(), tolerance, most, sizeof(T) == 4 ? 1e-6 : 1e-12};
    }

    // Values among the new rows of the set and with those before them: picked from the rows of K that are at hand, by
    // symmetry from either of the two, and computed where neither is ...
    void gather(Index size, Index stride) {
        const std::vector<std::int32_t>& places = working_.places();
        pointers_.clear();
        absent_.assign(at(size), -1);
        std::vector<std::int32_t> ids;
        Index kept = 0;
        for (Index k = 0; k < size; ++k) {
            const std::int32_t id = row_in_set(k);
            pointers_.push_back(rows_.holds(id) ? rows_.row(id) : nullptr);
            if (pointers_.back() != nullptr) continue;
            absent_[at(k)] = static_cast<std::int32_t>(ids.size());
            ids.push_back(id);
            kept += k < known_;
        }
        const Index width = SmoKernelRows<T>::padded(static_cast<Index>(ids.size()));
        among_.resize(std::max(among_.size(), at((static_cast<Index>(ids.size()) - kept) * width)));
        if (kept < static_cast<Index>(ids.size())) {
            std::vector<T*> out;
            for (Index k = 0; k < static_cast<Index>(ids.size()) - kept; ++k) out.push_back(among_.data() + k * width);
            rows_.block(ids, kept, out.data());
        }
        // Shared as they come: the last rows are the longest.
        share(size - known_, 8, size - known_ >= 128 ? settings_.n_threads : 1, [&](Index begin, Index end) {
            for (Index k = known_ + begin; k < known_ + end; ++k) {
                const T* from = pointers_[at(k)];
                T* to = K_.data() + k * stride;
                if (from != nullptr) {
                    for (Index j = 0; j <= k; ++j) to[j] = from[places[at(j)]];
                    continue;
                }
                const T* own = among_.data() + (absent_[at(k)] - kept) * width;
                for (Index j = 0; j <= k; ++j) {
                    const T* other = pointers_[at(j)];
                    to[j] = other != nullptr ? other[places[at(k)]] : own[absent_[at(j)]];
                }
            }
        });
    }

    // ... or computed again, where that takes less than the cache miss for each value that is picked.
    void compute(Index size, Index stride) {
        std::vector<std::int32_t> ids;
        for (Index k = 0; k < size; ++k) ids.push_back(row_in_set(k));
        pointers_.clear();
        for (Index k = known_; k < size; ++k) pointers_.push_back(K_.data() + k * stride);
        rows_.block(ids, known_, pointers_.data());
    }

    // The rows that stay from the round before were its last ones; their values with each other need not be gathered again.
    void move_up(Index size, Index stride) {
        const Index first = size - known_;
        for (Index k = 0; k < known_; ++k)
            std::copy_n(K_.data() + (first + k) * stride + first, known_, K_.data() + k * stride);
    }

    // K_jk = K_kj for the rows k that are new, a block at a time
    void mirror(Index size, Index stride) {
        constexpr Index block = 16;
        const Index blocks = (size - known_ + block - 1) / block;
        share(blocks, 1, blocks >= 8 ? settings_.n_threads : 1, [&](Index first, Index last) {
            for (Index rows = known_ + first * block; rows < std::min(size, known_ + last * block); rows += block) {
                for (Index columns = 0; columns < std::min(size, rows + block); columns += block) {
                    for (Index k = rows; k < std::min(size, rows + block); ++k)
                        for (Index j = columns; j < std::min(k, columns + block); ++j)
                            K_[at(j * stride + k)] = K_[at(k * stride + j)];
                }
            }
        });
    }

    std::int32_t row_in_set(Index k) const { return point_.order[at(working_.places()[at(k)])]; }

    void note_negative(std::int32_t first, std::int32_t second, double curvature) {
        if (negative_first_ >= 0) return;
        negative_first_ = first, negative_second_ = second, curvature_ = curvature;
    }

    // alpha and F from the inner solution
    void update(Index size) {
        changes_.clear();
        changed_.clear();
        double moved = 0;
        for (Index k = 0; k < size; ++k) {
            const Index p = working_.places()[at(k)];
            const double by = (inner_alpha_[at(k)] - point_.alpha[at(p)]) * point_.y[at(p)];
            if (by == 0) continue;
            point_.alpha[at(p)] = inner_alpha_[at(k)];
            changes_.push_back(by);
            changed_.push_back(row_in_set(k));
            moved += by;
        }
        rows_.fill(changed_);
        pointers_.clear();
        for (const std::int32_t id : changed_) pointers_.push_back(rows_.row(id));
        const Index changed = static_cast<Index>(changed_.size());
        point_.sum += moved;
        const auto& table = simd().kernel.of<T>();
        const Index active = point_.active;
        double* F = point_.F.data();
        const int n_threads =
            static_cast<double>(changed) * static_cast<double>(active) > 1e6 ? settings_.n_threads : 1;
        share(active / 64 + 1, 1, n_threads, [&](Index begin, Index end) {
            table.add_rows(pointers_.data(), changes_.data(), changed, begin * 64, std::min(active, end * 64), F);
        });
        if (point_.augmented())
            for (Index p = 0; p < active; ++p) F[p] += moved;
    }

    // Leaves out the rows at a bound that no round would choose for long, if they are many.
    void shrink() {
        shrink_at_ = rounds_ + shrink_every_;
        std::vector<std::int32_t> kept, left;
        const double margin = 0.5 * point_.violation;
        for (Index p = 0; p < point_.rows; ++p) {
            const double v = point_.v[at(p)];
            const bool idle = (!point_.may_shrink(p) && v < point_.lowest - margin) ||
                              (!point_.may_grow(p) && v > point_.highest + margin);
            (idle ? left : kept).push_back(static_cast<std::int32_t>(p));
        }
        if (static_cast<double>(left.size()) < 0.4 * static_cast<double>(point_.rows) || kept.size() < 2) return;
        snapshot_.resize(at(point_.rows));
        point_.get_alpha(snapshot_.data());
        rows_.keep(kept);
        point_.active = static_cast<Index>(kept.size());
        kept.insert(kept.end(), left.begin(), left.end());
        point_.rearrange(kept);
        working_.forget();
        rows_.pack(point_.order, point_.active);
    }

    // F of the rows left out, from the alphas that changed since; then all rows are worked on again.
    void unshrink() {
        std::vector<std::int32_t> changed;
        std::vector<T> by;
        double moved = 0;
        for (Index p = 0; p < point_.rows; ++p) {
            const std::int32_t row = point_.order[at(p)];
            const double change = (point_.alpha[at(p)] - snapshot_[at(row)]) * point_.y[at(p)];
            if (change == 0) continue;
            changed.push_back(row);
            by.push_back(static_cast<T>(change));
            moved += change;
        }
        const Index active = point_.active, dropped = point_.rows - active;
        const std::vector<double> sums = rows_.sums(point_.order.data() + active, dropped, changed, by);
        const double shift = point_.augmented() ? moved : 0.0;
        for (Index k = 0; k < dropped; ++k) point_.F[at(active + k)] += sums[at(k)] + shift;
        const bool stuck = stalled_;
        restore();
        if (stuck)
            shrink_at_ = std::numeric_limits<Index>::max();  // or rows could be left out and brought back for ever
        point_.measure();
    }

    void restore() {
        point_.active = point_.rows;
        stalled_ = false;
        patience_.restart();
        shrink_at_ = rounds_ + shrink_every_;
        rows_.clear();
        working_.forget();
        rows_.pack(point_.order, point_.rows);
    }

    SmoReport report(double target) {
        SmoReport out;
        const bool done = finished(target);
        out.dual = point_.dual, out.primal = point_.dual + point_.gap;
        out.bias = point_.augmented() ? point_.sum : point_.bias;
        out.violation = point_.violation, out.active = point_.active;
        out.rounds = rounds_, out.steps = steps_, out.computed = rows_.computed();
        out.reached = done && reached(target);
        out.stalled = done && !out.reached;
        out.negative_first = negative_first_, out.negative_second = negative_second_, out.curvature = curvature_;
        return out;
    }

    SmoSettings settings_;
    Index size_, stride_;
    SmoPoint point_;
    WorkingSet working_;
    SmoKernelRows<T> rows_;
    Buffer<T> K_;
    Index gathered_ = 0, known_ = 0;  // rows of the last round in K_, and how many of them are in this round
    std::vector<T> inner_;
    std::vector<double> inner_alpha_, changes_;
    std::vector<T*> pointers_;
    std::vector<T> among_;                        // values among the rows of the set that the cache does not hold
    std::vector<std::int32_t> absent_, changed_;  // their numbers, -1 for the others; rows whose alpha moved
    SmoPatience patience_;
    Index shrink_every_ = 40;       // rounds: fewer would not pay for bringing F up to date
    std::vector<double> snapshot_;  // alpha by row when rows were left out
    Index rounds_ = 0, steps_ = 0, shrink_at_ = shrink_every_;
    bool stalled_ = false;
    Index negative_first_ = -1, negative_second_ = -1;
    double curvature_ = 0;
};

}  // namespace separatrix
