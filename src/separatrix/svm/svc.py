"""The soft-margin support vector classifier with a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.fitting.binary import BinaryResult
from separatrix.fitting.callbacks import CallbackSupport, FitReporter, with_callbacks
from separatrix.fitting.classes import Fit, tasks
from separatrix.fitting.convergence import report_gap
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.joint import JointProblems, fit_joint, joint_attributes, joint_surface
from separatrix.fitting.kernel_checks import check_kernel
from separatrix.fitting.kernel_decision import Surface
from separatrix.fitting.labels import check_labels
from separatrix.fitting.matrices import check_matrix
from separatrix.fitting.observer import KeptPoint, Watch
from separatrix.fitting.parameters import Settings, check_parameters, is_linear
from separatrix.fitting.predicting import pair_votes, raw_scores
from separatrix.fitting.progress import ProgressLine
from separatrix.fitting.seeds import seed_of
from separatrix.fitting.support import HasSupport
from separatrix.fitting.training import TrainingData
from separatrix.fitting.weights import check_sample_weight, row_costs
from separatrix.memory import keep_freed_memory
from separatrix.problem.kernels import Kernel, Precomputed, make_kernel
from separatrix.svm.fitted_attributes import attributes, support_vectors, surface


@cache
def _parameter_names(kind: type[SVC]) -> list[str]:
    """As scikit-learn reads them off the signature, which takes as long as a small fit."""
    names: list[str] = kind._get_param_names()
    return names


class SVC(HasSupport, CallbackSupport, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Soft-margin support vector classifier that proves how close to the optimum it is.

        min_{w, b}  1/2 ||w||^2 + sum_i C_i loss(y_i (w.x_i + b)),      C_i = C * sample weight * class weight

    ``tol`` is a relative duality gap: the fit ends when (primal - dual) <= tol * primal has been recomputed
    from the data, and ``certificate_`` lets anyone check it without trusting this library.

    Parameters
    ----------
    C : float, default 1.0
        Cost of an error, a number above 0 and at most 1e10. ``float("inf")`` is the hard margin: the widest slab
        with no row inside, to a relative gap of 1e-9; `InseparableError` with a proof where there is none.
    loss : "hinge" or "squared_hinge", default "hinge"
        max(0, 1 - m) or its square (LIBLINEAR's, without a factor one half).
    bias : "free", "augmented" or "none", default "free"
        b not penalised; penalised as 1/2 b^2 (LIBLINEAR's problem); or b = 0.
    kernel : "linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed", an object of `separatrix.kernels`, \
             or a function(X, Z) -> (n, m), default "linear"
        Inner product of the space in which the surface is a hyperplane. Objects add and multiply.
    degree, gamma, coef0 : default 3, "scale", 0.0
        (gamma x.z + coef0)^degree, exp(-gamma ||x - z||^2), ...; "scale" is 1 / (d var(X)), "auto" 1 / d.
    solver : "auto", "coordinate-descent", "interior-point", "gram" or "newton", default "auto"
        By name, or chosen by the shape of X and switched when progress stalls; ``history_`` says why.
    tol : float, default 1e-3
        Relative duality gap to prove. Small problems (up to 20 000 entries of X) are solved much further,
        because that is nearly free.
    max_iter : int, default None
        Limit of steps for each binary problem.
    max_time : float, default None
        Limit of seconds for the whole fit. The best iterate is kept, as after Ctrl-C.
    class_weight : dict or "balanced", default None
        Weight of each class; "balanced" gives every class the same total.
    multi_class : "ovr", "ovo" or "crammer-singer", default "ovr"
        One problem for each class against the rest, or for each pair of classes, or all classes in one problem with
        one certificate (hinge loss; with two classes it is the ordinary problem).
    cache_mb : float, default 500
        Memory for kernel values.
    n_threads : int, default None
        None: all processors this process may use, or OMP_NUM_THREADS if that is fewer.
    random_state : int, RandomState or None
        Order in which coordinate descent visits the rows.
    warm_start : bool, default False
        Start from the previous fit where the numbers of rows and columns are the same; C may differ.
    strict : bool, default False
        Raise `NotConvergedError` instead of warning when the gap is not reached.
    verbose : bool, default False
        A progress line with the gap on stderr.

    Attributes
    ----------
    coef_, intercept_ : arrays (1, d) and (1,); (k, d) for ovr, (k (k-1) / 2, d) for ovo
    intercept_interval_ : array (2,), or one row for each problem
        Every best bias for this coef_; ``intercept_`` is its middle.
    classes_ : array (k,)
    alpha_, slack_ : arrays (n,); (k, n) for ovr, (k-1, n) for ovo
    dual_coef_ : array (1, n_support), y * alpha of the support vectors
    support_, support_vectors_, n_support_ : rows with alpha > 0, grouped by class as in scikit-learn
    support_kind_ : array of "margin" and "slack" (alpha_i = C_i; with the squared hinge every alpha_i > 0)
    margin_, slab_width_ : float, or (n_problems,)
        Geometric margin 1 / ||w|| and the width 2 / ||w|| of the slab.
    C_hard_ : float, or (n_problems,)
        With C = inf: the smallest C for which the soft margin (hinge) has the same solution.
    primal_, dual_ : float
        Objectives recomputed from the data; with many classes, summed over the binary problems.
    gap_ : float
        (primal - dual) / primal; with many classes, the largest.
    status_ : str
        "converged", "max_iter", "max_time" or "interrupted".
    n_iter_ : int
    history_ : History, or a dict of them
        time, iteration, primal, dual, gap, solver and note of each step.
    certificate_ : Certificate, or a dict of them
        Built when first asked for, because hashing the data may take as long as a fit; until then the model
        refers to X, and data changed in the meantime are noticed. Pickling builds it first.
    problems_ : mapping
        The whole result of each binary problem: ``problems_[cls]``, or ``problems_[cls_a, cls_b]`` for ovo.

    Examples
    --------
    >>> from separatrix import SVC
    >>> X = [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]
    >>> model = SVC(C=10.0).fit(X, ["left", "left", "right", "right"])
    >>> model.predict([[0.5, 1.0], [1.5, 1.0]]).tolist()
    ['left', 'right']
    >>> print(model.status_, round(model.margin_, 6), model.gap_ < 1e-6)
    converged 1.0 True

    References
    ----------
    Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995).
    Hsieh et al.: A dual coordinate descent method for large-scale linear SVM. ICML 2008.
    Ferris, Munson: Interior-point methods for massive support vector machines. SIAM J. Optim. 13 (2002).
    """

    _watch: Watch | None = None  # sees the fit: a progress bar, a checkpoint
    _surface: Surface | None = None  # what a kernel model predicts with
    _start: Mapping[Any, KeptPoint] | None = None  # where the binary problems begin: a checkpoint

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

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows X (n, d) and labels y (n,); a sample weight k counts a row k times, 0 removes it."""
        kind: Any = type(self)
        settings = check_parameters({name: getattr(self, name) for name in _parameter_names(kind)})
        keep_freed_memory()
        X = check_matrix(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        weights = check_sample_weight(sample_weight, X.shape[0])
        settings = replace(settings, kernel=self._kernel(X, None if sample_weight is None else weights))
        data = TrainingData(
            X, classes, codes, row_costs(settings.C, self.class_weight, classes, codes, weights)
        )
        todo = tasks(data, self.multi_class)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        reporter = FitReporter(self, X, y, metadata, settings.max_iter)
        seed = seed_of(self.random_state)
        warm = self.problems_ if self.warm_start and hasattr(self, "problems_") else {}
        previous = warm if self._start is None else self._start
        line = ProgressLine(settings.tol) if self.verbose else None
        watch = line if self._watch is None else self._watch
        if self.multi_class == "crammer-singer" and len(data.kept) > 2:
            return self._fit_joint(data, settings, seed, previous, reporter, watch)
        problems = Fit(data, settings, seed, previous, reporter, watch).run(todo)
        self.problems_: Mapping[Any, Any] = problems
        found = attributes(data, todo, problems)
        for name, value in found.items():
            setattr(self, name, value)
        self._surface = None
        if settings.kernel is None:
            support = self._support
            self._support_vectors = Deferred(
                lambda: support_vectors(data, todo, problems, settings, support.get().rows)
            )
        else:
            self._surface = surface(data, todo, problems, settings, found)
        reporter.end()
        report_gap(problems, settings, strict=self.strict)
        return self

    def _fit_joint(
        self,
        data: TrainingData,
        settings: Settings,
        seed: int,
        previous: Any,
        reporter: FitReporter,
        watch: Watch | None,
    ) -> Self:
        """All classes in one problem."""
        problem, problems = fit_joint(data, settings, seed, previous, reporter, watch)
        self.problems_ = problems
        found = joint_attributes(data, problem, problems)
        for name, value in found.items():
            setattr(self, name, value)
        self._surface = None if problem.kernel is None else joint_surface(data, problem, found)
        support = self.support_
        self._support_vectors = Deferred(lambda: data.X[support])
        reporter.end()
        report_gap({"joint": problems.joint}, settings, strict=self.strict)
        return self

    def _kernel(self, X: Any, weights: Any) -> Kernel | None:
        """The kernel with its numbers, found fit for these rows; None where w is at hand."""
        if is_linear(self.kernel):
            return None
        kernel = make_kernel(self.kernel, X, self.degree, self.gamma, self.coef0, weights)
        check_kernel(kernel, X, weights)
        return kernel

    @property
    def coef_(self) -> NDArray[np.float64]:
        """w, one row for each binary problem; only where w is a vector of the space of X."""
        if self._surface is not None:
            raise AttributeError(
                "coef_ exists for kernel='linear' only: in the space of another kernel w is a sum over the "
                "support vectors, with coefficients dual_coef_."
            )
        check_is_fitted(self, "_coef")
        return self._coef

    @coef_.setter
    def coef_(self, value: NDArray[np.float64]) -> None:
        self._coef = value

    @property
    def certificate_(self) -> Any:
        """The proof of the gap; with many classes, a dict with one for each binary problem."""
        check_is_fitted(self)
        if isinstance(self.problems_, JointProblems):
            return self.problems_.joint.certificate
        proofs = {key: result.certificate for key, result in self.problems_.items()}
        return proofs if len(proofs) > 1 else next(iter(proofs.values()))

    @property
    def C_hard_(self) -> Any:  # noqa: N802  # C is the name of the subject
        """With C = inf: the smallest C for which the soft margin (hinge) has the same solution."""
        check_is_fitted(self)
        results = [r for r in self.problems_.values() if isinstance(r, BinaryResult)]
        values = [result.C_hard.get() for result in results if result.C_hard is not None]
        if not values:
            raise AttributeError("C_hard_ belongs to the hard margin: fit with C=float('inf').")
        return values[0] if len(values) == 1 else np.array(values)

    @property
    def support_vectors_(self) -> Any:
        """The rows ``support_`` of the training data, as dense or sparse as those were.

        Empty, shape (0, 0), where the kernel is precomputed: there the rows were never seen.
        """
        check_is_fitted(self)
        if self._surface is not None:
            return np.empty((0, 0)) if self._surface.vectors is None else self._surface.vectors
        return self._support_vectors.get()

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """w.x + b of each row: (n,) for two classes, else (n, k); ovo counts votes, scores settle ties.

        With a precomputed kernel X holds the values with all training rows, shape (n, n_train).
        """
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False)
        curved = self._surface
        scores = raw_scores(X, self.coef_, self.intercept_) if curved is None else curved.scores(X)
        if len(self.classes_) == 2:
            return scores[:, 0]
        return pair_votes(scores, len(self.classes_)) if self._pairwise else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, shape (n,)."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, Precomputed) or (
            isinstance(self.kernel, str) and self.kernel == "precomputed"
        )
        # A boundary through the origin cannot put all rows on one side, however the classes are weighted.
        tags.classifier_tags.poor_score = self.bias == "none"
        return tags
