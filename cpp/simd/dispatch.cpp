#include "simd/dispatch.hpp"

#include <cstdlib>
#include <cstring>

namespace separatrix {

#define SEPARATRIX_TABLES(isa)                                                       \
    namespace isa {                                                                  \
    extern const RowTable row_table;                                                 \
    extern const PerceptronTable perceptron_table;                                   \
    extern const KernelTable kernel_table;                                           \
    extern const SmallTable small_table;                                             \
    const Simd tables{#isa, row_table, perceptron_table, kernel_table, small_table}; \
    }

SEPARATRIX_TABLES(baseline)
#if defined(SEPARATRIX_X86)
SEPARATRIX_TABLES(avx2)
SEPARATRIX_TABLES(avx512)
#endif

namespace {

const Simd& choose() {
    const char* wanted = std::getenv("SEPARATRIX_ISA");
    [[maybe_unused]] const auto allowed = [wanted](const char* name) {
        return wanted == nullptr || std::strcmp(wanted, name) == 0;
    };
#if defined(SEPARATRIX_X86)
    __builtin_cpu_init();
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (has_avx512 && allowed("avx512")) return avx512::tables;
    if (has_avx2 && (allowed("avx2") || allowed("avx512"))) return avx2::tables;
#endif
    return baseline::tables;
}

}  // namespace

const Simd& simd() {
    static const Simd& chosen = choose();
    return chosen;
}

}  // namespace separatrix
