"""Cards on how good the model is: scores, classes, confusions, curves, calibration, and the rows it gets wrong."""

from __future__ import annotations

from separatrix.report.charts import swatch
from separatrix.report.curves import (
    precision_recall_chart,
    reliability_chart,
    roc_chart,
    shown_classes,
)
from separatrix.report.html_parts import card, fold, legend, paragraph, scrolling, share_bar, table
from separatrix.report.quality import PARTS
from separatrix.report.records import Part, Report, WrongRow
from separatrix.svg import escape
from separatrix.validation.scores import ClassScores, Scores, area, percentage

#: Classes up to which the confusion matrix shows rates with its counts; up to which it is shown at all.
_RATES, _MATRIX = 8, 30
#: Classes whose scores are shown, and confusions that are listed.
_CLASSES, _CONFUSIONS = 40, 10


def scores_card(report: Report) -> str:
    """Scores of each part side by side, with the baseline."""
    if not report.parts:
        return ""
    head = ["score", *(f"{part.name} ({part.scores.rows:,} rows)" for part in report.parts)]
    many = len(report.parts[0].scores.classes) > 2
    lines: list[tuple[str, list[str]]] = [
        ("accuracy", [percentage(part.scores.accuracy) for part in report.parts]),
        ("the most frequent class alone", [_baseline(part.scores) for part in report.parts]),
        ("balanced accuracy", [percentage(part.scores.balanced_accuracy) for part in report.parts]),
        (
            "ROC AUC" + (", mean over classes" if many else ""),
            [_real(p.scores.roc_auc) for p in report.parts],
        ),
        ("average precision", [_real(part.scores.average_precision) for part in report.parts]),
    ]
    if report.parts[0].scores.brier is not None:
        lines.append(("Brier score", [_real(part.scores.brier) for part in report.parts]))
        lines.append(("log loss", [_real(part.scores.log_loss) for part in report.parts]))
    words = "Balanced accuracy is the share of rows found, averaged over the classes; guessing reaches "
    words += (
        f"{percentage(1 / len(report.parts[0].scores.classes))}. ROC AUC is 0.5 by guessing and 1 at best."
    )
    body = table("Scores", head, [[name, *values] for name, values in lines])
    return card("Scores", paragraph(words) + body)


def _baseline(found: Scores) -> str:
    return f"{percentage(found.baseline)} ({found.majority})"


def _real(value: float | None) -> str:
    return "not known" if value is None else area(value)


def classes_card(report: Report) -> str:
    """Recall, precision and F1 of each class; of many, the worst first."""
    if not report.parts:
        return ""
    found = report.parts[0].scores
    many = len(found.classes) > 4
    order = sorted(found.classes, key=lambda each: _recall(each)) if many else found.classes
    rows = [
        [
            each.name,
            f"{each.support:,}",
            share_bar(each.recall, percentage(_recall(each))),
            share_bar(each.precision, percentage(each.precision or 0.0), "c2"),
            _real(each.f1),
            _real(each.roc_auc),
        ]
        for each in order[:_CLASSES]
    ]
    words = "Found is the share of its rows that the model recognises (recall); right when said is the share of the "
    words += "rows given this class that belong to it (precision)."
    if many:
        words += " The class that is found least comes first."
    if len(order) > _CLASSES:
        words += f" {len(order) - _CLASSES:,} classes that are found more often are not shown."
    head = ["class", "rows", "found", "right when said", "F1", "ROC AUC"]
    body = table(f"Classes, {_of(report.parts[0])}", head, rows, raw=(2, 3))
    return card("Class by class", paragraph(words) + body)


def _recall(each: ClassScores) -> float:
    return 1.0 if each.recall is None else each.recall


def _of(part: Part) -> str:
    return part.name if part.name == "other rows" else f"rows {part.name}"


def confusion_card(report: Report) -> str:
    """The confusion matrix with rates; for many classes as a map of colours, with the most frequent confusions."""
    if not report.parts:
        return ""
    part = report.parts[0]
    k = len(part.scores.classes)
    matrix = _matrix(part) if k <= _MATRIX else ""
    body = (
        f'<div class="side"><div>{matrix}</div><div>{_frequent(part)}</div></div>' if k > _RATES else matrix
    )
    return card("Who is taken for whom", body, wide=k > _RATES)


def _matrix(part: Part) -> str:
    found = part.scores
    k, rates = len(found.classes), len(found.classes) <= _RATES
    head = "".join(f'<th scope="col">{escape(each.name)}</th>' for each in found.classes)
    lines = []
    for i, each in enumerate(found.classes):
        total = max(1, each.support)
        cells = []
        for j, count in enumerate(found.confusion[i].tolist()):
            share = count / total
            text = f"{count:,}" if count or rates else ""
            if rates:
                text += f' <span class="rate">{percentage(share).replace(" %", "&nbsp;%")}</span>'
            strength = (38.0 if i == j else 60.0) * share
            if count and not rates:
                strength = max(strength, 6.0)
            cells.append(
                f'<td class="{"right" if i == j else "off"}" style="--share:{strength:.0f}%">{text}</td>'
            )
        lines.append(f'<tr><th scope="row">{escape(each.name)}</th>{"".join(cells)}</tr>')
    caption = f"Rows by their class (down) and the class they are given (across), {_of(part)}"
    kind = "confusion" if rates else f"confusion dense{' crowd' if k > 12 else ''}"
    body = (
        f'<table class="{kind}" aria-label="{escape(caption)}">'
        f'<thead><tr><th scope="col">is \\ given</th>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    )
    words = "Per cent are of the rows of the class." if rates else "An empty cell is a zero."
    return paragraph(words) + scrolling(caption, body)


def _frequent(part: Part) -> str:
    found = part.scores
    k = len(found.classes)
    pairs = [(int(found.confusion[i, j]), i, j) for i in range(k) for j in range(k) if i != j]
    worst = sorted((pair for pair in pairs if pair[0]), reverse=True)[:_CONFUSIONS]
    rows = [
        [
            found.classes[i].name,
            found.classes[j].name,
            f"{count:,}",
            percentage(count / found.classes[i].support),
        ]
        for count, i, j in worst
    ]
    if not rows:
        return paragraph("No row is taken for another class.")
    return table(
        "The most frequent confusions", ["is", "was taken for", "rows", "of its rows"], rows, words=2
    )


def curves_cards(report: Report) -> str:
    """ROC and precision-recall curves."""
    parts = report.parts
    if not parts or parts[0].scores.roc_auc is None:
        return ""
    first = parts[0].scores
    marks = _curve_legend(parts)
    if len(first.classes) == 2:
        name = first.classes[1].name
        words = f"Rows ordered by their score for {name}, and every threshold tried."
        part = percentage(first.classes[1].support / first.rows)
        guess = f"The dashed line is guessing: {part} of the rows are {name}."
    else:
        words, guess = "Each class against all others, at every threshold of its score.", ""
    roc = paragraph(words, "The dashed diagonal is guessing.") + roc_chart(parts) + marks
    precision = paragraph(words, guess) + precision_recall_chart(parts) + marks
    return card("Finding rows and raising false alarms (ROC)", roc) + card("Precision and recall", precision)


def _curve_legend(parts: list[Part]) -> str:
    each, shown = parts[0].scores.classes, shown_classes(parts[0])
    if len(each) == 2:
        items = [_line("d0", _of(parts[0]), each[1].roc_auc)]
        if len(parts) > 1:
            items.append(_line("faint dotted", _of(parts[-1]), parts[-1].scores.classes[1].roc_auc))
        return legend(items)
    items = [_line(kind, each[code].name, each[code].roc_auc) for code, kind in shown if kind != "faint"]
    others = [code for code, kind in shown if kind == "faint"]
    if others:
        items.append(_line("faint", f"the {len(others)} other classes, all with larger areas", None))
    return legend(items)


def _line(kind: str, words: str, below: float | None) -> str:
    said = "" if below is None else f", ROC AUC {area(below)}"
    return (
        '<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">'
        f'<path class="course {kind}" d="M1 8H15"/></svg>{escape(words)}{said}'
    )


def calibration_card(report: Report) -> str:
    """The reliability diagram of the probabilities."""
    facts = report.rows
    if facts is None or facts.chances is None or not report.parts:
        return ""
    part = report.parts[0]
    drawing, rows = reliability_chart(part)
    names = facts.names
    of = f"of {names[1]}" if len(names) == 2 else "of the class that it predicts"
    words = (
        f"Of the rows to which the model gives a certain probability {of}, so many should come true: points on the "
        "dashed diagonal are honest, points below it claim too much. A larger circle is more rows."
    )
    if part.name in ("learnt from", "calibrated on"):
        words += f" These are {PARTS[part.name]}, so this says little about new ones."
    head = ["probability", "came true", "rows"]
    numbers = fold("The numbers", table("Probability and outcome", head, rows))
    marks = legend([f"{swatch('circle', 'dot d0')}{escape(_of(part))}"])
    return card("Do its probabilities come true?", paragraph(words) + drawing + marks + numbers)


def mistakes_card(report: Report) -> str:
    """The rows that it gets wrong, with their values."""
    if not report.parts:
        return ""
    body = ""
    for place, part in enumerate(report.parts):
        rows = [each for each in report.mistakes if each.part == part.name]
        if not rows:
            body += paragraph(f"None of the {part.scores.rows:,} {_of(part)} is wrong.")
            continue
        left = report.mistakes_left.get(part.name, 0)
        shown = f"The {len(rows)} worst of {len(rows) + left:,}" if left else f"All {len(rows)}"
        counted = f"by their row in {report.test_file}" if part.name == "tested on" else report.counted
        caption = f"{shown}, {_of(part)}; {counted}"
        made = _mistakes(caption, rows, report)
        body += made if place == 0 else fold(f"Wrong among the {_of(part)}", made)
    words = (
        "Wrongly labelled, unusual, or simply hard: these rows are worth a look. The score is how far a row is on the "
        "wrong side, the worst first."
    )
    return card("The rows it gets wrong", paragraph(words) + body, wide=True)


def _mistakes(caption: str, rows: list[WrongRow], report: Report) -> str:
    chances, opposing = rows[0].chance is not None, any(each.opposing for each in rows)
    names = [name for name, _ in rows[0].values]
    if report.values_left > 0:
        caption += f"; {len(names)} of {len(names) + report.values_left:,} columns, those that matter most"
    head = [report.row_word, "is", "given", *(["probability"] if chances else []), "score", *names]
    head += ["pulled there most by (share of the score)"] if opposing else []
    lines = []
    for each in rows:
        line = [str(each.number), each.label, each.predicted]
        line += [percentage(each.chance)] if each.chance is not None else []
        line += [f"{each.margin:.4g}", *(value for _, value in each.values)]
        if opposing:
            line.append(", ".join(f"{name} ({value:.3g})" for name, value in each.opposing))
        lines.append(line)
    return table(caption, head, lines, words=3, long=len(head) - 1 if opposing else None)
