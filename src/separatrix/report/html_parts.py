"""Pieces of HTML that every card is made of: a card, a table that scrolls, bars, and a fold."""

from __future__ import annotations

from collections.abc import Sequence

from separatrix.svg import escape


def card(title: str, body: str, wide: bool = False) -> str:
    """A titled box; nothing where there is nothing to show."""
    if not body:
        return ""
    return f'<section class="card{" wide" if wide else ""}"><h3>{escape(title)}</h3>{body}</section>'


def paragraph(*sentences: str) -> str:
    """Sentences as one paragraph; per cent signs stay with their numbers."""
    return f"<p>{escape(' '.join(each for each in sentences if each)).replace(' %', '&nbsp;%')}</p>"


def fold(summary: str, body: str) -> str:
    """Further detail that a reader may open."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>" if body else ""


def legend(items: Sequence[str]) -> str:
    """Marks and their meaning."""
    return f'<ul class="legend">{"".join(f"<li>{item}</li>" for item in items)}</ul>' if items else ""


def scrolling(caption: str, table: str) -> str:
    """A table in a box that scrolls sideways, with a mark at the edge beyond which there is more."""
    label = f'tabindex="0" role="group" aria-label="{escape(caption)}"'
    said = f'<p class="caption">{escape(caption)}</p>'
    return f'{said}<div class="box"><div class="scroll" {label}>{table}</div></div>'


def table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    words: int = 1,
    raw: Sequence[int] = (),
    long: int | None = None,
) -> str:
    """A table whose first ``words`` columns are texts; the first cell heads its row.

    Cells of the columns ``raw`` are HTML already; the column ``long`` holds long texts.
    """

    def kind(i: int) -> str:
        return ' class="long"' if i == long else ' class="words"' if i < words else ""

    top = "".join(f'<th scope="col"{kind(i)}>{escape(name)}</th>' for i, name in enumerate(head))
    lines = []
    for row in rows:
        cells = [cell if i in raw else escape(cell).replace(" %", "&nbsp;%") for i, cell in enumerate(row)]
        others = "".join(f"<td{kind(i)}>{cell}</td>" for i, cell in enumerate(cells[1:], 1))
        lines.append(f'<tr><th scope="row">{cells[0]}</th>{others}</tr>')
    body = f"<thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return scrolling(caption, f'<table aria-label="{escape(caption)}">{body}</table>')


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Names and values without a head."""
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows
    )
    return f'<table class="about"><tbody>{lines}</tbody></table>'


def share_bar(share: float | None, said: str, kind: str = "c0") -> str:
    """A number with a bar below it as long as the share of the cell that it is."""
    if share is None:
        return "none"
    text = escape(said).replace(" %", "&nbsp;%")
    width = f"{100 * min(1.0, max(0.0, share)):.1f}"
    return f'{text}<span class="meter"><span class="{kind}" style="width:{width}%"></span></span>'


def signed_bar(value: float, largest: float) -> str:
    """A bar to the right of the middle for a positive value, to the left for a negative one."""
    width = f"{50 * min(1.0, abs(value) / largest):.1f}" if largest > 0 else "0"
    side = "left:50%" if value >= 0 else "right:50%"
    kind = "c1" if value >= 0 else "c0"
    return f'<span class="signed" aria-hidden="true"><span class="{kind}" style="{side};width:{width}%"></span></span>'
