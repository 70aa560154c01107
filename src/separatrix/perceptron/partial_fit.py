"""partial_fit: labels become codes, classes are added as they appear, and rows go to the model of `online.py`.

A single dense row of a known class takes a short path straight to the compiled step.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting.inputs import check_labels, check_matrix
from separatrix.fitting.predicting import raw_scores
from separatrix.perceptron.online import KernelOnline, LinearOnline
from separatrix.perceptron.parameters import check_parameters
from separatrix.perceptron.rows import column_constant
from separatrix.problem.conversion import check_finite
from separatrix.problem.kernels import Linear
from separatrix.problem.mistakes import MistakeRecord

# Records of a history before every second one is dropped; a stream may make a record a row.
_MOST_RECORDS = 4096
_NEVER = 1 << 62  # calls of partial_fit until the next record: more than there will be
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_PLAIN_LABELS = (int, str, bool, np.int64, np.int32, np.int8, np.str_, np.bool_)


def can_learn_online(estimator: Any) -> bool:
    """True where partial_fit exists: not for gradient descent, votes or a precomputed kernel, which need all rows.

    An AttributeError says which, as scikit-learn expects of a method that is not there.
    """
    if estimator.algorithm == "gradient":
        raise with_hint(
            AttributeError,
            "partial_fit sees each row once; algorithm='gradient' needs all rows at every step.",
            "algorithm='perceptron'",
        )
    if estimator.output == "voted":
        raise with_hint(
            AttributeError,
            "partial_fit would have to keep every weight vector for output='voted'.",
            "output='averaged'",
        )
    if isinstance(estimator.kernel, str) and estimator.kernel == "precomputed":
        raise AttributeError("partial_fit cannot know kernel values between rows still to come.")
    return True


class OnlineState:
    """The model that learns row by row, the names of its classes, and its history.

    ``names`` and ``codes`` number the classes in the order in which they were met; ``order`` sorts them.
    """

    def __init__(self, model: LinearOnline | KernelOnline, names: list[Any] | None = None) -> None:
        self.model = model
        self.names: list[Any] = names or []
        self.codes = {name: code for code, name in enumerate(self.names)}
        self.mistakes = 0
        self.began = time.perf_counter()
        self.records: list[tuple[float, int, int, int, float]] = []
        self.stride = self.since = 1
        self._sort()

    def _sort(self) -> None:
        self.labels: NDArray[Any] = np.array(self.names)
        self.order = np.argsort(self.labels, kind="stable")

    @property
    def dropped(self) -> int:
        """Support vectors forgotten for the budget."""
        ledger = self.model.ledger if isinstance(self.model, KernelOnline) else None
        return 0 if ledger is None else ledger.dropped

    def add_class(self, name: Any) -> None:
        """Name a class that was not known."""
        self.codes[name] = len(self.names)
        self.names.append(name)
        self.model.add_class()
        self._sort()

    def announce(self, classes: Any) -> None:
        """Classes known in advance compete from the first row on."""
        for name in classes if isinstance(classes, list) else np.asarray(classes).tolist():
            if name not in self.codes:
                self.add_class(name)

    def note(self, mistakes: int) -> None:
        """Add a record; long histories are thinned, every second record at a time."""
        self.mistakes += mistakes
        if self.since == _NEVER:
            return
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

    def stop_recording(self) -> None:
        """Add no more records to the history: the state is a function of the rows then, and of no clock."""
        self.since = _NEVER

    def history(self) -> list[MistakeRecord]:
        """The records; ``mistakes`` of each is counted since the one before."""
        out, before = [], 0
        for when, rows, mistakes, updates, bound in self.records:
            out.append(MistakeRecord(when, 0, rows, mistakes - before, updates, bound))
            before = mistakes
        return out

    def sorted_planes(self, array: NDArray[np.float64], axis: int = 0) -> NDArray[np.float64]:
        """An array with an entry a plane along an axis, for the sorted classes; two classes have one plane."""
        if len(self.names) > 2:
            return array.take(self.order, axis)
        return array if len(self.names) < 2 or self.order[0] == 0 else -array

    def planes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The planes that predict, in the order of the sorted classes."""
        assert isinstance(self.model, LinearOnline)
        W, b = self.model.planes()
        return self.sorted_planes(W), self.sorted_planes(b)

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Scores of new rows, in the order of the sorted classes."""
        if isinstance(self.model, KernelOnline):
            return self.sorted_planes(self.model.scores(X), axis=1)
        return raw_scores(X, *self.planes())


class SingleRows:
    """One dense row of a known class, two classes, plain output: straight to the compiled step.

    ``step`` returns False, having changed nothing, whenever a row needs the long way.
    """

    def __init__(self, online: OnlineState, model: LinearOnline) -> None:
        self.online, self.model, self.state = online, model, model.groups[0]
        self.shape = (1, model.n_columns)
        self.signs = {name: 2 * code - 1 for name, code in online.codes.items()}
        self.mirrored = bool(online.order[0] != 0)

    def is_current(self, online: OnlineState) -> bool:
        """True while coef_ and intercept_ are the very arrays that are learnt in place."""
        return self.online is online and self.state is self.model.groups[0] and not self.mirrored

    def step(self, estimator: Any, X: Any, y: Any) -> bool:
        """Learn the row if it is as simple as that."""
        if type(X) is not np.ndarray or X.shape != self.shape or len(y) != 1 or not X.flags.c_contiguous:
            return False
        try:
            sign = self.signs.get(y[0])
        except (KeyError, TypeError):  # a data frame's column, an unhashable label
            return False
        if sign is None or X.dtype not in _FLOATS:
            return False
        positive = self.state.learn_one(X, sign)
        if positive < 0:
            return False
        self.model.seen += 1
        self.online.note(int((sign > 0) != positive))
        estimator.n_updates_ = self.state.updates
        if self.mirrored:
            estimator.coef_, estimator.intercept_ = self.online.planes()
        return True


def learn_batch(estimator: Any, X: Any, y: Any, classes: Any) -> NDArray[np.int32]:
    """Check a batch, learn it, refresh the attributes.

    Returns what was predicted of each row before it was learnt, as numbers of ``estimator._online.labels``.
    """
    online: OnlineState | None = getattr(estimator, "_online", None)
    if online is not None and type(X) is np.ndarray and X.ndim == 2 and X.dtype in _FLOATS:
        # An array that needs no conversion; the compiled step finds what is not finite before it learns.
        checked: Any = np.ascontiguousarray(X)
        if X.shape[1] != estimator.n_features_in_ or not len(X):
            checked = check_matrix(estimator, X, reset=False)
    else:
        checked = check_matrix(estimator, X, reset=online is None and not hasattr(estimator, "problems_"))
    labels = _plain_labels(y, checked.shape[0])
    if online is None:
        online = begin(estimator, checked)
    if classes is not None:
        online.announce(classes)
    predicted = _learn(online, checked, labels)
    estimator._online = online
    refresh(estimator)
    return predicted


def _learn(online: OnlineState, X: Any, labels: list[Any] | NDArray[Any]) -> NDArray[np.int32]:
    """Learn in stretches, so that a class begins to compete at the first row that has it."""
    codes = _codes(online.codes, labels)
    if codes is not None and len(online.names) > 1:
        try:
            predicted = online.model.learn(X, codes)
        except ValueError:
            check_finite(X)  # says which entry it is
            raise
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


def begin(estimator: Any, X: Any) -> OnlineState:
    """The state before the first call: from zero, for rows like X (n, d), or from where `fit` ended."""
    parameters = estimator.get_params(deep=False)
    settings = check_parameters(parameters)
    if not hasattr(estimator, "problems_"):
        if settings.dual:
            return OnlineState(KernelOnline.make(parameters, settings, X))
        constant = column_constant(X[:1], Linear(), settings.bias)
        return OnlineState(LinearOnline(settings, int(X.shape[1]), constant))
    results, names = list(estimator.problems_.values()), estimator.classes_.tolist()
    runs, constant, k = [result.run for result in results], results[0].constant, len(names)
    if not settings.dual:
        return OnlineState(LinearOnline.going_on(settings, int(X.shape[1]), constant, k, runs), names)
    if len(runs) > 1 or runs[0].support is None:
        raise ParameterError("partial_fit cannot go on from this fit: it has no support rows of one problem.")
    before = None if runs[0].ledger is None else runs[0].ledger.budget
    if before != settings.budget:
        raise with_hint(
            ParameterError,
            f"partial_fit cannot go on with budget={settings.budget} from a fit with budget={before}.",
            "fit again with the budget that the stream shall have",
        )
    kesler = replace(settings, multi_class="kesler")
    return OnlineState(KernelOnline.going_on(estimator._kernel, constant, kesler, k, runs[0]), names)


def refresh(estimator: Any) -> None:
    """Set the attributes that partial_fit keeps up to date."""
    online: OnlineState = estimator._online
    model = online.model
    estimator.n_updates_ = model.updates
    if estimator._single is not None and estimator._single.is_current(online):
        return  # coef_ and intercept_ are the arrays that were learnt in place
    estimator.classes_ = online.labels[online.order]
    estimator._single = None
    if isinstance(model, LinearOnline):
        estimator.coef_, estimator.intercept_ = online.planes()
        if model.n_classes == 2 and model.settings.output == "last":
            estimator._single = SingleRows(online, model)


def _plain_labels(y: Any, n_rows: int) -> list[Any] | NDArray[Any]:
    """The labels of a batch, checked; one row's label needs no array."""
    if n_rows == 1 and type(y) in (list, tuple, np.ndarray) and len(y) == 1:
        label = y[0]
        if type(label) in _PLAIN_LABELS:
            return [label.item() if isinstance(label, np.generic) else label]
    labels = np.asarray(y)
    if labels.ndim == 1 and len(labels) == n_rows:
        if labels.dtype.kind in "iubU" and not isinstance(y, list | tuple):
            return labels
        if labels.dtype.kind == "f":
            # One class in a batch is no error here, so there is one more to compare with.
            names, codes = check_labels(np.append(labels, np.floor(np.max(labels)) + 1.0), n_rows + 1)
            return np.asarray(names[codes[:n_rows]])
        if all(isinstance(label, str) for label in y):
            return labels.astype(str)
        if labels.dtype.kind in "iub":
            return labels
    names, codes = check_labels(y, n_rows)
    return np.asarray(names[codes])


def _first_rows(labels: list[Any] | NDArray[Any], known: dict[Any, int]) -> list[int]:
    """The rows at which classes that are not known appear for the first time."""
    if isinstance(labels, list):
        return [] if labels[0] in known else [0]
    names, firsts = np.unique(labels, return_index=True)
    return sorted(
        first for name, first in zip(names.tolist(), firsts.tolist(), strict=True) if name not in known
    )


def _codes(known: dict[Any, int], labels: list[Any] | NDArray[Any]) -> NDArray[np.int32] | None:
    """The code of each label; None if some label is not known."""
    if isinstance(labels, list) or len(known) > 8:
        values = labels if isinstance(labels, list) else labels.tolist()
        found = [known.get(value, -1) for value in values]
        return np.array(found, dtype=np.int32) if min(found) >= 0 else None
    codes, matched = np.zeros(len(labels), dtype=np.int32), 0
    for name, code in known.items():
        here = labels == name
        matched += int(np.count_nonzero(here))
        codes += np.int32(code) * here
    return codes if matched == len(labels) else None
