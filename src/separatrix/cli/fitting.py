"""The steps of `separatrix fit`: read, choose, fit, measure, save, decide, answer."""

from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from math import isinf
from pathlib import Path
from typing import Any

from separatrix.cli import files, fit_answer, verdicts
from separatrix.cli.checkpoint import Checkpoints, source_of
from separatrix.cli.checkpoint import read as read_checkpoint
from separatrix.cli.ending import advice_after, ending_in_order
from separatrix.cli.fit import FitOptions
from separatrix.cli.fit_model import ChosenModel, choose
from separatrix.cli.inputs import Table, class_weights, kernel_matrix, read
from separatrix.cli.output import CommandError, ExitCode, Output, accuracy
from separatrix.cli.progress import shown, waiting
from separatrix.errors import InseparableError
from separatrix.fitting.observer import Several
from separatrix.perceptron.estimator import Perceptron

_PERCEPTRON_ROW = 60.0  # bytes beside X that the fit of a perceptron with its certificate takes for each row
_PROVED = ("converged", "inseparable")


@dataclass
class Fitted:
    """A fitted model, and how it came about."""

    model: Any
    seconds: float
    resumed: bool = False
    checkpoint: Checkpoints | None = None

    @property
    def proved(self) -> bool:
        """True if the fit ended in what was asked for."""
        return self.model.status_ in _PROVED


@dataclass
class FitRun:
    """One fit from the file to the answer."""

    options: FitOptions
    output: Output
    table: Table
    chosen: ChosenModel
    held_out: Any = None  #: rows held out, (m,), or None
    files: dict[str, Path] = field(default_factory=dict)

    def training_weights(self) -> Any:
        """None, or 1 for each row of the training part and 0 for each row held out."""
        import numpy as np

        if self.held_out is None:
            return None
        weights = np.ones(len(self.table.y))
        weights[self.held_out] = 0.0
        return weights

    def training_part(self) -> tuple[Any, Any]:
        """X and y of the rows that are learnt from; the table's own where that is all of them."""
        import numpy as np

        X, y = self.table.X, self.table.y
        if self.held_out is None:
            return X, y
        rows = np.setdiff1d(np.arange(len(y)), self.held_out)
        return X[rows], y[rows]

    def fit(self) -> Fitted:
        """Fit, with progress on stderr and checkpoints where they were asked for."""
        from separatrix.problem import require_room

        model, table, began = self.chosen.model, self.table, time.perf_counter()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            if isinstance(model, Perceptron):
                require_room(table.X, _PERCEPTRON_ROW, "A fit to")
                with waiting("perceptron: passes over the rows", self.options.quiet):
                    model.fit(*self.training_part())
                fitted = Fitted(model, time.perf_counter() - began)
            else:
                from separatrix.svm.svc import fit_observed

                saver, start = self._checkpoints()
                savers = [] if saver is None else [saver]
                try:
                    with shown(model.tol, self.options.quiet) as observers:
                        observer = Several([*observers, *savers])
                        fit_observed(
                            model, table.X, table.y, self.training_weights(), observer, start or None
                        )
                finally:
                    for each in savers:
                        each.close()
                fitted = Fitted(model, time.perf_counter() - began, bool(start), saver)
        for text in dict.fromkeys(self._in_words(each.message) for each in said):
            self.output.note(text)
        return fitted

    def _in_words(self, warning: Any) -> str:
        """The message of a warning; its advice is that of the command line."""
        from separatrix.fitting.convergence import GapWarning

        if not isinstance(warning, GapWarning):
            return str(warning)
        return f"{warning.fact} {advice_after(warning, self.options.checkpoint)}"

    def _checkpoints(self) -> tuple[Checkpoints | None, dict[Any, Any]]:
        """Return what saves the state of the fit, and the state to go on from."""
        if self.options.checkpoint is None:
            return None, {}
        path = Path(self.options.checkpoint)
        names = ("C", "loss", "bias", "kernel", "degree", "gamma", "coef0", "class_weight", "multi_class")
        problem = {name: getattr(self.chosen.model, name) for name in names}
        problem["holdout"] = [self.options.holdout, None if self.held_out is None else self.options.seed]
        source = source_of(self.table.X, self.table.y, problem)
        start = read_checkpoint(path, source) if path.exists() else {}
        if start:
            solved = sum(point.done for point in start.values())
            self.output.note(f"The fit goes on from the checkpoint {path}; problems solved: {solved}.")
        return Checkpoints(path, source, self.options.checkpoint_every, start), start

    def measure(self, model: Any) -> dict[str, Any] | None:
        """Return the accuracy on the rows that were asked for, if any were."""
        table, options = self.table, self.options
        if self.held_out is not None:
            X, y, source = table.X[self.held_out], table.y[self.held_out], f"{options.data}, held out"
        elif options.test is not None:
            other = read(options.test, replace(options.reading, encoding=table.encoding))
            if model.kernel == "precomputed":
                other = kernel_matrix(other)
            X, y, source = other.X, other.y, options.test
        else:
            return None
        return {"source": source, **accuracy(model.predict(X), y)}

    def save(self, fitted: Fitted) -> None:
        """Write the model and its certificates where `claim_places` has made sure that they may go."""
        folder = self.files.pop("folder")
        files.save_model(fitted.model, self.files["model"], self.table)
        try:
            if self.held_out is not None and isinstance(fitted.model, Perceptron):
                raise ValueError("It would speak of the training rows alone, not of the file.")
            with waiting("certificate", self.options.quiet):
                proofs = files.certificates_of(fitted.model)
        except ValueError as reason:
            del self.files["certificate"]
            self.output.note(f"There is no certificate of this fit. {reason}")
        else:
            if len(proofs) > 1 and self.options.certificate is None:
                self.files["certificate"] = folder
            files.save_certificates(proofs, self.files["certificate"])
        if fitted.checkpoint is not None and fitted.model.status_ == "converged":
            fitted.checkpoint.path.unlink(missing_ok=True)

    def verdict(self) -> verdicts.Verdicts | str:
        """Decide whether the training rows are separable, or return why that was not asked."""
        options, parameters = self.options, self.chosen.parameters
        if parameters["kernel"] != "linear":
            return f"not asked: it speaks of hyperplanes, and the kernel is {parameters['kernel']}"
        if options.verdict_time <= 0:
            return "not asked"
        ways: verdicts.Ways = "ovo" if parameters.get("multi_class") == "ovo" else "ovr"
        try:
            with waiting("exact verdict of separability (Ctrl-C skips it)", options.quiet):
                bias = parameters["bias"] != "none"
                return verdicts.decide(*self.training_part(), ways, bias, options.verdict_time)
        except KeyboardInterrupt:
            return "interrupted"

    def no_hard_margin(self, error: InseparableError) -> CommandError:
        """Return the answer to ``-c inf`` where there is no hard margin; its proof goes where the fit's would."""
        saved = ""
        if self.files:
            files.save_certificates({"": error.certificate}, self.files["certificate"])
            saved = f" The proof is in {self.files['certificate']}."
        return CommandError(
            f"There is no hard margin. {error.separability}{saved}",
            "a finite C (-c 1) gives the soft margin, which always exists",
        )


def run(options: FitOptions) -> int:
    """Do what was asked; returns the exit code."""
    output = Output(options.as_json, options.quiet)
    if options.test is not None and options.holdout is not None:
        raise CommandError("--test and --holdout are two ways to measure the same thing.", "give one of them")
    places = claim_places(options, output) if options.save and options.folds is None else {}
    began = time.perf_counter()
    table = read(options.data, options.reading)
    reading = time.perf_counter() - began
    chosen = choose(options, class_weights(options.weights, table.y))
    if chosen.model.kernel == "precomputed":
        table = kernel_matrix(table)
    this = FitRun(options, output, table, chosen, files=places)
    if options.folds is not None:
        return cross_validate(this, options.folds)
    if options.holdout is not None:
        this.held_out = held_out_rows(table.y, options.holdout, options.seed)
    # A hard margin has no best iterate to keep, so there Ctrl-C raises.
    with nullcontext() if isinf(getattr(chosen.model, "C", 1.0)) else ending_in_order() as interrupt:
        try:
            fitted = this.fit()
        except InseparableError as error:
            raise this.no_hard_margin(error) from None
        if options.save:
            this.save(fitted)
        record = fit_answer.record(this, fitted)
        record["seconds"]["reading"] = reading
        record["held_out"] = this.measure(fitted.model)
    interrupted = interrupt is not None and interrupt.raised
    verdict = "not asked: the fit was interrupted" if interrupted else this.verdict()
    record["separability"] = {"skipped": verdict} if isinstance(verdict, str) else verdict.record()
    record["files"] = {name: str(path) for name, path in this.files.items()}
    output.answer("fit", record, fit_answer.lines(this, record, verdict))
    return ExitCode.DONE if fitted.proved else ExitCode.NOT_PROVED


def held_out_rows(y: Any, share: float, seed: int) -> Any:
    """Return the rows (m,) to hold out: a share of each class, chosen by the seed."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    if not 0 < share < 1:
        raise CommandError(
            f"--holdout must be between 0 and 1; got {share:g}.", "0.2 holds out a fifth of the rows"
        )
    try:
        _, held_out = train_test_split(np.arange(len(y)), test_size=share, random_state=seed, stratify=y)
    except ValueError as error:
        raise CommandError(f"--holdout {share:g} cannot be done: {error}") from None
    return np.sort(held_out)


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
                proved = proved and fitted.status_ in _PROVED
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


def claim_places(options: FitOptions, output: Output) -> dict[str, Path]:
    """Return where model and certificate go; refuses before the work begins if they may not."""
    model = files.beside(options.data, ".model.safetensors") if options.model is None else Path(options.model)
    proof = files.beside(options.data, ".certificate.json.gz")
    folder = files.beside(options.data, ".certificates")
    if options.folder is not None:
        Path(options.folder).mkdir(parents=True, exist_ok=True)
        model, proof, folder = (Path(options.folder) / path.name for path in (model, proof, folder))
    elif options.model is not None:
        name = model.name.removesuffix(".safetensors").removesuffix(".model")
        proof = model.parent / f"{name}.certificate.json.gz"
        folder = model.parent / f"{name}.certificates"
    if options.certificate is not None:
        proof = Path(options.certificate)
    for path, ours in (
        (model, files.is_model),
        (proof, files.is_certificate),
        (folder, files.is_certificate),
    ):
        if files.claim(path, ours, options.force, "-o FOLDER"):
            output.note(f"{path} was there before; it is replaced.")
    return {"model": model, "certificate": proof, "folder": folder}
