// The rows in the form in which coordinate descent reads them.
//
// Sparse rows are copied once, in random order, as float32 values with 32-bit columns, and then read in sequence;
// once the active set is small its rows are copied again, close together. Dense rows are read where they are
// (float32) or from one float32 copy (float64). When float32 values are not the caller's values, the last digits
// are found on exact float64 ones: the caller's dense rows, or a float64 copy of the active sparse rows.
#pragma once

#include <numeric>
#include <vector>

#include "separatrix/kernels.hpp"
#include "separatrix/packed.hpp"
#include "separatrix/random.hpp"

namespace separatrix {

template <class Source>
class WorkingRows {
    using Value = typename Source::Value;

public:
    WorkingRows(const Source& source, Random& random) : source_(source), origin_(static_cast<std::size_t>(source.rows)) {
        std::iota(origin_.begin(), origin_.end(), 0);
        if constexpr (Source::sparse) {
            random.shuffle(origin_.data(), source.rows);
            entries_ = static_cast<Index>(source.starts[source.rows]);
            full_ = Packed<float>(source.rows, source.columns, entries_);
            filled_ = source.rows;
        } else {
            exact_values_ = true;
            if constexpr (sizeof(Value) == 8) narrow_ = Buffer<float>(static_cast<std::size_t>(source.rows * source.columns));
        }
    }

    const Source& source() const { return source_; }
    Index origin(Index id) const { return origin_[static_cast<std::size_t>(id)]; }
    bool exact_values() const { return exact_values_; }

    // Makes rows [begin, end) of the float32 copy; called once for each row, in order, before it is first read.
    void load(Index begin, Index end) {
        if constexpr (Source::sparse) {
            for (Index id = begin; id < end; ++id) {
                if (id + 2 < source_.rows) fetch(source_.row(origin(id + 2)));
                exact_values_ = full_.put(id, source_.row(origin(id)), exact_values_) && exact_values_;
            }
        } else if constexpr (sizeof(Value) == 8) {
            Index rounded = 0;
            for (Index j = begin * source_.columns; j < end * source_.columns; ++j) {
                const float value = static_cast<float>(source_.values[j]);
                narrow_[static_cast<std::size_t>(j)] = value;
                rounded += static_cast<double>(value) != source_.values[j];
            }
            exact_values_ = exact_values_ && rounded == 0;
        }
    }

    // Brings the rows of the active ids close together if that pays; `exact` asks for float64 values.
    void gather(const std::int32_t* active, Index n_active, bool exact) {
        if constexpr (Source::sparse) {
            if (exact) {
                if (n_active > filled_exact_ || 2 * n_active < filled_exact_) {
                    exact_few_ = copy<double>(active, n_active);
                    filled_exact_ = n_active;
                }
            } else if (n_active > filled_) {
                few_ = Packed<float>();
                filled_ = source_.rows;
            } else if (2 * n_active < filled_) {
                few_ = copy<float>(active, n_active);
                filled_ = n_active;
            }
        }
    }

    PassReport pass(bool squared, Coordinate* coordinates, const Schedule& schedule, Iterate<float>& iterate, Cuts cuts) const {
        return run(single(), squared, coordinates, schedule, iterate, cuts);
    }
    PassReport pass(bool squared, Coordinate* coordinates, const Schedule& schedule, Iterate<double>& iterate, Cuts cuts,
                    bool exact) const {
        if (!exact) return run(single(), squared, coordinates, schedule, iterate, cuts);
        if constexpr (Source::sparse) {
            return run(exact_few_.view(), squared, coordinates, schedule, iterate, cuts);
        } else if constexpr (sizeof(Value) == 8) {
            return run(source_, squared, coordinates, schedule, iterate, cuts);
        } else {
            return run(single(), squared, coordinates, schedule, iterate, cuts);
        }
    }

    // w += sum over rows of coefficients[id] x_id, on the values that `pass` reads; rows left out by `gather` must
    // have coefficient zero.
    void add_active(const double* coefficients, double* w, bool exact) const {
        if (!exact) return add_range(single(), coefficients, w);
        if constexpr (Source::sparse) {
            add_range(exact_few_.view(), coefficients, w);
        } else {
            add_range(source_, coefficients, w);
        }
    }

    // w += coefficient x_id for any row, on the same values.
    void add_row(Index id, double coefficient, double* w, bool exact) const {
        if constexpr (Source::sparse) {
            exact ? add(source_.row(origin(id)), coefficient, w) : add(full_.view().row(id), coefficient, w);
        } else {
            exact ? add(source_.row(id), coefficient, w) : add(single().row(id), coefficient, w);
        }
    }

private:
    auto single() const {
        if constexpr (Source::sparse) {
            return few_.empty() ? full_.view() : few_.view();
        } else if constexpr (sizeof(Value) == 8) {
            return DenseRows<float>{narrow_.data(), source_.rows, source_.columns};
        } else {
            return source_;
        }
    }

    // Rows come from all over the caller's memory while they are copied; the hardware cannot guess the next one.
    template <class V, class I>
    static void fetch(const SparseRow<V, I>& row) {
        constexpr Index line = 64;
        for (Index j = 0; j < row.size; j += line / static_cast<Index>(sizeof(V))) SEPARATRIX_PREFETCH(row.values + j);
        for (Index j = 0; j < row.size; j += line / static_cast<Index>(sizeof(I))) SEPARATRIX_PREFETCH(row.indices + j);
    }

    template <class Rows>
    static void add_range(const Rows& rows, const double* coefficients, double* w) {
        kernels().of(rows).add_weighted(rows, 0, rows.rows, coefficients, w);
    }

    template <class V>
    static void add(const DenseRow<V>& row, double coefficient, double* w) {
        for (Index j = 0; j < row.size; ++j) w[j] += coefficient * static_cast<double>(row.values[j]);
    }
    template <class V, class I>
    static void add(const SparseRow<V, I>& row, double coefficient, double* w) {
        for (Index j = 0; j < row.size; ++j) w[row.indices[j]] += coefficient * static_cast<double>(row.values[j]);
    }

    template <class Rows, class W>
    static PassReport run(const Rows& rows, bool squared, Coordinate* coordinates, const Schedule& schedule,
                          Iterate<W>& iterate, Cuts cuts) {
        const auto kernel = kernels().of(rows, W{});
        return (squared ? kernel.squared_hinge : kernel.hinge)(rows, coordinates, schedule, iterate, cuts);
    }

    // Active ids are in increasing order.
    template <class V>
    Packed<V> copy(const std::int32_t* active, Index n_active) const {
        Index entries = 0;
        for (Index k = 0; k < n_active; ++k) entries += source_.row(origin(active[k])).size;
        Packed<V> packed(source_.rows, source_.columns, entries);
        Index id = 0;
        for (Index k = 0; k < n_active; ++k) {
            for (; id < active[k]; ++id) packed.skip(id);
            if constexpr (sizeof(V) == 4) {
                packed.put(id, full_.view().row(id));
            } else {
                packed.put(id, source_.row(origin(id)));
            }
            ++id;
        }
        for (; id < source_.rows; ++id) packed.skip(id);
        return packed;
    }

    Source source_;
    std::vector<std::int32_t> origin_;
    Packed<float> full_, few_;
    Packed<double> exact_few_;
    Buffer<float> narrow_;
    Index entries_ = 0, filled_ = 0, filled_exact_ = 0;
    bool exact_values_ = true;
};

}  // namespace separatrix
