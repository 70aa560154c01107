// The joint multi-class descent for Python: typed arrays in, GIL released, no logic.
#include <memory>

#include "bindings/rows.hpp"
#include "descent/crammer_singer.hpp"

using namespace separatrix;

namespace {

// The descent over rows of any type, together with the arrays it looks at.
template <class View>
struct JointDescents;
template <class... Views>
struct JointDescents<std::variant<Views...>> {
    std::variant<CrammerSinger<Views>...> descent;
    Index rows, classes;
    nb::object owners;

    template <class Call>
    decltype(auto) visit(const Call& call) {
        return std::visit(call, descent);
    }
};
using JointDescent = JointDescents<Rows::View>;

JointDescent* joint_descent(const Rows& rows, const Array<std::int64_t>& codes, const Array<double>& C, Index classes,
                            double tau_squared, std::uint64_t seed) {
    expect(codes.shape(0), rows.rows(), "codes");
    expect(C.shape(0), rows.rows(), "C");
    for (std::size_t i = 0; i < codes.shape(0); ++i) {
        const std::int64_t code = codes.data()[i];
        if (code < 0 || code >= classes)
            refuse("codes must be from 0 to " + std::to_string(classes - 1) + "; got " + std::to_string(code) + ".");
    }
    nb::gil_scoped_release release;
    auto made = rows.visit([&](const auto& view) {
        using View = std::decay_t<decltype(view)>;
        return std::unique_ptr<JointDescent>(new JointDescent{
            CrammerSinger<View>(view, codes.data(), C.data(), classes, tau_squared, seed), rows.rows(), classes, {}});
    });
    nb::gil_scoped_acquire acquire;
    made->owners = rows.owners;
    return made.release();
}

}  // namespace

void bind_joint(nb::module_& m) {
    nb::class_<JointDescent>(m, "JointDescent", "Passes of the Crammer-Singer dual.")
        .def(
            "run",
            [](JointDescent& self, double seconds) {
                JointReport report;
                {
                    nb::gil_scoped_release release;
                    report = self.visit([&](auto& descent) { return descent.pass(seconds); });
                }
                return nb::make_tuple(report.loss, report.violation, report.visited, report.whole);
            },
            "seconds"_a, nb::sig("def run(self, seconds: float) -> tuple[float, float, int, bool]"),
            "One pass over the active rows: (sum of losses seen, largest violation, rows visited, whether "
            "time sufficed).")
        .def(
            "restore", [](JointDescent& self) { self.visit([](auto& descent) { descent.restore(); }); },
            "All rows take part again.")
        .def(
            "move_offset", [](JointDescent& self) { self.visit([](auto& descent) { descent.move_offset(); }); },
            "One step of the multipliers of a free bias.")
        .def(
            "start",
            [](JointDescent& self, const Table<double>& alpha, const Array<double>& b) {
                expect(alpha.shape(0), self.rows, "alpha");
                expect(alpha.shape(1), self.classes, "a row of alpha");
                expect(b.shape(0), self.classes, "offset");
                nb::gil_scoped_release release;
                self.visit([&](auto& descent) {
                    descent.start(alpha.data());
                    std::copy_n(b.data(), self.classes, descent.offset.begin());
                });
            },
            "alpha"_a, "offset"_a, "Begin at alpha (n, k), with an offset (k,) of the scores.")
        .def_prop_ro(
            "half_norm",
            [](JointDescent& self) { return self.visit([](auto& descent) { return descent.half_norm(); }); },
            "1/2 ||W||^2")
        .def_prop_ro(
            "active", [](JointDescent& self) { return self.visit([](auto& descent) { return descent.active(); }); },
            "Rows that take part in a pass.")
        .def(
            "copy_alpha",
            [](JointDescent& self, const OutputTable& out) {
                expect(out.shape(0), self.rows, "out");
                expect(out.shape(1), self.classes, "a row of out");
                self.visit([&](auto& descent) { descent.copy_alpha(out.data()); });
            },
            "out"_a, "alpha (n, k)")
        .def(
            "copy_bias",
            [](JointDescent& self, const Output<>& out) {
                expect(out.shape(0), self.classes, "out");
                self.visit([&](auto& descent) { descent.copy_bias(out.data()); });
            },
            "out"_a, "b (k,)");
    m.def("joint_descent", &joint_descent, nb::rv_policy::take_ownership, "rows"_a, "codes"_a, "C"_a, "classes"_a,
          "tau_squared"_a, "seed"_a, "The joint multi-class descent on these rows.");
}
