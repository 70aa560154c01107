"""The cards of the page: a heading, a sentence or two on the drawing, the drawing, and its numbers."""

from __future__ import annotations

import numpy as np

from separatrix.report.charts import (
    KINDS,
    margins_chart,
    plane_chart,
    progress_chart,
    ringed,
    support_chart,
    swatch,
    weights_chart,
)
from separatrix.report.records import Report
from separatrix.report.verdicts import share
from separatrix.svg import escape, number, shape_of

#: Problems whose support vectors are drawn.
_PROBLEMS = 6
#: Classes up to which the confusion matrix and the legend show all.
_CLASSES = 15


def _card(title: str, body: str, wide: bool = False) -> str:
    return f'<section class="card{" wide" if wide else ""}"><h2>{escape(title)}</h2>{body}</section>'


def _table(
    caption: str, head: list[str], rows: list[list[str]], words: int = 1, long: int | None = None
) -> str:
    """A table whose first ``words`` columns are texts, and the column ``long`` a long one; the first heads its row."""

    def kind(i: int) -> str:
        return " class=long" if i == long else " class=words" if i < words else ""

    top = "".join(f'<th scope="col"{kind(i)}>{escape(name)}</th>' for i, name in enumerate(head))
    lines = []
    for row in rows:
        cells = "".join(f"<td{kind(i)}>{escape(cell)}</td>" for i, cell in enumerate(row[1:], 1))
        lines.append(f'<tr><th scope="row">{escape(row[0])}</th>{cells}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def margins_card(report: Report) -> str:
    """The distribution of margins."""
    facts = report.rows
    if facts is None:
        return ""
    wrong = int(np.count_nonzero(facts.margins <= 0))
    words = f"{share(wrong, len(facts.margins))} rows are on the wrong side of the boundary"
    if report.slab:
        inside = int(np.count_nonzero((facts.margins > 0) & (facts.margins < 1 - 1e-9)))
        words += f", {share(inside, len(facts.margins))} are on the right side but inside the slab"
    words += f". The smallest margin is {number(float(facts.margins.min()))}"
    if report.geometric is not None and report.weights:
        words += f", which is a distance of {number(float(facts.margins.min()) * report.geometric)}"
    legend = '<li><span class="patch" style="background:var(--wrong)"></span>wrong side</li>'
    if report.slab:
        legend += '<li><span class="patch" style="background:var(--inside)"></span>inside the slab</li>'
    quantiles = np.quantile(facts.margins, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
    names = ["smallest", "5 %", "25 %", "median", "75 %", "95 %", "largest"]
    table = _table(
        "Quantiles of the margins",
        ["share of rows", "margin"],
        [[name, f"{value:.5g}"] for name, value in zip(names, quantiles.tolist(), strict=True)],
    )
    body = f"<p>{escape(words)}.</p>{margins_chart(report)}<ul class=legend>{legend}</ul>"
    return _card("How far the rows are on their own side", body + _numbers(table))


def _numbers(table: str) -> str:
    return f"<details><summary>The numbers</summary>{table}</details>"


def plane_card(report: Report) -> str:
    """The rows in a plane."""
    picture, facts = report.picture, report.rows
    if picture is None or facts is None or len(picture.rows) == 0:
        return ""
    legend = [
        f"<li>{swatch(shape_of(code), f'point c{code % 6}')}{escape(name)}</li>"
        for code, name in enumerate(facts.names[:_CLASSES])
    ]
    rings = {"margin": "on the margin", "slack": "uses slack", "updates": "caused updates"}
    legend += [f"<li>{swatch('circle', f'ring {kind}')}{rings[kind]}</li>" for kind in ringed(report)]
    if facts.errors:
        legend.append(
            '<li><svg class="swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">'
            '<path class="cross" d="M4 4l8 8m0 -8l-8 8"/></svg>misclassified</li>'
        )
    some = (
        ""
        if len(picture.rows) == len(facts.codes)
        else f" {len(picture.rows)} of {len(facts.codes)} rows are drawn."
    )
    body = f"<p>{escape(picture.sentence + some)}</p>{plane_chart(picture, report)}"
    return _card("The rows and the boundary", f"{body}<ul class=legend>{''.join(legend)}</ul>")


def support_card(report: Report) -> str:
    """Support vectors of both kinds."""
    if not report.support:
        return ""
    kinds = [kind for kind in KINDS if any(each.total(kind) for each in report.support)]
    first = report.support[0]
    legend = "".join(
        f'<li><span class="patch {kind}"></span>'
        f"{f'{first.total(kind):,} ' if len(report.support) == 1 else ''}{escape(KINDS[kind])}</li>"
        for kind in kinds
    )
    charts = []
    for each in report.support[:_PROBLEMS]:
        title = f"<h3>{escape(each.problem)}</h3>" if each.problem else ""
        charts.append(title + support_chart(each))
    left = len(report.support) - _PROBLEMS
    more = f'<p class="soft">And {left} more problems.</p>' if left > 0 else ""
    perceptron = "updates" in kinds
    words = (
        "The weights are a sum over these rows alone, each as often as it was misclassified on the way."
        if perceptron
        else "The boundary is a weighted sum of these rows alone."
    )
    table = _table(
        "Rows by class and kind",
        ["problem", "class", *kinds],
        [
            [each.problem or "all", name, *(str(counts.get(kind, 0)) for kind in kinds)]
            for each in report.support[:50]
            for name, counts in each.counts.items()
        ],
        words=2,
    )
    title = "Rows that caused updates" if perceptron else "Support vectors"
    return _card(
        title, f"<p>{words}</p>{''.join(charts)}<ul class=legend>{legend}</ul>{more}{_numbers(table)}"
    )


def progress_card(report: Report) -> str:
    """The gap against time."""
    progress = report.progress
    if progress is None:
        return ""
    falling = progress.quantity == "relative gap"
    end = max(float(curve.values[-1]) for curve in progress.curves)
    if falling:
        words = (
            "The gap between the best answer so far and a bound that no answer can beat, while the fit ran."
        )
    else:
        words = "Updates while the perceptron ran" + (
            f"; the theorem allows {number(progress.limit)}." if progress.limit is not None else "."
        )
    if max(len(curve.values) for curve in progress.curves) < 2:
        said = f"One step of {progress.seconds:.3g} seconds gave the answer, with a {progress.quantity} of {end:.3g}."
        return _card("How the fit went", f"<p>{escape(said)}</p>")
    legend = ""
    if len(progress.curves) > 1:
        legend = "".join(
            f"<li>{swatch('square', f'c{place % 6}')}{escape(curve.problem)}</li>"
            for place, curve in enumerate(progress.curves)
        )
    if falling and any(curve.proved.any() for curve in progress.curves):
        legend += f"<li>{swatch('circle', 'dot d0')}recomputed from the data</li>"
    rows = [
        [
            curve.problem or "the problem",
            f"{curve.time[-1]:.3g}",
            f"{curve.values[-1]:.3g}",
            str(len(curve.values)),
        ]
        for curve in progress.curves
    ]
    table = _table("At the end", ["problem", "seconds", progress.quantity, "records"], rows)
    body = f"<p>{escape(words)}</p>{progress_chart(progress)}"
    return _card(
        "How the fit went", body + (f"<ul class=legend>{legend}</ul>" if legend else "") + _numbers(table)
    )


def weights_card(report: Report) -> str:
    """Weights by name."""
    weights = {name: rows for name, rows in report.weights.items() if rows}
    if not weights:
        return ""
    words = (
        "Bars are weight times the spread of the column, which is what a typical change of it does to the score; the "
        "figure beside a bar is the weight itself."
    )
    if report.weights_left > 0:
        words += f" {report.weights_left:,} columns of less effect are not shown."
    charts = "".join(f"<h3>{escape(name)}</h3>{weights_chart(rows)}" for name, rows in weights.items())
    table = _table(
        "Weights of the columns",
        ["column", "towards", "weight", "weight x spread"],
        [
            [each.column, name.split(" (to the right)")[0], f"{each.weight:.6g}", f"{each.effect:.6g}"]
            for name, rows in weights.items()
            for each in rows
        ],
        words=2,
    )
    return _card("What the columns weigh", f"<p>{escape(words)}</p>{charts}{_numbers(table)}")


def confusion_card(report: Report) -> str:
    """The confusion matrix, or of many classes the most frequent confusions."""
    facts = report.rows
    if facts is None:
        return ""
    matrix = facts.confusion()
    if len(matrix) > _CLASSES:
        pairs = [(int(matrix[i, j]), i, j) for i in range(len(matrix)) for j in range(len(matrix)) if i != j]
        worst = sorted((pair for pair in pairs if pair[0]), reverse=True)[:15]
        rows = [[facts.names[i], facts.names[j], str(count)] for count, i, j in worst]
        table = _table("The most frequent confusions", ["is", "was taken for", "rows"], rows, words=2)
        return _card("Who is taken for whom", table)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in facts.names)
    lines = []
    for i, name in enumerate(facts.names):
        total = max(1, int(matrix[i].sum()))
        cells = "".join(
            f'<td class="{"right" if i == j else "off"}" '
            f'style="--share:{(38.0 if i == j else 60.0) * count / total:.0f}%">{count}</td>'
            for j, count in enumerate(matrix[i].tolist())
        )
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    caption = "Rows by their class (down) and the class they are given (across)"
    table = (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{caption}"><table class="confusion">'
        f'<caption>{caption}</caption><thead><tr><th scope="col">is \\ given</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
    return _card("Who is taken for whom", table)


def contradictions_card(report: Report) -> str:
    """The rows that fit worst."""
    if not report.contradictions:
        return ""
    slack = any(each.slack is not None for each in report.contradictions)
    opposing = any(each.opposing for each in report.contradictions)
    head = ["row", "is", "given", "margin", *(["slack"] if slack else [])]
    rows = []
    for each in report.contradictions:
        row = [str(each.row), each.label, each.predicted, f"{each.margin:.4g}"]
        row += [f"{each.slack:.4g}"] if each.slack is not None else [""] * slack
        if opposing:
            row.append(", ".join(f"{name} ({value:.3g})" for name, value in each.opposing))
        rows.append(row)
    head += ["columns that pull it to the wrong side, and their share of the score"] if opposing else []
    words = "The rows that agree least with the model, counted from 0: mislabelled, unusual, or simply hard."
    return _card(
        "Rows that contradict it most",
        f"<p>{words}</p>" + _table("Worst first", head, rows, 3, 4 + slack),
        wide=True,
    )


def cancelling_card(report: Report) -> str:
    """Rows that prove that the classes cannot be separated."""
    found = report.cancelling
    if found is None:
        return ""
    words = (
        "Give each of these rows its weight and the sign of its side, and their sum, bias included, is exactly zero. "
        "A hyperplane with all of them strictly on their sides would make that sum positive, so there is none."
    )
    if found.verdict == "quasi-separable":
        words += " Other rows can be separated: only rows like these have to lie on the boundary."
    rows = [
        [str(row), label, weight]
        for row, label, weight in zip(found.rows, found.labels, found.weights, strict=True)
    ]
    table = _table("Rows that cancel, counted from 0", ["row", "class", "weight"], rows, words=2)
    return _card("Why no hyperplane separates the classes", f"<p>{words}</p>{table}", wide=True)


def about_card(report: Report) -> str:
    """The model and the data in a table."""
    rows = [
        *report.about,
        ("rows by class", ", ".join(f"{n}: {c:,}" for n, c in report.class_counts.items())),
    ]
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows
    )
    return _card("The model", f'<table class="about"><tbody>{lines}</tbody></table>', wide=True)
