"""Cross-validation in `separatrix fit`: the search of ``--search`` with its table in words, and ``-v N``."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from separatrix.cli.fit import FitOptions
from separatrix.cli.fit_model import ChosenModel, kernel_name, scaling_name
from separatrix.cli.output import CommandError, Line, accuracy, is_lively, wrapped
from separatrix.cli.progress import LINE_PAUSE, waiting
from separatrix.perceptron.estimator import Perceptron
from separatrix.svm.svc import SVC

if TYPE_CHECKING:
    from separatrix.validation.choose import Choice, Progress


def refuse(options: FitOptions, chosen: ChosenModel) -> None:
    """Refuse what a search has no choice in."""
    if options.perceptron:
        raise CommandError("--search chooses among support vector machines.", "leave out --perceptron")
    if chosen.model.kernel == "precomputed":
        raise CommandError(
            "--search cannot change a kernel matrix.", "leave out -t 4, and use -v N to compare C"
        )
    if float("inf") == options.cost:
        raise CommandError("--search does not try the hard margin.", "leave out -c inf, or --search")


def search(X: Any, y: Any, options: FitOptions, chosen: ChosenModel) -> tuple[Choice, ChosenModel]:
    """Choose by cross-validation on these rows; returns the table and the estimator that won, not fitted."""
    from separatrix.validation.choose import choose, settings

    given: dict[str, Any] = {}
    if options.kernel is not None or options.gamma is not None:
        given["kernels"] = [kernel_name(options.kernel) if options.kernel is not None else "rbf"]
    if options.scaling is not None:
        given["scaling"] = [scaling_name(options.scaling)]
    if options.cost is not None:
        given["C"] = [options.cost]
    if options.gamma is not None:
        given["gamma"] = [chosen.model.gamma]
    shared = chosen.model.get_params(deep=False)
    for name in ("kernel", "gamma", "C", "scaling", "checkpoint"):
        shared.pop(name, None)
    with _shown(options.quiet) as progress:
        choice = choose(
            X,
            y,
            settings(X, **given),
            folds=5 if options.folds is None else options.folds,
            rows=options.search_rows,
            random_state=options.seed,
            progress=progress,
            parameters=shared,
        )
    best = SVC(**{**shared, **choice.best.setting.parameters()})
    return choice, ChosenModel(best, [])


@contextmanager
def _shown(quiet: bool) -> Iterator[Progress | None]:
    """Progress on stderr: a line that changes on a terminal, a line now and then elsewhere."""
    if quiet:
        yield None
        return
    if is_lively(sys.stderr):
        with waiting("search", quiet) as update:
            yield lambda done, all_parts, words: update(f"search: {done} of {all_parts} parts done, {words}")
        return
    last = time.perf_counter()

    def tell(done: int, all_parts: int, words: str) -> None:
        nonlocal last
        if time.perf_counter() - last >= LINE_PAUSE:
            last = time.perf_counter()
            print(f"search: {done} of {all_parts} parts done, {words}", file=sys.stderr, flush=True)

    yield tell


def lines(choice: Choice) -> list[Line]:
    """The table in words: a grid of gamma and C for each kernel and scaling, in per cent."""
    out = wrapped("search", choice.how)
    grids = choice.grids()
    out.append(("", f"{'accuracy in % for C =':<42}{''.join(f'{cost:>8g}' for cost in grids[0].costs)}"))
    for grid in grids:
        if grid.widths != [None]:
            out.append(("", grid.title))
        for width in grid.widths:
            shown = width if isinstance(width, str) else format(width or 0.0, ".3g")
            name = grid.title if width is None else f"  gamma = {shown}"
            cells = [grid.cells.get((width, cost)) for cost in grid.costs]
            marks = ["*" if cell is choice.best else " " for cell in cells]
            texts = ["" if cell is None else f"{100 * cell.accuracy:.1f}" for cell in cells]
            numbers = "".join(f"{text:>7}{mark}" for text, mark in zip(texts, marks, strict=True))
            out.append(("", f"{name:<42} {numbers}".rstrip()))
    more = f"; settings that went on: of {choice.steps[-1][1]:,} rows" if len(choice.steps) > 1 else ""
    return [*out, *wrapped("", f"* is the choice{more}")]


def cross_validate(
    X: Any, y: Any, model: SVC | Perceptron, options: FitOptions, folds: int
) -> dict[str, Any]:
    """Return the accuracy as LIBSVM's ``-v N`` measures it: each row is predicted once, by a fit to the other folds."""
    from sklearn.model_selection import StratifiedKFold

    from separatrix.validation.folds import Folds

    if folds < 2:
        raise CommandError(f"-v must be at least 2 folds; got {folds}.")
    if folds > len(y):
        raise CommandError(f"-v {folds}: there are only {len(y)} rows.")
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < folds:
        raise CommandError(
            f"-v {folds}: a class has only {smallest} rows, fewer than the folds.",
            f"use -v {max(2, smallest)}",
        )
    predicted, proved = np.empty_like(y), True
    splits = StratifiedKFold(folds, shuffle=True, random_state=options.seed)
    pairs = list(splits.split(np.zeros(len(y)), y))
    with warnings.catch_warnings(), waiting(f"{folds} folds", options.quiet):
        warnings.simplefilter("ignore")
        if isinstance(model, SVC):  # one problem for all folds
            table = Folds(X, y, pairs).table(model, [model.C])
            proved = bool(np.max(table.gaps) <= model.tol)
            for (_, test), cells in zip(pairs, table.predicted, strict=True):
                predicted[test] = cells[0]
        else:
            for train, test in pairs:
                fitted = clone(model).fit(X[train], y[train])
                predicted[test] = fitted.predict(X[test])
                proved = proved and fitted.status_ in ("converged", "inseparable")
    shares = [accuracy(predicted[test], y[test])["accuracy"] for _, test in pairs]
    return {"folds": folds, **accuracy(predicted, y), "each": shares, "proved": proved}
