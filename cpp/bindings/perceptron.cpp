// The perceptron for Python: typed arrays in, GIL released, no logic. An empty array stands for "not wanted".
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "perceptron/online.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace separatrix;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Log = nb::ndarray<nb::numpy, Index, nb::ndim<2>>;

template <class T>
auto pointer(const T& array) -> decltype(array.data()) {
    return array.size() == 0 ? nullptr : array.data();
}

Tally read_tally(const Output<Index>& counts) { return {counts.data()[0], counts.data()[1], counts.data()[2]}; }

void write_tally(const Tally& tally, const Output<Index>& counts) {
    counts.data()[0] = tally.visits;
    counts.data()[1] = tally.updates;
    counts.data()[2] = tally.run;
}

// Rows of (row, visits before it, rival), one for each update.
Log as_array(const std::vector<Update>& log) {
    auto data = std::make_unique<Index[]>(3 * log.size() + 1);
    for (std::size_t k = 0; k < log.size(); ++k) {
        data[3 * k] = log[k].row;
        data[3 * k + 1] = log[k].visit;
        data[3 * k + 2] = log[k].rival;
    }
    Index* raw = data.release();
    nb::capsule owner(raw, [](void* memory) noexcept { delete[] static_cast<Index*>(memory); });
    return Log(raw, {log.size(), 3}, owner);
}

Watch& watch_of(const Output<double>& state) { return *reinterpret_cast<Watch*>(state.data()); }

// pocket_state: run, errors, ratchet (0 or 1)
Pocket pocket_of(const Output<double>& w, const Output<double>& b, const Output<Index>& state) {
    Pocket pocket;
    pocket.w = pointer(w);
    pocket.b = pointer(b);
    pocket.run = state.data()[0];
    pocket.errors = state.data()[1];
    pocket.ratchet = state.data()[2] != 0;
    return pocket;
}

void keep(const Pocket& pocket, const Output<Index>& state) {
    state.data()[0] = pocket.run;
    state.data()[1] = pocket.errors;
}

struct PassBody {
    template <class Rows>
    static Log run(const Rows& rows, const Array<Sign>& signs, const Array<Index>& order, Index begin, Index end,
                   const Output<double>& w, const Output<double>& b, double step, double gain, bool decreasing,
                   double reach, int n_threads, const Output<Index>& tally_state, const Output<Index>& counts,
                   const Output<double>& lag, const Output<double>& lag_b, const Output<double>& pocket_w,
                   const Output<double>& pocket_b, const Output<Index>& pocket_state, bool logged) {
        std::vector<Update> log;
        {
            nb::gil_scoped_release release;
            Tally tally = read_tally(tally_state);
            Pocket pocket = pocket_of(pocket_w, pocket_b, pocket_state);
            perceptron_pass(rows, signs.data(), Visit{pointer(order)}, begin, end, w.data(), *b.data(),
                            {step, gain, decreasing}, reach, n_threads, tally, pointer(counts),
                            {pointer(lag), pointer(lag_b)}, pocket, logged ? &log : nullptr);
            // A run that the end of the pass cuts short may still be the longest.
            if (end == rows.rows) offer(pocket, rows, signs.data(), w.data(), *b.data(), tally.run, n_threads);
            keep(pocket, pocket_state);
            write_tally(tally, tally_state);
        }
        return as_array(log);
    }
};

struct KeslerBody {
    template <class Rows>
    static Log run(const Rows& rows, const Array<Code>& codes, const Array<Index>& order, Index begin, Index end,
                   const Output<double>& W, const Output<double>& b, double step, double gain, bool decreasing,
                   int n_threads, const Output<Index>& tally_state, const Output<double>& lag,
                   const Output<double>& lag_b, bool logged) {
        std::vector<Update> log;
        {
            nb::gil_scoped_release release;
            Tally tally = read_tally(tally_state);
            kesler_pass(rows, codes.data(), Visit{pointer(order)}, begin, end, W.data(), b.data(),
                        static_cast<Code>(b.size()), {step, gain, decreasing}, n_threads, tally,
                        {pointer(lag), pointer(lag_b)}, logged ? &log : nullptr);
            write_tally(tally, tally_state);
        }
        return as_array(log);
    }
};

nb::ndarray<nb::numpy, Index, nb::ndim<1>> as_indices(const std::vector<Index>& values) {
    auto data = std::make_unique<Index[]>(values.size() + 1);
    std::copy(values.begin(), values.end(), data.get());
    Index* raw = data.release();
    nb::capsule owner(raw, [](void* memory) noexcept { delete[] static_cast<Index*>(memory); });
    return nb::ndarray<nb::numpy, Index, nb::ndim<1>>(raw, {values.size()}, owner);
}

struct DoubtBody {
    template <class Rows>
    static nb::ndarray<nb::numpy, Index, nb::ndim<1>> run(const Rows& rows, const Array<Sign>& signs,
                                                          const Array<double>& w, double b, double norm, double reach,
                                                          int n_threads) {
        std::vector<Index> found;
        {
            nb::gil_scoped_release release;
            found = doubtful_rows(rows, signs.data(), w.data(), b, norm, reach, n_threads);
        }
        return as_indices(found);
    }
};

struct MeasureBody {
    template <class Rows>
    static nb::tuple run(const Rows& rows) {
        double largest = 0;
        Index bad;
        {
            nb::gil_scoped_release release;
            std::vector<double> norms(static_cast<std::size_t>(rows.rows));
            bad = measure(rows, norms.data(), largest);
        }
        return nb::make_tuple(bad, largest);
    }
};

struct ReachBody {
    template <class Rows>
    static double run(const Rows& rows, int n_threads) {
        nb::gil_scoped_release release;
        return reach(rows, n_threads);
    }
};

// Everything that learning from rows of two classes changes.
struct LearnTwoState {
    const Output<double>&w, &b;
    double step, gain;
    bool decreasing;
    const Output<Index>& tally;
    const Output<double>&lag, &lag_b, &pocket_w, &pocket_b;
    const Output<Index>& pocket_state;
    const Output<double>&watch, &u, &u_b;

    // Returns the first row that is not finite, in which case nothing was learnt, or -1.
    template <class Rows>
    Index learn(const Rows& rows, const Sign* signs, std::vector<Mistake>& seen, double* scores) const {
        std::vector<double> norms;
        const Index bad = survey(rows, watch_of(watch), norms);
        if (bad >= 0) return bad;
        Tally counts = read_tally(tally);
        Pocket pocket = pocket_of(pocket_w, pocket_b, pocket_state);
        learn_two(rows, norms, signs, w.data(), b.data(), {step, gain, decreasing}, counts,
                  {pointer(lag), pointer(lag_b)}, pocket, watch_of(watch), {u.data(), u_b.data()}, seen, scores);
        keep(pocket, pocket_state);
        write_tally(counts, tally);
        return -1;
    }
};

// (first row that is not finite or -1, positions of the mistakes, their scores)
struct LearnTwoBody {
    template <class Rows>
    static nb::tuple run(const Rows& rows, const Array<Sign>& signs, const Output<double>& row_scores,
                         const Output<double>& w, const Output<double>& b, double step, double gain, bool decreasing,
                         const Output<Index>& tally, const Output<double>& lag, const Output<double>& lag_b,
                         const Output<double>& pocket_w, const Output<double>& pocket_b,
                         const Output<Index>& pocket_state, const Output<double>& watch, const Output<double>& u,
                         const Output<double>& u_b) {
        std::vector<Mistake> seen;
        Index bad;
        {
            nb::gil_scoped_release release;
            const LearnTwoState state{w,     b,        step,     gain,         decreasing, tally, lag,
                                      lag_b, pocket_w, pocket_b, pocket_state, watch,      u,     u_b};
            bad = state.learn(rows, signs.data(), seen, pointer(row_scores));
        }
        std::vector<Index> where;
        where.reserve(seen.size());
        for (const Mistake& mistake : seen) where.push_back(mistake.position);
        auto score = std::make_unique<double[]>(seen.size() + 1);
        for (std::size_t k = 0; k < seen.size(); ++k) score[k] = seen[k].score;
        double* scores = score.release();
        nb::capsule owner(scores, [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
        return nb::make_tuple(bad, as_indices(where),
                              nb::ndarray<nb::numpy, double, nb::ndim<1>>(scores, {seen.size()}, owner));
    }
};

// One row, no arrays made: -1 if it is not finite, else 1 if it was predicted positive, 0 if not.
struct LearnOneBody {
    template <class Rows>
    static int run(const Rows& rows, int sign, const Output<double>& w, const Output<double>& b, double step,
                   double gain, bool decreasing, const Output<Index>& tally, const Output<double>& lag,
                   const Output<double>& lag_b, const Output<double>& pocket_w, const Output<double>& pocket_b,
                   const Output<Index>& pocket_state, const Output<double>& watch, const Output<double>& u,
                   const Output<double>& u_b) {
        const Sign signs[1] = {static_cast<Sign>(sign)};
        std::vector<Mistake> seen;
        const LearnTwoState state{w,     b,        step,     gain,         decreasing, tally, lag,
                                  lag_b, pocket_w, pocket_b, pocket_state, watch,      u,     u_b};
        if (state.learn(rows, signs, seen, nullptr) >= 0) return -1;
        return seen.empty() ? sign > 0 : seen[0].score > 0;
    }
};

struct LearnManyBody {
    template <class Rows>
    static nb::tuple run(const Rows& rows, const Array<Code>& codes, const Output<double>& W, const Output<double>& b,
                         double step, double gain, bool decreasing, const Output<Index>& tally_state,
                         const Output<double>& lag, const Output<double>& lag_b, const Output<double>& watch,
                         const Output<double>& u, const Output<double>& u_b) {
        std::vector<Update> seen;
        Index bad;
        {
            nb::gil_scoped_release release;
            std::vector<double> norms;
            bad = survey(rows, watch_of(watch), norms);
            Tally tally = read_tally(tally_state);
            if (bad < 0)
                learn_many(rows, norms, codes.data(), W.data(), b.data(), static_cast<Code>(b.size()),
                           {step, gain, decreasing}, tally, {pointer(lag), pointer(lag_b)}, watch_of(watch),
                           {u.data(), u_b.data()}, seen);
            write_tally(tally, tally_state);
        }
        return nb::make_tuple(bad, as_array(seen));
    }
};

template <class Body, class Function>
struct Overloads;

// The arguments of Body::run after the rows, taken from its instance for one kind of rows.
template <class Body, class Result, class Rows, class... Rest>
struct Overloads<Body, Result (*)(const Rows&, Rest...)> {
    template <class V>
    static void dense(nb::module_& m, const char* name) {
        m.def(name, [](const Table<V>& X, Rest... rest) {
            return Body::run(DenseRows<V>{X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))},
                             rest...);
        });
    }
    template <class V, class I>
    static void sparse(nb::module_& m, const char* name) {
        m.def(name,
              [](const Array<V>& values, const Array<I>& indices, const Array<I>& starts, Index columns, Rest... rest) {
                  return Body::run(SparseRows<V, I>{values.data(), indices.data(), starts.data(),
                                                    static_cast<Index>(starts.shape(0)) - 1, columns},
                                   rest...);
              });
    }
    static void all(nb::module_& m, const char* name) {
        dense<float>(m, name);
        dense<double>(m, name);
        sparse<float, std::int32_t>(m, name);
        sparse<float, std::int64_t>(m, name);
        sparse<double, std::int32_t>(m, name);
        sparse<double, std::int64_t>(m, name);
    }
};

template <class Body>
void bind(nb::module_& m, const char* name) {
    Overloads<Body, decltype(&Body::template run<DenseRows<double>>)>::all(m, name);
}

}  // namespace

void bind_perceptron(nb::module_& m) {
    bind<PassBody>(m, "perceptron_pass");
    bind<KeslerBody>(m, "kesler_pass");
    bind<DoubtBody>(m, "doubtful_rows");
    bind<MeasureBody>(m, "measure_rows");
    bind<ReachBody>(m, "reach");
    bind<LearnTwoBody>(m, "learn_two");
    bind<LearnOneBody>(m, "learn_one");
    bind<LearnManyBody>(m, "learn_many");
    m.def(
        "read_memory",
        [](const Table<float>& X) {
            nb::gil_scoped_release release;
            return perceptron_kernels().read(X.data(), static_cast<Index>(X.size()));
        },
        "X"_a, "Read every entry once: the speed of memory, for comparison.");
    m.def(
        "most_updates",
        [](const Output<double>& watch, const Output<Index>& tally, double gain, double factor) {
            return most_updates(watch_of(watch), read_tally(tally), gain, factor);
        },
        "watch"_a, "tally"_a, "gain"_a, "factor"_a, "The most updates that the rows so far can have caused.");
    m.attr("watch_size") = sizeof(Watch) / sizeof(double);
}
