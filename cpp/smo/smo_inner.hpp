// Sequential minimal optimisation on a working set that fits the cache, in two fused passes a step.
//
//     i = argmax v over up;   j = argmax (v_i - v_t)^2 / (K_ii + K_tt - 2 K_it) over low with v_t < v_i
//
// Fan, Chen, Lin, Working set selection using second order information for training SVM, JMLR 6 (2005), WSS 2.
// Without the equality constraint a step moves one alpha: i = argmax v_t^2 / K_tt over those that may follow v_t.
// Included only by kernel_tiles.cpp, once per instruction set.
#pragma once

#include <limits>

#include "simd/registers.hpp"
#include "smo/kernel_table.hpp"

namespace separatrix::SEPARATRIX_ISA {

// Not std::min: an out-of-line copy of it, shared by all instruction sets, could carry the instructions of one.
SEPARATRIX_INLINE double smaller(double a, double b) { return b < a ? b : a; }
SEPARATRIX_INLINE double larger(double a, double b) { return a < b ? b : a; }

template <class T>
constexpr T never = static_cast<T>(1e30);  // a v that no row has

// The largest of some scores and where it is, lane by lane and then over the lanes.
template <class T>
struct Largest {
    using L = Lanes<T>;
    L best = L::spread(-std::numeric_limits<T>::infinity()), place = L::spread(0);
    SEPARATRIX_INLINE void see(L score, L where) {
        place = L::where_greater(score, best, where, place);
        best = L::max(best, score);
    }
    SEPARATRIX_INLINE Index index(T& value) const {
        T scores[L::width], places[L::width];
        best.store(scores);
        place.store(places);
        int k = 0;
        for (int j = 1; j < L::width; ++j) {
            if (scores[j] > scores[k] || (scores[j] == scores[k] && places[j] < places[k])) k = j;
        }
        value = scores[k];
        return static_cast<Index>(places[k]);
    }
};

template <class T>
SEPARATRIX_INLINE T lowest(Lanes<T> a) {
    T values[Lanes<T>::width];
    a.store(values);
    T least = values[0];
    for (int k = 1; k < Lanes<T>::width; ++k) least = values[k] < least ? values[k] : least;
    return least;
}

template <class T>
SEPARATRIX_INLINE Lanes<T> places_from_zero() {
    T places[Lanes<T>::width];
    for (int k = 0; k < Lanes<T>::width; ++k) places[k] = static_cast<T>(k);
    return Lanes<T>::load(places);
}

// alpha_t y_t grew or shrank: which of its directions are left
template <class T>
SEPARATRIX_INLINE void set_directions(const InnerBlock<T>& block, Index t) {
    const double a = block.alpha[t];
    const bool may_grow = a < block.upper[t], may_shrink = a > 0;
    const bool positive = block.y[t] > 0;
    block.up[t] = (positive ? may_grow : may_shrink) ? T(0) : -never<T>;
    block.low[t] = (positive ? may_shrink : may_grow) ? T(0) : never<T>;
}

template <class T>
SEPARATRIX_INLINE double room(const InnerBlock<T>& block, Index t, double direction) {
    return block.y[t] * direction > 0 ? block.upper[t] - block.alpha[t] : block.alpha[t];
}

// alpha_t y_t moves by `direction * length`; all the room there is ends exactly on the bound
template <class T>
SEPARATRIX_INLINE void move(const InnerBlock<T>& block, Index t, double direction, double length) {
    const bool grows = block.y[t] * direction > 0;
    if (length >= room(block, t, direction)) {
        block.alpha[t] = grows ? block.upper[t] : 0.0;
    } else {
        block.alpha[t] += grows ? length : -length;
    }
    set_directions(block, t);
}

template <class T>
InnerReport solve_pairs(const InnerBlock<T>& block) {
    using L = Lanes<T>;
    const Index stride = block.stride;
    InnerReport report;
    T* SEPARATRIX_RESTRICT v = block.v;
    T *up = block.up, *low = block.low;
    const T* diagonal = block.diagonal;
    Index i = 0, j = 0;
    double length = 0;
    const L places = places_from_zero<T>(), further = L::spread(static_cast<T>(L::width));
    for (;; ++report.steps) {
        // v -= length (K_i - K_j), and the next i
        Largest<T> top;
        L bottom = L::spread(never<T>);
        const T* row_i = block.K + i * stride;
        const T* row_j = block.K + j * stride;
        const L by = L::spread(static_cast<T>(-length));
        L place = places;
        for (Index t = 0; t < stride; t += L::width, place = place + further) {
            const L now = L::fma(by, L::load(row_i + t) - L::load(row_j + t), L::load(v + t));
            now.store(v + t);
            top.see(now + L::load(up + t), place);
            bottom = L::min(bottom, now + L::load(low + t));
        }
        T highest;
        i = top.index(highest);
        report.violation = static_cast<double>(highest) - static_cast<double>(lowest<T>(bottom));
        if (!(report.violation > block.tolerance) || report.steps >= block.max_steps) break;
        row_i = block.K + i * stride;
        const L level = L::spread(highest), own = L::spread(block.diagonal[i]), two = L::spread(-2);
        const L least = L::spread(static_cast<T>(block.flat)), tiny = L::spread(T(1e-30));
        Largest<T> gain;
        place = places;
        for (Index t = 0; t < stride; t += L::width, place = place + further) {
            const L above = L::max(level - (L::load(v + t) + L::load(low + t)), L::spread(0));
            const L sum = own + L::load(diagonal + t);
            const L curvature = L::max(L::fma(two, L::load(row_i + t), sum), L::max(least * sum, tiny));
            gain.see(above * above / curvature, place);
        }
        T best;
        j = gain.index(best);
        const double slope = static_cast<double>(highest) - static_cast<double>(v[j]);
        const double sum = static_cast<double>(block.diagonal[i]) + static_cast<double>(block.diagonal[j]);
        double curvature = sum - 2.0 * static_cast<double>(row_i[j]);
        if (curvature < -block.flat * sum || sum < 0) {
            if (report.first < 0) report.first = i, report.second = j, report.curvature = curvature;
        }
        curvature = larger(curvature, block.flat * larger(sum, 1e-30));
        length = smaller(slope / curvature, smaller(room(block, i, 1.0), room(block, j, -1.0)));
        if (!(length > 0) || !(slope > 0)) break;  // rounding hides what is left
        move(block, i, 1.0, length);
        move(block, j, -1.0, length);
        report.gain += length * (slope - 0.5 * length * curvature);
    }
    return report;
}

template <class T>
InnerReport solve_singles(const InnerBlock<T>& block) {
    using L = Lanes<T>;
    const Index stride = block.stride;
    InnerReport report;
    T* SEPARATRIX_RESTRICT v = block.v;
    Index i = 0;
    double length = 0;
    const L places = places_from_zero<T>(), further = L::spread(static_cast<T>(L::width));
    const L zero = L::spread(0), tiny = L::spread(T(1e-30));
    for (;; ++report.steps) {
        Largest<T> gain;
        L steepest = zero;
        const T* row = block.K + i * stride;
        const L by = L::spread(static_cast<T>(-length));
        L place = places;
        for (Index t = 0; t < stride; t += L::width, place = place + further) {
            const L now = L::fma(by, L::load(row + t), L::load(v + t));
            now.store(v + t);
            // up and low are 0 or far away, so what is left is v where it may be followed
            const L follow =
                L::max(L::max(now + L::load(block.up + t), zero), zero - L::min(now + L::load(block.low + t), zero));
            steepest = L::max(steepest, follow);
            gain.see(follow * follow / L::max(L::load(block.diagonal + t), tiny), place);
        }
        report.violation = -static_cast<double>(lowest<T>(zero - steepest));
        if (!(report.violation > block.tolerance) || report.steps >= block.max_steps) break;
        T best;
        i = gain.index(best);
        const double slope = v[i] > 0 ? static_cast<double>(v[i]) : -static_cast<double>(v[i]),
                     direction = v[i] > 0 ? 1.0 : -1.0;
        const double curvature = larger(static_cast<double>(block.diagonal[i]), 1e-30);
        const double step = smaller(slope / curvature, room(block, i, direction));
        if (!(step > 0)) break;
        move(block, i, direction, step);
        length = direction * step;
        report.gain += step * (slope - 0.5 * step * curvature);
    }
    return report;
}

template <class T>
InnerReport solve_inner(const InnerBlock<T>& block) {
    return block.pairs ? solve_pairs(block) : solve_singles(block);
}

}  // namespace separatrix::SEPARATRIX_ISA
