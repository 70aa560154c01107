// The active-set method and the hard margin for Python: typed arrays in, GIL released, no logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "active_set/active_set.hpp"
#include "active_set/row_generation.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace separatrix;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object copied(const std::vector<T>& values) {
    auto data = std::make_unique<T[]>(values.size() + 1);
    std::copy(values.begin(), values.end(), data.get());
    T* raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(raw, {values.size()}, owner));
}

// (outcome, w, b, rows, weights): outcome 0 optimal, 1 infeasible, 2 stalled.
template <class Rows>
nb::tuple solved(const Rows& rows, const Array<double>& y, bool bias, Index max_rounds) {
    if (static_cast<Index>(y.shape(0)) != rows.rows) throw nb::value_error("y must hold one label for each row.");
    if (rows.rows < 1 || rows.columns < 1) throw nb::value_error("X must have at least one row and one column.");
    const double* first = y.data();
    const double* last = first + rows.rows;
    if (bias && std::all_of(first, last, [&](double label) { return (label > 0) == (*first > 0); }))
        throw nb::value_error("A free bias needs rows of both classes.");
    RowGeneration<Rows> search(rows, first, bias);
    const auto outcome = [&] {
        nb::gil_scoped_release release;
        return search.run(max_rounds, [] {
            nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        });
    }();
    const bool infeasible = outcome == ActiveSet::Outcome::infeasible;
    const ActiveSet& engine = search.engine();
    return nb::make_tuple(static_cast<int>(outcome), copied(search.w()), search.b(),
                          copied(search.given(infeasible ? engine.dependent() : engine.active())),
                          copied(infeasible ? engine.dependence() : engine.multipliers()));
}

template <class V>
void bind_dense(nb::module_& m) {
    m.def(
        "hard_margin",
        [](const Table<V>& X, const Array<double>& y, bool bias, Index max_rounds) {
            return solved(DenseRows<V>{X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))}, y,
                          bias, max_rounds);
        },
        "X"_a.noconvert(), "y"_a, "bias"_a, "max_rounds"_a, "(outcome, w, b, rows, weights) of the widest slab.");
}

template <class V, class I>
void bind_sparse(nb::module_& m) {
    m.def(
        "hard_margin",
        [](const Array<V>& values, const Array<I>& indices, const Array<I>& starts, Index columns,
           const Array<double>& y, bool bias, Index max_rounds) {
            if (starts.shape(0) == 0 || indices.shape(0) != values.shape(0)) throw nb::value_error("No CSR matrix.");
            const Index n = static_cast<Index>(starts.shape(0)) - 1;
            return solved(SparseRows<V, I>{values.data(), indices.data(), starts.data(), n, columns}, y, bias,
                          max_rounds);
        },
        "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "columns"_a, "y"_a, "bias"_a,
        "max_rounds"_a, "(outcome, w, b, rows, weights) of the widest slab.");
}

}  // namespace

void bind_active_set(nb::module_& m) {
    bind_dense<float>(m);
    bind_dense<double>(m);
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
    nb::class_<ActiveSet>(m, "ActiveSet", "Least-norm point of a polyhedron by a dual active-set method.")
        .def(nb::init<Index, bool>(), "width"_a, "free_bias"_a)
        .def(
            "add",
            [](ActiveSet& self, const Table<double>& rows, const Array<double>& rhs) {
                if (rows.shape(0) != rhs.shape(0) || static_cast<Index>(rows.shape(1)) != self.width())
                    throw nb::value_error("rows (k, width) and rhs (k,) do not fit.");
                self.add(rows.data(), rhs.data(), static_cast<Index>(rows.shape(0)));
            },
            "rows"_a, "rhs"_a, "Add constraints rows[i].u >= rhs[i].")
        .def(
            "begin_with",
            [](ActiveSet& self, Index p, Index q) {
                if (p < 0 || q < 0 || p >= self.count() || q >= self.count() || p == q) throw nb::index_error();
                return self.begin_with(p, q) == ActiveSet::Outcome::optimal;
            },
            "p"_a, "q"_a, "Start from a pair of rows; False if their x are equal.")
        .def(
            "solve",
            [](ActiveSet& self, Index max_steps) {
                nb::gil_scoped_release release;
                return static_cast<int>(self.solve(max_steps));
            },
            "max_steps"_a, "0 optimal, 1 infeasible, 2 stalled.")
        .def_prop_ro(
            "point", [](const ActiveSet& self) { return copied(self.point()); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "active", [](const ActiveSet& self) { return copied(self.active()); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "multipliers", [](const ActiveSet& self) { return copied(self.multipliers()); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "dependent", [](const ActiveSet& self) { return copied(self.dependent()); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "dependence", [](const ActiveSet& self) { return copied(self.dependence()); }, nb::rv_policy::automatic);
}
