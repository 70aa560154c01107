// The perceptron's table for the instruction set that kernels() chose.
#include <cstring>

#include "perceptron/perceptron_kernels.hpp"
#include "simd/table.hpp"

namespace separatrix {

namespace baseline {
extern const PerceptronTable perceptron_table;
}
#if defined(SEPARATRIX_X86)
namespace avx2 {
extern const PerceptronTable perceptron_table;
}
namespace avx512 {
extern const PerceptronTable perceptron_table;
}
#endif

const PerceptronTable& perceptron_kernels() {
    static const PerceptronTable& chosen = []() -> const PerceptronTable& {
        const char* name = kernels().name;
#if defined(SEPARATRIX_X86)
        if (std::strcmp(name, avx512::perceptron_table.name) == 0) return avx512::perceptron_table;
        if (std::strcmp(name, avx2::perceptron_table.name) == 0) return avx2::perceptron_table;
#endif
        (void)name;
        return baseline::perceptron_table;
    }();
    return chosen;
}

}  // namespace separatrix
