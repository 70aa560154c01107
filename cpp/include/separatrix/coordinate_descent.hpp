// Dual coordinate descent for the soft-margin linear SVM, one epoch per call.
//
//     max_alpha  sum_i alpha_i - 1/2 sum_i shift_i alpha_i^2 - 1/2 ||w||^2 - kappa/2 s^2 - centre s
//     s.t.       0 <= alpha_i <= upper_i,       w = sum_i alpha_i y_i x_i,   s = sum_i alpha_i y_i
//
// kappa = 0 without a bias; kappa = 1, centre = 0 with an augmented one; with a free bias (kappa, centre) are the
// penalty and the multiplier of the constraint s = 0, moved by the caller. The bias of an iterate is
// b = centre + kappa s.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "separatrix/products.hpp"
#include "separatrix/subspace.hpp"
#include "separatrix/working_rows.hpp"

namespace separatrix {

struct DescentSettings {
    bool squared = false;
    bool shrink = true;
    double kappa = 0;
    std::uint64_t seed = 0;
    int n_threads = 1;
    Index chunk = 32;  // rows visited in sequence
    int memory = 5;   // moves that span the subspace step; 0 for none
};

struct DescentReport {
    double gap = 0;     // estimate: sum of the shares of the gap that the visited rows had before their updates
    double dual = 0;    // sum_i dual_term(alpha_i) - 1/2 ||w||^2
    Index active = 0;   // rows that were visited
    Index epochs = 0;
    Index steps = 0;    // accepted subspace steps
    int precision = 0;  // 0: float32 throughout; 1: float64 w; 2: float64 w and values
    double residual = 0;  // s
    double bias = 0;      // b
    double room = 0;      // sum over rows inside their bounds of the distance to the nearer bound
};

class Descent {
public:
    virtual ~Descent() = default;
    virtual DescentReport epoch() = 0;
    virtual void refine(int precision) = 0;
    virtual void unshrink() = 0;
    virtual void resum() = 0;
    virtual void set_centre(double centre) = 0;
    virtual void get_alpha(double* alpha) const = 0;
    virtual void set_alpha(const double* alpha) = 0;
    virtual double bias() const = 0;
    virtual void get_w(double* w) const = 0;
};

template <class Source>
class CoordinateDescent final : public Descent {
public:
    CoordinateDescent(const Source& source, const double* y, const double* C, const DescentSettings& settings)
        : settings_(settings),
          random_(settings.seed),
          rows_(source, random_),
          n_(source.rows),
          d_(source.columns),
          coordinates_(static_cast<std::size_t>(n_)),
          active_(static_cast<std::size_t>(n_)),
          narrow_w_(static_cast<std::size_t>(d_)),
          w_(static_cast<std::size_t>(d_)),
          subspace_(settings.memory) {
        for (Index id = 0; id < n_; ++id) {
            const Index i = rows_.origin(id);
            coordinates_[static_cast<std::size_t>(id)] = {0, settings.squared ? 1 / (2 * C[i]) : C[i], 0, y[i]};
        }
        std::iota(active_.begin(), active_.end(), 0);
        chunks_.reserve(static_cast<std::size_t>(n_));
    }

    DescentReport epoch() override {
        PassReport pass;
        if (epochs_ == 0 ) {
            pass = first_pass();
        } else {
            if (settings_.memory > 0 && epochs_ % 2 == 0 && (precision_ > 0 || 2 * n_active() <= n_)) accelerate();
            rows_.gather(active_.data(), n_active(), precision_ == 2);
            schedule_chunks();
            pass = run(Schedule{active_.data(), n_active(), chunks_.data(), static_cast<Index>(chunks_.size()), settings_.chunk});
        }
        DescentReport report;
        report.active = n_active();
        ++epochs_;
        if (pass.shrunk > 0) compact();
        if (settings_.shrink) {
            cuts_.high = pass.highest > 0 ? pass.highest : infinity;
            cuts_.low = pass.lowest < 0 ? pass.lowest : -infinity;
        }
        report.gap = pass.gap;
        if (precision_ == 0) std::copy(narrow_w_.begin(), narrow_w_.end(), w_.begin());
        report.dual = plain_dual(w_);
        report.epochs = epochs_;
        report.steps = steps_;
        report.precision = precision_;
        report.residual = residual();
        report.bias = bias_;
        for (const auto& at : coordinates_) report.room += std::min(at.alpha, upper(at) - at.alpha);
        return report;
    }

    // 1: w in float64, rebuilt from alpha; 2: also the exact values of float64 data.
    void refine(int precision) override {
        precision = precision == 2 && rows_.exact_values() ? 1 : precision;
        if (precision <= precision_) return;
        precision_ = precision;
        rebuild();
        forget();  // moves of the rounded w would bring its rounding back
    }

    void unshrink() override {
        active_.resize(static_cast<std::size_t>(n_));
        std::iota(active_.begin(), active_.end(), 0);
        cuts_ = no_cuts;
    }

    // Computes w anew from alpha, in case updates have let it drift.
    void resum() override { rebuild(); }

    void set_centre(double centre) override {
        centre_ = centre;
        bias_ = centre_ + settings_.kappa * residual();
    }

    void get_alpha(double* alpha) const override {
        for (Index id = 0; id < n_; ++id) alpha[rows_.origin(id)] = coordinates_[static_cast<std::size_t>(id)].alpha;
    }

    void set_alpha(const double* alpha) override {
        for (Index id = 0; id < n_; ++id) {
            Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
            const double upper = settings_.squared ? infinity : at.limit;
            at.alpha = std::clamp(alpha[rows_.origin(id)], 0.0, upper);
        }
        rebuild();
        forget();
    }

    void get_w(double* w) const override {
        if (precision_ > 0) {
            std::copy(w_.begin(), w_.end(), w);
        } else {
            std::copy(narrow_w_.begin(), narrow_w_.end(), w);
        }
    }

    double bias() const override { return bias_; }

private:
    Index n_active() const { return static_cast<Index>(active_.size()); }

    PassReport run(const Schedule& schedule) {
        PassReport pass;
        if (precision_ == 0) {
            Iterate<float> iterate{narrow_w_.data(), bias_, settings_.kappa};
            pass = rows_.pass(settings_.squared, coordinates_.data(), schedule, iterate, cuts_);
            bias_ = iterate.bias;
        } else {
            Iterate<double> iterate{w_.data(), bias_, settings_.kappa};
            pass = rows_.pass(settings_.squared, coordinates_.data(), schedule, iterate, cuts_, precision_ == 2);
            bias_ = iterate.bias;
        }
        return pass;
    }

    // Copies rows and descends on them chunk by chunk, while they are still in the cache.
    PassReport first_pass() {
        constexpr Index block = 32;
        PassReport total;
        std::array<double, block> norms;
        for (std::int32_t c = 0; c * block < n_; ++c) {
            const Index begin = c * block, end = std::min(n_, begin + block);
            rows_.load(begin, end);
            for (Index id = begin; id < end; ++id) {
                const Index i = rows_.origin(id);
                kernels().of(rows_.source()).squared_norms(rows_.source(), i, i + 1, norms.data() + (id - begin) - i);
                Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
                at.curvature = norms[static_cast<std::size_t>(id - begin)] + settings_.kappa + (settings_.squared ? at.limit : 0);
            }
            const PassReport pass = run(Schedule{active_.data(), n_, &c, 1, block});
            total.gap += pass.gap;
            total.lowest = std::min(total.lowest, pass.lowest);
            total.highest = std::max(total.highest, pass.highest);
            total.moved += pass.moved;
        }
        return total;
    }

    void schedule_chunks() {
        chunks_.resize(static_cast<std::size_t>((n_active() + settings_.chunk - 1) / settings_.chunk));
        std::iota(chunks_.begin(), chunks_.end(), 0);
        random_.shuffle(chunks_.data(), static_cast<Index>(chunks_.size()));
    }

    void compact() {
        active_.erase(std::remove_if(active_.begin(), active_.end(), [](std::int32_t id) { return id < 0; }), active_.end());
    }

    double residual() const {
        double s = 0;
        for (const auto& at : coordinates_) s += at.alpha * at.label;
        return s;
    }

    // sum_i dual_term(alpha_i) - 1/2 ||w||^2, without any bias.
    double plain_dual(const std::vector<double>& w) const {
        double linear = 0;
        for (const auto& at : coordinates_) linear += at.alpha * (settings_.squared ? 1 - 0.5 * at.limit * at.alpha : 1.0);
        return linear - 0.5 * kernels().dot(w.data(), w.data(), d_);
    }

    double dual(const std::vector<double>& w) const {
        const double s = residual();
        return plain_dual(w) - (0.5 * settings_.kappa * s + centre_) * s;
    }

    void rebuild() {
        std::vector<double> c(static_cast<std::size_t>(n_));
        for (Index id = 0; id < n_; ++id) {
            const Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
            c[static_cast<std::size_t>(rows_.origin(id))] = at.alpha * at.label;
        }
        weighted_sum(rows_.source(), c.data(), w_.data(), settings_.n_threads);
        std::copy(w_.begin(), w_.end(), narrow_w_.begin());
        bias_ = centre_ + settings_.kappa * residual();
    }

    double upper(const Coordinate& at) const { return settings_.squared ? infinity : at.limit; }

    void forget() {
        subspace_.clear();
        alpha_old_.clear();
    }

    // Notes the move since the last call, then takes the best step in the span of the last moves.
    void accelerate() {
        const auto n = static_cast<std::size_t>(n_);
        if (precision_ == 0) std::copy(narrow_w_.begin(), narrow_w_.end(), w_.begin());
        const bool first = alpha_old_.empty();
        if (first) {
            alpha_old_.resize(n);
        } else {
            note_move();
        }
        for (std::size_t i = 0; i < n; ++i) alpha_old_[i] = coordinates_[i].alpha;
        if (!first) take_step();
        if (precision_ == 0) std::copy(w_.begin(), w_.end(), narrow_w_.begin());
    }

    // Rows that have come to a bound are held there: they leave every move.
    void note_move() {
        const auto n = static_cast<std::size_t>(n_);
        const bool exact = precision_ == 2;
        subspace_.push(n, static_cast<std::size_t>(d_));
        Move& newest = subspace_.newest();
        signed_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Coordinate& at = coordinates_[i];
            const bool held = at.alpha <= 0 || at.alpha >= upper(at);
            newest.alpha[i] = held ? 0.0 : at.alpha - alpha_old_[i];
            signed_[i] = newest.alpha[i] * at.label;
            for (int j = 0; held && j + 1 < subspace_.size(); ++j) {
                Move& move = subspace_[j];
                if (move.alpha[i] == 0) continue;
                rows_.add_row(static_cast<Index>(i), -move.alpha[i] * at.label, move.w.data(), exact);
                move.alpha[i] = 0;
            }
        }
        // Not the difference of two w's: its rounding would be no move of alpha, and each step would multiply it.
        rows_.add_active(signed_.data(), newest.w.data(), exact);
    }

    // Moves along which the dual is all but linear ask for huge steps. Almost all of such a step is clipped again,
    // and what is left would be the difference of huge numbers; a hundred times the range of alpha is far enough.
    double safe_length(const std::array<double, max_moves>& c) const {
        double largest = 0, range = 0;
        for (std::size_t i = 0; i < coordinates_.size(); ++i) {
            double step = 0;
            for (int a = 0; a < subspace_.size(); ++a) step += c[a] * subspace_[a].alpha[i];
            largest = std::max(largest, std::abs(step));
            range = std::max(range, settings_.squared ? coordinates_[i].alpha : coordinates_[i].limit);
        }
        return largest > 100 * range ? 100 * range / largest : 1.0;
    }

    void take_step() {
        const auto n = static_cast<std::size_t>(n_);
        const auto& c = subspace_.solve(coordinates_, w_.data(), bias_, settings_.kappa, settings_.squared);
        const double before = dual(w_);
        const double longest = safe_length(c);
        for (double length = longest; length > 0.05 * longest; length /= 3) {  // clipping may spoil a long step
            trial_w_ = w_;
            for (int a = 0; a < subspace_.size(); ++a) {
                const double scale = length * c[a];
                const double* move = subspace_[a].w.data();
                for (std::size_t j = 0; j < trial_w_.size(); ++j) trial_w_[j] += scale * move[j];
            }
            for (std::size_t i = 0; i < n; ++i) {
                double step = 0;
                for (int a = 0; a < subspace_.size(); ++a) step += c[a] * subspace_[a].alpha[i];
                if (step == 0) continue;
                Coordinate& at = coordinates_[i];
                const double wanted = alpha_old_[i] + length * step;
                at.alpha = std::clamp(wanted, 0.0, upper(at));
                if (at.alpha != wanted) {
                    rows_.add_row(static_cast<Index>(i), (at.alpha - wanted) * at.label, trial_w_.data(), precision_ == 2);
                }
            }
            if (dual(trial_w_) > before) {
                std::swap(w_, trial_w_);
                bias_ = centre_ + settings_.kappa * residual();
                ++steps_;
                return;
            }
        }
        for (std::size_t i = 0; i < n; ++i) coordinates_[i].alpha = alpha_old_[i];
    }

    DescentSettings settings_;
    Random random_;
    WorkingRows<Source> rows_;
    Index n_, d_;
    std::vector<Coordinate> coordinates_;
    std::vector<std::int32_t> active_, chunks_;
    std::vector<float> narrow_w_;
    std::vector<double> w_;
    double bias_ = 0, centre_ = 0;
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr Cuts no_cuts{-infinity, infinity};
    Cuts cuts_ = no_cuts;
    int precision_ = 0;
    Index epochs_ = 0, steps_ = 0;
    Subspace subspace_;
    std::vector<double> alpha_old_, signed_, trial_w_;
};

}  // namespace separatrix
