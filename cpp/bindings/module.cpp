// The module: each part binds itself in its own file here; nothing outside this folder includes nanobind.
#include <nanobind/nanobind.h>

#include "simd/dispatch.hpp"

namespace nb = nanobind;

void bind_rows(nb::module_& m);
void bind_descent(nb::module_& m);
void bind_perceptron(nb::module_& m);
void bind_active_set(nb::module_& m);
void bind_text(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_joint(nb::module_& m);
void bind_path(nb::module_& m);
void bind_small(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "separatrix's compiled core";
#ifdef NDEBUG
    // A fitted model that something keeps to the end of the process, such as a cache or a test's parameters, is not a
    // leak: no object here refers to anything but arrays, so none can be part of a cycle.
    nb::set_leak_warnings(false);
#endif
    m.def(
        "instruction_set", [] { return separatrix::simd().name; },
        "The instruction set in use: avx512, avx2 or baseline.");
    bind_rows(m);
    bind_descent(m);
    bind_perceptron(m);
    bind_active_set(m);
    bind_text(m);
    bind_kernel(m);
    bind_joint(m);
    bind_path(m);
    bind_small(m);
}
