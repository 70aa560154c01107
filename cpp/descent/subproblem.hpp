// The rows that passes visit, with their alphas and w: all rows of a problem, or a copy of the active ones.
//
// A pass, a step of the acceleration and the sums of a report cost what the rows of the subproblem cost. A copy lies
// close together in memory and has only the columns that its rows touch; all other rows are fixed meanwhile.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "descent/shrinking.hpp"
#include "rows/row_subset_copy.hpp"
#include "simd/table.hpp"

namespace separatrix {

using AnyRows = std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float, std::int32_t>,
                             SparseRows<float, std::int64_t>, SparseRows<double, std::int32_t>,
                             SparseRows<double, std::int64_t>, PackedRows<float>, PackedRows<double>>;

// The dual problem: sum_i dual_term(alpha_i) - 1/2 ||w||^2 - kappa/2 s^2 - centre s.
struct DualForm {
    bool squared;
    double kappa, centre;

    double upper(const Coordinate& at) const { return squared ? std::numeric_limits<double>::infinity() : at.limit; }
    bool at_bound(const Coordinate& at) const { return at.alpha <= 0 || at.alpha >= upper(at); }
    // dual_term(to) - dual_term(from)
    double gain(const Coordinate& at, double from, double to) const {
        return (to - from) * (squared ? 1 - 0.5 * at.limit * (from + to) : 1.0);
    }
};

// Sums over rows that matter to a bias.
struct BiasSums {
    double s = 0;     // sum_i alpha_i y_i
    double room = 0;  // sum over rows inside their bounds of the distance to the nearer bound
};

struct Subproblem {
    AnyRows rows;
    Index columns = 0;
    std::vector<Coordinate> coordinates;
    std::vector<double> w;
    Ids active;
    std::vector<float> outward;          // of each row at a bound: its gradient in the last pass; 0 of one that moved
    Ids ids, column_ids;                 // of a copy: what its rows and columns are in the whole problem
    std::shared_ptr<const void> memory;  // of a copy

    Index size() const { return static_cast<Index>(coordinates.size()); }

    PassReport visit(const DualForm& form, const Visits& visits, double* w, double& bias) {
        Iterate iterate{w, bias, form.kappa};
        const PassReport report = std::visit(
            [&](const auto& view) {
                const auto kernel = simd().rows.descent(view);
                return (form.squared ? kernel.squared_hinge : kernel.hinge)(view, coordinates.data(), visits, iterate);
            },
            rows);
        bias = iterate.bias;
        return report;
    }

    // out (d,) += sum_i c_i x_i
    void add_rows(const std::vector<double>& c, double* out) const {
        std::visit([&](const auto& view) { simd().rows.of(view).add_weighted(view, 0, view.rows, c.data(), out); },
                   rows);
    }
    // out (d,) += c x_i
    void add_row(Index i, double c, double* out) const {
        std::visit([&](const auto& view) { simd().rows.of(view).add_weighted(view, i, i + 1, &c, out); }, rows);
    }

    BiasSums bias_sums(bool squared) const {
        BiasSums sums;
        for (const Coordinate& at : coordinates) {
            sums.s += at.alpha * at.label();
            sums.room += squared ? at.alpha : std::min(at.alpha, at.limit - at.alpha);
        }
        return sums;
    }

    // A copy of the active rows.
    Subproblem active_copy() const {
        Subproblem copy;
        copy.ids = active;
        std::visit([&](const auto& view) { copy.take_rows(view, active); }, rows);
        for (const std::int32_t id : active) copy.coordinates.push_back(coordinates[static_cast<std::size_t>(id)]);
        copy.outward.resize(active.size());
        copy.active = others({}, copy.size());
        copy.w.resize(static_cast<std::size_t>(copy.columns));
        copy.read_from(*this);
        return copy;
    }

    // Brings alpha and w of a copy in line with those of the whole problem.
    void read_from(const Subproblem& whole) {
        for (std::size_t k = 0; k < ids.size(); ++k)
            coordinates[k].alpha = whole.coordinates[static_cast<std::size_t>(ids[k])].alpha;
        for (std::size_t j = 0; j < w.size(); ++j) w[j] = whole.w[static_cast<std::size_t>(column_ids[j])];
    }
    // The reverse, with which rows are active.
    void write_to(Subproblem& whole) const {
        for (std::size_t k = 0; k < ids.size(); ++k)
            whole.coordinates[static_cast<std::size_t>(ids[k])].alpha = coordinates[k].alpha;
        for (std::size_t j = 0; j < w.size(); ++j) whole.w[static_cast<std::size_t>(column_ids[j])] = w[j];
        whole.active.clear();
        for (const std::int32_t row : active) whole.active.push_back(ids[static_cast<std::size_t>(row)]);
    }

private:
    template <class View>
    void take_rows(const View& from, const Ids& which) {
        if (std::is_same_v<typename View::Value, double> && all_floats(from, which))
            hold(std::make_shared<const PackedCopy<View, float>>(from, which));
        else
            hold(std::make_shared<const PackedCopy<View, typename View::Value>>(from, which));
    }
    template <class Copy>
    void hold(const std::shared_ptr<Copy>& copy) {
        rows = copy->view();
        columns = copy->view().columns;
        column_ids = copy->columns();
        memory = copy;
    }
};

}  // namespace separatrix
