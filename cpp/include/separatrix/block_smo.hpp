// Block SMO for the kernel SVM: the dual is improved on a working set of rows at a time.
//
//     max_alpha  sum_i dual_term(alpha_i) - 1/2 (alpha y).F,   F = K (alpha y),  0 <= alpha_i <= upper_i,
//                sum_i alpha_i y_i = 0 if the bias is free;    K stands for K + 1 if it is augmented
//
// With v_i = y_i - F_i (- y_i alpha_i / (2 C_i) for the squared hinge), alpha is optimal if and only if no row that may
// grow in the direction y_i has a larger v than one that may shrink. A round takes the rows that violate this most,
// together with the newer half of the last working set, solves their problem (kernel_inner.hpp) and updates F.
// Rows of K come from a cache, from blocks computed here, or, round by round, from the caller.
//
// In a long run, rows that sit at a bound far from changing are left out (shrinking): the places from active_ on keep
// the F that they had then. Before the end they are brought up to date from the alphas that changed since.
//
// Zanghirati, Zanni, A parallel solver for large quadratic programs in training SVMs, Parallel Computing 29 (2003).
// Glasmachers, Igel, Maximum-gain working set selection for SVMs, JMLR 7 (2006).
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "separatrix/kernel_cache.hpp"
#include "separatrix/kernel_grid.hpp"
#include "separatrix/kernel_rows.hpp"
#include "separatrix/smo_interface.hpp"

namespace separatrix {

template <class T>
class BlockSmo final : public Smo {
public:
    // `points` is null where the caller supplies the rows of K.
    BlockSmo(const double* y, const double* C, Index n, const SmoSettings& settings, Points* points,
             const KernelFormula& formula)
        : n_(n), active_(n), settings_(settings), points_(points), formula_(formula), y_(y, y + n), C_(C, C + n),
          upper_(C_), alpha_(at(n), 0.0), F_(at(n), 0.0), v_(at(n)), order_(at(n)), chosen_(at(n), 0),
          width_(padded(n)), size_(std::min(settings.working_set, n)),
          cache_(n, slots(), 4 * size_, width_), stride_((size_ + 15) / 16 * 16), K_(at(size_ * stride_)), inner_(at(5 * stride_)),
          inner_alpha_(at(3 * size_)) {
        if (settings.squared) std::fill(upper_.begin(), upper_.end(), std::numeric_limits<double>::infinity());
        for (Index p = 0; p < n; ++p) order_[at(p)] = static_cast<std::int32_t>(p);
        if (points_ != nullptr) prepare();
        if (!sparse_ && points_ != nullptr && points_->columns > 64) shrink_at_ = shrink_every_ = 2 * points_->columns;
        up_.reserve(at(n));
        low_.reserve(at(n));
        working_.reserve(at(size_));
        measure();
    }

    void set_point(const double* alpha, const double* F) override {
        if (active_ < n_) restore();
        for (Index p = 0; p < n_; ++p) {
            alpha_[at(p)] = std::clamp(alpha[order_[at(p)]], 0.0, upper_[at(p)]);
            F_[at(p)] = F[order_[at(p)]];
        }
        sum_ = 0;
        for (Index p = 0; p < n_; ++p) sum_ += alpha_[at(p)] * y_[at(p)];
        if (settings_.bias == SmoBias::augmented)
            for (double& f : F_) f += sum_;
        measure();
    }
    void tolerate_negative() override {
        settings_.stop_on_negative = false;
        negative_first_ = negative_second_ = -1;
    }
    void get_alpha(double* out) const override {
        for (Index p = 0; p < n_; ++p) out[order_[at(p)]] = alpha_[at(p)];
    }

    SmoReport run(double target, Index rounds, double seconds) override {
        const auto began = std::chrono::steady_clock::now();
        for (Index k = 0; k < rounds && !finished(target); ++k) {
            select();
            fill();
            solve();
            if (settings_.shrink && active_ == n_ && rounds_ >= shrink_at_) shrink();
            if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > seconds) break;
        }
        return report(target);
    }

    const std::vector<std::int32_t>& select() override {
        choose();
        missing_.clear();
        for (const std::int32_t p : working_) {
            const std::int32_t id = order_[at(p)];
            if (cache_.holds(id)) {
                cache_.touch(id);
            } else {
                missing_.push_back(id);
            }
        }
        return missing_;
    }

    void supply(const double* rows) override {
        for (std::size_t k = 0; k < missing_.size(); ++k) {
            T* to = cache_.take(missing_[k]);
            for (Index c = 0; c < n_; ++c) to[c] = static_cast<T>(rows[static_cast<Index>(k) * n_ + c]);
        }
    }

    SmoReport advance(double target) override {
        solve();
        return report(target);
    }

private:
    // Chooses how the points are packed: sparse, as integers on a grid, or dense around their centre.
    void prepare() {
        sparse_ = prefers_sparse(*points_, formula_);
        if constexpr (sizeof(T) == sizeof(float)) {
            if (!sparse_ && points_->centre.empty()) grid_.find(*points_, formula_);
        }
        if (!sparse_ && !grid_.found() && measures_distance(formula_) && points_->centre.empty()) points_->find_centre();
        pack(n_);
    }

    // The points at the first `count` places as columns of blocks.
    void pack(Index count) {
        if (grid_.found()) {
            grid_.pack_columns(*points_, order_.data(), count, settings_.n_threads);
        } else {
            columns_.pack(*points_, order_.data(), 0, count, formula_, sparse_, settings_.n_threads);
        }
    }

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    static Index padded(Index n) {
        const Index width = kernel_table().of<T>().panel_columns;
        return (n + width - 1) / width * width;
    }
    Index slots() const {
        const double bytes = settings_.cache_mb * 1048576.0 / (static_cast<double>(width_) * sizeof(T));
        return std::clamp(static_cast<Index>(std::min(bytes, 1e9)), size_, std::max(n_, size_));
    }
    bool free_bias() const { return settings_.bias == SmoBias::free; }
    bool may_grow(Index p) const { return y_[at(p)] > 0 ? alpha_[at(p)] < upper_[at(p)] : alpha_[at(p)] > 0; }
    bool may_shrink(Index p) const { return y_[at(p)] > 0 ? alpha_[at(p)] > 0 : alpha_[at(p)] < upper_[at(p)]; }
    int threads(double work) const { return work > 1e6 ? settings_.n_threads : 1; }

    // v, its extremes over the rows that may move, and the values that they imply.
    void measure() {
        double highest = free_bias() ? -std::numeric_limits<double>::infinity() : 0.0, lowest = -highest;
        for (Index p = 0; p < active_; ++p) {
            double v = y_[at(p)] - F_[at(p)];
            if (settings_.squared) v -= y_[at(p)] * alpha_[at(p)] / (2 * C_[at(p)]);
            v_[at(p)] = v;
            if (may_grow(p)) highest = std::max(highest, v);
            if (may_shrink(p)) lowest = std::min(lowest, v);
        }
        highest_ = highest, lowest_ = lowest;
        centre_ = !free_bias() ? 0.0 : std::isfinite(highest) && std::isfinite(lowest) ? 0.5 * (highest + lowest) : 0.0;
        violation_ = std::isfinite(highest) && std::isfinite(lowest) ? std::max(0.0, highest - lowest) : 0.0;
        bias_ = centre_;
        gap_ = gap_at(bias_);
        if (active_ == n_) {
            dual_ = 0;
            for (Index p = 0; p < n_; ++p) {
                const double a = alpha_[at(p)];
                dual_ += a - 0.5 * a * y_[at(p)] * F_[at(p)];
                if (settings_.squared) dual_ -= a * a / (4 * C_[at(p)]);
            }
        }
    }

    // sum_i C_i loss_i + dual term's conjugate - alpha_i s_i with s_i = 1 - y_i (F_i + b): each row's share is >= 0.
    double gap_at(double b) const {
        double gap = 0;
        for (Index p = 0; p < active_; ++p) {
            const double s = y_[at(p)] * (y_[at(p)] - F_[at(p)] - b), a = alpha_[at(p)], C = C_[at(p)];
            if (settings_.squared) {
                const double left = s - a / (2 * C);
                gap += s > 0 ? C * left * left : a * a / (4 * C) - a * s;
            } else {
                gap += s > 0 ? (C - a) * s : -a * s;
            }
        }
        return gap;
    }

    double slope_at(double b) const {
        double slope = 0;
        for (Index p = 0; p < active_; ++p) {
            const double s = y_[at(p)] * (y_[at(p)] - F_[at(p)] - b);
            if (s > 0) slope -= y_[at(p)] * C_[at(p)] * (settings_.squared ? 2 * s : 1.0);
        }
        return slope;
    }

    // The bias with the least primal value, by bisection on its derivative.
    void improve_bias() {
        double width = std::max(violation_, 1e-12), low = centre_ - width, high = centre_ + width;
        for (int k = 0; k < 60 && slope_at(low) > 0; ++k) low -= width, width *= 2;
        for (int k = 0; k < 60 && slope_at(high) < 0; ++k) high += width, width *= 2;
        for (int k = 0; k < 40; ++k) {
            const double middle = 0.5 * (low + high);
            (slope_at(middle) > 0 ? high : low) = middle;
        }
        for (const double b : {low, high}) {
            const double gap = gap_at(b);
            if (gap < gap_) gap_ = gap, bias_ = b;
        }
    }

    bool finished(double target) {
        if (settled(target) && active_ < n_) unshrink();
        return settled(target);
    }

    bool settled(double target) {
        const double limit = target * std::max(dual_, 1e-300);
        if (free_bias() && gap_ > limit && gap_ < 4 * limit) improve_bias();
        return gap_ <= target * (dual_ + gap_) || stalled_ || violation_ == 0 ||
               (settings_.stop_on_negative && negative_first_ >= 0);
    }

    // The newer half of the last working set, and the rows that violate optimality most.
    void choose() {
        const std::vector<std::int32_t> last(working_.end() - static_cast<std::ptrdiff_t>(working_.size() / 2), working_.end());
        for (const std::int32_t p : working_) chosen_[at(p)] = 0;
        working_.clear();
        for (const std::int32_t p : last) take(p);
        up_.clear();
        low_.clear();
        for (Index p = 0; p < active_; ++p) {
            const float key = static_cast<float>(v_[at(p)] - centre_);
            if (v_[at(p)] > lowest_ && may_grow(p)) up_.push_back({-key, static_cast<std::int32_t>(p)});
            if (v_[at(p)] < highest_ && may_shrink(p)) low_.push_back({key, static_cast<std::int32_t>(p)});
        }
        const Index wanted = size_ - static_cast<Index>(working_.size());
        take_best(up_, wanted - wanted / 2);
        take_best(low_, size_ - static_cast<Index>(working_.size()));
        take_best(up_, size_ - static_cast<Index>(working_.size()));
    }
    void take(std::int32_t p) {
        working_.push_back(p);
        chosen_[at(p)] = 1;
    }
    void take_best(std::vector<Candidate>& candidates, Index count) {
        const std::size_t enough = std::min(candidates.size(), static_cast<std::size_t>(count) + working_.size());
        std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(enough), candidates.end());
        std::sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(enough));
        for (std::size_t k = 0; k < enough && count > 0; ++k) {
            if (chosen_[at(candidates[k].place)]) continue;
            take(candidates[k].place);
            --count;
        }
    }

    // Leaves out the rows at a bound that no round would choose for long, if they are many.
    void shrink() {
        shrink_at_ = rounds_ + shrink_every_;
        std::vector<std::int32_t> kept, left;
        const double margin = 0.5 * violation_;
        for (Index p = 0; p < n_; ++p) {
            const bool idle = (!may_shrink(p) && v_[at(p)] < lowest_ - margin) || (!may_grow(p) && v_[at(p)] > highest_ + margin);
            (idle ? left : kept).push_back(static_cast<std::int32_t>(p));
        }
        if (static_cast<double>(left.size()) < 0.4 * static_cast<double>(n_) || kept.size() < 2) return;
        snapshot_.resize(at(n_));
        get_alpha(snapshot_.data());
        cache_.keep(kept.data(), static_cast<Index>(kept.size()));
        active_ = static_cast<Index>(kept.size());
        kept.insert(kept.end(), left.begin(), left.end());
        for (auto* values : {&y_, &C_, &upper_, &alpha_, &F_, &v_}) permute(*values, kept);
        permute(order_, kept);
        forget_working_set();
        pack(active_);
    }

    // F of the rows left out, from the alphas that changed since; then all rows are worked on again.
    void unshrink() {
        std::vector<std::int32_t> changed;
        std::vector<T> by;
        double moved = 0;
        for (Index p = 0; p < n_; ++p) {
            const double change = (alpha_[at(p)] - snapshot_[at(order_[at(p)])]) * y_[at(p)];
            if (change == 0) continue;
            changed.push_back(order_[at(p)]);
            by.push_back(static_cast<T>(change));
            moved += change;
        }
        const Index dropped = n_ - active_, group = 1024;
        PackedColumns<T> columns;
        columns.pack(*points_, order_.data() + active_, 0, dropped, formula_, sparse_, settings_.n_threads);
        std::vector<double> sums(at(padded(dropped)), 0.0);
        for (Index first = 0; first < static_cast<Index>(changed.size()); first += group) {
            const Index count = std::min(group, static_cast<Index>(changed.size()) - first);
            rows_.pack(*points_, changed.data() + first, count, formula_, sparse_);
            std::vector<T> coef(at(rows_.blocks * rows_.height), T(0));
            std::copy(by.begin() + first, by.begin() + first + count, coef.begin());
            kernel_sums(formula_, rows_, columns, coef.data(), 1, sums.data(), settings_.n_threads);
        }
        const double shift = settings_.bias == SmoBias::augmented ? moved : 0.0;
        for (Index k = 0; k < dropped; ++k) F_[at(active_ + k)] += sums[at(k)] + shift;
        restore();
        measure();
    }

    void restore() {
        active_ = n_;
        stalled_ = false;
        shrink_at_ = rounds_ + shrink_every_;
        cache_.clear();
        forget_working_set();
        pack(n_);
    }

    void forget_working_set() {
        working_.clear();
        std::fill(chosen_.begin(), chosen_.end(), 0);
    }

    template <class V>
    static void permute(std::vector<V>& values, const std::vector<std::int32_t>& order) {
        std::vector<V> moved;
        moved.reserve(values.size());
        for (const std::int32_t p : order) moved.push_back(values[at(p)]);
        values.swap(moved);
    }

    // Computes the missing rows of K over the active columns.
    void fill() {
        if (missing_.empty()) return;
        pointers_.clear();
        for (const std::int32_t id : missing_) pointers_.push_back(cache_.take(id));
        computed_ += static_cast<Index>(missing_.size());
        const Index count = static_cast<Index>(missing_.size());
        const int n_threads = threads(static_cast<double>(count) * static_cast<double>(active_ * points_->columns));
        if constexpr (sizeof(T) == sizeof(float)) {
            if (grid_.found()) {
                grid_.values(formula_, *points_, missing_.data(), count, pointers_.data(), n_threads);
                return;
            }
        }
        rows_.pack(*points_, missing_.data(), count, formula_, sparse_);
        kernel_values(formula_, rows_, columns_, pointers_.data(), n_threads);
    }

    void solve() {
        const Index size = static_cast<Index>(working_.size());
        if (size == 0) {
            stalled_ = true;
            return;
        }
        const double shift = settings_.bias == SmoBias::augmented ? 1.0 : 0.0;
        const Index stride = (size + 15) / 16 * 16;
        T *v = inner_.data(), *up = v + stride, *low = up + stride, *diagonal = low + stride;
        double *alpha = inner_alpha_.data(), *upper = alpha + size, *y = upper + size;
        for (Index k = 0; k < stride; ++k) v[k] = 0, diagonal[k] = 1, up[k] = T(-1e30), low[k] = T(1e30);
        pointers_.clear();
        for (Index k = 0; k < size; ++k) {
            const Index p = working_[at(k)];
            T* row = cache_.row(order_[at(p)]);
            pointers_.push_back(row);
            T* to = K_.data() + k * stride;
            for (Index j = 0; j < size; ++j) to[j] = row[working_[at(j)]];
            if (shift != 0)
                for (Index j = 0; j < size; ++j) to[j] += static_cast<T>(shift);
            for (Index j = size; j < stride; ++j) to[j] = 0;
            if (settings_.squared) to[k] += static_cast<T>(1 / (2 * C_[at(p)]));
            diagonal[k] = to[k];
            if (to[k] < 0) note_negative(order_[at(p)], -1, static_cast<double>(to[k]));
            v[k] = static_cast<T>(v_[at(p)] - centre_);
            alpha[k] = alpha_[at(p)], upper[k] = upper_[at(p)], y[k] = y_[at(p)];
            up[k] = may_grow(p) ? T(0) : T(-1e30);
            low[k] = may_shrink(p) ? T(0) : T(1e30);
        }
        const InnerReport inner = kernel_table().of<T>().solve(
            {size, stride, K_.data(), diagonal, v, up, low, alpha, upper, y, free_bias(), 0.1 * violation_, 20 * size + 200,
             sizeof(T) == 4 ? 1e-6 : 1e-12});
        if (inner.first >= 0)
            note_negative(order_[at(working_[at(inner.first)])], order_[at(working_[at(inner.second)])], inner.curvature);
        ++rounds_;
        steps_ += inner.steps;
        update(size, shift);
        dual_ += inner.gain;
        stalled_ = inner.steps == 0;
        measure();
    }

    void note_negative(std::int32_t first, std::int32_t second, double curvature) {
        if (negative_first_ >= 0) return;
        negative_first_ = first, negative_second_ = second, curvature_ = curvature;
    }

    // alpha and F from the inner solution
    void update(Index size, double shift) {
        changes_.clear();
        Index changed = 0;
        double moved = 0;
        for (Index k = 0; k < size; ++k) {
            const Index p = working_[at(k)];
            const double by = (inner_alpha_[at(k)] - alpha_[at(p)]) * y_[at(p)];
            if (by == 0) continue;
            alpha_[at(p)] = inner_alpha_[at(k)];
            changes_.push_back(by);
            pointers_[at(changed++)] = pointers_[at(k)];
            moved += by;
        }
        sum_ += moved;
        const auto& table = kernel_table().of<T>();
        const int n_threads = threads(static_cast<double>(changed) * static_cast<double>(active_));
        split(active_ / 64 + 1, n_threads, [&](int, Index begin, Index end) {
            table.add_rows(pointers_.data(), changes_.data(), changed, begin * 64, std::min(active_, end * 64), F_.data());
        });
        if (shift != 0)
            for (Index p = 0; p < active_; ++p) F_[at(p)] += moved;
    }

    SmoReport report(double target) {
        SmoReport out;
        const bool done = finished(target);
        out.dual = dual_, out.primal = dual_ + gap_;
        out.bias = settings_.bias == SmoBias::augmented ? sum_ : bias_;
        out.violation = violation_, out.rounds = rounds_, out.steps = steps_, out.active = active_, out.computed = computed_;
        out.reached = done && gap_ <= target * (dual_ + gap_);
        out.stalled = done && !out.reached;
        out.negative_first = negative_first_, out.negative_second = negative_second_, out.curvature = curvature_;
        return out;
    }

    Index n_, active_;
    SmoSettings settings_;
    Points* points_;
    KernelFormula formula_;
    bool sparse_ = false;
    std::vector<double> y_, C_, upper_, alpha_, F_, v_;  // by place; the first `active_` places are worked on
    std::vector<std::int32_t> order_;                    // the row at a place
    std::vector<char> chosen_;
    Index width_, size_;
    RowCache<T> cache_;
    Index stride_;
    Buffer<T> K_;
    std::vector<T> inner_;
    std::vector<double> inner_alpha_, changes_;
    PackedColumns<T> columns_;
    GridPoints grid_;
    PackedBlockRows<T> rows_;
    std::vector<std::int32_t> working_, missing_;
    std::vector<T*> pointers_;
    std::vector<Candidate> up_, low_;
    double highest_ = 0, lowest_ = 0, centre_ = 0, violation_ = 0, bias_ = 0, gap_ = 0, dual_ = 0, sum_ = 0;
    Index shrink_every_ = 40;       // rounds: fewer would not pay for bringing F up to date
    std::vector<double> snapshot_;  // alpha by row when rows were left out
    Index rounds_ = 0, steps_ = 0, computed_ = 0, shrink_at_ = shrink_every_;
    bool stalled_ = false;
    Index negative_first_ = -1, negative_second_ = -1;
    double curvature_ = 0;
};

}  // namespace separatrix
