"""The compiled passes against the algorithm written out, and against themselves in other blocks."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from separatrix import Perceptron, verify
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.passes import PrimalPasses, new_state, to_arrays
from separatrix.perceptron.rows import LabelledRows, misclassified


def naive_pass(X, y, w, b, order):
    updates = []
    for i in order:
        if not y[i] * (X[i].astype(np.float64) @ w + b) > 0:
            w += y[i] * X[i]
            b += y[i]
            updates.append(i)
    return b, updates


@pytest.mark.parametrize("d", [1, 3, 4, 7, 8, 9, 15, 16, 31, 100])
@pytest.mark.parametrize("kind", [np.float32, np.float64, "csr"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_passes_equal_the_algorithm(d, kind, shuffle):
    rng = np.random.default_rng(d)
    X = rng.integers(-16, 17, (700, d)) / 4.0  # sums are exact: any order of additions gives the same bits
    y = np.where(X @ rng.integers(-3, 4, d) + rng.integers(-2, 3, 700) > 0, 1, -1).astype(np.int8)
    rows = LabelledRows(sparse.csr_array(X) if kind == "csr" else X.astype(kind), y, 1.0)
    passes = PrimalPasses(rows, Settings(shuffle=shuffle, seed=9))
    state = passes.state
    w, b, counts, orders = np.zeros(d), 0.0, np.zeros(700, dtype=int), np.random.default_rng(9)
    for _ in range(3):
        made = passes.sweep()
        b, updates = naive_pass(X, y, w, b, orders.permutation(700) if shuffle else range(700))
        np.add.at(counts, updates, 1)
        assert made == len(updates)
    assert np.array_equal(state.w[0], w)
    assert state.b[0] == b
    assert np.array_equal(state.counts, counts)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [5, 33, 100])
def test_a_pass_is_the_same_in_any_pieces(d, dtype):
    """On rows whose sums are not exact: blocks, the float filter and single rows decide alike, bit for bit."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, d)).astype(dtype)
    y = np.where(X @ rng.standard_normal(d) > 0, 1, -1).astype(np.int8)
    rows = LabelledRows(X, y, 1.0)
    whole, pieces = PrimalPasses(rows, Settings()), PrimalPasses(rows, Settings())
    for _ in range(3):
        whole.sweep()
        cuts = [0, 1, 2, 3, 10, 11, 500, 777, 1500, 3000]
        for begin, end in pairwise(cuts):
            pieces.visit(None, begin, end)
    one, other = to_arrays(whole.state), to_arrays(pieces.state)
    for name in ("W", "b", "counts", "tally"):
        assert np.array_equal(one[name], other[name])


@pytest.mark.parametrize("scale", [1e-30, 1e-18, 1.0, 1e18])
def test_tiny_and_huge_rows_in_float(scale):
    rng = np.random.default_rng(2)
    X = (rng.standard_normal((600, 40)) * scale).astype(np.float32)
    y = np.where(X.astype(np.float64) @ rng.standard_normal(40) > 0, 1, -1).astype(np.int8)
    results = []
    for data in (X, X.astype(np.float64)):
        passes = PrimalPasses(LabelledRows(data, y, 0.0), Settings())
        for _ in range(4):
            passes.sweep()
        results.append(passes.state)
    assert np.array_equal(results[0].w, results[1].w)


def test_doubtful_rows_are_decided_exactly():
    X = np.array([[0.1, 0.2], [0.1, 0.2], [5.0, 1.0]])
    w = np.array([0.2, -0.1])  # 0.1 * 0.2 - 0.2 * 0.1 = 0 exactly
    signs = np.array([1, -1, 1], dtype=np.int8)
    assert misclassified(LabelledRows(X, signs, 0.0), w, 0.0).tolist() == [0, 1]
    assert misclassified(LabelledRows(X[2:], signs[2:], 0.0), w, 0.0).tolist() == []


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("d", [2, 7, 8, 31, 100])
def test_rows_too_close_to_call_in_float_are_decided_in_double(d, shuffle):
    """One row in eight is at right angles to w but for rounding, so that its score in float may have either sign."""
    rng = np.random.default_rng(d)
    w = rng.standard_normal(d)
    R = rng.standard_normal((8000, d))
    R = R[np.abs(R @ w) > 0.5]
    close = np.arange(len(R)) % 8 == 5
    X = np.where(close[:, None], R - np.outer(R @ w / (w @ w), w), R).astype(np.float32)
    scores = X.astype(np.float64) @ w
    y = np.where(scores > 0, 1, -1).astype(np.int8)
    y[close] = np.where(rng.random(close.sum()) < 0.5, 1, -1)
    wrong = y * scores <= 0
    rows = LabelledRows(X, y, 0.0)
    passes = PrimalPasses(rows, Settings(shuffle=shuffle, step=1e-25))
    passes.state.w[0] = w  # steps this small leave it as it is
    passes.sweep()
    sure = np.abs(scores) > 1e-12  # the rest is rounding in double too
    assert np.array_equal(passes.state.counts[sure], wrong[sure])
    assert set(np.flatnonzero(wrong & sure)) <= set(misclassified(rows, w, 0.0).tolist())


def test_the_norm_bound_is_never_below_the_longest_row():
    rng = np.random.default_rng(5)
    for scale in (1e-25, 1e-10, 1.0, 1e15):
        for n, d in ((1, 1), (3, 5), (8, 8), (21, 33), (50, 100)):
            X = (rng.standard_normal((n, d)) * scale).astype(np.float32)
            longest = float(np.max(np.sum(X.astype(np.float64) ** 2, axis=1)))
            bound = LabelledRows(X, np.ones(n, dtype=np.int8), 0.0).norm_bound
            assert bound >= longest
            assert bound <= longest * (1 + 1e-4) + 1e-40 or np.isinf(bound)
            X[n // 2, d // 2] = np.nan
            assert np.isinf(LabelledRows(X, np.ones(n, dtype=np.int8), 0.0).norm_bound)


def test_only_dense_float32_has_a_norm_bound():
    X = np.ones((3, 2))
    assert np.isinf(LabelledRows(X, np.ones(3, dtype=np.int8), 0.0).norm_bound)


@pytest.mark.parametrize("n", [1, 64, 65, 200])
def test_a_shuffled_order_of_a_mapped_file_keeps_runs_together(n):
    rows = LabelledRows(np.zeros((n, 1)), np.ones(n, dtype=np.int8), 0.0)
    rows.__dict__["run_length"] = 64  # as of a mapped file with long rows
    order = PrimalPasses(rows, Settings(shuffle=True)).next_order()
    assert sorted(order.tolist()) == list(range(n))
    runs = order // 64
    assert np.count_nonzero(np.diff(runs)) == runs.max(), "each run is visited once, as a whole"
    assert n < 64 or not np.array_equal(order, np.arange(n))


def test_a_mapped_file_is_shuffled_in_runs(tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 4))
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r").view(np.ndarray)
    signs = np.where(X[:, 0] > 0, 1, -1).astype(np.int8)
    assert LabelledRows(X, signs, 1.0).run_length == 1
    assert LabelledRows(mapped, signs, 1.0).run_length == (1 << 20) // 32
    model = Perceptron(order="shuffle", random_state=0).fit(mapped, signs)
    assert model.status_ == "converged"
    assert verify(model.certificate_, X, signs, exact=False)


def test_rows_and_weights_that_underflow_are_decided_exactly():
    """Squares of such numbers are zero in floating point, so a norm alone would make every positive score look sure."""
    rng, deceived = np.random.default_rng(0), 0
    for _ in range(300):
        X, w = rng.standard_normal((4, 40)) * 1e-161, rng.standard_normal(40) * 1e-161
        signs = np.where(X @ w > 0, 1, -1).astype(np.int8)
        truth = [
            sum(Fraction(a) * Fraction(b) for a, b in zip(x, w, strict=True)) * int(sign) <= 0
            for x, sign in zip(X, signs, strict=True)
        ]
        deceived += sum(truth)
        assert misclassified(LabelledRows(X, signs, 0.0), w, 0.0).tolist() == np.flatnonzero(truth).tolist()
    assert deceived > 0


def test_two_identical_fits_give_identical_digits():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1, -1)
    one, two = (Perceptron(order="shuffle").fit(X, y) for _ in range(2))
    assert one.coef_.tobytes() == two.coef_.tobytes()
    assert one.coef_.tobytes() == Perceptron(order="shuffle", random_state=0).fit(X, y).coef_.tobytes()


def test_the_compiled_state_refuses_what_does_not_fit():
    rows = LabelledRows(np.ones((4, 2)), np.array([1, -1, 1, 1], dtype=np.int8), 0.0)
    state = PrimalPasses(rows, Settings()).state
    other = LabelledRows(np.ones((4, 3)), rows.labels, 0.0)
    with pytest.raises(ValueError, match="A row must have length 2; got 3"):
        state.visit(other.compiled, rows.labels, None, 0, 4, np.inf)
    with pytest.raises(ValueError, match="labels must have length 4"):
        state.visit(rows.compiled, rows.labels[:3], None, 0, 4, np.inf)
    with pytest.raises(IndexError):
        state.visit(rows.compiled, rows.labels, None, 0, 5, np.inf)
    with pytest.raises(IndexError, match="order must name rows"):
        state.visit(rows.compiled, rows.labels, np.array([0, 1, 2, 4]), 0, 4, np.inf)
    many = new_state(3, 2, 0.0, Settings())
    with pytest.raises(IndexError, match="codes must name planes"):
        many.visit(rows.compiled, np.array([0, 1, 2, 3], dtype=np.int32), None, 0, 4, np.inf)
