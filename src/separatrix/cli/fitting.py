"""The steps of `separatrix fit`: read, divide, search, fit, calibrate, measure, save, decide, answer."""

from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.cli import files, fit_answer, measuring, searching, verdicts
from separatrix.cli.checkpoint import Checkpoints, source_of
from separatrix.cli.checkpoint import read as read_checkpoint
from separatrix.cli.ending import advice_after, ending_in_order
from separatrix.cli.fit import FitOptions
from separatrix.cli.fit_files import Places, claim
from separatrix.cli.fit_folds import cross_validate
from separatrix.cli.fit_model import ChosenModel, choose
from separatrix.cli.inputs import Table, class_weights, kernel_matrix, read
from separatrix.cli.output import CommandError, ExitCode, Output
from separatrix.cli.progress import shown, waiting
from separatrix.errors import InseparableError
from separatrix.fitting.observer import Several
from separatrix.perceptron.estimator import Perceptron

if TYPE_CHECKING:
    from separatrix.validation.choose import Choice
    from separatrix.validation.search import Parts

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
    places: Places | None = None  #: None where nothing is saved
    parts: Parts | None = None  #: None where every row is learnt from
    choice: Choice | None = None  #: of a search
    test: tuple[Any, Any, Any] | None = None  #: X, y and row numbers of the file that --test names

    @property
    def written(self) -> dict[str, Path]:
        """The files that were written, by name."""
        return {} if self.places is None else self.places.written

    @property
    def training(self) -> Any:
        """The rows (m,) that are learnt from, None for all."""
        return None if self.parts is None else self.parts.training

    def training_part(self) -> tuple[Any, Any]:
        """X and y of the rows that are learnt from; the table's own where that is all of them."""
        X, y = self.table.X, self.table.y
        return (X, y) if self.parts is None else (X[self.parts.training], y[self.parts.training])

    def divide(self) -> None:
        """Keep rows apart, to measure on and to calibrate on, where that was asked for."""
        options = self.options
        share = options.holdout
        if share is None and options.search and options.test is None:
            share = 0.2
        if share is None and options.probabilities is None:
            return
        if share is not None and not 0 < share < 1:
            raise CommandError(
                f"--holdout must be between 0 and 1; got {share:g}.", "0.2 holds out a fifth of the rows"
            )
        from separatrix.validation.search import divide

        self.parts = divide(self.table.y, share, options.probabilities is not None, options.seed)

    def search(self) -> None:
        """Choose the estimator by cross-validation on the training rows."""
        self.choice, self.chosen = searching.search(*self.training_part(), self.options, self.chosen)

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
                weights = None if self.parts is None else self.parts.weights()
                savers = [] if saver is None else [saver]
                try:
                    with shown(model.tol, self.options.quiet) as observers:
                        observer = Several([*observers, *savers])
                        fit_observed(model, table.X, table.y, weights, observer, start or None)
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
        names = (
            "C",
            "loss",
            "bias",
            "kernel",
            "degree",
            "gamma",
            "coef0",
            "class_weight",
            "multi_class",
            "scaling",
        )
        problem = {name: getattr(self.chosen.model, name, None) for name in names}
        apart = None if self.parts is None else [self.options.probabilities is not None, self.options.seed]
        problem["holdout"] = [self.options.holdout, apart]
        source = source_of(self.table.X, self.table.y, problem)
        start = read_checkpoint(path, source) if path.exists() else {}
        if start:
            solved = sum(point.done for point in start.values())
            self.output.note(f"The fit goes on from the checkpoint {path}; problems solved: {solved}.")
        return Checkpoints(path, source, self.options.checkpoint_every, start), start

    def calibrate(self, fitted: Fitted) -> None:
        """Give the model probabilities, from rows that it has not learnt from."""
        if self.parts is None or self.parts.calibration is None:
            return
        from separatrix.validation.calibration import calibrate

        rows = self.parts.calibration
        method = self.options.probabilities or "sigmoid"
        # Rows that equal training rows by chance are new rows like any other.
        fitted.model = calibrate(
            fitted.model, self.table.X[rows], self.table.y[rows], method, allow_equal_rows=True
        )

    def read_test(self) -> None:
        """Read the file of ``--test``, before any work is done: it may be missing, or its labels strange."""
        test, table = self.options.test, self.table
        if test is None:
            return
        other = read(test, replace(self.options.reading, encoding=table.encoding))
        if self.chosen.model.kernel == "precomputed":
            other = kernel_matrix(other)
        rows = measuring.known_rows(test, other.y, np.unique(table.y).tolist(), self.output)
        self.test = other.X[rows], other.y[rows], other.row_numbers[rows]

    def measure(self, model: Any) -> measuring.Measured | None:
        """Return the scores on the rows that were asked for, if any were."""
        table, options = self.table, self.options
        if self.test is not None:
            X, y, source, where = *self.test[:2], str(options.test), f"of {options.test}"
        elif self.parts is not None and self.parts.held_out is not None:
            rows = self.parts.held_out
            X, y, source, where = table.X[rows], table.y[rows], f"{options.data}, held out", "kept apart"
        else:
            return None
        place = None if self.places is None else self.places.looks
        return measuring.measure(model, X, y, source, where, place)

    def save(self, fitted: Fitted) -> None:
        """Write the model and its certificates."""
        if self.places is None:
            return
        if self.parts is not None and self.parts.held_out is not None:
            fitted.model.held_out_ = self.parts.held_out  # the model file keeps them for its report
        self.places.save_model(fitted.model, self.table)
        try:
            if self.parts is not None and isinstance(fitted.model, Perceptron):
                raise ValueError("It would speak of the training rows alone, not of the file.")
            with waiting("certificate", self.options.quiet):
                proofs = files.certificates_of(fitted.model)
        except ValueError as reason:
            self.output.note(f"There is no certificate of this fit. {reason}")
            for path in self.places.drop_certificate():
                self.output.note(f"{path} was of an earlier fit; it is removed.")
        else:
            self.places.save_certificates(proofs)
        if fitted.checkpoint is not None and fitted.model.status_ == "converged":
            fitted.checkpoint.path.unlink(missing_ok=True)

    def illustrate(self, model: Any) -> None:
        """Write the picture of the search, and the page that shows the model, its scores and its proof."""
        if self.places is None:
            return
        if self.choice is not None:
            from separatrix.validation.search_picture import heat_maps

            self.places.save_text("picture", heat_maps(self.choice))
        if not self.options.report:
            return
        from separatrix.cli.check_commands import commands_for
        from separatrix.report import make

        table, place = self.table, self.places.model
        with waiting("report", self.options.quiet):
            page = make(
                model,
                table.X,
                table.y,
                columns=table.columns,
                title=f"{place.name} on {Path(table.file).name}",
                data_file=table.file,
                test=None if self.test is None else self.test[:2],
                test_file=str(self.options.test),
                test_row_numbers=None if self.test is None else self.test[2],
                row_numbers=table.row_numbers,
                description=table.description,
                encoding=table.encoding,
                commands=commands_for(str(place), table, self.written.get("certificate")),
            ).html()
        self.places.save_text("report", str(page))

    def verdict(self) -> verdicts.Verdicts | str:
        """Decide whether the training rows are separable, or return why that was not asked."""
        options, parameters = self.options, self.chosen.parameters
        if parameters["kernel"] != "linear":
            return f"not asked: it speaks of straight boundaries, and the kernel is {parameters['kernel']}"
        if options.verdict_time <= 0:
            return "not asked"
        ways: verdicts.Ways = "ovo" if parameters.get("multi_class") == "ovo" else "ovr"
        try:
            with waiting("exact verdict of separability (Ctrl-C skips it)", options.quiet):
                bias = parameters["bias"] != "none"
                return verdicts.decide(self.table, ways, bias, options.verdict_time, self.training)
        except KeyboardInterrupt:
            return "interrupted"

    def no_hard_margin(self, error: InseparableError) -> CommandError:
        """Return the answer to ``-c inf`` where there is no hard margin; its proof has a place of its own."""
        saved = ""
        if self.places is not None:
            saved = f" The proof is in {self.places.save_contradiction(error.certificate)}."
        said = verdicts.sentence(error.separability, self.table.row_numbers, self.table.row_word)
        return CommandError(
            f"There is no hard margin: {said}{saved}",
            "a finite C (-c 1) gives the soft margin, which always exists",
        )


def run(options: FitOptions) -> int:
    """Do what was asked; returns the exit code."""
    output = Output(options.as_json, options.quiet)
    chosen = choose(options)
    if options.test is not None and options.holdout is not None:
        raise CommandError("--test and --holdout are two ways to measure the same thing.", "give one of them")
    if options.search:
        searching.refuse(options, chosen)
    elif options.search_rows is not None:
        raise CommandError("--search-rows means nothing without --search.", "give both, or none")
    only_folds = options.folds is not None and not options.search
    places = claim(options) if options.save and not only_folds else None
    began = time.perf_counter()
    table = read(options.data, options.reading)
    reading = time.perf_counter() - began
    if options.weights is not None:
        chosen = choose(options, class_weights(options.weights, table.y))
    if chosen.model.kernel == "precomputed":
        table = kernel_matrix(table)
    this = FitRun(options, output, table, chosen, places)
    if options.folds is not None and only_folds:
        return cross_validate(this, options.folds)
    this.divide()
    this.read_test()
    began = time.perf_counter()
    if options.search:
        this.search()
    searching_time = time.perf_counter() - began
    # A hard margin has no best iterate to keep, so there Ctrl-C raises.
    with nullcontext() if isinf(getattr(this.chosen.model, "C", 1.0)) else ending_in_order() as interrupt:
        try:
            fitted = this.fit()
        except InseparableError as error:
            raise this.no_hard_margin(error) from None
        this.calibrate(fitted)
        this.save(fitted)
        measured = this.measure(fitted.model)
        record = fit_answer.record(this, fitted)
        record["seconds"] |= {"reading": reading} | ({"search": searching_time} if options.search else {})
        record["held_out"] = None if measured is None else measured.record()
    interrupted = interrupt is not None and interrupt.raised
    if not interrupted:
        this.illustrate(fitted.model)
    verdict = "not asked: the fit was interrupted" if interrupted else this.verdict()
    if places is not None:
        places.say_replaced(output)
    record["separability"] = {"skipped": verdict} if isinstance(verdict, str) else verdict.record()
    record["files"] = {name: str(path) for name, path in this.written.items()}
    output.answer("fit", record, fit_answer.lines(this, record, measured, verdict))
    return ExitCode.DONE if fitted.proved else ExitCode.NOT_PROVED
