"""The support vector classifier on a Dask cluster."""

from __future__ import annotations

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
from separatrix.fitting.binary import BinaryResult
from separatrix.fitting.classes import Problems, Task, tasks
from separatrix.fitting.convergence import report_gap
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.parameters import Settings, check_parameters
from separatrix.fitting.progress import ProgressLine
from separatrix.fitting.proofs import prove
from separatrix.fitting.seeds import seed_of
from separatrix.fitting.settle import settle, warm_point
from separatrix.fitting.support import HasSupport
from separatrix.fitting.training import TrainingData
from separatrix.fitting.weights import check_sample_weight, row_costs
from separatrix.problem import History, Problem, Record
from separatrix.proof.duality import certify
from separatrix.solvers.loop.run import Limits, Stage, run
from separatrix.svm.fitted_attributes import attributes
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


class SVC(HasSupport, ClusterEstimator, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
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
                results[task.key] = self._solve(task, data, settings, found.square, index, group)
        self.problems_ = Problems(results)
        for name, value in attributes(data, todo, self.problems_).items():
            setattr(self, name, value)
        self._support.get()  # while the cluster is there
        self.n_features_in_ = found.X.shape[1]
        if found.names is not None:
            self.feature_names_in_ = np.array(found.names, dtype=object)
        self.n_worker_failures_ = len(group.monitor.failed)
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

    def _solve(
        self,
        task: Task,
        data: TrainingData,
        settings: Settings,
        square: float,
        index: int,
        group: WorkerGroup,
    ) -> BinaryResult:
        problem, rows = task.problem(data, settings)
        seed = seed_of(self.random_state) + index
        previous = self.problems_.get(task.key) if self.warm_start and hasattr(self, "problems_") else None
        line = ProgressLine(settings.tol) if self.verbose else None
        name = repr(task.key)
        costs: list[Any] = []
        group.traffic()

        def on_record(record: Record) -> None:
            costs.append(group.traffic())
            if line is not None:
                line.show(name, record)

        plan = self._stages(problem, settings, square, seed)
        limits = Limits(settings.tol, settings.max_iter, settings.max_time, settings.n_threads)
        solution = run(plan, problem, limits, certify, warm_point(previous, problem, rows), on_record)
        group.setup_calls = []
        group.each("rest")  # the proof needs memory too
        if line is not None:
            line.done(name, solution.history[-1], solution.status)
        records = [
            RoundRecord(
                **vars(record),
                bytes_sent=cost.sent,
                bytes_received=cost.received,
                seconds=cost.seconds,
                computing=cost.computing,
            )
            for record, cost in zip(solution.history, costs, strict=True)
        ]
        solution, interval, slack = settle(problem, replace(solution, history=History(records)), settings.tol)
        certificate = prove(data, problem, rows, solution, task.positive, task.negative)
        squared, proof = problem.loss.squared, Deferred(lambda: certificate)
        return BinaryResult.of(task.names(data), rows, problem, solution, interval, slack, squared, proof)

    @property
    def certificate_(self) -> Any:
        """The proof of the gap; with many classes, a dict with one for each binary problem."""
        check_is_fitted(self)
        proofs = {key: result.certificate for key, result in self.problems_.items()}
        return proofs if len(proofs) > 1 else next(iter(proofs.values()))

    def to_local(self) -> LocalSVC:
        """The same fitted model as a `separatrix.SVC`, which needs no Dask; it keeps no support vectors."""
        check_is_fitted(self)
        given = {name: value for name, value in self.get_params(deep=False).items() if name not in _EXTRA}
        model = LocalSVC(**given)
        for name, value in vars(self).items():
            if name.endswith("_") or name in ("_pairwise", "_support"):
                setattr(model, name, value)
        model._support_vectors = Deferred(_no_support_vectors)
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
