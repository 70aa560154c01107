"""The public function `audit`: checks of the input, then the binary problems of a model one after another."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from separatrix.audit.claim import AuditData, CallerOptions, Claim, Expansion, Hyperplane
from separatrix.audit.measure import (
    Budget,
    Measured,
    Optimum,
    measure_expansion,
    measure_hyperplane,
    with_bias_column,
)
from separatrix.audit.models import read
from separatrix.audit.record import Audit, Audits, objective_sentence, side_words, verdict_sentence
from separatrix.fitting.inputs import check_labels, check_sample_weight
from separatrix.fitting.parameters import available_threads
from separatrix.fitting.results import Deferred
from separatrix.problem import Point, Problem, Solution, Status
from separatrix.problem.conversion import canonical_csr, check_finite, contiguous
from separatrix.problem.problem import relative_gap
from separatrix.problem.scaling import Scaling
from separatrix.proof.certificate import Certificate
from separatrix.proof.duality import certify
from separatrix.proof.fingerprint import Fingerprint, fingerprint
from separatrix.proof.optimal import optimal
from separatrix.separability import separability as decide_separability
from separatrix.separability.api import is_cheap
from separatrix.types import Index, Matrix, Vector


def audit(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    C: float | None = None,
    loss: str | None = None,
    bias: str | None = None,
    class_weight: Any = None,
    max_time: float = 60.0,
    tol: float = 1e-9,
    separability: Literal["auto"] | bool = "auto",
    n_threads: int | None = None,
) -> Audit | Audits:
    """Measure how far a fitted model is from the optimum of the problem it claims to solve, with a proof.

        dual(alpha) <= optimum <= primal(w, b)      for every feasible alpha and every (w, b)

    The primal value is computed from the data at the model's own point. The lower bound is the best of the model's
    own dual point and of our solver's, until the optimum is known to ``tol`` or ``max_time`` is over.

    Parameters
    ----------
    model
        A fitted SVC, NuSVC, LinearSVC, SGDClassifier (hinge or squared hinge) or Perceptron of scikit-learn or
        scikit-learn-intelex; a separatrix.SVC; the path or text of a LIBSVM or LIBLINEAR model file; or (w, b), where
        w.x + b > 0 is the second class of y. Attributes are read, nothing is unpickled.
    X, y
        The rows (n, d) and labels (n,) that the model was trained on.
    sample_weight
        (n,) as it was trained with.
    C, loss, bias, class_weight
        For (w, b): cost, "hinge" or "squared_hinge", "free", "augmented" or "none". For model files, which store
        neither: C and class_weight.
    max_time
        Seconds for the search of a better bound, shared by the binary problems of a model.
    tol
        Relative gap at which the search ends.
    separability
        Whether to decide exactly if the classes are separable; "auto": only where that is cheap.

    Returns
    -------
    Audit, or for many classes Audits: a mapping by class (one against the rest) or pair of classes.

    Example
    -------
    >>> import numpy as np
    >>> X, y = np.array([[3.0], [1.0]]), np.array(["right", "left"])
    >>> print(audit((np.array([1.0]), -2.0), X, y, C=10.0).verdict)
    This model is optimal to within 0 %.
    >>> print(audit((np.array([-1.2]), 2.4), X, np.array(["a", "b"]), C=10.0).verdict)
    This model stopped 44 % above the optimum.

    References
    ----------
    Boyd, Vandenberghe: Convex Optimization (2004), section 5.5.1, certificate of suboptimality.
    """
    began = time.perf_counter()
    data = _check(X, y, sample_weight)
    for name, value in (("max_time", max_time), ("tol", tol)):
        if not isinstance(value, int | float | np.number) or not 0 <= float(value) < np.inf:
            raise ValueError(f"{name} must be a number of at least 0; got {value!r}.")
    given, scaling = data, getattr(model, "scaling_", None)
    if isinstance(scaling, Scaling):  # the model is about rows that it scales
        data = replace(data, X=scaling.apply(given.X))
    else:
        scaling = None
    claims = read(model, data, CallerOptions(C, loss, bias, class_weight))
    print_of = Deferred(lambda: replace(fingerprint(given.X, given.labels), scaling=scaling))
    audits = {}
    for done, claim in enumerate(claims.claims):
        left = max(0.0, max_time - (time.perf_counter() - began)) / (len(claims.claims) - done)
        budget = Budget(float(tol), left, n_threads or available_threads())
        one = _ClaimAudit(data, claim, budget, print_of)
        audits[claim.key] = one.audit(claims.name, claims.notes, separability)
    return audits.popitem()[1] if len(audits) == 1 else Audits(audits)


def _check(X: Any, y: Any, sample_weight: Any) -> AuditData:
    is_sparse = bool(sparse.issparse(X))
    matrix: Matrix = canonical_csr(X) if is_sparse else contiguous(X)
    if matrix.ndim != 2 or min(matrix.shape) < 1:
        raise ValueError(f"X must have rows and columns; got shape {matrix.shape}.")
    check_finite(matrix)
    classes, codes = check_labels(y, matrix.shape[0])
    return AuditData(matrix, classes, codes, check_sample_weight(sample_weight, matrix.shape[0]))


class _ClaimAudit:
    """The audit of one claim."""

    def __init__(
        self, data: AuditData, claim: Claim, budget: Budget, print_of: Deferred[Fingerprint]
    ) -> None:
        self.data, self.claim, self.budget, self.print_of = data, claim, budget, print_of
        positive = data.codes == data.code(claim.positive)
        member = np.ones(len(positive), dtype=bool)
        if claim.negative is not None:
            member = positive | (data.codes == data.code(claim.negative))
        if claim.objective is not None:
            member &= claim.objective.cost > 0
        self.rows: Index = np.flatnonzero(member)
        self.y: Vector = np.where(positive[self.rows], 1.0, -1.0)
        if len(np.unique(self.y)) < 2:
            raise ValueError(f"Only one side of {claim.key!r} has rows of weight above 0.")
        self.everything = len(self.rows) == len(positive)
        self.objective = claim.objective
        if claim.objective is not None:
            self.objective = replace(claim.objective, cost=claim.objective.cost[self.rows])

    def audit(self, name: str, notes: list[str], separability: Literal["auto"] | bool) -> Audit:
        began = time.perf_counter()
        data, claim = self.data, self.claim
        measured = self._measure()
        products = self.y * measured.scores
        errors, least = int(np.count_nonzero(products <= 0)), float(products.min())
        norm = measured.norm
        optimum = measured.optimum
        sides = (
            side_words(claim.positive, []),
            side_words(claim.negative, [c for c in data.names if c != claim.positive]),
        )
        rule = self.objective
        notes = [*notes, *measured.notes]
        if measured.problem is not None and measured.problem.n_columns > data.X.shape[1]:
            assert rule is not None
            notes.append(
                f"The certificates speak of X with one more column of {rule.bias_scale:g}, which is the bias."
            )
        return Audit(
            model=name,
            positive=claim.positive,
            negative=claim.negative,
            problem=objective_sentence(rule, claim.surface, self.y, sides, data.X.shape[1]),
            verdict=verdict_sentence(measured, errors, len(self.rows), self.budget.tol),
            rows=len(self.rows),
            primal=measured.primal,
            dual=None if optimum is None else optimum.dual,
            best_primal=None if optimum is None else optimum.primal,
            gap=measured.gap,
            excess=measured.excess,
            margin=least / norm if norm > 0 else float("nan"),
            functional_margin=least,
            slab=2.0 / norm if norm > 0 else float("inf"),
            errors=errors,
            separability=self._separability(separability, least),
            seconds=time.perf_counter() - began,
            notes=tuple(notes),
            _certificate=Deferred(lambda: self._prove(measured, own=True)),
            _optimum_certificate=Deferred(lambda: self._prove(measured, own=False)),
        )

    def _part(self) -> Any:
        return self.data.X if self.everything else self.data.X[self.rows]

    def _measure(self) -> Measured:
        claim, rows = self.claim, self.rows
        rule = self.objective
        alpha = None if claim.alpha is None else claim.alpha[rows]
        if isinstance(claim.surface, Hyperplane):
            return measure_hyperplane(self._part(), self.y, claim.surface, rule, alpha, self.budget)
        assert rule is not None, "every kernel model that is read has an objective"
        return measure_expansion(self.data.X, self.y, claim.surface, rule, alpha, self.budget, rows)

    def _separability(self, wanted: Literal["auto"] | bool, least: float) -> str | None:
        surface = self.claim.surface
        if wanted is False or isinstance(surface, Expansion):
            return None
        X = self._part()
        if least > _rounding(X, surface):
            return "separable"  # the model itself is the witness
        if wanted == "auto" and not is_cheap(X):
            return None
        rule = self.claim.objective
        return decide_separability(X, self.y, bias=rule is None or rule.bias != "none").verdict

    def _prove(self, measured: Measured, *, own: bool) -> Certificate | None:
        """The certificate of the bounds: at the model's own (w, b), or at the best point that was found."""
        problem, best, model, primal = measured.problem, measured.optimum, measured.model, measured.primal
        if measured.expansion is not None and best is not None and primal is not None:
            curved, coef, b = measured.expansion
            gap = relative_gap(primal, best.dual)
            found = Solution(
                None, b, best.alpha, primal=primal, dual=best.dual, gap=gap, status=Status.CONVERGED
            )
            return self._prove_expansion(curved, found, coef, own=own)
        if problem is None or best is None or model is None or primal is None:
            return None
        point = Optimum(*model, best.alpha, primal, best.dual) if own else best
        gap = relative_gap(point.primal, point.dual)
        solution = Solution(
            point.w,
            point.b,
            point.alpha,
            primal=point.primal,
            dual=point.dual,
            gap=gap,
            status=Status.CONVERGED,
        )
        data = self.data
        print_of = self.print_of.get()
        if problem.n_columns > data.X.shape[1]:
            assert self.claim.objective is not None
            print_of = fingerprint(with_bias_column(data.X, self.claim.objective.bias_scale), data.labels)
        return optimal(problem, solution, print_of, *self._sides(), None if self.everything else self.rows)

    def _prove_expansion(self, problem: Problem, found: Solution, coef: Vector, *, own: bool) -> Certificate:
        """The same in the space of a kernel; the best point is that of alpha, with its best bias."""
        if not own:
            found = certify(problem, Point(found.alpha))
        point = coef if own else None
        return optimal(problem, found, self.print_of.get(), *self._sides(), self.rows, point)

    def _sides(self) -> tuple[list[Any], list[Any]]:
        positive, negative = self.claim.positive, self.claim.negative
        others = [name for name in self.data.names if name != positive]
        return [positive], others if negative is None else [negative]


def _rounding(X: Any, surface: Hyperplane) -> float:
    """A bound on the rounding error of every score: (d + 2) eps max_i (|x_i|.|w| + |b|)."""
    largest = float(np.max(abs(X) @ np.abs(surface.w))) + abs(surface.b)
    return 2.0 * float((X.shape[1] + 2) * np.finfo(np.float64).eps * largest)
