// Points on a grid, x = step q with whole numbers 0 <= q <= 255 (images, counts, one-hot columns), packed as integers.
//
// A value counts as on the grid if float rounding explains what is between. The kernel values are then those of a
// float, or better; where more is asked for, F is computed from the data themselves anyway.
#pragma once

#include <atomic>
#include <cmath>
#include <vector>

#include "separatrix/buffer.hpp"
#include "separatrix/kernel_points.hpp"
#include "separatrix/kernel_table.hpp"
#include "separatrix/threads.hpp"

namespace separatrix {

class GridPoints {
public:
    // Looks for a step; false if there is none, or if this machine gains nothing by it.
    bool find(const Points& points, const KernelFormula& formula, int n_threads) {
        step_ = 0;
        if (kernel_table().grid_values == nullptr || formula.kind == KernelKind::laplacian || points.columns < 16) return false;
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
        std::atomic<bool> all = true;
        split(points.rows, n_threads, [&](int, Index first, Index last) {
            std::vector<float> own(static_cast<std::size_t>(depth_));
            for (Index i = first; i < last && all.load(std::memory_order_relaxed); ++i) {
                points.read(i, own.data(), 1);
                if (!fits(own, step)) all = false;
            }
        });
        if (all) step_ = step;
        return all;
    }

    bool found() const { return step_ > 0; }

    void pack_columns(const Points& points, const std::int32_t* ids, Index count, int n_threads) {
        const Index width = kernel_table().narrow.panel_columns, pairs = (depth_ + 1) / 2;
        panels_ = (count + width - 1) / width;
        columns_ = Buffer<std::int16_t>(static_cast<std::size_t>(panels_ * pairs * width * 2));
        column_norms_.assign(static_cast<std::size_t>(panels_ * width), 0);
        split(panels_, n_threads, [&](int, Index first, Index last) {
            std::vector<float> row(static_cast<std::size_t>(2 * pairs));
            for (Index k = first * width; k < last * width; ++k) {
                std::fill(row.begin(), row.end(), 0.0F);
                if (k < count) points.read(ids == nullptr ? k : ids[k], row.data(), 1);
                std::int16_t* to = columns_.data() + (k / width) * pairs * width * 2 + (k % width) * 2;
                for (Index j = 0; j < pairs; ++j) {
                    to[j * width * 2] = whole(row[static_cast<std::size_t>(2 * j)]);
                    to[j * width * 2 + 1] = whole(row[static_cast<std::size_t>(2 * j + 1)]);
                }
                column_norms_[static_cast<std::size_t>(k)] = norm(row);
            }
        });
    }

    // out[r][c] = k(point ids[r], column c); each out[r] has room for whole panels.
    void values(const KernelFormula& formula, const Points& points, const std::int32_t* ids, Index count, float* const* out,
                int n_threads) {
        const auto& table = kernel_table();
        const Index height = table.narrow.tile_rows, width = table.narrow.panel_columns, pairs = (depth_ + 1) / 2;
        const Index tiles = (count + height - 1) / height;
        rows_.assign(static_cast<std::size_t>(tiles * height * pairs), 0);
        row_norms_.assign(static_cast<std::size_t>(tiles * height), 0);
        std::vector<float> row(static_cast<std::size_t>(2 * pairs));
        for (Index k = 0; k < count; ++k) {
            points.read(ids[k], row.data(), 1);
            std::int32_t* to = rows_.data() + (k / height) * height * pairs + k % height;
            for (Index j = 0; j < pairs; ++j) {
                const std::int32_t low = whole(row[static_cast<std::size_t>(2 * j)]), high = whole(row[static_cast<std::size_t>(2 * j + 1)]);
                to[j * height] = low | high << 16;
            }
            row_norms_[static_cast<std::size_t>(k)] = norm(row);
        }
        split(panels_, n_threads, [&](int, Index first, Index last) {
            std::vector<float*> shifted(out, out + count);
            for (float*& to : shifted) to += first * width;
            table.grid_values(formula, {rows_.data(), row_norms_.data(), count, columns_.data() + first * pairs * width * 2,
                                        column_norms_.data() + first * width, last - first, pairs, step_}, shifted.data());
        });
    }

private:
    static constexpr double largest = 255, rounding = 3e-7;
    static constexpr Index sample = 64;  // points that show the step

    // The least value is a multiple of the step, often the step itself, and less exact than the largest one.
    static double refined(double least, double most) {
        const double multiples = std::round(most / least);
        return multiples >= 1 && multiples <= largest ? most / multiples : 0.0;
    }
    static bool fits(const std::vector<float>& row, double step) {
        const double inverse = 1 / step;
        int off = 0;
        for (const float value : row) {
            const double x = static_cast<double>(value), near = x * inverse + 0.5;
            const double q = static_cast<double>(static_cast<int>(near < largest + 1 ? near : largest + 1));
            off |= !(x >= 0) | (q > largest) | !(std::abs(x - q * step) <= rounding * x);
        }
        return off == 0;
    }
    std::int16_t whole(float value) const { return static_cast<std::int16_t>(static_cast<double>(value) / step_ + 0.5); }
    std::int32_t norm(const std::vector<float>& row) const {
        std::int32_t sum = 0;
        for (const float value : row) sum += static_cast<std::int32_t>(whole(value)) * whole(value);
        return sum;
    }

    double step_ = 0;
    Index depth_ = 0, panels_ = 0;
    Buffer<std::int16_t> columns_;
    std::vector<std::int32_t> column_norms_, rows_, row_norms_;
};

}  // namespace separatrix
