// The exact maximum of the dual over the span of the last few moves of coordinate descent.
//
// Coordinate descent creeps along a few ill-conditioned directions; the moves of its last passes span them. With
// moves p_1 .. p_k (of alpha) and P_j = sum_i p_ij y_i x_i (of w), restricted to rows strictly inside their bounds,
//
//     max_c  sum_j c_j g_j - 1/2 c' M c,   g_j = p_j . (1 - shift alpha) - w . P_j - b s_j,
//                                          M_jl = P_j . P_l + p_j . (shift p_l) + kappa s_j s_l,   s_j = p_j . y
//
// is a k x k system. Its solution is clipped to the bounds and taken only if the dual rises: a limited-memory relative of
// conjugate gradients that survives changes of the set of free rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "descent/subproblem.hpp"

namespace separatrix {

inline constexpr int max_moves = 16;

class Acceleration {
public:
    explicit Acceleration(int memory) : memory_(static_cast<std::size_t>(memory)) {}

    // Forgets moves that belong to another w or to another subproblem.
    void forget() {
        moves_.clear();
        old_.clear();
        free_.clear();
    }

    // Notes the move since the last call, then takes the best step in the span of the last moves. Returns by how much it
    // raised sum_i dual_term(alpha_i) - 1/2 ||w||^2, if a step was taken. `s` is sum_i alpha_i y_i over all rows.
    std::optional<double> step(const DualForm& form, Subproblem& at, double bias, double s) {
        const bool first = old_.empty();
        if (!first) {
            find_free_rows(form, at);
            note_move(at);
        }
        old_.resize(at.coordinates.size());
        for (std::size_t i = 0; i < old_.size(); ++i) old_[i] = at.coordinates[i].alpha;
        return first ? std::nullopt : take_step(form, at, bias, s);
    }

private:
    struct Move {
        std::vector<double> alpha, w;  // alpha of the free rows: it is zero elsewhere
    };

    // Finds the rows inside their bounds. Those that have come to a bound are taken out of every move, so that no step pushes
    // against a bound. Where hardly anything is left of a move, its w is summed anew: the rounding of what was taken out
    // would be a move of w without one of alpha, which a long step multiplies.
    void find_free_rows(const DualForm& form, const Subproblem& at) {
        constexpr double hardly = 1e-3;
        const Ids before = std::exchange(free_, {});
        for (std::size_t i = 0; i < at.coordinates.size(); ++i)
            if (!form.at_bound(at.coordinates[i])) free_.push_back(static_cast<std::int32_t>(i));
        for (Move& move : moves_) {
            const std::vector<double> moved = std::exchange(move.alpha, std::vector<double>(free_.size()));
            double taken = 0, left = 0;
            for (std::size_t k = 0, j = 0; k < before.size(); ++k) {
                while (j < free_.size() && free_[j] < before[k]) ++j;
                const bool free = j < free_.size() && free_[j] == before[k];
                double& most = free ? left : taken;
                most = std::max(most, std::abs(moved[k]));
                if (free)
                    move.alpha[j] = moved[k];
                else if (moved[k] != 0)
                    at.add_row(before[k], -moved[k] * row(at, before, k).label(), move.w.data());
            }
            if (left < hardly * taken) sum_w(at, move);
        }
    }

    // move.w = sum_i move.alpha_i y_i x_i. Not the difference of two w's: its rounding would be no move of alpha.
    void sum_w(const Subproblem& at, Move& move) {
        std::vector<double> coefficients(at.coordinates.size());
        for (std::size_t j = 0; j < free_.size(); ++j)
            coefficients[static_cast<std::size_t>(free_[j])] = move.alpha[j] * row(at, free_, j).label();
        move.w.assign(at.w.size(), 0.0);
        at.add_rows(coefficients, move.w.data());
    }

    void note_move(const Subproblem& at) {
        Move move;
        if (moves_.size() == memory_) {
            move = std::move(moves_.front());
            moves_.erase(moves_.begin());
        }
        move.alpha.resize(free_.size());
        for (std::size_t j = 0; j < free_.size(); ++j)
            move.alpha[j] = row(at, free_, j).alpha - old_[static_cast<std::size_t>(free_[j])];
        sum_w(at, move);
        moves_.push_back(std::move(move));
    }

    static const Coordinate& row(const Subproblem& at, const Ids& rows, std::size_t j) {
        return at.coordinates[static_cast<std::size_t>(rows[j])];
    }

    // The coefficients c of the best step. Columns come in blocks that stay in the cache while all products are formed.
    void solve(const DualForm& form, const Subproblem& at, double bias) {
        constexpr std::size_t block = 512;
        const std::size_t k = moves_.size();
        const auto dot = simd().rows.dot;
        g_ = {};
        M_ = {};
        for (std::size_t begin = 0; begin < at.w.size(); begin += block) {
            const auto length = static_cast<Index>(std::min(block, at.w.size() - begin));
            for (std::size_t a = 0; a < k; ++a) {
                const double* column = moves_[a].w.data() + begin;
                g_[a] -= dot(at.w.data() + begin, column, length);
                for (std::size_t b = 0; b <= a; ++b) M_[a][b] += dot(column, moves_[b].w.data() + begin, length);
            }
        }
        std::array<double, max_moves> s{};
        for (std::size_t j = 0; j < free_.size(); ++j) {
            const Coordinate& here = row(at, free_, j);
            const double slope = form.squared ? 1 - here.limit * here.alpha : 1.0;
            for (std::size_t a = 0; a < k; ++a) {
                const double moved = moves_[a].alpha[j];
                g_[a] += moved * slope;
                s[a] += moved * here.label();
                for (std::size_t b = 0; form.squared && b <= a; ++b)
                    M_[a][b] += moved * here.limit * moves_[b].alpha[j];
            }
        }
        for (std::size_t a = 0; a < k; ++a) {
            g_[a] -= bias * s[a];
            for (std::size_t b = 0; b <= a; ++b) M_[b][a] = M_[a][b] += form.kappa * s[a] * s[b];
        }
        eliminate(k);
    }

    // Gaussian elimination; pivots are Schur complements, and a direction that adds nothing new gets c_j = 0.
    void eliminate(std::size_t k) {
        constexpr double negligible = 1e-8;
        std::array<bool, max_moves> redundant{};
        std::array<double, max_moves> scale{};
        for (std::size_t j = 0; j < k; ++j) scale[j] = M_[j][j];
        for (std::size_t j = 0; j < k; ++j) {
            redundant[j] = M_[j][j] <= negligible * scale[j];
            for (std::size_t l = j + 1; l < k && !redundant[j]; ++l) {
                const double factor = M_[l][j] / M_[j][j];
                for (std::size_t m = j; m < k; ++m) M_[l][m] -= factor * M_[j][m];
                g_[l] -= factor * g_[j];
            }
        }
        for (std::size_t j = k; j-- > 0;) {
            double sum = g_[j];
            for (std::size_t m = j + 1; m < k; ++m) sum -= M_[j][m] * c_[m];
            c_[j] = redundant[j] ? 0.0 : sum / M_[j][j];
        }
    }

    // The length of the first step tried, relative to the best one. Moves along which the dual is all but linear ask for
    // huge steps, almost all of which is clipped again; what is left would be the difference of huge numbers.
    double safe_length(const DualForm& form, const Subproblem& at) const {
        constexpr double ranges = 100;
        double largest = 0, range = 0;
        for (std::size_t j = 0; j < step_.size(); ++j) {
            const Coordinate& here = row(at, free_, j);
            largest = std::max(largest, std::abs(step_[j]));
            range = std::max(range, form.squared ? here.alpha : here.limit);
        }
        return largest > ranges * range ? ranges * range / largest : 1.0;
    }

    std::optional<double> take_step(const DualForm& form, Subproblem& at, double bias, double s) {
        solve(form, at, bias);
        combine(&Move::alpha, 1.0, step_);
        double length = safe_length(form, at);
        for (int attempt = 0; attempt < 3; ++attempt, length /= 3) {  // clipping may spoil a long step
            combine(&Move::w, length, change_);
            double rise = 0, moved = 0;
            for (std::size_t j = 0; j < step_.size(); ++j) {
                if (step_[j] == 0) continue;
                const auto i = static_cast<std::size_t>(free_[j]);
                Coordinate& here = at.coordinates[i];
                const double wanted = old_[i] + length * step_[j];
                here.alpha = std::clamp(wanted, 0.0, form.upper(here));
                rise += form.gain(here, old_[i], here.alpha);
                moved += (here.alpha - old_[i]) * here.label();
                if (here.alpha != wanted) at.add_row(free_[j], (here.alpha - wanted) * here.label(), change_.data());
            }
            const auto dot = simd().rows.dot;
            const auto width = static_cast<Index>(change_.size());
            rise -= dot(at.w.data(), change_.data(), width) + 0.5 * dot(change_.data(), change_.data(), width);
            if (rise > (form.kappa * (s + 0.5 * moved) + form.centre) * moved) {
                for (std::size_t j = 0; j < change_.size(); ++j) at.w[j] += change_[j];
                return rise;
            }
        }
        for (const std::int32_t i : free_)
            at.coordinates[static_cast<std::size_t>(i)].alpha = old_[static_cast<std::size_t>(i)];
        return std::nullopt;
    }

    // out = length sum_j c_j (the alpha or w of move j)
    void combine(std::vector<double> Move::* part, double length, std::vector<double>& out) const {
        out.assign((moves_.back().*part).size(), 0.0);
        for (std::size_t a = 0; a < moves_.size(); ++a) {
            const double* move = (moves_[a].*part).data();
            const double scale = length * c_[a];
            for (std::size_t j = 0; j < out.size(); ++j) out[j] += scale * move[j];
        }
    }

    std::size_t memory_;
    std::vector<Move> moves_;            // oldest first
    std::vector<double> old_;            // alpha at the last call
    Ids free_;                           // rows inside their bounds at the last call, in order
    std::vector<double> step_, change_;  // a step of alpha of the free rows, of w
    std::array<std::array<double, max_moves>, max_moves> M_{};
    std::array<double, max_moves> g_{}, c_{};
};

}  // namespace separatrix
