"""The table of estimates: as text of 80 columns, as HTML, as a data frame, as plain records."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: Columns of a terminal.
WIDTH = 80
#: Coefficients beyond which a text lists only those that are not finite.
MANY = 24
_NAME_WIDTH = 11
_MEANING = {
    "finite": "",
    "+inf": "grows without bound",
    "-inf": "falls without bound",
    "undetermined": "no limit: goes either way",
    "aliased": "a combination of columns before it",
}


def text_table(estimates: Mapping[str, str]) -> list[str]:
    """The table as lines of at most 80 characters; long tables list only what is not finite.

    >>> print(*text_table({"(intercept)": "finite", "NV": "+inf"}), sep="\\n")
      coefficient  estimate
      (intercept)  finite
      NV           +inf      grows without bound
    """
    shown = [(name, kind) for name, kind in estimates.items() if len(estimates) <= MANY or kind != "finite"]
    width = min(36, max([len("coefficient"), *(len(name) for name, _ in shown)]))
    wide = max([8, *(len(kind) for _, kind in shown)])
    lines = [f"  {'coefficient':<{width}}  estimate"]
    for name, kind in shown:
        lines.append(f"  {shortened(name, width):<{width}}  {kind:<{wide}}  {_MEANING[kind]}".rstrip())
    left_out = len(estimates) - len(shown)
    if left_out:
        lines.append(f"  and {left_out} coefficients with finite estimates")
    return lines


def shortened(name: str, width: int) -> str:
    """A name that fits, its middle left out.

    >>> shortened("C(country)[T.Liechtenstein]", 16)
    'C(count...stein]'
    """
    if len(name) <= width:
        return name
    tail = (width - 3) // 2
    return f"{name[: width - 3 - tail]}...{name[len(name) - tail :]}"


def paragraph(name: str, text: str) -> list[str]:
    """Words behind a name, wrapped to 80 columns."""
    lines = textwrap.wrap(text, WIDTH - _NAME_WIDTH - 1, break_long_words=False, break_on_hyphens=False) or [
        ""
    ]
    return [f"{name if k == 0 else '':<{_NAME_WIDTH}} {line}" for k, line in enumerate(lines)]


def html_table(estimates: Mapping[str, str]) -> str:
    """The table as HTML that takes its colours from the page; infinite estimates are bold and marked in words."""
    rows = "".join(
        f"<tr><th scope='row' style='text-align:left;font-weight:normal'>{html.escape(name)}</th><td "
        f"style='text-align:left'>{_strong(kind)}</td><td style='text-align:left'>{_MEANING[kind]}</td></tr>"
        for name, kind in estimates.items()
    )
    return (
        "<table><thead><tr><th style='text-align:left'>coefficient</th><th style='text-align:left'>estimate</th>"
        f"<th></th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _strong(kind: str) -> str:
    return kind if kind == "finite" else f"<strong>{kind}</strong>"


def listed(items: Iterable[Any], most: int = 8) -> str:
    """Items with commas, the end left out where there are many.

    >>> listed(range(3)), listed(range(100), 2)
    ('0, 1, 2', '0, 1, ...')
    """
    shown = list(items)
    return ", ".join(map(str, shown[:most])) + (", ..." if len(shown) > most else "")


def joined(items: Sequence[str]) -> str:
    """Items as words.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
