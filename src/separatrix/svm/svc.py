"""The soft-margin support vector classifier with a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from math import isinf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.fitting.callbacks import CallbackSupport, SklearnCallbacks, has_callbacks, with_callbacks
from separatrix.fitting.classes import fit_classes
from separatrix.fitting.context import FitContext
from separatrix.fitting.convergence import report_gap
from separatrix.fitting.doc_link import DocumentationLink
from separatrix.fitting.drop_in import SVC_WORDS, explains, warn_of_idle_gamma
from separatrix.fitting.inputs import (
    check_labels,
    check_matrix,
    check_sample_weight,
    row_costs,
    solved_rows,
)
from separatrix.fitting.joint import fit_joint
from separatrix.fitting.kernel_checks import check_kernel
from separatrix.fitting.observer import KeptPoint, Observer, ProgressLine, Several
from separatrix.fitting.parameters import Settings, check_parameters, is_linear, is_precomputed, seed_of
from separatrix.fitting.predicting import pair_votes, raw_scores
from separatrix.fitting.probabilities import Probabilities
from separatrix.fitting.results import BinaryFit
from separatrix.fitting.training import TrainingData, tasks
from separatrix.memory import keep_freed_memory
from separatrix.problem import Status
from separatrix.problem.kernels import make_kernel
from separatrix.problem.scaling import scaling_of
from separatrix.solvers.loop.deadline import InterruptFlag
from separatrix.svm.fitted import FittedAttributes, FittedSVC, fitted_binary, fitted_joint
from separatrix.threads import fit_threads


@cache
def _parameter_names(kind: type[SVC]) -> list[str]:
    """As scikit-learn reads them off the signature, which takes as long as a small fit."""
    names: list[str] = kind._get_param_names()
    return names


class SVC(
    FittedAttributes,
    CallbackSupport,  # type: ignore[misc]  # scikit-learn is untyped
    Probabilities,
    DocumentationLink,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
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
    degree : int, default 3
        Of the polynomial kernel (gamma x.z + coef0)^degree.
    gamma : float, "scale" or "auto", default "scale"
        Of every kernel but the linear one, as in exp(-gamma ||x - z||^2); "scale" is 1 / (d var(X)), "auto" 1 / d.
    coef0 : float, default 0.0
        Of the polynomial and the sigmoid kernel.
    solver : "auto", "coordinate-descent", "interior-point", "gram" or "newton", default "auto"
        By name, or chosen by the shape of X and switched when progress stalls; ``history_`` says why.
    tol : float, default 1e-3
        Relative duality gap to prove. Small fits (up to 2,000 rows of about 100 columns; 700 rows of two classes with a
        kernel) are solved much further, because that is nearly free.
    max_iter : int, default None
        Limit of steps for each binary problem.
    max_time : float, default None
        Limit of seconds for the whole fit. The best iterate is kept, as after Ctrl-C. A small fit is one call, which
        ends within about a second whatever the limit.
    scaling : None, "standard" or "range", default None
        Solve for (x - shift) * factor of each column in place of x: mean 0 and standard deviation 1, or from 0 to 1.
        Sparse rows are not shifted: divided by the standard deviation, or by the largest absolute value. Predictions
        take rows as they come; the certificate is about the data as they come, and names shift and factor.
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
        Order in which coordinate descent visits the rows. None is a fixed seed: two identical fits give identical
        digits.
    warm_start : bool, default False
        Start from the previous fit where the numbers of rows and columns are the same; C may differ. Small fits need no
        start: they are solved to the last digits from scratch.
    strict : bool, default False
        Raise `NotConvergedError` instead of warning when the gap is not reached.
    verbose : bool, default False
        A progress line with the gap on stderr.

    Attributes
    ----------
    coef_, intercept_ : arrays (1, d) and (1,); (k, d) for ovr, (k (k-1) / 2, d) for ovo
        In the units of the scaled columns where ``scaling`` is given, and so are ``support_vectors_`` and ``margin_``.
    scaling_ : None, or a record with ``kind``, ``shift`` (d,) and ``factor`` (d,)
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
    calibration_ : Calibration
        Of a model that `separatrix.calibrate` returned, which has ``predict_proba`` and ``predict_log_proba``.
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

    @explains(SVC_WORDS)
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
        scaling: str | None = None,
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
        self.scaling = scaling
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
        fit_observed(self, X, y, sample_weight)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """w.x + b of each row: (n,) for two classes, else (n, k); ovo counts votes, scores settle ties.

        With a precomputed kernel X holds the values with all training rows, shape (n, n_train).
        """
        check_is_fitted(self)
        rows, curved = solved_rows(self, X), self._surface
        scores = raw_scores(rows, self.coef_, self.intercept_) if curved is None else curved.scores(rows)
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
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        # A boundary through the origin cannot put all rows on one side, however the classes are weighted.
        tags.classifier_tags.poor_score = self.bias == "none"
        return tags


def fit_observed(
    model: SVC,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    observer: Observer | None = None,
    start: Mapping[Any, BinaryFit | KeptPoint] | None = None,
) -> None:
    """Fit the model as `SVC.fit` does, seen by an observer, from points by the key of their problem."""
    keep_freed_memory()
    kind: Any = type(model)
    settings = check_parameters({name: getattr(model, name) for name in _parameter_names(kind)})
    warn_of_idle_gamma(model)
    data, settings = _training_data(model, settings, X, y, sample_weight)
    callbacks = None
    if has_callbacks(model):
        kept = data.classes[data.kept]
        callbacks = SklearnCallbacks(model, data.given, y, sample_weight, kept, data.scaling)
    if observer is None and model.verbose:
        observer = ProgressLine(settings.tol)
    if callbacks is not None:
        observer = callbacks if observer is None else Several([callbacks, observer])
    if start is None:
        start = model.problems_ if model.warm_start and hasattr(model, "problems_") else {}
    # A hard margin has no best iterate to keep: there Ctrl-C raises.
    watched = nullcontext() if isinf(settings.C) else InterruptFlag()
    with watched as interrupt, fit_threads(settings.n_threads):
        context = FitContext(settings, seed_of(model.random_state), interrupt, observer)
        model._assign(_fitted(data, model.multi_class, context, start))
    if callbacks is not None:
        callbacks.finish()
    if model.status_ != Status.CONVERGED:
        report_gap(model.problems_, settings, strict=model.strict)


def _training_data(
    model: SVC, settings: Settings, X: Any, y: Any, sample_weight: Any
) -> tuple[TrainingData, Settings]:
    """The checked data of a fit, and its settings with the kernel found fit for these rows."""
    given = X = check_matrix(model, X, reset=True)
    classes, codes = check_labels(y, X.shape[0])
    weights = check_sample_weight(sample_weight, X.shape[0])
    counts = None if sample_weight is None else weights
    scaling = None
    if model.scaling is not None:
        scaling = scaling_of(given, model.scaling, counts)
        X = scaling.apply(given)
    if not is_linear(model.kernel):
        kernel = make_kernel(model.kernel, X, model.degree, model.gamma, model.coef0, counts)
        with fit_threads(settings.n_threads):
            check_kernel(kernel, X, counts)
        settings = replace(settings, kernel=kernel)
    cost = row_costs(settings.C, model.class_weight, classes, codes, weights)
    return TrainingData(X, classes, codes, cost, scaling, given), settings


def _fitted(data: TrainingData, multi_class: str, context: FitContext, start: Mapping[Any, Any]) -> FittedSVC:
    """All classes in one problem, or a binary problem for each class or pair."""
    if multi_class == "crammer-singer" and len(data.kept) > 2:
        return fitted_joint(data, fit_joint(data, context, start), context.settings)
    todo = tasks(data, multi_class)
    return fitted_binary(data, todo, fit_classes(data, todo, context, start), context.settings)
