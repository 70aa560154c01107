// The step of coordinate descent in the span of its last moves: which moves, how far, and whether it pays.
//
// Every call notes the move of (alpha, w) since the last one; rows that have come to a bound leave every move, so
// that no step pushes against a bound that holds. Every row off its bounds is active, so moves live in the scope of the
// active rows. The best step (subspace.hpp) is clipped to the bounds and taken
// only if the dual rises.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "separatrix/scope.hpp"
#include "separatrix/subspace.hpp"

namespace separatrix {

// The dual problem as a step sees it: sum_i dual_term(alpha_i) - 1/2 ||w||^2 - kappa/2 s^2 - centre s.
struct DualForm {
    bool squared;
    double kappa, centre;

    double upper(const Coordinate& at) const { return squared ? std::numeric_limits<double>::infinity() : at.limit; }
    bool held(const Coordinate& at) const { return at.alpha <= 0 || at.alpha >= upper(at); }
    // dual_term(to) - dual_term(from)
    double gain(const Coordinate& at, double from, double to) const {
        return (to - from) * (squared ? 1 - 0.5 * at.limit * (from + to) : 1.0);
    }
};

class Acceleration {
public:
    explicit Acceleration(int memory) : memory_(memory) {}

    // Moves noted so far belong to another w, or to another problem.
    void forget() {
        subspace_.clear();
        old_.clear();
    }

    // Notes the move since the last call, then takes the best step in the span of the last moves. True if it did.
    // `s` is sum_i alpha_i y_i, `active` the ids of the active rows in increasing order.
    template <class Rows>
    bool operator()(const DualForm& form, const Rows& rows, bool exact, const std::vector<std::int32_t>& active,
                    std::vector<Coordinate>& coordinates, std::vector<double>& w, double bias, double s) {
        const bool first = old_.empty(), rescope = first || !scope_.holds(active);
        if (rescope) {
            move_to(active, form, rows, exact, coordinates);
        } else {
            release_held(form, rows, coordinates);
        }
        if (!first) note_move(form, rows, exact, coordinates);
        if (rescope) {  // rows that leave the scope stay where they are now
            old_.resize(coordinates.size());
            for (std::size_t i = 0; i < coordinates.size(); ++i) old_[i] = coordinates[i].alpha;
        } else {
            for (const std::int32_t id : scope_.rows()) old_[at(id)] = coordinates[at(id)].alpha;
        }
        return !first && take_step(form, rows, coordinates, w, bias, s);
    }

private:
    static std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

    // The moves so far in the scope of `active`. Rows that leave it are at a bound.
    template <class Rows>
    void move_to(const std::vector<std::int32_t>& active, const DualForm& form, const Rows& rows, bool exact,
                 const std::vector<Coordinate>& coordinates) {
        const std::vector<std::int32_t> before = scope_.rows();
        scope_.set(rows.source(), active);
        // The last two moves do most of the work; the others pay where passes are long.
        subspace_.keep(scope_.deep() ? memory_ : std::min(memory_, 2));
        std::vector<double> alpha;
        for (int j = 0; j < subspace_.size(); ++j) {
            Move& move = subspace_[j];
            alpha.assign(active.size(), 0.0);
            for (std::size_t i = 0, k = 0; i < active.size(); ++i) {
                while (k < before.size() && before[k] < active[i]) ++k;
                if (k == before.size()) break;
                if (before[k] == active[i] && !form.held(coordinates[at(active[i])])) alpha[i] = move.alpha[k];
            }
            move.alpha = alpha;
            move.w.assign(scope_.width(), 0.0);
            add_to_w(rows, exact, coordinates, move);
        }
    }

    // Takes the rows that have come to a bound out of every move.
    template <class Rows>
    void release_held(const DualForm& form, const Rows& rows, const std::vector<Coordinate>& coordinates) {
        const auto& ids = scope_.rows();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const Coordinate& here = coordinates[at(ids[i])];
            if (!form.held(here)) continue;
            for (int j = 0; j < subspace_.size(); ++j) {
                Move& move = subspace_[j];
                if (move.alpha[i] == 0) continue;
                rows.add_row(ids[i], -move.alpha[i] * here.label(), scope_.place(), move.w.data());
                move.alpha[i] = 0;
            }
        }
    }

    template <class Rows>
    void note_move(const DualForm& form, const Rows& rows, bool exact, const std::vector<Coordinate>& coordinates) {
        const auto& ids = scope_.rows();
        subspace_.push(ids.size(), scope_.width());
        Move& newest = subspace_.newest();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const Coordinate& here = coordinates[at(ids[i])];
            newest.alpha[i] = form.held(here) ? 0.0 : here.alpha - old_[at(ids[i])];
        }
        // Not the difference of two w's: its rounding would be no move of alpha, and each step would multiply it.
        add_to_w(rows, exact, coordinates, newest);
    }

    // move.w += sum_i move.alpha_i y_i x_i
    template <class Rows>
    void add_to_w(const Rows& rows, bool exact, const std::vector<Coordinate>& coordinates, Move& move) {
        const auto& ids = scope_.rows();
        step_.resize(ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i) step_[i] = move.alpha[i] * coordinates[at(ids[i])].label();
        rows.add_rows(ids, step_.data(), scope_.place(), move.w.data(), exact);
    }

    // Moves along which the dual is all but linear ask for huge steps. Almost all of such a step is clipped again,
    // and what is left would be the difference of huge numbers; a hundred times the range of alpha is far enough.
    double safe_length(const DualForm& form, const std::vector<Coordinate>& coordinates) const {
        double largest = 0, range = 0;
        for (std::size_t i = 0; i < step_.size(); ++i) {
            const Coordinate& here = coordinates[at(scope_.rows()[i])];
            largest = std::max(largest, std::abs(step_[i]));
            range = std::max(range, form.squared ? here.alpha : here.limit);
        }
        return largest > 100 * range ? 100 * range / largest : 1.0;
    }

    template <class Rows>
    bool take_step(const DualForm& form, const Rows& rows, std::vector<Coordinate>& coordinates,
                   std::vector<double>& w, double bias, double s) {
        const auto dot = kernels().dot;
        const auto& ids = scope_.rows();
        const double* near = scope_.part(w, near_);
        subspace_.solve(ids, coordinates, near, bias, form.kappa, form.squared);
        step_.resize(ids.size());
        subspace_.step_of_alpha(step_);
        const double longest = safe_length(form, coordinates);
        for (double length = longest; length > 0.05 * longest; length /= 3) {  // clipping may spoil a long step
            subspace_.step_of_w(length, change_);
            double gain = 0, moved = 0;
            for (std::size_t i = 0; i < ids.size(); ++i) {
                if (step_[i] == 0) continue;
                Coordinate& here = coordinates[at(ids[i])];
                const double from = old_[at(ids[i])], wanted = from + length * step_[i];
                here.alpha = std::clamp(wanted, 0.0, form.upper(here));
                gain += form.gain(here, from, here.alpha);
                moved += (here.alpha - from) * here.label();
                if (here.alpha != wanted) {
                    rows.add_row(ids[i], (here.alpha - wanted) * here.label(), scope_.place(), change_.data());
                }
            }
            const auto width = static_cast<Index>(scope_.width());
            gain -= dot(near, change_.data(), width) + 0.5 * dot(change_.data(), change_.data(), width);
            gain -= (form.kappa * (s + 0.5 * moved) + form.centre) * moved;
            if (gain > 0) {
                scope_.add(change_, w);
                return true;
            }
        }
        for (const std::int32_t id : ids) coordinates[at(id)].alpha = old_[at(id)];
        return false;
    }

    int memory_;
    Subspace subspace_;
    Scope scope_;
    std::vector<double> old_;                  // alpha of every row at the last call
    std::vector<double> step_, near_, change_;  // over the scope: a step of alpha, w, a step of w
};

}  // namespace separatrix
