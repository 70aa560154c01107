// The rows in the form in which coordinate descent reads them.
//
// Sparse rows are read where they are while that is cheaper than a copy; once the active set is small, or many
// passes have been made, the active rows are copied close together, as float32 values with 32-bit columns. Dense
// rows are read where they are (float32) or from one float32 copy (float64). When float32 values are not the
// caller's values, the last digits are found on exact float64 ones: the caller's dense rows, or a float64 copy of the
// active sparse rows. In place nothing is copied: passes keep w in float64 and read the caller's rows.
#pragma once

#include <algorithm>
#include <vector>

#include "separatrix/kernels.hpp"
#include "separatrix/packed.hpp"

namespace separatrix {

template <class Source>
class WorkingRows {
    using Value = typename Source::Value;

public:
    explicit WorkingRows(const Source& source, bool in_place = false)
        : source_(source), filled_(source.rows), in_place_(in_place) {
        if constexpr (!Source::sparse && sizeof(Value) == 8) {
            if (in_place) return;
            narrow_ = Buffer<float>(static_cast<std::size_t>(source.rows * source.columns));
        }
    }

    const Source& source() const { return source_; }
    // Entries of a row, on average.
    Index mean_size() const {
        if constexpr (Source::sparse) return static_cast<Index>(source_.starts[source_.rows]) / std::max<Index>(1, source_.rows);
        else return source_.columns;
    }
    // Whether no value that a pass reads has been rounded.
    bool exact_values() const { return exact_values_; }

    // Called once for each row before it is first read.
    void load(Index begin, Index end) {
        if constexpr (!Source::sparse && sizeof(Value) == 8) {
            if (in_place_) return;
            Index rounded = 0;
            for (Index j = begin * source_.columns; j < end * source_.columns; ++j) {
                const float value = static_cast<float>(source_.values[j]);
                narrow_[static_cast<std::size_t>(j)] = value;
                rounded += static_cast<double>(value) != source_.values[j];
            }
            exact_values_ = exact_values_ && rounded == 0;
        }
    }

    // Prepares a pass over the active ids, copying their rows if that pays; `exact` asks for float64 values.
    void gather(const std::int32_t* active, Index n_active, bool exact) {
        if (in_place_) return;
        if constexpr (Source::sparse) {
            if (exact) {
                if (n_active > filled_exact_ || 2 * n_active < filled_exact_) {
                    copy(active, n_active, exact_few_);
                    filled_exact_ = n_active;
                }
                return;
            }
            if (n_active > filled_) {
                few_.clear();
                filled_ = source_.rows;
            }
            if (2 * n_active < filled_) {
                copy(active, n_active, few_);
                filled_ = n_active;
            } else if (few_.empty() && full_.empty() && ++direct_ > passes_per_copy) {
                if (n_active == source_.rows) {
                    copy(active, n_active, full_);
                } else {
                    copy(active, n_active, few_);
                    filled_ = n_active;
                }
            }
        }
    }

    PassReport pass(bool squared, Coordinate* coordinates, const Schedule& schedule, Iterate<float>& iterate, Cuts cuts) const {
        return on_single([&](const auto& rows) { return run(rows, squared, coordinates, schedule, iterate, cuts); });
    }
    PassReport pass(bool squared, Coordinate* coordinates, const Schedule& schedule, Iterate<double>& iterate, Cuts cuts,
                    bool exact) const {
        if (in_place_) return run(source_, squared, coordinates, schedule, iterate, cuts);
        if constexpr (Source::sparse) {
            if (exact) return run(exact_few_.view(), squared, coordinates, schedule, iterate, cuts);
        } else if constexpr (sizeof(Value) == 8) {
            if (exact) return run(source_, squared, coordinates, schedule, iterate, cuts);
        }
        return on_single([&](const auto& rows) { return run(rows, squared, coordinates, schedule, iterate, cuts); });
    }

    // w += sum_k c_k x_ids[k], on the values that `pass` reads; rows left out by `gather` must have coefficient zero.
    // Column j is added at w[place[j]], at w[j] where place is null.
    void add_rows(const std::vector<std::int32_t>& ids, const double* c, const std::int32_t* place, double* w, bool exact) const {
        const auto all = [&](const auto& rows) {
            const auto kernel = kernels().of(rows);
            for (std::size_t k = 0; k < ids.size(); ++k) {
                const Index id = ids[k];
                if (c[k] == 0) continue;
                if (place) {
                    add(rows.row(id), c[k], place, w);
                } else {
                    kernel.add_weighted(rows, id, id + 1, c + k - id, w);
                }
            }
        };
        if (in_place_) return all(source_);
        if constexpr (Source::sparse) {
            if (exact) return all(exact_few_.view());
        } else {
            if (exact) return all(source_);
        }
        on_single(all);
    }

    // w += coefficient x_id for any row, in the same numbering of columns.
    void add_row(Index id, double coefficient, const std::int32_t* place, double* w) const {
        add(source_.row(id), coefficient, place, w);
    }

private:
    // A copy costs about as much as it saves in this many passes.
    static constexpr Index passes_per_copy = 8;

    // Calls `visit` with the rows that a pass reads unless it asks for exact ones.
    template <class Visit>
    auto on_single(const Visit& visit) const {
        if constexpr (Source::sparse) {
            if (few_.empty() && full_.empty()) return visit(source_);
            return visit(few_.empty() ? full_.view() : few_.view());
        } else if constexpr (sizeof(Value) == 8) {
            return visit(DenseRows<float>{narrow_.data(), source_.rows, source_.columns});
        } else {
            return visit(source_);
        }
    }

    template <class V>
    static void add(const DenseRow<V>& row, double coefficient, const std::int32_t*, double* SEPARATRIX_RESTRICT w) {
        for (Index j = 0; j < row.size; ++j) w[j] += coefficient * static_cast<double>(row.values[j]);
    }
    template <class V, class I>
    static void add(const SparseRow<V, I>& row, double coefficient, const std::int32_t* place, double* w) {
        for (Index j = 0; j < row.size; ++j) {
            const auto column = static_cast<Index>(row.indices[j]);
            w[place ? place[column] : column] += coefficient * static_cast<double>(row.values[j]);
        }
    }

    template <class Rows, class W>
    static PassReport run(const Rows& rows, bool squared, Coordinate* coordinates, const Schedule& schedule,
                          Iterate<W>& iterate, Cuts cuts) {
        const auto kernel = kernels().of(rows, W{});
        return (squared ? kernel.squared_hinge : kernel.hinge)(rows, coordinates, schedule, iterate, cuts);
    }

    // Active ids are in increasing order.
    template <class V>
    void copy(const std::int32_t* active, Index n_active, Packed<V>& packed) {
        Index entries = 0;
        for (Index k = 0; k < n_active; ++k) entries += source_.row(active[k]).size;
        packed.reset(source_.rows, source_.columns, entries);
        Index id = 0;
        for (Index k = 0; k < n_active; ++k) {
            for (; id < active[k]; ++id) packed.skip(id);
            if (k + 2 < n_active) source_.prefetch(active[k + 2]);
            exact_values_ = packed.put(id, source_.row(id), exact_values_) && exact_values_;
            ++id;
        }
        for (; id < source_.rows; ++id) packed.skip(id);
    }

    Source source_;
    Packed<float> full_, few_;  // every row; the active ones
    Packed<double> exact_few_;
    Buffer<float> narrow_;
    Index filled_ = 0, filled_exact_ = 0;  // rows in few_, or all if it is empty; rows in exact_few_
    Index direct_ = 0;  // passes that read the caller's rows
    bool exact_values_ = true;
    bool in_place_;
};

}  // namespace separatrix
