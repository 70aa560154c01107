// Exact maximisation of the dual over the span of the last few moves.
//
// Coordinate descent creeps along a few ill-conditioned directions; the moves of the last sweeps span them. With
// moves p_1 .. p_k (of alpha) and P_j = sum_i p_ij y_i x_i (of w), restricted to rows strictly inside their bounds,
//
//     max_c  sum_j c_j g_j - 1/2 c' M c,   g_j = p_j . (1 - shift alpha) - w . P_j - b s_j,
//                                          M_jl = P_j . P_l + p_j . (shift p_l) + kappa s_j s_l,   s_j = p_j . y
//
// is a k x k system. It is a limited-memory relative of conjugate gradients that survives changes of the free set.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "simd/table.hpp"

namespace separatrix {

inline constexpr int max_moves = 16;

// One move: the change of alpha and of w.
struct Move {
    std::vector<double> alpha, w;
};

// The last few moves, oldest first, and the step they span.
class Subspace {
public:
    // How many moves there may be; the oldest go first.
    explicit Subspace(int capacity) : capacity_(capacity) {}

    int size() const { return static_cast<int>(moves_.size()); }
    void clear() {
        spare_.insert(spare_.end(), std::make_move_iterator(moves_.begin()), std::make_move_iterator(moves_.end()));
        moves_.clear();
    }
    Move& operator[](int j) { return moves_[static_cast<std::size_t>(j)]; }
    const Move& operator[](int j) const { return moves_[static_cast<std::size_t>(j)]; }
    Move& newest() { return moves_.back(); }

    // Makes room for a new move, dropping the oldest; its alpha and w are undefined.
    void push(std::size_t rows, std::size_t columns) {
        Move move;
        if (size() == capacity_) {
            move = std::move(moves_.front());
            moves_.erase(moves_.begin());
        } else if (!spare_.empty()) {
            move = std::move(spare_.back());
            spare_.pop_back();
        }
        move.alpha.resize(rows);
        move.w.resize(columns);
        moves_.push_back(std::move(move));
    }

    // Finds the coefficients c of the best step from (alpha, w, bias).
    // Columns come in blocks that stay in the cache while all products of the block are formed.
    void solve(const std::vector<Coordinate>& coordinates, const double* w, double bias, double kappa, bool squared) {
        constexpr Index block = 512;
        const int k = size();
        const auto dot = kernels().dot;
        const Index d = k > 0 ? static_cast<Index>(moves_[0].w.size()) : 0;
        g_ = {};
        M_ = {};
        for (Index begin = 0; begin < d; begin += block) {
            const Index length = std::min(block, d - begin);
            for (int a = 0; a < k; ++a) {
                const double* column = (*this)[a].w.data() + begin;
                g_[a] -= dot(w + begin, column, length);
                for (int b = 0; b <= a; ++b) M_[a][b] += dot(column, (*this)[b].w.data() + begin, length);
            }
        }
        std::array<double, max_moves> s{};
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const Coordinate& at = coordinates[i];
            const double slope = squared ? 1 - at.limit * at.alpha : 1.0;
            for (int a = 0; a < k; ++a) {
                const double moved = (*this)[a].alpha[i];
                g_[a] += moved * slope;
                s[a] += moved * at.label();
                for (int b = 0; squared && b <= a; ++b) M_[a][b] += moved * at.limit * (*this)[b].alpha[i];
            }
        }
        for (int a = 0; a < k; ++a) {
            g_[a] -= bias * s[a];
            for (int b = 0; b <= a; ++b) {
                M_[a][b] += kappa * s[a] * s[b];
                M_[b][a] = M_[a][b];
            }
        }
        eliminate();
    }

    // out = sum_j c_j p_j
    void step_of_alpha(std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (int a = 0; a < size(); ++a) {
            const double* move = (*this)[a].alpha.data();
            for (std::size_t i = 0; i < out.size(); ++i) out[i] += c_[a] * move[i];
        }
    }

    // out = length sum_j c_j P_j
    void step_of_w(double length, std::vector<double>& out) const {
        constexpr std::size_t block = 512;
        const std::size_t d = size() > 0 ? moves_[0].w.size() : 0;
        out.assign(d, 0.0);
        for (std::size_t begin = 0; begin < d; begin += block) {
            const std::size_t end = std::min(begin + block, d);
            for (int a = 0; a < size(); ++a) {
                const double scale = length * c_[a];
                const double* move = (*this)[a].w.data();
                for (std::size_t j = begin; j < end; ++j) out[j] += scale * move[j];
            }
        }
    }

private:
    // Gaussian elimination; pivots are Schur complements, and a direction that adds nothing new gets c_j = 0.
    void eliminate() {
        constexpr double negligible = 1e-8;
        const int k = size();
        std::array<double, max_moves> scale{};
        for (int j = 0; j < k; ++j) scale[j] = M_[j][j];
        for (int j = 0; j < k; ++j) {
            if (M_[j][j] <= negligible * scale[j]) continue;
            for (int l = j + 1; l < k; ++l) {
                const double factor = M_[l][j] / M_[j][j];
                for (int m = j; m < k; ++m) M_[l][m] -= factor * M_[j][m];
                g_[l] -= factor * g_[j];
            }
        }
        for (int j = k - 1; j >= 0; --j) {
            double sum = g_[j];
            for (int m = j + 1; m < k; ++m) sum -= M_[j][m] * c_[m];
            c_[j] = M_[j][j] <= negligible * scale[j] ? 0.0 : sum / M_[j][j];
        }
    }

    int capacity_;
    std::vector<Move> moves_, spare_;  // spare: forgotten ones, whose memory is used again
    std::array<std::array<double, max_moves>, max_moves> M_{};
    std::array<double, max_moves> g_{}, c_{};
};

}  // namespace separatrix
