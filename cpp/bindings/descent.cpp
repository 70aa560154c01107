// Coordinate descent for Python: typed arrays in, GIL released, no logic.
#include <nanobind/stl/vector.h>

#include <limits>
#include <string>

#include "bindings/rows.hpp"
#include "descent/descent.hpp"
#include "descent/epoch_over_parts.hpp"

using namespace separatrix;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A descent and the arrays it reads.
struct HeldDescent {
    Descent descent;
    nb::object owners;
    Index rows, columns;
};

// Reads the fields of a Python record of the same names.
DescentTuning read_tuning(const nb::object& record) {
    const auto read = [&](const char* name, auto& field) {
        field = nb::cast<std::decay_t<decltype(field)>>(record.attr(name));
    };
    DescentTuning tuning;
    read("run_length", tuning.run_length);
    read("shrink", tuning.shrink);
    read("outlier", tuning.outlier);
    read("moves", tuning.moves);
    read("epochs_per_acceleration", tuning.epochs_per_acceleration);
    read("copy", tuning.copy);
    read("copy_below", tuning.copy_below);
    read("slow_after", tuning.slow_after);
    if (tuning.run_length < 1) refuse("run_length must be at least 1; got " + std::to_string(tuning.run_length) + ".");
    if (tuning.moves < 0 || tuning.moves > max_moves)
        refuse("moves must be from 0 to 16; got " + std::to_string(tuning.moves) + ".");
    return tuning;
}

HeldDescent* new_descent(const Rows& rows, const Array<double>& y, const Array<double>& C, const nb::object& tuning,
                         bool squared, double kappa, std::uint64_t seed, bool mapped) {
    expect(y.shape(0), rows.rows(), "y");
    expect(C.shape(0), rows.rows(), "C");
    expect_int32_sizes(rows.rows(), rows.columns());
    const AnyRows view = rows.visit([](const auto& same) -> AnyRows { return same; });
    return new HeldDescent{
        Descent(view, y.data(), C.data(), DescentSettings{squared, kappa, seed, mapped}, read_tuning(tuning)),
        rows.owners, rows.rows(), rows.columns()};
}

}  // namespace

void bind_descent(nb::module_& m) {
    nb::class_<DescentReport>(m, "DescentReport", "What one epoch saw.")
        .def_ro("gap", &DescentReport::gap, "The visited rows' shares of the duality gap, each before its update.")
        .def_ro("dual", &DescentReport::dual, "sum_i dual_term(alpha_i) - 1/2 ||w||^2.")
        .def_ro("active", &DescentReport::active, "Rows visited.")
        .def_ro("epochs", &DescentReport::epochs, "Epochs so far.")
        .def_ro("steps", &DescentReport::steps, "Accelerated steps taken so far.")
        .def_ro("work", &DescentReport::work, "Entries of rows read so far.")
        .def_ro("residual", &DescentReport::residual, "sum_i alpha_i y_i; 0 without a bias.")
        .def_ro("bias", &DescentReport::bias, "centre + kappa * residual.")
        .def_ro("room", &DescentReport::room, "Sum of the distances of alphas to their nearer bound; 0 without a bias.")
        .def_ro("whole", &DescentReport::whole, "Whether there was time to visit every active row.")
        .def_ro("copied", &DescentReport::copied, "Whether the pass read a copy of the active rows.");
    nb::class_<HeldDescent>(m, "Descent", "The state of dual coordinate descent on one problem.")
        .def(
            "epoch",
            [](HeldDescent& self, double seconds) {
                nb::gil_scoped_release release;
                return self.descent.epoch(seconds);
            },
            "seconds"_a = infinity, "Visit every active row once, or as many as there is time for.")
        .def(
            "inactive_gap",
            [](HeldDescent& self, double threshold, double seconds) {
                nb::gil_scoped_release release;
                return self.descent.inactive_gap(threshold, seconds);
            },
            "threshold"_a, "seconds"_a = infinity,
            "The gap of the inactive rows, or infinity if there was no time; where it is more than threshold, rows "
            "that are part "
            "of it become active again.")
        .def(
            "unshrink", [](HeldDescent& self) { self.descent.unshrink(); }, "Make every row active.")
        .def(
            "resum",
            [](HeldDescent& self) {
                nb::gil_scoped_release release;
                self.descent.resum();
            },
            "Compute w anew from alpha.")
        .def(
            "set_centre", [](HeldDescent& self, double centre) { self.descent.set_centre(centre); }, "centre"_a,
            "Move the centre of the bias.")
        .def(
            "get_alpha",
            [](HeldDescent& self, const Output<>& out, Index begin) {
                self.descent.get_alpha(begin, end_of(self.rows, begin, out.shape(0)), out.data());
            },
            "out"_a.noconvert(), "begin"_a = 0, "Write the alphas of some rows, from `begin` on.")
        .def(
            "place_alpha",
            [](HeldDescent& self, const Array<double>& alpha, Index begin) {
                self.descent.place_alpha(begin, end_of(self.rows, begin, alpha.shape(0)), alpha.data());
            },
            "alpha"_a, "begin"_a = 0, "Set the alphas of some rows, clipped to their bounds; `resum` comes next.")
        .def(
            "set_alpha",
            [](HeldDescent& self, const Array<double>& alpha) {
                expect(alpha.shape(0), self.rows, "alpha");
                nb::gil_scoped_release release;
                self.descent.place_alpha(0, self.rows, alpha.data());
                self.descent.resum();
            },
            "alpha"_a, "Continue from alpha (n,), clipped to its bounds.")
        .def(
            "get_w",
            [](HeldDescent& self, const Output<>& out) {
                expect(out.shape(0), self.columns, "out");
                self.descent.get_w(out.data());
            },
            "out"_a.noconvert(), "Write w (d,).")
        .def("bias", [](const HeldDescent& self) { return self.descent.bias(); }, "The bias b.");
    m.def(
        "epoch_over_parts",
        [](const std::vector<HeldDescent*>& parts, const Output<>& w, double bias, std::uint64_t seed) {
            std::vector<Descent*> descents;
            for (HeldDescent* part : parts) {
                expect(w.shape(0), part->columns, "w");
                descents.push_back(&part->descent);
            }
            nb::gil_scoped_release release;
            epoch_over_parts(descents, w.data(), bias, seed);
            return bias;
        },
        "parts"_a, "w"_a.noconvert(), "bias"_a, "seed"_a,
        "One epoch over the rows of descents without copies as if they were one, from w (d,), changed, and b; the new "
        "b.");
    nb::borrow<nb::class_<Rows>>(m.attr("Rows"))
        .def("descent", &new_descent, nb::rv_policy::take_ownership, "y"_a, "C"_a, nb::kw_only(), "tuning"_a,
             "squared"_a, "kappa"_a, "seed"_a, "mapped"_a = false,
             "Dual coordinate descent from alpha = 0; tuning is a record of numbers.");
}
