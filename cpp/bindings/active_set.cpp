// The active-set method and the hard margin for Python: typed arrays in, GIL released, no logic.
#include <algorithm>

#include "active_set/active_set.hpp"
#include "active_set/row_generation.hpp"
#include "bindings/rows.hpp"

using namespace separatrix;

namespace {

// A signal that came in the meantime is handled by Python, whose handler may raise: Ctrl-C, or an alarm.
void heed_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// (outcome, w, b, rows, weights): outcome 0 optimal, 1 infeasible, 2 stalled.
template <class View>
nb::tuple solved(const View& view, const double* y, bool bias, Index max_rounds) {
    RowGeneration<View> search(view, y, bias);
    const auto outcome = [&] {
        nb::gil_scoped_release release;
        return search.run(max_rounds, heed_signals);
    }();
    const bool infeasible = outcome == ActiveSet::Outcome::infeasible;
    const ActiveSet& engine = search.engine();
    return nb::make_tuple(static_cast<int>(outcome), copied(search.w()), search.b(),
                          copied(search.given(infeasible ? engine.dependent() : engine.active())),
                          copied(infeasible ? engine.dependence() : engine.multipliers()));
}

nb::tuple hard_margin(const Rows& rows, const Array<double>& y, bool bias, Index max_rounds) {
    expect(y.shape(0), rows.rows(), "y");
    if (rows.rows() < 1 || rows.columns() < 1)
        refuse("X must have at least one row and one column; got " + std::to_string(rows.rows()) + " rows and " +
               std::to_string(rows.columns()) + " columns.");
    const double *first = y.data(), *last = first + rows.rows();
    if (bias && std::all_of(first, last, [&](double label) { return (label > 0) == (*first > 0); }))
        refuse("A free bias needs rows of both classes; got one class.");
    return rows.visit([&](const auto& view) { return solved(view, first, bias, max_rounds); });
}

}  // namespace

void bind_active_set(nb::module_& m) {
    m.def("hard_margin", &hard_margin, "rows"_a, "y"_a, "bias"_a, "max_rounds"_a,
          "(outcome, w, b, rows, weights) of the widest slab; outcome 0 optimal, 1 infeasible, 2 stalled.");
    nb::class_<ActiveSet>(m, "ActiveSet", "Least-norm point of a polyhedron by a dual active-set method.")
        .def(nb::init<Index, bool>(), "width"_a, "free_bias"_a)
        .def(
            "add",
            [](ActiveSet& self, const Table<double>& rows, const Array<double>& rhs) {
                expect(rhs.shape(0), static_cast<Index>(rows.shape(0)), "rhs");
                expect(rows.shape(1), self.width(), "a row of rows");
                self.add(rows.data(), rhs.data(), static_cast<Index>(rows.shape(0)));
            },
            "rows"_a, "rhs"_a, "Add constraints rows[i].u >= rhs[i].")
        .def(
            "begin_with",
            [](ActiveSet& self, Index p, Index q) {
                if (p < 0 || q < 0 || p >= self.count() || q >= self.count() || p == q) {
                    const std::string sentence = "p and q must be two different constraints among 0 to " +
                                                 std::to_string(self.count() - 1) + "; got " + std::to_string(p) +
                                                 " and " + std::to_string(q) + ".";
                    throw nb::index_error(sentence.c_str());
                }
                return self.begin_with(p, q) == ActiveSet::Outcome::optimal;
            },
            "p"_a, "q"_a, "Start from a pair of rows; False if their x are equal.")
        .def(
            "solve",
            [](ActiveSet& self, Index max_steps) {
                nb::gil_scoped_release release;
                return static_cast<int>(self.solve(max_steps, heed_signals));
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
