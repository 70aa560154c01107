// The kernel blocks' table for the instruction set that kernels() chose.
#include <cstring>

#include "simd/table.hpp"
#include "smo/kernel_table.hpp"

namespace separatrix {

namespace baseline {
extern const KernelTable kernel_table;
}
#if defined(SEPARATRIX_X86)
namespace avx2 {
extern const KernelTable kernel_table;
}
namespace avx512 {
extern const KernelTable kernel_table;
}
#endif

const KernelTable& kernel_table() {
    static const KernelTable& chosen = []() -> const KernelTable& {
        const char* name = kernels().name;
#if defined(SEPARATRIX_X86)
        if (std::strcmp(name, avx512::kernel_table.name) == 0) return avx512::kernel_table;
        if (std::strcmp(name, avx2::kernel_table.name) == 0) return avx2::kernel_table;
#endif
        (void)name;
        return baseline::kernel_table;
    }();
    return chosen;
}

}  // namespace separatrix
