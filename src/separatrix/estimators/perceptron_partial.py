"""partial_fit: a thin path from a row to the compiled step, and everything that may happen on the way."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ParameterError
from separatrix.estimators.labels import check_labels
from separatrix.estimators.matrices import check_finite, check_matrix
from separatrix.estimators.perceptron_fit import Found
from separatrix.estimators.perceptron_kernel_online import KernelOnline
from separatrix.estimators.perceptron_parameters import Choice, check_choice
from separatrix.estimators.perceptron_rules import PlaneRule
from separatrix.estimators.predicting import raw_scores
from separatrix.problem.mistakes import MistakeRecord
from separatrix.solvers.passes import Settings, measure_rows
from separatrix.solvers.perceptron_online import OnlinePerceptron, Planes

_MOST_RECORDS = 4096


def published(found: Found) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The planes that coef_ and intercept_ show: those that predict, or the last where votes do."""
    if isinstance(found.rule, PlaneRule):
        return found.rule.W, found.rule.b
    assert found.w is not None
    return found.w, found.b


class Online:
    """What partial_fit keeps beside the planes: names of the classes, the parameters it began with, the history.

    ``order`` sorts the classes: planes are numbered in the order in which classes were met.
    """

    def __init__(self, model: OnlinePerceptron | KernelOnline, parameters: tuple[Any, ...]) -> None:
        self.model = model
        self.parameters = parameters
        self.codes: dict[Any, int] = {}
        self.names: list[Any] = []
        self.order = np.empty(0, dtype=np.intp)
        self.mistakes = 0
        self.began = time.perf_counter()
        self.records: list[tuple[float, int, int, int, float]] = []
        self.stride = self.since = 1

    def add_class(self, name: Any) -> None:
        """Name a class that was not known."""
        self.codes[name] = len(self.names)
        self.names.append(name)
        self.model.add_class()
        self.order = np.argsort(np.array(self.names), kind="stable")

    def note(self, mistakes: int) -> None:
        """Add a record; long histories are thinned, every second record at a time."""
        self.mistakes += mistakes
        self.since -= 1
        if self.since > 0:
            return
        self.since = self.stride
        model = self.model
        self.records.append(
            (time.perf_counter() - self.began, model.seen, self.mistakes, model.updates, model.bound())
        )
        if len(self.records) > _MOST_RECORDS:
            self.records = self.records[::2]
            self.stride *= 2

    def history(self) -> list[MistakeRecord]:
        """The records; ``mistakes`` of each is counted since the one before."""
        out, before = [], 0
        for when, rows, mistakes, updates, bound in self.records:
            out.append(MistakeRecord(when, 0, rows, mistakes - before, updates, bound))
            before = mistakes
        return out

    def planes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The planes that predict, in the order of the sorted classes."""
        model = self.model
        assert isinstance(model, OnlinePerceptron)
        k = len(self.names)
        if k < 2:
            return np.zeros((1, model.n_columns)), np.zeros(1)
        outputs = [planes.output(model.settings.extra) for planes in model.groups]
        W = outputs[0][0] if len(outputs) == 1 else np.vstack([W for W, _ in outputs])
        b = outputs[0][1] if len(outputs) == 1 else np.concatenate([b for _, b in outputs])
        if k == 2:
            return (W, b) if self.order[0] == 0 else (-W, -b)
        return W[self.order], b[self.order]

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Scores of new rows, in the order of the sorted classes."""
        if isinstance(self.model, KernelOnline):
            scores = self.model.scores(X)
            if len(self.names) <= 2:
                return scores if len(self.names) < 2 or self.order[0] == 0 else -scores
            return scores[:, self.order]
        return raw_scores(X, *self.planes())


def learn_batch(estimator: Any, X: Any, y: Any, classes: Any) -> NDArray[Any] | None:
    """Check a batch, learn it, refresh the attributes; the labels predicted before each row was learnt."""
    online: Online | None = getattr(estimator, "_online", None)
    fresh = online is None
    if not fresh and type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32):
        # The thin path: an array that needs no conversion; finiteness is tested by its norms.
        assert online is not None
        X = np.ascontiguousarray(X)
        if X.shape[1] != estimator.n_features_in_:
            check_matrix(estimator, X, reset=False)
        elif measure_rows(X)[0] >= 0:
            check_finite(X)
    else:
        X = check_matrix(estimator, X, reset=fresh and not hasattr(estimator, "problems_"))
    if online is None:
        online = begin(estimator, X, classes)
    elif classes is not None:
        announce(online, classes)
    predicted = _learn(online, X, plain_labels(y, X.shape[0]))
    estimator._online = online
    _refresh(estimator, online)
    return predicted


def plain_labels(y: Any, n_rows: int) -> list[Any] | NDArray[Any]:
    """The labels of a batch, checked; one row's label needs no array."""
    if n_rows == 1 and type(y) in (list, tuple, np.ndarray) and len(y) == 1:
        label = y[0]
        if type(label) in (int, str, bool, np.int64, np.int32, np.int8, np.str_, np.bool_):
            return [label.item() if isinstance(label, np.generic) else label]
    labels = np.asarray(y)
    if labels.ndim == 1 and len(labels) == n_rows:
        if labels.dtype.kind in "iubU" and not isinstance(y, list | tuple):
            return labels
        if (
            labels.dtype.kind == "f"
        ):  # one class in a batch is no error here, so there is one more to compare with
            names, codes = check_labels(np.append(labels, np.floor(np.max(labels)) + 1.0), n_rows + 1)
            return np.asarray(names[codes[:n_rows]])
        if all(isinstance(label, str) for label in y):
            return labels.astype(str)
        if labels.dtype.kind in "iub":
            return labels
    names, codes = check_labels(y, n_rows)
    return np.asarray(names[codes])


def _learn(online: Online, X: Any, labels: list[Any] | NDArray[Any]) -> NDArray[np.int32]:
    """Learn in stretches, so that a class begins to compete at the first row that has it."""
    n, known = len(labels), online.codes
    firsts = _first_rows(labels, known)
    predicted = np.empty(n, dtype=np.int32)
    start = 0
    for stop in [*firsts, n]:
        if stop > start:
            part = _codes(known, labels[start:stop])
            whole = start == 0 and stop == n
            predicted[start:stop] = online.model.learn(X if whole else X[start:stop], part)
            start = stop
        if stop < n:
            online.add_class(labels[stop] if isinstance(labels, list) else labels[stop].item())
    online.note(int(np.count_nonzero(predicted != _codes(known, labels))))
    return predicted


def _first_rows(labels: list[Any] | NDArray[Any], known: dict[Any, int]) -> list[int]:
    """The rows at which classes that are not known appear for the first time."""
    if isinstance(labels, list):
        return [] if labels[0] in known else [0]
    names, firsts = _distinct(labels)
    return sorted(first for name, first in zip(names, firsts, strict=True) if name not in known)


def _distinct(labels: NDArray[Any]) -> tuple[list[Any], list[int]]:
    """The distinct labels and the first row of each; no sorting where there are two numbers."""
    if labels.dtype.kind in "iub":
        low, high = labels.min(), labels.max()
        is_high = labels == high
        if np.all(is_high | (labels == low)):
            first = int(np.argmax(is_high))
            if low == high:
                return [low.item()], [0]
            return [low.item(), high.item()], [int(np.argmin(is_high)), first]
    names, firsts = np.unique(labels, return_index=True)
    return names.tolist(), firsts.tolist()


def _codes(known: dict[Any, int], labels: list[Any] | NDArray[Any]) -> NDArray[np.int32]:
    if isinstance(labels, list) or len(known) > 8:
        values = labels if isinstance(labels, list) else labels.tolist()
        return np.array([known[value] for value in values], dtype=np.int32)
    codes = np.zeros(len(labels), dtype=np.int32)
    for name, code in known.items():
        if code:
            codes[labels == name] = code
    return codes


def begin(estimator: Any, X: Any, classes: Any) -> Online:
    """The first call: from zero, or from where `fit` ended."""
    parameters = estimator.get_params(deep=False)
    choice = check_choice(parameters)
    _check_online(parameters)
    kept = (choice.settings.step, choice.settings.extra, choice.bias)
    if choice.dual:
        if hasattr(estimator, "problems_"):
            raise ParameterError(
                "partial_fit goes on from a fit in the primal form only; clone the estimator first."
            )
        online = Online(KernelOnline.make(parameters, choice, X), kept)
    else:
        online = Online(_planes_of(estimator, X, choice), kept)
        if hasattr(estimator, "problems_"):
            for name in estimator.classes_.tolist():
                online.codes[name] = len(online.names)
                online.names.append(name)
            online.order = np.arange(len(online.names))
    if classes is not None:
        announce(online, classes)
    return online


def _check_online(parameters: dict[str, Any]) -> None:
    if parameters["algorithm"] == "gradient":
        raise ParameterError(
            "partial_fit sees each row once; algorithm='gradient' needs all rows at every step. "
            "Hint: algorithm='perceptron'."
        )
    if parameters["output"] == "voted":
        raise ParameterError(
            "partial_fit would have to keep every weight vector for output='voted'. Hint: output='averaged'."
        )
    if parameters["kernel"] == "precomputed":
        raise ParameterError("partial_fit cannot know kernel values between rows still to come.")


def _planes_of(estimator: Any, X: Any, choice: Choice) -> OnlinePerceptron:
    settings = Settings(step=choice.settings.step, extra=choice.settings.extra)
    rest = choice.multi_class == "ovr"
    d = int(X.shape[1])
    if not hasattr(estimator, "problems_"):
        constant = 1.0 if choice.bias == "unit" else 0.0
        if choice.bias == "radius":
            constant = float(np.sqrt(measure_rows(X[:1])[1])) or 1.0
        return OnlinePerceptron(settings, d, rest, constant)
    results = list(estimator.problems_.values())
    model = OnlinePerceptron(settings, d, rest, results[0].constant, len(estimator.classes_))
    for result in results:
        state = result.found.state
        planes = Planes(state.w.reshape(-1, d).copy(), state.b.copy(), tally=state.tally.copy())
        planes.watch[0] = max(64.0, 4.0 ** np.ceil(np.log(max(1, state.tally[0])) / np.log(4.0) + 1))
        planes.watch[1], planes.watch[2] = state.tally[1], state.tally[0]
        if settings.extra == "averaged":
            planes.lag, planes.lag_b = state.lag.reshape(-1, d).copy(), state.lag_b.copy()
        if settings.extra == "pocket" and planes.W.shape[0] == 1:
            planes.pocket_w, planes.pocket_b = state.pocket_w.reshape(-1, d).copy(), state.pocket_b.copy()
            planes.pocket = np.array([state.pocket[0], -1, 0])
        model.groups.append(planes)
    model.seen = int(results[0].found.state.tally[0])
    return model


def announce(online: Online, classes: Any) -> None:
    """Classes known in advance compete from the first row on."""
    for name in np.asarray(classes).tolist():
        if name not in online.codes:
            online.add_class(name)


def _refresh(estimator: Any, online: Online) -> None:
    names = np.array(online.names)
    estimator.classes_ = names[online.order]
    if isinstance(online.model, OnlinePerceptron):
        estimator.coef_, estimator.intercept_ = online.planes()
    estimator.n_updates_ = online.model.updates
