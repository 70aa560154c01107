// The rows of an interior-point step for Python: typed arrays in, GIL released, no logic.
#include "bindings/common.hpp"
#include "simd/table.hpp"

using namespace separatrix;

namespace {

// The arrays of a direction, together with the Python objects that own them.
class Direction {
public:
    Direction(bool squared, const Array<double>& C, const Output<>& alpha, const Output<>& beta, const Output<>& s,
              const Output<>& xi, const Output<>& spare, const Output<>& da, const Output<float>& a,
              const Output<float>& c)
        : loops_(squared ? simd().rows.squared_hinge_path : simd().rows.hinge_path),
          owners_(nb::make_tuple(C, alpha, beta, s, xi, spare, da, a, c)) {
        const auto n = static_cast<Index>(alpha.shape(0)), hinge = squared ? 0 : n;
        if (C.shape(0) != 1) expect(C.shape(0), n, "C");
        expect(beta.shape(0), hinge, "beta");
        expect(s.shape(0), n, "s");
        expect(xi.shape(0), n, "xi");
        expect(spare.shape(0), n, "spare");
        expect(da.shape(0), n, "da");
        expect(a.shape(0), n, "a");
        expect(c.shape(0), hinge, "c");
        const Index cost_step = C.shape(0) == alpha.shape(0) ? 1 : 0;
        arrays = {n,         cost_step,    C.data(),  alpha.data(), beta.data(), s.data(),
                  xi.data(), spare.data(), da.data(), a.data(),     c.data()};
    }

    const PathLoops& rows() const { return loops_; }
    PathArrays arrays{};

private:
    const PathLoops& loops_;
    nb::object owners_;
};

}  // namespace

void bind_path(nb::module_& m) {
    nb::enum_<PathStage>(m, "PathStage", "Which right-hand side of a step's linear system.")
        .value("predictor", PathStage::predictor)
        .value("correction", PathStage::correction);
    using Unlocked = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<Direction>(m, "PathDirection", "A direction of the interior point; it writes to the arrays given.")
        .def(nb::init<bool, const Array<double>&, const Output<>&, const Output<>&, const Output<>&, const Output<>&,
                      const Output<>&, const Output<>&, const Output<float>&, const Output<float>&>(),
             "squared"_a, "C"_a.noconvert(), "alpha"_a.noconvert(), "beta"_a.noconvert(), "s"_a.noconvert(),
             "xi"_a.noconvert(), "spare"_a.noconvert(), "da"_a.noconvert(), "a"_a.noconvert(), "c"_a.noconvert())
        .def(
            "theta",
            [](const Direction& self, const Output<>& out) {
                expect(out.shape(0), self.arrays.n, "out");
                nb::gil_scoped_release release;
                self.rows().theta(self.arrays, out.data());
            },
            "out"_a.noconvert(), "Write the weights (n,).")
        .def(
            "right_side",
            [](const Direction& self, PathStage stage, const Output<>& out) {
                expect(out.shape(0), self.arrays.n, "out");
                nb::gil_scoped_release release;
                self.rows().right_side[static_cast<int>(stage)](self.arrays, out.data());
            },
            "stage"_a, "out"_a.noconvert(), "Write g (n,).")
        .def(
            "weigh",
            [](const Direction& self, PathStage stage, Index begin, const Output<>& values) {
                const Index end = end_of(self.arrays.n, begin, values.shape(0));
                nb::gil_scoped_release release;
                self.rows().weigh[static_cast<int>(stage)](self.arrays, begin, end, values.data());
            },
            "stage"_a, "begin"_a, "values"_a.noconvert(), "values = theta (g - values) for the rows from `begin` on.")
        .def(
            "predicted_falls",
            [](const Direction& self) {
                double found[4];
                {
                    nb::gil_scoped_release release;
                    self.rows().predicted_falls(self.arrays, found);
                }
                return nb::make_tuple(found[0], found[1], found[2], found[3]);
            },
            "How fast alpha, s, beta and xi fall along the predictor, relative to themselves, at most.")
        .def(
            "predicted_products",
            [](const Direction& self, double reach) {
                double found[2];
                {
                    nb::gil_scoped_release release;
                    self.rows().predicted_products(self.arrays, reach, found);
                }
                return nb::make_tuple(found[0], found[1]);
            },
            "reach"_a, "The sum of all products now, and after a step of this length along the predictor.")
        .def(
            "correct",
            [](const Direction& self, double target, double mu) { self.rows().correct(self.arrays, target, mu); },
            "target"_a, "mu"_a, Unlocked(), "Aim products at the target.")
        .def(
            "fall", [](const Direction& self) { return self.rows().fall(self.arrays); }, Unlocked(),
            "How fast any quantity falls, relative to itself, at most.")
        .def(
            "take", [](const Direction& self, double reach) { self.rows().take(self.arrays, reach); }, "reach"_a,
            Unlocked(), "Move the iterate along the direction.");
}
