// The rows of an interior-point step for Python: typed arrays in, GIL released, no logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "simd/table.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace separatrix;

namespace {

using Costs = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The arrays of a direction, together with the Python objects that own them.
class Direction {
public:
    Direction(bool squared, const Costs& C, const Output<double>& alpha, const Output<double>& beta,
              const Output<double>& s, const Output<double>& xi, const Output<double>& spare, const Output<double>& da,
              const Output<float>& a, const Output<float>& c)
        : loops_(squared ? simd().rows.squared_hinge_path : simd().rows.hinge_path),
          owners_(nb::make_tuple(C, alpha, beta, s, xi, spare, da, a, c)) {
        const std::size_t n = alpha.shape(0), hinge = squared ? 0 : n;
        if ((C.shape(0) != n && C.shape(0) != 1) || beta.shape(0) != hinge || s.shape(0) != n || xi.shape(0) != n ||
            spare.shape(0) != n || da.shape(0) != n || a.shape(0) != n || c.shape(0) != hinge) {
            throw nb::value_error("Every array must have one number for each row; beta and c for the hinge only.");
        }
        arrays = {static_cast<Index>(n),
                  C.shape(0) == n ? 1 : 0,
                  C.data(),
                  alpha.data(),
                  beta.data(),
                  s.data(),
                  xi.data(),
                  spare.data(),
                  da.data(),
                  a.data(),
                  c.data()};
    }

    const PathLoops& rows() const { return loops_; }
    Index end_of(Index begin, std::size_t count) const {
        if (begin < 0 || begin > arrays.n - static_cast<Index>(count))
            throw nb::index_error("There are fewer rows than that.");
        return begin + static_cast<Index>(count);
    }

    PathArrays arrays{};

private:
    const PathLoops& loops_;
    nb::object owners_;
};

}  // namespace

void bind_path(nb::module_& m) {
    nb::enum_<PathStage>(m, "PathStage", "Which right-hand side of a step's linear system.")
        .value("predictor", PathStage::predictor)
        .value("correction", PathStage::correction)
        .value("further", PathStage::further);
    using Unlocked = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<Direction>(m, "PathDirection", "A direction of the interior point; it writes to the arrays given.")
        .def(nb::init<bool, const Costs&, const Output<double>&, const Output<double>&, const Output<double>&,
                      const Output<double>&, const Output<double>&, const Output<double>&, const Output<float>&,
                      const Output<float>&>(),
             "squared"_a, "C"_a.noconvert(), "alpha"_a.noconvert(), "beta"_a.noconvert(), "s"_a.noconvert(),
             "xi"_a.noconvert(), "spare"_a.noconvert(), "da"_a.noconvert(), "a"_a.noconvert(), "c"_a.noconvert())
        .def(
            "theta",
            [](const Direction& self, const Output<double>& out) {
                if (self.end_of(0, out.shape(0)) != self.arrays.n)
                    throw nb::value_error("out must have one number for each row.");
                nb::gil_scoped_release release;
                self.rows().theta(self.arrays, out.data());
            },
            "out"_a.noconvert(), "Write the weights (n,).")
        .def(
            "right_side",
            [](const Direction& self, PathStage stage, const Output<double>& out) {
                if (self.end_of(0, out.shape(0)) != self.arrays.n)
                    throw nb::value_error("out must have one number for each row.");
                nb::gil_scoped_release release;
                self.rows().right_side[static_cast<int>(stage)](self.arrays, out.data());
            },
            "stage"_a, "out"_a.noconvert(), "Write g (n,).")
        .def(
            "weigh",
            [](const Direction& self, PathStage stage, Index begin, const Output<double>& values) {
                const Index end = self.end_of(begin, values.shape(0));
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
            "further_fall", [](const Direction& self) { return self.rows().further_fall(self.arrays); }, Unlocked(),
            "The same with the further correction.")
        .def(
            "aim",
            [](Direction& self, double reach, double target) {
                self.arrays.reach = reach;
                self.arrays.target = target;
            },
            "reach"_a, "target"_a, "Choose the further correction, by the products after a step of this length.")
        .def(
            "go_further", [](const Direction& self) { self.rows().go_further(self.arrays); }, Unlocked(),
            "Keep the further correction, with da.")
        .def(
            "take", [](const Direction& self, double reach) { self.rows().take(self.arrays, reach); }, "reach"_a,
            Unlocked(), "Move the iterate along the direction.");
}
