// The rows of K that a round of block SMO needs: from a cache, computed here, or supplied by the caller.
//
// Points are packed as columns in the way that is fastest for them: sparse, or dense around their centre. A row holds the values at the first places of an order of the points.
#pragma once

#include <algorithm>
#include <vector>

#include "smo/kernel_cache.hpp"
#include "smo/kernel_rows.hpp"
#include "smo/smo_interface.hpp"

namespace separatrix {

template <class T>
class SmoKernelRows {
public:
    // `points` is null where the caller supplies the rows.
    SmoKernelRows(Points* points, const KernelFormula& formula, Index n, Index working_set, double cache_mb,
                  int n_threads)
        : n_(n),
          points_(points),
          formula_(formula),
          n_threads_(n_threads),
          width_(padded(n)),
          cache_(n, slots(n, working_set, cache_mb, width_), first_rows(points, working_set), width_) {
        if (points_ == nullptr) return;
        density_ = points_->density();
        sparse_ = prefers_sparse(*points_, formula_);
        if (!sparse_ && measures_distance(formula_) && points_->centre.empty()) points_->find_centre();
    }

    // The room that n values take where they are computed: whole panels of this instruction set.
    static Index padded(Index n) {
        const Index width = simd().kernel.of<T>().panel_columns;
        return (n + width - 1) / width * width;
    }

    bool computes() const { return points_ != nullptr; }
    // About how many products a value takes.
    double depth() const { return static_cast<double>(points_->columns) * (sparse_ ? density_ : 1.0); }
    Index computed() const { return computed_; }

    // The columns are the rows order[0 .. count) from now on.
    void pack(const std::vector<std::int32_t>& order, Index count) {
        columns_count_ = count;
        columns_.pack(*points_, order.data(), count, formula_, sparse_, n_threads_);
    }

    // Which of the rows at these places are not in the cache.
    const std::vector<std::int32_t>& look_for(const std::vector<std::int32_t>& places,
                                              const std::vector<std::int32_t>& order) {
        missing_.clear();
        for (const std::int32_t p : places) {
            const std::int32_t id = order[static_cast<std::size_t>(p)];
            if (cache_.holds(id)) {
                cache_.touch(id);
            } else {
                missing_.push_back(id);
            }
        }
        return missing_;
    }

    bool holds(std::int32_t id) const { return cache_.holds(id); }

    // Computes those of the rows `ids` that are not in the cache. The cache has room for a working set, of which these are.
    void fill(const std::vector<std::int32_t>& ids) {
        missing_.clear();
        for (const std::int32_t id : ids)
            if (!cache_.holds(id)) missing_.push_back(id);
        if (missing_.empty()) return;
        pointers_.clear();
        for (const std::int32_t id : missing_) pointers_.push_back(cache_.take(id));
        const Index count = static_cast<Index>(missing_.size());
        computed_ += count;
        const int n_threads = useful_threads(count, columns_count_);
        rows_.pack(*points_, missing_.data(), count, formula_, sparse_, n_threads);
        kernel_values(formula_, rows_, columns_, pointers_.data(), n_threads);
    }

    // Values of the rows ids[first ..) with all rows in ids, without the cache: out[r][c] with room for whole panels.
    void block(const std::vector<std::int32_t>& ids, Index first, T* const* out) {
        const Index count = static_cast<Index>(ids.size());
        const int n_threads = useful_threads(count - first, count);
        block_columns_.pack(*points_, ids.data(), count, formula_, sparse_, n_threads);
        rows_.pack(*points_, ids.data() + first, count - first, formula_, sparse_, n_threads);
        kernel_values(formula_, rows_, block_columns_, out, n_threads);
    }

    // The missing rows, row by row, from the caller.
    void supply(const double* rows) {
        for (std::size_t k = 0; k < missing_.size(); ++k) {
            T* to = cache_.take(missing_[k]);
            for (Index c = 0; c < n_; ++c) to[c] = static_cast<T>(rows[static_cast<Index>(k) * n_ + c]);
        }
    }

    T* row(std::int32_t id) { return cache_.row(id); }
    void keep(const std::vector<std::int32_t>& places) {
        cache_.keep(places.data(), static_cast<Index>(places.size()));
    }
    void clear() { cache_.clear(); }

    // sum_j k(x_i, x_j) coef_j for the rows i = targets[0 .. count) and j in sources
    std::vector<double> sums(const std::int32_t* targets, Index count, const std::vector<std::int32_t>& sources,
                             const std::vector<T>& coef) {
        const Index group = 1024;
        PackedColumns<T> columns;
        columns.pack(*points_, targets, count, formula_, sparse_, n_threads_);
        std::vector<double> totals(static_cast<std::size_t>(padded(count)), 0.0);
        for (Index first = 0; first < static_cast<Index>(sources.size()); first += group) {
            const Index some = std::min(group, static_cast<Index>(sources.size()) - first);
            rows_.pack(*points_, sources.data() + first, some, formula_, sparse_, n_threads_);
            std::vector<T> by(static_cast<std::size_t>(rows_.blocks * rows_.height), T(0));
            std::copy(coef.begin() + first, coef.begin() + first + some, by.begin());
            kernel_sums(formula_, rows_, columns, by.data(), 1, totals.data(), n_threads_);
        }
        return totals;
    }

private:
    // Few products are sooner computed than threads started.
    int useful_threads(Index rows, Index columns) const {
        return static_cast<double>(rows) * static_cast<double>(columns) * depth() > 1e6 ? n_threads_ : 1;
    }
    static Index slots(Index n, Index working_set, double cache_mb, Index width) {
        const double rows = cache_mb * 1048576.0 / (static_cast<double>(width) * sizeof(T));
        return std::clamp(static_cast<Index>(std::min(rows, 1e9)), working_set, std::max(n, working_set));
    }

    // Number of rows that the cache begins with. Where a value costs little, computing a row again is cheaper than the first
    // touch of its memory; otherwise, and where the caller's cost is unknown, a few working sets are kept from the start.
    static Index first_rows(const Points* points, Index working_set) {
        const bool cheap = points != nullptr && static_cast<double>(points->columns) * points->density() < 64;
        return cheap ? working_set : 4 * working_set;
    }

    Index n_, columns_count_ = 0;
    Points* points_;
    KernelFormula formula_;
    int n_threads_;
    bool sparse_ = false;
    double density_ = 1;
    Index width_;
    RowCache<T> cache_;
    PackedColumns<T> columns_, block_columns_;
    PackedBlockRows<T> rows_;
    std::vector<std::int32_t> missing_;
    std::vector<T*> pointers_;
    Index computed_ = 0;
};

}  // namespace separatrix
