// An exception of any part of a loop reaches whoever asked for the loop, and the team goes on to work.
#include <atomic>
#include <cstdio>
#include <stdexcept>

#include "rows/threads.hpp"

using namespace separatrix;

int main() {
    for (const bool own_team : {false, true}) {
        const Team team(own_team ? 4 : 1);
        for (int thrower = 0; thrower < 4; ++thrower) {
            bool caught = false;
            try {
                split(4, 4, [&](int part, Index, Index) {
                    if (part == thrower) throw std::runtime_error("part");
                });
            } catch (const std::runtime_error&) {
                caught = true;
            }
            std::atomic<int> sum = 0;
            split(100, 4, [&](int, Index begin, Index end) { sum += static_cast<int>(end - begin); });
            if (!caught || sum != 100) {
                std::fprintf(stderr, "part %d: caught %d, sum %d\n", thrower, caught, sum.load());
                return 1;
            }
        }
    }
    return 0;
}
