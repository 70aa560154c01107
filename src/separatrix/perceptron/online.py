"""The perceptron online: each row is seen once, and classes may appear later.

    predict, then learn:   y f(x) <= 0   ->   w += s y x,  b += s y c^2

A batch of n rows is n single steps, bit for bit. While one class is known there is nothing to learn; a second class
makes it one plane (positive for the class met second); from the third on each class has its plane,
the first two inheriting -w and w, which is what Kesler's updates, or one-vs-rest's, would have made them.
With a kernel every row that causes an update is kept, because w cannot be; or, with a budget, the last B of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.perceptron.budget import Ledger, relative_product
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.passes import PerceptronState, copied, new_state, resumed, to_arrays
from separatrix.perceptron.result import RunResult
from separatrix.problem.kernels import Kernel, make_kernel
from separatrix.solvers.compiled import compiled_rows
from separatrix.types import Vector

_SIGNS = np.array([-1, 1], dtype=np.int8)


@dataclass(eq=False)
class LinearOnline:
    """All that a stream changes. Codes number the classes in the order in which they were met.

    ``groups`` is empty until a second class is known, then planes that learn together, or (one-vs-rest, three classes
    or more) one plane for each class. ``constant`` is that of the fictitious column.
    """

    settings: Settings
    n_columns: int
    constant: float
    n_classes: int = 0
    groups: list[PerceptronState] = field(default_factory=list)
    seen: int = 0

    @staticmethod
    def going_on(
        settings: Settings, n_columns: int, constant: float, n_classes: int, runs: list[RunResult]
    ) -> LinearOnline:
        """From where a primal fit ended; its comparator is chosen after four times as many rows."""
        model = LinearOnline(settings, n_columns, constant, n_classes)
        for run in runs:
            assert run.state is not None
            planes = resumed(run.state.run, constant * constant, settings, online=True)
            planes.pocket_errors = -1
            later = 4 ** int(np.ceil(np.log(max(1, planes.visits)) / np.log(4.0) + 1))
            planes.comparator.restart_at = max(planes.comparator.restart_at, later)
            planes.comparator.updates, planes.comparator.visits = planes.updates, planes.visits
            model.groups.append(planes)
        model.seen = model.groups[0].visits
        return model

    @property
    def updates(self) -> int:
        """Updates so far."""
        return sum(planes.updates for planes in self.groups)

    @property
    def radius(self) -> float:
        """The largest norm of a row since there was something to learn."""
        return float(np.sqrt(max((planes.comparator.longest for planes in self.groups), default=0.0)))

    def bound(self) -> float:
        """The most updates that the rows so far can have caused, whatever comparator is best."""
        return float(sum(planes.most_updates() for planes in self.groups))

    def zero(self, planes: int) -> PerceptronState:
        """Planes that have seen nothing."""
        gain = self.constant * self.constant
        return new_state(planes, self.n_columns, gain, self.settings, online=True)

    def add_class(self) -> None:
        """A class is met for the first time (or announced)."""
        self.n_classes += 1
        k = self.n_classes
        if k == 2:
            self.groups = [self.zero(1)]
        elif k > 2 and self.settings.one_vs_rest:
            first = [_mirrored(self.groups[0])] if k == 3 else []
            self.groups = [*first, *self.groups, self.zero(1)]
        elif k > 2:
            self.groups = [self._grown(self.groups[0], k)]

    def _grown(self, old: PerceptronState, k: int) -> PerceptronState:
        """One plane a class for k of them, the old ones first; the comparator starts afresh."""
        new = self.zero(k)
        for source, target in ((old.w, new.w), (old.b, new.b), (old.lag, new.lag), (old.lag_b, new.lag_b)):
            if target.size:
                target[: max(2, old.planes)] = (
                    np.concatenate([-source, source]) if old.planes == 1 else source
                )
        new.visits, new.updates, new.run = old.visits, old.updates, old.run
        new.comparator.restart_at, new.comparator.longest = old.comparator.restart_at, old.comparator.longest
        new.comparator.updates, new.comparator.visits = old.updates, old.visits
        return new

    def learn(self, X: Any, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Predict each row, then learn it; the predictions (m,) as codes. ValueError if a row is not finite."""
        predicted = codes.copy()
        if self.n_classes >= 2:
            rows = compiled_rows(X)
            if self.settings.one_vs_rest and self.n_classes > 2:
                scores = np.empty((len(self.groups), len(codes)))  # that each row had when it came
                for code, plane in enumerate(self.groups):
                    plane.learn(rows, _SIGNS.take(codes == code), scores[code])
                predicted[:] = scores.argmax(axis=0)
            else:
                # A tie counts as a mistake, whichever class it would be given to.
                labels = _SIGNS.take(codes) if self.n_classes == 2 else codes
                positions, said = self.groups[0].learn(rows, labels)
                predicted[positions] = said
        self.seen += len(codes)
        return predicted

    def planes(self) -> tuple[NDArray[np.float64], Vector]:
        """The planes that predict, in the order of the codes; plane 0 alone for two classes."""
        if not self.groups:
            return np.zeros((1, self.n_columns)), np.zeros(1)
        outputs = [_output(planes, self.settings.output) for planes in self.groups]
        if len(outputs) == 1:
            return outputs[0]
        return np.vstack([W for W, _ in outputs]), np.concatenate([b for _, b in outputs])


def _output(state: PerceptronState, output: str) -> tuple[NDArray[np.float64], Vector]:
    """The planes that predict: the last, their average, or the pocket's."""
    if output == "averaged":
        visits = max(1, state.visits)
        return state.w - state.lag / visits, state.b - state.lag_b / visits
    if output == "pocket" and state.pocket_run >= state.run:
        return state.pocket_w, state.pocket_b
    return state.w, state.b


def _mirrored(state: PerceptronState) -> PerceptronState:
    """The plane of the first class, as its own updates would have made it."""
    arrays = to_arrays(state)
    signed = ("W", "b", "lag", "lag_b", "pocket_w", "pocket_b", "u", "u_b")
    return copied(state, {**arrays, **{name: -arrays[name] for name in signed}})


@dataclass(eq=False)
class KernelOnline:
    """The dual perceptron, row by row: f_r(x) = sum_i beta_ir (k(x_i, x) + c^2), one column a class from three on.

    What must be known of all rows at once (gamma="scale", the radius) is taken from the first row. A ``ledger``
    keeps the support within its budget (`budget.py`).
    """

    kernel: Kernel
    gain: float
    settings: Settings
    n_classes: int = 0
    seen: int = 0
    updates: int = 0
    radius: float = 0.0
    rows: list[Any] = field(default_factory=list)
    beta: list[Vector] = field(default_factory=list)
    lag: list[Vector] = field(default_factory=list)
    ledger: Ledger | None = None

    @staticmethod
    def make(parameters: Mapping[str, Any], settings: Settings, X: Any) -> KernelOnline:
        """Nothing learnt yet."""
        p, first = parameters, X[:1]
        kernel = make_kernel(p["kernel"], first, p["degree"], p["gamma"], p["coef0"])
        constant = {"unit": 1.0, "none": 0.0}.get(settings.bias)
        # A first row of zeros: any constant will do.
        gain = (float(kernel.diagonal(first)[0]) or 1.0) if constant is None else constant
        ledger = None if settings.budget is None else Ledger(settings.budget)
        return KernelOnline(kernel, gain, settings, ledger=ledger)

    @staticmethod
    def going_on(
        kernel: Kernel, constant: float, settings: Settings, n_classes: int, run: RunResult
    ) -> KernelOnline:
        """From where a dual fit of one problem ended."""
        assert run.support is not None
        rows, beta, lag, visits = run.support
        model = KernelOnline(kernel, constant * constant, settings, n_classes, visits, run.updates)
        model.rows, model.beta, model.lag = [rows], list(beta), list(lag)
        if run.ledger is not None:
            model.ledger = replace(run.ledger)
            model.radius = float(np.sqrt(np.max(kernel.diagonal(rows), initial=0.0)))
        return model

    @property
    def _width(self) -> int:
        return 1 if self.n_classes <= 2 else self.n_classes

    def add_class(self) -> None:
        """From the third class on each has a column; the first two inherit -beta and beta."""
        self.n_classes += 1
        if self.n_classes == 3:
            self.beta = [np.array([-row[0], row[0], 0.0]) for row in self.beta]
            self.lag = [np.array([-row[0], row[0], 0.0]) for row in self.lag]
        elif self.n_classes > 3:
            self.beta = [np.append(row, 0.0) for row in self.beta]
            self.lag = [np.append(row, 0.0) for row in self.lag]

    def bound(self) -> float:
        """At most one update a row and plane; kernels have no running comparator."""
        return float(self.seen * (self._width if self.settings.one_vs_rest else 1))

    def learn(self, X: Any, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Predict each row, then learn it; the predictions (m,) as codes."""
        predicted = codes.copy()
        for i in range(len(codes)):
            x = X[i : i + 1]
            self.radius = max(self.radius, float(np.sqrt(max(0.0, float(self.kernel.diagonal(x)[0])))))
            if self.n_classes >= 2:
                predicted[i] = self._learn_row(x, int(codes[i]))
            self.seen += 1
        return predicted

    def _learn_row(self, x: Any, code: int) -> int:
        f = self._scores(x, self.beta)[0]
        change = np.zeros(self._width)
        if self.n_classes == 2:
            sign = 2 * code - 1
            change[0] = sign if not sign * f[0] > 0 else 0.0
            answer = int(f[0] > 0)
        elif self.settings.one_vs_rest:
            signs = np.where(np.arange(self.n_classes) == code, 1.0, -1.0)
            change[:] = np.where(signs * f > 0, 0.0, signs)
            answer = int(np.argmax(f))
        else:
            others = f.copy()
            others[code] = -np.inf
            rival = int(np.argmax(others))
            answer = code
            if not f[code] > f[rival]:
                change[code], change[rival], answer = 1.0, -1.0, rival
        if np.any(change):
            scale = float(self.settings.sizes(self.updates, 1)[0])
            self.rows.append(x.copy())
            self.beta.append(scale * change)
            self.lag.append(scale * self.seen * change)
            self.updates += 1
            if self.ledger is not None and len(self.beta) > self.ledger.budget:
                self._drop_oldest(self.ledger)
        return answer

    def _drop_oldest(self, ledger: Ledger) -> None:
        """Shrink all coefficients and remove the first, beta_r = size step y_r (with many classes, two entries)."""
        first, step = self.beta[0], self.settings.size
        size = float(np.abs(first).max()) / step
        product = float(first @ self._scores(self.support()[:1], self.beta)[0]) / (size * step * step)
        squared = (self.radius * self.radius + self.gain) * (1 if self.n_classes == 2 else 2)
        phi = ledger.make_room(size, relative_product(self.kernel, product, squared), self.updates)
        self.beta = [phi * row for row in self.beta[1:]]
        self.lag = self.lag[1:]
        self.rows = [self.support()[1:]]

    def support(self) -> Any:
        """The support rows as one block; stacked once and kept so."""
        if len(self.rows) > 1:
            is_sparse = bool(sparse.issparse(self.rows[0]))
            self.rows = [sparse.csr_array(sparse.vstack(self.rows)) if is_sparse else np.vstack(self.rows)]
        return self.rows[0]

    def coefficients(self) -> NDArray[np.float64]:
        """The coefficients that predict, the last or their mean, shape (s, p); rows in the order of `support`."""
        beta = np.array(self.beta)
        averaged = self.settings.output == "averaged" and self.seen and self.beta
        return beta - np.array(self.lag) / self.seen if averaged else beta

    def _scores(self, X: Any, beta: list[Vector] | NDArray[np.float64]) -> NDArray[np.float64]:
        if not self.rows:
            return np.zeros((X.shape[0], self._width))
        coefficients = np.asarray(beta)
        total: NDArray[np.float64] = self.kernel.matrix(X, self.support()) @ coefficients
        return np.asarray(total + self.gain * coefficients.sum(axis=0))

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Scores of new rows by the last coefficients or their mean."""
        return self._scores(X, self.coefficients())
