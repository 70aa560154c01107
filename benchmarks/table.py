"""From measured points to a Markdown table: who reached what, when, and how many times faster."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.methods import METHODS, OURS

TARGETS = (1e-2, 1e-3, 1e-6)
_OURS = {method.name for method in OURS}


def suboptimality(point: dict[str, Any], optimum: float) -> float:
    """(primal - optimum) / optimum of one fit."""
    return (point["primal"] - optimum) / optimum


def fastest(result: dict[str, Any], target: float, *, ours: bool) -> tuple[float, str, float] | None:
    """(CPU seconds, method, accuracy) of the quickest fit within the target; ours must have proved it."""
    reached = []
    for run in result["runs"]:
        if (run["method"] in _OURS) is not ours or not METHODS[run["method"]].counted:
            continue
        for point in run["points"]:
            error = suboptimality(point, result["optimum"])
            if error <= target and (not ours or point["gap"] <= target):
                reached.append((point["cpu"], run["method"], point["gap"] if ours else error))
    return min(reached, default=None)


def header() -> str:
    """The two lines that open the table."""
    cells = [
        "problem",
        *(f"{who} to {target:.0e}" for target in TARGETS for who in ("ours", "best peer", "ratio")),
    ]
    return "| " + " | ".join(cells) + " |\n|" + "---|" * len(cells)


def row(result: dict[str, Any]) -> str:
    """One problem: CPU seconds (accuracy reached), and best peer / ours."""
    cells = [result["label"]]
    for target in TARGETS:
        ours, peer = fastest(result, target, ours=True), fastest(result, target, ours=False)
        cells += [_time(ours), _time(peer), _ratio(ours, peer)]
    proved = result["optimum_proved_to"]
    if proved is None or proved > 1.1e-9:
        cells[0] += " (optimum not proved to 1e-9)"
    return "| " + " | ".join(cells) + " |"


def _time(found: tuple[float, str, float] | None) -> str:
    if found is None:
        return "-"
    seconds, method, error = found
    return f"{seconds:.3g} s, {method.replace('separatrix ', '')} ({max(error, 0.0):.0e})"


def _ratio(ours: tuple[float, str, float] | None, peer: tuple[float, str, float] | None) -> str:
    if ours is None:
        return "ours never" if peer else "neither"
    return f"**{peer[0] / ours[0]:.2f}**" if peer else "only ours"


def summary(results: list[dict[str, Any]]) -> str:
    """Geometric mean and smallest ratio per suite and accuracy."""
    lines = [
        "",
        "| suite | accuracy | problems | geometric mean | smallest | only ours | ours never |",
        "|" + "---|" * 7,
    ]
    for suite in dict.fromkeys(result["case"]["suite"] for result in results):
        members = [result for result in results if result["case"]["suite"] == suite]
        for target in TARGETS:
            pairs = [(fastest(r, target, ours=True), fastest(r, target, ours=False)) for r in members]
            ratios = [peer[0] / ours[0] for ours, peer in pairs if ours and peer]
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
            alone = sum(peer is None and ours is not None for ours, peer in pairs)
            never = sum(ours is None for ours, _ in pairs)
            smallest = f"{min(ratios):.2f}" if ratios else "-"
            shown = f"{mean:.2f}" if ratios else "-"
            lines.append(
                f"| {suite} | {target:.0e} | {len(pairs)} | {shown} | {smallest} | {alone} | {never} |"
            )
    return "\n".join(lines)
