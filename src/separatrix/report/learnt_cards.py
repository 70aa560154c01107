"""Cards on what the model learnt and from what: weights, the rows in a plane, the table, the settings."""

from __future__ import annotations

from separatrix.data.description import ABSENT, TableDescription
from separatrix.report.charts import axis_names, plane_chart, ringed, swatch
from separatrix.report.html_parts import card, legend, pairs, paragraph, signed_bar, table
from separatrix.report.records import Report, Weight
from separatrix.report.row_values import FieldRead
from separatrix.svg import escape, number, shape_of

#: Classes up to which the rows are drawn: more cannot be told apart in a plane; and classes that are counted.
_DRAWN, _CLASSES = 12, 40
#: Share of the largest effect below which the effects of a class come to nothing.
_IDLE = 0.01
#: Columns of the file that are described.
_COLUMNS = 60


def weights_card(report: Report) -> str:
    """Weights by name: a bar for each column, or for each class the columns that speak for and against it."""
    weights = {name: rows for name, rows in report.weights.items() if rows}
    if not weights or report.rows is None:
        return ""
    words = (
        "An effect is the weight of a column times its spread (standard deviation): what a typical change of the "
        "column adds to the score. The weight itself is for one unit of the column."
    )
    left = f"{report.weights_left:,} columns of less effect are not shown." if report.weights_left > 0 else ""
    if "" in weights:
        low, high = report.rows.names[:2]
        side = f"Bars show effects. To the right: speaks for {high}. To the left: for {low}."
        return card("What the columns weigh", paragraph(words, side, left) + _bars(weights[""]))
    planes = f"{report.planes_left:,} further problems are not shown." if report.planes_left > 0 else ""
    sizes = {name: max(abs(each.effect) for each in rows) for name, rows in weights.items()}
    idle = [name for name, size in sizes.items() if size < _IDLE * max(sizes.values())]
    flat = (
        f"Hardly any column changes the score of {', '.join(idle)}: it is about the same for every row."
        if idle
        else ""
    )
    rows = [[name, _spoken(each, True), _spoken(each, False)] for name, each in weights.items()]
    pairwise = len(weights) + report.planes_left > len(report.rows.names)
    head = ["pair", "for the first", "for the second"] if pairwise else ["class", "for it", "against it"]
    body = table("Columns that speak for and against, by their effect", head, rows, words=3, raw=(1, 2))
    return card("What the columns weigh", paragraph(words, left, planes, flat) + body, wide=True)


def _bars(weights: list[Weight]) -> str:
    largest = max(abs(each.effect) for each in weights)
    rows = [
        [each.column, number(each.effect), signed_bar(each.effect, largest), number(each.weight)]
        for each in weights
    ]
    return table("Columns by their effect", ["column", "effect", "drawn", "weight"], rows, words=1, raw=(2,))


def _spoken(weights: list[Weight], good: bool) -> str:
    shown = [each for each in weights if (each.effect > 0) == good]
    texts = [f"{each.column} ({number(each.effect)})" for each in shown] or ["none of the largest"]
    texts = [f"{text}," for text in texts[:-1]] + texts[-1:]
    return " ".join(f'<span class="whole">{escape(text)}</span>' for text in texts)


def plane_card(report: Report) -> str:
    """The rows in a plane."""
    picture, facts = report.picture, report.rows
    if picture is None or facts is None or len(picture.rows) == 0 or len(facts.classes) > _DRAWN:
        return ""
    items = [
        f"{swatch(shape_of(code), f'point c{code % 6}')}{escape(name)}"
        for code, name in enumerate(facts.names)
    ]
    rings = {
        "margin": "on the margin",
        "slack": "inside the margin or on the wrong side",
        "updates": "caused updates",
    }
    items += [f"{swatch('circle', f'ring {kind}')}{rings[kind]}" for kind in ringed(report)]
    if facts.errors:
        items.append(
            '<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">'
            '<path class="cross" d="M4 4l8 8m0 -8l-8 8"/></svg>misclassified'
        )
    some = ""
    if len(picture.rows) < len(facts.codes):
        some = f"{len(picture.rows):,} of {len(facts.codes):,} rows are drawn, the worst among them."
    names = zip(("Across", "Upwards"), picture.axes, axis_names(picture), strict=True)
    long = [f"{way}: {name}." for way, name, shown in names if shown != name]
    body = paragraph(picture.sentence, *long, some) + plane_chart(picture, report)
    return card("The rows and the boundary", body + legend(items))


def table_card(report: Report) -> str:
    """The data, and how the file was read."""
    classes = [f"{name}: {count:,}" for name, count in report.class_counts.items()]
    rows = [
        ("rows", f"{report.n_rows:,}"),
        ("columns", f"{report.n_columns:,}"),
        ("rows by class", ", ".join(classes[:_CLASSES]) + (", ..." if len(classes) > _CLASSES else "")),
    ]
    found = report.description
    if found is not None:
        rows += _said(found)
    if report.fields:
        rows[1] = ("columns", f"{len(report.fields):,}, which became {report.n_columns:,} columns of numbers")
    body = pairs(rows)
    if found is not None:
        body += "".join(f'<p class="warned">{escape(text)}</p>' for text in found.warnings)
    if report.fields:
        cells = {} if found is None else {each.name: each.missing for each in found.columns if each.missing}
        lines = [
            [each.name, each.kind, each.values, _missing(each, cells.get(each.name, 0))]
            for each in report.fields
        ]
        absent = [] if found is None else [each for each in found.columns if each.kind in ABSENT]
        lines += [[each.name, f"{each.kind}, not used", each.note, ""] for each in absent]
        head = ["column", "kind", "values", "where missing"]
        body += table("Columns of the file", head, lines[:_COLUMNS], words=4)
        if len(lines) > _COLUMNS:
            body += paragraph(f"{len(lines) - _COLUMNS:,} further columns are not shown.")
    return card("How the table was read" if report.fields else "The data", body)


def _missing(column: FieldRead, cells: int) -> str:
    """Return what a missing cell becomes, and how many there are."""
    return (f"{column.fill}" if column.fill else "refused") + (f" ({cells:,} cells)" if cells else "")


def _said(found: TableDescription) -> list[tuple[str, str]]:
    """The label, what was guessed about the file, and suspicious cells."""
    out, shown = [], False
    for name, text in found.lines():
        shown = name in ("label", "read with", "suspicious") or (not name and shown)
        out += [(name, text)] if shown else []
    return out


def settings_card(report: Report) -> str:
    """All settings of the model, those that were chosen first."""
    if not report.settings:
        return ""
    order = sorted(report.settings, key=lambda each: each.default)
    rows = [[each.name, each.value, "default" if each.default else "chosen"] for each in order]
    return card("The settings in full", table("Settings", ["setting", "value", "origin"], rows, words=3))
