"""Settings of a classifier (columns scaled or not, kernel, C, gamma) judged on the folds of a cross-validation.

Every setting is judged on the same folds, and every cell of the table has a proved gap (`folds.py`). With many rows
the search goes in steps: all settings on a few thousand rows, then the best of them on more.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting.convergence import GapWarning
from separatrix.problem.kernels import kernel_width
from separatrix.problem.scaling import scaling_of
from separatrix.svm.svc import SVC
from separatrix.types import Index
from separatrix.validation.folds import Folds
from separatrix.validation.select import DEFAULT_CS

#: Called with the parts done, all parts, and the setting at work in words.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Steps:
    """Numbers of a search in steps."""

    rows: tuple[int, ...] = (3_000, 12_000)  #: training rows of each step, at most
    kept: int = 2  #: settings of each kernel and scaling that go from one step to the next, at most
    within: float = 3.0  #: standard errors of the best from the best, beyond which none goes on
    #: widths of a kernel, as multiples of 1 / (d var(X))
    widths: tuple[float, ...] = (0.1, 1.0, 10.0)


STEPS = Steps()


@dataclass(frozen=True)
class Setting:
    """The choice of a search: how columns are scaled, the kernel, C, and the kernel's gamma (None where it has none).

    >>> Setting("rbf", "standard", 10.0, 0.25).words
    'rbf kernel, standardised columns, C = 10, gamma = 0.25'
    """

    kernel: str
    scaling: str | None
    C: float
    gamma: Any = None

    @property
    def family(self) -> tuple[str, str | None]:
        """Settings of one family differ in numbers alone."""
        return self.kernel, self.scaling

    @property
    def words(self) -> str:
        """The setting as a phrase."""
        return ", ".join([*family_words(*self.family), f"C = {self.C:g}", *self._gamma_words()])

    def _gamma_words(self) -> list[str]:
        if self.gamma is None:
            return []
        return [f"gamma = {self.gamma if isinstance(self.gamma, str) else format(self.gamma, '.4g')}"]

    def parameters(self) -> dict[str, Any]:
        """The parameters of an `SVC` that it fixes."""
        own = {"kernel": self.kernel, "C": self.C}
        return (
            own
            | ({} if self.gamma is None else {"gamma": self.gamma})
            | ({} if self.scaling is None else {"scaling": self.scaling})
        )


def family_words(kernel: str, scaling: str | None) -> list[str]:
    """A kernel and a scaling in words."""
    scaled = {None: "columns as they are", "standard": "standardised columns", "range": "columns from 0 to 1"}
    return [f"{kernel} kernel", scaled.get(scaling, f"{scaling} scaling")]


@dataclass(frozen=True)
class Trial:
    """A setting's score over the folds: means, the standard error of the accuracy, and the largest proved gap."""

    setting: Setting
    rows: int  #: that the folds divide
    folds: int
    accuracy: float
    error: float  #: standard error of the accuracy: deviation over the folds / sqrt(folds)
    balanced_accuracy: float
    gap: float

    def record(self) -> dict[str, Any]:
        """For JSON."""
        own = {name: getattr(self.setting, name) for name in ("kernel", "scaling", "C", "gamma")}
        names = ("rows", "folds", "accuracy", "error", "balanced_accuracy", "gap")
        return own | {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class Grid:
    """The trials of one kernel and scaling by gamma and C."""

    title: str
    widths: list[Any]  #: gamma of each row of the grid; None alone where the kernel has none
    costs: list[float]  #: C of each column
    cells: dict[tuple[Any, float], Trial]


@dataclass(frozen=True, eq=False)
class Choice:
    """The table of a search and its best row. Each setting appears once, as its last step judged it."""

    table: list[Trial]
    best: Trial
    steps: list[tuple[int, int]]  #: settings and rows of each step
    of_rows: int  #: training rows there were
    baseline: float  #: share of their most frequent class
    by: str

    @property
    def sentence(self) -> str:
        """The choice with its score: too good to be true by a little, because these rows chose it."""
        best = self.best
        return f"{best.setting.words}: {100 * best.accuracy:.1f} % +- {100 * best.error:.1f} in {best.folds} folds"

    def grids(self) -> list[Grid]:
        """The table by family, as one grid of gamma and C for each."""
        out = []
        for family in dict.fromkeys(trial.setting.family for trial in self.table):
            trials = [trial for trial in self.table if trial.setting.family == family]
            cells = {(trial.setting.gamma, trial.setting.C): trial for trial in trials}
            widths, costs = (list(dict.fromkeys(key[k] for key in cells)) for k in (0, 1))
            out.append(Grid(", ".join(family_words(*family)), widths, costs, cells))
        return out

    @property
    def how(self) -> str:
        """The settings, folds and rows of each step of the search, in a sentence."""
        first, *later = self.steps
        text = f"{first[0]} settings in {self.best.folds} folds of {first[1]:,} rows"
        for settings, rows in later:
            text += f", the best {settings} of them of {rows:,} rows"
        sampled = (
            f" (drawn from the {self.of_rows:,} training rows)" if self.steps[-1][1] < self.of_rows else ""
        )
        return f"{text}{sampled}."

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "best": self.best.record(),
            "sentence": self.sentence,
            "by": self.by,
            "how": self.how,
            "training_rows": self.of_rows,
            "baseline": self.baseline,
            "table": [trial.record() for trial in self.table],
        }


def settings(
    X: Any,
    *,
    kernels: Sequence[str] = ("linear", "rbf"),
    scaling: Sequence[str | None] = (None, "standard"),
    C: Sequence[float] = DEFAULT_CS,
    gamma: Sequence[Any] | None = None,
) -> list[Setting]:
    """The settings to try, the simplest first: linear before curved, smaller C and gamma before larger.

    ``gamma=None`` are 0.1, 1 and 10 times 1 / (d var(X)) of the columns as they are scaled.
    """
    out = []
    for name in (kernels, scaling, C) if gamma is None else (kernels, scaling, C, gamma):
        if not len(name):
            raise ParameterError("kernels, scaling, C and gamma must hold at least one value each.")
    for kernel in kernels:
        for kind in scaling:
            widths: Iterable[Any] = [None]
            if kernel not in ("linear", "precomputed"):
                widths = _widths(X, kind) if gamma is None else gamma
            out += [Setting(kernel, kind, float(each), width) for width in widths for each in sorted(C)]
    return out


def _widths(X: Any, kind: str | None) -> list[float]:
    rows = X if kind is None else scaling_of(X, kind).apply(X)
    scale = kernel_width("scale", rows)
    return [float(f"{factor * scale:.3g}") for factor in STEPS.widths]


def choose(
    X: Any,
    y: Any,
    candidates: Sequence[Setting],
    *,
    folds: int = 5,
    by: str = "accuracy",
    rows: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> Choice:
    """Judge every candidate on the same folds of the training rows X, y; the first of the best wins.

    ``by`` is "accuracy" or "balanced_accuracy". ``rows`` bounds the rows of the last step; None is 12,000.
    ``parameters`` are of `SVC` and hold for every fit.
    """
    if by not in ("accuracy", "balanced_accuracy"):
        raise ParameterError(f"by must be 'accuracy' or 'balanced_accuracy'; got {by!r}.")
    y = np.asarray(y)
    sizes = _sizes(len(y), rows)
    left, found, taken = list(candidates), dict[Setting, Trial](), []
    for place, size in enumerate(sizes):
        part = sample_rows(y, size, random_state)
        parts = Folds(X[part], y[part], _splits(y[part], folds, random_state))
        trials = _judge(parts, left, by, parameters, progress)
        found |= {trial.setting: trial for trial in trials}
        taken.append((len(left), size))
        ranked = sorted(trials, key=lambda trial: -getattr(trial, by))  # stable: the simplest of equals first
        if place + 1 < len(sizes):
            left = _kept(ranked, by)
    baseline = float(np.unique(y, return_counts=True)[1].max()) / len(y)
    return Choice([found[setting] for setting in candidates], ranked[0], taken, len(y), baseline, by)


def _kept(ranked: Sequence[Trial], by: str) -> list[Setting]:
    """The settings of the next step: the best of every family that has one near the best of all."""
    least = getattr(ranked[0], by) - STEPS.within * ranked[0].error
    near = [trial.setting for trial in ranked if getattr(trial, by) >= least]
    families = dict.fromkeys(setting.family for setting in near)
    return [own for family in families for own in [s for s in near if s.family == family][: STEPS.kept]]


def _sizes(n: int, rows: int | None) -> list[int]:
    """Rows of each step."""
    last = min(n, STEPS.rows[-1] if rows is None else max(2, rows))
    return [*(size for size in STEPS.rows[:-1] if 2 * size <= last), last]


def sample_rows(y: NDArray[Any], size: int, seed: int) -> Index:
    """That many rows, a share of each class; the rows of a smaller sample are not those of a larger one."""
    every = np.arange(len(y))
    if size >= len(y):
        return every
    kept, _ = train_test_split(every, train_size=size, random_state=seed, stratify=y)
    return np.asarray(np.sort(kept))


def _splits(y: NDArray[Any], folds: int, seed: int) -> list[tuple[Index, Index]]:
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2:
        raise with_hint(
            ParameterError,
            "A class has only one row to search with, and every fold needs rows of each class.",
            "leave such classes out, or add rows",
        )
    splitter = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(y)), y))


def _judge(
    folds: Folds, left: Sequence[Setting], by: str, parameters: Mapping[str, Any], progress: Progress | None
) -> list[Trial]:
    """The trials of these settings; those that differ in C alone are one path."""
    paths: dict[Setting, list[Setting]] = {}
    for setting in left:
        paths.setdefault(replace(setting, C=0.0), []).append(setting)
    models = [SVC(**{**parameters, **own[0].parameters()}) for own in paths.values()]
    work = sum(1 if own[0].scaling is None else len(folds.splits) for own in paths.values())
    done = 0

    def tell(place: int) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, work, ", ".join(family_words(*list(paths)[place].family)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GapWarning)  # the table has the gap of every cell
        tables = folds.tables(
            [(model, [s.C for s in own]) for model, own in zip(models, paths.values(), strict=True)], tell
        )
    trials = {}
    for own, table in zip(paths.values(), tables, strict=True):
        for c, setting in enumerate(own):
            truth = [folds.y[test] for _, test in folds.splits]
            cells = [each[c] for each in table.predicted]
            right = [float(np.mean(a == b)) for a, b in zip(cells, truth, strict=True)]
            recall = [_balanced(a, b) for a, b in zip(cells, truth, strict=True)]
            trials[setting] = Trial(
                setting,
                len(folds.y),
                len(right),
                float(np.mean(right)),
                float(np.std(right, ddof=1) / np.sqrt(len(right))),
                float(np.mean(recall)),
                float(np.max(table.gaps[c])),
            )
    return [trials[setting] for setting in left]


def _balanced(predicted: NDArray[Any], y: NDArray[Any]) -> float:
    """The mean over the classes of the share of their rows that is right."""
    _, codes = np.unique(y, return_inverse=True)
    right, all_rows = np.bincount(codes, predicted == y), np.bincount(codes)
    return float(np.mean(right / all_rows))
