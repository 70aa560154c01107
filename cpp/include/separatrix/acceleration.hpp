// The step of coordinate descent in the span of its last moves: which moves, how far, and whether it pays.
//
// Every call notes the move of (alpha, w) since the last one; rows that have come to a bound leave every move, so
// that no step pushes against a bound that holds. The best step (subspace.hpp) is clipped to the bounds and taken
// only if the dual rises.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "separatrix/subspace.hpp"

namespace separatrix {

// The dual problem as a step sees it: sum_i dual_term(alpha_i) - 1/2 ||w||^2 - kappa/2 s^2 - centre s.
struct DualForm {
    bool squared;
    double kappa, centre;

    double upper(const Coordinate& at) const { return squared ? std::numeric_limits<double>::infinity() : at.limit; }
    // Without the term 1/2 ||w||^2.
    double without_norm(const std::vector<Coordinate>& coordinates) const {
        double linear = 0, s = 0;
        for (const auto& at : coordinates) {
            linear += at.alpha * (squared ? 1 - 0.5 * at.limit * at.alpha : 1.0);
            s += at.alpha * at.label;
        }
        return linear - (0.5 * kappa * s + centre) * s;
    }
};

class Acceleration {
public:
    explicit Acceleration(int memory) : subspace_(memory) {}

    // Moves noted so far belong to another w, or to another problem.
    void forget() {
        subspace_.clear();
        alpha_old_.clear();
    }

    // Notes the move since the last call, then takes the best step in the span of the last moves. True if it did.
    template <class Rows>
    bool operator()(const DualForm& form, const Rows& rows, bool exact, std::vector<Coordinate>& coordinates,
                    std::vector<double>& w, double bias) {
        const bool first = alpha_old_.empty();
        if (first) {
            alpha_old_.resize(coordinates.size());
        } else {
            note_move(form, rows, exact, coordinates, w.size());
        }
        for (std::size_t i = 0; i < coordinates.size(); ++i) alpha_old_[i] = coordinates[i].alpha;
        return !first && take_step(form, rows, coordinates, w, bias);
    }

private:
    template <class Rows>
    void note_move(const DualForm& form, const Rows& rows, bool exact, const std::vector<Coordinate>& coordinates,
                   std::size_t columns) {
        const std::size_t n = coordinates.size();
        subspace_.push(n, columns);
        Move& newest = subspace_.newest();
        signed_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Coordinate& at = coordinates[i];
            const bool held = at.alpha <= 0 || at.alpha >= form.upper(at);
            newest.alpha[i] = held ? 0.0 : at.alpha - alpha_old_[i];
            signed_[i] = newest.alpha[i] * at.label;
            for (int j = 0; held && j + 1 < subspace_.size(); ++j) {
                Move& move = subspace_[j];
                if (move.alpha[i] == 0) continue;
                rows.add_row(static_cast<Index>(i), -move.alpha[i] * at.label, move.w.data());
                move.alpha[i] = 0;
            }
        }
        // Not the difference of two w's: its rounding would be no move of alpha, and each step would multiply it.
        rows.add_active(signed_.data(), newest.w.data(), exact);
    }

    // Moves along which the dual is all but linear ask for huge steps. Almost all of such a step is clipped again,
    // and what is left would be the difference of huge numbers; a hundred times the range of alpha is far enough.
    double safe_length(const DualForm& form, const std::vector<Coordinate>& coordinates) const {
        double largest = 0, range = 0;
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            largest = std::max(largest, std::abs(signed_[i]));
            range = std::max(range, form.squared ? coordinates[i].alpha : coordinates[i].limit);
        }
        return largest > 100 * range ? 100 * range / largest : 1.0;
    }

    template <class Rows>
    bool take_step(const DualForm& form, const Rows& rows, std::vector<Coordinate>& coordinates,
                   std::vector<double>& w, double bias) {
        const double norm = subspace_.solve(coordinates, w.data(), bias, form.kappa, form.squared);
        const double before = form.without_norm(coordinates) - 0.5 * norm;
        std::vector<double>& step = signed_;
        subspace_.step_of_alpha(step);
        trial_w_.resize(w.size());
        const double longest = safe_length(form, coordinates);
        for (double length = longest; length > 0.05 * longest; length /= 3) {  // clipping may spoil a long step
            subspace_.step_of_w(w.data(), length, trial_w_.data());
            for (std::size_t i = 0; i < coordinates.size(); ++i) {
                if (step[i] == 0) continue;
                Coordinate& at = coordinates[i];
                const double wanted = alpha_old_[i] + length * step[i];
                at.alpha = std::clamp(wanted, 0.0, form.upper(at));
                if (at.alpha != wanted) {
                    rows.add_row(static_cast<Index>(i), (at.alpha - wanted) * at.label, trial_w_.data());
                }
            }
            const double square = kernels().dot(trial_w_.data(), trial_w_.data(), static_cast<Index>(w.size()));
            if (form.without_norm(coordinates) - 0.5 * square > before) {
                std::swap(w, trial_w_);
                return true;
            }
        }
        for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates[i].alpha = alpha_old_[i];
        return false;
    }

    Subspace subspace_;
    std::vector<double> alpha_old_, signed_, trial_w_;
};

}  // namespace separatrix
