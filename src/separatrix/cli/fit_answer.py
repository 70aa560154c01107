"""The answer of `separatrix fit`: everything as a record for JSON, and the same in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix.cli import verdicts
from separatrix.cli.fit_model import ChosenModel
from separatrix.cli.output import Line, accuracy, counted, percent, wrapped
from separatrix.perceptron.estimator import Perceptron

if TYPE_CHECKING:
    from separatrix.cli.fitting import FitRun, Fitted


def model_record(chosen: ChosenModel) -> dict[str, Any]:
    """Return what was chosen, for JSON."""
    return {
        "estimator": type(chosen.model).__name__,
        "parameters": chosen.parameters,
        "chosen": chosen.words,
        "reasons": chosen.reasons,
    }


def record(this: FitRun, fitted: Fitted) -> dict[str, Any]:
    """Return the result of a fit, for JSON."""
    model = fitted.model
    X, y = this.training_part()
    measured = accuracy(model.predict(X), y)
    common = {
        "data": this.table.record(),
        "model": model_record(this.chosen),
        "status": model.status_,
        "proved": fitted.proved,
        "training": {"rows": measured["rows"], "errors": measured["rows"] - measured["correct"]},
        "resumed": fitted.resumed,
        "seconds": {"fit": fitted.seconds},
    }
    return common | (_perceptron_record(model) if isinstance(model, Perceptron) else _svc_record(model))


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
    import numpy as np

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


def lines(this: FitRun, found: dict[str, Any], verdict: verdicts.Verdicts | str) -> list[Line]:
    """Return the answer in words."""
    out = [*this.table.lines(), *_chosen(this.chosen, found)]
    out += [("verdict", verdict)] if isinstance(verdict, str) else _verdict(verdict)
    out += _perceptron_lines(found) if "updates" in found else _svc_lines(found)
    training, errors = found["training"]["rows"], found["training"]["errors"]
    share = percent(errors / max(1, training))
    out.append(("errors", f"{errors:,} of the {counted(training, 'training row')} ({share})"))
    held_out = found["held_out"]
    if held_out is not None:
        text = (
            f"accuracy {percent(held_out['accuracy'])} on {held_out['rows']:,} rows of {held_out['source']}"
        )
        out.append(("held out", text))
    for name, path in this.files.items():
        out.append((name, f"{path}{_size(path)}"))
    if not this.files and not this.options.save:
        out.append(("saved", "nothing, as asked"))
    return out


def _chosen(chosen: ChosenModel, found: dict[str, Any]) -> list[Line]:
    out = wrapped("chosen", chosen.words)
    if chosen.reasons:
        out += wrapped("", f"by default {', '.join(chosen.reasons)}")
    problems = found.get("problems") or []
    if problems:
        reason = problems[0]["solver_reason"]
        out += wrapped("solver", problems[0]["solver"] + (f": {reason}" if reason else ""))
    return out


def _verdict(found: verdicts.Verdicts) -> list[Line]:
    late, decided = len(found.undecided), len(found.found)
    text = f"not decided in {found.seconds:.0f} s (--verdict-time gives more; separatrix check has no limit)"
    if found.short_of_memory:
        text = verdicts.why_undecided(found)
    if not late:
        text = verdicts.summary(found)
    elif decided:
        text = f"{decided} of {decided + late} problems decided; the others {text}"
    return wrapped("verdict", text)


def _svc_lines(found: dict[str, Any]) -> list[Line]:
    tol = found["model"]["parameters"]["tol"]
    problems = found["problems"]
    proved = "proved" if found["proved"] else "NOT what was asked for"
    out = [
        (
            "result",
            f"{found['status']} in {found['seconds']['fit']:.2f} s, {counted(found['steps'], 'step')}",
        ),
        ("objective", f"{found['primal']:.10g}; nothing can be below {found['dual']:.10g}"),
        ("gap", f"{found['gap']:.2e} of the objective, {proved} (tol = {tol:g})"),
    ]
    if len(problems) == 1:
        one = problems[0]
        support = one["support"]
        margins = one.get("margins")
        out.append(
            ("margin", f"{one['margin']:.6g} on each side of the boundary")
            if margins is None
            else ("margin", f"1 / |w| from {min(margins):.6g} to {max(margins):.6g}, by class")
        )
        kinds = f"{support['margin']:,} on the margin, {support['slack']:,} using slack"
        out.append(("support", f"{counted(support['rows'], 'row')}: {kinds}"))
        return out
    worst = max(problems, key=lambda problem: problem["gap"])
    margins = [problem["margin"] for problem in problems]
    rows = [problem["support"]["rows"] for problem in problems]
    out.append(
        ("problems", f"{len(problems)} binary problems; the largest gap is that of {worst['problem']}")
    )
    out.append(("margin", f"from {min(margins):.6g} to {max(margins):.6g}"))
    out.append(("support", f"from {min(rows):,} to {max(rows):,} rows a problem"))
    return out


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
        ("result", f"{found['status']} in {found['seconds']['fit']:.2f} s: {words[found['status']]}"),
        ("updates", f"{found['updates']:,} in {counted(found['epochs'], 'pass', 'passes')}{most}"),
    ]


def cross_validation_lines(this: FitRun, found: dict[str, Any]) -> list[Line]:
    """Return the answer of ``-v N`` in words."""
    spread = f"from {percent(min(found['each']))} to {percent(max(found['each']))}"
    text = f"{percent(found['accuracy'])} in {found['folds']}-fold cross-validation ({spread} a fold)"
    return [
        *this.table.lines(),
        *wrapped("chosen", this.chosen.words),
        ("accuracy", text),
        ("saved", "nothing: a cross-validation makes no model"),
    ]


def _size(path: Path) -> str:
    if path.is_dir():
        return f"{'/' if not str(path).endswith('/') else ''} ({counted(len(list(path.iterdir())), 'file')})"
    return f" ({path.stat().st_size / 1000:,.0f} kB)"
