// Parts that all bindings share: the types of arrays, checks of their lengths, and vectors that become arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rows/rows.hpp"

namespace separatrix {

namespace nb = nanobind;
using namespace nb::literals;

// Arrays that are read; `Output` and `OutputTable` are written to.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T = double>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutputTable = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Throws ValueError with this sentence.
[[noreturn]] inline void refuse(const std::string& sentence) { throw nb::value_error(sentence.c_str()); }

inline void expect(std::size_t got, Index wanted, const char* what) {
    if (static_cast<Index>(got) == wanted) return;
    refuse(std::string(what) + " must have length " + std::to_string(wanted) + "; got " + std::to_string(got) + ".");
}

// The end of `count` rows from `begin` on, of `rows` rows.
inline Index end_of(Index rows, Index begin, std::size_t count) {
    const Index end = begin + static_cast<Index>(count);
    if (begin >= 0 && end <= rows) return end;
    const std::string sentence = "There are " + std::to_string(rows) + " rows; got a range of " +
                                 std::to_string(count) + " from row " + std::to_string(begin) + " on.";
    throw nb::index_error(sentence.c_str());
}

template <class I>
void expect_rows(const Array<I>& ids, Index rows, const char* what) {
    for (std::size_t k = 0; k < ids.shape(0); ++k) {
        if (ids.data()[k] >= 0 && ids.data()[k] < rows) continue;
        const std::string sentence = std::string(what) + " must be from 0 to " + std::to_string(rows - 1) + "; got " +
                                     std::to_string(ids.data()[k]) + ".";
        throw nb::index_error(sentence.c_str());
    }
}

inline void expect_int32_sizes(Index rows, Index columns) {
    if (rows <= INT32_MAX && columns <= INT32_MAX) return;
    refuse("X must have fewer than 2^31 rows and columns; got " + std::to_string(rows) + " rows and " +
           std::to_string(columns) + " columns.");
}

// A NumPy array that owns a copy.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> copied(const std::vector<T>& values) {
    T* const data = new T[values.size() + 1];
    std::copy(values.begin(), values.end(), data);
    const nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {values.size()}, owner);
}

}  // namespace separatrix
