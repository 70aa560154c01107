// Chooses the table of kernels for the CPU that runs us.
#include <cstdlib>
#include <cstring>

#include "simd/table.hpp"

namespace separatrix {

namespace baseline {
extern const Kernels table;
}
#if defined(SEPARATRIX_X86)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

namespace {

const Kernels& choose() {
    const char* wanted = std::getenv("SEPARATRIX_ISA");
    const auto allowed = [wanted](const char* name) { return wanted == nullptr || std::strcmp(wanted, name) == 0; };
#if defined(SEPARATRIX_X86)
    __builtin_cpu_init();
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (has_avx512 && allowed("avx512")) return avx512::table;
    if (has_avx2 && (allowed("avx2") || allowed("avx512"))) return avx2::table;
#endif
    (void)allowed;
    return baseline::table;
}

}  // namespace

const Kernels& kernels() {
    static const Kernels& chosen = choose();
    return chosen;
}

}  // namespace separatrix
