// The only file that includes nanobind: typed arrays in, GIL released, no logic.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) { m.doc() = "separatrix's compiled core"; }
