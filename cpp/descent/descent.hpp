// Dual coordinate descent for the soft-margin linear SVM, one epoch per call.
//
//     max_alpha  sum_i alpha_i - 1/2 sum_i shift_i alpha_i^2 - 1/2 ||w||^2 - kappa/2 s^2 - centre s
//     s.t.       0 <= alpha_i <= upper_i,       w = sum_i alpha_i y_i x_i,   s = sum_i alpha_i y_i
//
// kappa = 0 without a bias; kappa = 1, centre = 0 with an augmented one; with a free bias (kappa, centre) are the
// penalty and the multiplier of the constraint s = 0, moved by the caller. The bias of an iterate is
// b = centre + kappa s.
//
// Passes (epoch.hpp) visit the active rows (shrinking.hpp), where they are or in a copy of their own (subproblem.hpp),
// and every few passes a step is taken in the span of the last moves (acceleration.hpp). All of it runs on one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <vector>

#include "descent/acceleration.hpp"
#include "descent/shrinking.hpp"
#include "descent/subproblem.hpp"
#include "rows/madvise.hpp"
#include "rows/products.hpp"
#include "rows/random.hpp"

namespace separatrix {

// The numbers of solvers/coordinate_descent/tuning.py that the core reads; there they are explained.
struct DescentTuning {
    Index run_length;
    bool shrink;
    double outlier;
    int moves;
    Index epochs_per_acceleration;
    bool copy;
    double copy_below;
    Index slow_after;
};

struct DescentSettings {
    bool squared;
    double kappa;
    std::uint64_t seed;
    bool mapped;  // rows are in a file: each run is announced to the system before it is visited
};

struct DescentReport {
    double gap = 0;       // estimate: sum of the shares of the gap that the visited rows had before their updates
    double dual = 0;      // sum_i dual_term(alpha_i) - 1/2 ||w||^2
    Index active = 0;     // rows that were visited
    Index epochs = 0;     // so far
    Index steps = 0;      // accelerated steps taken so far
    double work = 0;      // entries of rows read so far
    double residual = 0;  // s; like `room`, where there is a bias
    double bias = 0;      // b
    double room = 0;      // sum over rows inside their bounds of the distance to the nearer bound
    bool whole = true;    // false: time was over before every active row was visited, and gap is not known
    bool copied = false;  // whether the pass read a copy of the active rows
};

class Descent {
public:
    Descent(const AnyRows& rows, const double* y, const double* C, const DescentSettings& settings,
            const DescentTuning& tuning)
        : settings_(settings),
          tuning_(tuning),
          random_(settings.seed),
          shrinking_(rows_of(rows), tuning.outlier),
          acceleration_(tuning.moves) {
        const Index n = rows_of(rows);
        whole_.rows = rows;
        whole_.columns = std::visit([](const auto& view) { return view.columns; }, rows);
        whole_.w.resize(static_cast<std::size_t>(whole_.columns));
        whole_.outward.resize(static_cast<std::size_t>(n));
        whole_.active = others({}, n);
        whole_.coordinates.reserve(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i)  // the sign of the curvature is the label
            whole_.coordinates.push_back({0, settings.squared ? 1 / (2 * C[i]) : C[i], std::copysign(0.0, y[i])});
    }

    // One pass over the active rows, ended early once this many seconds have passed.
    DescentReport epoch(double seconds) {
        if (worth_copying()) copy_active_rows();
        if (tuning_.moves > 0 && slow() && epochs_ % tuning_.epochs_per_acceleration == 0) accelerate();
        DescentReport report;
        report.copied = copy_.has_value();
        report.active = static_cast<Index>(here().active.size());
        begin_pass();
        report.whole = visit_runs(here(), seconds, true);
        end_pass(report.whole);
        report.gap = pass_.gap;
        report.dual = dual_;
        report.epochs = epochs_;
        report.steps = steps_;
        report.work = work_;
        report.bias = bias_;
        if (settings_.kappa == 0) return report;  // no bias
        const BiasSums sums = here().bias_sums(settings_.squared);
        report.residual = rest_.s + sums.s;
        report.room = rest_.room + sums.room;
        return report;
    }

    // The gap of the inactive rows, or infinity if time was over before all were read. Where it is more than `threshold`,
    // rows that are part of it become active again.
    double inactive_gap(double threshold, double seconds) {
        if (copy_) copy_->write_to(whole_);
        const Ids inactive = others(whole_.active, whole_.size());
        pass_ = {};
        order_runs(inactive, nullptr);
        const bool whole = visit_runs(whole_, seconds, false);
        work_ += static_cast<double>(pass_.entries);
        if (!whole) return std::numeric_limits<double>::infinity();
        if (pass_.gap > threshold) {
            Ids wrong;
            std::copy_if(inactive.begin(), inactive.end(), std::back_inserter(wrong),
                         [this](std::int32_t row) { return whole_.outward[static_cast<std::size_t>(row)] == 0; });
            drop_copy();
            shrinking_.restore(wrong, whole_.active);
        }
        return pass_.gap;
    }

    // The parts of an epoch: orders the active rows in runs (how many), visits some of them with this w and b, ends it.
    Index begin_pass() {
        pass_ = {};
        order_runs(here().active, &random_);
        return static_cast<Index>(runs_.size());
    }
    void visit(Index first, Index count, double* w, double& bias) { visit(here(), first, count, true, w, bias); }
    void end_pass(bool whole) {
        dual_ += pass_.rise;
        work_ += static_cast<double>(pass_.entries);
        if (!whole) return;
        ++epochs_;
        ++passes_;
        if (!tuning_.shrink) return;
        const Ids& ids = here().ids;
        shrinking_.shrink(pass_, here().outward, here().active,
                          [&](std::int32_t row) { return copy_ ? ids[static_cast<std::size_t>(row)] : row; });
    }

    // Makes every row active.
    void unshrink() {
        leave_copy();
        passes_ = 0;
        whole_.active = others({}, whole_.size());
    }

    // Computes w anew from alpha, in case updates have let it drift.
    void resum() {
        if (copy_) copy_->write_to(whole_);
        const auto coefficient = [this](Index i) {
            const Coordinate& at = whole_.coordinates[static_cast<std::size_t>(i)];
            return at.alpha * at.label();
        };
        std::visit([&](const auto& view) { weighted_sum_of(view, 0, view.rows, coefficient, whole_.w.data(), 1); },
                   whole_.rows);
        dual_ = -0.5 * simd().rows.dot(whole_.w.data(), whole_.w.data(), whole_.columns);
        for (const Coordinate& at : whole_.coordinates) dual_ += form().gain(at, 0, at.alpha);
        if (copy_) copy_->read_from(whole_);
        set_centre(centre_);
    }

    void set_centre(double centre) {
        centre_ = centre;
        bias_ = centre + settings_.kappa * residual();
    }

    void get_alpha(Index begin, Index end, double* alpha) {
        if (copy_) copy_->write_to(whole_);
        for (Index i = begin; i < end; ++i) alpha[i - begin] = whole_.coordinates[static_cast<std::size_t>(i)].alpha;
    }
    // Sets some alphas, clipped to their bounds; `resum` brings w in line.
    void place_alpha(Index begin, Index end, const double* alpha) {
        leave_copy();
        for (Index i = begin; i < end; ++i) {
            Coordinate& at = whole_.coordinates[static_cast<std::size_t>(i)];
            at.alpha = std::clamp(alpha[i - begin], 0.0, form().upper(at));
        }
    }
    void get_w(double* w) {
        if (copy_) copy_->write_to(whole_);
        std::copy(whole_.w.begin(), whole_.w.end(), w);
    }
    double bias() const { return bias_; }

private:
    static Index rows_of(const AnyRows& rows) {
        return std::visit([](const auto& view) { return view.rows; }, rows);
    }

    Subproblem& here() { return copy_ ? *copy_ : whole_; }
    const Subproblem& here() const { return copy_ ? *copy_ : whole_; }
    DualForm form() const { return {settings_.squared, settings_.kappa, centre_}; }
    double residual() const { return settings_.kappa == 0 ? 0 : rest_.s + here().bias_sums(settings_.squared).s; }

    bool worth_copying() const {
        if (!tuning_.copy || !slow()) return false;
        const bool sparse = std::visit([](const auto& view) { return view.sparse; }, whole_.rows);
        const auto active = static_cast<double>(here().active.size()), all = static_cast<double>(here().size());
        return (sparse && !copy_) || active < tuning_.copy_below * all;
    }
    bool slow() const { return passes_ >= tuning_.slow_after; }

    void copy_active_rows() {
        leave_copy();
        copy_ = whole_.active_copy();
        find_rest();
    }

    void leave_copy() {
        if (copy_) copy_->write_to(whole_);
        drop_copy();
    }

    void drop_copy() {
        copy_.reset();
        rest_ = {};
        acceleration_.forget();
    }

    // Sums over the rows that are not in the copy.
    void find_rest() {
        if (settings_.kappa == 0) return;
        const BiasSums all = whole_.bias_sums(settings_.squared), copied = copy_->bias_sums(settings_.squared);
        rest_ = {all.s - copied.s, all.room - copied.room};
    }

    void accelerate() {
        work_ += static_cast<double>(pass_.entries);
        const auto rise = acceleration_.step(form(), here(), bias_, residual());
        if (!rise) return;
        ++steps_;
        dual_ += *rise;
        set_centre(centre_);
    }

    // Splits rows into runs that lie together in memory, in random order if there is a generator.
    void order_runs(const Ids& rows, Random* random) {
        visits_ = rows;
        runs_.clear();
        const auto length = static_cast<std::int32_t>(tuning_.run_length), n = static_cast<std::int32_t>(rows.size());
        for (std::int32_t begin = 0; begin < n; begin += length) runs_.push_back(begin);
        if (random == nullptr) return;
        random->shuffle(runs_.data(), static_cast<Index>(runs_.size()));
        auto to = visits_.begin();
        for (std::int32_t& begin : runs_) {
            const std::int32_t end = std::min(n, begin + length);
            const auto at = static_cast<std::int32_t>(to - visits_.begin());
            to = std::copy(rows.begin() + begin, rows.begin() + end, to);
            begin = at;
        }
    }
    Index run_begin(Index run) const {
        const bool over = run >= static_cast<Index>(runs_.size());
        return over ? static_cast<Index>(visits_.size()) : runs_[static_cast<std::size_t>(run)];
    }

    void visit(Subproblem& at, Index first, Index count, bool moving, double* w, double& bias) {
        const Index begin = run_begin(first);
        const Visits visits{visits_.data() + begin, run_begin(first + count) - begin, at.outward.data(), moving};
        pass_.add(at.visit(form(), visits, w, bias));
    }

    // Visits all runs; false if time was over before the last one.
    bool visit_runs(Subproblem& at, double seconds, bool moving) {
        constexpr Index between_looks = Index{1} << 24;  // entries, read in a few hundredths of a second
        constexpr Index ahead = 8;                       // runs of a file that are announced before they are visited
        const auto began = std::chrono::steady_clock::now();
        const auto count = static_cast<Index>(runs_.size());
        const auto tell = [&](Index run, const auto& tell_system) {
            if (!settings_.mapped || run >= count) return;
            const auto first = static_cast<std::size_t>(run_begin(run)),
                       end = static_cast<std::size_t>(run_begin(run + 1));
            std::visit([&](const auto& view) { tell_of_rows(view, visits_[first], visits_[end - 1], tell_system); },
                       at.rows);
        };
        for (Index run = 0; run < ahead; ++run) tell(run, announce);
        Index looked_at = 0;
        const Index at_once = settings_.mapped ? 1 : 64;
        for (Index run = 0; run < count; run += at_once) {
            tell(run + ahead, announce);
            visit(at, run, std::min(at_once, count - run), moving, at.w.data(), bias_);
            tell(run, dismiss);
            if (pass_.entries - looked_at < between_looks || run + at_once >= count) continue;
            looked_at = pass_.entries;
            if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() >= seconds)
                return false;
        }
        return true;
    }

    DescentSettings settings_;
    DescentTuning tuning_;
    Random random_;
    Shrinking shrinking_;
    Acceleration acceleration_;
    Subproblem whole_;
    std::optional<Subproblem> copy_;
    BiasSums rest_;      // of the rows that are not in the copy
    Ids visits_, runs_;  // rows in the order of their visits; where each run begins
    PassReport pass_;    // since `begin_pass`
    double bias_ = 0, centre_ = 0;
    double dual_ = 0;  // sum_i dual_term(alpha_i) - 1/2 ||w||^2, as the updates have raised it
    double work_ = 0;
    Index epochs_ = 0, steps_ = 0;
    Index passes_ = 0;  // since all rows were last active
};

}  // namespace separatrix
