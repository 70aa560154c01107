"""The picture of a search: one heat map of gamma and C for each kernel and scaling, as SVG.

Darker is better. The number in a cell is its accuracy in per cent; the frame is around the choice. A cell that a later
step judged on more rows has a line under its number.
"""

from __future__ import annotations

from html import escape
from typing import Any

from separatrix.validation.choose import Choice, Grid, Trial

CELL, HIGH, LEFT, TOP, GAP = 62, 30, 138, 62, 14
_LIGHT, _DARK = (236, 242, 248), (22, 82, 136)
_STYLE = """text { font: 13px system-ui, sans-serif; fill: #1b2733 }
.title { font-weight: 600 } .small { font-size: 12px; fill: #4a5a68 } .pale { fill: #fff }
.ground { fill: #fff }
@media (prefers-color-scheme: dark) {
  .ground { fill: #14191f } text { fill: #e4eaf0 } .small { fill: #a9b6c2 }
  .cell { fill: #1b2733 } .cell.pale { fill: #fff } }"""


def heat_maps(choice: Choice) -> str:
    """The whole picture, as the text of an SVG file."""
    grids = choice.grids()
    columns = max(len(grid.costs) for grid in grids)
    width = max(LEFT + columns * CELL + 24, 560)
    low = min(trial.accuracy for trial in choice.table)
    span = max(choice.best.accuracy - low, 1e-9)
    parts, y = [], TOP
    for grid in grids:
        parts.append(_map(grid, choice, low, span, y))
        y += len(grid.widths) * HIGH + 48 + GAP
    lines = [
        f'<text class="title" x="20" y="26">{escape(choice.sentence)}</text>',
        f'<text class="small" x="20" y="46">{escape(_legend(choice, low))}</text>',
    ]
    width = max(width, 40 + int(7.4 * max(len(choice.sentence), len(_legend(choice, low)))))
    label = escape(f"Accuracy of {len(choice.table)} settings; the best is {choice.sentence}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" role="img" '
        f'aria-label="{label}"><style>{_STYLE}</style><rect class="ground" width="100%" height="100%"/>'
        + "".join([*lines, *parts])
        + "</svg>\n"
    )


def _legend(choice: Choice, low: float) -> str:
    more = "; a line under a number: judged on more rows" if len(choice.steps) > 1 else ""
    return (
        f"accuracy in %, from {100 * low:.1f} to {100 * choice.best.accuracy:.1f}; the majority class alone "
        f"{100 * choice.baseline:.1f}{more}"
    )


def _map(grid: Grid, choice: Choice, low: float, span: float, top: int) -> str:
    out = [f'<text class="title" x="20" y="{top + 12}">{escape(grid.title)}</text>']
    head, body = top + 32, top + 40
    out.append(f'<text class="small" x="{LEFT - 8}" y="{head}" text-anchor="end">C =</text>')
    for c, cost in enumerate(grid.costs):
        x = LEFT + c * CELL + CELL / 2
        out.append(f'<text class="small" x="{x:g}" y="{head}" text-anchor="middle">{cost:g}</text>')
    for g, gamma in enumerate(grid.widths):
        y = body + g * HIGH
        if gamma is not None:
            shown = gamma if isinstance(gamma, str) else f"{gamma:.3g}"
            out.append(
                f'<text class="small" x="{LEFT - 8}" y="{y + 20}" text-anchor="end">{escape(f"gamma {shown}")}</text>'
            )
        for c, cost in enumerate(grid.costs):
            trial = grid.cells.get((gamma, cost))
            if trial is not None:
                out.append(_cell(trial, choice, (trial.accuracy - low) / span, LEFT + c * CELL, y))
    return "".join(out)


def _cell(trial: Trial, choice: Choice, share: float, x: int, y: int) -> str:
    share = min(1.0, max(0.0, share)) ** 2  # most settings are near the best: spread them
    colour = ",".join(str(round(a + (b - a) * share)) for a, b in zip(_LIGHT, _DARK, strict=True))
    pale = " pale" if share > 0.65 else ""
    later = ' text-decoration="underline"' if trial.rows > choice.steps[0][1] else ""
    chosen: Any = trial.setting == choice.best.setting
    frame = ' stroke="#c2410c" stroke-width="3"' if chosen else ""
    tip = (
        f"{trial.setting.words}: {100 * trial.accuracy:.2f} % +- {100 * trial.error:.2f}, {trial.rows:,} rows"
    )
    return (
        f'<g><title>{escape(tip)}</title><rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{HIGH - 2}" rx="3" '
        f'fill="rgb({colour})"{frame}/><text class="cell{pale}" x="{x + CELL / 2:g}" y="{y + 20}" '
        f'text-anchor="middle"{later}>{100 * trial.accuracy:.1f}</text></g>'
    )
