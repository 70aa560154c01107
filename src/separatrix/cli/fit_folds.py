"""`separatrix fit -v N`: the accuracy in a cross-validation, as LIBSVM's ``-v N`` measures it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from separatrix.cli import fit_answer
from separatrix.cli.output import CommandError, ExitCode, accuracy
from separatrix.cli.progress import waiting

if TYPE_CHECKING:
    from separatrix.cli.fitting import FitRun


def cross_validate(this: FitRun, folds: int) -> int:
    """Measure the accuracy as LIBSVM's ``-v N`` does: each row is predicted once, by a fit to the other folds."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    from separatrix.svm.svc import SVC
    from separatrix.validation.folds import Folds

    X, y = this.table.X, this.table.y
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
    splits = StratifiedKFold(folds, shuffle=True, random_state=this.options.seed)
    model, pairs = this.chosen.model, list(splits.split(np.zeros(len(y)), y))
    with warnings.catch_warnings(), waiting(f"{folds} folds", this.options.quiet):
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
    found = {"folds": folds, **accuracy(predicted, y), "each": shares, "proved": proved}
    record = {
        "data": this.table.record(),
        "model": fit_answer.model_record(this.chosen),
        "cross_validation": found,
        "proved": proved,
    }
    this.output.answer("fit", record, fit_answer.cross_validation_lines(this, found))
    return ExitCode.DONE if proved else ExitCode.NOT_PROVED
