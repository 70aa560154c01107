// The step of coordinate descent in the span of its last moves: which moves, how far, and whether it pays.
//
// Every call notes the move of (alpha, w) since the last one; rows that have come to a bound leave every move, so
// that no step pushes against a bound that holds. The best step (subspace.hpp) is clipped to the bounds and taken only if
// the dual rises.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "descent/subspace.hpp"

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
    // How many moves to keep of rows with that many entries: the last two do most of the work; the others pay where passes
    // are long.
    static int useful_moves(int memory, Index entries, Index columns) {
        return entries > 8 * columns ? memory : std::min(memory, 2);
    }

    explicit Acceleration(int memory) : subspace_(memory) {}

    // Moves noted so far belong to another w, or to another problem.
    void forget() {
        subspace_.clear();
        old_.clear();
    }

    // Notes the move since the last call, then takes the best step in the span of the last moves. True if it did.
    // `s` is sum_i alpha_i y_i, with what other rows add to it; `exact` says which values of the rows count.
    template <class Rows>
    bool operator()(const DualForm& form, const Rows& rows, bool exact, std::vector<Coordinate>& coordinates,
                    std::vector<double>& w, double bias, double s) {
        const bool first = old_.empty();
        if (!first) {
            release_held(form, rows, exact, coordinates);
            note_move(form, rows, exact, coordinates);
        }
        note_alpha(coordinates);
        return !first && take_step(form, rows, exact, coordinates, w, bias, s);
    }

    // The next move begins here; those noted so far are forgotten.
    void begin_anew(const std::vector<Coordinate>& coordinates) {
        subspace_.clear();
        note_alpha(coordinates);
    }

    // By how much the last step that was taken raised sum_i dual_term(alpha_i) - 1/2 ||w||^2.
    double rise() const { return rise_; }

    // These moves for the problem of `rows`, which are the rows `to` where the moves are of the rows `from` (both increasing;
    // none for all rows). Rows that were not among those have not moved, as far as is known here.
    template <class Rows>
    Acceleration carried(int memory, const DualForm& form, const Rows& rows, const std::vector<Coordinate>& coordinates,
                         const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to) const {
        Acceleration part(memory);
        if (old_.empty()) return part;
        constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
        std::vector<std::size_t> place(to.size(), nowhere);
        for (std::size_t k = 0, i = 0; k < to.size(); ++k) {
            while (i < from.size() && from[i] < to[k]) ++i;
            if (from.empty())
                place[k] = static_cast<std::size_t>(to[k]);
            else if (i < from.size() && from[i] == to[k])
                place[k] = i;
        }
        part.old_.resize(to.size());
        for (std::size_t k = 0; k < to.size(); ++k)
            part.old_[k] = place[k] == nowhere ? coordinates[k].alpha : old_[place[k]];
        for (int j = 0; j < subspace_.size(); ++j) {
            part.subspace_.push(to.size(), static_cast<std::size_t>(rows.source().columns));
            Move& move = part.subspace_.newest();
            for (std::size_t k = 0; k < to.size(); ++k) {
                const bool moved = place[k] != nowhere && !form.held(coordinates[k]);
                move.alpha[k] = moved ? subspace_[j].alpha[place[k]] : 0.0;
            }
            part.sum_w(rows, false, coordinates, move);
        }
        return part;
    }

private:
    void note_alpha(const std::vector<Coordinate>& coordinates) {
        old_.resize(coordinates.size());
        for (std::size_t i = 0; i < coordinates.size(); ++i) old_[i] = coordinates[i].alpha;
    }

    // Takes the rows that have come to a bound out of every move. Where hardly anything is left of a move, its w is summed
    // anew: the rounding of what was taken out would be a move of w without one of alpha, which a long step multiplies.
    template <class Rows>
    void release_held(const DualForm& form, const Rows& rows, bool exact, const std::vector<Coordinate>& coordinates) {
        constexpr double hardly = 1e-3;
        for (int j = 0; j < subspace_.size(); ++j) {
            Move& move = subspace_[j];
            double taken = 0, left = 0;
            for (std::size_t i = 0; i < coordinates.size(); ++i) {
                if (move.alpha[i] == 0) continue;
                if (form.held(coordinates[i])) {
                    taken = std::max(taken, std::abs(move.alpha[i]));
                    rows.add_row(static_cast<Index>(i), -move.alpha[i] * coordinates[i].label(), move.w.data(), exact);
                    move.alpha[i] = 0;
                } else {
                    left = std::max(left, std::abs(move.alpha[i]));
                }
            }
            if (left < hardly * taken) sum_w(rows, exact, coordinates, move);
        }
    }

    // move.w = sum_i move.alpha_i y_i x_i. Not the difference of two w's: its rounding would be no move of alpha.
    template <class Rows>
    void sum_w(const Rows& rows, bool exact, const std::vector<Coordinate>& coordinates, Move& move) {
        step_.resize(coordinates.size());
        for (std::size_t i = 0; i < coordinates.size(); ++i) step_[i] = move.alpha[i] * coordinates[i].label();
        std::fill(move.w.begin(), move.w.end(), 0.0);
        rows.add_rows(step_.data(), move.w.data(), exact);
    }

    template <class Rows>
    void note_move(const DualForm& form, const Rows& rows, bool exact, const std::vector<Coordinate>& coordinates) {
        subspace_.push(coordinates.size(), static_cast<std::size_t>(rows.source().columns));
        Move& newest = subspace_.newest();
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            newest.alpha[i] = form.held(coordinates[i]) ? 0.0 : coordinates[i].alpha - old_[i];
        }
        sum_w(rows, exact, coordinates, newest);
    }

    // Moves along which the dual is all but linear ask for huge steps. Almost all of such a step is clipped again,
    // and what is left would be the difference of huge numbers; a hundred times the range of alpha is far enough.
    double safe_length(const DualForm& form, const std::vector<Coordinate>& coordinates) const {
        double largest = 0, range = 0;
        for (std::size_t i = 0; i < step_.size(); ++i) {
            largest = std::max(largest, std::abs(step_[i]));
            range = std::max(range, form.squared ? coordinates[i].alpha : coordinates[i].limit);
        }
        return largest > 100 * range ? 100 * range / largest : 1.0;
    }

    template <class Rows>
    bool take_step(const DualForm& form, const Rows& rows, bool exact, std::vector<Coordinate>& coordinates,
                   std::vector<double>& w, double bias, double s) {
        const auto dot = kernels().dot;
        subspace_.solve(coordinates, w.data(), bias, form.kappa, form.squared);
        step_.resize(coordinates.size());
        subspace_.step_of_alpha(step_);
        const double longest = safe_length(form, coordinates);
        for (double length = longest; length > 0.05 * longest; length /= 3) {  // clipping may spoil a long step
            subspace_.step_of_w(length, change_);
            double rise = 0, moved = 0;
            for (std::size_t i = 0; i < coordinates.size(); ++i) {
                if (step_[i] == 0) continue;
                Coordinate& here = coordinates[i];
                const double wanted = old_[i] + length * step_[i];
                here.alpha = std::clamp(wanted, 0.0, form.upper(here));
                rise += form.gain(here, old_[i], here.alpha);
                moved += (here.alpha - old_[i]) * here.label();
                if (here.alpha != wanted) {
                    rows.add_row(static_cast<Index>(i), (here.alpha - wanted) * here.label(), change_.data(), exact);
                }
            }
            const auto width = static_cast<Index>(change_.size());
            rise -= dot(w.data(), change_.data(), width) + 0.5 * dot(change_.data(), change_.data(), width);
            if (rise > (form.kappa * (s + 0.5 * moved) + form.centre) * moved) {
                rise_ = rise;
                for (std::size_t j = 0; j < change_.size(); ++j) w[j] += change_[j];
                return true;
            }
        }
        for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates[i].alpha = old_[i];
        return false;
    }

    Subspace subspace_;
    std::vector<double> old_;            // alpha at the last call
    std::vector<double> step_, change_;  // a step of alpha, of w
    double rise_ = 0;
};

}  // namespace separatrix
