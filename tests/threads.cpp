// Loops on a Team: every piece once, exceptions reach whoever asked, and helpers that come late or not at all are not waited for.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rows/threads.hpp"

using namespace separatrix;
using Clock = std::chrono::steady_clock;

static int failures = 0;

static void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    ++failures;
}

static void exceptions_reach_the_caller() {
    for (int thrower = 0; thrower < 4; ++thrower) {
        bool caught = false;
        try {
            split(4, 4, 4, [&](int part, Index, Index) {
                if (part == thrower) throw std::runtime_error("part");
            });
        } catch (const std::runtime_error&) {
            caught = true;
        }
        std::atomic<int> sum = 0;
        split(100, 4, 4, [&](int, Index begin, Index end) { sum += static_cast<int>(end - begin); });
        expect(caught, "An exception of a part was lost.");
        expect(sum == 100, "After an exception a loop left parts out.");
    }
}

static void every_piece_once() {
    for (int round = 0; round < 2000; ++round) {
        const Index size = round % 97;
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(size));
        share(size, 1, 4, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
        });
        for (const auto& count : seen) expect(count == 1, "A piece was not done once.");
    }
}

static void loops_within_loops() {
    std::atomic<Index> sum = 0;
    share(8, 1, 3, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) share(10, 1, 2, [&](Index from, Index to) { sum += to - from; });
    });
    expect(sum == 80, "A loop within a loop left pieces out.");
}

// A helper in the middle of a piece is waited for; afterwards the thread works alone for a while.
static void waits_for_what_has_begun() {
    Team team(2);
    std::atomic<bool> slow = false, done = false;
    const auto self = std::this_thread::get_id();
    for (int tries = 0; tries < 1000 && !slow; ++tries) {
        share(64, 1, 2, [&](Index, Index) {
            if (std::this_thread::get_id() == self) {
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            } else if (!slow.exchange(true)) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                done = true;
            }
        });
    }
    expect(slow, "No helper ever came.");
    expect(done, "A loop ended before one of its pieces.");
    std::atomic<int> helped = 0;
    const auto began = Clock::now();
    while (Clock::now() - began < std::chrono::milliseconds(100))
        share(64, 1, 2, [&](Index, Index) { helped += std::this_thread::get_id() != self; });
    expect(helped == 0, "After a long wait the thread did not work alone.");
}

int main() {
    for (const bool own_team : {false, true}) {
        const std::optional<Team> team = own_team ? std::optional<Team>(std::in_place, 4) : std::nullopt;
        exceptions_reach_the_caller();
        every_piece_once();
        loops_within_loops();
    }
    waits_for_what_has_begun();
    return failures == 0 ? 0 : 1;
}
