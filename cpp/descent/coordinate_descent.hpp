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
// the others are held fixed (epoch_over_parts.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "descent/acceleration.hpp"
#include "descent/active_rows.hpp"
#include "descent/active_subproblem.hpp"
#include "descent/descent_interface.hpp"
#include "descent/step_timing.hpp"
#include "descent/visit_order.hpp"
#include "descent/working_rows.hpp"
#include "rows/madvise.hpp"
#include "rows/products.hpp"
#include "rows/random.hpp"
#include "rows/row_subset_copy.hpp"

namespace separatrix {

template <class Source>
class CoordinateDescent final : public InnerDescent {
public:
    CoordinateDescent(const Source& source, const double* y, const double* C, const DescentSettings& settings)
        : settings_(settings),
          random_(settings.seed),
          rows_(source, !settings.in_place),
          n_(source.rows),
          d_(source.columns),
          coordinates_(static_cast<std::size_t>(n_)),
          active_(n_),
          narrow_w_(static_cast<std::size_t>(d_)),
          w_(static_cast<std::size_t>(d_)),
          precision_(settings.in_place ? 1 : 0),
          acceleration_(Acceleration::useful_moves(settings.memory, entries_of(source), source.columns)) {
        for (Index id = 0; id < n_; ++id) {
            coordinates_[static_cast<std::size_t>(id)] = {0, settings.squared ? 1 / (2 * C[id]) : C[id], y[id]};
        }
    }

    CoordinateDescent(const Source& source, const DescentSettings& settings, DescentStart&& start)
        : settings_(settings),
          random_(settings.seed),
          rows_(source, false),
          n_(source.rows),
          d_(source.columns),
          coordinates_(std::move(start.coordinates)),
          active_(std::move(start.active)),
          narrow_w_(start.w.begin(), start.w.end()),
          w_(std::move(start.w)),
          bias_(start.bias),
          centre_(start.centre),
          precision_(start.precision),
          dual_(start.dual),
          epochs_(start.epochs),
          acceleration_(std::move(start.acceleration)),
          timing_(start.timing),
          rest_(start.rest),
          own_rows_(std::move(start.rows)) {}

    DescentReport epoch(double seconds, double passes) override {
        if (worth_focusing(passes)) precision_ == 2 ? focus_on<double>() : focus_on<float>();
        DescentReport report;
        if (focus_) {
            report = focus_->epoch(seconds, passes);
            report.steps += steps_;
            epochs_ = report.epochs;
            return report;
        }
        begin_pass();
        report.active = active_.size();
        report.whole = pass_for(seconds) == chunks_.count();
        end_pass(report.whole);
        report.gap = pass_.gap;
        report.epochs = epochs_;
        report.steps = steps_;
        report.precision = precision_;
        report.bias = bias_;
        report.dual = dual_;
        if (settings_.kappa == 0) return report;  // no bias
        BiasSums all = BiasSums::of(coordinates_, settings_.squared);
        all.add(rest_, 1);
        report.residual = all.s;
        report.room = all.room;
        return report;
    }

    double look() override { return focus_ ? focus_->look() : look_at(active_.ids(), active_.begin_pass()).gap; }

    double look_aside(double enough) override {
        double inside = 0;  // of the rows that the focus has left out
        if (focus_) {
            inside = focus_->look_aside(enough);
            take_w();
            bias_ = focus_->bias();
        }
        const std::vector<std::int32_t> out = others(focus_ ? focus_.ids() : active_.ids(), n_);
        std::vector<float> held(out.size());
        const double gap = look_at(out, held.data()).gap;
        if (gap > enough) {
            std::vector<std::int32_t> free;
            for (std::size_t k = 0; k < out.size(); ++k) {
                if (held[k] == 0) free.push_back(out[k]);
            }
            leave_focus();
            active_.keep(free);
        }
        return inside + gap;
    }

    Index begin_pass() override {
        if (epochs_ > 0) ++direct_;
        if (direct_ > 2) focus_.forget();  // the moves of the last one: the next one is not about to begin
        const bool slow = !focus_.moves() && (precision_ > 0 || is_focus() || 2 * active_.size() <= n_);
        if (settings_.memory > 0 && slow && epochs_ > 0 && epochs_ % 2 == 0 && timing_.due(epochs_)) {
            if (settings_.kappa > 0 || timing_.promising())
                accelerate();
            else
                acceleration_.begin_anew(coordinates_);
        }
        const Index run = settings_.mapped ? settings_.chunk : run_length(settings_.chunk, entries(), n_, epochs_);
        chunks_.shuffle(active_.size(), run, random_);
        active_.begin_pass();
        pass_ = {};
        return chunks_.count();
    }

    void visit(Index first, Index count) override {
        for (Index at = first; epochs_ == 0 && at < first + count; ++at) rows_.load(chunks_.begin(at), chunks_.end(at));
        pass_.add(run(Schedule{active_.ids().data(), active_.held(), active_.size(), chunks_.from(first), count,
                               chunks_.length(), epochs_ == 0}));
    }

    void end_pass(bool whole) override {
        dual_ += pass_.rise;
        timing_.passed(pass_.rise);
        if (whole) ++epochs_;  // a first pass that was cut short has rows left to prepare
        visited_ = active_.size();
        if (settings_.shrink && whole) leave_out();
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
        forget_moves();  // those of the rounded w would bring its rounding back
    }

    void unshrink() override {
        leave_focus();
        direct_ = 0;
        active_.reactivate(n_, [this](std::int32_t id) {
            return coordinates_[static_cast<std::size_t>(id)].alpha <= 0 ? 1.0F : -1.0F;
        });
    }

    // Computes w anew from alpha, in case updates have let it drift.
    void resum() override {
        leave_focus();
        rebuild();
        forget_moves();
    }

    void set_centre(double centre) override {
        centre_ = centre;
        if (focus_) return focus_->set_centre(centre);
        bias_ = centre_ + settings_.kappa * residual();
    }

    void get_alpha(Index begin, Index end, double* alpha) const override {
        for (Index id = begin; id < end; ++id) alpha[id - begin] = coordinates_[static_cast<std::size_t>(id)].alpha;
        if (!focus_) return;
        focus_.each_alpha([&](Index id, double inner) {
            if (id >= begin && id < end) alpha[id - begin] = inner;
        });
    }

    void place_alpha(Index begin, Index end, const double* alpha) override {
        leave_focus();
        for (Index id = begin; id < end; ++id) {
            Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
            at.alpha = std::clamp(alpha[id - begin], 0.0, form().upper(at));
        }
        forget_moves();
    }

    void get_w(double* w) const override {
        precision_ > 0 ? std::copy_n(w_.data(), d_, w) : std::copy_n(narrow_w_.data(), d_, w);
        if (focus_) focus_.each_w([&](Index column, double inner) { w[column] = inner; });
    }

    double bias() const override { return focus_ ? focus_->bias() : bias_; }

    DescentEnd end() override {
        leave_focus();
        return {dual_, std::move(active_), steps_, std::move(acceleration_), timing_};
    }

private:
    bool is_focus() const { return own_rows_ != nullptr; }

    // `passes`: how many more are expected.
    bool worth_focusing(double passes) const {
        if (focus_ || settings_.in_place || epochs_ == 0 || n_ < few_rows || passes < few_passes) return false;
        if (10 * active_.size() < 7 * visited_) return false;  // soon there will be fewer to copy
        return (Source::sparse ? 3 : 8) * active_.size() < n_ ||
               (Source::sparse && !is_focus() && direct_ >= passes_per_copy);
    }

    // Of more rows than columns nearly all end at a bound, and once is enough; elsewhere it may be chance. Rows in place may be
    // a part of a problem, and what is seen of so few says less.
    void leave_out() { active_.leave_out(pass_, n_ > d_ || settings_.in_place, !settings_.in_place); }

    // Of the rows still visited.
    double entries() const {
        return static_cast<double>(entries_of(rows_.source())) * static_cast<double>(active_.size()) /
               static_cast<double>(std::max<Index>(1, n_));
    }

    // Copies the active rows and goes on with them alone.
    template <class V>
    void focus_on() {
        using Copy = PackedCopy<Source, V>;
        const auto copy = rows_.on(precision_ == 2,
                                   [&](const auto& rows) { return std::make_shared<const Copy>(rows, active_.ids()); });
        exact_ = exact_ && copy->exact();
        std::vector<Coordinate> coordinates = picked<Coordinate>(coordinates_, active_.ids());
        std::vector<double> w =
            precision_ > 0 ? picked<double>(w_, copy->columns()) : picked<double>(narrow_w_, copy->columns());
        BiasSums rest = rest_;
        rest.add(BiasSums::of(coordinates_, settings_.squared), 1);
        rest.add(BiasSums::of(coordinates, settings_.squared), -1);
        const auto rows = copy->view();
        const int moves = Acceleration::useful_moves(settings_.memory, entries_of(rows), rows.columns);
        DescentSettings settings = settings_;
        settings.seed = random_.next();
        const WorkingRows working(rows, false);
        Acceleration carried =
            focus_.moves() ? focus_.moves()->carried(moves, form(), working, coordinates, focus_.ids(), active_.ids())
                           : acceleration_.carried(moves, form(), working, coordinates, {}, active_.ids());
        DescentStart start{
            std::move(coordinates), std::move(w), bias_, centre_, active_.by_place(), epochs_, precision_, dual_, rest,
            std::move(carried),     timing_,      copy};
        focus_.set(std::make_unique<CoordinateDescent<typename Copy::View>>(rows, settings, std::move(start)),
                   active_.ids(), copy->columns());
    }

    void forget_moves() {
        acceleration_.forget();
        focus_.forget();
    }

    // The gap of some rows as they are.
    PassReport look_at(const std::vector<std::int32_t>& ids, float* held) {
        constexpr std::int32_t all = 0;
        const auto count = static_cast<Index>(ids.size());
        return run(Schedule{ids.data(), held, count, &all, count > 0, count, false, true});
    }

    // w as the focus has it.
    void take_w() {
        focus_.each_w([&](Index column, double w) {
            w_[static_cast<std::size_t>(column)] = w;
            narrow_w_[static_cast<std::size_t>(column)] = static_cast<float>(w);
        });
    }

    // Takes over where the focus has come to.
    void leave_focus() {
        if (!focus_) return;
        focus_.each_alpha([&](Index id, double alpha) { coordinates_[static_cast<std::size_t>(id)].alpha = alpha; });
        take_w();
        bias_ = focus_->bias();
        DescentEnd end = focus_.end();
        dual_ = end.dual;
        active_ = std::move(end.active);
        visited_ = active_.size();
        steps_ += end.steps;
        timing_ = end.timing;
        acceleration_.forget();
    }

    PassReport run(const Schedule& schedule) {
        PassReport pass;
        if (precision_ == 0) {
            Iterate<float> iterate{narrow_w_.data(), bias_, settings_.kappa};
            pass = rows_.pass(settings_.squared, coordinates_.data(), schedule, iterate);
            bias_ = iterate.bias;
        } else {
            Iterate<double> iterate{w_.data(), bias_, settings_.kappa};
            pass = rows_.pass(settings_.squared, coordinates_.data(), schedule, iterate, precision_ == 2);
            bias_ = iterate.bias;
        }
        return pass;
    }

    // A pass over the scheduled chunks, or over as many of them as there is time for; how many that were.
    // The first pass copies dense rows and descends on them chunk by chunk, while they are still in the cache.
    Index pass_for(double seconds) {
        const Index entries = chunks_.length() * entries_of(rows_.source()) / std::max<Index>(1, n_);
        const Index between =
            std::max<Index>(1, (Index{1} << 24) / (entries + 1));  // visited in a few hundredths of a second
        const Index at_once = (epochs_ == 0 && !Source::sparse) || settings_.mapped ? 1 : between;
        const auto tell_of = [this](Index at, const auto& tell) {
            if (!settings_.mapped) return;
            tell_of_rows(rows_.source(), active_[chunks_.begin(at)], active_[chunks_.end(at) - 1], tell);
        };
        return chunks_.visit_for(
            seconds, at_once, between, [this](Index first, Index count) { visit(first, count); },
            [&](Index at) { tell_of(at, announce); }, [&](Index at) { tell_of(at, dismiss); });
    }

    double residual() const {
        double s = rest_.s;
        for (const auto& at : coordinates_) s += at.alpha * at.label();
        return s;
    }

    void rebuild() {
        const auto coefficient = [this](Index id) {
            const Coordinate& at = coordinates_[static_cast<std::size_t>(id)];
            return at.alpha * at.label();
        };
        weighted_sum_of(rows_.source(), 0, n_, coefficient, w_.data(), settings_.n_threads);
        std::copy_n(w_.data(), d_, narrow_w_.data());
        bias_ = centre_ + settings_.kappa * residual();
        dual_ = -0.5 * kernels().dot(w_.data(), w_.data(), d_);
        for (const auto& at : coordinates_) dual_ += form().gain(at, 0, at.alpha);
    }

    DualForm form() const { return {settings_.squared, settings_.kappa, centre_}; }

    void accelerate() {
        if (precision_ == 0) std::copy_n(narrow_w_.data(), d_, w_.data());
        if (!acceleration_(form(), rows_, precision_ == 2, coordinates_, w_, bias_, residual())) return;
        ++steps_;
        dual_ += acceleration_.rise();
        // A bias moves the problem between passes, and what they gain says nothing of a step.
        timing_.stepped(acceleration_.rise(), epochs_, settings_.kappa > 0);
        bias_ = centre_ + settings_.kappa * residual();
        if (precision_ == 0) std::copy_n(w_.data(), d_, narrow_w_.data());
    }

    static constexpr Index few_rows = 256;       // so few are not worth a copy,
    static constexpr double few_passes = 3;      // nor are so few passes
    static constexpr Index passes_per_copy = 8;  // a copy costs about as much as it saves in this many passes

    DescentSettings settings_;
    Random random_;
    WorkingRows<Source> rows_;
    Index n_, d_;
    std::vector<Coordinate> coordinates_;
    ActiveRows active_;
    Chunks chunks_;
    std::vector<float> narrow_w_;
    std::vector<double> w_;
    double bias_ = 0, centre_ = 0;
    PassReport pass_;  // of the chunks visited since `begin_pass`
    int precision_;
    double dual_ = 0;  // sum_i dual_term(alpha_i) - 1/2 ||w||^2, as the updates have raised it
    Index epochs_ = 0, steps_ = 0;
    StepTiming timing_;
    Index visited_ = 0;  // rows of the last pass, those that it left out included
    Index direct_ = 0;   // passes since all rows were last active
    Acceleration acceleration_;
    BiasSums rest_;                         // of the descent that this one is the focus of, without its rows
    std::shared_ptr<const void> own_rows_;  // the memory of the rows, if they are a focus

    Focus focus_;
    bool exact_ = true;  // whether no value of a focus was ever rounded
};

}  // namespace separatrix
