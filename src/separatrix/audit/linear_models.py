"""Readers of linear models: LinearSVC, SGDClassifier, Perceptron, our own SVC, and a plain (w, b).

LinearSVC       1/2 ||w||^2 + 1/2 (b / intercept_scaling)^2 + sum_i C_i loss_i       (LIBLINEAR's problem)
SGDClassifier   alpha / 2 ||w||^2 + 1/n sum_i weight_i loss_i,   that is C = 1 / (alpha n), b not penalised
Perceptron      no objective: it stops at the first pass without mistakes, or when told to
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from separatrix.audit.claim import (
    Asked,
    Claim,
    Given,
    Hyperplane,
    Objective,
    Reading,
    Unauditable,
    class_weights,
    one_against_rest,
)
from separatrix.problem import LOSSES, Loss
from separatrix.types import Bias, Vector


def read_linear_svc(name: str, model: Any, given: Given) -> Reading:
    """scikit-learn's LinearSVC."""
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
    weights = class_weights(model.class_weight, given, weighted=True)
    objective = _Rule(LOSSES[model.loss], bias, float(model.C), weights, float(model.intercept_scaling))
    return Reading(name, _claims(model, given, objective))


def read_sgd(name: str, model: Any, given: Given) -> Reading:
    """scikit-learn's SGDClassifier."""
    if model.loss == "perceptron":
        return read_perceptron(name, model, given)
    if model.loss not in LOSSES:
        raise Unauditable(
            f"{name} with loss={model.loss!r} is not a support vector machine; "
            "loss='hinge' and loss='squared_hinge' can be audited."
        )
    if model.penalty != "l2":
        raise Unauditable(f"{name} with penalty={model.penalty!r} cannot be audited; only penalty='l2' can.")
    if not model.alpha > 0:
        raise Unauditable(f"{name} with alpha={model.alpha} has no penalty, so no C = 1 / (alpha n).")
    C = 1.0 / (float(model.alpha) * len(given.codes))
    weights = class_weights(model.class_weight, given, weighted=False)
    bias: Bias = "free" if model.fit_intercept else "none"
    notes = [f"alpha = {model.alpha:g} on {len(given.codes)} rows is C = 1 / (alpha n) = {C:.6g}."]
    if model.early_stopping:
        notes.append("early_stopping held out some of these rows; the objective here counts them all.")
    return Reading(name, _claims(model, given, _Rule(LOSSES[model.loss], bias, C, weights)), notes)


def read_perceptron(name: str, model: Any, given: Given) -> Reading:
    """A perceptron, or another online rule: a surface without an objective."""
    return Reading(name, _claims(model, given, None))


def read_separatrix(name: str, model: Any, given: Given) -> Reading:
    """Our own SVC: each binary problem with the costs it was solved with."""
    if model.kernel != "linear":
        raise Unauditable(
            f"{name} with kernel={model.kernel!r} carries its own proof: see its gap_ and certificate_."
        )
    if hasattr(model.problems_, "joint"):
        raise Unauditable(
            f"{name} with multi_class='crammer-singer' carries its own proof: see its gap_ and certificate_."
        )
    given.check_classes(model.classes_.tolist())
    claims = []
    for key, result in model.problems_.items():
        cost, alpha = np.zeros(len(given.codes)), np.zeros(len(given.codes))
        if len(result.rows) and result.rows[-1] >= len(cost):
            raise ValueError(f"The model was trained on more rows than the {len(cost)} of X.")
        cost[result.rows], alpha[result.rows] = result.cost, result.alpha
        surface = Hyperplane(_weights(result.coef, given), float(result.intercept))
        objective = Objective(LOSSES[model.loss], model.bias, cost)
        claims.append(Claim(key, result.positive, result.negative, surface, objective, alpha))
    return Reading(name, claims)


def read_pair(model: tuple[Any, Any], given: Given, asked: Asked) -> Reading:
    """A plain (w, b) with C, loss and bias as the caller states them; the second class of y is positive."""
    if len(given.names) != 2:
        raise ValueError(f"(w, b) separates two classes; y holds {len(given.names)}.")
    loss, bias, C = asked.loss or "hinge", asked.bias or "free", asked.C
    if loss not in LOSSES:
        raise ValueError(f"loss must be 'hinge' or 'squared_hinge'; got {loss!r}.")
    if bias not in ("free", "augmented", "none"):
        raise ValueError(f"bias must be 'free', 'augmented' or 'none'; got {bias!r}.")
    w, b = np.asarray(model[0], dtype=np.float64).ravel(), float(np.asarray(model[1]).item())
    if bias == "none" and b != 0:
        raise ValueError(f"bias='none' means b = 0; got b = {b}.")
    negative, positive = given.names
    rule = None
    if C is not None:
        weights = class_weights(asked.class_weight, given, weighted=True)
        rule = _Rule(LOSSES[loss], bias, checked_cost(C), weights).at(given, 1)  # type: ignore[arg-type]
    surface = Hyperplane(_weights(w, given), b)
    notes = [] if rule else ["No C was given, so there is no objective to compare with; pass C=."]
    return Reading("(w, b)", [Claim(positive, positive, negative, surface, rule)], notes)


def checked_cost(C: Any) -> float:
    """C as a finite number above 0, or a sentence."""
    if not isinstance(C, int | float | np.number) or not 0 < float(C) < np.inf:
        raise ValueError(f"C must be a finite number above 0; got {C!r}.")
    return float(C)


class _Rule:
    """How a one-against-rest family weighs its rows."""

    def __init__(self, loss: Loss, bias: Bias, C: float, weights: Vector, bias_scale: float = 1.0) -> None:
        self.loss, self.bias, self.C, self.weights, self.bias_scale = loss, bias, C, weights, bias_scale

    def at(self, given: Given, positive: int) -> Objective:
        cost = one_against_rest(self.C, self.weights, given, positive)
        return Objective(self.loss, self.bias, cost, self.bias_scale)


def _claims(model: Any, given: Given, rule: _Rule | None) -> list[Claim]:
    """One claim for two classes (positive: the second), else one for each class against the rest."""
    known = model.classes_.tolist()
    given.check_classes(known)
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (len(coef),))
    sides = [(known[1], known[0])] if len(known) == 2 else [(label, None) for label in known]
    return [
        Claim(
            positive,
            positive,
            negative,
            Hyperplane(_weights(coef[k], given), float(intercept[k])),
            None if rule is None else rule.at(given, given.code(positive)),
        )
        for k, (positive, negative) in enumerate(sides)
    ]


def _weights(coef: Any, given: Given) -> Vector:
    w: Vector = np.ascontiguousarray(coef, dtype=np.float64)
    if len(w) != given.X.shape[1]:
        raise ValueError(f"The model has {len(w)} columns but X has {given.X.shape[1]}.")
    if not all(map(isfinite, w)):
        raise ValueError("The weights of the model are not all finite, so it has no objective value.")
    return w
