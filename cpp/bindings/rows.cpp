// Row views and their products for Python: typed arrays in, GIL released, no logic.
#include "bindings/rows.hpp"

#include <nanobind/stl/pair.h>

#include <limits>
#include <type_traits>

#include "descent/squared_hinge.hpp"
#include "rows/products.hpp"

using namespace separatrix;

namespace {

using Marks = nb::ndarray<bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Square = nb::ndarray<double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

template <class V>
Rows dense(const Table<V>& X) {
    return {DenseRows<V>{X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))}, nb::cast(X)};
}

// Everything that reads the rows relies on this. One pass over the indices and starts: see tests/test_core.py.
template <class I>
void check_csr(const Array<I>& indices, const Array<I>& starts, Index columns) {
    const auto n = static_cast<Index>(starts.shape(0)) - 1, entries = static_cast<Index>(indices.shape(0));
    if (n < 0) refuse("starts must have one number more than there are rows; got none.");
    if (columns < 0) refuse("columns must be at least 0; got " + std::to_string(columns) + ".");
    const I *start = starts.data(), *index = indices.data();
    if (start[0] != 0) refuse("starts must begin with 0; got " + std::to_string(start[0]) + ".");
    for (Index i = 0; i < n; ++i)
        if (start[i] > start[i + 1])
            refuse("starts must not decrease; got " + std::to_string(start[i + 1]) + " after " +
                   std::to_string(start[i]) + " at row " + std::to_string(i) + ".");
    if (start[n] != entries)
        refuse("starts must end with the number of entries, " + std::to_string(entries) + "; got " +
               std::to_string(start[n]) + ".");
    using Bits = std::make_unsigned_t<I>;
    const auto last = static_cast<Bits>(std::min<Index>(columns - 1, std::numeric_limits<I>::max()));
    Bits outside = 0;  // its sign bit is set by an index below 0 or beyond the last column
    for (Index k = 0; k < entries; ++k) outside |= static_cast<Bits>(index[k]) | (last - static_cast<Bits>(index[k]));
    if (static_cast<I>(outside) >= 0) return;
    const auto [least, most] = std::minmax_element(index, index + entries);
    refuse("indices must be columns from 0 to " + std::to_string(columns - 1) + "; got " +
           std::to_string(*least < 0 ? *least : *most) + ".");
}

template <class V, class I>
Rows sparse(const Array<V>& values, const Array<I>& indices, const Array<I>& starts, Index columns) {
    expect(indices.shape(0), static_cast<Index>(values.shape(0)), "indices");
    check_csr(indices, starts, columns);
    return {SparseRows<V, I>{values.data(), indices.data(), starts.data(), static_cast<Index>(starts.shape(0)) - 1,
                             columns},
            nb::make_tuple(values, indices, starts)};
}

template <class V, class I>
void bind_sparse(nb::module_& m) {
    m.def("sparse_rows", &sparse<V, I>, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(),
          "columns"_a, "The rows of a CSR matrix; columns within a row are distinct.");
}

// Of rows that `check_normal` has let through.
template <class Call>
void on_dense(const Rows& self, const Call& call) {
    self.visit([&](const auto& view) {
        if constexpr (!view.sparse) call(view);
    });
}

void check_normal(const Rows& self, const Square& out, bool ones) {
    if (self.sparse()) throw nb::value_error("The normal matrix needs dense rows; got CSR rows.");
    const Index D = self.columns() + (ones ? 1 : 0);
    if (D > most_normal_columns) {
        refuse("The normal matrix supports at most " + std::to_string(most_normal_columns) + " columns; got " +
               std::to_string(D) + ".");
    }
    expect(out.shape(0), D, "out");
    expect(out.shape(1), D, "out");
}

}  // namespace

void bind_rows(nb::module_& m) {
    nb::class_<Rows>(m, "Rows", "A view of the rows of a dense or CSR matrix; it shares the arrays' memory.")
        .def(
            "scores",
            [](const Rows& self, const Array<double>& w, const Output<>& out, int n_threads, Index begin) {
                expect(w.shape(0), self.columns(), "w");
                const Index count = end_of(self.rows(), begin, out.shape(0)) - begin;
                nb::gil_scoped_release release;
                self.visit([&](const auto& view) { scores(view, begin, count, w.data(), out.data(), n_threads); });
            },
            "w"_a, "out"_a.noconvert(), "n_threads"_a = 1, "begin"_a = 0, "out = X w for some rows, from `begin` on.")
        .def(
            "plane_scores",
            [](const Rows& self, const Table<double>& W, const OutputTable& out, int n_threads) {
                const auto planes = static_cast<Index>(W.shape(0));
                expect(W.shape(1), self.columns(), "W");
                expect(out.shape(0), self.rows(), "out");
                expect(out.shape(1), planes, "out");
                nb::gil_scoped_release release;
                self.visit([&](const auto& view) { plane_scores(view, W.data(), planes, out.data(), n_threads); });
            },
            "W"_a, "out"_a.noconvert(), "n_threads"_a = 1, "out (n, planes) = X W^T.")
        .def(
            "weighted_sum",
            [](const Rows& self, const Array<double>& c, const Output<>& out, int n_threads, Index begin) {
                const Index count = end_of(self.rows(), begin, c.shape(0)) - begin;
                expect(out.shape(0), self.columns(), "out");
                nb::gil_scoped_release release;
                self.visit(
                    [&](const auto& view) { weighted_sum(view, begin, count, c.data(), out.data(), n_threads); });
            },
            "c"_a, "out"_a.noconvert(), "n_threads"_a = 1, "begin"_a = 0,
            "out (d,) = the sum over some rows, from `begin` on, of c_i x_i.")
        .def(
            "add_rows",
            [](const Rows& self, const Array<std::int64_t>& ids, const Array<double>& c, const Output<>& out) {
                const auto count = static_cast<Index>(ids.shape(0));
                expect(c.shape(0), count, "c");
                expect(out.shape(0), self.columns(), "out");
                expect_rows(ids, self.rows(), "ids");
                nb::gil_scoped_release release;
                self.visit([&](const auto& view) { add_rows(view, ids.data(), count, c.data(), out.data()); });
            },
            "ids"_a, "c"_a, "out"_a.noconvert(), "out (d,) += sum_k c_k x_ids[k].")
        .def(
            "squared_norms",
            [](const Rows& self, const Output<>& out, int n_threads) {
                expect(out.shape(0), self.rows(), "out");
                nb::gil_scoped_release release;
                self.visit([&](const auto& view) { squared_norms(view, out.data(), n_threads); });
            },
            "out"_a.noconvert(), "n_threads"_a = 1, "out (n,) = ||x_i||^2.")
        .def(
            "add_normal_matrix",
            [](const Rows& self, const Array<double>& weights, const Square& out, bool ones, int n_threads,
               Index begin) {
                const Index count = end_of(self.rows(), begin, weights.shape(0)) - begin;
                check_normal(self, out, ones);
                nb::gil_scoped_release release;
                on_dense(self, [&](const auto& view) {
                    add_normal_matrix(view, begin, count, weights.data(), ones, out.data(), n_threads);
                });
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
                on_dense(self, [&](const auto& view) {
                    move_normal_matrix(view, begin, count, C.data(), slack.data(), active.data(), ones, out.data(),
                                       n_threads);
                });
            },
            "C"_a, "slack"_a, "active"_a.noconvert(), "out"_a.noconvert(), nb::kw_only(), "ones"_a, "n_threads"_a = 1,
            "begin"_a = 0,
            "out (D, D) from the active of some rows, from `begin` on, to those with slack > 0, weights t_i "
            "= 2 C_i.")
        .def(
            "squared_hinge",
            [](const Rows& self, const Array<double>& y, const Array<double>& C, const Array<double>& w,
               const Output<>& slack, const Output<>& v, bool ones, int n_threads, Index begin) {
                const Index count = end_of(self.rows(), begin, slack.shape(0)) - begin;
                const Index D = self.columns() + (ones ? 1 : 0);
                expect(y.shape(0), count, "y");
                expect(C.shape(0), count, "C");
                expect(w.shape(0), D, "w");
                expect(v.shape(0), D, "v");
                nb::gil_scoped_release release;
                const HingeValues found = self.visit([&](const auto& view) {
                    return squared_hinge(view, begin, count, y.data(), C.data(), w.data(), ones, slack.data(), v.data(),
                                         n_threads);
                });
                return std::pair{found.loss, found.alpha};
            },
            "y"_a, "C"_a, "w"_a, "slack"_a.noconvert(), "v"_a.noconvert(), nb::kw_only(), "ones"_a, "n_threads"_a = 1,
            "begin"_a = 0,
            "slack_i = 1 - y_i a_i.w of some rows, from `begin` on; v (D,) += the sum of alpha_i y_i a_i, "
            "alpha_i = 2 C_i max(0, "
            "slack_i). Returns the sums of C_i max(0, slack_i)^2 and of alpha_i.");
    m.def(
        "squared_hinge_slope",
        [](const Array<double>& C, const Array<double>& before, const Array<double>& after, double t) {
            const auto count = static_cast<Index>(C.shape(0));
            expect(before.shape(0), count, "before");
            expect(after.shape(0), count, "after");
            nb::gil_scoped_release release;
            double found[2];
            simd().rows.squared_hinge_slope(C.data(), before.data(), after.data(), t, count, found);
            return std::pair{found[0], found[1]};
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
