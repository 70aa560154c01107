// A small random generator whose whole state is one number (splitmix64; Steele, Lea and Flood, OOPSLA 2014).
#pragma once

#include <cstdint>
#include <utility>

namespace separatrix {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    // Uniform on 0 .. bound - 1, for bound up to 2^32; the bias of at most bound / 2^32 does not matter here.
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32); }

    template <class T>
    void shuffle(T* items, std::int64_t size) {
        for (std::int64_t k = size - 1; k > 0; --k)
            std::swap(items[k], items[below(static_cast<std::uint32_t>(k + 1))]);
    }

private:
    std::uint64_t state_;
};

}  // namespace separatrix
