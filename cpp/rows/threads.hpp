// A loop over a range split among threads that live for one call.
//
// There is no pool: nothing outlives the call, so a fork never copies a half-alive thread and two Python threads
// may call at once. Starting a thread costs 20 microseconds, 200 where the other core of a virtual machine has to be
// woken for it. A pass over a large matrix hides that; a call that splits many small loops keeps a Team.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "rows/rows.hpp"

namespace separatrix {

// Threads that wait for the next loop. While a Team lives, the loops of the thread that made it are its work.
class Team {
public:
    explicit Team(int n_threads) : size_(n_threads), outer_(current()) { current() = this; }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        current() = outer_;
        if (helpers_.empty()) return;
        work_ = nullptr;
        announce();
        for (auto& helper : helpers_) helper.join();
    }

    // The innermost Team of this thread that is at rest; null if there is none.
    static Team*& current() {
        static thread_local Team* team = nullptr;
        return team;
    }
    int size() const { return size_; }

    // Calls work(part) for the parts 0 .. size() - 1, the first of them here. An exception of any part is thrown here,
    // after all parts have ended.
    template <class Work>
    void run(const Work& work) {
        start();
        failure_ = nullptr;
        work_ = &work;
        call_ = [](const void* from, int part) { (*static_cast<const Work*>(from))(part); };
        busy_.store(static_cast<std::int32_t>(helpers_.size()), std::memory_order_relaxed);
        announce();
        {
            const Waiting until_all_are_done(*this);  // even if the work throws
            work(0);
            for (int part = static_cast<int>(helpers_.size()) + 1; part < size_; ++part) work(part);
        }
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    static constexpr auto patience = std::chrono::milliseconds(2);  // of a thread before it sleeps

    struct Waiting {
        // A loop within the loop has threads of its own.
        explicit Waiting(Team& team) : team(team) { current() = nullptr; }
        ~Waiting() {
            while (!soon([this] { return team.busy_.load(std::memory_order_acquire) == 0; }))
                if (const auto left = team.busy_.load(std::memory_order_acquire); left != 0) team.busy_.wait(left);
            current() = &team;
        }
        Team& team;
    };

    void start() {
        while (static_cast<int>(helpers_.size()) + 1 < size_ && !refused_) {
            const int part = static_cast<int>(helpers_.size()) + 1;
            try {
                helpers_.emplace_back([this, part, seen = round_.load()] { help(part, seen); });
            } catch (const std::system_error&) {  // no thread to be had: its part is done by who asks
                refused_ = true;
            }
        }
    }

    void help(int part, std::uint32_t seen) {
        for (;;) {
            if (!soon([&] { return round_.load(std::memory_order_acquire) != seen; })) round_.wait(seen);
            seen = round_.load(std::memory_order_acquire);
            if (work_ == nullptr) return;
            try {
                call_(work_, part);
            } catch (...) {
                const std::scoped_lock lock(failing_);
                failure_ = std::current_exception();
            }
            if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
        }
    }

    void announce() {
        round_.fetch_add(1, std::memory_order_acq_rel);
        round_.notify_all();
    }

    // Asks again and again, for a while; false if it did not come true.
    template <class Question>
    static bool soon(const Question& done) {
        const auto began = std::chrono::steady_clock::now();
        do {
            for (int look = 0; look < 256; ++look) {
                if (done()) return true;
#if defined(__x86_64__) || defined(__i386__)
                __builtin_ia32_pause();
#endif
            }
            std::this_thread::yield();  // there may be fewer cores than threads
        } while (std::chrono::steady_clock::now() - began < patience);
        return false;
    }

    int size_;
    Team* outer_;
    std::vector<std::thread> helpers_;
    bool refused_ = false;
    const void* work_ = nullptr;
    void (*call_)(const void*, int) = nullptr;
    std::atomic<std::uint32_t> round_ = 0;
    std::atomic<std::int32_t> busy_ = 0;
    std::mutex failing_;
    std::exception_ptr failure_;  // of a helper, in this loop
};

// Calls work(part, begin, end) on each of n_parts nearly equal consecutive parts of [0, size).
template <class Work>
void split(Index size, int n_parts, const Work& work) {
    const auto part = [&](int k) { work(k, size * k / n_parts, size * (k + 1) / n_parts); };
    if (n_parts <= 1) {
        part(0);
    } else if (Team* team = Team::current(); team != nullptr && team->size() == n_parts) {
        team->run(part);
    } else {
        Team(n_parts).run(part);
    }
}

// The same with parts of `grain` that each thread takes as it comes to them: for work that must not wait for a slow core.
template <class Work>
void share(Index size, Index grain, int n_threads, const Work& work) {
    std::atomic<Index> next = 0;
    split(n_threads, n_threads, [&](int, Index, Index) {
        for (Index begin = next.fetch_add(grain); begin < size; begin = next.fetch_add(grain))
            work(begin, std::min(size, begin + grain));
    });
}

}  // namespace separatrix
