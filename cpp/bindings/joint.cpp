// The joint multi-class descent for Python: typed arrays in, GIL released, no logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstdint>
#include <memory>
#include <string>

#include "descent/crammer_singer.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace separatrix;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutTable = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The descent over any kind of rows, together with the Python arrays it looks at.
class JointDescent {
public:
    virtual ~JointDescent() = default;
    virtual JointReport pass(double seconds) = 0;
    virtual void restore() = 0;
    virtual void move_offset() = 0;
    virtual void start(const double* alpha) = 0;
    virtual void set_offset(const double* b) = 0;
    virtual double half_norm() const = 0;
    virtual Index active() const = 0;
    virtual void copy_alpha(double* out) const = 0;
    virtual void copy_bias(double* out) const = 0;
    Index rows = 0, classes = 0;
    nb::object owners;
};

template <class Rows>
class JointDescentOf final : public JointDescent {
public:
    explicit JointDescentOf(CrammerSinger<Rows> descent) : descent_(std::move(descent)) {
        rows = descent_.rows();
        classes = descent_.classes();
    }
    JointReport pass(double seconds) override { return descent_.pass(seconds); }
    void restore() override { descent_.restore(); }
    void move_offset() override { descent_.move_offset(); }
    void start(const double* alpha) override { descent_.start(alpha); }
    void set_offset(const double* b) override { std::copy_n(b, classes, descent_.offset.begin()); }
    double half_norm() const override { return descent_.half_norm(); }
    Index active() const override { return descent_.active(); }
    void copy_alpha(double* out) const override { descent_.copy_alpha(out); }
    void copy_bias(double* out) const override { descent_.copy_bias(out); }

private:
    CrammerSinger<Rows> descent_;
};

template <class Rows>
std::unique_ptr<JointDescent> made(const Rows& rows, const Array<std::int64_t>& codes, const Array<double>& C,
                                   Index classes, double tau_squared, std::uint64_t seed) {
    if (static_cast<Index>(codes.shape(0)) != rows.rows || static_cast<Index>(C.shape(0)) != rows.rows)
        throw nb::value_error("codes and C must have one entry for each row.");
    for (Index i = 0; i < rows.rows; ++i) {
        if (codes.data()[i] < 0 || codes.data()[i] >= classes) throw nb::value_error("A class code is out of range.");
    }
    nb::gil_scoped_release release;
    return std::make_unique<JointDescentOf<Rows>>(
        CrammerSinger<Rows>(rows, codes.data(), C.data(), classes, tau_squared, seed));
}

template <class V>
void bind_dense(nb::module_& m) {
    m.def(
        "joint_descent",
        [](const Table<V>& X, const Array<std::int64_t>& codes, const Array<double>& C, Index classes,
           double tau_squared, std::uint64_t seed) {
            auto found = made(DenseRows<V>{X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))},
                              codes, C, classes, tau_squared, seed);
            found->owners = nb::cast(X);
            return found;
        },
        "X"_a.noconvert(), "codes"_a, "C"_a, "classes"_a, "tau_squared"_a, "seed"_a,
        "The joint multi-class descent on these rows.");
}

template <class V, class I>
void bind_sparse(nb::module_& m) {
    m.def(
        "joint_descent",
        [](const Array<V>& values, const Array<I>& indices, const Array<I>& starts, Index columns,
           const Array<std::int64_t>& codes, const Array<double>& C, Index classes, double tau_squared,
           std::uint64_t seed) {
            if (starts.shape(0) == 0 || indices.shape(0) != values.shape(0)) throw nb::value_error("No CSR matrix.");
            const Index n = static_cast<Index>(starts.shape(0)) - 1;
            auto found = made(SparseRows<V, I>{values.data(), indices.data(), starts.data(), n, columns}, codes, C,
                              classes, tau_squared, seed);
            found->owners = nb::make_tuple(values, indices, starts);
            return found;
        },
        "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "columns"_a, "codes"_a, "C"_a,
        "classes"_a, "tau_squared"_a, "seed"_a, "The joint multi-class descent on these rows.");
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
                    report = self.pass(seconds);
                }
                return nb::make_tuple(report.loss, report.violation, report.visited, report.whole);
            },
            "seconds"_a, nb::sig("def run(self, seconds: float) -> tuple[float, float, int, bool]"),
            "One pass over the active rows: (sum of losses seen, largest violation, rows visited, whether "
            "time sufficed).")
        .def("restore", &JointDescent::restore, "All rows take part again.")
        .def("move_offset", &JointDescent::move_offset, "One step of the multipliers of a free bias.")
        .def(
            "start",
            [](JointDescent& self, const Table<double>& alpha, const Array<double>& b) {
                if (static_cast<Index>(alpha.shape(0)) != self.rows ||
                    static_cast<Index>(alpha.shape(1)) != self.classes ||
                    static_cast<Index>(b.shape(0)) != self.classes)
                    throw nb::value_error("alpha must be (n, k) and the offset (k,).");
                nb::gil_scoped_release release;
                self.start(alpha.data());
                self.set_offset(b.data());
            },
            "alpha"_a, "offset"_a, "Begin at alpha (n, k), with an offset (k,) of the scores.")
        .def_prop_ro("half_norm", &JointDescent::half_norm, "1/2 ||W||^2")
        .def_prop_ro("active", &JointDescent::active, "Rows that take part in a pass.")
        .def(
            "copy_alpha",
            [](const JointDescent& self, OutTable out) {
                if (static_cast<Index>(out.shape(0)) != self.rows || static_cast<Index>(out.shape(1)) != self.classes)
                    throw nb::value_error("out must be (n, k).");
                self.copy_alpha(out.data());
            },
            "out"_a, "alpha (n, k)")
        .def(
            "copy_bias",
            [](const JointDescent& self, Output out) {
                if (static_cast<Index>(out.shape(0)) != self.classes) throw nb::value_error("out must be (k,).");
                self.copy_bias(out.data());
            },
            "out"_a, "b (k,)");
    bind_dense<float>(m);
    bind_dense<double>(m);
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
}
