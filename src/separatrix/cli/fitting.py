"""The course of `separatrix fit`: read, choose, fit, judge, save, answer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from separatrix.cli import certificates, evaluation, fit_answer, output_paths, verdicts
from separatrix.cli.checkpoint import Checkpoints, source_of
from separatrix.cli.checkpoint import read as read_checkpoint
from separatrix.cli.errors import ExitCode, Refused
from separatrix.cli.fit_request import Request
from separatrix.cli.inputs import Table, kernel_matrix, read
from separatrix.cli.models import is_model, save_model
from separatrix.cli.options import class_weights
from separatrix.cli.options_to_model import Choice, choose
from separatrix.cli.output import Output
from separatrix.cli.progress import shown, waiting
from separatrix.cli.timing import Stopwatch
from separatrix.errors import InseparableError
from separatrix.fitting.observer import Several

# Bytes beside X that a fit with its certificate takes for each row, at its peak.
_SVC_ROW, _PERCEPTRON_ROW = 270.0, 60.0


@dataclass
class Fitted:
    """What a fit ended in."""

    model: Any
    seconds: float
    resumed: bool = False
    checkpoint: Checkpoints | None = None


@dataclass
class Course:
    """One fit from the file to the answer."""

    request: Request
    output: Output
    table: Table
    choice: Choice
    held: Any = None  #: rows held out, (m,), or None
    files: dict[str, Path] = field(default_factory=dict)

    def training_weights(self) -> Any:
        """None, or 1 for each row of the training part and 0 for each row held out."""
        import numpy as np

        if self.held is None:
            return None
        weights = np.ones(len(self.table.y))
        weights[self.held] = 0.0
        return weights

    def training_part(self) -> tuple[Any, Any]:
        """X and y of the rows that are learnt from; the table's own where that is all of them."""
        import numpy as np

        X, y = self.table.X, self.table.y
        if self.held is None:
            return X, y
        rows = np.setdiff1d(np.arange(len(y)), self.held)
        return X[rows], y[rows]

    def fit(self) -> Fitted:
        """Fit, with progress on stderr and checkpoints where they were asked for."""
        model, table, choice = self.choice.make(), self.table, self.choice
        self._require_memory()
        tol = float(choice.parameters.get("tol", 0.0))
        watch = Stopwatch()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            if choice.perceptron:
                with waiting("perceptron: passes over the rows", self.request.quiet):
                    fitted = Fitted(model.fit(*self.training_part()), watch.lap())
            else:
                from separatrix.svm.svc import fit_observed

                saver, start = self._checkpoints()
                with shown(tol, self.request.quiet) as observers:
                    observer = Several([*observers, *([] if saver is None else [saver])])
                    fit_observed(model, table.X, table.y, self.training_weights(), observer, start or None)
                fitted = Fitted(model, watch.lap(), bool(start), saver)
        for text in dict.fromkeys(str(each.message) for each in said):
            self.output.note(text)
        return fitted

    def _require_memory(self) -> None:
        """Refuse rows of a store for whose numbers (a label, an alpha, a slack, ...) there is no room in memory."""
        from separatrix.problem import require_room

        require_room(self.table.X, _PERCEPTRON_ROW if self.choice.perceptron else _SVC_ROW, "A fit to")

    def _checkpoints(self) -> tuple[Checkpoints | None, dict[Any, Any]]:
        if self.request.checkpoint is None:
            return None, {}
        path = Path(self.request.checkpoint)
        names = ("C", "loss", "bias", "kernel", "degree", "gamma", "coef0", "class_weight", "multi_class")
        asked = {name: self.choice.parameters[name] for name in names}
        asked["holdout"] = [self.request.holdout, self.request.seed if self.held is not None else None]
        source = source_of(self.table.X, self.table.y, asked)
        start = read_checkpoint(path, source) if path.exists() else {}
        if start:
            self.output.note(f"The fit goes on from the checkpoint {path}.")
        return Checkpoints(path, source, self.request.checkpoint_every), start

    def verdict(self, model: Any) -> verdicts.Verdicts | str:
        """Whether the training rows are separable, or why that was not asked."""
        request = self.request
        if self.choice.kernel != "linear":
            return f"not asked: it speaks of hyperplanes, and the kernel is {self.choice.kernel}"
        if request.verdict_time <= 0:
            return "not asked"
        bias = self.choice.parameters["bias"] != "none"
        ways: verdicts.Ways = "ovo" if self.choice.parameters.get("multi_class") == "ovo" else "ovr"
        try:
            with waiting("exact verdict of separability (Ctrl-C skips it)", request.quiet):
                return verdicts.decide(*self.training_part(), ways, bias, request.verdict_time)
        except KeyboardInterrupt:
            return "interrupted"

    def save(self, fitted: Fitted) -> None:
        """Write the model and its certificates where `claim` has made sure that they may go."""
        folder = self.files.pop("folder")
        save_model(fitted.model, self.files["model"], self.table)
        try:
            if self.held is not None and self.choice.perceptron:
                raise ValueError("It would speak of the training rows alone, not of the file.")
            with waiting("certificate", self.request.quiet):
                proofs = certificates.of_model(fitted.model)
        except ValueError as reason:
            del self.files["certificate"]
            self.output.note(f"There is no certificate of this fit. {reason}")
        else:
            if len(proofs) > 1 and self.request.certificate is None:
                self.files["certificate"] = folder
            certificates.save(proofs, self.files["certificate"])
        if fitted.checkpoint is not None and fitted.model.status_ == "converged":
            fitted.checkpoint.path.unlink(missing_ok=True)


def run(request: Request) -> int:
    """Do what was asked; returns the exit code."""
    output = Output(request.as_json, request.quiet)
    if request.test is not None and request.holdout is not None:
        raise Refused("--test and --holdout are two ways to measure the same thing.", "give one of them")
    files = claim_places(request, output) if request.save and request.folds is None else {}
    watch = Stopwatch()
    table = read(request.data, request.reading)
    reading = watch.lap()
    asked = {**request.__dict__, "class_weight": class_weights(request.weights, table.y)}
    choice = choose(asked)
    if choice.kernel == "precomputed":
        table = kernel_matrix(table)
    course = Course(request, output, table, choice, files=files)
    if request.folds is not None:
        return cross_validate(course)
    if request.holdout is not None:
        course.held = evaluation.held_out_rows(table.y, request.holdout, request.seed)
    try:
        fitted = course.fit()
    except InseparableError as error:
        raise no_hard_margin(course, error) from None
    record = fit_answer.record(course, fitted)
    record["seconds"]["reading"] = reading
    record["held_out"] = measure(course, fitted.model)
    if request.save:
        course.save(fitted)
    verdict = course.verdict(fitted.model)
    record["separability"] = {"skipped": verdict} if isinstance(verdict, str) else verdict.record()
    record["files"] = {name: str(path) for name, path in course.files.items()}
    output.answer("fit", record, fit_answer.lines(course, fitted, record, verdict))
    return ExitCode.DONE if record["proved"] else ExitCode.NOT_PROVED


def cross_validate(course: Course) -> int:
    """``-v N``, as in LIBSVM: the accuracy, and nothing is saved."""
    request, table = course.request, course.table
    assert request.folds is not None
    with warnings.catch_warnings(), waiting(f"{request.folds} folds", request.quiet):
        warnings.simplefilter("ignore")
        found = evaluation.cross_validation(course.choice.make, table.X, table.y, request.folds, request.seed)
    record = {
        "data": table.record(),
        "model": fit_answer.model_record(course),
        "cross_validation": found,
        "proved": found["proved"],
    }
    course.output.answer("fit", record, fit_answer.cross_validation_lines(course, found))
    return ExitCode.DONE if found["proved"] else ExitCode.NOT_PROVED


def no_hard_margin(course: Course, error: InseparableError) -> Refused:
    """The answer to ``-c inf`` where there is no hard margin; the proof is saved where the fit's would have been."""
    saved = ""
    if course.files:
        certificates.save({"": error.certificate}, course.files["certificate"])
        saved = f" The proof is in {course.files['certificate']}."
    return Refused(
        f"There is no hard margin. {error.separability}{saved}",
        "a finite C (-c 1) gives the soft margin, which always exists",
    )


def measure(course: Course, model: Any) -> dict[str, Any] | None:
    """The accuracy on the rows that were asked for, if any were."""
    request, table = course.request, course.table
    if course.held is not None:
        return evaluation.accuracy(
            model, table.X[course.held], table.y[course.held], f"{request.data}, held out"
        )
    if request.test is None:
        return None
    other = read(request.test, replace(request.reading, encoding=table.encoding))
    if course.choice.kernel == "precomputed":
        other = kernel_matrix(other)
    return evaluation.accuracy(model, other.X, other.y, request.test)


def claim_places(request: Request, output: Output) -> dict[str, Path]:
    """Where model and certificate go; refuses before the work begins if they may not."""
    model = Path(request.model) if request.model else output_paths.beside(request.data, ".model.safetensors")
    proof = output_paths.beside(request.data, ".certificate.json.gz")
    folder = output_paths.beside(request.data, ".certificates")
    if request.folder is not None:
        Path(request.folder).mkdir(parents=True, exist_ok=True)
        model, proof, folder = (Path(request.folder) / path.name for path in (model, proof, folder))
    elif request.model:
        name = model.name.removesuffix(".safetensors").removesuffix(".model")
        proof, folder = (
            model.with_name(f"{name}.certificate.json.gz"),
            model.with_name(f"{name}.certificates"),
        )
    if request.certificate is not None:
        proof = Path(request.certificate)
    for path, ours in (
        (model, is_model),
        (proof, output_paths.is_certificate),
        (folder, output_paths.is_certificate),
    ):
        if output_paths.claim(path, ours, request.force, "-o FOLDER"):
            output.note(f"{path} was there before; it is replaced.")
    return {"model": model, "certificate": proof, "folder": folder}
