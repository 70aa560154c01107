// The perceptron algorithm over a range of positions.
//
//     while rows are left:  find the next row with y f(x) <= 0;  w += step y x;  b += step y gain
//
// Searching never changes w, so rows are scored in blocks, and by several threads once mistakes have become rare; the
// updates are those of the sequential algorithm, bit for bit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "perceptron/float_plane.hpp"
#include "perceptron/state.hpp"
#include "rows/threads.hpp"

namespace separatrix {

template <class Rows>
Index bytes_per_row(const Rows& rows) {
    if constexpr (Rows::sparse) {
        const Index entries = static_cast<Index>(rows.starts[rows.rows]) - static_cast<Index>(rows.starts[0]);
        return 1 + entries * 12 / std::max<Index>(1, rows.rows);
    } else {
        return std::max<Index>(1, rows.columns * static_cast<Index>(sizeof(typename Rows::Value)));
    }
}

// Once this much was read without a mistake the next one is expected to be far, and threads are worth starting.
inline constexpr Index quiet_bytes = Index{1} << 21;
// Each thread takes this much at a time.
inline constexpr Index chunk_bytes = Index{1} << 18;

// find(begin, end, part) on several threads: chunks are handed out in order, so the smallest position found is the
// first mistake of the whole range.
template <class Find>
Mistake find_on_threads(Index begin, Index end, Index chunk, int n_threads, const Find& find) {
    std::atomic<Index> next{begin}, first{end};
    std::vector<Mistake> found(static_cast<std::size_t>(n_threads), Mistake{end, 0, 0});
    run_pieces(n_threads, n_threads, [&](int part) {
        for (;;) {
            const Index start = next.fetch_add(chunk);
            if (start >= end || start >= first.load(std::memory_order_relaxed)) return;
            const Index stop = std::min(end, start + chunk);
            const Mistake mistake = find(start, stop, part);
            if (mistake.position == stop) continue;
            found[static_cast<std::size_t>(part)] = mistake;
            Index known = first.load();
            while (mistake.position < known && !first.compare_exchange_weak(known, mistake.position)) {
            }
            return;
        }
    });
    return *std::min_element(found.begin(), found.end(),
                             [](const Mistake& a, const Mistake& b) { return a.position < b.position; });
}

// Calls update(mistake) at each mistake of [begin, end) in turn; returns how many there were.
template <class Rows, class Find, class OnMistake>
Index each_mistake(const Rows& rows, Index begin, Index end, int n_threads, Tally& tally, const Find& find,
                   const OnMistake& update) {
    const Index width = bytes_per_row(rows);
    const Index quiet = std::max<Index>(64, quiet_bytes / width), chunk = std::max<Index>(64, chunk_bytes / width);
    const Index before = tally.updates;
    for (Index p = begin; p < end;) {
        const bool parallel = n_threads > 1 && tally.run >= quiet && end - p >= 4 * chunk;
        // Alone, stop after a quiet stretch to ask again whether threads are worth it.
        const Index stop = parallel || n_threads == 1 ? end : std::min(end, p + quiet);
        const Mistake mistake = parallel ? find_on_threads(p, stop, chunk, n_threads, find) : find(p, stop, 0);
        const Index passed = mistake.position - p;
        tally.visits += passed;
        tally.run += passed;
        p = mistake.position;
        if (p == stop) continue;
        update(mistake);
        ++tally.visits;
        ++tally.updates;
        tally.run = 0;
        ++p;
    }
    return tally.updates - before;
}

template <class Rows>
Index count_errors(const Rows& rows, const Sign* signs, Hyperplane plane, int n_threads) {
    Tally tally;
    const auto& kernel = simd().perceptron.of(rows);
    const auto find = [&](Index begin, Index end, int) {
        return kernel.find(rows, signs, Visit{nullptr}, begin, end, plane);
    };
    return each_mistake(rows, 0, rows.rows, n_threads, tally, find, [](const Mistake&) {});
}

// Puts the weights into the pocket if their run is the longest and, with the ratchet, their errors are the fewest.
template <class Rows>
void offer(PerceptronState& state, const Rows& rows, const Sign* signs, int n_threads) {
    Pocket& pocket = state.pocket;
    if (pocket.w.empty() || state.tally.run <= pocket.run) return;
    if (pocket.ratchet) {
        const Index errors = count_errors(rows, signs, {state.w.data(), state.b[0]}, n_threads);
        if (pocket.errors >= 0 && errors >= pocket.errors) return;
        pocket.errors = errors;
    }
    pocket.run = state.tally.run;
    std::copy(state.w.begin(), state.w.end(), pocket.w.begin());
    pocket.b[0] = state.b[0];
}

// w += amount x_i and b += amount gain of one plane, and what the average has to know of it.
template <class Rows>
SEPARATRIX_INLINE void add_row(PerceptronState& state, const Rows& rows, Index i, Code plane, double amount) {
    const auto& kernel = simd().perceptron.of(rows);
    const Index first = plane * rows.columns;
    kernel.add(rows, i, amount, state.w.data() + first);
    state.b[static_cast<std::size_t>(plane)] += amount * state.step.gain;
    if (state.lag.empty()) return;
    const double missing = static_cast<double>(state.tally.visits) * amount;
    kernel.add(rows, i, missing, state.lag.data() + first);
    state.lag_b[static_cast<std::size_t>(plane)] += missing * state.step.gain;
}

// Two classes: w += step y x at each mistake. `norm_bound` is that of the rows, `seen` gets each mistake.
template <class Rows>
Index visit_signs(PerceptronState& state, const Rows& rows, const Sign* signs, Visit visit, Index begin, Index end,
                  double norm_bound, int n_threads, std::vector<Mistake>* seen = nullptr) {
    const auto& kernel = simd().perceptron.of(rows);
    // Rounding the weights to float is not worth it for a few rows.
    FloatPlane plane(state.w.data(), rows.columns, end - begin < 64 ? INFINITY : norm_bound);
    const auto find = [&](Index from, Index to, int) {
        return kernel.find(rows, signs, visit, from, to, plane.with_bias(state.b[0]));
    };
    return each_mistake(rows, begin, end, n_threads, state.tally, find, [&](const Mistake& mistake) {
        const Index i = visit.row(mistake.position);
        offer(state, rows, signs, n_threads);
        add_row(state, rows, i, 0, state.step.at(state.tally.updates) * signs[i]);
        plane.refresh();
        if (!state.counts.empty()) ++state.counts[static_cast<std::size_t>(i)];
        if (state.logged) state.log.push_back({i, state.tally.visits, 0});
        if (seen != nullptr) seen->push_back(mistake);
    });
}

// Many classes (Kesler): the row's own class gains it, the highest-scoring wrong class loses it.
template <class Rows>
Index visit_codes(PerceptronState& state, const Rows& rows, const Code* codes, Visit visit, Index begin, Index end,
                  int n_threads, std::vector<Mistake>* seen = nullptr) {
    const auto& kernel = simd().perceptron.of(rows);
    const auto classes = static_cast<std::size_t>(state.planes);
    std::vector<double> scores(classes * static_cast<std::size_t>(std::max(1, n_threads)));
    const Hyperplanes planes{state.w.data(), state.b.data(), static_cast<Code>(state.planes)};
    const auto find = [&](Index from, Index to, int part) {
        return kernel.find_among(rows, codes, visit, from, to, planes,
                                 scores.data() + classes * static_cast<std::size_t>(part));
    };
    return each_mistake(rows, begin, end, n_threads, state.tally, find, [&](const Mistake& mistake) {
        const Index i = visit.row(mistake.position);
        const double amount = state.step.at(state.tally.updates);
        add_row(state, rows, i, codes[i], amount);
        add_row(state, rows, i, mistake.rival, -amount);
        if (state.logged) state.log.push_back({i, state.tally.visits, mistake.rival});
        if (seen != nullptr) seen->push_back(mistake);
    });
}

// At least max ||x||^2 of float rows, by several threads; infinite where that is not finite, or for other rows, which
// are never scored in float.
template <class Rows>
double squared_norm_bound(const Rows& rows, int n_threads) {
    if constexpr (!Rows::sparse && sizeof(typename Rows::Value) == sizeof(float)) {
        const int parts = static_cast<int>(std::clamp<Index>(rows.rows / 4096, 1, n_threads > 1 ? 4 * n_threads : 1));
        std::vector<double> found(static_cast<std::size_t>(parts));
        split(rows.rows, parts, n_threads, [&](int part, Index begin, Index end) {
            found[static_cast<std::size_t>(part)] = simd().perceptron.norm_bound(rows, begin, end);
        });
        return *std::max_element(found.begin(), found.end());
    } else {
        return INFINITY;
    }
}

// Rows whose sign * f(x) is at most what rounding may have added to it: |fl(w.x) - w.x| <= k u ||w|| ||x|| for k
// terms, in whatever order they are added. Found in order, on several threads.
template <class Rows>
std::vector<Index> doubtful_rows(const Rows& rows, const Sign* signs, const double* w, double b, double norm_bound,
                                 int n_threads) {
    // A squared norm below this may have lost entries to underflow; their norm is less than its square root.
    constexpr double least_square = 1e-290;
    double square = least_square;
    for (Index j = 0; j < rows.columns; ++j) square += w[j] * w[j];
    const double norm = std::sqrt(square);
    const FloatPlane weights(w, rows.columns, norm_bound);
    const Hyperplane plane = weights.with_bias(b);
    const auto& kernel = simd().perceptron.of(rows);
    const int parts = static_cast<int>(std::clamp<Index>(rows.rows / 4096, 1, n_threads > 1 ? 4 * n_threads : 1));
    std::vector<std::vector<Index>> found(static_cast<std::size_t>(parts));
    split(rows.rows, parts, n_threads, [&](int part, Index begin, Index end) {
        constexpr Index most = 128;
        const Index some = plane.rounded == nullptr ? most : 8;  // as many as `skip_certain` was unsure of
        double scores[most], squares[most];
        for (Index p = begin, stop; p = kernel.skip_certain(rows, signs, Visit{nullptr}, p, end, plane), p < end;
             p = stop) {
            stop = std::min(end, p + some);
            kernel.scores(rows, p, stop, plane.w, scores);
            kernel.squared_norms(rows, p, stop, squares);
            for (Index i = p; i < stop; ++i) {
                const double terms = static_cast<double>(rows.row(i).size + 16);
                const double size = norm * std::sqrt(squares[i - p] + least_square) + std::abs(plane.b);
                // 2^-52 is 2 u: twice the bound, because norm and size are themselves rounded.
                const bool sure = signs[i] * (scores[i - p] + plane.b) > terms * 0x1p-52 * size;
                if (!sure) found[static_cast<std::size_t>(part)].push_back(i);
            }
        }
    });
    std::vector<Index> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace separatrix
