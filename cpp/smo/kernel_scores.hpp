// Scores of points: sum_j coef_j k(x_i, s_j), for one or several columns of coefficients at once.
#pragma once

#include <numeric>
#include <vector>

#include "smo/kernel_rows.hpp"

namespace separatrix {

// Some of the points, by their numbers, or all of them.
struct ChosenPoints {
    explicit ChosenPoints(Points& points) : points(points), rows(static_cast<std::size_t>(points.rows)) {
        std::iota(rows.begin(), rows.end(), 0);
    }
    ChosenPoints(Points& points, const std::int32_t* rows, Index count) : points(points), rows(rows, rows + count) {}

    Index count() const { return static_cast<Index>(rows.size()); }
    Points& points;
    std::vector<std::int32_t> rows;
};

// out (targets, classes) += sum over the sources. T is the type of the products; sums are double.
template <class T>
void kernel_scores(const KernelFormula& formula, const ChosenPoints& chosen_targets, const ChosenPoints& chosen_sources,
                   const double* coef, Index classes, double* out, int n_threads) {
    constexpr Index chunk = 1024;
    const Index group_bytes =
        chosen_targets.count() < 4 * chunk ? 1 << 21 : 1 << 26;  // fresh memory is dear, packing targets too
    Points &targets = chosen_targets.points, &sources = chosen_sources.points;
    const TeamForCall team(n_threads);
    const bool sparse = prefers_sparse(targets, formula);
    if (!sparse && measures_distance(formula)) {
        if (targets.centre.empty() && sizeof(T) == sizeof(float)) {
            sources.find_centre();
            targets.centre = sources.centre;
        }
        sources.centre = targets.centre;
    }
    const Index width = std::max<Index>(1, sources.columns) * static_cast<Index>(sizeof(T));
    const Index group = std::max<Index>(512, group_bytes / width);
    const Index panel = simd().kernel.of<T>().panel_columns;
    PackedBlockRows<T> rows;
    for (Index first = 0; first < chosen_sources.count(); first += group) {
        const Index count = std::min(group, chosen_sources.count() - first);
        rows.pack(sources, chosen_sources.rows.data() + first, count, formula, sparse, n_threads);
        std::vector<T> factors(static_cast<std::size_t>((rows.blocks * rows.height) * classes), T(0));
        std::copy(coef + first * classes, coef + (first + count) * classes, factors.begin());
        share((chosen_targets.count() + panel - 1) / panel, 1, n_threads, [&](Index begin, Index end) {
            PackedColumns<T> columns;
            std::vector<double> sums(static_cast<std::size_t>(chunk * classes));
            const Index last = std::min(chosen_targets.count(), end * panel);
            for (Index from = begin * panel; from < last; from += chunk) {
                const Index some = std::min(chunk, last - from);
                std::fill(sums.begin(), sums.end(), 0.0);
                columns.pack(targets, chosen_targets.rows.data() + from, some, formula, sparse, 1);
                kernel_sums(formula, rows, columns, factors.data(), classes, sums.data(), 1);
                for (Index k = 0; k < some * classes; ++k) out[from * classes + k] += sums[static_cast<std::size_t>(k)];
            }
        });
    }
}

}  // namespace separatrix
