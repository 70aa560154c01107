"""A batch is a sequence of single rows, and a stream that is killed ends in the same model as one that is not.

Tests `streaming.py`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from separatrix import Perceptron, stream


def rows_of(seed: int, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((classes, d))
    X = rng.standard_normal((n, d))
    return X, np.argmax(X @ W.T + rng.standard_normal((n, classes)), axis=1)


OPTIONS = [
    {},
    {"bias": "radius", "output": "averaged"},
    {"bias": "none", "output": "pocket"},
    {"step": "decreasing"},
    {"multi_class": "ovr"},
    {"multi_class": "ovr", "output": "averaged"},
    {"kernel": "rbf", "gamma": 0.5},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("kind", [np.float32, np.float64, "csr"])
def test_a_batch_is_single_rows_bit_for_bit(options, classes, kind):
    X, y = rows_of(7, 150, 11, classes)
    X = sparse.csr_array(X) if kind == "csr" else X.astype(kind)
    batch, single, mixed = (Perceptron(**options) for _ in range(3))
    batch.partial_fit(X, y)
    for i in range(len(y)):
        single.partial_fit(X[i : i + 1], y[i : i + 1])
    for part in np.array_split(np.arange(len(y)), [1, 3, 64, 70]):
        mixed.partial_fit(X[part], y[part])
    for other in (single, mixed):
        assert np.array_equal(batch.classes_, other.classes_)
        assert batch.n_updates_ == other.n_updates_
        assert batch.bound_ == other.bound_
        if "kernel" not in options:
            assert np.array_equal(batch.coef_, other.coef_)
            assert np.array_equal(batch.intercept_, other.intercept_)
        assert np.array_equal(batch.decision_function(X), other.decision_function(X))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 5), cut=st.integers(1, 79))
def test_where_a_batch_is_cut_makes_no_difference(seed, classes, cut):
    X, y = rows_of(seed, 80, 5, classes)
    whole = Perceptron().partial_fit(X, y)
    parts = Perceptron().partial_fit(X[:cut], y[:cut]).partial_fit(X[cut:], y[cut:])
    assert np.array_equal(whole.coef_, parts.coef_)
    assert np.array_equal(whole.classes_, parts.classes_)


def test_single_rows_equal_a_naive_perceptron():
    X, y = rows_of(1, 300, 6, 2)
    w, b = np.zeros(6), 0.0
    model = Perceptron()
    X = np.round(X * 8) / 8  # sums are exact, so the order of additions does not matter
    known: list[int] = []
    for x, label in zip(X, y, strict=True):
        model.partial_fit(x[None, :], [int(label)])
        known += [label] if label not in known else []
        if len(known) < 2:
            continue
        sign = 1.0 if label == known[1] else -1.0
        if sign * (w @ x + b) <= 0:
            w, b = w + sign * x, b + sign
    sign = 1.0 if known[1] == 1 else -1.0
    assert np.array_equal(model.coef_[0], sign * w)
    assert model.intercept_[0] == sign * b


def test_running_mistakes_stay_below_the_running_bound():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, 8))
    y = np.where(X @ np.arange(1.0, 9.0) > 0, "yes", "no")
    model = Perceptron(bias="none")
    for i in range(0, 5000, 50):
        model.partial_fit(X[i : i + 50], y[i : i + 50])
    history = model.history_
    assert len(history) == 100
    assert np.all(history["updates"] <= history["bound"])
    assert history[-1].bound < 0.5 * history[-1].rows  # it says more than "one mistake a row"
    assert history[-1].rows == 5000


def test_new_classes_may_appear_and_fit_is_continued():
    X, y = rows_of(3, 200, 4, 3)
    first = np.flatnonzero(y < 2)[:50]
    model = Perceptron().partial_fit(X[first], y[first])
    assert model.classes_.tolist() == [0, 1]
    model.partial_fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.coef_.shape == (3, 4)
    fitted = Perceptron(max_epochs=2).fit(X[first], y[first])
    assert fitted.status_ == "inseparable"
    before = fitted.coef_.copy()
    fitted.partial_fit(X[first][:1], y[first][:1])
    assert np.abs(fitted.coef_ - before).max() <= np.abs(X[first][:1]).max()


def test_bad_rows_change_nothing():
    X, y = rows_of(4, 60, 3, 2)
    model = Perceptron().partial_fit(X, y)
    before = model.coef_.copy()
    bad = X[:2].copy()
    bad[1, 2] = np.nan
    with pytest.raises(ValueError, match="row 1, column 2 is NaN"):
        model.partial_fit(bad, y[:2])
    with pytest.raises(ValueError, match="row 0, column 2 is NaN"):
        model.partial_fit(bad[1:], y[:1])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], y)
    assert np.array_equal(model.coef_, before)


def test_stream_reads_arrays_pairs_and_batches_alike():
    X, y = rows_of(5, 500, 6, 3)
    models = [Perceptron() for _ in range(4)]
    *_, last = stream(models[0], X, y, block=64)
    pairs = list(stream(models[1], zip(X, y, strict=True)))
    list(stream(models[2], ((X[i : i + 100], y[i : i + 100]) for i in range(0, 500, 100))))
    list(stream(models[3], sparse.csr_array(X), y))
    assert last.rows == pairs[-1].rows == 500
    assert last.mistakes == pairs[-1].mistakes
    assert last.accuracy == 1 - last.mistakes / 500
    for model in models[1:3]:
        assert np.array_equal(model.coef_, models[0].coef_)
    assert models[3].n_updates_ > 0


def test_progressive_validation_predicts_before_it_learns():
    X, y = rows_of(6, 200, 4, 2)
    model, reference, wrong = Perceptron(), Perceptron(), 0
    for i in range(len(y)):
        if i >= 2:
            wrong += int(reference.predict(X[i : i + 1])[0] != y[i])
        reference.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    start = sum(1 for p in stream(model, X[:2], y[:2], classes=[0, 1]) if p)
    assert start == 1
    *_, last = stream(model, X[2:], y[2:], block=7)
    assert last.mistakes == wrong


_CHILD = """
    import sys, time
    import numpy as np
    from separatrix import Perceptron, stream
    rng = np.random.default_rng(11)
    X = rng.standard_normal((400, 5))
    y = np.argmax(X[:, :3] + rng.standard_normal((400, 3)), axis=1)
    def pairs():
        for x, label in zip(X, y):
            time.sleep(0.001)
            yield x, int(label)
    model = Perceptron(output="averaged")
    for progress in stream(model, pairs(), checkpoint=sys.argv[1], checkpoint_every=1):
        print(progress.rows, flush=True)
    np.savez(sys.argv[2], coef=model.coef_, intercept=model.intercept_, mistakes=progress.mistakes)
"""


def test_kill_nine_between_any_two_rows(tmp_path):
    environment = {**os.environ}
    script = tmp_path / "child.py"
    script.write_text(textwrap.dedent(_CHILD))

    def run(name: str, kill_after: list[int]) -> dict[str, np.ndarray]:
        checkpoint, out = tmp_path / f"{name}.npz", tmp_path / f"{name}-out.npz"
        for rows in [*kill_after, None]:
            child = subprocess.Popen(
                [sys.executable, str(script), str(checkpoint), str(out)],
                stdout=subprocess.PIPE,
                text=True,
                env=environment,
            )
            assert child.stdout is not None
            with child:
                if rows is None:
                    child.stdout.read()
                    continue
                for line in child.stdout:
                    if int(line) >= rows:
                        time.sleep(0.0007 * (rows % 3))
                        child.send_signal(signal.SIGKILL)
                        break
            assert child.returncode == -signal.SIGKILL
        assert [path for path in tmp_path.iterdir() if path.name.startswith(f".{name}")] == [] or kill_after
        with np.load(out) as saved:
            return dict(saved)

    calm, killed = run("calm", []), run("killed", [3, 97, 250])
    for key in calm:
        assert np.array_equal(calm[key], killed[key])


def test_a_checkpoint_of_other_parameters_is_refused(tmp_path):
    X, y = rows_of(8, 50, 3, 2)
    list(stream(Perceptron(), X, y, checkpoint=tmp_path / "c.npz"))
    with pytest.raises(ValueError, match="other parameters"):
        list(stream(Perceptron(bias="none"), X, y, checkpoint=tmp_path / "c.npz"))
    again = Perceptron()
    assert list(stream(again, X, y, checkpoint=tmp_path / "c.npz")) == []
    assert np.array_equal(again.coef_, Perceptron().partial_fit(X, y).coef_)
