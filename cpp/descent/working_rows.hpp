// The rows in the form in which coordinate descent reads them: where they are, but dense float64 rows from one float32
// copy, unless that is not wanted, until their last digits matter.
#pragma once

#include "rows/buffer.hpp"
#include "rows/row_subset_copy.hpp"
#include "simd/table.hpp"

namespace separatrix {

template <class Source>
class WorkingRows {
    static constexpr bool wide = !Source::sparse && sizeof(typename Source::Value) == 8;

public:
    WorkingRows(const Source& source, bool narrow) : source_(source) {
        if constexpr (wide) {
            if (narrow) narrow_ = Buffer<float>(static_cast<std::size_t>(source.rows * source.columns));
        }
    }

    const Source& source() const { return source_; }
    // Whether no value of the float32 copy was rounded.
    bool exact() const { return exact_; }

    // Called once for each row before it is first read.
    void load(Index begin, Index end) {
        if constexpr (wide) {
            if (narrow_.size() == 0) return;
            const Index first = begin * source_.columns, size = (end - begin) * source_.columns;
            exact_ = copy_values(source_.values + first, size, narrow_.data() + first) && exact_;
        }
    }

    PassReport pass(bool squared, Coordinate* coordinates, const Schedule& schedule, Iterate<float>& iterate) const {
        if constexpr (wide)
            return run(copied(), squared, coordinates, schedule, iterate);
        else
            return run(source_, squared, coordinates, schedule, iterate);
    }
    // `exact` asks for the caller's values.
    PassReport pass(bool squared, Coordinate* coordinates, const Schedule& schedule, Iterate<double>& iterate,
                    bool exact) const {
        return on(exact, [&](const auto& rows) { return run(rows, squared, coordinates, schedule, iterate); });
    }

    // w += sum_i c_i x_i, on the values that `pass` reads.
    void add_rows(const double* c, double* w, bool exact) const {
        on(exact, [&](const auto& rows) { kernels().of(rows).add_weighted(rows, 0, rows.rows, c, w); });
    }
    // w += coefficient x_id
    void add_row(Index id, double coefficient, double* w, bool exact) const {
        on(exact, [&](const auto& rows) { kernels().of(rows).add_weighted(rows, id, id + 1, &coefficient, w); });
    }

    // Calls `visit` with the rows that a pass reads.
    template <class Visit>
    auto on(bool exact, const Visit& visit) const {
        if constexpr (wide) {
            if (!exact && narrow_.size() > 0) return visit(copied());
        }
        return visit(source_);
    }

private:
    DenseRows<float> copied() const { return {narrow_.data(), source_.rows, source_.columns}; }

    template <class Rows, class W>
    static PassReport run(const Rows& rows, bool squared, Coordinate* coordinates, const Schedule& schedule,
                          Iterate<W>& iterate) {
        const auto kernel = kernels().of(rows, W{});
        return (squared ? kernel.squared_hinge : kernel.hinge)(rows, coordinates, schedule, iterate);
    }

    Source source_;
    Buffer<float> narrow_;
    bool exact_ = true;
};

}  // namespace separatrix
