"""Cards on the optimisation, for those who want it: margins, support vectors, progress, and rows that cancel."""

from __future__ import annotations

import numpy as np

from separatrix.report.charts import KINDS, margins_chart, progress_chart, swatch
from separatrix.report.html_parts import card, fold, legend, pairs, paragraph, table
from separatrix.report.records import Report, SupportCounts
from separatrix.report.svg import escape, number
from separatrix.report.verdicts import share

#: Problems whose support vectors are counted.
_PROBLEMS = 40


def margins_card(report: Report) -> str:
    """The distribution of margins."""
    facts = report.rows
    if facts is None:
        return ""
    wrong = int(np.count_nonzero(facts.margins <= 0))
    words = f"The score for the own class is negative where a row is misclassified: {share(wrong, len(facts.margins))}"
    if report.slab:
        inside = int(np.count_nonzero((facts.margins > 0) & (facts.margins < 1 - 1e-9)))
        words += (
            f". At 1 a row is on the margin; {share(inside, len(facts.margins))} are right, but inside it"
        )
    words += f". The smallest score is {number(float(facts.margins.min()))}"
    if report.geometric is not None and report.weights:
        words += f", which is a distance of {number(float(facts.margins.min()) * report.geometric)}"
    items = []
    if len(facts.names) == 2:
        items += [
            f"{swatch('square', f'c{1 - place}')}{escape(facts.names[1 - place])}, {side}"
            for place, side in enumerate(("upwards", "downwards"))
        ]
    items.append('<span class="patch" style="background:var(--wrong)"></span>wrong side')
    if report.slab:
        items.append('<span class="patch" style="background:var(--inside)"></span>inside the margin')
    quantiles = np.quantile(facts.margins, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
    names = ["smallest", "5 %", "25 %", "median", "75 %", "95 %", "largest"]
    numbers = table(
        "Quantiles of the scores",
        ["share of rows", "score"],
        [[name, f"{value:.5g}"] for name, value in zip(names, quantiles.tolist(), strict=True)],
    )
    body = paragraph(f"{words}.") + margins_chart(report) + legend(items)
    return card("How far the rows are on their own side", body + fold("The numbers", numbers))


def support_card(report: Report) -> str:
    """Support vectors of both kinds."""
    if not report.support:
        return ""
    kinds = [kind for kind in KINDS if any(each.total(kind) for each in report.support)]
    perceptron = "updates" in kinds
    words = (
        "The weights are a sum over these rows alone, each as often as it was misclassified on the way."
        if perceptron
        else "The boundary is a weighted sum of these rows alone."
    )
    title = "Rows that caused updates" if perceptron else "Support vectors"
    items = [f'<span class="patch {kind}"></span>{escape(KINDS[kind])}' for kind in kinds]
    if len(report.support) == 1:
        rows = [
            [name, _stacked(counts, kinds), *(f"{counts.get(kind, 0):,}" for kind in kinds)]
            for name, counts in report.support[0].counts.items()
        ]
        head = ["class", "shares", *(_SHORT[kind] for kind in kinds)]
    else:
        rows = [
            [
                each.problem,
                _stacked(_totals(each, kinds), kinds),
                *(f"{each.total(kind):,}" for kind in kinds),
            ]
            for each in report.support[:_PROBLEMS]
        ]
        head = ["problem", "shares", *(_SHORT[kind] for kind in kinds)]
    left = len(report.support) - _PROBLEMS
    more = f"{left:,} further problems are not shown." if left > 0 else ""
    body = paragraph(words, more) + table("Rows by kind", head, rows, raw=(1,)) + legend(items)
    return card(title, body, wide=len(report.support) > 1)


_SHORT = {
    "slack": "inside or wrong",
    "margin": "on the margin",
    "beyond": "beyond it",
    "updates": "caused updates",
    "none": "no weight",
    "quiet": "caused none",
}


def _totals(each: SupportCounts, kinds: list[str]) -> dict[str, int]:
    return {kind: each.total(kind) for kind in kinds}


def _stacked(counts: dict[str, int], kinds: list[str]) -> str:
    total = max(1, sum(counts.values()))
    parts = "".join(
        f'<span class="patch {kind}" style="width:{100 * counts.get(kind, 0) / total:.1f}%"></span>'
        for kind in kinds
    )
    return f'<span class="stacked" aria-hidden="true">{parts}</span>'


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
        return card("How the fit went", paragraph(said))
    items = []
    if len(progress.curves) > 1:
        items = [
            f"{swatch('square', f'c{place % 6}')}{escape(curve.problem)}"
            for place, curve in enumerate(progress.curves)
        ]
    if falling and any(curve.proved.any() for curve in progress.curves):
        items.append(f"{swatch('circle', 'dot d0')}recomputed from the data")
    rows = [
        [
            curve.problem or "the problem",
            f"{curve.time[-1]:.3g}",
            f"{curve.values[-1]:.3g}",
            str(len(curve.values)),
        ]
        for curve in progress.curves
    ]
    numbers = table("At the end", ["problem", "seconds", progress.quantity, "records"], rows)
    body = paragraph(words) + progress_chart(progress) + legend(items)
    return card("How the fit went", body + fold("The numbers", numbers))


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
    body = table(f"Rows that cancel, {report.counted}", [report.row_word, "class", "weight"], rows, words=2)
    return card("Why no hyperplane separates the classes", paragraph(words) + body)


def about_card(report: Report) -> str:
    """The numbers of the fit."""
    return card("The fit in numbers", pairs(report.about) if report.about else "")
