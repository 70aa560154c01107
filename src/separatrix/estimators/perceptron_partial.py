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
from separatrix.solvers.perceptron_online import NotFiniteError, OnlinePerceptron, Planes, learn_one

_MOST_RECORDS = 4096
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


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
        self.labels: NDArray[Any] = np.empty(0)
        self.mistakes = 0
        self.began = time.perf_counter()
        self.records: list[tuple[float, int, int, int, float]] = []
        self.stride = self.since = 1

    def add_class(self, name: Any) -> None:
        """Name a class that was not known."""
        self.codes[name] = len(self.names)
        self.names.append(name)
        self.model.add_class()
        self.sort()

    def sort(self) -> None:
        """Work out the order of the classes by name."""
        self.labels = np.array(self.names)
        self.order = np.argsort(self.labels, kind="stable")

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


class FastLane:
    """One dense row of a known class, two classes, plain output: straight to the compiled step.

    ``step`` returns False, having changed nothing, whenever a row needs the long way.
    """

    def __init__(self, estimator: Any, online: Online, arguments: tuple[Any, ...]) -> None:
        self.estimator, self.online, self.model, self.arguments = estimator, online, online.model, arguments
        self.shape = (1, estimator.n_features_in_)
        self.signs = {name: 2 * code - 1 for name, code in online.codes.items()}
        self.tally = arguments[5]
        assert isinstance(online.model, OnlinePerceptron)
        self.planes = online.model.groups[0]
        self.mirrored = bool(online.order[0] != 0)

    def shared(self) -> bool:
        """Whether coef_ and intercept_ are the very arrays that are learnt in place."""
        assert isinstance(self.model, OnlinePerceptron)
        return self.planes is self.model.groups[0] and not self.mirrored

    def step(self, X: Any, y: Any) -> bool:
        """Learn the row if it is as simple as that."""
        if type(X) is not np.ndarray or X.shape != self.shape or len(y) != 1 or not X.flags.c_contiguous:
            return False
        try:
            sign = self.signs.get(y[0])
        except (KeyError, TypeError):  # a data frame's column, an unhashable label
            return False
        if sign is None or X.dtype not in _FLOATS:
            return False
        positive = learn_one(X, sign, self.arguments)
        if positive < 0:
            return False
        self.model.seen += 1
        self.online.note(int((sign > 0) != positive))
        estimator = self.estimator
        estimator.n_updates_ = int(self.tally[1])
        if self.mirrored:
            estimator.coef_, estimator.intercept_ = self.online.planes()
        return True


def learn_batch(estimator: Any, X: Any, y: Any, classes: Any) -> NDArray[Any]:
    """Check a batch, learn it, refresh the attributes; the labels predicted before each row was learnt."""
    online: Online | None = getattr(estimator, "_online", None)
    if online is not None and type(X) is np.ndarray and X.ndim == 2 and X.dtype in _FLOATS:
        # An array that needs no conversion; the compiled step finds what is not finite before it learns.
        checked: Any = np.ascontiguousarray(X)
        if X.shape[1] != estimator.n_features_in_ or not len(X):
            checked = check_matrix(estimator, X, reset=False)
    else:
        checked = check_matrix(estimator, X, reset=online is None and not hasattr(estimator, "problems_"))
    labels = plain_labels(y, checked.shape[0])
    if online is None:
        online = begin(estimator, checked, classes)
    elif classes is not None:
        announce(online, classes)
    try:
        predicted = _learn(online, checked, labels)
    except NotFiniteError:
        check_finite(checked)
        raise
    estimator._online = online
    refresh(estimator, online)
    return online.labels[predicted]


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
    codes = _codes(online.codes, labels)
    if codes is not None and len(online.names) > 1:
        predicted = online.model.learn(X, codes)
        online.note(int(np.count_nonzero(predicted != codes)))
        return predicted
    check_finite(X)  # all or nothing, also where there is nothing to learn yet
    n, start = len(labels), 0
    predicted, codes = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for stop in [*_first_rows(labels, online.codes), n]:
        if stop > start:
            part = _codes(online.codes, labels[start:stop])
            assert part is not None
            codes[start:stop] = part
            predicted[start:stop] = online.model.learn(X[start:stop], part)
            start = stop
        if stop < n:
            online.add_class(labels[stop] if isinstance(labels, list) else labels[stop].item())
    online.note(int(np.count_nonzero(predicted != codes)))
    return predicted


def _first_rows(labels: list[Any] | NDArray[Any], known: dict[Any, int]) -> list[int]:
    """The rows at which classes that are not known appear for the first time."""
    if isinstance(labels, list):
        return [] if labels[0] in known else [0]
    names, firsts = _distinct(labels)
    return sorted(first for name, first in zip(names, firsts, strict=True) if name not in known)


def _distinct(labels: NDArray[Any]) -> tuple[list[Any], list[int]]:
    """The distinct labels and the first row of each."""
    names, firsts = np.unique(labels, return_index=True)
    return names.tolist(), firsts.tolist()


def _codes(known: dict[Any, int], labels: list[Any] | NDArray[Any]) -> NDArray[np.int32] | None:
    """The code of each label; None if some label is not known."""
    if isinstance(labels, list) or len(known) > 8:
        values = labels if isinstance(labels, list) else labels.tolist()
        found = [known.get(value, -1) for value in values]
        return np.array(found, dtype=np.int32) if min(found) >= 0 else None
    if len(known) == 2:
        first, second = known
        here = labels == second
        if np.count_nonzero(here) + np.count_nonzero(labels == first) != len(labels):
            return None
        return np.asarray(here, dtype=np.int32)
    codes = np.zeros(len(labels), dtype=np.int32)
    matched = 0
    for name, code in known.items():
        here = labels == name
        matched += int(np.count_nonzero(here))
        if code:
            codes[here] = code
    return codes if matched == len(labels) else None


def begin(estimator: Any, X: Any, classes: Any) -> Online:
    """The first call: from zero, or from where `fit` ended."""
    parameters = estimator.get_params(deep=False)
    choice = check_choice(parameters)
    kept = (choice.settings.step, choice.settings.extra, choice.bias)
    fitted = hasattr(estimator, "problems_")
    if choice.dual and fitted:
        problems = list(estimator.problems_.values())
        if len(problems) > 1 or problems[0].found.support is None:
            raise ParameterError(
                "partial_fit cannot go on from this fit: it has no support rows of one problem."
            )
        known = len(estimator.classes_)
        online = Online(KernelOnline.going_on(estimator._kernel, choice, problems, known), kept)
    elif choice.dual:
        online = Online(KernelOnline.make(parameters, choice, X), kept)
    else:
        online = Online(_planes_of(estimator, X, choice), kept)
    if fitted:
        online.names = estimator.classes_.tolist()
        online.codes = {name: code for code, name in enumerate(online.names)}
        online.sort()
    if classes is not None:
        announce(online, classes)
    return online


def can_learn_online(estimator: Any) -> bool:
    """Whether partial_fit exists: not for gradient descent, votes or a precomputed kernel, which need all rows.

    An AttributeError says which, as scikit-learn expects of a method that is not there.
    """
    if estimator.algorithm == "gradient":
        raise AttributeError(
            "partial_fit sees each row once; algorithm='gradient' needs all rows at every step. "
            "Hint: algorithm='perceptron'."
        )
    if estimator.output == "voted":
        raise AttributeError(
            "partial_fit would have to keep every weight vector for output='voted'. Hint: output='averaged'."
        )
    if isinstance(estimator.kernel, str) and estimator.kernel == "precomputed":
        raise AttributeError("partial_fit cannot know kernel values between rows still to come.")
    return True


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
    for name in classes if isinstance(classes, list) else np.asarray(classes).tolist():
        if name not in online.codes:
            online.add_class(name)


def refresh(estimator: Any, online: Online) -> None:
    """The attributes that partial_fit keeps up to date."""
    model, plain = online.model, online.model.settings.extra is None
    estimator.n_updates_ = model.updates
    fast = estimator._fast
    same = fast is not None and fast.online is online and fast.shared()
    if same:
        return  # coef_ and intercept_ are the arrays that were learnt in place
    estimator.classes_ = online.labels[online.order]
    estimator._fast = None
    if isinstance(model, OnlinePerceptron):
        estimator.coef_, estimator.intercept_ = online.planes()
        arguments = model.one_by_one()
        if arguments is not None and plain:
            estimator._fast = FastLane(estimator, online, arguments)
