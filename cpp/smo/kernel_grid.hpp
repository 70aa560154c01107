// Points on a grid, x = step q with whole numbers 0 <= q <= 255 (images, counts, one-hot columns), packed as integers.
//
// Two columns of X are one pair, and take part in products together. Where many pairs are zero, the points that are
// columns of a block keep the others only.
//
// A value counts as on the grid if float rounding explains what is between. The kernel values are then those of a
// float, or better; where more is asked for, F is computed from the data themselves anyway.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "rows/buffer.hpp"
#include "rows/threads.hpp"
#include "smo/kernel_points.hpp"
#include "smo/kernel_table.hpp"

namespace separatrix {

// Points as columns of blocks: in panels, two levels side by side, or the pairs that are not zero.
struct GridColumns {
    Index count = 0, panels = 0;
    std::vector<std::int32_t> norms;
    Buffer<std::int16_t> levels;
    Buffer<std::int32_t> entries, lines;
    std::vector<Index> starts;
};

class GridPoints {
public:
    static constexpr Index most_lines =
        2048;  // columns of X whose lines, if it is sparse, stay in the second-level cache

    // Looks for a step; false if there is none, or if this machine gains nothing by it.
    bool find(const Points& points, const KernelFormula& formula, int n_threads) {
        step_ = 0;
        if (kernel_table().grid_values == nullptr || formula.kind == KernelKind::laplacian || points.columns < 16)
            return false;
        if (points.columns > (std::int64_t{1} << 30) / (255 * 255) || points.rows == 0) return false;
        depth_ = points.columns;
        std::vector<float> row(static_cast<std::size_t>(depth_));
        double least = 0, most = 0;
        for (Index i = 0; i < points.rows; i += 1 + points.rows / sample) {
            points.read(i, row.data(), 1);
            for (const float value : row) {
                if (value > 0 && (least == 0 || value < least)) least = value;
                if (value > most) most = value;
            }
        }
        const double step = most > 0 ? refined(least, most) : 0.0;
        if (!(step > 0)) return false;
        pairs_ = (depth_ + 1) / 2;
        counts_.assign(static_cast<std::size_t>(points.rows), 0);
        norms_.assign(static_cast<std::size_t>(points.rows), 0);
        levels_ = Buffer<std::uint8_t>(static_cast<std::size_t>(2 * pairs_ * points.rows));
        std::atomic<bool> all = true;
        split(points.rows, n_threads, [&](int, Index first, Index last) {
            std::vector<float> own(static_cast<std::size_t>(2 * pairs_), 0.0F);
            for (Index i = first; i < last && all.load(std::memory_order_relaxed); ++i) {
                points.read(i, own.data(), 1);
                if (!note_levels(i, own, step)) all = false;
            }
        });
        if (!all) {
            levels_ = Buffer<std::uint8_t>();
            return false;
        }
        step_ = step;
        const double filled = std::accumulate(counts_.begin(), counts_.end(), 0.0);
        sparse_ = depth_ <= most_lines &&
                  filled < sparse_below * static_cast<double>(points.rows) * static_cast<double>(pairs_);
        return true;
    }

    bool found() const { return step_ > 0; }

    // The points ids[0 .. count) as columns, in memory that is used again where it suffices.
    void pack_columns(const std::int32_t* ids, Index count, GridColumns& columns, int n_threads) const {
        const Index width = kernel_table().of<float>().panel_columns;
        columns.count = count, columns.panels = (count + width - 1) / width;
        columns.norms.assign(static_cast<std::size_t>(columns.panels * width), 0);
        if (sparse_) {
            columns.starts.assign(1, 0);
            for (Index k = 0; k < count; ++k)
                columns.starts.push_back(columns.starts.back() + counts_[static_cast<std::size_t>(ids[k])]);
            columns.entries.make_room(static_cast<std::size_t>(columns.starts.back()));
            columns.lines.make_room(static_cast<std::size_t>(columns.starts.back()));
        } else {
            columns.levels.make_room(static_cast<std::size_t>(columns.panels * pairs_ * width * 2));
        }
        split(columns.panels, n_threads, [&](int, Index first, Index last) {
            for (Index k = first * width; k < last * width; ++k) {
                if (k < count) columns.norms[static_cast<std::size_t>(k)] = norms_[static_cast<std::size_t>(ids[k])];
                if (!sparse_) {
                    std::int16_t* to = columns.levels.data() + (k / width) * pairs_ * width * 2 + (k % width) * 2;
                    const std::uint8_t* from = k < count ? levels(ids[k]) : nullptr;
                    for (Index j = 0; j < pairs_; ++j) {
                        to[j * width * 2] = from ? from[2 * j] : 0;
                        to[j * width * 2 + 1] = from ? from[2 * j + 1] : 0;
                    }
                } else if (k < count) {
                    const std::uint8_t* from = levels(ids[k]);
                    auto at = static_cast<std::size_t>(columns.starts[static_cast<std::size_t>(k)]);
                    for (Index j = 0; j < pairs_; ++j) {
                        const std::int32_t entry = pair(from, j);
                        if (entry == 0) continue;
                        columns.entries[at] = entry;
                        columns.lines[at++] = static_cast<std::int32_t>(j);
                    }
                }
            }
        });
    }

    // out[r][c] = k(point ids[r], column c); each out[r] has room for whole panels.
    void values(const KernelFormula& formula, const std::int32_t* ids, Index count, const GridColumns& columns,
                float* const* out, int n_threads) {
        const auto& table = kernel_table();
        pack_rows(ids, count, sparse_ ? table.of<float>().sparse_rows : table.of<float>().tile_rows, n_threads);
        const Index panel_bytes = pairs_ * table.of<float>().panel_columns * 4;
        share(columns.panels, 1 + second_level_bytes / panel_bytes, n_threads, [&](Index first, Index last) {
            sparse_ ? sparse_values(formula, count, columns, first, last, out)
                    : dense_values(formula, count, columns, first, last, out);
        });
    }

private:
    static constexpr double largest = 255, rounding = 3e-7;
    static constexpr Index sample = 64;          // points that show the step
    static constexpr double sparse_below = 0.4;  // share of pairs that are not zero
    static constexpr Index second_level_bytes = 1 << 18;

    void pack_rows(const std::int32_t* ids, Index count, Index height, int n_threads) {
        const Index tiles = (count + height - 1) / height;
        rows_.make_room(static_cast<std::size_t>(tiles * height * pairs_));
        row_norms_.assign(static_cast<std::size_t>(tiles * height), 0);
        split(tiles, n_threads, [&](int, Index first, Index last) {
            for (Index k = first * height; k < last * height; ++k) {
                std::int32_t* to = rows_.data() + (k / height) * height * pairs_ + k % height;
                if (k < count) {
                    const std::uint8_t* from = levels(ids[k]);
                    for (Index j = 0; j < pairs_; ++j) to[j * height] = pair(from, j);
                    row_norms_[static_cast<std::size_t>(k)] = norms_[static_cast<std::size_t>(ids[k])];
                } else {
                    for (Index j = 0; j < pairs_; ++j) to[j * height] = 0;
                }
            }
        });
    }

    void dense_values(const KernelFormula& formula, Index count, const GridColumns& columns, Index first, Index last,
                      float* const* out) const {
        const auto& table = kernel_table();
        const Index width = table.of<float>().panel_columns;
        std::vector<float*> shifted(out, out + count);
        for (float*& to : shifted) to += first * width;
        table.grid_values(formula,
                          {rows_.data(), row_norms_.data(), count, columns.levels.data() + first * pairs_ * width * 2,
                           columns.norms.data() + first * width, last - first, pairs_, step_},
                          shifted.data());
    }

    // Some panels at a time, whose entries stay in the cache while all rows pass.
    void sparse_values(const KernelFormula& formula, Index count, const GridColumns& columns, Index first, Index last,
                       float* const* out) const {
        constexpr Index entries = 1 << 14;
        const auto& table = kernel_table();
        const Index width = table.of<float>().panel_columns, height = table.of<float>().sparse_rows;
        const Index span = 1 + entries * columns.panels / (1 + columns.starts.back());
        for (Index panel = first; panel < last; panel += span) {
            for (Index row = 0; row < count; row += height) {
                table.sparse_grid_values(
                    formula,
                    {rows_.data() + row * pairs_, row_norms_.data() + row, std::min(height, count - row), nullptr,
                     columns.entries.data(), columns.lines.data(), columns.starts.data(), columns.norms.data(),
                     panel * width, std::min(columns.count, std::min(last, panel + span) * width)},
                    step_, out + row);
            }
        }
    }

    // The least value is a multiple of the step, often the step itself, and less exact than the largest one.
    static double refined(double least, double most) {
        const double multiples = std::round(most / least);
        return multiples >= 1 && multiples <= largest ? most / multiples : 0.0;
    }
    // The whole numbers of point i, their norm and how many pairs are not zero; false if a value is not on the grid.
    bool note_levels(Index i, const std::vector<float>& row, double step) {
        const double inverse = 1 / step;
        std::uint8_t* to = levels_.data() + 2 * pairs_ * i;
        std::int32_t off = 0, norm = 0, count = 0;
        for (std::size_t j = 0; j < row.size(); ++j) {
            const double x = static_cast<double>(row[j]), near = x * inverse + 0.5;
            const std::int32_t level = static_cast<std::int32_t>(near < largest + 1 ? near : largest + 1);
            off |= !(x >= 0) | (level > static_cast<std::int32_t>(largest)) |
                   !(std::abs(x - level * step) <= rounding * x);
            norm += level * level;
            to[j] = static_cast<std::uint8_t>(level);
        }
        for (std::size_t j = 0; j < row.size(); j += 2) count += (to[j] | to[j + 1]) != 0;
        norms_[static_cast<std::size_t>(i)] = norm;
        counts_[static_cast<std::size_t>(i)] = count;
        return off == 0;
    }

    const std::uint8_t* levels(Index i) const { return levels_.data() + 2 * pairs_ * i; }
    // Two of them in 32 bits.
    static std::int32_t pair(const std::uint8_t* from, Index j) {
        return static_cast<std::int32_t>(from[2 * j]) | static_cast<std::int32_t>(from[2 * j + 1]) << 16;
    }

    double step_ = 0;
    Index depth_ = 0, pairs_ = 0;
    bool sparse_ = false;
    Buffer<std::uint8_t> levels_;               // q of every point
    std::vector<std::int32_t> counts_, norms_;  // pairs of each point that are not zero; squared norms of q
    Buffer<std::int32_t> rows_;
    std::vector<std::int32_t> row_norms_;
};

}  // namespace separatrix
