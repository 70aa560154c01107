"""The report as plain text."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from separatrix.report.records import Report
from separatrix.report.verdicts import share


def words(report: Report) -> str:
    """A page of text, readable without colour."""
    lines = [report.title, "=" * len(report.title), "", report.verdict, *report.details, ""]
    lines += [f"{name + ':':<17} {value}" for name, value in report.about]
    counts = ", ".join(f"{name}: {count}" for name, count in report.class_counts.items())
    lines += [f"{'data:':<17} {report.n_rows} rows, {report.n_columns} columns ({counts})", ""]
    lines += _margins(report) + _support(report) + _weights(report) + _confusion(report)
    lines += _contradictions(report) + _proofs(report)
    return "\n".join(lines).rstrip() + "\n"


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
    lines = ["Margins", "-------"]
    largest = max(1, *(count for _, _, count in groups))
    for a, b, count in groups:
        bar = "#" * round(40 * count / largest)
        lines.append(f"{edges[a]:>10.4g} .. {edges[b]:<10.4g} {count:>7} {bar}")
    return [*lines, ""]


def _support(report: Report) -> list[str]:
    if not report.support:
        return []
    lines = ["Support", "-------"]
    for each in report.support:
        for name, counts in each.counts.items():
            said = ", ".join(f"{count} {kind}" for kind, count in counts.items())
            lines.append(f"{each.problem + ': ' if each.problem else ''}{name}: {said}")
    return [*lines, ""]


def _weights(report: Report) -> list[str]:
    lines = []
    for name, rows in report.weights.items():
        lines += [f"Weights: {name}", "-" * (9 + len(name))]
        lines += [
            f"{each.column[:30]:<30} {each.weight:>12.5g}   x spread {each.effect:>12.5g}" for each in rows
        ]
        lines.append("")
    return lines


def _confusion(report: Report) -> list[str]:
    facts = report.rows
    if facts is None or len(facts.classes) > 12:
        return []
    matrix = facts.confusion()
    width = max(8, *(len(name) + 1 for name in facts.names))
    lines = ["Given (across) by class (down)", "------------------------------"]
    lines.append(" " * width + "".join(f"{name:>{width}}" for name in facts.names))
    for name, row in zip(facts.names, matrix.tolist(), strict=True):
        lines.append(f"{name:>{width}}" + "".join(f"{count:>{width}}" for count in row))
    right = int(np.trace(matrix))
    return [*lines, f"right: {share(right, int(matrix.sum()))}", ""]


def _contradictions(report: Report) -> list[str]:
    lines = []
    if report.contradictions:
        lines += ["Rows that contradict it most (counted from 0)", "-" * 45]
        for each in report.contradictions:
            slack = "" if each.slack is None else f", slack {each.slack:.4g}"
            lines.append(
                f"row {each.row}: is {each.label}, given {each.predicted}, margin {each.margin:.4g}{slack}"
            )
        lines.append("")
    if report.cancelling is not None:
        found = report.cancelling
        lines += [f"Rows that cancel exactly ({found.verdict})", "-" * 40]
        rows = zip(found.rows, found.labels, found.weights, strict=True)
        lines += [f"row {row} ({label}) with weight {weight}" for row, label, weight in rows]
        lines.append("")
    return lines


def _proofs(report: Report) -> list[str]:
    lines = ["The proof", "---------"]
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
    if report.commands and any(proof.kind != "none" for proof in report.proofs):
        lines += ["", "Check it yourself:"]
        lines += [f"  {command}    # {said}" for command, said in report.commands]
    return lines
