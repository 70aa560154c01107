// Loops whose pieces are taken by several threads, each as it comes to them.
//
// The thread that asks works too, and waits only for pieces that a helper has begun: a helper that sleeps, or that a busy
// machine does not let run, costs nothing. Waiting threads sleep after a few microseconds. There is no pool for the process: a Team
// belongs to one thread, which may keep it for a whole fit, so a fork never copies a half-alive thread and two Python threads may
// call at once. Starting a helper takes 30 microseconds on an idle machine, waking one 25; with two busy processes on two cores
// either takes 7 milliseconds.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "rows/rows.hpp"

namespace separatrix {

// A loop that is open to helpers while it has pieces left.
class SharedLoop {
public:
    using Call = void (*)(const void* work, int piece);

    // The loop's pieces, until they are taken; then waits for those that helpers have begun. Returns how many they took.
    int run(int pieces, const void* work, Call call) {
        pieces_ = pieces, work_ = work, call_ = call;
        failure_ = nullptr;
        next_.store(0, std::memory_order_relaxed);
        gate_.store(open, std::memory_order_release);
        round_.fetch_add(1, std::memory_order_acq_rel);
        round_.notify_all();
        const int own = take();
        taken_at_ = std::chrono::steady_clock::now();
        for (std::uint32_t inside = gate_.fetch_and(~open, std::memory_order_acq_rel) & ~open; inside != 0;
             inside = gate_.load(std::memory_order_acquire))
            if (!soon([this] { return gate_.load(std::memory_order_acquire) == 0; })) gate_.wait(inside);
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        return pieces - own;
    }
    // When all pieces had been taken.
    std::chrono::steady_clock::time_point taken_at() const { return taken_at_; }

    // Takes pieces of one loop after the other, until the end.
    void help(std::uint32_t seen) {
        for (;;) {
            if (!soon([&] { return round_.load(std::memory_order_acquire) != seen; })) round_.wait(seen);
            seen = round_.load(std::memory_order_acquire);
            if (ended_.load(std::memory_order_acquire)) return;
            if (!enter()) continue;
            take();
            if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();
        }
    }
    std::uint32_t round() const { return round_.load(std::memory_order_acquire); }

    void end() {
        ended_.store(true, std::memory_order_release);
        round_.fetch_add(1, std::memory_order_acq_rel);
        round_.notify_all();
    }

private:
    static constexpr std::uint32_t open = std::uint32_t{1} << 31;
    static constexpr auto patience = std::chrono::microseconds(5);  // of a thread before it sleeps

    // Counts this thread among those inside, if the loop is open.
    bool enter() {
        std::uint32_t inside = gate_.load(std::memory_order_relaxed);
        while ((inside & open) != 0)
            if (gate_.compare_exchange_weak(inside, inside + 1, std::memory_order_acq_rel)) return true;
        return false;
    }

    // Does pieces until there are none; returns how many. After a failure none is begun.
    int take() {
        int done = 0;
        for (int piece; (piece = next_.fetch_add(1, std::memory_order_relaxed)) < pieces_; ++done) {
            try {
                call_(work_, piece);
            } catch (...) {
                const std::scoped_lock lock(failing_);
                failure_ = std::current_exception();
                next_.store(pieces_, std::memory_order_relaxed);
            }
        }
        return done;
    }

    // Asks again and again, for a few microseconds; false if it did not come true.
    template <class Question>
    static bool soon(const Question& done) {
        const auto began = std::chrono::steady_clock::now();
        do {
            for (int look = 0; look < 16; ++look) {
                if (done()) return true;
#if defined(__x86_64__) || defined(__i386__)
                __builtin_ia32_pause();
#endif
            }
        } while (std::chrono::steady_clock::now() - began < patience);
        return false;
    }

    int pieces_ = 0;
    const void* work_ = nullptr;
    Call call_ = nullptr;
    std::atomic<int> next_ = 0;
    std::atomic<std::uint32_t> gate_ = 0;   // whether the loop is open, and how many helpers are inside
    std::atomic<std::uint32_t> round_ = 0;  // loops begun
    std::atomic<bool> ended_ = false;
    std::chrono::steady_clock::time_point taken_at_;
    std::mutex failing_;
    std::exception_ptr failure_;  // of a piece of this loop
};

// Threads that take part in the loops of the thread that made the Team, while it lives. They begin with the first loop, and end
// by themselves: one that has not yet begun to run is not waited for.
class Team {
public:
    explicit Team(int n_threads) : size_(std::max(1, n_threads)), outer_(current()) { current() = this; }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        if (current() == this) current() = outer_;
        if (loop_) loop_->end();
    }

    // The innermost Team of this thread that is at rest; null if there is none.
    static Team*& current() {
        static thread_local Team* team = nullptr;
        return team;
    }
    int size() const { return size_; }

    // Calls work(piece) for the pieces 0 .. pieces - 1. An exception of any piece is thrown here, after all that have begun have ended.
    template <class Work>
    void run(int pieces, const Work& work) {
        const Resting rest(*this);
        const auto began = std::chrono::steady_clock::now();
        if (size_ == 1 || pieces == 1 || began < alone_until_) {
            for (int piece = 0; piece < pieces; ++piece) work(piece);
            return;
        }
        start(std::min(size_, pieces));
        const int helped =
            loop_->run(pieces, &work, [](const void* from, int piece) { (*static_cast<const Work*>(from))(piece); });
        account(began, pieces - helped, helped);
    }

private:
    // A wait that saved nothing is a sign of a busy machine: a helper was stopped in the middle of a piece. The thread then works alone for
    // this many times as long, so that such waits never cost more than this part of the time.
    static constexpr int times_alone = 20;

    // A loop within a loop has threads of its own.
    struct Resting {
        explicit Resting(Team& team) : team(team) { current() = nullptr; }
        ~Resting() { current() = &team; }
        Team& team;
    };

    void start(int threads) {
        if (!loop_) loop_ = std::make_shared<SharedLoop>();
        for (; started_ < threads; ++started_) {
            try {
                std::thread([loop = loop_, seen = loop_->round()] { loop->help(seen); }).detach();
            } catch (const std::system_error&) {  // no thread to be had: others do its pieces
                started_ = size_;
                return;
            }
        }
    }

    // Compares how long this thread waited with what the helpers saved it.
    void account(std::chrono::steady_clock::time_point began, int own, int helped) {
        if (helped == 0) return;
        const auto now = std::chrono::steady_clock::now();
        const auto saved = (loop_->taken_at() - began) * helped / std::max(1, own);
        const auto waited = now - loop_->taken_at();
        if (waited > saved) alone_until_ = now + times_alone * (waited - saved);
    }

    int size_, started_ = 1;
    Team* outer_;
    std::shared_ptr<SharedLoop> loop_;
    std::chrono::steady_clock::time_point alone_until_{};
};

// A Team for the time of a call, where the thread has none.
class TeamForCall {
public:
    explicit TeamForCall(int n_threads) {
        if (Team::current() == nullptr) own_.emplace(n_threads);
    }

private:
    std::optional<Team> own_;
};

// Calls work(piece) for the pieces 0 .. pieces - 1, on the Team that this thread has or on one for this loop.
template <class Work>
void run_pieces(int pieces, int n_threads, const Work& work) {
    if (pieces <= 1) {
        work(0);
        return;
    }
    const TeamForCall team(n_threads);
    Team::current()->run(pieces, work);
}

// Calls work(part, begin, end) on each of n_parts nearly equal consecutive parts of [0, size). The parts are the same whichever
// threads take them: for sums, which have a place for each part.
template <class Work>
void split(Index size, int n_parts, int n_threads, const Work& work) {
    n_parts = std::max(1, n_parts);
    run_pieces(n_parts, n_threads, [&](int k) { work(k, size * k / n_parts, size * (k + 1) / n_parts); });
}

// Calls work(begin, end) on pieces of [0, size) of at least `grain`: for results that do not depend on where a piece begins. They are
// smaller than a thread's share, because one thread may be slower than another.
template <class Work>
void share(Index size, Index grain, int n_threads, const Work& work) {
    constexpr Index pieces_per_thread = 8;
    if (size <= 0) return;
    const Index pieces = n_threads <= 1 ? 1 : std::clamp<Index>(size / grain, 1, pieces_per_thread * n_threads);
    run_pieces(static_cast<int>(pieces), n_threads, [&](int k) { work(size * k / pieces, size * (k + 1) / pieces); });
}

}  // namespace separatrix
