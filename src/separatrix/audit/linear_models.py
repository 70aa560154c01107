"""Readers of linear models: LinearSVC, LIBLINEAR, SGDClassifier, Perceptron, our own SVC, and a plain (w, b).

LinearSVC       1/2 ||w||^2 + 1/2 (b / intercept_scaling)^2 + sum_i C_i loss_i       (LIBLINEAR's problem)
SGDClassifier   alpha / 2 ||w||^2 + 1/n sum_i weight_i loss_i,   that is C = 1 / (alpha n), b not penalised
Perceptron      no objective: it stops at the first pass without mistakes, or at a limit
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.audit.claim import (
    AuditData,
    CallerOptions,
    Claim,
    Hyperplane,
    ModelClaims,
    Objective,
    Unauditable,
    class_weights,
    one_against_rest,
)
from separatrix.models.libsvm_text import LiblinearModel
from separatrix.problem import LOSSES, Loss
from separatrix.types import Bias, Vector

_LIBLINEAR_LOSSES = {
    "L2R_L2LOSS_SVC_DUAL": "squared_hinge",
    "L2R_L2LOSS_SVC": "squared_hinge",
    "L2R_L1LOSS_SVC_DUAL": "hinge",
}


def read_linear_svc(name: str, model: Any, data: AuditData) -> ModelClaims:
    """Read scikit-learn's LinearSVC."""
    if model.penalty != "l2":
        raise Unauditable(
            f"{name} with penalty={model.penalty!r} minimises ||w||_1, which is not a widest margin; its dual is "
            "another one, and this audit has no bound for it. Only penalty='l2' can be audited."
        )
    if model.multi_class != "ovr":
        raise Unauditable(
            f"{name} with multi_class={model.multi_class!r} is one joint problem of all classes; only 'ovr', one "
            "problem for each class, can be audited."
        )
    bias: Bias = "augmented" if model.fit_intercept else "none"
    weights = class_weights(model.class_weight, data, weighted=True)
    rule = _CostRule(LOSSES[model.loss], bias, float(model.C), weights, float(model.intercept_scaling))
    return ModelClaims(name, _sklearn_claims(model, data, rule))


def read_sgd(name: str, model: Any, data: AuditData) -> ModelClaims:
    """Read scikit-learn's SGDClassifier."""
    if model.loss == "perceptron":
        return read_perceptron(name, model, data)
    if model.loss not in LOSSES:
        raise Unauditable(
            f"{name} with loss={model.loss!r} is not a support vector machine; "
            "loss='hinge' and loss='squared_hinge' can be audited."
        )
    if model.penalty != "l2":
        raise Unauditable(f"{name} with penalty={model.penalty!r} cannot be audited; only penalty='l2' can.")
    if not model.alpha > 0:
        raise Unauditable(f"{name} with alpha={model.alpha} has no penalty, so no C = 1 / (alpha n).")
    C = 1.0 / (float(model.alpha) * len(data.codes))
    weights = class_weights(model.class_weight, data, weighted=False)
    bias: Bias = "free" if model.fit_intercept else "none"
    notes = [f"alpha = {model.alpha:g} on {len(data.codes)} rows is C = 1 / (alpha n) = {C:.6g}."]
    if model.early_stopping:
        notes.append("early_stopping held out some of these rows; the objective here counts them all.")
    return ModelClaims(
        name, _sklearn_claims(model, data, _CostRule(LOSSES[model.loss], bias, C, weights)), notes
    )


def read_perceptron(name: str, model: Any, data: AuditData) -> ModelClaims:
    """Read a perceptron, or another online rule: a surface without an objective."""
    return ModelClaims(name, _sklearn_claims(model, data, None))


def read_separatrix(name: str, model: Any, data: AuditData) -> ModelClaims:
    """Read our own SVC: each binary problem with the costs it was solved with."""
    if model.kernel != "linear":
        raise Unauditable(
            f"{name} with kernel={model.kernel!r} carries its own proof: see its gap_ and certificate_."
        )
    if hasattr(model.problems_, "joint"):
        raise Unauditable(
            f"{name} with multi_class='crammer-singer' carries its own proof: see its gap_ and certificate_."
        )
    data.check_classes(model.classes_.tolist())
    claims = []
    for key, result in model.problems_.items():
        cost, alpha = np.zeros(len(data.codes)), np.zeros(len(data.codes))
        if len(result.rows) and result.rows[-1] >= len(cost):
            raise ValueError(f"The model was trained on more rows than the {len(cost)} of X.")
        cost[result.rows], alpha[result.rows] = result.cost, result.alpha
        surface = Hyperplane(_weights(result.coef, data), float(result.intercept))
        objective = Objective(LOSSES[model.loss], model.bias, cost)
        claims.append(Claim(key, result.positive, result.negative, surface, objective, alpha))
    return ModelClaims(name, claims)


def read_pair(model: tuple[Any, Any], data: AuditData, options: CallerOptions) -> ModelClaims:
    """Read a plain (w, b) with C, loss and bias as the caller states them; the second class of y is positive."""
    if len(data.names) != 2:
        raise ValueError(f"(w, b) separates two classes; y holds {len(data.names)}.")
    loss, bias, C = options.loss or "hinge", options.bias or "free", options.C
    if loss not in LOSSES:
        raise ValueError(f"loss must be 'hinge' or 'squared_hinge'; got {loss!r}.")
    if bias not in ("free", "augmented", "none"):
        raise ValueError(f"bias must be 'free', 'augmented' or 'none'; got {bias!r}.")
    w, b = np.asarray(model[0], dtype=np.float64).ravel(), float(np.asarray(model[1]).item())
    if bias == "none" and b != 0:
        raise ValueError(f"bias='none' means b = 0; got b = {b}.")
    negative, positive = data.names
    rule = None
    if C is not None:
        weights = class_weights(options.class_weight, data, weighted=True)
        rule = _CostRule(LOSSES[loss], bias, checked_cost(C), weights).at(data, 1)  # type: ignore[arg-type]
    surface = Hyperplane(_weights(w, data), b)
    notes = [] if rule else ["No C was given, so there is no objective to compare with; pass C=."]
    return ModelClaims("(w, b)", [Claim(positive, positive, negative, surface, rule)], notes)


def checked_cost(C: Any) -> float:
    """C as a finite number above 0, or a sentence."""
    if not isinstance(C, int | float | np.number) or not 0 < float(C) < np.inf:
        raise ValueError(f"C must be a finite number above 0; got {C!r}.")
    return float(C)


@dataclass(frozen=True, eq=False)
class _CostRule:
    """Objective of a one-against-rest family; weights (k,) are those of the classes."""

    loss: Loss
    bias: Bias
    C: float
    weights: Vector
    bias_scale: float = 1.0

    def at(self, data: AuditData, positive: int) -> Objective:
        cost = one_against_rest(self.C, self.weights, data, positive)
        return Objective(self.loss, self.bias, cost, self.bias_scale)


def _sklearn_claims(model: Any, data: AuditData, rule: _CostRule | None) -> list[Claim]:
    """Claims of a scikit-learn model, whose second class of two is positive."""
    known = model.classes_.tolist()
    data.check_classes(known)
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (len(coef),))
    return _claims(known[::-1] if len(known) == 2 else known, coef, intercept, data, rule)


def _claims(
    labels: list[Any], coef: NDArray[np.float64], intercept: Any, data: AuditData, rule: _CostRule | None
) -> list[Claim]:
    """One claim for two classes (positive: the first), else one for each class against the rest."""
    sides = [(labels[0], labels[1])] if len(labels) == 2 else [(label, None) for label in labels]
    return [
        Claim(
            positive,
            positive,
            negative,
            Hyperplane(_weights(coef[k], data), float(intercept[k])),
            None if rule is None else rule.at(data, data.code(positive)),
        )
        for k, (positive, negative) in enumerate(sides)
    ]


def read_liblinear(
    name: str, model: LiblinearModel, labels: list[Any], data: AuditData, options: CallerOptions
) -> ModelClaims:
    """Read a LIBLINEAR model, whose first label is positive; the file stores neither C nor class weights."""
    if model.solver not in _LIBLINEAR_LOSSES:
        raise Unauditable(
            f"{name} was trained with {model.solver}; an audit knows {', '.join(_LIBLINEAR_LOSSES)}."
        )
    d, found = data.X.shape[1], model.weights
    if np.any(found[d:]):
        raise ValueError(f"The model has weights for {len(found)} columns but X has {d}.")
    weights = np.zeros((d, found.shape[1]))  # a column that one side never saw has weight zero
    weights[: len(found)] = found[:d]
    by_class = class_weights(options.class_weight, data, weighted=True)
    bias: Bias = "augmented" if model.bias > 0 else "none"  # a column of zeros (bias 0) is no bias at all
    rule = _CostRule(
        LOSSES[_LIBLINEAR_LOSSES[model.solver]],
        bias,
        stated_cost("LIBLINEAR", options),
        by_class,
        max(model.bias, 0.0) or 1.0,
    )
    claims = _claims(labels, weights.T, model.intercepts, data, rule)
    return ModelClaims(f"LIBLINEAR {model.solver} {name}", claims)


def stated_cost(library: str, options: CallerOptions) -> float:
    """C as the caller states it for a model file."""
    if options.C is None:
        raise ValueError(
            f"A {library} model file does not store C; pass C= as it was trained with (its default is 1)."
        )
    return checked_cost(options.C)


def _weights(coef: Any, data: AuditData) -> Vector:
    w: Vector = np.ascontiguousarray(coef, dtype=np.float64)
    if len(w) != data.X.shape[1]:
        raise ValueError(f"The model has {len(w)} columns but X has {data.X.shape[1]}.")
    if not all(map(isfinite, w)):
        raise ValueError("The weights of the model are not all finite, so it has no objective value.")
    return w
