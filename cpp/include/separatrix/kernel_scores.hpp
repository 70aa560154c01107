// Scores of points: sum_j coef_j k(x_i, s_j), for one or several columns of coefficients at once.
#pragma once

#include <numeric>

#include "separatrix/kernel_rows.hpp"

namespace separatrix {

// out (targets.rows, classes) += sum over the sources. T is the type of the products; sums are double.
template <class T>
void kernel_scores(const KernelFormula& formula, Points& targets, Points& sources, const double* coef, Index classes,
                   double* out, int n_threads) {
    constexpr Index group_bytes = 1 << 26, chunk = 1024;
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
    const Index panel = kernel_table().of<T>().panel_columns;
    PackedBlockRows<T> rows;
    for (Index first = 0; first < sources.rows; first += group) {
        const Index count = std::min(group, sources.rows - first);
        std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
        std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(first));
        rows.pack(sources, ids.data(), count, formula, sparse);
        std::vector<T> factors(static_cast<std::size_t>((rows.blocks * rows.height) * classes), T(0));
        std::copy(coef + first * classes, coef + (first + count) * classes, factors.begin());
        split((targets.rows + panel - 1) / panel, n_threads, [&](int, Index begin, Index end) {
            PackedColumns<T> columns;
            std::vector<double> sums(static_cast<std::size_t>(chunk * classes));
            const Index last = std::min(targets.rows, end * panel);
            for (Index from = begin * panel; from < last; from += chunk) {
                const Index some = std::min(chunk, last - from);
                std::fill(sums.begin(), sums.end(), 0.0);
                columns.pack(targets, nullptr, from, some, formula, sparse, 1);
                kernel_sums(formula, rows, columns, factors.data(), classes, sums.data(), 1);
                for (Index k = 0; k < some * classes; ++k) out[from * classes + k] += sums[static_cast<std::size_t>(k)];
            }
        });
    }
}

}  // namespace separatrix
