// The perceptron algorithm over a range of positions.
//
//     while rows are left:  find the next row with y f(x) <= 0;  w += step y x;  b += step y gain
//
// gain is c^2 for a fictitious column of constant c (0: no bias, 1: `unit`, R^2: `radius`). Searching never changes
// w, so rows are scored in blocks, and by several threads once mistakes have become rare; the updates are those of
// the sequential algorithm, bit for bit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "perceptron/float_plane.hpp"
#include "perceptron/perceptron_kernels.hpp"
#include "rows/threads.hpp"

namespace separatrix {

struct Step {
    double step;
    double gain;
    bool decreasing = false;  // divide the step of update t = 1, 2, ... by sqrt(t)

    double at(Index updates) const { return decreasing ? step / std::sqrt(static_cast<double>(updates + 1)) : step; }
};

// What a run has counted so far.
struct Tally {
    Index visits = 0;  // rows looked at
    Index updates = 0;
    Index run = 0;  // rows classified correctly since the last update
};

// One update, for who wants to replay the run: which row, and how many rows had been visited before it.
struct Update {
    Index row;
    Index visit;
    Code rival;
};

// sum over visits t of w_t equals visits * w - lag, because an update at visit t is missing from the t sums before.
struct Average {
    double* lag = nullptr;
    double* lag_b = nullptr;
};

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
inline constexpr Index chunk_bytes = Index{1} << 18;

// find(begin, end, part) on several threads: chunks are handed out in order, so the smallest position found is the
// first mistake of the whole range.
template <class Find>
Mistake find_on_threads(Index begin, Index end, Index chunk, int n_threads, const Find& find) {
    std::atomic<Index> next{begin}, first{end};
    std::vector<Mistake> found(static_cast<std::size_t>(n_threads), Mistake{end, 0, 0});
    split(n_threads, n_threads, [&](int part, Index, Index) {
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

// The best weights seen, by length of run and then by errors on all rows (Gallant's pocket with ratchet).
struct Pocket {
    double* w = nullptr;
    double* b = nullptr;
    Index run = -1;
    Index errors = -1;  // -1: none counted yet
    bool ratchet = true;
};

template <class Rows>
Index count_errors(const Rows& rows, const Sign* signs, Hyperplane plane, int n_threads) {
    Tally tally;
    const auto& kernel = perceptron_kernels().of(rows);
    const auto find = [&](Index begin, Index end, int) {
        return kernel.find(rows, signs, Visit{nullptr}, begin, end, plane);
    };
    return each_mistake(rows, 0, rows.rows, n_threads, tally, find, [](const Mistake&) {});
}

template <class Rows>
void offer(Pocket& pocket, const Rows& rows, const Sign* signs, const double* w, double b, Index run, int n_threads) {
    if (pocket.w == nullptr || run <= pocket.run) return;
    if (pocket.ratchet) {
        const Index errors = count_errors(rows, signs, {w, b}, n_threads);
        if (pocket.errors >= 0 && errors >= pocket.errors) return;
        pocket.errors = errors;
    }
    pocket.run = run;
    std::copy(w, w + rows.columns, pocket.w);
    *pocket.b = b;
}

// At least max ||x||^2 of float rows, by several threads; infinite where that is not finite or nobody wants to know.
template <class Rows>
double reach(const Rows& rows, int n_threads) {
    if constexpr (!Rows::sparse && sizeof(typename Rows::Value) == sizeof(float)) {
        const int parts = static_cast<int>(std::clamp<Index>(rows.rows / 4096, 1, std::max(1, n_threads)));
        std::vector<double> found(static_cast<std::size_t>(parts));
        split(rows.rows, parts, [&](int part, Index begin, Index end) {
            found[static_cast<std::size_t>(part)] = perceptron_kernels().reach(rows, begin, end);
        });
        return *std::max_element(found.begin(), found.end());
    } else {
        return INFINITY;
    }
}

// Two classes. `counts`, the average, the pocket and the log are optional; `reach` is that of the rows.
template <class Rows>
Index perceptron_pass(const Rows& rows, const Sign* signs, Visit visit, Index begin, Index end, double* w, double& b,
                      Step step, double reach, int n_threads, Tally& tally, Index* counts, Average average,
                      Pocket& pocket, std::vector<Update>* log, std::vector<Mistake>* seen = nullptr) {
    const auto& kernel = perceptron_kernels().of(rows);
    NarrowPlane narrow(w, rows.columns, end - begin < 64 ? INFINITY : reach);  // not worth it for a few rows
    const auto find = [&](Index from, Index to, int) {
        return kernel.find(rows, signs, visit, from, to, narrow.plane(b));
    };
    return each_mistake(rows, begin, end, n_threads, tally, find, [&](const Mistake& mistake) {
        const Index i = visit.row(mistake.position);
        offer(pocket, rows, signs, w, b, tally.run, n_threads);
        const double scale = step.at(tally.updates) * signs[i];
        kernel.add(rows, i, scale, w);
        b += scale * step.gain;
        narrow.refresh();
        if (counts != nullptr) ++counts[i];
        if (average.lag != nullptr) {
            const double missing = static_cast<double>(tally.visits) * scale;
            kernel.add(rows, i, missing, average.lag);
            *average.lag_b += missing * step.gain;
        }
        if (log != nullptr) log->push_back({i, tally.visits, 0});
        if (seen != nullptr) seen->push_back(mistake);
    });
}

// Rows whose sign * f(x) is at most what rounding may have added to it: |fl(w.x) - w.x| <= k u ||w|| ||x|| for k
// terms, in whatever order they are added. Found in order, on several threads.
template <class Rows>
std::vector<Index> doubtful_rows(const Rows& rows, const Sign* signs, const double* w, double b, double norm,
                                 double reach, int n_threads) {
    const NarrowPlane narrow(w, rows.columns, reach);
    const Hyperplane plane = narrow.plane(b);
    const auto& kernel = perceptron_kernels().of(rows);
    const int parts = static_cast<int>(std::clamp<Index>(rows.rows / 4096, 1, std::max(1, n_threads)));
    std::vector<std::vector<Index>> found(static_cast<std::size_t>(parts));
    split(rows.rows, parts, [&](int part, Index begin, Index end) {
        constexpr Index most = 128;
        const Index some = plane.narrow == nullptr ? most : 8;  // as many as `skim` was unsure of
        double scores[most], squares[most];
        for (Index p = begin, stop; p = kernel.skim(rows, signs, Visit{nullptr}, p, end, plane), p < end; p = stop) {
            stop = std::min(end, p + some);
            kernel.scores(rows, p, stop, plane.w, scores);
            kernel.squared_norms(rows, p, stop, squares);
            for (Index i = p; i < stop; ++i) {
                const double terms = static_cast<double>(rows.row(i).size + 16);
                const double size = norm * std::sqrt(squares[i - p]) + std::abs(plane.b);
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

// Many classes (Kesler): the row's own class gains it, the highest-scoring wrong class loses it.
template <class Rows>
Index kesler_pass(const Rows& rows, const Code* codes, Visit visit, Index begin, Index end, double* W, double* b,
                  Code classes, Step step, int n_threads, Tally& tally, Average average, std::vector<Update>* log) {
    const auto& kernel = perceptron_kernels().of(rows);
    std::vector<double> scores(static_cast<std::size_t>(classes) * static_cast<std::size_t>(std::max(1, n_threads)));
    const auto find = [&](Index from, Index to, int part) {
        double* own = scores.data() + static_cast<std::size_t>(classes) * static_cast<std::size_t>(part);
        return kernel.find_among(rows, codes, visit, from, to, Hyperplanes{W, b, classes}, own);
    };
    return each_mistake(rows, begin, end, n_threads, tally, find, [&](const Mistake& mistake) {
        const Index i = visit.row(mistake.position), d = rows.columns;
        const auto shift = [&](Code r, double amount) {
            kernel.add(rows, i, amount, W + r * d);
            b[r] += amount * step.gain;
            if (average.lag == nullptr) return;
            const double missing = static_cast<double>(tally.visits) * amount;
            kernel.add(rows, i, missing, average.lag + r * d);
            average.lag_b[r] += missing * step.gain;
        };
        const double scale = step.at(tally.updates);
        shift(codes[i], scale);
        shift(mistake.rival, -scale);
        if (log != nullptr) log->push_back({i, tally.visits, mistake.rival});
    });
}

}  // namespace separatrix
