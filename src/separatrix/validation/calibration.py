"""Probabilities from scores, calibrated on rows that were not trained on.

    sigmoid       the likelihood of 1 / (1 + exp(a s + b)) is maximised with Platt's targets, by Newton's method with
                  backtracking on a form of the objective that cannot overflow
    isotonic      least squares over all functions that do not fall (scikit-learn's)
    venn-abers    for every place that a new score can take two isotonic regressions: the new row added as negative
                  (p0) and as positive (p1)

Platt: Probabilistic outputs for support vector machines (1999). Lin, Lin, Weng: A note on Platt's probabilistic outputs
for support vector machines, Machine Learning 68 (2007). Zadrozny, Elkan: Transforming classifier scores into accurate
multiclass probability estimates, KDD 2002. Vovk, Petej, Fedorova: Large-scale probabilistic predictors with and
without guarantees of validity, NIPS 2015.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting.probabilities import Calibration, Isotonic, Map, Sigmoid, VennAbers
from separatrix.perceptron.estimator import Perceptron
from separatrix.svm.svc import SVC
from separatrix.types import Vector
from separatrix.validation.held_out import check_unseen

Model = TypeVar("Model", SVC, Perceptron)
_NEWTON_STEPS = 100  # Lin, Lin and Weng's limit; about ten are taken
_RIDGE = 1e-12  # added to the diagonal of the Hessian, whose scores are scaled to at most 1
_SMALL_GRADIENT = 1e-9  # of the mean over the rows
_DECREASE = 1e-4  # share of the predicted decrease that a step must reach
_SHORTEST = 1e-10  # step length at which rounding is all that is left


def calibrate(
    model: Model,
    X: Any,
    y: Any,
    method: str = "sigmoid",
    *,
    training: Any = None,
    allow_equal_rows: bool = False,
) -> Model:
    """A copy of a fitted model that has ``predict_proba``, from rows X (n, d) and labels y (n,) that it has not seen.

    Parameters
    ----------
    model
        A fitted `SVC` or `Perceptron`. It is not changed, and the copy predicts as it does: its certificate stays true.
    method : "sigmoid", "isotonic" or "venn-abers", default "sigmoid"
        Platt's sigmoid, for few rows; isotonic regression, from about a thousand rows on; Venn-Abers, whose
        probabilities are calibrated whatever the distribution, and whose interval (p0, p1) is
        ``calibrated.calibration_.maps[0].interval(scores)``.
    training
        The rows of the fit: with them every row is compared, without them only with the support vectors of the model.
    allow_equal_rows
        Let rows through that equal training rows, as in data of few values.

    >>> import numpy as np, separatrix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2)); y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    >>> model = sx.SVC().fit(X[:100], y[:100])
    >>> calibrated = sx.calibrate(model, X[100:], y[100:], training=X[:100])
    >>> calibrated.predict_proba([[0.0, 0.0]]).round(1)
    array([[0.5, 0.5]])
    >>> hasattr(model, "predict_proba")
    False
    """
    if not isinstance(model, SVC | Perceptron):
        raise with_hint(
            TypeError,
            f"calibrate is for a separatrix.SVC or Perceptron; got {type(model).__name__}.",
            "sklearn.calibration.CalibratedClassifierCV(FrozenEstimator(model)), or VennAbers from its scores: "
            "separatrix.validation.venn_abers(scores, y)",
        )
    if method not in _METHODS:
        names = ", ".join(map(repr, _METHODS))
        raise ParameterError(f"method must be one of {names}; got {method!r}.")
    scores = model.decision_function(X)
    codes = _codes(model.classes_, y, len(scores))
    if not allow_equal_rows:
        check_unseen(model, X, training)
    make = _METHODS[method]
    columns = scores[:, np.newaxis] if scores.ndim == 1 else scores
    positive = [1] if scores.ndim == 1 else range(columns.shape[1])
    maps = tuple(make(column, codes == code) for column, code in zip(columns.T, positive, strict=True))
    # Planes of a perceptron that goes on learning change in place; an SVC keeps what it was fitted to.
    calibrated = copy.copy(model) if isinstance(model, SVC) else copy.deepcopy(model)
    calibrated.calibration_ = Calibration(method, maps, len(codes))
    return calibrated


def _codes(classes: NDArray[Any], y: Any, n: int) -> NDArray[np.intp]:
    """The place of each label among the classes of the model, each of which must have a row."""
    labels = np.asarray(y).ravel()
    if len(labels) != n:
        raise ValueError(f"X has {n} rows but y has {len(labels)} labels.")
    if len(classes) < 2:
        raise ValueError("The model knows one class only: there is nothing to calibrate.")
    match = np.equal(labels[:, np.newaxis].astype(object), classes.astype(object)).astype(bool)
    known = match.any(axis=1)
    if not known.all():
        row = int(np.argmin(known))
        raise with_hint(
            ValueError,
            f"The label {labels.tolist()[row]!r} of row {row} is no class of the model, which has {classes.tolist()}.",
            "labels must be those of the fit, type included",
        )
    codes: NDArray[np.intp] = match.argmax(axis=1)
    missing = np.setdiff1d(np.arange(len(classes)), codes)
    if len(missing):
        raise ValueError(
            f"No row of the calibration data has the class {classes[missing[0]].item()!r}: its probability is unknown."
        )
    return codes


def sigmoid(scores: Vector, positive: NDArray[np.bool_]) -> Sigmoid:
    """Platt's sigmoid of scores (n,) and labels (n,): the likelihood of targets that keep away from 0 and 1."""
    _, exponent = np.frexp(np.max(np.abs(scores), initial=0.0))
    s = np.ldexp(scores, -exponent)  # at most 1 in absolute value
    n1 = int(np.count_nonzero(positive))
    n0 = len(scores) - n1
    target = np.where(positive, (n1 + 1.0) / (n1 + 2.0), 1.0 / (n0 + 2.0))
    point = np.array([0.0, np.log((n0 + 1.0) / (n1 + 1.0))])

    def loss(at: Vector) -> float:
        f = at[0] * s + at[1]
        return float(np.mean(np.logaddexp(0.0, f) - (1.0 - target) * f))

    value = loss(point)
    for _ in range(_NEWTON_STEPS):
        p = Sigmoid(*point).probability(s)
        away, spread = target - p, p * (1.0 - p)
        gradient = np.array([np.mean(s * away), np.mean(away)])
        if np.abs(gradient).max() < _SMALL_GRADIENT:
            break
        mixed = np.mean(s * spread)
        hessian = np.array([[np.mean(s * s * spread), mixed], [mixed, np.mean(spread)]]) + _RIDGE * np.eye(2)
        step, length = -np.linalg.solve(hessian, gradient), 1.0
        while length >= _SHORTEST:
            moved = loss(point + length * step)
            if moved < value + _DECREASE * length * float(gradient @ step):
                break
            length /= 2.0
        else:
            break
        point, value = point + length * step, moved
    return Sigmoid(float(np.ldexp(point[0], -exponent)), float(point[1]))


def isotonic(scores: Vector, positive: NDArray[np.bool_]) -> Isotonic:
    """The rising function nearest to the labels, as scikit-learn finds it."""
    found = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, positive)
    return Isotonic(found.X_thresholds_.astype(np.float64), found.y_thresholds_.astype(np.float64))


def venn_abers(scores: Any, positive: Any) -> VennAbers:
    """The inductive Venn-Abers predictor of calibration scores (n,) and labels 0 or 1 (n,), of whatever model.

    The isotonic regression of all rows before a place, and of all behind it, is a list of blocks of equal value. The
    new row is one more block between them, and blocks that are out of order are pooled from there.

    >>> p0, p1 = venn_abers([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1]).interval([1.5])
    >>> print(p0, p1)
    [0.5] [1.]
    """
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=np.float64)
    if values.shape != labels.shape or values.ndim != 1 or not len(values):
        raise ValueError(f"There must be one label for each score; got {values.shape} and {labels.shape}.")
    distinct, place = np.unique(values, return_inverse=True)
    weight = np.bincount(place).tolist()
    total = np.bincount(place, weights=labels).tolist()
    m = len(distinct)
    before, behind = _blocks(weight, total), _blocks(weight[::-1], total[::-1], falling=True)
    low, high = np.empty(2 * m + 1), np.empty(2 * m + 1)
    for at in range(2 * m + 1):
        first, tied = divmod(at, 2)  # rows before the new one; whether its score is that of the next
        own = (weight[first], total[first]) if tied else (0, 0.0)
        lists = before, first - 1, behind, m - 1 - first - tied
        low[at] = _pooled(own[0] + 1, own[1], *lists)
        high[at] = _pooled(own[0] + 1, own[1] + 1.0, *lists)
    return VennAbers(distinct, low, high)


_Block = tuple[float, float, int]  # weight, sum of labels, and the row at which the block next to it ends


def _blocks(weight: list[float], total: list[float], falling: bool = False) -> list[_Block]:
    """The last block of the isotonic regression of rows 0 .. i, for every i; ``falling``: of values that fall."""
    out: list[_Block] = []
    for i, (w, t) in enumerate(zip(weight, total, strict=True)):
        rest = i - 1
        while rest >= 0:
            w_next, t_next, further = out[rest]
            if t_next * w < t * w_next if falling else t_next * w > t * w_next:
                w, t, rest = w + w_next, t + t_next, further
            else:
                break
        out.append((w, t, rest))
    return out


def _pooled(w: float, t: float, before: list[_Block], i: int, behind: list[_Block], j: int) -> float:
    """The value of the block that a new row ends up in, between rows .. i and the rows from behind[j] on."""
    while True:
        if i >= 0 and before[i][1] * w > t * before[i][0]:
            w, t, i = w + before[i][0], t + before[i][1], before[i][2]
        elif j >= 0 and behind[j][1] * w < t * behind[j][0]:
            w, t, j = w + behind[j][0], t + behind[j][1], behind[j][2]
        else:
            return t / w


_METHODS: dict[str, Callable[[Vector, NDArray[np.bool_]], Map]] = {
    "sigmoid": sigmoid,
    "isotonic": isotonic,
    "venn-abers": venn_abers,
}
