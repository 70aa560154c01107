// Dual coordinate descent for the soft-margin linear SVM, one epoch per call.
//
//     max_alpha  sum_i alpha_i - 1/2 sum_i shift_i alpha_i^2 - 1/2 ||w||^2 - kappa/2 s^2 - centre s
//     s.t.       0 <= alpha_i <= upper_i,       w = sum_i alpha_i y_i x_i,   s = sum_i alpha_i y_i
//
// kappa = 0 without a bias; kappa = 1, centre = 0 with an augmented one; with a free bias (kappa, centre) are the
// penalty and the multiplier of the constraint s = 0, moved by the caller. The bias of an iterate is
// b = centre + kappa s.
//
// Once few rows are active they are copied close together, as float32 values, and the descent goes on in a problem of their
// own, the focus, in which all other rows are held fixed: a pass, a step of the acceleration and the sums of a report then
// cost what those rows cost. When float32 values are not the caller's values, the last digits are found on float64 ones.
// In place nothing is copied: passes keep w in float64 and read the caller's rows.
//
// `swap_w` puts another w and b in place of these for some visits: then the rows here are some of a larger problem, and
// the others are held fixed (interleaved.hpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "separatrix/acceleration.hpp"
#include "separatrix/announce.hpp"
#include "separatrix/descent_interface.hpp"
#include "separatrix/packed.hpp"
#include "separatrix/products.hpp"
#include "separatrix/random.hpp"
#include "separatrix/working_rows.hpp"

namespace separatrix {

// Sums over rows and columns that a report is made of.
struct DualSums {
    double linear = 0;  // sum_i dual_term(alpha_i)
    double s = 0;       // sum_i alpha_i y_i
    double room = 0;    // sum over rows inside their bounds of the distance to the nearer bound
    double norm = 0;    // ||w||^2

    void add(const DualSums& other, double sign) {
        linear += sign * other.linear;
        s += sign * other.s;
        room += sign * other.room;
        norm += sign * other.norm;
    }
};

// Where a descent on some rows of another one begins.
struct DescentStart {
    std::vector<Coordinate> coordinates;
    std::vector<double> w;
    double bias, centre;
    Cuts cuts;
    Index epochs;
    int precision;
    DualSums rest;  // of the rows and columns left out
    Acceleration acceleration;
    std::shared_ptr<const void> rows;  // the memory they are in
};

template <class Source>
class CoordinateDescent final : public Descent {
public:
    CoordinateDescent(const Source& source, const double* y, const double* C, const DescentSettings& settings)
        : settings_(settings),
          random_(settings.seed),
          rows_(source, !settings.in_place),
          n_(source.rows),
          d_(source.columns),
          coordinates_(static_cast<std::size_t>(n_)),
          active_(static_cast<std::size_t>(n_)),
          narrow_w_(static_cast<std::size_t>(d_)),
          w_(static_cast<std::size_t>(d_)),
          precision_(settings.in_place ? 1 : 0),
          acceleration_(useful_moves(settings.memory, source.rows * rows_.mean_size(), source.columns)) {
        for (Index id = 0; id < n_; ++id) {
            coordinates_[static_cast<std::size_t>(id)] = {0, settings.squared ? 1 / (2 * C[id]) : C[id], y[id]};
        }
        std::iota(active_.begin(), active_.end(), 0);
        chunks_.reserve(static_cast<std::size_t>(n_ / settings.chunk + 1));
    }

    CoordinateDescent(const Source& source, const DescentSettings& settings, DescentStart&& start)
        : settings_(settings),
          random_(settings.seed),
          rows_(source, false),
          n_(source.rows),
          d_(source.columns),
          coordinates_(std::move(start.coordinates)),
          active_(static_cast<std::size_t>(n_)),
          narrow_w_(start.w.begin(), start.w.end()),
          w_(std::move(start.w)),
          bias_(start.bias),
          centre_(start.centre),
          cuts_(start.cuts),
          precision_(start.precision),
          epochs_(start.epochs),
          acceleration_(std::move(start.acceleration)),
          rest_(start.rest),
          own_rows_(std::move(start.rows)) {
        std::iota(active_.begin(), active_.end(), 0);
    }

    DescentReport epoch(double seconds) override {
        if (worth_focusing()) precision_ == 2 ? focus_on<double>() : focus_on<float>();
        DescentReport report;
        if (focus_) {
            report = focus_->epoch(seconds);
            report.steps += steps_;
            epochs_ = report.epochs;
            return report;
        }
        const auto began = std::chrono::steady_clock::now();
        const Index n_chunks = begin_pass();
        report.active = n_active();
        const auto visited = pass_until([&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() >= seconds;
        });
        report.whole = visited == n_chunks;
        end_pass(report.whole);
        report.gap = pass_.gap;
        report.epochs = epochs_;
        report.steps = steps_;
        report.precision = precision_;
        report.bias = bias_;
        DualSums all = sums_of(coordinates_, norm());
        all.add(rest_, 1);
        report.dual = all.linear - 0.5 * all.norm;
        report.residual = all.s;
        report.room = all.room;
        return report;
    }

    Index begin_pass() override {
        if (epochs_ > 0) {
            ++direct_;
            if (settings_.memory > 0 && epochs_ % 2 == 0 && (precision_ > 0 || is_focus() || 2 * n_active() <= n_)) accelerate();
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
        pass_.below.add(pass.below);
        pass_.above.add(pass.above);
        pass_.shrunk += pass.shrunk;
        pass_.moved += pass.moved;
    }

    void end_pass(bool whole) override {
        if (whole) ++epochs_;  // a first pass that was cut short has rows left to prepare
        if (pass_.shrunk > 0) compact();
        if (settings_.shrink && whole) {
            cuts_ = {-firmness(pass_.below), firmness(pass_.above)};
        }
    }

    void swap_w(std::vector<double>& w, double& bias) override {
        std::swap(w_, w);
        std::swap(bias_, bias);
    }

    // 1: w in float64, rebuilt from alpha; 2: also the exact values of float64 data.
    void refine(int precision) override {
        precision = precision == 2 && exact_ && rows_.exact() ? 1 : precision;
        if (precision <= precision_) return;
        leave_focus();
        precision_ = precision;
        rebuild();
        acceleration_.forget();  // moves of the rounded w would bring its rounding back
    }

    void unshrink() override {
        leave_focus();
        direct_ = 0;
        active_.resize(static_cast<std::size_t>(n_));
        std::iota(active_.begin(), active_.end(), 0);
    }

    // Computes w anew from alpha, in case updates have let it drift.
    void resum() override {
        leave_focus();
        rebuild();
    }

    void set_centre(double centre) override {
        centre_ = centre;
        if (focus_) return focus_->set_centre(centre);
        bias_ = centre_ + settings_.kappa * residual();
    }

    void get_alpha(Index begin, Index end, double* alpha) const override {
        for (Index id = begin; id < end; ++id) alpha[id - begin] = coordinates_[static_cast<std::size_t>(id)].alpha;
        if (!focus_) return;
        const std::vector<double> inner = alphas_of_focus();
        for (std::size_t k = 0; k < ids_.size(); ++k) {
            if (ids_[k] >= begin && ids_[k] < end) alpha[ids_[k] - begin] = inner[k];
        }
    }

    void place_alpha(Index begin, Index end, const double* alpha) override {
        leave_focus();
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
        if (!focus_) return;
        const std::vector<double> inner = w_of_focus();
        for (std::size_t k = 0; k < columns_.size(); ++k) w[columns_[k]] = inner[k];
    }

    double bias() const override { return focus_ ? focus_->bias() : bias_; }

    Activity activity() const override {
        if (!focus_) return {active_, cuts_, steps_};
        Activity inner = focus_->activity();
        for (std::int32_t& id : inner.active) id = ids_[static_cast<std::size_t>(id)];
        inner.steps += steps_;
        return inner;
    }

private:
    bool is_focus() const { return own_rows_ != nullptr; }
    Index n_active() const { return static_cast<Index>(active_.size()); }

    // The last two moves do most of the work; the others pay where passes are long.
    static int useful_moves(int memory, Index entries, Index columns) {
        return entries > 8 * columns ? memory : std::min(memory, 2);
    }

    // The gradient beyond which a row at a bound is taken to stay there. Among the gradients of rows that move, a few
    // are far larger than the others; the largest alone would keep most rows active long after they have settled.
    static double firmness(const Gradients& seen) {
        constexpr double outlying = 3;
        if (seen.largest <= 0) return infinity;
        return std::min(seen.largest, outlying * std::sqrt(seen.squares / static_cast<double>(seen.count)));
    }

    bool worth_focusing() const {
        if (focus_ || settings_.in_place || epochs_ == 0 || n_ < few_rows) return false;
        return (Source::sparse ? 3 : 8) * n_active() < n_ || (Source::sparse && !is_focus() && direct_ >= passes_per_copy);
    }

    // Copies the active rows and goes on with them alone.
    template <class V>
    void focus_on() {
        using Copy = PackedCopy<Source, V>;
        ids_ = active_;
        const bool exact = precision_ == 2;
        const auto copy = rows_.on(exact, [&](const auto& rows) { return std::make_shared<const Copy>(rows, ids_); });
        exact_ = exact_ && copy->exact();
        columns_ = copy->columns();
        std::vector<Coordinate> coordinates;
        coordinates.reserve(ids_.size());
        for (const std::int32_t id : ids_) coordinates.push_back(coordinates_[static_cast<std::size_t>(id)]);
        std::vector<double> w;
        w.reserve(columns_.size());
        for (const std::int32_t column : columns_) {
            const auto j = static_cast<std::size_t>(column);
            w.push_back(precision_ > 0 ? w_[j] : static_cast<double>(narrow_w_[j]));
        }
        DualSums rest = sums_of(coordinates_, norm());
        rest.add(rest_, 1);
        rest.add(sums_of(coordinates, kernels().dot(w.data(), w.data(), static_cast<Index>(w.size()))), -1);
        const auto rows = copy->view();
        const int moves = useful_moves(settings_.memory, rows.rows * WorkingRows(rows, false).mean_size(), rows.columns);
        DescentSettings settings = settings_;
        settings.seed = random_.next();
        focus_ = std::make_unique<CoordinateDescent<typename Copy::View>>(
            rows, settings,
            DescentStart{std::move(coordinates), std::move(w), bias_, centre_, cuts_, epochs_, precision_, rest,
                         acceleration_.narrowed(moves, form(), rows_, exact, coordinates_, ids_, columns_), copy});
    }

    // Takes over where the focus has come to.
    void leave_focus() {
        if (!focus_) return;
        const std::vector<double> alpha = alphas_of_focus(), w = w_of_focus();
        for (std::size_t k = 0; k < ids_.size(); ++k) coordinates_[static_cast<std::size_t>(ids_[k])].alpha = alpha[k];
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const auto j = static_cast<std::size_t>(columns_[k]);
            w_[j] = w[k];
            narrow_w_[j] = static_cast<float>(w[k]);
        }
        bias_ = focus_->bias();
        Activity activity = this->activity();
        active_ = std::move(activity.active);
        cuts_ = activity.cuts;
        steps_ = activity.steps;
        acceleration_.forget();
        focus_.reset();
    }

    std::vector<double> alphas_of_focus() const {
        std::vector<double> alpha(ids_.size());
        focus_->get_alpha(0, static_cast<Index>(ids_.size()), alpha.data());
        return alpha;
    }

    std::vector<double> w_of_focus() const {
        std::vector<double> w(columns_.size());
        focus_->get_w(w.data());
        return w;
    }

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
        double s = rest_.s;
        for (const auto& at : coordinates_) s += at.alpha * at.label();
        return s;
    }

    DualSums sums_of(const std::vector<Coordinate>& coordinates, double norm) const {
        DualSums sums{0, 0, 0, norm};
        for (const auto& at : coordinates) {
            sums.linear += at.alpha * (settings_.squared ? 1 - 0.5 * at.limit * at.alpha : 1.0);
            sums.s += at.alpha * at.label();
            sums.room += settings_.squared ? at.alpha : std::min(at.alpha, at.limit - at.alpha);
        }
        return sums;
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

    DualForm form() const { return {settings_.squared, settings_.kappa, centre_}; }

    void accelerate() {
        if (precision_ == 0) std::copy_n(narrow_w_.data(), d_, w_.data());
        if (!acceleration_(form(), rows_, precision_ == 2, coordinates_, w_, bias_, residual())) return;
        ++steps_;
        bias_ = centre_ + settings_.kappa * residual();
        if (precision_ == 0) std::copy_n(w_.data(), d_, narrow_w_.data());
    }

    static constexpr Index early_passes = 3, longer = 4;
    static constexpr Index chunks_ahead = 8;  // announced before they are visited
    static constexpr Index few_rows = 256;    // so few are not worth a copy
    static constexpr Index passes_per_copy = 8;  // a copy costs about as much as it saves in this many passes
    static constexpr double infinity = std::numeric_limits<double>::infinity();

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
    Cuts cuts_{-infinity, infinity};
    PassReport pass_;  // of the chunks visited since `begin_pass`
    int precision_;
    Index epochs_ = 0, steps_ = 0;
    Index direct_ = 0;  // passes since all rows were last active
    Acceleration acceleration_;
    DualSums rest_;                       // of the descent that this one is the focus of, without its rows and columns
    std::shared_ptr<const void> own_rows_;  // the memory of the rows, if they are a focus

    std::unique_ptr<Descent> focus_;               // on the rows ids_, whose columns are columns_
    std::vector<std::int32_t> ids_, columns_;
    bool exact_ = true;  // whether no value of a focus was ever rounded
};

}  // namespace separatrix
