// Dual coordinate descent for the soft-margin linear SVM, one epoch per call.
//
//     max_alpha  sum_i alpha_i - 1/2 sum_i shift_i alpha_i^2 - 1/2 ||w||^2 - kappa/2 s^2 - centre s
//     s.t.       0 <= alpha_i <= upper_i,       w = sum_i alpha_i y_i x_i,   s = sum_i alpha_i y_i
//
// kappa = 0 without a bias; kappa = 1, centre = 0 with an augmented one; with a free bias (kappa, centre) are the
// penalty and the multiplier of the constraint s = 0, moved by the caller. The bias of an iterate is
// b = centre + kappa s.
//
// `swap_w` puts another w and b in place of these for some visits: then the rows here are some of a larger problem, and
// the others are held fixed (interleaved.hpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "separatrix/acceleration.hpp"
#include "separatrix/announce.hpp"
#include "separatrix/descent_interface.hpp"
#include "separatrix/products.hpp"
#include "separatrix/random.hpp"
#include "separatrix/working_rows.hpp"

namespace separatrix {

template <class Source>
class CoordinateDescent final : public Descent {
public:
    CoordinateDescent(const Source& source, const double* y, const double* C, const DescentSettings& settings)
        : settings_(settings),
          random_(settings.seed),
          rows_(source, settings.in_place),
          n_(source.rows),
          d_(source.columns),
          coordinates_(static_cast<std::size_t>(n_)),
          active_(static_cast<std::size_t>(n_)),
          narrow_w_(static_cast<std::size_t>(d_)),
          w_(static_cast<std::size_t>(d_)),
          precision_(settings.in_place ? 1 : 0),
          acceleration_(settings.memory) {
        for (Index id = 0; id < n_; ++id) {
            coordinates_[static_cast<std::size_t>(id)] = {0, settings.squared ? 1 / (2 * C[id]) : C[id], y[id]};
        }
        std::iota(active_.begin(), active_.end(), 0);
        chunks_.reserve(static_cast<std::size_t>(n_ / settings.chunk + 1));
    }

    DescentReport epoch(double seconds) override {
        const auto began = std::chrono::steady_clock::now();
        DescentReport report;
        const Index n_chunks = begin_pass();
        report.active = n_active();
        const auto visited = pass_until([&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() >= seconds;
        });
        report.whole = visited == n_chunks;
        end_pass(report.whole);
        const PassReport& pass = pass_;
        report.gap = pass.gap;
        report.epochs = epochs_;
        report.steps = steps_;
        report.precision = precision_;
        report.bias = bias_;
        double linear = 0, s = 0, room = 0;
        for (const auto& at : coordinates_) {
            linear += at.alpha * (settings_.squared ? 1 - 0.5 * at.limit * at.alpha : 1.0);
            s += at.alpha * at.label();
            room += settings_.squared ? at.alpha : std::min(at.alpha, at.limit - at.alpha);
        }
        report.dual = linear - 0.5 * norm();
        report.residual = s;
        report.room = room;
        return report;
    }

    Index begin_pass() override {
        if (epochs_ > 0) {
            if (settings_.memory > 0 && epochs_ % 2 == 0 && (precision_ > 0 || 2 * n_active() <= n_)) accelerate();
            rows_.gather(active_.data(), n_active(), precision_ == 2);
        }
        // Early passes move w by much whatever the order; longer runs of rows come sooner from memory.
        const bool early = epochs_ < early_passes && n_ >= 64 * longer * settings_.chunk;
        chunk_ = settings_.chunk * (early && !settings_.mapped ? longer : 1);
        schedule_chunks();
        pass_ = {};
        return static_cast<Index>(chunks_.size());
    }

    void visit(Index first, Index count) override {
        if (epochs_ == 0) {  // the first pass prepares its rows
            for (Index c = first; c < first + count; ++c) prepare(chunks_[static_cast<std::size_t>(c)]);
        }
        const PassReport pass = run(Schedule{active_.data(), n_active(), chunks_.data() + first, count, chunk_});
        pass_.gap += pass.gap;
        pass_.lowest = std::min(pass_.lowest, pass.lowest);
        pass_.highest = std::max(pass_.highest, pass.highest);
        pass_.shrunk += pass.shrunk;
        pass_.moved += pass.moved;
    }

    void end_pass(bool whole) override {
        if (whole) ++epochs_;  // a first pass that was cut short has rows left to prepare
        if (pass_.shrunk > 0) compact();
        if (settings_.shrink && whole) {
            cuts_.high = pass_.highest > 0 ? pass_.highest : infinity;
            cuts_.low = pass_.lowest < 0 ? pass_.lowest : -infinity;
        }
    }

    void swap_w(std::vector<double>& w, double& bias) override {
        std::swap(w_, w);
        std::swap(bias_, bias);
    }

    // 1: w in float64, rebuilt from alpha; 2: also the exact values of float64 data.
    void refine(int precision) override {
        precision = precision == 2 && rows_.exact_values() ? 1 : precision;
        if (precision <= precision_) return;
        precision_ = precision;
        rebuild();
        acceleration_.forget();  // moves of the rounded w would bring its rounding back
    }

    void unshrink() override {
        active_.resize(static_cast<std::size_t>(n_));
        std::iota(active_.begin(), active_.end(), 0);
    }

    // Computes w anew from alpha, in case updates have let it drift.
    void resum() override { rebuild(); }

    void set_centre(double centre) override {
        centre_ = centre;
        bias_ = centre_ + settings_.kappa * residual();
    }

    void get_alpha(Index begin, Index end, double* alpha) const override {
        for (Index id = begin; id < end; ++id) alpha[id - begin] = coordinates_[static_cast<std::size_t>(id)].alpha;
    }

    void place_alpha(Index begin, Index end, const double* alpha) override {
        for (Index id = begin; id < end; ++id) {
            Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
            at.alpha = std::clamp(alpha[id - begin], 0.0, upper(at));
        }
        acceleration_.forget();
    }

    void get_w(double* w) const override {
        if (precision_ > 0) {
            std::copy_n(w_.data(), d_, w);
        } else {
            std::copy_n(narrow_w_.data(), d_, w);
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

    // A pass over the scheduled chunks, or over as many of them as there is time for; how many that were.
    // The first pass prepares rows and descends on them chunk by chunk, while they are still in the cache.
    template <class TimeIsOver>
    Index pass_until(const TimeIsOver& time_is_over) {
        const auto n_chunks = static_cast<Index>(chunks_.size());
        const Index at_once = epochs_ == 0 || settings_.mapped ? 1 : chunks_between_looks();
        for (Index ahead = 0; settings_.mapped && ahead < std::min(chunks_ahead, n_chunks); ++ahead) tell_of(ahead, announce);
        Index unlooked = 0, c = 0;
        while (c < n_chunks) {
            const Index count = std::min(at_once, n_chunks - c);
            if (settings_.mapped && c + chunks_ahead < n_chunks) tell_of(c + chunks_ahead, announce);
            visit(c, count);
            if (settings_.mapped) tell_of(c, dismiss);
            c += count;
            unlooked += count;
            if (unlooked >= chunks_between_looks()) {
                if (time_is_over()) break;
                unlooked = 0;
            }
        }
        return c;
    }

    // About as many as are visited in a few hundredths of a second.
    Index chunks_between_looks() const { return std::max<Index>(1, (Index{1} << 24) / (chunk_ * rows_.mean_size() + 1)); }

    template <class Tell>
    void tell_of(Index at, const Tell& tell) const {
        const Index begin = chunks_[static_cast<std::size_t>(at)] * chunk_;
        const Index end = std::min(n_active(), begin + chunk_);
        const auto row = [&](Index k) {  // a row that has just left the active set is marked by ~
            const Index id = active_[static_cast<std::size_t>(k)];
            return id < 0 ? ~id : id;
        };
        tell_of_rows(rows_.source(), row(begin), row(end - 1), tell);
    }

    void prepare(std::int32_t chunk) {
        const Index begin = chunk * chunk_, end = std::min(n_, begin + chunk_);
        rows_.load(begin, end);
        norms_.resize(static_cast<std::size_t>(chunk_));
        kernels().of(rows_.source()).squared_norms(rows_.source(), begin, end, norms_.data() - begin);
        for (Index id = begin; id < end; ++id) {
            Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
            const double curvature = norms_[static_cast<std::size_t>(id - begin)] + settings_.kappa + (settings_.squared ? at.limit : 0);
            at.signed_curvature = at.label() * curvature;
        }
    }

    void schedule_chunks() {
        chunks_.resize(static_cast<std::size_t>((n_active() + chunk_ - 1) / chunk_));
        std::iota(chunks_.begin(), chunks_.end(), 0);
        random_.shuffle(chunks_.data(), static_cast<Index>(chunks_.size()));
    }

    void compact() {
        active_.erase(std::remove_if(active_.begin(), active_.end(), [](std::int32_t id) { return id < 0; }), active_.end());
    }

    double residual() const {
        double s = 0;
        for (const auto& at : coordinates_) s += at.alpha * at.label();
        return s;
    }

    // ||w||^2
    double norm() const {
        if (precision_ > 0) return kernels().dot(w_.data(), w_.data(), d_);
        const DenseRows<float> row{narrow_w_.data(), 1, d_};
        double square = 0;
        kernels().of(row).squared_norms(row, 0, 1, &square);
        return square;
    }

    void rebuild() {
        const auto coefficient = [this](Index id) {
            const Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
            return at.alpha * at.label();
        };
        weighted_sum_of(rows_.source(), 0, n_, coefficient, w_.data(), settings_.n_threads);
        std::copy_n(w_.data(), d_, narrow_w_.data());
        bias_ = centre_ + settings_.kappa * residual();
    }

    double upper(const Coordinate& at) const { return settings_.squared ? infinity : at.limit; }

    void accelerate() {
        if (precision_ == 0) std::copy_n(narrow_w_.data(), d_, w_.data());
        const DualForm form{settings_.squared, settings_.kappa, centre_};
        if (!acceleration_(form, rows_, precision_ == 2, active_, coordinates_, w_, bias_, residual())) return;
        ++steps_;
        bias_ = centre_ + settings_.kappa * residual();
        if (precision_ == 0) std::copy_n(w_.data(), d_, narrow_w_.data());
    }

    DescentSettings settings_;
    Random random_;
    WorkingRows<Source> rows_;
    Index n_, d_;
    std::vector<Coordinate> coordinates_;
    std::vector<std::int32_t> active_, chunks_;
    std::vector<float> narrow_w_;
    std::vector<double> w_, norms_;
    double bias_ = 0, centre_ = 0;
    Index chunk_ = 0;  // rows in a run of this pass
    static constexpr Index early_passes = 3, longer = 4;
    static constexpr Index chunks_ahead = 8;  // announced before they are visited
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    Cuts cuts_{-infinity, infinity};
    PassReport pass_;  // of the chunks visited since `begin_pass`
    int precision_;
    Index epochs_ = 0, steps_ = 0;
    Acceleration acceleration_;
};

}  // namespace separatrix
