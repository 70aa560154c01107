// The perceptron for Python: its state as one object, passes over `Rows`, learning from rows as they come.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <memory>
#include <optional>

#include "bindings/rows.hpp"
#include "perceptron/online.hpp"

using namespace separatrix;

namespace {

using State = PerceptronState;
using Order = std::optional<Array<Index>>;

// The state's own memory as an array, empty where nothing is kept. A property's array keeps its state alive.
template <class T>
nb::ndarray<nb::numpy, T> shared(std::vector<T>& values) {
    return nb::ndarray<nb::numpy, T>(values.data(), {values.size()});
}

nb::ndarray<nb::numpy, double> shared_planes(const State& state, std::vector<double>& values) {
    if (values.empty()) return shared(values);
    const auto columns = static_cast<std::size_t>(state.columns);
    return nb::ndarray<nb::numpy, double>(values.data(), {values.size() / columns, columns});
}

void new_state(State* self, Index planes, Index columns, double step, double gain, bool decreasing, bool averaged,
               bool pocket, bool ratchet, bool logged, Index rows) {
    if (planes < 1 || columns < 1 || rows < 0) refuse("planes and columns must be at least 1, rows at least 0.");
    new (self) State(planes, columns, {step, gain, decreasing});
    self->counts.resize(static_cast<std::size_t>(rows));
    if (averaged) {
        self->lag.resize(self->w.size());
        self->lag_b.resize(self->b.size());
    }
    if (pocket && planes == 1) {
        self->pocket.w.resize(self->w.size());
        self->pocket.b.resize(self->b.size());
    }
    self->pocket.ratchet = ratchet;
    self->logged = logged;
}

void expect_rows(const State& state, const Rows& rows, std::size_t labels) {
    expect(static_cast<std::size_t>(rows.columns()), state.columns, "A row");
    expect(labels, rows.rows(), "labels");
}

void expect_order(const Order& order, Index begin, Index end, Index rows) {
    if (begin < 0 || begin > end || end > rows) throw nb::index_error("begin and end must be within the rows.");
    if (!order) return;
    expect(order->size(), rows, "order");
    for (Index p = begin; p < end; ++p) {
        const Index row = order->data()[p];
        if (row < 0 || row >= rows) throw nb::index_error("order must name rows.");
    }
}

void expect_codes(const State& state, const Array<Code>& codes) {
    if (state.planes < 2) refuse("Codes of classes need a plane for each class.");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes.data()[i] < 0 || codes.data()[i] >= state.planes) throw nb::index_error("codes must name planes.");
    }
}

void expect_signs(const State& state) {
    if (state.planes != 1) refuse("Signs are for one plane.");
}

Index visit_signs_of(State& self, const Rows& rows, const Array<Sign>& signs, const Order& order, Index begin,
                     Index end, double norm_bound, int n_threads) {
    expect_rows(self, rows, signs.size());
    expect_order(order, begin, end, rows.rows());
    expect_signs(self);
    if (!self.counts.empty()) expect(self.counts.size(), rows.rows(), "counts");
    nb::gil_scoped_release release;
    return rows.visit([&](const auto& view) {
        const Visit visit{order ? order->data() : nullptr};
        const Index made = visit_signs(self, view, signs.data(), visit, begin, end, norm_bound, n_threads);
        // A run that the end of the pass cuts short may still be the longest.
        if (end == view.rows) offer(self, view, signs.data(), n_threads);
        return made;
    });
}

Index visit_codes_of(State& self, const Rows& rows, const Array<Code>& codes, const Order& order, Index begin,
                     Index end, double, int n_threads) {
    expect_rows(self, rows, codes.size());
    expect_order(order, begin, end, rows.rows());
    expect_codes(self, codes);
    nb::gil_scoped_release release;
    return rows.visit([&](const auto& view) {
        return visit_codes(self, view, codes.data(), Visit{order ? order->data() : nullptr}, begin, end, n_threads);
    });
}

void refuse_row(Index bad) {
    if (bad >= 0) refuse("Row " + std::to_string(bad) + " has a norm that is not a finite number.");
}

using Predicted = std::pair<nb::ndarray<nb::numpy, Index, nb::ndim<1>>, nb::ndarray<nb::numpy, Code, nb::ndim<1>>>;

// The positions of the mistakes, and what the model said there.
template <class Say>
Predicted predicted(const std::vector<Mistake>& seen, const Say& say) {
    std::vector<Index> positions;
    std::vector<Code> codes;
    for (const Mistake& mistake : seen) {
        positions.push_back(mistake.position);
        codes.push_back(say(mistake));
    }
    return {copied(positions), copied(codes)};
}

Predicted learn_signs_of(State& self, const Rows& rows, const Array<Sign>& signs,
                         const std::optional<Output<double>>& scores) {
    expect_rows(self, rows, signs.size());
    expect_signs(self);
    if (scores) expect(scores->size(), rows.rows(), "scores");
    std::vector<Mistake> seen;
    Index bad;
    {
        nb::gil_scoped_release release;
        bad = rows.visit([&](const auto& view) {
            return learn_signs(self, view, signs.data(), seen, scores ? scores->data() : nullptr);
        });
    }
    refuse_row(bad);
    return predicted(seen, [](const Mistake& mistake) { return static_cast<Code>(mistake.score > 0); });
}

Predicted learn_codes_of(State& self, const Rows& rows, const Array<Code>& codes) {
    expect_rows(self, rows, codes.size());
    expect_codes(self, codes);
    std::vector<Mistake> seen;
    Index bad;
    {
        nb::gil_scoped_release release;
        bad = rows.visit([&](const auto& view) { return learn_codes(self, view, codes.data(), seen); });
    }
    refuse_row(bad);
    return predicted(seen, [](const Mistake& mistake) { return mistake.rival; });
}

template <class V>
int learn_one(State& self, const Table<V>& x, int sign) {
    if (x.shape(0) != 1) refuse("One row is expected.");
    expect(x.shape(1), self.columns, "A row");
    expect_signs(self);
    const Sign signs[1] = {static_cast<Sign>(sign > 0 ? 1 : -1)};
    std::vector<Mistake> seen;
    if (learn_signs(self, DenseRows<V>{x.data(), 1, self.columns}, signs, seen, nullptr) >= 0) return -1;
    return seen.empty() ? sign > 0 : seen[0].score > 0;
}

// Rows of (row, visits before it, rival), one for each update.
nb::ndarray<nb::numpy, Index, nb::ndim<2>> get_log(const State& self) {
    const std::size_t size = self.log.size();
    Index* const data = new Index[3 * size + 1];
    for (std::size_t k = 0; k < size; ++k) {
        data[3 * k] = self.log[k].row;
        data[3 * k + 1] = self.log[k].visit;
        data[3 * k + 2] = self.log[k].rival;
    }
    const nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<Index*>(memory); });
    return nb::ndarray<nb::numpy, Index, nb::ndim<2>>(data, {size, 3}, owner);
}

void set_log(State& self, const Table<Index>& log) {
    expect(log.shape(1), 3, "An update");
    self.log.clear();
    for (std::size_t k = 0; k < log.shape(0); ++k) {
        const Index* const update = log.data() + 3 * k;
        self.log.push_back({update[0], update[1], static_cast<Code>(update[2])});
    }
}

// u (planes, columns) and its bias (planes); None before the first restart.
std::optional<std::pair<nb::ndarray<nb::numpy, double, nb::ndim<1>>, nb::ndarray<nb::numpy, double, nb::ndim<1>>>>
get_comparator(const Comparator& self) {
    if (!self.chosen()) return std::nullopt;
    return std::pair{copied(self.u), copied(self.b)};
}

void set_comparator(State& self, const Table<double>& u, const Array<double>& b) {
    expect(u.shape(0), self.planes, "u");
    expect(u.shape(1), self.columns, "A row of u");
    expect(b.size(), self.planes, "b");
    self.comparator.u.assign(u.data(), u.data() + u.size());
    self.comparator.b.assign(b.data(), b.data() + b.size());
}

}  // namespace

void bind_perceptron(nb::module_& m) {
    nb::class_<Comparator>(m, "Comparator", "What the running bound of an online perceptron compares the rows with.")
        .def_rw("restart_at", &Comparator::restart_at, "Rows visited at which the comparator is chosen anew.")
        .def_rw("updates", &Comparator::updates, "Updates before the last restart.")
        .def_rw("visits", &Comparator::visits, "Rows visited before the last restart.")
        .def_rw("longest", &Comparator::longest, "max ||x||^2 of all rows so far.")
        .def_rw("margin", &Comparator::margin, "The largest of the margins whose deficits are kept.")
        .def_prop_ro(
            "deficits",
            [](Comparator& self) {
                return nb::ndarray<nb::numpy, double, nb::ndim<1>>(self.deficits, {compared_margins});
            },
            "Sums of squared deficits for the margins margin 2^-j, shared memory.")
        .def_prop_ro("direction", &get_comparator, nb::rv_policy::automatic,
                     "Copies of u, flat, and its bias; None before the first restart.");
    nb::class_<State>(m, "PerceptronState", "A perceptron run: one plane for two classes, one a class for many.")
        .def("__init__", &new_state, "planes"_a, "columns"_a, nb::kw_only(), "step"_a = 1.0, "gain"_a = 0.0,
             "decreasing"_a = false, "averaged"_a = false, "pocket"_a = false, "ratchet"_a = true, "logged"_a = false,
             "rows"_a = 0, "w = 0. `rows` (0: none) is the number of rows whose updates are counted.")
        .def_prop_ro(
            "w", [](State& self) { return shared_planes(self, self.w); }, "Weights (planes, columns), shared memory.")
        .def_prop_ro(
            "b", [](State& self) { return shared(self.b); }, "Biases (planes,), shared memory.")
        .def_prop_ro(
            "lag", [](State& self) { return shared_planes(self, self.lag); },
            "The sum of w over all visits is visits * w - lag; empty: not kept.")
        .def_prop_ro(
            "lag_b", [](State& self) { return shared(self.lag_b); }, "The same for b.")
        .def_prop_ro(
            "counts", [](State& self) { return shared(self.counts); },
            "Updates on each row, shared memory; empty: not counted.")
        .def_prop_ro(
            "pocket_w", [](State& self) { return shared_planes(self, self.pocket.w); },
            "Weights in the pocket (1, columns), shared memory; empty: no pocket.")
        .def_prop_ro(
            "pocket_b", [](State& self) { return shared(self.pocket.b); }, "Bias in the pocket.")
        .def_prop_rw(
            "pocket_run", [](const State& self) { return self.pocket.run; },
            [](State& self, Index run) { self.pocket.run = run; }, "Length of the run in the pocket; -1: none.")
        .def_prop_rw(
            "pocket_errors", [](const State& self) { return self.pocket.errors; },
            [](State& self, Index errors) { self.pocket.errors = errors; }, "Errors of the pocket; -1: not counted.")
        .def_prop_ro(
            "ratchet", [](const State& self) { return self.pocket.ratchet; },
            "Whether the pocket changes only for fewer errors on all rows.")
        .def_prop_rw(
            "visits", [](const State& self) { return self.tally.visits; },
            [](State& self, Index visits) { self.tally.visits = visits; }, "Rows visited.")
        .def_prop_rw(
            "updates", [](const State& self) { return self.tally.updates; },
            [](State& self, Index updates) { self.tally.updates = updates; }, "Updates made.")
        .def_prop_rw(
            "run", [](const State& self) { return self.tally.run; },
            [](State& self, Index run) { self.tally.run = run; }, "Rows classified correctly since the last update.")
        .def_ro("planes", &State::planes)
        .def_ro("columns", &State::columns)
        .def_prop_ro("step", [](const State& self) { return self.step.size; })
        .def_prop_ro("gain", [](const State& self) { return self.step.gain; })
        .def_prop_ro("decreasing", [](const State& self) { return self.step.decreasing; })
        .def_ro("logged", &State::logged, "Whether each update is written down in `log`.")
        .def_prop_rw("log", &get_log, &set_log, nb::for_getter(nb::rv_policy::automatic),
                     "A copy: (row, visits before it, rival) of each update, shape (m, 3).")
        .def_prop_ro(
            "comparator", [](State& self) -> Comparator& { return self.comparator; }, nb::rv_policy::reference_internal)
        .def("set_direction", &set_comparator, "u"_a, "b"_a, "Compare the rows to come with this unit vector.")
        .def("visit", &visit_signs_of, "rows"_a, "signs"_a, "order"_a.none(), "begin"_a, "end"_a, "norm_bound"_a,
             "n_threads"_a = 1, "Visit the positions begin .. end - 1 of an order; returns the updates made.")
        .def("visit", &visit_codes_of, "rows"_a, "codes"_a, "order"_a.none(), "begin"_a, "end"_a, "norm_bound"_a,
             "n_threads"_a = 1, "The same for many classes, through Kesler's construction.")
        .def("learn", &learn_signs_of, "rows"_a, "signs"_a, "scores"_a.none() = nb::none(),
             "Predict each row, then learn it: positions of the mistakes, and what was predicted there (0 or 1).")
        .def("learn", &learn_codes_of, "rows"_a, "codes"_a,
             "The same for many classes: positions of the mistakes, and the rival of each.")
        .def("learn_one", &learn_one<float>, "x"_a.noconvert(), "sign"_a)
        .def("learn_one", &learn_one<double>, "x"_a.noconvert(), "sign"_a,
             "One row (1, columns): -1 if it is not finite, else 1 if it was predicted positive and 0 if not.")
        .def("most_updates", &most_updates, "The most updates that the rows so far can have caused.");
    m.def(
        "doubtful_rows",
        [](const Rows& rows, const Array<Sign>& signs, const Array<double>& w, double b, double norm_bound,
           int n_threads) {
            expect(signs.size(), rows.rows(), "signs");
            expect(w.size(), rows.columns(), "w");
            std::vector<Index> found;
            {
                nb::gil_scoped_release release;
                found = rows.visit([&](const auto& view) {
                    return doubtful_rows(view, signs.data(), w.data(), b, norm_bound, n_threads);
                });
            }
            return copied(found);
        },
        "rows"_a, "signs"_a, "w"_a, "b"_a, "norm_bound"_a, "n_threads"_a = 1,
        "Rows whose sign rounding may have got wrong.");
    m.def(
        "measure_rows",
        [](const Rows& rows) {
            nb::gil_scoped_release release;
            return rows.visit([](const auto& view) {
                double largest = 0;
                std::vector<double> norms(static_cast<std::size_t>(view.rows));
                const Index bad = measure(view, norms.data(), largest);
                return std::pair{bad, largest};
            });
        },
        "rows"_a, "The first row whose norm is not finite (-1: none), and the largest squared norm before it.");
    m.def(
        "squared_norm_bound",
        [](const Rows& rows, int n_threads) {
            nb::gil_scoped_release release;
            return rows.visit([&](const auto& view) { return squared_norm_bound(view, n_threads); });
        },
        "rows"_a, "n_threads"_a = 1,
        "At least max ||x||^2 where rows are scored in float first (dense float32), else infinite.");
    m.def(
        "read_memory",
        [](const Table<float>& X) {
            nb::gil_scoped_release release;
            return simd().perceptron.read(X.data(), static_cast<Index>(X.size()));
        },
        "X"_a, "Read every entry once: the speed of memory, for comparison.");
}
