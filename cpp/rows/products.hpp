// X w, X^T c and row norms in double, on one or more threads.
#pragma once

#include <algorithm>
#include <vector>

#include "rows/threads.hpp"
#include "simd/table.hpp"

namespace separatrix {

// Fewer rows than this on a thread would not repay starting it.
inline constexpr Index rows_per_thread = 4096;

inline int useful_threads(Index rows, int n_threads) {
    return static_cast<int>(std::clamp<Index>(rows / rows_per_thread, 1, std::max(1, n_threads)));
}

// Parts of a sum over rows, each of which has a place of its own for what it adds up. Several for each thread, because one may be slower
// than another; sparse rows add little to each place, so that the places themselves are most of the work.
template <class Rows>
int sum_parts(Index rows, int n_threads) {
    const int threads = useful_threads(rows, n_threads);
    return threads == 1 || Rows::sparse ? threads : useful_threads(rows, 4 * n_threads);
}

// out = X w for `count` rows from `first` on. Each row is one sum, so the result does not depend on the number of
// threads at all.
template <class Rows>
void scores(const Rows& rows, Index first, Index count, const double* w, double* out, int n_threads) {
    const auto loops = simd().rows.of(rows);
    share(count, rows_per_thread / 8, useful_threads(count, n_threads),
          [&](Index begin, Index end) { loops.scores(rows, first + begin, first + end, w, out + begin); });
}

// out (n, planes) = X W^T, W (planes, d). Each row is added up by itself, so the result does not depend on the other rows.
template <class Rows>
void plane_scores(const Rows& rows, const double* W, Index planes, double* out, int n_threads) {
    if (planes == 1) return scores(rows, 0, rows.rows, W, out, n_threads);
    const auto loops = simd().rows.of(rows);
    const Index width = plane_width(planes);
    std::vector<double> turned(static_cast<std::size_t>(width * rows.columns));
    for (Index k = 0; k < planes; ++k)
        for (Index j = 0; j < rows.columns; ++j) turned[j * width + k] = W[k * rows.columns + j];
    constexpr Index together = 64;  // rows that stay in the cache for all planes
    share(rows.rows, rows_per_thread / 8, useful_threads(rows.rows, n_threads), [&](Index begin, Index end) {
        for (Index at = begin; at < end; at += together)
            loops.plane_scores(rows, at, std::min(end, at + together), turned.data(), planes, out + at * planes);
    });
}

template <class Rows>
void squared_norms(const Rows& rows, double* out, int n_threads) {
    const auto loops = simd().rows.of(rows);
    share(rows.rows, rows_per_thread / 8, useful_threads(rows.rows, n_threads),
          [&](Index begin, Index end) { loops.squared_norms(rows, begin, end, out + begin); });
}

// out (d,) = sum_i coefficient(i) x_i over `count` rows from `first` on. Each part sums its rows in a vector of its own; the vectors are added in order.
// Coefficients are computed for a few rows at a time: a vector of them all may be as large as the rows.
template <class Rows, class Coefficient>
void weighted_sum_of(const Rows& rows, Index first, Index count, const Coefficient& coefficient, double* out,
                     int n_threads) {
    const auto loops = simd().rows.of(rows);
    const int parts = sum_parts<Rows>(count, n_threads);
    const auto d = static_cast<std::size_t>(rows.columns);
    std::vector<double> partial(d * static_cast<std::size_t>(parts - 1));
    std::fill(out, out + d, 0.0);
    split(count, parts, n_threads, [&](int part, Index begin, Index end) {
        double* sum = part == 0 ? out : partial.data() + d * static_cast<std::size_t>(part - 1);
        double c[512];
        for (Index at = first + begin; at < first + end; at += 512) {
            const Index last = std::min<Index>(first + end, at + 512);
            for (Index i = at; i < last; ++i) c[i - at] = coefficient(i);
            loops.add_weighted(rows, at, last, c, sum);
        }
    });
    for (int part = 1; part < parts; ++part) {
        const double* sum = partial.data() + d * static_cast<std::size_t>(part - 1);
        for (std::size_t j = 0; j < d; ++j) out[j] += sum[j];
    }
}

// out (d,) = sum over these rows of c_(i - first) x_i.
template <class Rows>
void weighted_sum(const Rows& rows, Index first, Index count, const double* c, double* out, int n_threads) {
    weighted_sum_of(rows, first, count, [c, first](Index i) { return c[i - first]; }, out, n_threads);
}

// out (d,) += sum_k c_k x_ids[k], for distinct ids.
template <class Rows>
void add_rows(const Rows& rows, const std::int64_t* ids, Index count, const double* c, double* out) {
    const auto loops = simd().rows.of(rows);
    for (Index k = 0; k < count; ++k) loops.add_weighted(rows, ids[k], ids[k] + 1, c + k, out);
}

// out += what `add(begin, end, sum)` adds up over the rows in [begin, end): the lower triangle of a Fortran-ordered matrix of D
// columns. Each part sums its rows in a matrix of its own, of normal_width(D) columns; these are added in order.
template <class Rows, class Add>
void sum_normal_matrices(Index count, Index D, double* out, int n_threads, const Add& add) {
    const Index width = normal_width(D);
    const int parts = sum_parts<Rows>(count, n_threads);
    const auto size = static_cast<std::size_t>(width * width);
    std::vector<double> sums(size * static_cast<std::size_t>(parts));
    split(count, parts, n_threads, [&](int part, Index begin, Index end) {
        add(begin, end, sums.data() + size * static_cast<std::size_t>(part));
    });
    for (int part = 0; part < parts; ++part) {
        const double* sum = sums.data() + size * static_cast<std::size_t>(part);
        for (Index r = 0; r < D; ++r)
            for (Index c = 0; c <= r; ++c) out[r + c * D] += sum[r * width + c];
    }
}

// out += sum_k weights[k] a_k a_k^T over `count` rows from `first` on.
template <class V>
void add_normal_matrix(const DenseRows<V>& rows, Index first, Index count, const double* weights, bool ones,
                       double* out, int n_threads) {
    const auto loop = simd().rows.normal(rows);
    const Index D = rows.columns + (ones ? 1 : 0);
    sum_normal_matrices<DenseRows<V>>(count, D, out, n_threads, [&](Index begin, Index end, double* sum) {
        loop.add(rows, nullptr, first + begin, first + end, weights + begin, ones, sum);
    });
}

}  // namespace separatrix
