"""partial_fit with a kernel: every row that causes an update is kept, because w cannot be; or the last B of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.perceptron.budget import Ledger, relative_product
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.result import PerceptronResult
from separatrix.perceptron.state import Settings
from separatrix.problem.kernels import Kernel, make_kernel
from separatrix.types import Vector


@dataclass(eq=False)
class KernelOnline:
    """The dual perceptron, row by row: f_r(x) = sum_i beta_ir (k(x_i, x) + c^2), one column a class from three on.

    What must be known of all rows at once (gamma="scale", the radius) is taken from the first row. A ``ledger``
    keeps the support within its budget (`perceptron_budget`).
    """

    kernel: Kernel
    gain: float
    settings: Settings
    one_vs_rest: bool
    n_classes: int = 0
    seen: int = 0
    updates: int = 0
    radius: float = 0.0
    rows: list[Any] = field(default_factory=list)
    beta: list[Vector] = field(default_factory=list)
    lag: list[Vector] = field(default_factory=list)
    ledger: Ledger | None = None

    @staticmethod
    def make(parameters: Mapping[str, Any], choice: Choice, X: Any) -> KernelOnline:
        """Nothing learnt yet."""
        p, first = parameters, X[:1]
        kernel = make_kernel(p["kernel"], first, p["degree"], p["gamma"], p["coef0"])
        constant = {"unit": 1.0, "none": 0.0}.get(choice.bias)
        gain = float(kernel.diagonal(first)[0]) if constant is None else constant
        extra = choice.settings.extra if choice.settings.extra == "averaged" else None
        settings = Settings(step=choice.settings.step, extra=extra)
        model = KernelOnline(kernel, gain, settings, choice.multi_class == "ovr")
        model.ledger = None if choice.budget is None else Ledger(choice.budget)
        return model

    @staticmethod
    def going_on(
        kernel: Kernel, choice: Choice, problems: list[PerceptronResult], classes: int
    ) -> KernelOnline:
        """From where a dual fit ended; one problem, so not for one-vs-rest."""
        result = problems[0]
        assert result.found.support is not None
        rows, beta, lag, visits = result.found.support
        extra = choice.settings.extra if choice.settings.extra == "averaged" else None
        settings = Settings(step=choice.settings.step, extra=extra)
        model = KernelOnline(kernel, result.constant * result.constant, settings, False, classes, visits)
        model.updates, model.rows, model.beta, model.lag = result.found.updates, [rows], list(beta), list(lag)
        if result.found.ledger is not None:
            model.ledger = replace(result.found.ledger)
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
        return float(self.seen * (self._width if self.one_vs_rest else 1))

    def learn(self, X: Any, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Predict each row, then learn it; the predictions (m,) as codes."""
        predicted = codes.copy()
        for i in range(len(codes)):
            x = X[i : i + 1]
            self.radius = max(self.radius, float(np.sqrt(max(0.0, float(self.kernel.diagonal(x)[0])))))
            if self.n_classes >= 2:
                predicted[i] = self._one(x, int(codes[i]))
            self.seen += 1
        return predicted

    def _one(self, x: Any, code: int) -> int:
        f = self._scores(x, self.beta)[0]
        change = np.zeros(self._width)
        if self.n_classes == 2:
            sign = 2 * code - 1
            change[0] = sign if not sign * f[0] > 0 else 0.0
            answer = int(f[0] > 0)
        elif self.one_vs_rest:
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

    def _scores(self, X: Any, beta: list[Vector]) -> NDArray[np.float64]:
        if not self.rows:
            return np.zeros((X.shape[0], self._width))
        coefficients = np.array(beta)
        total: NDArray[np.float64] = self.kernel.matrix(X, self.support()) @ coefficients
        return np.asarray(total + self.gain * coefficients.sum(axis=0))

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Scores of new rows by the last coefficients or their mean."""
        beta = self.beta
        if self.settings.extra == "averaged" and self.seen:
            beta = [b - lag / self.seen for b, lag in zip(self.beta, self.lag, strict=True)]
        return self._scores(X, beta)
