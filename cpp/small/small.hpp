// All binary problems of a fit to few rows, on as many threads as their work is worth.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include "rows/threads.hpp"
#include "small/small_problem.hpp"

namespace separatrix {

// Problem k has the rows i with signs[k n + i] != 0; exactly one of X (n, d) and gram (n, n) is given.
struct SmallFit {
    const double* X;
    const double* gram;
    Index n, d, problems;
    const std::int8_t* signs;
    const double* costs;
    bool squared;
    SmallBias bias;
    double aim;
    Index chain;  // consecutive problems of which each begins at the answer to the one before
    int n_threads;
    SmallTuning tuning;
};

// Outputs: alpha (problems, n), w (problems, d) or null, b, work and reached (problems).
struct SmallFitAnswer {
    double *alpha, *w, *b;
    std::int64_t* work;
    bool* reached;
};

class SmallFitSolver {
public:
    SmallFitSolver(const SmallFit& fit, const SmallFitAnswer& answer)
        : fit_(fit), out_(answer), n_(fit.n), np_(padded(n_)), table_(simd().small) {
        if (fit.X != nullptr && fit.tuning.rows_per_column * static_cast<double>(fit.d) >= static_cast<double>(n_))
            make_gram();
        ones_ = gram_ == nullptr && fit.bias == SmallBias::augmented;
        columns_ = fit.d + (ones_ ? 1 : 0);
    }

    void solve() {
        std::atomic<Index> next = 0;
        const int threads = worthwhile_threads();
        run_pieces(threads, threads, [&](int) {
            Thread own(*this);
            for (Index first = next++ * fit_.chain; first < fit_.problems; first = next++ * fit_.chain)
                for (Index k = first; k < std::min(first + fit_.chain, fit_.problems); ++k) own.solve(k, k > first);
        });
    }

private:
    using Block = std::unique_ptr<double[], decltype(&std::free)>;
    static Block block(Index size) {
        void* const memory = std::aligned_alloc(64, static_cast<std::size_t>(padded(size)) * sizeof(double));
        if (memory == nullptr) throw std::bad_alloc();
        return Block(static_cast<double*>(memory), &std::free);
    }

    void make_gram() {
        gram_ = block(n_ * n_);
        const Block scratch = block((fit_.d + np_) * np_);
        table_.gram(fit_.X, n_, fit_.d, scratch.get(), gram_.get());
    }

    int worthwhile_threads() const {
        const double rows = static_cast<double>(n_), width = static_cast<double>(std::min(fit_.d, n_));
        const double work = static_cast<double>(fit_.problems) * 30.0 * rows * (width + 10.0);
        const Index most = std::min<Index>(fit_.n_threads, (fit_.problems + fit_.chain - 1) / fit_.chain);
        return static_cast<int>(
            std::clamp<Index>(static_cast<Index>(work / fit_.tuning.thread_work), 1, std::max<Index>(most, 1)));
    }

    struct Thread {
        explicit Thread(const SmallFitSolver& fit)
            : all(fit), ids(fit.np_), y(fit.np_), C(fit.np_), alpha(fit.np_), w(padded(fit.columns_ + 1)) {}

        void solve(Index k, bool goes_on) {
            const SmallFit& fit = all.fit_;
            const std::int8_t* signs = fit.signs + k * fit.n;
            const double* costs = fit.costs + k * fit.n;
            Index rows = 0;
            for (Index i = 0; i < fit.n; ++i) {
                if (signs[i] == 0) continue;
                ids[rows] = static_cast<std::int32_t>(i);
                y[rows] = signs[i];
                C[rows++] = costs[i];
            }
            std::fill(y.begin() + rows, y.end(), 0.0);
            std::fill(C.begin() + rows, C.end(), 0.0);
            const double* gram = all.gram_ ? all.gram_.get() : fit.gram;
            const auto most = static_cast<std::int64_t>(fit.tuning.most_work / static_cast<double>(fit.problems));
            SmallProblem problem{&fit.tuning, rows,    ids.data(), y.data(), C.data(), fit.squared,
                                 fit.bias,    fit.aim, most,       nullptr,  nullptr,  0,
                                 nullptr,     gram,    fit.n,      nullptr,  b};
            if (goes_on && reached && std::equal(signs, signs + fit.n, signs - fit.n)) {
                start = alpha;
                problem.start = start.data();
            }
            if (gram == nullptr) {
                problem.X = fit.X;
                problem.columns = all.columns_;
                problem.panels = panels_of(rows);
                if (fit.problems > 1 && rows == fit.n) problem.shared = share();
            }
            reserve(memory, memory_size, all.table_.memory(problem));
            SmallAnswer answer{alpha.data(), w.data(), 0, 0, false};
            all.table_.solve(problem, memory.get(), answer);
            b = answer.b;
            reached = answer.reached;
            write(k, rows, answer);
        }

        SmallShared* share() {
            if (!shared_memory) {
                const Index order = padded(all.columns_ + 1);
                shared_memory = block(order * order + order + all.np_);
                shared.factor = shared_memory.get();
                shared.inverse = shared.factor + order * order;
                shared.rho = shared.inverse + order;
            }
            return &shared;
        }

        const double* panels_of(Index rows) {
            if (packed != rows || rows < all.n_) {
                reserve(panels, panels_size, padded(rows) * all.columns_);
                all.table_.pack(all.fit_.X, all.fit_.d, ids.data(), rows, all.ones_, panels.get());
                packed = rows;
            }
            return panels.get();
        }

        void write(Index k, Index rows, const SmallAnswer& answer) {
            const SmallFit& fit = all.fit_;
            double* alphas = all.out_.alpha + k * fit.n;
            std::fill(alphas, alphas + fit.n, 0.0);
            for (Index i = 0; i < rows; ++i) alphas[ids[i]] = alpha[i];
            if (double* out = all.out_.w; out != nullptr) {
                out += k * fit.d;
                if (!all.gram_) {
                    std::copy(w.begin(), w.begin() + fit.d, out);
                } else {
                    std::fill(out, out + fit.d, 0.0);
                    for (Index i = 0; i < rows; ++i) {
                        const double* x = fit.X + ids[i] * fit.d;
                        if (alpha[i] == 0) continue;
                        for (Index j = 0; j < fit.d; ++j) out[j] += alpha[i] * y[i] * x[j];
                    }
                }
            }
            all.out_.b[k] = answer.b;
            all.out_.work[k] = answer.work;
            all.out_.reached[k] = answer.reached;
        }

        static void reserve(Block& memory, Index& has, Index size) {
            if (size <= has) return;
            memory.reset();
            memory = block(size);
            has = size;
        }

        const SmallFitSolver& all;
        std::vector<std::int32_t> ids;
        std::vector<double> y, C, alpha, w, start;
        double b = 0;
        bool reached = false;
        SmallShared shared{};
        Block memory{nullptr, &std::free}, panels{nullptr, &std::free}, shared_memory{nullptr, &std::free};
        Index memory_size = 0, panels_size = 0, packed = -1;
    };

    const SmallFit& fit_;
    const SmallFitAnswer& out_;
    Index n_, np_, columns_ = 0;
    bool ones_ = false;
    const SmallTable& table_;
    Block gram_{nullptr, &std::free};
};

}  // namespace separatrix
