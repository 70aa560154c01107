"""The report as plain text, in the order of the page."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from separatrix.report.records import Part, Report
from separatrix.validation.scores import Scores, area, percentage

#: Classes up to which the confusion matrix is written.
_CLASSES = 12
#: Columns of the file that are described.
_COLUMNS = 60


def words(report: Report) -> str:
    """A page of text, readable without colour."""
    lines = [report.title, "=" * len(report.title), ""]
    if report.quality is not None:
        lines += [report.quality.headline, *report.quality.details, ""]
    lines += [report.verdict, *report.details, ""]
    lines += _scores(report) + _confusion(report) + _mistakes(report) + _weights(report)
    lines += _data(report) + _proofs(report) + _fit(report)
    return "\n".join(lines).rstrip() + "\n"


def _headed(title: str, lines: list[str]) -> list[str]:
    return [title, "-" * len(title), *lines, ""] if lines else []


def _scores(report: Report) -> list[str]:
    lines = []
    for part in report.parts:
        found = part.scores
        lines.append(
            f"{part.name}: {found.rows:,} rows, accuracy {percentage(found.accuracy)}, {_more(found)}"
        )
    if report.parts:
        lines += [
            "",
            f"{'class':<30} {'rows':>8} {'found':>9} {'right':>9} {'F1':>7}   ({report.parts[0].name})",
        ]
        for each in report.parts[0].scores.classes:
            shares = [("none" if x is None else percentage(x)) for x in (each.recall, each.precision)]
            f1 = "none" if each.f1 is None else f"{each.f1:.3f}"
            lines.append(f"{each.name:<30} {each.support:>8,} {shares[0]:>9} {shares[1]:>9} {f1:>7}")
    return _headed("How good it is", lines)


def _more(found: Scores) -> str:
    out = f"always {found.majority} {percentage(found.baseline)}, balanced {percentage(found.balanced_accuracy)}"
    out += "" if found.roc_auc is None else f", ROC AUC {area(found.roc_auc)}"
    return out + ("" if found.brier is None else f", Brier score {found.brier:.4f}")


def _confusion(report: Report) -> list[str]:
    if not report.parts or len(report.parts[0].scores.classes) > _CLASSES:
        return []
    found: Part = report.parts[0]
    names = [each.name for each in found.scores.classes]
    width = max(8, *(len(name) + 1 for name in names))
    lines = [" " * width + "".join(f"{name:>{width}}" for name in names)]
    for name, row in zip(names, found.scores.confusion.tolist(), strict=True):
        lines.append(f"{name:>{width}}" + "".join(f"{count:>{width}}" for count in row))
    return _headed(f"Given (across) by class (down), {found.name}", lines)


def _mistakes(report: Report) -> list[str]:
    lines = []
    for each in report.mistakes:
        chance = "" if each.chance is None else f" with probability {percentage(each.chance)}"
        values = ", ".join(f"{name} {value}" for name, value in each.values)
        said = f"{report.row_word} {each.number} ({each.part}): is {each.label}, given {each.predicted}{chance}, score "
        lines += [f"{said}{each.margin:.4g}; {values}"]
    for name, left in report.mistakes_left.items():
        lines += [f"and {left:,} more rows {name}"] if left else []
    return _headed(f"The rows it gets wrong, worst first ({report.counted})", lines)


def _weights(report: Report) -> list[str]:
    lines = []
    for name, rows in report.weights.items():
        if name:
            lines.append(f"{name}:")
        lines += [
            f"{each.column:<40} effect {each.effect:>12.5g}   weight {each.weight:>12.5g}" for each in rows
        ]
    title = "What the columns weigh (effect = weight x spread)"
    if "" in report.weights and report.rows is not None:
        title = f"What the columns weigh (effect = weight x spread; above 0 for {report.rows.names[1]})"
    return _headed(title, lines)


def _data(report: Report) -> list[str]:
    counts = ", ".join(f"{name}: {count:,}" for name, count in report.class_counts.items())
    lines = [f"{report.n_rows:,} rows, {report.n_columns:,} columns ({counts})"]
    described = [] if report.description is None else report.description.lines()
    lines += [f"{name + ':' if name else '':<17} {value}" for name, value in described]
    lines += [f"{each.name}: {each.kind}, {each.values}" for each in report.fields[:_COLUMNS]]
    lines += [
        f"{each.name + ':':<17} {each.value}{'' if each.default else '  (chosen)'}"
        for each in report.settings
    ]
    return _headed("The data and the settings", lines)


def _proofs(report: Report) -> list[str]:
    lines = []
    marks = {
        "proved": "checked",
        "conditional": "proved only on a condition",
        "rejected": "rejected for these rows",
        None: "not checked",
    }
    for proof in report.proofs:
        lines.append((f"{proof.problem}: " if proof.problem else "") + proof.claim)
        if proof.kind != "none":
            lines.append(f"  {marks[proof.outcome]}{': ' + proof.reason if proof.reason else ''}")
            lines.append(f"  sha256 {proof.digest}")
    if report.commands:
        lines += ["", "Check it yourself:"]
        for command, said in report.commands:
            lines += [f"  # {said}", f"  {command}"]
    return _headed("The proof", lines)


def _fit(report: Report) -> list[str]:
    lines = [f"{name + ':':<17} {value}" for name, value in report.about]
    if report.cancelling is not None:
        found = report.cancelling
        lines += [
            "",
            f"No hyperplane separates the classes: these rows, weighted so, cancel exactly ({report.counted}).",
        ]
        rows = zip(found.rows, found.labels, found.weights, strict=True)
        lines += [f"{report.row_word} {row} ({label}) with weight {weight}" for row, label, weight in rows]
    lines += _margins(report)
    return _headed("The optimisation", lines)


def _margins(report: Report) -> list[str]:
    facts = report.rows
    if facts is None:
        return []
    edges, counts = facts.histogram()
    totals = counts.sum(axis=0)
    merged = max(1, len(totals) // 12)
    zero = int(np.argmin(np.abs(edges)))  # groups of bins begin or end at 0, so that the sides stay apart
    starts = sorted({0, *range(zero % merged, len(totals), merged)})
    groups = [(a, b, int(totals[a:b].sum())) for a, b in pairwise([*starts, len(totals)])]
    lines = ["", "Score for the own class, below 0 where a row is misclassified:"]
    largest = max(1, *(count for _, _, count in groups))
    for a, b, count in groups:
        bar = "#" * round(40 * count / largest)
        lines.append(f"{edges[a]:>10.4g} .. {edges[b]:<10.4g} {count:>7} {bar}")
    return lines
