// The active-set method for Python: typed arrays in, GIL released, no logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "separatrix/active_set.hpp"

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

}  // namespace

void bind_active_set(nb::module_& m) {
    nb::class_<ActiveSet>(m, "ActiveSet", "Least-norm point of a polyhedron by a dual active-set method.")
        .def(nb::init<Index, bool>(), "width"_a, "free_bias"_a)
        .def("add", [](ActiveSet& self, const Table<double>& rows, const Array<double>& rhs) {
                if (rows.shape(0) != rhs.shape(0) || static_cast<Index>(rows.shape(1)) != self.width())
                    throw nb::value_error("rows (k, width) and rhs (k,) do not fit.");
                self.add(rows.data(), rhs.data(), static_cast<Index>(rows.shape(0)));
            }, "rows"_a, "rhs"_a, "Add constraints rows[i].u >= rhs[i].")
        .def("begin_with", [](ActiveSet& self, Index p, Index q) {
                if (p < 0 || q < 0 || p >= self.count() || q >= self.count() || p == q) throw nb::index_error();
                return self.begin_with(p, q) == ActiveSet::Outcome::optimal;
            }, "p"_a, "q"_a, "Start from a pair of rows; False if their x are equal.")
        .def("solve", [](ActiveSet& self, Index max_steps) {
                nb::gil_scoped_release release;
                return static_cast<int>(self.solve(max_steps));
            }, "max_steps"_a, "0 optimal, 1 infeasible, 2 stalled.")
        .def_prop_ro("point", [](const ActiveSet& self) { return copied(self.point()); }, nb::rv_policy::automatic)
        .def_prop_ro("active", [](const ActiveSet& self) { return copied(self.active()); }, nb::rv_policy::automatic)
        .def_prop_ro("multipliers", [](const ActiveSet& self) { return copied(self.multipliers()); }, nb::rv_policy::automatic)
        .def_prop_ro("dependent", [](const ActiveSet& self) { return copied(self.dependent()); }, nb::rv_policy::automatic)
        .def_prop_ro("dependence", [](const ActiveSet& self) { return copied(self.dependence()); }, nb::rv_policy::automatic);
}
