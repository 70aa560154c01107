// A loop over a range split among threads that live for one call.
//
// There is no pool: nothing outlives the call, so a fork never copies a half-alive thread and two Python threads
// may call at once. Starting a thread costs about 20 microseconds, which a pass over a large matrix hides.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "separatrix/rows.hpp"

namespace separatrix {

// Calls work(part, begin, end) on each of n_parts nearly equal consecutive parts of [0, size).
template <class Work>
void split(Index size, int n_parts, const Work& work) {
    const auto bound = [size, n_parts](int part) { return size * part / n_parts; };
    std::vector<std::thread> helpers;
    helpers.reserve(static_cast<std::size_t>(std::max(0, n_parts - 1)));
    for (int part = 1; part < n_parts; ++part) {
        try {
            helpers.emplace_back([&, part] { work(part, bound(part), bound(part + 1)); });
        } catch (const std::system_error&) {  // no thread to be had: do the part here
            work(part, bound(part), bound(part + 1));
        }
    }
    work(0, 0, bound(1));
    for (auto& helper : helpers) helper.join();
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
