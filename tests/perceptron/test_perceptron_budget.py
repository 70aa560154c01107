"""A kernel perceptron that keeps at most B support vectors: its rule, its theorem, and what it may not change.

Tests `perceptron/budget.py`.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from separatrix import Perceptron, load, save, stream, verify
from separatrix.problem.kernels import make_kernel
from tests.perceptron_data import EIGHT, EIGHT_LABELS

KERNELS = [
    {"kernel": "rbf", "gamma": 0.5},
    {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0, "bias": "none"},
    {"kernel": "laplacian", "gamma": 0.5, "bias": "radius", "step": 0.3},
    {"kernel": "linear", "form": "dual"},
]


def noisy(seed: int, n: int = 120, d: int = 3, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    W = rng.standard_normal((classes, d))
    return X, np.argmax(np.abs(X @ W.T) + 0.5 * rng.standard_normal((n, classes)), axis=1)


def quiet(model, X, y):
    """Fit where not ending is part of the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


@pytest.mark.parametrize("options", KERNELS, ids=str)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 4), budget=st.integers(1, 30), csr=st.booleans())
def test_the_support_never_exceeds_the_budget(options, seed, classes, budget, csr):
    X, y = noisy(seed, classes=classes)
    rows = sparse.csr_array(X) if csr else X
    model = Perceptron(budget=budget, **options)
    for start in range(0, 120, 17):
        model.partial_fit(rows[start : start + 17], y[start : start + 17])
        kept = model._online.model
        assert len(kept.beta) == kept.support().shape[0] <= budget
        assert model.n_dropped_ == model.n_updates_ - len(kept.beta)
    fitted = quiet(Perceptron(budget=budget, max_epochs=3, **options), rows, y)
    assert 1 <= np.count_nonzero(fitted.dual_coef_.any(axis=0)) <= budget
    assert fitted.n_updates_ == fitted.alpha_.sum()
    assert fitted.n_dropped_ == max(0, fitted.n_updates_ - budget)
    assert fitted.n_updates_ <= fitted.bound_


@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_under_the_budget_nothing_changes_by_a_bit(options, classes):
    X, y = noisy(5, classes=classes)
    for learn in (
        lambda model: model.partial_fit(X, y),
        lambda model: quiet(model.set_params(max_epochs=3), X, y),
    ):
        free = learn(Perceptron(**options))
        tight = learn(Perceptron(budget=free.n_updates_, **options))
        assert tight.n_dropped_ == free.n_dropped_ == 0
        assert tight.n_updates_ == free.n_updates_
        assert tight.decision_function(X).tobytes() == free.decision_function(X).tobytes()
        one_less = learn(Perceptron(budget=free.n_updates_ - 1, **options))
        assert one_less.n_dropped_ > 0


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("kind", [np.float32, np.float64, "csr"])
def test_a_batch_is_single_rows_bit_for_bit(classes, kind):
    X, y = noisy(9, classes=classes)
    rows = sparse.csr_array(X) if kind == "csr" else X.astype(kind)
    batch, single = (Perceptron(kernel="rbf", budget=12) for _ in range(2))
    batch.partial_fit(rows, y)
    for i in range(len(y)):
        single.partial_fit(rows[i : i + 1], y[i : i + 1])
    assert batch.n_dropped_ == single.n_dropped_ > 0
    assert batch.decision_function(rows).tobytes() == single.decision_function(rows).tobytes()


def naive(K: np.ndarray, y: np.ndarray, budget: int, passes: int) -> tuple[np.ndarray, int]:
    """The self-tuned Forgetron as its paper writes it, for k(x, x) = 1; phi by bisection."""
    support: list[int] = []
    sizes: list[float] = []
    updates, damage = 0, 0.0
    for t in [*range(len(y))] * passes:
        f = sum(s * y[i] * K[i, t] for i, s in zip(support, sizes, strict=True))
        if y[t] * f > 0:
            continue
        support.append(t)
        sizes.append(1.0)
        updates += 1
        if len(support) <= budget:
            continue
        r = support[0]
        mu = y[r] * sum(s * y[i] * K[i, r] for i, s in zip(support, sizes, strict=True))

        def psi(phi, size=sizes[0], mu=mu):
            return (phi * size) ** 2 + 2 * phi * size - 2 * phi * size * phi * mu

        low, high = 0.0, 1.0
        if psi(1.0) + damage <= 15 / 32 * updates:
            low = 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if psi(middle) + damage <= 15 / 32 * updates else (low, middle)
        damage += psi(low)
        support, sizes = support[1:], [low * s for s in sizes[1:]]
    beta = np.zeros(len(y))
    for i, s in zip(support, sizes, strict=True):
        beta[i] += s * y[i]
    return beta, updates


@pytest.mark.parametrize("budget", [3, 10, 25])
def test_the_rule_is_that_of_the_paper(budget):
    X, codes = noisy(2)
    y = 2.0 * codes - 1.0
    K = make_kernel("rbf", X, gamma=0.7).matrix(X, X)
    for passes in (1, 3):
        beta, updates = naive(K, y, budget, passes)
        options = {"kernel": "rbf", "gamma": 0.7, "bias": "none", "budget": budget}
        fitted = quiet(Perceptron(max_epochs=passes, **options), X, codes)
        assert fitted.n_updates_ == updates
        assert np.allclose(fitted.dual_coef_[0], beta, rtol=1e-9, atol=1e-12)
        online = Perceptron(**options)
        for _ in range(passes):
            online.partial_fit(X, codes, classes=[0, 1])
        assert online.n_updates_ == updates
        assert np.allclose(online.decision_function(X), K @ beta, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("budget", [4, 90])
def test_the_theorem_holds_for_any_comparator(options, budget):
    """k <= (1 + S) Rt^2 ||g||^2 + 2 sum l + Q, and for B >= 83 and short g the bound known in advance."""
    X, codes = noisy(11, n=400)
    y = 2.0 * codes - 1.0
    model = Perceptron(budget=budget, **options).partial_fit(X, codes, classes=[0, 1])
    kept = model._online.model
    ledger = kept.ledger
    assert ledger.dropped > 0
    assert ledger.damage <= 15 / 32 * model.n_updates_ + 1e-9
    K = kept.kernel.matrix(X, X) + kept.gain
    squared, rng, spoken = float(K.diagonal().max()), np.random.default_rng(0), 0
    comparators = [rng.standard_normal(400) * (rng.random(400) < share) for share in (0.02, 0.2, 1.0)]
    comparators += [np.linalg.solve(K + ridge * np.eye(400), y) for ridge in (0.1, 1.0, 10.0, 100.0, 1e4)]
    for c in comparators:
        for scale in (0.01, 0.1, 1.0, 3.0):
            g = K @ (scale * c)
            norm = squared * float((scale * c) @ g)
            losses = float(np.maximum(0.0, 1.0 - y * g).sum())
            assert model.n_updates_ <= (1 + ledger.shrinkage) * norm + 2 * losses + ledger.damage
            if budget >= 83 and np.sqrt(norm) <= 0.25 * np.sqrt((budget + 1) / np.log(budget + 1)):
                spoken += 1
                assert model.n_updates_ <= 2 * norm + 4 * losses
    assert spoken > 0 or budget < 83


def test_a_separable_stream_with_a_budget_makes_few_mistakes():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1500, 2))
    y = X[:, 0] * X[:, 1] > 0
    X, y = X[np.abs(X[:, 0] * X[:, 1]) > 0.05], y[np.abs(X[:, 0] * X[:, 1]) > 0.05]
    *_, last = stream(Perceptron(kernel="rbf", gamma=2.0, budget=50), X, y)
    assert last.accuracy > 0.85
    *_, linear = stream(Perceptron(), X, y)
    assert linear.accuracy < 0.7  # xor: without the kernel there is nothing to learn


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize(
    "options", [{"budget": 9}, {}, {"budget": 9, "bias": "radius", "step": 0.5}], ids=str
)
def test_a_stream_that_stops_goes_on_bit_for_bit(tmp_path, classes, kind, options):
    X, y = noisy(3, classes=classes)
    rows = sparse.csr_array(X) if kind == "csr" else X
    calm, path = Perceptron(kernel="rbf", **options), tmp_path / "c.npz"
    list(stream(calm, rows, y, block=10))
    for stop in (2, 5, None):
        model = Perceptron(kernel="rbf", **options)  # nothing of the one before but its checkpoint
        for count, _ in enumerate(stream(model, rows, y, block=10, checkpoint=path, checkpoint_every=10), 1):
            if count == stop:
                break
    assert model.decision_function(rows).tobytes() == calm.decision_function(rows).tobytes()
    assert (model.n_updates_, model.n_dropped_) == (calm.n_updates_, calm.n_dropped_)
    assert model.radius_ == calm.radius_
    if options:
        assert vars(model._online.model.ledger) == vars(calm._online.model.ledger)
        with pytest.raises(ValueError, match="other parameters"):
            list(stream(Perceptron(kernel="rbf", **{**options, "budget": 8}), rows, y, checkpoint=path))


def test_a_checkpoint_of_a_kernel_function_is_refused(tmp_path):
    X, y = noisy(3)
    model = Perceptron(kernel=lambda A, B: (A @ B.T) ** 2, budget=5)
    with pytest.raises(ValueError, match="by its name"):
        list(stream(model, X, y, checkpoint=tmp_path / "c.npz"))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
def test_a_saved_model_goes_on_bit_for_bit(tmp_path, classes, begin):
    X, y = noisy(4, classes=classes)
    model = Perceptron(kernel="rbf", budget=10, max_epochs=2)
    quiet(model, X[:80], y[:80]) if begin == "fit" else model.partial_fit(X[:80], y[:80])
    save(model, tmp_path / "model.safetensors")
    other = load(tmp_path / "model.safetensors")
    assert other.budget == 10
    assert other.n_dropped_ == model.n_dropped_ > 0
    assert other.bound_ == model.bound_
    for each in (model, other):
        each.partial_fit(X[80:], y[80:])
    assert model.decision_function(X).tobytes() == other.decision_function(X).tobytes()
    assert len(other._online.model.beta) <= 10
    assert vars(model._online.model.ledger) == vars(other._online.model.ledger)


def test_a_fit_goes_on_as_a_stream_within_the_same_budget():
    X, y = noisy(6)
    fitted = quiet(Perceptron(kernel="rbf", gamma=0.5, budget=10, max_epochs=1), X, y)
    online = Perceptron(kernel="rbf", gamma=0.5, budget=10).partial_fit(X, y, classes=[0, 1])
    for each in (fitted, online):
        each.partial_fit(X, y)
    assert fitted.n_dropped_ == online.n_dropped_
    assert np.allclose(fitted.decision_function(X), online.decision_function(X), rtol=1e-9)
    with pytest.raises(ValueError, match="cannot go on with budget=4 from a fit with budget=None"):
        quiet(Perceptron(kernel="rbf", max_epochs=1), X, y).set_params(budget=4).partial_fit(X, y)


def test_certificates_stop_where_updates_are_forgotten():
    enough = Perceptron(form="dual", budget=1000).fit(EIGHT, EIGHT_LABELS)
    assert enough.n_dropped_ == 0
    assert verify(enough.certificate_, EIGHT, EIGHT_LABELS, exact=True)
    X = np.array([[1.0, 0.2], [-1.0, 0.1], [1.0, -0.3], [-1.0, 0.0]])
    tight = Perceptron(form="dual", bias="none", budget=1).fit(X, [1, -1, 1, -1])
    assert (tight.status_, tight.n_dropped_) == ("converged", 0)
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 2))
    y = X[:, 0] + 0.3 * X[:, 1] > 0
    X, y = X[np.abs(X[:, 0] + 0.3 * X[:, 1]) > 0.3], y[np.abs(X[:, 0] + 0.3 * X[:, 1]) > 0.3]
    tight = Perceptron(form="dual", bias="none", budget=2).fit(X, y)
    assert tight.status_ == "converged"
    assert 0 < tight.n_dropped_ < tight.n_updates_ <= tight.bound_
    with pytest.raises(ValueError, match="breaks that theorem"):
        _ = tight.certificate_


def test_what_a_budget_does_not_go_with_is_explained():
    for parameters, words in [
        ({"budget": 0}, "budget must be None"),
        ({"budget": 2.5}, "budget must be None"),
        ({"budget": True}, "budget must be None"),
        ({"budget": 5}, "kernel='linear' keeps the weights"),
        ({"budget": 5, "kernel": "rbf", "output": "averaged"}, "output='averaged'"),
        ({"budget": 5, "kernel": "rbf", "multi_class": "ovr"}, "multi_class='ovr'"),
        ({"budget": 5, "kernel": "rbf", "step": "decreasing"}, "fixed step"),
        ({"budget": 5, "kernel": "rbf", "start": 0}, "start='zero'"),
        ({"budget": 5, "kernel": "rbf", "algorithm": "gradient"}, "algorithm='perceptron'"),
    ]:
        with pytest.raises(ValueError, match=words):
            Perceptron(**parameters).fit(EIGHT, EIGHT_LABELS)
        if parameters.get("algorithm") != "gradient":  # which has no partial_fit at all
            with pytest.raises(ValueError, match=words):
                Perceptron(**parameters).partial_fit(EIGHT, EIGHT_LABELS)
    assert clone(Perceptron(kernel="rbf", budget=7)).get_params()["budget"] == 7
