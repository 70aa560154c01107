"""The answer of `separatrix fit`: everything as a record for JSON, and the same in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.cli import searching, verdicts
from separatrix.cli.fit_model import ChosenModel
from separatrix.cli.output import Line, Output, accuracy, counted, percent, wrapped
from separatrix.perceptron.estimator import Perceptron

if TYPE_CHECKING:
    from separatrix.cli.fitting import FitRun
    from separatrix.cli.inputs import Table
    from separatrix.cli.measuring import Measured


def model_record(chosen: ChosenModel) -> dict[str, Any]:
    """Return what was chosen, for JSON."""
    return {
        "estimator": type(chosen.model).__name__,
        "parameters": chosen.parameters,
        "chosen": chosen.words,
        "reasons": chosen.reasons,
    }


def record(this: FitRun, measured: Measured | None) -> dict[str, Any]:
    """Return the result of a fit, for JSON."""
    model = this.model
    X, y = this.training_part()
    own = accuracy(model.predict(X), y)
    _, counts = np.unique(y, return_counts=True)
    rows = None if this.parts is None else this.parts.calibration
    common = {
        "data": this.table.record(),
        "model": model_record(this.chosen),
        "status": model.status_,
        "proved": this.proved,
        "training": {
            "rows": own["rows"],
            "errors": own["rows"] - own["correct"],
            "baseline": int(counts.max()) / len(y),
        },
        "search": None if this.choice is None else this.choice.record(),
        "probabilities": None if rows is None else {"method": this.options.probabilities, "rows": len(rows)},
        "resumed": this.resumed,
        "seconds": this.seconds,
    }
    found = _perceptron_record(model) if isinstance(model, Perceptron) else _svc_record(model)
    return {**common, **found, "held_out": None if measured is None else measured.record()}


def _svc_record(model: Any) -> dict[str, Any]:
    joint = getattr(model.problems_, "joint", None)
    problems = (
        [_problem_record(key, result) for key, result in model.problems_.items()]
        if joint is None
        else [_joint_record(model, joint)]
    )
    return {
        "primal": model.primal_,
        "dual": model.dual_,
        "gap": model.gap_,
        "steps": sum(problem["steps"] for problem in problems),
        "problems": problems,
    }


def _problem_record(key: Any, result: Any) -> dict[str, Any]:
    return {
        "problem": str(key),
        "positive": result.positive,
        "negative": result.negative,
        "margin": result.margin,
        **_answer_record(result, result.support_kind),
    }


def _joint_record(model: Any, joint: Any) -> dict[str, Any]:
    """Of all classes in one problem: a margin for each."""
    return {
        "problem": "all classes",
        "classes": list(joint.classes),
        "margins": model.margin_.tolist(),
        **_answer_record(joint, model.support_kind_),
    }


def _answer_record(result: Any, kinds: Any) -> dict[str, Any]:
    chosen = next((each.note for each in result.history if each.note), "")
    return {
        "status": str(result.status),
        "primal": result.primal,
        "dual": result.dual,
        "gap": result.gap,
        "support": {
            "rows": len(kinds),
            "margin": int(np.count_nonzero(kinds == "margin")),
            "slack": int(np.count_nonzero(kinds == "slack")),
        },
        "steps": result.n_iter,
        "solver": result.history[-1].solver,
        "solver_reason": chosen,
    }


def _perceptron_record(model: Any) -> dict[str, Any]:
    return {
        "updates": model.n_updates_,
        "epochs": model.n_epochs_,
        "bound": model.bound_,
        "margin": model.margin_,
        "max_margin": model.max_margin_,
        "radius": model.radius_,
    }


def answer(
    this: FitRun, found: dict[str, Any], measured: Measured | None, verdict: verdicts.Verdicts | str
) -> None:
    """Print the answer, now that the verdict is known and every file is written."""
    found["separability"] = {"skipped": verdict} if isinstance(verdict, str) else verdict.record()
    found["files"] = {name: str(path) for name, path in this.written.items()}
    this.output.answer("fit", found, lines(this, found, measured, verdict))


def lines(
    this: FitRun, found: dict[str, Any], measured: Measured | None, verdict: verdicts.Verdicts | str
) -> list[Line]:
    """Return the answer in words: what was learnt, how good it is, what is proved; the rest where it is asked for."""
    out = [*this.table.lines(), *([] if this.choice is None else searching.lines(this.choice))]
    out += [*_learnt(this), *_accuracy(this, found, measured)]
    out += _perceptron_lines(found) if "updates" in found else _proof(this, found)
    if not isinstance(verdict, str):
        out += _verdict(verdict)
    elif this.options.explain or verdict == "interrupted":
        out += wrapped("separable?", verdict)
    if this.options.explain and "updates" not in found:
        out += _explained(found)
    for name, path in this.written.items():
        out.append((name, f"{path}{_size(path)}"))
    if measured is not None and measured.ledger is not None:
        out.append(("looks", f"counted in {measured.ledger}"))
    if not this.written:
        out.append(("saved", "nothing, as asked"))
    return out


def _learnt(this: FitRun) -> list[Line]:
    chosen = this.chosen
    kind = "" if isinstance(chosen.model, Perceptron) else "support vector machine, "
    out = wrapped("learnt", f"{kind}{chosen.words}")
    if this.choice is not None:
        best = f"{100 * this.choice.best.accuracy:.1f} % +- {100 * this.choice.best.error:.1f}"
        majority = f"the majority class alone {100 * this.choice.baseline:.1f} %"
        out += wrapped("", f"the best in the search: {best} in {this.choice.best.folds} folds, {majority}")
    elif chosen.reasons:
        out += wrapped("", f"by default {', '.join(chosen.reasons)}")
    return out


def _accuracy(this: FitRun, found: dict[str, Any], measured: Measured | None) -> list[Line]:
    """Return the accuracy in words: first on rows that the model has not seen."""
    training = found["training"]
    share = percent(1.0 - training["errors"] / max(1, training["rows"]))
    errors = counted(training["errors"], "error")
    own = f"{share} of the {counted(training['rows'], 'training row')} are right ({errors})"
    if measured is None:
        majority = f"always answering the commonest class would be right on {percent(training['baseline'])}"
        out = wrapped("accuracy", f"{own}; {majority}")
        out += wrapped(
            "", "on rows that it has not seen: not measured (--holdout 0.2, --test FILE or --search do)"
        )
    else:
        out = [*measured.lines(), *wrapped("training", own)]
    calibrated = found["probabilities"]
    if calibrated is not None:
        rows = f"{counted(calibrated['rows'], 'row')} that the model has not learnt from"
        out += wrapped("probability", f"{calibrated['method']}, calibrated on {rows}")
    return out


def _proof(this: FitRun, found: dict[str, Any]) -> list[Line]:
    """Return what is proved, in a sentence that cannot be taken for a promise of accuracy."""
    gap, parameters = found["gap"], found["model"]["parameters"]
    bound = f"{100 * gap:.2g} %" if gap >= 5e-9 else "a hundred-millionth"
    if not found["proved"]:
        return wrapped(
            "NOT proved",
            f"that it is the best of its kind: {_STOPPED.get(found['status'], found['status'])} where other weights "
            f"may still be better by up to {bound} ({100 * parameters['tol']:g} % was asked for)",
        )
    what = "an objective (errors weighed by C, and how narrow the margin is) lower"
    if parameters["C"] == float("inf"):
        what = "a margin wider"
    return wrapped(
        "proved",
        f"the best of its kind for the training rows: no other weights have {what} by more than {bound}. How good the "
        "best is, the accuracy says",
    )


_STOPPED = {
    "max_iter": "the steps were used up",
    "max_time": "the time was over",
    "interrupted": "it was interrupted",
}


def _verdict(found: verdicts.Verdicts) -> list[Line]:
    late, decided = len(found.undecided), len(found.found)
    text = f"not decided in {found.seconds:.0f} s (--verdict-time gives more; separatrix check has no limit)"
    if found.short_of_memory:
        text = verdicts.why_undecided(found)
    if not late:
        text = verdicts.summary(found)
    elif decided:
        text = f"{decided} of {decided + late} problems decided; the others {text}"
    return wrapped("separable?", text)


def _explained(found: dict[str, Any]) -> list[Line]:
    """Return the words of ``--explain``: how the optimum was found, its margin and its support vectors."""
    tol = found["model"]["parameters"]["tol"]
    problems = found["problems"]
    reason = problems[0]["solver_reason"]
    out = wrapped("solver", problems[0]["solver"] + (f": {reason}" if reason else ""))
    out += [
        (
            "result",
            f"{found['status']} in {found['seconds']['fit']:.2f} s, {counted(found['steps'], 'step')}",
        ),
        ("objective", f"{found['primal']:.10g}; nothing can be below {found['dual']:.10g}"),
        ("gap", f"{found['gap']:.2e} of the objective (tol = {tol:g})"),
    ]
    if len(problems) == 1:
        one = problems[0]
        support = one["support"]
        margins = one.get("margins")
        out += wrapped(
            "margin",
            f"{one['margin']:.6g} = 1 / |w|, half the width of the slab between f = -1 and f = 1"
            if margins is None
            else f"1 / |w| from {min(margins):.6g} to {max(margins):.6g}, by class",
        )
        kinds = f"{support['margin']:,} on its edge, {support['slack']:,} inside it or on the wrong side (using slack)"
        return [*out, *wrapped("support", f"{counted(support['rows'], 'row')} carry the slab: {kinds}")]
    worst = max(problems, key=lambda problem: problem["gap"])
    margins = [problem["margin"] for problem in problems]
    rows = [problem["support"]["rows"] for problem in problems]
    out += wrapped(
        "problems", f"{len(problems)} binary problems; the largest gap is that of {worst['problem']}"
    )
    out += wrapped(
        "margin", f"1 / |w|, half the width of a slab, from {min(margins):.6g} to {max(margins):.6g}"
    )
    return [
        *out,
        *wrapped("support", f"from {min(rows):,} to {max(rows):,} rows carry the slab of a problem"),
    ]


def _perceptron_lines(found: dict[str, Any]) -> list[Line]:
    words = {
        "converged": "a pass without mistakes",
        "inseparable": "no hyperplane separates the rows, proved",
        "max_iter": "the passes were used up before one was without mistakes",
        "max_time": "the time was over before a pass was without mistakes",
        "interrupted": "interrupted; the weights so far are kept",
    }
    most = (
        f"; this variant makes at most {found['bound']:,.1f} on these rows"
        if found["status"] == "converged"
        else ""
    )
    return [
        *wrapped("result", f"{found['status']} in {found['seconds']['fit']:.2f} s: {words[found['status']]}"),
        *wrapped("updates", f"{found['updates']:,} in {counted(found['epochs'], 'pass', 'passes')}{most}"),
    ]


def answer_folds(output: Output, table: Table, chosen: ChosenModel, found: dict[str, Any]) -> None:
    """Print the answer of ``-v N``."""
    spread = f"from {percent(min(found['each']))} to {percent(max(found['each']))}"
    text = f"{percent(found['accuracy'])} in {found['folds']}-fold cross-validation ({spread} a fold)"
    lines = [
        *table.lines(),
        *wrapped("chosen", chosen.words),
        ("accuracy", text),
        ("saved", "nothing: a cross-validation makes no model"),
    ]
    record = {
        "data": table.record(),
        "model": model_record(chosen),
        "cross_validation": found,
        "proved": found["proved"],
    }
    output.answer("fit", record, lines)


def _size(path: Path) -> str:
    if path.is_dir():
        return f"{'/' if not str(path).endswith('/') else ''} ({counted(len(list(path.iterdir())), 'file')})"
    return f" ({path.stat().st_size / 1000:,.0f} kB)"
