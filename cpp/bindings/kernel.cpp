// Kernel blocks, scores and block SMO for Python: typed arrays in, GIL released, no logic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

#include "bindings/rows.hpp"
#include "smo/block_smo.hpp"
#include "smo/kernel_scores.hpp"

using namespace separatrix;

namespace {

// Points together with the arrays they look at.
struct HeldPoints {
    std::unique_ptr<Points> points;
    nb::object owners;
};

struct HeldSmo {
    std::unique_ptr<Smo> smo;
    Index rows;
    bool supplied;  // by the caller
    Index missing = 0;
};

HeldPoints points_of(const Rows& rows) {
    expect_int32_sizes(rows.rows(), rows.columns());
    return {rows.visit([](const auto& view) { return points_over(view); }), rows.owners};
}

using Numbers = std::optional<Array<std::int32_t>>;

// The points with these numbers; all of them where there are none.
ChosenPoints chosen(const HeldPoints& held, const Numbers& numbers) {
    if (!numbers) return ChosenPoints(*held.points);
    expect_rows(*numbers, held.points->rows, "A number of a point");
    return {*held.points, numbers->data(), static_cast<Index>(numbers->shape(0))};
}

KernelFormula formula_of(const std::string& kind, double gamma, double coef0, int degree) {
    const char* const names[] = {"linear", "poly", "rbf", "sigmoid", "laplacian"};
    for (int k = 0; k < 5; ++k) {
        if (kind == names[k]) return {static_cast<KernelKind>(k), gamma, coef0, degree};
    }
    refuse("kind must be linear, poly, rbf, sigmoid or laplacian; got " + kind + ".");
}

SmoBias bias_of(const std::string& bias) {
    if (bias == "none") return SmoBias::none;
    if (bias == "augmented") return SmoBias::augmented;
    if (bias == "free") return SmoBias::free;
    refuse("bias must be none, augmented or free; got " + bias + ".");
}

HeldSmo* new_smo(HeldPoints* points, const KernelFormula& formula, const Array<double>& y, const Array<double>& C,
                 bool wide, bool squared, const std::string& bias, Index working_set, double cache_mb, bool shrink,
                 bool stop_on_negative, int n_threads) {
    const Index n = static_cast<Index>(y.shape(0));
    expect(C.shape(0), n, "C");
    if (points != nullptr) expect(y.shape(0), points->points->rows, "y");
    if (n < 1 || n > INT32_MAX) refuse("There must be from 1 to 2^31 - 1 rows; got " + std::to_string(n) + ".");
    if (working_set < 2) refuse("working_set must be at least 2; got " + std::to_string(working_set) + ".");
    const SmoSettings settings{
        squared, bias_of(bias), working_set, cache_mb, shrink, stop_on_negative, n_threads < 1 ? 1 : n_threads};
    Points* given = points == nullptr ? nullptr : points->points.get();
    auto held = std::make_unique<HeldSmo>();
    held->rows = n;
    held->supplied = given == nullptr;
    nb::gil_scoped_release release;
    if (wide) {
        held->smo = std::make_unique<BlockSmo<double>>(y.data(), C.data(), n, settings, given, formula);
    } else {
        held->smo = std::make_unique<BlockSmo<float>>(y.data(), C.data(), n, settings, given, formula);
    }
    return held.release();
}

}  // namespace

void bind_kernel(nb::module_& m) {
    nb::class_<KernelFormula>(m, "KernelFormula", "A kernel that the core knows.")
        .def(
            "__init__",
            [](KernelFormula* self, const std::string& kind, double gamma, double coef0, int degree) {
                new (self) KernelFormula(formula_of(kind, gamma, coef0, degree));
            },
            "kind"_a, "gamma"_a = 1.0, "coef0"_a = 0.0, "degree"_a = 1);
    nb::class_<HeldPoints>(m, "KernelPoints", "Rows as points of a kernel; the memory is shared.")
        .def("__init__", [](HeldPoints* self, const Rows& rows) { new (self) HeldPoints(points_of(rows)); }, "rows"_a);
    m.def(
        "kernel_scores",
        [](const KernelFormula& formula, HeldPoints& targets, HeldPoints& sources, const Table<double>& coef,
           const OutputTable& out, bool wide, int n_threads, const Numbers& target_rows, const Numbers& source_rows) {
            if (targets.points->columns != sources.points->columns)
                refuse("targets and sources must have as many columns; got " + std::to_string(targets.points->columns) +
                       " and " + std::to_string(sources.points->columns) + ".");
            const ChosenPoints at = chosen(targets, target_rows), from = chosen(sources, source_rows);
            expect(coef.shape(0), from.count(), "coef");
            expect(out.shape(0), at.count(), "out");
            expect(out.shape(1), static_cast<Index>(coef.shape(1)), "a row of out");
            nb::gil_scoped_release release;
            const Index classes = static_cast<Index>(coef.shape(1));
            if (wide) {
                kernel_scores<double>(formula, at, from, coef.data(), classes, out.data(), n_threads);
            } else {
                kernel_scores<float>(formula, at, from, coef.data(), classes, out.data(), n_threads);
            }
        },
        "formula"_a, "targets"_a, "sources"_a, "coef"_a, "out"_a.noconvert(), "wide"_a, "n_threads"_a,
        "target_rows"_a = nb::none(), "source_rows"_a = nb::none(),
        "out (n, classes) += sum_j k(x_i, s_j) coef (m, classes); of the points with these numbers only, "
        "where they are given.");
    nb::class_<SmoReport>(m, "SmoReport", "What some rounds of block SMO reached.")
        .def(nb::init<>())
        .def_ro("primal", &SmoReport::primal, "Primal value that F implies.")
        .def_ro("dual", &SmoReport::dual, "Dual value that F implies.")
        .def_ro("bias", &SmoReport::bias, "The bias b.")
        .def_ro("violation", &SmoReport::violation, "Largest violation of the optimality conditions.")
        .def_ro("rounds", &SmoReport::rounds, "Working sets so far.")
        .def_ro("steps", &SmoReport::steps, "Updates of alpha so far.")
        .def_ro("active", &SmoReport::active, "Rows that are worked on.")
        .def_ro("computed", &SmoReport::computed, "Rows of K computed so far, repetitions included.")
        .def_ro("reached", &SmoReport::reached, "Whether the gap is within the target.")
        .def_ro("stalled", &SmoReport::stalled, "Whether more rounds would change nothing.")
        .def_ro("negative_first", &SmoReport::negative_first, "Row i of a pair of negative curvature, or -1.")
        .def_ro("negative_second", &SmoReport::negative_second, "Row j of that pair.")
        .def_ro("curvature", &SmoReport::curvature, "K_ii + K_jj - 2 K_ij.");
    nb::class_<HeldSmo>(m, "BlockSmo", "The state of block SMO on one kernel problem.")
        .def(
            "run",
            [](HeldSmo& self, double target, Index rounds, double seconds) {
                if (self.supplied)
                    refuse("run needs points; the rows of this kernel are supplied: use select, supply, advance.");
                nb::gil_scoped_release release;
                return self.smo->run(target, rounds, seconds);
            },
            "target"_a, "rounds"_a, "seconds"_a, "Rounds until the relative gap is within target.")
        .def(
            "select",
            [](HeldSmo& self) {
                const auto& rows = self.smo->select();
                self.missing = static_cast<Index>(rows.size());
                return copied(rows);
            },
            "Choose a working set; the rows of K that are needed.")
        .def(
            "supply",
            [](HeldSmo& self, const Table<double>& K) {
                expect(K.shape(0), self.missing, "K");
                expect(K.shape(1), self.rows, "a row of K");
                nb::gil_scoped_release release;
                self.smo->supply(K.data());
                self.missing = 0;
            },
            "K"_a, "The rows of K (m, n) that select asked for.")
        .def(
            "advance",
            [](HeldSmo& self, double target) {
                if (self.missing > 0)
                    refuse("supply must come before advance; " + std::to_string(self.missing) +
                           " rows of K are missing.");
                nb::gil_scoped_release release;
                return self.smo->advance(target);
            },
            "target"_a, "Solve the working set.")
        .def(
            "set_point",
            [](HeldSmo& self, const Array<double>& alpha, const Array<double>& F) {
                expect(alpha.shape(0), self.rows, "alpha");
                expect(F.shape(0), self.rows, "F");
                self.smo->set_point(alpha.data(), F.data());
            },
            "alpha"_a, "F"_a, "Continue from alpha (n,), with F = K (alpha y) (n,).")
        .def(
            "tolerate_negative", [](HeldSmo& self) { self.smo->tolerate_negative(); },
            "Go on in spite of negative curvature, and forget what was seen.")
        .def(
            "get_alpha",
            [](const HeldSmo& self, const Output<>& out) {
                expect(out.shape(0), self.rows, "out");
                self.smo->get_alpha(out.data());
            },
            "out"_a.noconvert(), "Write alpha (n,).")
        .def(
            "get_sums",
            [](const HeldSmo& self, const Output<>& out) {
                expect(out.shape(0), self.rows, "out");
                self.smo->get_sums(out.data());
            },
            "out"_a.noconvert(), "Write F = K (alpha y) (n,) as the rounds have added it up.");
    m.def("block_smo", &new_smo, nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(), "points"_a.none(), "formula"_a,
          "y"_a, "C"_a, nb::kw_only(), "wide"_a, "squared"_a, "bias"_a, "working_set"_a, "cache_mb"_a, "shrink"_a,
          "stop_on_negative"_a, "n_threads"_a,
          "Block SMO from alpha = 0; without points the caller supplies the rows of K.");
}
