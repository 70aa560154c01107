// Telling the system which pages of a mapped file will be read next, so that they are read in one piece beforehand,
// and which have been read, so that they are the first to go when memory is short.
//
// A fault makes the system guess: it reads around the faulting page, as much as its read-ahead says (often megabytes).
// Rows visited in random runs then bring in many times the pages they need, and push out others that are still
// needed. An announced run is in memory, or on its way, when its first page is touched, so that no guess is made.
// On memory that is not a mapped file, and on systems without the call, this does nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rows/rows.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace separatrix {

// The system may ignore all of a call beyond its read-ahead: 128 KiB where nobody has changed it.
inline constexpr std::uintptr_t announced_at_once = std::uintptr_t{1} << 17;

inline void announce(const void* begin, const void* end) {
#if defined(__unix__) || defined(__APPLE__)
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto stop = reinterpret_cast<std::uintptr_t>(end);
    for (auto at = reinterpret_cast<std::uintptr_t>(begin) & ~(page - 1); at < stop; at += announced_at_once) {
        posix_madvise(reinterpret_cast<void*>(at), std::min(announced_at_once, stop - at), POSIX_MADV_WILLNEED);
    }
#else
    (void)begin;
    (void)end;
#endif
}

// The pages stay, and cost nothing to read again, unless their room is needed: announced ones, which nobody has
// touched yet, would otherwise be dropped before them.
inline void dismiss(const void* begin, const void* end) {
#if defined(MADV_COLD)
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto at = reinterpret_cast<std::uintptr_t>(begin) & ~(page - 1);
    madvise(reinterpret_cast<void*>(at), reinterpret_cast<std::uintptr_t>(end) - at, MADV_COLD);
#else
    (void)begin;
    (void)end;
#endif
}

// Calls `tell` with the memory of rows first .. last, both included.
template <class V, class Tell>
void tell_of_rows(const DenseRows<V>& rows, Index first, Index last, const Tell& tell) {
    tell(rows.row(first).values, rows.row(last + 1).values);
}

template <class V, class I, class S, class Tell>
void tell_of_rows(const SparseRows<V, I, S>& rows, Index first, Index last, const Tell& tell) {
    const auto begin = rows.row(first), end = rows.row(last);
    tell(begin.values, end.values + end.size);
    tell(begin.indices, end.indices + end.size);
}

}  // namespace separatrix
