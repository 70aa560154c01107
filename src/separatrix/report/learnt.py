"""Facts about what a model learnt: its weights by column, its settings, and the rows it gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.report.model_facts import problem_name
from separatrix.report.records import Part, Setting, Weight, WrongRow
from separatrix.report.row_values import fields_of, row_values, telling
from separatrix.report.rows import RowFacts, column_spread, dense_rows
from separatrix.svm.svc import SVC
from separatrix.types import Vector

#: Columns whose weights are shown for two classes, and for each of many.
_WEIGHTS, _WEIGHTS_OF_MANY = 20, 6
#: Planes whose weights are shown.
_PLANES = 40
#: Columns of the file whose values are shown with a row.
_VALUES = 10


def weights_of(
    model: Any, solved: Any, columns: list[str], facts: RowFacts
) -> tuple[dict[str, list[Weight]], int, int]:
    """Columns with the largest effect in each plane, and the numbers of columns and of planes that are not shown."""
    if not hasattr(model, "coef_"):
        return {}, 0, 0
    spread, factor = column_spread(solved), scale_factor(model)
    keys = list(getattr(model, "problems_", {}))
    two = len(model.classes_) == 2
    out = {}
    for place, w in enumerate(np.asarray(model.coef_)[:_PLANES]):
        key = keys[place] if len(keys) == len(model.coef_) else facts.names[place % len(facts.names)]
        effect = w * spread
        best = np.argsort(-np.abs(effect), kind="stable")[: _WEIGHTS if two else _WEIGHTS_OF_MANY]
        unit = w if factor is None else w * factor
        out["" if two else problem_name(key)] = [
            Weight(columns[j], float(unit[j]), float(effect[j])) for j in best.tolist() if w[j] != 0.0
        ]
    shown = max((len(each) for each in out.values()), default=0)
    return out, solved.shape[1] - shown, len(model.coef_) - len(out)


def scale_factor(model: Any) -> Vector | None:
    """Factors (d,) by which the model multiplies the columns before it weighs them; None where it does not."""
    scaling = getattr(model, "scaling_", None)
    return None if scaling is None else np.asarray(scaling.factor)


def solved_rows(model: Any, X: Any) -> Any:
    """The rows as the model's weights see them: scaled, if it scales."""
    scaling = getattr(model, "scaling_", None)
    return X if scaling is None else scaling.apply(X)


def settings_of(model: Any) -> list[Setting]:
    """All parameters of the model, the default ones among them."""
    defaults = type(model)().get_params()
    out = []
    for name, value in model.get_params().items():
        words = getattr(value, "__name__", None) or str(value)
        if name == "gamma" and isinstance(value, str) and model.kernel not in ("linear", "precomputed"):
            number = getattr(getattr(getattr(model, "_surface", None), "kernel", None), "gamma", None)
            words += f" (here {number:.6g})" if isinstance(number, float) else ""
        out.append(Setting(name, words, _same(value, defaults.get(name))))
    return out


def _same(value: Any, default: Any) -> bool:
    try:
        return bool(value is default or value == default)
    except ValueError:  # an array has no one answer
        return False


def mistakes_of(
    model: Any, parts: list[Part], columns: list[str], effects: Vector, encoding: Any, count: int
) -> tuple[list[WrongRow], dict[str, int], int]:
    """The worst of the misclassified rows of each part, how many more there are, and how many columns are not shown.

    Their values are those of the columns with the largest ``effects`` (d,).
    """
    w = np.asarray(model.coef_[0]) if hasattr(model, "coef_") and len(model.classes_) == 2 else None
    known = fields_of(columns, encoding)
    fields = telling(known, effects, _VALUES)
    out, left = [], {}
    for part in parts:
        facts, X, numbers = part.source.facts, part.source.X, part.source.numbers
        wrong = facts.wrong(part.rows)
        shown = wrong[:count].tolist()
        left[part.name] = len(wrong) - len(shown)
        for row, values in zip(shown, row_values(X, shown, fields), strict=True):
            given, code = int(facts.predicted[row]), int(facts.codes[row])
            opposing = (
                []
                if w is None
                else _opposing(w, dense_rows(solved_rows(model, X[[row]]), [0])[0], code, columns)
            )
            out.append(
                WrongRow(
                    row,
                    row if numbers is None else int(numbers[row]),
                    part.name,
                    facts.names[code],
                    facts.names[given],
                    float(facts.margins[row]),
                    None if facts.chances is None else float(facts.chances[row, given]),
                    values,
                    opposing,
                )
            )
    return out, left, len(known) - len(fields)


def effects_of(model: Any, solved: Any) -> Vector:
    """The largest effect of each column on a score, (d,): weight times spread; with a kernel the spread alone."""
    spread = column_spread(solved)
    if not hasattr(model, "coef_"):
        return spread
    return np.asarray(np.abs(np.asarray(model.coef_) * spread).max(axis=0))


def _opposing(w: Vector, x: NDArray[np.float64], code: int, columns: list[str]) -> list[tuple[str, float]]:
    """The three columns that pull a row most to the wrong side, with their shares of the score."""
    share = (1.0 if code == 1 else -1.0) * w * x
    return [(columns[j], float(share[j])) for j in np.argsort(share)[:3].tolist() if share[j] < 0]


def is_soft(model: Any) -> bool:
    """True for an SVM of two classes, whose rows may lie inside a slab."""
    return isinstance(model, SVC) and len(model.classes_) == 2
