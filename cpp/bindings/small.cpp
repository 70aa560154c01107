// The solver for small problems for Python: typed arrays in, GIL released, no logic.
#include "small/small.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bindings/common.hpp"

using namespace separatrix;

namespace {

template <class T>
nb::ndarray<nb::numpy, T> new_array(T* data, std::initializer_list<std::size_t> shape) {
    const nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
    return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

SmallBias small_bias_of(const std::string& bias) {
    if (bias == "none") return SmallBias::none;
    if (bias == "augmented") return SmallBias::augmented;
    if (bias == "free") return SmallBias::free;
    refuse("bias must be none, augmented or free; got " + bias + ".");
}

// Reads the fields of a Python record of the same names.
SmallTuning read_tuning(const nb::object& record) {
    const auto number = [&](const char* name) { return nb::cast<double>(record.attr(name)); };
    return {.first_width = number("first_width"),
            .softest = number("softest"),
            .stiffest = number("stiffest"),
            .narrowing = number("narrowing"),
            .least = number("least"),
            .line_search = number("line_search"),
            .pair_tolerance = number("pair_tolerance"),
            .newton_share = number("newton_share"),
            .rows_per_column = number("rows_per_column"),
            .most_work = number("most_work"),
            .thread_work = number("thread_work")};
}

nb::tuple solve_small(const std::optional<Table<double>>& rows, const std::optional<Table<double>>& gram,
                      const Table<std::int8_t>& signs, const Table<double>& costs, bool squared,
                      const std::string& bias, double aim, Index chain, int n_threads, const nb::object& tuning) {
    if (rows.has_value() == gram.has_value()) refuse("Exactly one of rows and gram must be given.");
    const auto& given = rows ? *rows : *gram;
    const std::size_t n = given.shape(0), k = signs.shape(0), d = rows ? given.shape(1) : 0;
    if (gram) expect(gram->shape(1), static_cast<Index>(n), "a row of gram");
    expect(signs.shape(1), static_cast<Index>(n), "a row of signs");
    expect(costs.shape(0), static_cast<Index>(k), "costs");
    expect(costs.shape(1), static_cast<Index>(n), "a row of costs");
    if (chain < 1) refuse("chain must be at least 1; got " + std::to_string(chain) + ".");
    if (n > INT32_MAX) refuse("There must be fewer than 2^31 rows; got " + std::to_string(n) + ".");
    double *alpha = new double[k * n + 1], *w = rows ? new double[k * d + 1] : nullptr, *b = new double[k + 1];
    auto* work = new std::int64_t[k + 1];
    bool* reached = new bool[k + 1];
    const nb::object alphas = nb::cast(new_array(alpha, {k, n})), biases = nb::cast(new_array(b, {k})),
                     works = nb::cast(new_array(work, {k})), flags = nb::cast(new_array(reached, {k}));
    const nb::object weights = w == nullptr ? nb::none() : nb::cast(new_array(w, {k, d}));
    const SmallFit fit{rows ? rows->data() : nullptr,
                       gram ? gram->data() : nullptr,
                       static_cast<Index>(n),
                       static_cast<Index>(d),
                       static_cast<Index>(k),
                       signs.data(),
                       costs.data(),
                       squared,
                       small_bias_of(bias),
                       aim,
                       chain,
                       std::max(n_threads, 1),
                       read_tuning(tuning)};
    const SmallFitAnswer answer{alpha, w, b, work, reached};
    {
        nb::gil_scoped_release release;
        SmallFitSolver(fit, answer).solve();
    }
    return nb::make_tuple(alphas, weights, biases, works, flags);
}

}  // namespace

void bind_small(nb::module_& m) {
    m.def("solve_small", &solve_small, "rows"_a.noconvert().none(), "gram"_a.noconvert().none(), "signs"_a.noconvert(),
          "costs"_a.noconvert(), "squared"_a, "bias"_a, "aim"_a, "chain"_a, "n_threads"_a, "tuning"_a,
          "All binary problems of a fit to the rows (n, d) or the kernel matrix gram (n, n), of which exactly one is "
          "given: signs (k, n) are -1, 1, or 0 where a row takes no part, costs (k, n) are C_i > 0. "
          "tuning is a record of numbers. "
          "Of each `chain` consecutive problems all but the first begin at the answer to the one before. "
          "Returns alpha (k, n), w (k, d) or None, b (k,), the work in products (k,), and whether the relative gap "
          "is below aim (k,).");
}
