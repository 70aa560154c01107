// Memory of one solve, taken piece by piece from one block.
#pragma once

#include "small/small_vectors.hpp"

namespace separatrix::SEPARATRIX_ISA {

class Memory {
public:
    explicit Memory(double* block) : next_(block) {}
    double* take(Index size) {
        double* const out = next_;
        next_ += padded(size);
        return out;
    }
    double* zeros(Index size) {
        double* const out = take(size);
        fill(out, 0, padded(size));
        return out;
    }
    // Numbers of rows, two to a double.
    std::int32_t* take_ids(Index size) { return reinterpret_cast<std::int32_t*>(take((size + 1) / 2)); }

private:
    double* next_;
};

}  // namespace separatrix::SEPARATRIX_ISA
