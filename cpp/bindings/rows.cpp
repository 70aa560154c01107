// Row views, their products and coordinate descent for Python: typed arrays in, GIL released, no logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <limits>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "descent/coordinate_descent.hpp"
#include "descent/epoch_over_parts.hpp"
#include "descent/squared_hinge.hpp"
#include "rows/products.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace separatrix;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Square = nb::ndarray<double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A view of some kind, together with the Python arrays it looks at.
class Rows {
public:
    virtual ~Rows() = default;
    virtual void scores(Index first, Index count, const double* w, double* out, int n_threads) const = 0;
    virtual void weighted_sum(Index first, Index count, const double* c, double* out, int n_threads) const = 0;
    virtual void add_rows(const std::int64_t* ids, Index count, const double* c, double* out) const = 0;
    virtual void squared_norms(double* out, int n_threads) const = 0;
    virtual void add_normal_matrix(Index first, Index count, const double* weights, bool ones, double* out,
                                   int n_threads) const = 0;
    virtual void move_normal_matrix(Index first, Index count, const double* C, const double* slack, bool* active,
                                    bool ones, double* out, int n_threads) const = 0;
    virtual HingeValues squared_hinge(Index first, Index count, const double* y, const double* C, const double* w,
                                      bool ones, double* slack, double* v, int n_threads) const = 0;
    virtual std::unique_ptr<Descent> descent(const double* y, const double* C, const DescentSettings&) const = 0;
    virtual Index rows() const = 0;
    virtual Index columns() const = 0;
    virtual bool sparse() const = 0;
    nb::object owners;
};

template <class View>
class RowsOf final : public Rows {
public:
    explicit RowsOf(const View& view) : view_(view) {}
    void scores(Index first, Index count, const double* w, double* out, int n_threads) const override {
        separatrix::scores(view_, first, count, w, out, n_threads);
    }
    void weighted_sum(Index first, Index count, const double* c, double* out, int n_threads) const override {
        separatrix::weighted_sum(view_, first, count, c, out, n_threads);
    }
    void add_rows(const std::int64_t* ids, Index count, const double* c, double* out) const override {
        separatrix::add_rows(view_, ids, count, c, out);
    }
    void squared_norms(double* out, int n_threads) const override { separatrix::squared_norms(view_, out, n_threads); }
    void add_normal_matrix(Index first, Index count, const double* weights, bool ones, double* out,
                           int n_threads) const override {
        if constexpr (!View::sparse) separatrix::add_normal_matrix(view_, first, count, weights, ones, out, n_threads);
    }
    void move_normal_matrix(Index first, Index count, const double* C, const double* slack, bool* active, bool ones,
                            double* out, int n_threads) const override {
        if constexpr (!View::sparse)
            separatrix::move_normal_matrix(view_, first, count, C, slack, active, ones, out, n_threads);
    }
    HingeValues squared_hinge(Index first, Index count, const double* y, const double* C, const double* w, bool ones,
                              double* slack, double* v, int n_threads) const override {
        return separatrix::squared_hinge(view_, first, count, y, C, w, ones, slack, v, n_threads);
    }
    std::unique_ptr<Descent> descent(const double* y, const double* C, const DescentSettings& settings) const override {
        return std::make_unique<CoordinateDescent<View>>(view_, y, C, settings);
    }
    Index rows() const override { return view_.rows; }
    Index columns() const override { return view_.columns; }
    bool sparse() const override { return View::sparse; }

private:
    View view_;
};

struct HeldDescent {
    std::unique_ptr<Descent> descent;
    nb::object owners;
    Index rows, columns;
};

void expect(std::size_t got, Index wanted, const char* what) {
    if (static_cast<Index>(got) == wanted) return;
    const std::string sentence =
        std::string(what) + " must have length " + std::to_string(wanted) + "; got " + std::to_string(got) + ".";
    throw nb::value_error(sentence.c_str());
}

template <class V>
std::unique_ptr<Rows> dense(const Table<V>& X) {
    auto rows = std::make_unique<RowsOf<DenseRows<V>>>(
        DenseRows<V>{X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))});
    rows->owners = nb::cast(X);
    return rows;
}

template <class V, class I>
std::unique_ptr<Rows> sparse(const Array<V>& values, const Array<I>& indices, const Array<I>& starts, Index columns) {
    if (starts.shape(0) == 0) throw nb::value_error("starts must not be empty.");
    expect(indices.shape(0), static_cast<Index>(values.shape(0)), "indices");
    auto rows = std::make_unique<RowsOf<SparseRows<V, I>>>(SparseRows<V, I>{
        values.data(), indices.data(), starts.data(), static_cast<Index>(starts.shape(0)) - 1, columns});
    rows->owners = nb::make_tuple(nb::cast(values), nb::cast(indices), nb::cast(starts));
    return rows;
}

template <class V, class I>
void bind_sparse(nb::module_& m) {
    m.def("sparse_rows", &sparse<V, I>, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(),
          "columns"_a, "The rows of a CSR matrix; columns within a row are distinct.");
}

Index end_of(Index rows, Index begin, std::size_t count) {
    if (begin < 0 || begin > rows - static_cast<Index>(count)) throw nb::index_error("There are fewer rows than that.");
    return begin + static_cast<Index>(count);
}

void check_ids(const Array<std::int64_t>& ids, Index rows) {
    for (std::size_t k = 0; k < ids.shape(0); ++k) {
        if (ids.data()[k] < 0 || ids.data()[k] >= rows) throw nb::index_error("ids must name rows.");
    }
}

void check_normal(const Rows& self, const Square& out, bool ones) {
    if (self.sparse()) throw nb::value_error("The rows must be dense.");
    const Index D = self.columns() + (ones ? 1 : 0);
    if (D > most_normal_columns) throw nb::value_error("That many columns are for a product of matrices.");
    expect(out.shape(0), D, "out");
    expect(out.shape(1), D, "out");
}

HeldDescent* new_descent(const Rows& rows, const Array<double>& y, const Array<double>& C, bool squared, bool shrink,
                         double kappa, std::uint64_t seed, int n_threads, Index chunk, int memory, bool in_place,
                         bool mapped) {
    expect(y.shape(0), rows.rows(), "y");
    expect(C.shape(0), rows.rows(), "C");
    if (chunk < 1) throw nb::value_error("chunk must be at least 1.");
    if (memory < 0 || memory > max_moves) throw nb::value_error("memory must be from 0 to 16.");
    if (rows.rows() > INT32_MAX || rows.columns() > INT32_MAX) {
        throw nb::value_error("X must have fewer than 2^31 rows and columns.");
    }
    const DescentSettings settings{squared, shrink, kappa, seed, n_threads, chunk, memory, in_place, mapped};
    return new HeldDescent{rows.descent(y.data(), C.data(), settings), rows.owners, rows.rows(), rows.columns()};
}

}  // namespace

void bind_rows(nb::module_& m) {
    nb::class_<Rows>(m, "Rows", "A view of the rows of a dense or CSR matrix; it shares the arrays' memory.")
        .def(
            "scores",
            [](const Rows& self, const Array<double>& w, const Output& out, int n_threads, Index begin) {
                expect(w.shape(0), self.columns(), "w");
                const Index count = end_of(self.rows(), begin, out.shape(0)) - begin;
                nb::gil_scoped_release release;
                self.scores(begin, count, w.data(), out.data(), n_threads);
            },
            "w"_a, "out"_a.noconvert(), "n_threads"_a = 1, "begin"_a = 0, "out = X w for some rows, from `begin` on.")
        .def(
            "weighted_sum",
            [](const Rows& self, const Array<double>& c, const Output& out, int n_threads, Index begin) {
                const Index count = end_of(self.rows(), begin, c.shape(0)) - begin;
                expect(out.shape(0), self.columns(), "out");
                nb::gil_scoped_release release;
                self.weighted_sum(begin, count, c.data(), out.data(), n_threads);
            },
            "c"_a, "out"_a.noconvert(), "n_threads"_a = 1, "begin"_a = 0,
            "out (d,) = the sum over some rows, from `begin` on, of c_i x_i.")
        .def(
            "add_rows",
            [](const Rows& self, const Array<std::int64_t>& ids, const Array<double>& c, const Output& out) {
                const auto count = static_cast<Index>(ids.shape(0));
                expect(c.shape(0), count, "c");
                expect(out.shape(0), self.columns(), "out");
                check_ids(ids, self.rows());
                nb::gil_scoped_release release;
                self.add_rows(ids.data(), count, c.data(), out.data());
            },
            "ids"_a, "c"_a, "out"_a.noconvert(), "out (d,) += sum_k c_k x_ids[k].")
        .def(
            "squared_norms",
            [](const Rows& self, const Output& out, int n_threads) {
                expect(out.shape(0), self.rows(), "out");
                nb::gil_scoped_release release;
                self.squared_norms(out.data(), n_threads);
            },
            "out"_a.noconvert(), "n_threads"_a = 1, "out (n,) = ||x_i||^2.")
        .def(
            "add_normal_matrix",
            [](const Rows& self, const Array<double>& weights, const Square& out, bool ones, int n_threads,
               Index begin) {
                const Index count = end_of(self.rows(), begin, weights.shape(0)) - begin;
                check_normal(self, out, ones);
                nb::gil_scoped_release release;
                self.add_normal_matrix(begin, count, weights.data(), ones, out.data(), n_threads);
            },
            "weights"_a, "out"_a.noconvert(), nb::kw_only(), "ones"_a, "n_threads"_a = 1, "begin"_a = 0,
            "Lower triangle of out (D, D) += the sum over some rows, from `begin` on, of t_i a_i a_i^T, a_i "
            "= (x_i, 1) with `ones`.")
        .def(
            "move_normal_matrix",
            [](const Rows& self, const Array<double>& C, const Array<double>& slack, const Marks& active,
               const Square& out, bool ones, int n_threads, Index begin) {
                const Index count = end_of(self.rows(), begin, C.shape(0)) - begin;
                expect(slack.shape(0), count, "slack");
                expect(active.shape(0), count, "active");
                check_normal(self, out, ones);
                nb::gil_scoped_release release;
                self.move_normal_matrix(begin, count, C.data(), slack.data(), active.data(), ones, out.data(),
                                        n_threads);
            },
            "C"_a, "slack"_a, "active"_a.noconvert(), "out"_a.noconvert(), nb::kw_only(), "ones"_a, "n_threads"_a = 1,
            "begin"_a = 0,
            "out (D, D) from the active of some rows, from `begin` on, to those with slack > 0, weights t_i "
            "= 2 C_i.")
        .def(
            "squared_hinge",
            [](const Rows& self, const Array<double>& y, const Array<double>& C, const Array<double>& w,
               const Output& slack, const Output& v, bool ones, int n_threads, Index begin) {
                const Index count = end_of(self.rows(), begin, slack.shape(0)) - begin;
                const Index D = self.columns() + (ones ? 1 : 0);
                expect(y.shape(0), count, "y");
                expect(C.shape(0), count, "C");
                expect(w.shape(0), D, "w");
                expect(v.shape(0), D, "v");
                nb::gil_scoped_release release;
                const HingeValues found = self.squared_hinge(begin, count, y.data(), C.data(), w.data(), ones,
                                                             slack.data(), v.data(), n_threads);
                return std::pair{found.loss, found.alpha};
            },
            "y"_a, "C"_a, "w"_a, "slack"_a.noconvert(), "v"_a.noconvert(), nb::kw_only(), "ones"_a, "n_threads"_a = 1,
            "begin"_a = 0,
            "slack_i = 1 - y_i a_i.w of some rows, from `begin` on; v (D,) += the sum of alpha_i y_i a_i, "
            "alpha_i = 2 C_i max(0, "
            "slack_i). Returns the sums of C_i max(0, slack_i)^2 and of alpha_i.")
        .def("descent", &new_descent, nb::rv_policy::take_ownership, "y"_a, "C"_a, nb::kw_only(), "squared"_a,
             "shrink"_a, "kappa"_a, "seed"_a, "n_threads"_a, "chunk"_a, "memory"_a, "in_place"_a = false,
             "mapped"_a = false, "Dual coordinate descent from alpha = 0.");
    m.def(
        "squared_hinge_slope",
        [](const Array<double>& C, const Array<double>& before, const Array<double>& after, double t) {
            const auto count = static_cast<Index>(C.shape(0));
            expect(before.shape(0), count, "before");
            expect(after.shape(0), count, "after");
            nb::gil_scoped_release release;
            const Slope found = squared_hinge_slope(C.data(), before.data(), after.data(), t, count);
            return std::pair{found.slope, found.curvature};
        },
        "C"_a, "before"_a, "after"_a, "t"_a,
        "First and second derivative at t of the sum of C_i max(0, s_i)^2, s = slack before + t (slack after "
        "- slack before).");
    m.def("dense_rows", &dense<float>, "X"_a.noconvert(), "The rows of a C-contiguous matrix.");
    m.def("dense_rows", &dense<double>, "X"_a.noconvert(), "The rows of a C-contiguous matrix.");
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
}

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
            [](const HeldDescent& self, const Output& out, Index begin) {
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
            [](const HeldDescent& self, const Output& out) {
                expect(out.shape(0), self.columns, "out");
                self.descent->get_w(out.data());
            },
            "out"_a.noconvert(), "Write w (d,).")
        .def("bias", [](const HeldDescent& self) { return self.descent->bias(); }, "The bias b.");
    m.def(
        "epoch_together",
        [](const std::vector<HeldDescent*>& parts, const Output& w, double bias, std::uint64_t seed) {
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
}
