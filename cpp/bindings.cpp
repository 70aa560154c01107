// The only file that includes nanobind: typed arrays in, GIL released, no logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "separatrix/coordinate_descent.hpp"
#include "separatrix/products.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace separatrix;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A view together with the Python arrays it looks at.
template <class Rows>
struct Held {
    Rows rows;
    nb::object owners;
};

template <class V>
Held<DenseRows<V>> dense(const Matrix<V>& X) {
    return {{X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))}, nb::cast(X)};
}

template <class V, class I>
Held<SparseRows<V, I>> sparse(const Array<V>& values, const Array<I>& indices, const Array<I>& starts, Index columns) {
    return {{values.data(), indices.data(), starts.data(), static_cast<Index>(starts.shape(0)) - 1, columns},
            nb::make_tuple(nb::cast(values), nb::cast(indices), nb::cast(starts))};
}

struct PyDescent {
    std::unique_ptr<Descent> descent;
    nb::object owners;
};

template <class Rows>
void bind_rows(nb::module_& m, const char* name) {
    using H = Held<Rows>;
    nb::class_<H>(m, name)
        .def("scores", [](const H& self, const Array<double>& w, const Output<double>& out, int n_threads) {
                nb::gil_scoped_release release;
                scores(self.rows, w.data(), out.data(), n_threads);
            }, "w"_a, "out"_a, "n_threads"_a = 1, "out (n,) = X w.")
        .def("weighted_sum", [](const H& self, const Array<double>& c, const Output<double>& out, int n_threads) {
                nb::gil_scoped_release release;
                weighted_sum(self.rows, c.data(), out.data(), n_threads);
            }, "c"_a, "out"_a, "n_threads"_a = 1, "out (d,) = X^T c.")
        .def("squared_norms", [](const H& self, const Output<double>& out, int n_threads) {
                nb::gil_scoped_release release;
                squared_norms(self.rows, out.data(), n_threads);
            }, "out"_a, "n_threads"_a = 1, "out (n,) = ||x_i||^2.")
        .def("descent", [](const H& self, const Array<double>& y, const Array<double>& C, bool squared, bool shrink, double kappa,
                           std::uint64_t seed, int n_threads, Index chunk, Index period, int memory) {
                const DescentSettings settings{squared, shrink, kappa, seed, n_threads, chunk, period, memory};
                return new PyDescent{std::make_unique<CoordinateDescent<Rows>>(self.rows, y.data(), C.data(), settings), self.owners};
            }, nb::rv_policy::take_ownership, "y"_a, "C"_a, "squared"_a, "shrink"_a, "kappa"_a, "seed"_a, "n_threads"_a, "chunk"_a, "period"_a, "memory"_a);
}

}  // namespace

void bind_perceptron(nb::module_& m);  // bindings_perceptron.cpp
void bind_active_set(nb::module_& m);  // bindings_active_set.cpp

NB_MODULE(_core, m) {
    m.doc() = "separatrix's compiled core";
    m.def("instruction_set", [] { return kernels().name; }, "The instruction set that was chosen for this CPU.");

    bind_perceptron(m);
    bind_active_set(m);
    bind_rows<DenseRows<float>>(m, "DenseRowsF32");
    bind_rows<DenseRows<double>>(m, "DenseRowsF64");
    bind_rows<SparseRows<float, std::int32_t>>(m, "SparseRowsF32I32");
    bind_rows<SparseRows<float, std::int64_t>>(m, "SparseRowsF32I64");
    bind_rows<SparseRows<double, std::int32_t>>(m, "SparseRowsF64I32");
    bind_rows<SparseRows<double, std::int64_t>>(m, "SparseRowsF64I64");
    m.def("dense_rows", &dense<float>, "X"_a.noconvert());
    m.def("dense_rows", &dense<double>, "X"_a.noconvert());
    m.def("sparse_rows", &sparse<float, std::int32_t>, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "columns"_a);
    m.def("sparse_rows", &sparse<float, std::int64_t>, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "columns"_a);
    m.def("sparse_rows", &sparse<double, std::int32_t>, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "columns"_a);
    m.def("sparse_rows", &sparse<double, std::int64_t>, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "columns"_a);

    nb::class_<DescentReport>(m, "DescentReport")
        .def_ro("gap", &DescentReport::gap)
        .def_ro("dual", &DescentReport::dual)
        .def_ro("active", &DescentReport::active)
        .def_ro("epochs", &DescentReport::epochs)
        .def_ro("steps", &DescentReport::steps)
        .def_ro("precision", &DescentReport::precision)
        .def_ro("residual", &DescentReport::residual);
    nb::class_<PyDescent>(m, "Descent")
        .def("epoch", [](PyDescent& self) { nb::gil_scoped_release release; return self.descent->epoch(); })
        .def("refine", [](PyDescent& self, int precision) { nb::gil_scoped_release release; self.descent->refine(precision); }, "precision"_a)
        .def("unshrink", [](PyDescent& self) { self.descent->unshrink(); })
        .def("set_centre", [](PyDescent& self, double centre) { self.descent->set_centre(centre); }, "centre"_a)
        .def("get_alpha", [](const PyDescent& self, const Output<double>& alpha) { self.descent->get_alpha(alpha.data()); }, "alpha"_a)
        .def("set_alpha", [](PyDescent& self, const Array<double>& alpha) { nb::gil_scoped_release release; self.descent->set_alpha(alpha.data()); }, "alpha"_a)
        .def("get_w", [](const PyDescent& self, const Output<double>& w) { self.descent->get_w(w.data()); }, "w"_a)
        .def("bias", [](const PyDescent& self) { return self.descent->bias(); });
}
