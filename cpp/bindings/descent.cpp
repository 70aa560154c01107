// Coordinate descent for Python: typed arrays in, GIL released, no logic.
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>

#include "bindings/rows.hpp"
#include "descent/coordinate_descent.hpp"
#include "descent/epoch_over_parts.hpp"

using namespace separatrix;

namespace {

struct HeldDescent {
    std::unique_ptr<Descent> descent;
    nb::object owners;
    Index rows, columns;
};

HeldDescent* new_descent(const Rows& rows, const Array<double>& y, const Array<double>& C, bool squared, bool shrink,
                         double kappa, std::uint64_t seed, int n_threads, Index chunk, int memory, bool in_place,
                         bool mapped) {
    expect(y.shape(0), rows.rows(), "y");
    expect(C.shape(0), rows.rows(), "C");
    if (chunk < 1) throw nb::value_error("chunk must be at least 1.");
    if (memory < 0 || memory > max_moves) throw nb::value_error("memory must be from 0 to 16.");
    expect_int32_sizes(rows.rows(), rows.columns());
    const DescentSettings settings{squared, shrink, kappa, seed, n_threads, chunk, memory, in_place, mapped};
    return new HeldDescent{rows.visit([&](const auto& view) -> std::unique_ptr<Descent> {
                               return std::make_unique<CoordinateDescent<std::decay_t<decltype(view)>>>(
                                   view, y.data(), C.data(), settings);
                           }),
                           rows.owners, rows.rows(), rows.columns()};
}

}  // namespace

void bind_descent(nb::module_& m) {
    nb::class_<DescentReport>(m, "DescentReport", "What one epoch saw.")
        .def_ro("gap", &DescentReport::gap, "The visited rows' shares of the duality gap, each before its update.")
        .def_ro("dual", &DescentReport::dual, "sum_i dual_term(alpha_i) - 1/2 ||w||^2.")
        .def_ro("active", &DescentReport::active, "Rows visited.")
        .def_ro("epochs", &DescentReport::epochs, "Epochs so far.")
        .def_ro("steps", &DescentReport::steps, "Subspace steps taken so far.")
        .def_ro("precision", &DescentReport::precision, "0: float32; 1: float64 w; 2: float64 w and data.")
        .def_ro("residual", &DescentReport::residual, "sum_i alpha_i y_i; 0 without a bias.")
        .def_ro("bias", &DescentReport::bias, "centre + kappa * residual.")
        .def_ro("room", &DescentReport::room, "Sum of the distances of alphas to their nearer bound; 0 without a bias.")
        .def_ro("whole", &DescentReport::whole, "Whether there was time to visit every active row.");
    nb::class_<HeldDescent>(m, "Descent", "The state of dual coordinate descent on one problem.")
        .def(
            "epoch",
            [](HeldDescent& self, double seconds, double passes) {
                nb::gil_scoped_release release;
                return self.descent->epoch(seconds, passes);
            },
            "seconds"_a = std::numeric_limits<double>::infinity(), "passes"_a = std::numeric_limits<double>::infinity(),
            "Visit every active row once, or as many as there is time for; about so many passes are still "
            "needed.")
        .def(
            "refine",
            [](HeldDescent& self, int precision) {
                nb::gil_scoped_release release;
                self.descent->refine(precision);
            },
            "precision"_a, "Raise the precision; it never falls.")
        .def(
            "look",
            [](HeldDescent& self) {
                nb::gil_scoped_release release;
                return self.descent->look();
            },
            "The gap of the active rows as they are now.")
        .def(
            "look_aside",
            [](HeldDescent& self, double enough) {
                nb::gil_scoped_release release;
                return self.descent->look_aside(enough);
            },
            "enough"_a,
            "The gap of the rows left out; where it is more than enough, those that are part of it are "
            "active from now on.")
        .def(
            "unshrink", [](HeldDescent& self) { self.descent->unshrink(); }, "Make every row active.")
        .def(
            "resum",
            [](HeldDescent& self) {
                nb::gil_scoped_release release;
                self.descent->resum();
            },
            "Compute w anew from alpha.")
        .def(
            "set_centre", [](HeldDescent& self, double centre) { self.descent->set_centre(centre); }, "centre"_a,
            "Move the centre of the bias.")
        .def(
            "get_alpha",
            [](const HeldDescent& self, const Output<>& out, Index begin) {
                self.descent->get_alpha(begin, end_of(self.rows, begin, out.shape(0)), out.data());
            },
            "out"_a.noconvert(), "begin"_a = 0, "Write the alphas of some rows, from `begin` on.")
        .def(
            "place_alpha",
            [](HeldDescent& self, const Array<double>& alpha, Index begin) {
                self.descent->place_alpha(begin, end_of(self.rows, begin, alpha.shape(0)), alpha.data());
            },
            "alpha"_a, "begin"_a = 0, "Set the alphas of some rows, clipped to their bounds; `resum` comes next.")
        .def(
            "set_alpha",
            [](HeldDescent& self, const Array<double>& alpha) {
                expect(alpha.shape(0), self.rows, "alpha");
                nb::gil_scoped_release release;
                self.descent->place_alpha(0, self.rows, alpha.data());
                self.descent->resum();
            },
            "alpha"_a, "Continue from alpha (n,), clipped to its bounds.")
        .def(
            "get_w",
            [](const HeldDescent& self, const Output<>& out) {
                expect(out.shape(0), self.columns, "out");
                self.descent->get_w(out.data());
            },
            "out"_a.noconvert(), "Write w (d,).")
        .def("bias", [](const HeldDescent& self) { return self.descent->bias(); }, "The bias b.");
    m.def(
        "epoch_together",
        [](const std::vector<HeldDescent*>& parts, const Output<>& w, double bias, std::uint64_t seed) {
            std::vector<Descent*> descents;
            for (const HeldDescent* part : parts) {
                expect(w.shape(0), part->columns, "w");
                descents.push_back(part->descent.get());
            }
            nb::gil_scoped_release release;
            std::vector<double> moving(w.data(), w.data() + w.shape(0));
            epoch_together(descents, moving, bias, seed);
            std::copy(moving.begin(), moving.end(), w.data());
            return bias;
        },
        "parts"_a, "w"_a.noconvert(), "bias"_a, "seed"_a,
        "One epoch over the rows of descents made in place as if they were one, from w (d,), changed, and b; "
        "the new b.");
    nb::borrow<nb::class_<Rows>>(m.attr("Rows"))
        .def("descent", &new_descent, nb::rv_policy::take_ownership, "y"_a, "C"_a, nb::kw_only(), "squared"_a,
             "shrink"_a, "kappa"_a, "seed"_a, "n_threads"_a, "chunk"_a, "memory"_a, "in_place"_a = false,
             "mapped"_a = false, "Dual coordinate descent from alpha = 0.");
}
