"""The perceptron, whole: every variant of the theory, with the bound that belongs to it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from separatrix._core import Team
from separatrix.fitting.doc_link import DocumentationLink
from separatrix.fitting.drop_in import PERCEPTRON_WORDS, explains, warn_of_idle_gamma
from separatrix.fitting.inputs import check_labels, check_matrix
from separatrix.fitting.parameters import seed_of
from separatrix.fitting.probabilities import Probabilities
from separatrix.memory import keep_freed_memory
from separatrix.perceptron.parameters import check_parameters
from separatrix.perceptron.partial_fit import OnlineState, SingleRows, can_learn_online, learn_batch
from separatrix.perceptron.result import PlaneRule, PrimalState
from separatrix.perceptron.run import PerceptronResult, fit_problems
from separatrix.problem import Status
from separatrix.problem.kernels import make_kernel
from separatrix.problem.mistakes import MistakeHistory
from separatrix.threads import fit_threads


class Perceptron(Probabilities, DocumentationLink, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Perceptron that stops on a pass without mistakes, and knows how many updates it may need.

        while some y_i f(x_i) <= 0:    w += step y_i x_i,    b += step y_i c^2,       f(x) = w.x + b

    On separable rows the number of updates is bounded by (Rt / margin)^2 in the space with the fictitious column;
    each variant has its own theorem (`problem.mistakes`). On other rows a bounded run ends with a proof that
    no hyperplane separates them.

    Parameters
    ----------
    algorithm : "perceptron" or "gradient", default "perceptron"
        Row by row, or gradient descent on the perceptron risk sum max(0, -y_i f(x_i)).
    bias : "unit", "radius" or "none", default "unit"
        The constant c of the fictitious column: 1, R = max ||x_i||, or no bias. In `partial_fit`, where R is not
        known in advance, `radius` takes the norm of the first row.
    step : float, "decreasing" or "line-search", default 1.0
        Fixed; 1 / sqrt(t) at update t; or, for gradient descent, the lowest risk along the ray.
    start : "zero" or int, default "zero"
        Start at w = 0, or at y_j x_j of row j.
    kernel, degree, gamma, coef0
        As in `SVC`; any kernel but the linear one means the dual form.
    form : "auto", "primal" or "dual", default "auto"
        Keep w, or the update counts of the rows.
    output : "last", "averaged", "voted" or "pocket", default "last"
        What predicts: the last weights, their mean over all visits, the vote of all of them, or the weights with the
        longest run and fewest training errors (Gallant's pocket with ratchet).
    order : "cyclic" or "shuffle", default "cyclic"
    multi_class : "auto", "kesler" or "ovr", default "auto"
        More than two classes: Kesler's construction (perceptron) or one class against the rest (gradient).
    budget : int, default None
        The most support vectors that the dual form keeps: past it the oldest update is forgotten and the others
        shrink (the self-tuned Forgetron). A row that was updated twice counts twice.
    max_epochs : int, default 1000
        Passes, or steps of gradient descent.
    max_time : float, default None
        Seconds for the passes; the weights so far are kept, as after Ctrl-C. The exact verdict that a run without
        a clean pass asks for comes on top, and with a time limit is asked for only where X has at most four million
        entries, which takes a second or so.
    n_threads : int, default None
        Threads that look for the next mistake once mistakes are rare. They never change the result.
    random_state : int, RandomState or None
        Order of the rows with ``order="shuffle"``. None is a fixed seed: two identical fits give identical digits.
    warm_start : bool, default False
        Go on from the weights of the previous fit (primal form only).
    verbose : bool, default False
        A line for each pass on stderr.

    Attributes
    ----------
    coef_, intercept_ : arrays (1, d) and (1,), or (k, d) and (k,); only with kernel="linear"
        With ``output="voted"`` those of the last weights.
    classes_ : array (k,)
    alpha_ : array (n,), or (k, n) for one-vs-rest
        Updates on each row.
    dual_coef_ : array (1, n) or (k, n)
        w = sum_i dual_coef_i x_i for the last weights.
    n_updates_, n_epochs_ : int
    n_dropped_ : int
        Support vectors that the budget made it forget.
    radius_ : float
        max ||x_i||, in feature space with a kernel.
    margin_, max_margin_ : float
        Geometric margin of the last weights, and the widest there is (nan where not computed: kernels, large data),
        both with the fictitious column.
    bound_ : float
        The most updates this variant can make on these rows.
    status_ : str
        "converged" (a pass without mistakes), "max_iter", "max_time", "interrupted" or "inseparable" (proved).
    history_ : MistakeHistory
        time, epoch, rows, mistakes, updates and bound of each pass; `partial_fit` adds a record a call.
    certificate_ : Certificate, or a dict of them for one-vs-rest
        Kind `mistakes` after a clean pass, `inseparable` or `quasi-separable` where that was proved; with Kesler's
        construction it speaks of all classes at once.
    problems_ : dict
        The whole result of each problem.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> X = [[1.9, 3.0], [4.8, 3.5], [3.7, 0.1], [8.6, 11.3], [8.6, 8.8], [8.2, 8.7]]
    >>> model = Perceptron().fit(X, [1, 1, 1, -1, -1, -1])
    >>> model.status_, model.score(X, [1, 1, 1, -1, -1, -1]), model.n_updates_ <= model.bound_
    ('converged', 1.0, True)

    References
    ----------
    Novikoff: On convergence proofs on perceptrons. Symposium on the Mathematical Theory of Automata (1962).
    Freund, Schapire: Large margin classification using the perceptron algorithm. Machine Learning 37 (1999).
    Dekel, Shalev-Shwartz, Singer: The Forgetron. SIAM Journal on Computing 37 (2008); the budget.
    """

    _online: OnlineState | None = None  # of partial_fit
    _single: SingleRows | None = None  # its short way for single rows

    @explains(PERCEPTRON_WORDS)
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
        budget: int | None = None,
        max_epochs: int = 1000,
        max_time: float | None = None,
        n_threads: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool = False,
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
        self.budget = budget
        self.max_epochs = max_epochs
        self.max_time = max_time
        self.n_threads = n_threads
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> Self:
        """Run on rows X (n, d), or (n, n) with kernel="precomputed", and labels y (n,)."""
        settings = check_parameters(self.get_params(deep=False))
        settings = replace(settings, seed=seed_of(self.random_state))
        warn_of_idle_gamma(self)
        keep_freed_memory()
        X = check_matrix(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        kernel = make_kernel(self.kernel, X, self.degree, self.gamma, self.coef0)
        before = self._before(classes) if self.warm_start else None
        self._online = self._single = None
        self.__dict__.pop("calibration_", None)
        self.__dict__.pop("held_out_", None)
        self.classes_, self._kernel = classes, kernel
        with fit_threads(settings.n_threads), Team(settings.n_threads):
            self.problems_: dict[Any, PerceptronResult] = fit_problems(
                X, classes, codes, kernel, settings, before, bool(self.verbose)
            )
        self._publish()
        if self.status_ in (Status.MAX_ITER, Status.MAX_TIME):
            limit = f"max_epochs={settings.max_epochs}" if self.status_ == Status.MAX_ITER else "max_time"
            warnings.warn(
                f"Perceptron made no pass without mistakes before {limit} came, and the rows were not shown to be "
                "inseparable. The weights so far are kept. Hint: raise the limit, scale the columns, or use "
                "output='averaged' or 'pocket'.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    @available_if(can_learn_online)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn rows one after the other, each once; a batch of n rows is n single steps, bit for bit.

        Classes may appear at any time; ``classes`` announces them in advance. After `fit` it goes on from there.
        """
        self.__dict__.pop("calibration_", None)  # the scores change
        self.__dict__.pop("held_out_", None)
        if self._single is None or classes is not None or not self._single.step(self, X, y):
            learn_batch(self, X, y, classes)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """f(x) of each row: (n,) for two classes, positive for the second; else (n, k)."""
        check_is_fitted(self, "classes_")
        X = check_matrix(self, X, reset=False)
        if self._online is not None:
            scores = self._online.scores(X)
        else:
            scores = np.hstack([result.run.rule.scores(X) for result in self.problems_.values()])
        return scores[:, 0] if len(self.classes_) <= 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, shape (n,)."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[np.minimum(codes, len(self.classes_) - 1)]
        return labels

    @property
    def history_(self) -> MistakeHistory:
        """Mistakes and updates, pass by pass or call by call, against the bound."""
        check_is_fitted(self, "classes_")
        if self._online is not None:
            return MistakeHistory(self._online.history())
        records = [result.history for result in self.problems_.values()]
        return records[0] if len(records) == 1 else max(records, key=len)

    @property
    def n_dropped_(self) -> int:
        """Support vectors forgotten for the budget; 0 without one."""
        check_is_fitted(self, "classes_")
        if self._online is not None:
            return int(self._online.dropped)
        ledgers = [result.run.ledger for result in self.problems_.values()]
        return sum(ledger.dropped for ledger in ledgers if ledger is not None)

    @property
    def radius_(self) -> float:
        """max ||x_i||."""
        check_is_fitted(self, "classes_")
        if self._online is not None:
            return float(self._online.model.radius)
        return float(next(iter(self.problems_.values())).theory.get().radius)

    @property
    def margin_(self) -> Any:
        """Geometric margin of the last weights, with the fictitious column; one a class for one-vs-rest."""
        return self._of_theory("margin")

    @property
    def max_margin_(self) -> Any:
        """The widest margin there is; nan where it was not computed."""
        return self._of_theory("max_margin")

    @property
    def bound_(self) -> float:
        """The most updates this variant can make on these rows; summed over the problems of one-vs-rest."""
        check_is_fitted(self, "classes_")
        if self._online is not None:
            return float(self._online.model.bound())
        return float(sum(result.theory.get().bound for result in self.problems_.values()))

    @property
    def certificate_(self) -> Any:
        """The proof of how the fit ended; one for each class for one-vs-rest."""
        check_is_fitted(self, "problems_")
        proofs = {key: result.certificate for key, result in self.problems_.items()}
        return proofs if len(proofs) > 1 else next(iter(proofs.values()))

    def _publish(self) -> None:
        """Set the attributes that cost nothing; the others are properties."""
        results = list(self.problems_.values())
        runs = [result.run for result in results]
        for name in ("coef_", "intercept_"):
            self.__dict__.pop(name, None)
        if runs[0].w is not None:
            # The planes that predict, or the last where votes do.
            planes = [
                r.rule if isinstance(r.rule, PlaneRule) else PlaneRule(np.asarray(r.w), r.b) for r in runs
            ]
            self.coef_ = np.vstack([plane.W for plane in planes])
            self.intercept_ = np.concatenate([plane.b for plane in planes])
        self.dual_coef_ = np.vstack([r.beta.T for r in runs])
        self.alpha_ = runs[0].counts if len(runs) == 1 else np.vstack([r.counts for r in runs])
        self.n_updates_ = sum(r.updates for r in runs)
        self.n_epochs_ = max(r.epochs for r in runs)
        # A fit of several problems ended as badly as the worst of them.
        ranking = [Status.CONVERGED, Status.INSEPARABLE, Status.MAX_ITER, Status.MAX_TIME, Status.INTERRUPTED]
        self.status_ = max((result.status for result in results), key=ranking.index).value

    def _of_theory(self, name: str) -> Any:
        check_is_fitted(self, "problems_")
        values = [getattr(result.theory.get(), name) for result in self.problems_.values()]
        return values[0] if len(values) == 1 else np.array(values)

    def _before(self, classes: NDArray[Any]) -> list[PrimalState] | None:
        """The states to go on from, if the last fit had the same classes."""
        if not hasattr(self, "problems_") or not np.array_equal(self.classes_, classes):
            return None
        states = [result.run.state for result in self.problems_.values()]
        return [state for state in states if state is not None] or None

    def __getstate__(self) -> Any:
        # The short way shares memory with the planes, which a copy would not; partial_fit makes it anew.
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_single"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed" if isinstance(self.kernel, str) else False
        return tags
