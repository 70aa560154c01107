"""The support vector classifier on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.dask.cluster import WorkerGroup
from separatrix.dask.descent import ClusterDescent
from separatrix.dask.estimator import ClusterEstimator, lazily, training_lock
from separatrix.dask.inputs import ClusterData, as_partitions
from separatrix.dask.path import ClusterInteriorPoint
from separatrix.errors import ParameterError
from separatrix.fitting.binary import fit_problem, warm_point
from separatrix.fitting.context import FitContext
from separatrix.fitting.convergence import report_gap
from separatrix.fitting.drop_in import SVC_WORDS, explains
from separatrix.fitting.inputs import check_sample_weight, row_costs
from separatrix.fitting.observer import KeptPoint, Observer, Part, ProgressLine, Several
from separatrix.fitting.parameters import Settings, check_parameters, seed_of
from separatrix.fitting.results import BinaryFit, Deferred, Problems
from separatrix.fitting.training import Task, TrainingData, prove, tasks
from separatrix.problem import History, Problem, Record, Status
from separatrix.solvers.loop.run import Stage
from separatrix.svm.fitted import FittedAttributes, fitted_binary
from separatrix.svm.svc import SVC as LocalSVC

#: Columns up to which d x d numbers from every worker are cheap.
_LARGEST_MATRIX = 1000
_EXTRA = ("client", "worker_timeout", "max_worker_failures", "local_epochs", "checkpoint_every")


@dataclass(frozen=True)
class RoundRecord(Record):
    """A record of history with the cost of the round: bytes of arrays to and from the workers, seconds of waiting.

    ``computing`` is the part of the waiting in which the slowest worker computed a proposal; descent only.
    """

    bytes_sent: int = 0
    bytes_received: int = 0
    seconds: float = 0.0
    computing: float = 0.0


class Rounds(Observer):
    """Counts the cost of each round; when the rounds are over, frees the memory they took on the workers."""

    def __init__(self, group: WorkerGroup) -> None:
        self._group = group
        self._costs: list[Any] = []
        group.traffic()

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> None:
        """One more round."""
        self._costs.append(self._group.traffic())

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """The proof needs memory too."""
        self._group.setup_calls = []
        self._group.each("rest")

    def history(self, records: History) -> History:
        """The records with the costs of their rounds; the last one, of the settled answer, with those before it."""
        found = [
            RoundRecord(
                **vars(record),
                bytes_sent=cost.sent,
                bytes_received=cost.received,
                seconds=cost.seconds,
                computing=cost.computing,
            )
            for record, cost in zip(records, [*self._costs, self._costs[-1]], strict=True)
        ]
        return History(found)


class SVC(FittedAttributes, ClusterEstimator, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Soft-margin linear support vector classifier, trained where the partitions are, with one global certificate.

        min_{w, b}  1/2 ||w||^2 + sum_i C_i loss(y_i (w.x_i + b))       over the rows of all partitions

    Parameters and attributes are those of `separatrix.SVC` (linear, C finite), and so is the promise: the fit ends when
    a relative duality gap of ``tol``, computed from all partitions, is proved; `separatrix.verify(model.certificate_,
    X, y)` accepts the certificate on the collected data. ``solver="auto"`` takes the interior point up to 1000 columns
    and at least five times as many rows, else coordinate descent in rounds.

    Further parameters
    ------------------
    client : distributed.Client, default None
        The cluster; None takes the current client. With an asynchronous client `fit` returns an awaitable.
    worker_timeout : float, default 60.0
        Seconds without a heartbeat after which a worker is given up and its partitions are computed again elsewhere.
    max_worker_failures : int, default 3
        How many workers may be lost in one fit before it ends with `WorkerFailureError`.
    local_epochs : int, default 5
        Passes over its rows that a worker makes in one round of coordinate descent.
    checkpoint_every : int, default 5
        Rounds after which the alphas come to the client, where a rebuilt partition goes on.
    n_threads : int, default None
        Threads of each worker's shard; None: as many as the worker has.

    ``history_`` has a record for every round, with ``bytes_sent``, ``bytes_received``, ``seconds`` and ``computing``.

    References
    ----------
    Ma et al.: Adding vs. averaging in distributed primal-dual optimization. ICML 2015 (CoCoA+).
    Ferris, Munson: Interior-point methods for massive support vector machines. SIAM J. Optim. 13 (2002).
    """

    @explains(
        {
            **SVC_WORDS,
            "scaling": "scale the collection before the fit; separatrix.SVC, on one machine, has it",
        }
    )
    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "hinge",
        bias: str = "free",
        kernel: Any = "linear",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int | None = None,
        max_time: float | None = None,
        class_weight: Any = None,
        multi_class: str = "ovr",
        cache_mb: float = 500,
        n_threads: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        strict: bool = False,
        verbose: bool = False,
        client: Any = None,
        worker_timeout: float = 60.0,
        max_worker_failures: int = 3,
        local_epochs: int = 5,
        checkpoint_every: int = 5,
    ) -> None:
        self.C = C
        self.loss = loss
        self.bias = bias
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.cache_mb = cache_mb
        self.n_threads = n_threads
        self.random_state = random_state
        self.warm_start = warm_start
        self.strict = strict
        self.verbose = verbose
        self.client = client
        self.worker_timeout = worker_timeout
        self.max_worker_failures = max_worker_failures
        self.local_epochs = local_epochs
        self.checkpoint_every = checkpoint_every

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit to the rows of all partitions; see `separatrix.dask.inputs` for what X and y may be.

        Returns the model itself; with an asynchronous client, an awaitable of it.
        """
        return self._train(X, y, sample_weight)

    def _fit(self, client: Any, X: Any, y: Any, sample_weight: Any) -> SVC:
        settings = self._settings()
        inputs = as_partitions(X, y, sample_weight)
        group = WorkerGroup(
            client, inputs.partitions, self.worker_timeout, self.max_worker_failures, self.n_threads
        )
        with training_lock(client), group:
            found = ClusterData(group, inputs)
            weights = check_sample_weight(found.weights, found.X.shape[0])
            cost = row_costs(settings.C, self.class_weight, found.classes, found.codes, weights)
            data = TrainingData(found.X, found.classes, found.codes, cost)  # type: ignore[arg-type]
            todo = tasks(data, self.multi_class)
            results = {}
            for index, task in enumerate(todo):
                part = Part(task.key, index, len(todo))
                results[task.key] = self._fit_task(task, data, settings, found.square, part, group)
            fitted = fitted_binary(data, todo, Problems(results), settings)
            fitted.support.get()  # while the cluster is there
        self._fitted = replace(fitted, support_vectors=Deferred(_no_support_vectors))
        self._assign(self._fitted)
        self.n_features_in_ = found.X.shape[1]
        if found.names is not None:
            self.feature_names_in_ = np.array(found.names, dtype=object)
        self.n_worker_failures_ = len(group.monitor.failed)
        if self.status_ != Status.CONVERGED:
            report_gap(self.problems_, settings, strict=self.strict)
        return self

    def _settings(self) -> Settings:
        given = self.get_params(deep=False)
        for name in ("local_epochs", "checkpoint_every"):
            if not isinstance(given[name], int) or given[name] < 1:
                raise ParameterError(f"{name} must be an integer of at least 1; got {given[name]!r}.")
        if not self.worker_timeout > 0 or self.max_worker_failures < 0:
            raise ParameterError("worker_timeout must be above 0 and max_worker_failures at least 0.")
        settings = check_parameters({name: value for name, value in given.items() if name not in _EXTRA})
        if self.kernel != "linear" or not np.isfinite(settings.C) or self.multi_class not in ("ovr", "ovo"):
            raise ParameterError(
                "separatrix.dask.SVC is linear, with C finite and multi_class 'ovr' or 'ovo'; got "
                f"kernel={self.kernel!r}, C={self.C!r}, multi_class={self.multi_class!r}."
            )
        if settings.solver not in ("auto", "coordinate-descent", "interior-point"):
            raise ParameterError(
                "solver must be 'auto', 'coordinate-descent' or 'interior-point' on a cluster; got "
                f"{settings.solver!r}."
            )
        return settings

    def _stages(self, problem: Problem, settings: Settings, square: float, seed: int) -> list[Stage]:
        n, d = problem.n_rows, problem.n_columns
        descent = ClusterDescent(square, seed, self.local_epochs, self.checkpoint_every)
        path = ClusterInteriorPoint()
        if settings.solver == "coordinate-descent":
            return [Stage(descent, "asked for: coordinate descent in rounds")]
        if settings.solver == "interior-point":
            return [Stage(path, "asked for: interior point on all workers")]
        if d <= _LARGEST_MATRIX and n >= 5 * d:
            return [
                Stage(path, f"{n} x {d}: interior point on all workers"),
                Stage(descent, "coordinate descent from the best point so far"),
            ]
        return [Stage(descent, f"{n} x {d}: coordinate descent in rounds")]

    def _fit_task(
        self,
        task: Task,
        data: TrainingData,
        settings: Settings,
        square: float,
        part: Part,
        group: WorkerGroup,
    ) -> BinaryFit:
        problem, rows = task.problem(data, settings)
        seed = seed_of(self.random_state) + part.index
        previous = self.problems_.get(task.key) if self.warm_start and hasattr(self, "problems_") else None
        rounds = Rounds(group)
        observer = Several([rounds, ProgressLine(settings.tol)]) if self.verbose else rounds
        fit = fit_problem(
            problem,
            FitContext(settings, seed, observer=observer),
            start=warm_point(previous, problem, rows),
            plan=self._stages(problem, settings, square, seed),
            part=part,
            rows=rows,
            sides=task.names(data),
            prove=lambda solution: prove(task, data, problem, rows, solution),
        )
        fit.deferred.get()  # while the cluster is there
        return replace(fit, history=rounds.history(fit.history))

    def to_local(self) -> LocalSVC:
        """The same fitted model as a `separatrix.SVC`, which needs no Dask; it keeps no support vectors."""
        check_is_fitted(self)
        given = {name: value for name, value in self.get_params(deep=False).items() if name not in _EXTRA}
        model = LocalSVC(**given)
        model._assign(self._fitted)
        model.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_
        return model

    def decision_function(self, X: Any) -> Any:
        """w.x + b of each row: (n,) for two classes, else (n, k). Lazy for Dask collections, at once for arrays."""
        width = None if len(self.to_local().classes_) == 2 else len(self.classes_)
        return lazily(self.to_local().decision_function, X, np.float64, width)

    def predict(self, X: Any) -> Any:
        """The class of each row, shape (n,). Lazy for Dask collections, at once for arrays."""
        return lazily(self.to_local().predict, X, self.to_local().classes_.dtype, None)


def _no_support_vectors() -> Any:
    raise AttributeError("The rows stayed on the cluster: the support vectors are X[model.support_].")
