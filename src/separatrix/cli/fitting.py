"""The steps of `separatrix fit`: read, divide, search, fit, calibrate, measure, save, decide, answer."""

from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.cli import files, fit_answer, measuring, searching, verdicts
from separatrix.cli.checkpoint import Checkpoints, source_of
from separatrix.cli.checkpoint import read as read_checkpoint
from separatrix.cli.files import Places, places_of_fit
from separatrix.cli.fit import FitOptions
from separatrix.cli.fit_model import ChosenModel, choose
from separatrix.cli.inputs import Table, class_weights, kernel_matrix, read
from separatrix.cli.output import CommandError, ExitCode, Output
from separatrix.cli.progress import ending_in_order, shown, waiting
from separatrix.errors import InseparableError
from separatrix.fitting.observer import Several
from separatrix.perceptron.estimator import Perceptron

if TYPE_CHECKING:
    from separatrix.validation.choose import Choice
    from separatrix.validation.search import Parts

_PERCEPTRON_ROW = (
    60.0  # bytes of memory for each row that a perceptron and its certificate take in addition to X
)


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
    model: Any = None  #: the fitted model
    checkpoint: Checkpoints | None = None
    resumed: bool = False  #: True if the fit went on from a checkpoint
    seconds: dict[str, float] = field(default_factory=dict)  #: time of each step

    @property
    def proved(self) -> bool:
        """True if the fit ended in what was asked for."""
        return self.model.status_ in ("converged", "inseparable")

    @property
    def written(self) -> dict[str, Path]:
        """The files that were written, by name."""
        return {} if self.places is None else self.places.written

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

    def fit(self) -> None:
        """Fit, with progress on stderr and checkpoints where they were asked for."""
        from separatrix.problem import require_room

        model, table, began = self.chosen.model, self.table, time.perf_counter()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            if isinstance(model, Perceptron):
                require_room(table.X, _PERCEPTRON_ROW, "A fit to")
                with waiting("perceptron: passes over the rows", self.options.quiet):
                    model.fit(*self.training_part())
            else:
                from separatrix.svm.svc import fit_observed

                self.checkpoint, start = self._checkpoints()
                self.resumed = bool(start)
                weights = None if self.parts is None else self.parts.weights()
                savers = [] if self.checkpoint is None else [self.checkpoint]
                try:
                    with shown(model.tol, self.options.quiet) as observers:
                        observer = Several([*observers, *savers])
                        fit_observed(model, table.X, table.y, weights, observer, start or None)
                finally:
                    for saver in savers:
                        saver.close()
        self.model, self.seconds["fit"] = model, time.perf_counter() - began
        for text in dict.fromkeys(in_words(each.message, self.options.checkpoint) for each in said):
            self.output.note(text)

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

    def calibrate(self) -> None:
        """Give the model probabilities, from rows that it has not learnt from."""
        if self.parts is None or self.parts.calibration is None:
            return
        from separatrix.validation.calibration import calibrate

        rows = self.parts.calibration
        method = self.options.probabilities or "sigmoid"
        # Rows that equal training rows by chance are new rows like any other.
        self.model = calibrate(
            self.model, self.table.X[rows], self.table.y[rows], method, allow_equal_rows=True
        )

    def read_test(self) -> None:
        """Read the file of ``--test``, before any work is done: it may be missing, or its labels unknown."""
        test, table = self.options.test, self.table
        if test is None:
            return
        other = read(test, self.options, self.options.quiet, encoding=table.encoding)
        if self.chosen.model.kernel == "precomputed":
            other = kernel_matrix(other)
        rows = measuring.known_rows(test, other.y, np.unique(table.y).tolist(), self.output)
        self.test = other.X[rows], other.y[rows], other.row_numbers[rows]

    def measure(self) -> measuring.Measured | None:
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
        return measuring.measure(self.model, X, y, source, where, place)

    def save(self) -> None:
        """Write the model and its certificates."""
        if self.places is None:
            return
        if self.parts is not None and self.parts.held_out is not None:
            self.model.held_out_ = self.parts.held_out  # the model file keeps them for its report
        self.places.save_model(self.model, self.table)
        try:
            if self.parts is not None and isinstance(self.model, Perceptron):
                raise ValueError("It would speak of the training rows alone, not of the file.")
            with waiting("certificate", self.options.quiet):
                proofs = files.certificates_of(self.model)
        except ValueError as reason:
            self.output.note(f"There is no certificate of this fit. {reason}")
            if self.places.drop_certificate():
                self.output.note(f"{self.places.certificate} was of an earlier fit; it is removed.")
        else:
            self.places.save_certificates(proofs)
        if self.checkpoint is not None and self.model.status_ == "converged":
            self.checkpoint.path.unlink(missing_ok=True)

    def illustrate(self) -> None:
        """Write the picture of the search, and the page that shows the model, its scores and its proof."""
        if self.places is None:
            return
        if self.choice is not None:
            from separatrix.validation.search_picture import heat_maps

            self.places.save_text("picture", heat_maps(self.choice))
        if not self.options.report:
            return
        from separatrix.cli.report import commands_for
        from separatrix.report import make

        table, place = self.table, self.places.model
        with waiting("report", self.options.quiet):
            page = make(
                self.model,
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
                bias, rows = parameters["bias"] != "none", None if self.parts is None else self.parts.training
                return verdicts.decide(self.table, ways, bias, options.verdict_time, rows)
        except KeyboardInterrupt:
            return "interrupted"

    def no_hard_margin(self, error: InseparableError) -> CommandError:
        """Return the answer to ``-c inf`` where there is no hard margin, and save its proof."""
        saved = ""
        if self.places is not None:
            saved = f" The proof is in {self.places.save_contradiction(error.certificate)}."
        said = verdicts.sentence(error.separability, self.table.row_numbers, self.table.row_word)
        return CommandError(
            f"There is no hard margin: {said}{saved}",
            "a finite C (-c 1) gives the soft margin, which always exists",
        )


def in_words(warning: Any, checkpoint: str | None) -> str:
    """Return the message of a warning; of a gap that was not reached, with the advice of the command line."""
    from separatrix.fitting.convergence import GapWarning

    if not isinstance(warning, GapWarning):
        return str(warning)
    advice = "Scale the columns, lower C with -c, or accept the gap with a larger --tol."
    if warning.status in ("max_time", "max_iter"):
        advice = f"Raise --{warning.status.replace('_', '-')}, or accept the gap with a larger --tol."
    elif warning.status == "interrupted":
        advice = "With --checkpoint FILE an interrupted fit can go on later."
        if checkpoint is not None:
            advice = f"The same command goes on from the checkpoint {checkpoint}."
    return f"{warning.fact} {advice}"


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
    folds = None if options.search else options.folds
    places = places_of_fit(options) if options.save and folds is None else None
    began = time.perf_counter()
    table = read(options.data, options, options.quiet)
    reading = time.perf_counter() - began
    if options.weights is not None:
        chosen.model.set_params(class_weight=class_weights(options.weights, table.y))
    if chosen.model.kernel == "precomputed":
        table = kernel_matrix(table)
    if folds is not None:
        found = searching.cross_validate(table.X, table.y, chosen.model, options, folds)
        fit_answer.answer_folds(output, table, chosen, found)
        return ExitCode.DONE if found["proved"] else ExitCode.NOT_PROVED
    this = FitRun(options, output, table, chosen, places)
    this.divide()
    this.read_test()
    began = time.perf_counter()
    if options.search:
        this.choice, this.chosen = searching.search(*this.training_part(), options, chosen)
    search_time = time.perf_counter() - began
    # A hard margin has no best iterate to keep, so there Ctrl-C raises.
    with nullcontext() if isinf(getattr(this.chosen.model, "C", 1.0)) else ending_in_order() as interrupt:
        try:
            this.fit()
        except InseparableError as error:
            raise this.no_hard_margin(error) from None
        this.calibrate()
        this.save()
        measured = this.measure()
        this.seconds |= {"reading": reading} | ({"search": search_time} if options.search else {})
        record = fit_answer.record(this, measured)
    interrupted = interrupt is not None and interrupt.raised
    if not interrupted:
        this.illustrate()
    verdict = "not asked: the fit was interrupted" if interrupted else this.verdict()
    if places is not None:
        places.say_replaced(output)
    fit_answer.answer(this, record, measured, verdict)
    return ExitCode.DONE if this.proved else ExitCode.NOT_PROVED
