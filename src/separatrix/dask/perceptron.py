"""The perceptron on a Dask cluster, by iterative parameter mixing."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from separatrix.checker.data import integers
from separatrix.dask.cluster import WorkerGroup
from separatrix.dask.estimator import ClusterEstimator, lazily, training_lock
from separatrix.dask.inputs import ClusterData, as_partitions
from separatrix.dask.parameter_mixing import MixedRun, MixingLimits, mix
from separatrix.dask.rows import ClusterRows
from separatrix.errors import ParameterError
from separatrix.fitting.parameters import seed_of
from separatrix.fitting.predicting import raw_scores
from separatrix.perceptron.parameters import check_parameters
from separatrix.problem import Status
from separatrix.problem.conversion import canonical_csr, contiguous
from separatrix.problem.mistakes import MistakeRecord, augmented_norm, ratio_of
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import Fingerprint, fingerprint
from separatrix.proof.rigorous import UNIT, bounded_scores
from separatrix.proof.separation import separating
from separatrix.types import Vector

_EXTRA = ("client", "worker_timeout", "max_worker_failures")
#: Parameters that mixing supports: one pass of the plain perceptron from a common w.
_ONLY: dict[str, tuple[Any, ...]] = {
    "algorithm": ("perceptron",),
    "start": ("zero",),
    "kernel": ("linear",),
    "form": ("auto", "primal"),
    "output": ("last", "averaged"),
    "multi_class": ("auto", "ovr"),
    "warm_start": (False,),
}


@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """The fitted planes alone, small enough to be sent to workers."""

    coef: Vector
    intercept: Vector
    classes: NDArray[Any]

    def scores(self, X: Any) -> Vector:
        """w.x + b of each row: (n,) for two classes, else (n, k)."""
        rows = canonical_csr(X) if sparse.issparse(X) else contiguous(X)
        if rows.ndim != 2 or rows.shape[1] != self.coef.shape[1]:
            raise ValueError(
                f"X has shape {rows.shape}, but the perceptron was fitted with {self.coef.shape[1]} features."
            )
        scores = raw_scores(rows, self.coef, self.intercept)
        return scores[:, 0] if len(self.classes) == 2 else scores

    def classes_of(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        scores = self.scores(X)
        codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes[codes]
        return labels


class Perceptron(ClusterEstimator, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Perceptron whose passes are made where the partitions are, and mixed after every epoch (`dask.parameter_mixing`).

    Parameters are those of `separatrix.Perceptron` as far as mixing has them: the plain perceptron with a fixed step,
    bias "unit", "radius" or "none", output "last" or "averaged" (over epochs), many classes by one-vs-rest; and
    ``client``, ``worker_timeout`` and ``max_worker_failures`` as in `separatrix.dask.SVC`.

    Attributes
    ----------
    coef_, intercept_, classes_, n_epochs_, n_updates_, radius_, status_, history_ : as in `separatrix.Perceptron`
    mixed_updates_ : float, or (k,)
        sum over epochs of sum_k u_k m_k, which the theorem bounds.
    margin_, bound_ : float, or (k,)
        Geometric margin of the last weights with the fictitious column, and (R / margin)^2: at least mixed_updates_.
        nan and inf where they do not separate.
    certificate_ : Certificate, or a dict of them
        Kind `separating`, where the last weights do so by more than rounding; AttributeError otherwise.

    References
    ----------
    McDonald, Hall, Mann: Distributed training strategies for the structured perceptron. NAACL 2010.
    """

    def __init__(
        self,
        *,
        algorithm: str = "perceptron",
        bias: str = "unit",
        step: float | str = 1.0,
        start: str | int = "zero",
        kernel: Any = "linear",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        form: str = "auto",
        output: str = "last",
        order: str = "cyclic",
        multi_class: str = "auto",
        max_epochs: int = 1000,
        max_time: float | None = None,
        n_threads: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool = False,
        client: Any = None,
        worker_timeout: float = 60.0,
        max_worker_failures: int = 3,
    ) -> None:
        self.algorithm = algorithm
        self.bias = bias
        self.step = step
        self.start = start
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.form = form
        self.output = output
        self.order = order
        self.multi_class = multi_class
        self.max_epochs = max_epochs
        self.max_time = max_time
        self.n_threads = n_threads
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.client = client
        self.worker_timeout = worker_timeout
        self.max_worker_failures = max_worker_failures

    def fit(self, X: Any, y: Any = None) -> Any:
        """Fit to the rows of all partitions; with an asynchronous client, an awaitable of the model."""
        return self._train(X, y)

    def _fit(self, client: Any, X: Any, y: Any) -> Perceptron:
        limits = self._limits()
        inputs = as_partitions(X, y)
        group = WorkerGroup(
            client, inputs.partitions, self.worker_timeout, self.max_worker_failures, self.n_threads
        )
        with training_lock(client), group:
            found = ClusterData(group, inputs)
            rows = found.X
            self.radius_ = max(group.each("largest_norm"))
            constant = {"none": 0.0, "unit": 1.0, "radius": self.radius_}[self.bias]
            mark = fingerprint(rows, found.classes[found.codes])
            names = found.classes.tolist()
            keys = [1] if len(names) == 2 else list(range(len(names)))
            runs, margins, proofs = [], [], {}
            for code in keys:
                signs = np.where(found.codes == code, 1, -1).astype(np.int8)
                run = mix(rows, signs, constant, limits, self._line())
                margin, proof = self._judge(rows, signs, run, constant, mark, names, code)
                runs.append(run)
                margins.append(margin)
                if proof is not None:
                    proofs[names[code]] = proof
        self._publish(found, runs, np.array(margins), proofs, constant)
        self.n_worker_failures_ = len(group.monitor.failed)
        return self

    def _limits(self) -> MixingLimits:
        given = {name: value for name, value in self.get_params(deep=False).items() if name not in _EXTRA}
        check_parameters(given)
        for name, allowed in _ONLY.items():
            if given[name] not in allowed:
                raise ParameterError(
                    f"{name} must be {' or '.join(map(repr, allowed))} on a cluster; got {given[name]!r}."
                )
        if isinstance(self.step, str):
            raise ParameterError(f"step must be a number on a cluster; got {self.step!r}.")
        seed = seed_of(self.random_state)
        return MixingLimits(self.max_epochs, self.max_time, float(self.step), self.order == "shuffle", seed)

    def _line(self) -> Any:
        def show(record: MistakeRecord) -> None:
            print(f"Perceptron epoch {record.epoch}: {record.mistakes} mistakes", file=sys.stderr)

        return show if self.verbose else None

    def _judge(
        self,
        rows: ClusterRows,
        signs: NDArray[np.int8],
        run: MixedRun,
        constant: float,
        mark: Fingerprint,
        names: list[Any],
        code: int,
    ) -> tuple[float, Certificate | None]:
        """The least functional margin of the last weights, and the proof that they separate, if they do."""
        f, error = bounded_scores(rows, run.w)
        least = signs * (f + run.b)
        proved = bool(np.all(least > error + 4 * UNIT * np.abs(least)))
        if not proved:
            return float(least.min()), None
        z = integers([*run.w.tolist(), run.b])[0] if constant > 0 else integers(run.w.tolist())[0]
        source = mark.source([names[code]], [name for name in names if name != names[code]])
        return float(least.min()), separating(source, constant > 0, z, None)

    def _publish(
        self,
        found: ClusterData,
        runs: list[MixedRun],
        margins: Any,
        proofs: dict[Any, Certificate],
        constant: float,
    ) -> None:
        self.classes_ = found.classes
        averaged = self.output == "averaged"
        self.coef_ = np.stack([run.mean_w if averaged else run.w for run in runs])
        self.intercept_ = np.array([run.mean_b if averaged else run.b for run in runs])
        norms = [augmented_norm(run.w, run.b, constant) for run in runs]
        ratios = [ratio_of(self.radius_, constant, m, norm) for m, norm in zip(margins, norms, strict=True)]
        margin = [m / norm if m > 0 else np.nan for m, norm in zip(margins, norms, strict=True)]
        mixed = [run.mixed_updates for run in runs]
        one = len(runs) == 1
        self.margin_ = margin[0] if one else np.array(margin)
        self.bound_ = ratios[0] if one else np.array(ratios)
        self.mixed_updates_ = mixed[0] if one else np.array(mixed)
        self.n_updates_ = sum(run.updates for run in runs)
        self.n_epochs_ = max(run.epochs for run in runs)
        late = [run.status for run in runs if run.status != Status.CONVERGED]
        self.status_ = late[0] if late else Status.CONVERGED
        histories = [run.history.with_bound(bound) for run, bound in zip(runs, ratios, strict=True)]
        names = self.classes_.tolist()
        self.history_ = histories[0] if one else dict(zip(names, histories, strict=True))
        self._proofs = proofs
        self.n_features_in_ = found.X.shape[1]
        if late:
            warnings.warn(
                f"The perceptron made mistakes to the end of its last epoch ({self.status_}): the rows may not be "
                "separable, or need more epochs.",
                ConvergenceWarning,
                stacklevel=4,
            )

    @property
    def certificate_(self) -> Any:
        """The proof that the last weights separate; with many classes, one for each class that is separated."""
        check_is_fitted(self)
        if not self._proofs:
            raise AttributeError("No weights were found that separate the rows by more than rounding.")
        return next(iter(self._proofs.values())) if len(self.classes_) == 2 else self._proofs

    def decision_function(self, X: Any) -> Any:
        """w.x + b of each row: (n,) for two classes, else (n, k). Lazy for Dask collections, at once for arrays."""
        check_is_fitted(self)
        width = None if len(self.classes_) == 2 else len(self.classes_)
        return lazily(
            LinearClassifier(self.coef_, self.intercept_, self.classes_).scores, X, np.float64, width
        )

    def predict(self, X: Any) -> Any:
        """The class of each row, shape (n,). Lazy for Dask collections, at once for arrays."""
        check_is_fitted(self)
        planes = LinearClassifier(self.coef_, self.intercept_, self.classes_)
        return lazily(planes.classes_of, X, self.classes_.dtype, None)
