// Blocks of the kernel matrix between two sets of points: stored row by row, or summed up with coefficients.
//
// One set ("columns") is packed once, dense in panels or sparse as CSR, whichever is cheaper; the other ("rows") is
// packed as it comes. Columns are shared out among the threads in whole panels, so that every value is computed in
// the same way whatever the number of threads.
#pragma once

#include <algorithm>
#include <cmath>

#include "rows/buffer.hpp"
#include "rows/threads.hpp"
#include "smo/kernel_points.hpp"
#include "smo/kernel_table.hpp"

namespace separatrix {

// True if products with sparse columns are cheaper than dense ones: a product costs about 2 cycles for each entry and
// 32 rows in the sparse form, one for each 16 columns and row in the dense form.
inline bool prefers_sparse(const Points& points, const KernelFormula& formula) {
    return formula.kind != KernelKind::laplacian && points.columns >= 16 && points.density() < 0.25;
}

// True if the kernel's value is the same wherever the origin is.
inline bool measures_distance(const KernelFormula& formula) {
    return formula.kind == KernelKind::rbf || formula.kind == KernelKind::laplacian;
}

inline double scaled_norm(const KernelFormula& formula, double squared) {
    return formula.kind == KernelKind::rbf ? formula.gamma * 1.4426950408889634074 * squared : 0.0;
}

// Points as columns of blocks.
template <class T>
class PackedColumns {
public:
    // Packs the points ids[0 .. count).
    void pack(const Points& points, const std::int32_t* ids, Index count, const KernelFormula& formula, bool sparse,
              int n_threads) {
        const Index width = simd().kernel.of<T>().panel_columns;
        this->sparse = sparse, this->count = count, depth = points.columns;
        panels = (count + width - 1) / width;
        norms.make_room(static_cast<std::size_t>(panels * width));
        for (Index k = count; k < panels * width; ++k) norms[static_cast<std::size_t>(k)] = 0;
        if (sparse) {
            starts.assign(static_cast<std::size_t>(count + 1), 0);
            for (Index k = 0; k < count; ++k)
                starts[static_cast<std::size_t>(k + 1)] = starts[static_cast<std::size_t>(k)] + points.count(ids[k]);
            const auto entries =
                static_cast<std::size_t>(starts.back() + points.columns);  // dense rows are picked with room
            values.make_room(entries);
            indices.make_room(entries);
        } else {
            values.make_room(static_cast<std::size_t>(panels * width * depth));
        }
        // A dense point's entries are written with a little waste behind them: one thread, or they would collide.
        share(panels, 1, sparse ? 1 : n_threads, [&](Index first, Index last) {
            for (Index k = first * width; k < last * width; ++k) {
                if (!sparse) {
                    T* to = values.data() + (k / width) * width * depth + k % width;
                    if (k < count) {
                        points.read(ids[k], to, width);
                    } else {
                        for (Index c = 0; c < depth; ++c) to[c * width] = 0;
                    }
                } else if (k < count) {
                    const auto at = starts[static_cast<std::size_t>(k)];
                    points.entries(ids[k], values.data() + at, indices.data() + at);
                }
                if (k < count && formula.kind == KernelKind::rbf)
                    norms[static_cast<std::size_t>(k)] =
                        static_cast<T>(scaled_norm(formula, points.squared_norm(ids[k])));
            }
        });
    }

    bool sparse = false;
    Index count = 0, panels = 0, depth = 0;
    Buffer<T> values, norms;
    Buffer<std::int32_t> indices;
    std::vector<Index> starts;
};

// Points as rows of blocks: tiles, or dense matrices over the columns that occur.
template <class T>
class PackedBlockRows {
public:
    void pack(const Points& points, const std::int32_t* ids, Index count, const KernelFormula& formula, bool sparse,
              int n_threads) {
        const auto& table = simd().kernel.of<T>();
        this->count = count;
        height = sparse ? table.sparse_rows : table.tile_rows;
        blocks = (count + height - 1) / height;
        norms.assign(static_cast<std::size_t>(blocks * height), T(0));
        const bool measured = formula.kind == KernelKind::rbf;
        placed = sparse && points.columns > placed_beyond;
        if (placed) {
            pack_placed(points, ids);
        } else {
            offsets.assign(static_cast<std::size_t>(blocks), 0);
            for (Index b = 0; b < blocks; ++b) offsets[static_cast<std::size_t>(b)] = b * height * points.columns;
            values.assign(static_cast<std::size_t>(blocks * height * points.columns), T(0));
        }
        share(blocks, 1, n_threads, [&](Index first, Index last) {
            for (Index k = first * height; k < std::min(count, last * height); ++k) {
                if (!placed)
                    points.read(ids[k], values.data() + offsets[static_cast<std::size_t>(k / height)] + k % height,
                                height);
                if (measured)
                    norms[static_cast<std::size_t>(k)] =
                        static_cast<T>(scaled_norm(formula, points.squared_norm(ids[k])));
            }
        });
    }

    Index count = 0, height = 1, blocks = 0;
    bool placed = false;
    std::vector<T> values, norms;
    std::vector<Index> offsets;
    std::vector<std::vector<std::int32_t>> places;

private:
    static constexpr Index placed_beyond = 2048;  // columns whose lines no longer fit the second-level cache

    void pack_placed(const Points& points, const std::int32_t* ids) {
        offsets.clear();
        values.clear();
        places.resize(static_cast<std::size_t>(blocks));
        std::vector<T> found;
        std::vector<std::int32_t> where;
        for (Index b = 0; b < blocks; ++b) {
            auto& place = places[static_cast<std::size_t>(b)];
            place.assign(static_cast<std::size_t>(points.columns), 0);
            const auto start = values.size();
            offsets.push_back(static_cast<Index>(start));
            values.resize(start + static_cast<std::size_t>(height), T(0));
            std::int32_t lines = 1;
            for (Index k = b * height; k < std::min(count, (b + 1) * height); ++k) {
                const auto size = static_cast<std::size_t>(points.count(ids[k])) + 1;
                if (found.size() < size) found.resize(size), where.resize(size);
                const Index n = points.entries(ids[k], found.data(), where.data());
                for (Index e = 0; e < n; ++e) {
                    std::int32_t& line = place[static_cast<std::size_t>(where[static_cast<std::size_t>(e)])];
                    if (line == 0) {
                        line = lines++;
                        values.resize(values.size() + static_cast<std::size_t>(height), T(0));
                    }
                    values[start + static_cast<std::size_t>(line * height + k % height)] =
                        found[static_cast<std::size_t>(e)];
                }
            }
        }
    }
};

// Calls work(first, last) on ranges of panels that fit the second-level cache, shared out among the threads.
template <class T, class Work>
void each_span(const PackedColumns<T>& columns, int n_threads, const Work& work) {
    constexpr Index bytes = 1 << 17;
    const Index width = simd().kernel.of<T>().panel_columns;
    const Index entries =
        columns.sparse ? 2 * columns.starts.back() / std::max<Index>(1, columns.panels) : width * columns.depth;
    const Index span = columns.sparse
                           ? std::max<Index>(1, bytes / std::max<Index>(1, entries * static_cast<Index>(sizeof(T))))
                           : columns.panels;  // the dense loop chooses its own
    share(columns.panels, 4, n_threads, [&](Index begin, Index end) {
        for (Index first = begin; first < end; first += span) work(first, std::min(end, first + span));
    });
}

template <class T>
SparseKernelBlock<T> sparse_block(const PackedBlockRows<T>& rows, Index b, const PackedColumns<T>& columns, Index first,
                                  Index last) {
    const Index width = simd().kernel.of<T>().panel_columns;
    return {rows.values.data() + rows.offsets[static_cast<std::size_t>(b)],
            rows.norms.data() + b * rows.height,
            std::min(rows.height, rows.count - b * rows.height),
            rows.placed ? rows.places[static_cast<std::size_t>(b)].data() : nullptr,
            columns.values.data(),
            columns.indices.data(),
            columns.starts.data(),
            columns.norms.data(),
            first * width,
            std::min(columns.count, last * width)};
}

template <class T>
KernelBlock<T> dense_block(const PackedBlockRows<T>& rows, const PackedColumns<T>& columns, Index first, Index last) {
    const Index width = simd().kernel.of<T>().panel_columns;
    return {rows.values.data(),
            rows.norms.data(),
            rows.count,
            columns.values.data() + first * width * columns.depth,
            columns.norms.data() + first * width,
            last - first,
            columns.depth};
}

// out[r][c] = k(row r, column c); each out[r] has room for whole panels.
template <class T>
void kernel_values(const KernelFormula& formula, const PackedBlockRows<T>& rows, const PackedColumns<T>& columns,
                   T* const* out, int n_threads) {
    const auto& table = simd().kernel.of<T>();
    each_span(columns, n_threads, [&](Index first, Index last) {
        if (columns.sparse) {
            for (Index b = 0; b < rows.blocks; ++b)
                table.sparse_values(formula, sparse_block(rows, b, columns, first, last), out + b * rows.height);
            return;
        }
        std::vector<T*> shifted(out, out + rows.count);
        for (T*& row : shifted) row += first * table.panel_columns;
        table.values(formula, dense_block(rows, columns, first, last), shifted.data());
    });
}

// out[c * classes + s] += sum_r coef[r * classes + s] k(row r, column c); out has room for whole panels.
template <class T>
void kernel_sums(const KernelFormula& formula, const PackedBlockRows<T>& rows, const PackedColumns<T>& columns,
                 const T* coef, Index classes, double* out, int n_threads) {
    const auto& table = simd().kernel.of<T>();
    each_span(columns, n_threads, [&](Index first, Index last) {
        if (columns.sparse) {
            for (Index b = 0; b < rows.blocks; ++b)
                table.sparse_combine(formula, sparse_block(rows, b, columns, first, last),
                                     coef + b * rows.height * classes, classes, out);
            return;
        }
        table.combine(formula, dense_block(rows, columns, first, last), coef, classes,
                      out + first * table.panel_columns * classes);
    });
}

}  // namespace separatrix
