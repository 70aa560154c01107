"""From measured points to a Markdown table: who reached what, when, and how many times faster."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

from benchmarks.methods import METHODS, OURS

TARGETS = (1e-2, 1e-3, 1e-6)
_OURS = {method.name for method in OURS}

Reached: TypeAlias = tuple[float, str, float]  # CPU seconds, method, accuracy


def suboptimality(point: dict[str, Any], optimum: float) -> float:
    """(primal - optimum) / optimum of one fit."""
    return (point["primal"] - optimum) / optimum


def _within(result: dict[str, Any], target: float, who: str) -> Iterator[tuple[dict[str, Any], str, float]]:
    """Every fit within the target, its method and its accuracy."""
    for run in result["runs"]:
        if (run["method"] in _OURS) is (who == "peer") or not METHODS[run["method"]].counted:
            continue
        for point in run["points"]:
            error = suboptimality(point, result["optimum"])
            if error <= target and (who != "proved" or point["gap"] <= target):
                yield point, run["method"], point["gap"] if who == "proved" else error


def fastest(result: dict[str, Any], target: float, who: str) -> Reached | None:
    """The quickest fit within the target: of a "peer", or of "ours" by the same rule; "proved": whose gap was too."""
    return min(
        ((point["cpu"], method, error) for point, method, error in _within(result, target, who)), default=None
    )


def credited(result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The methods and points that the cells of the table rest on, each once."""
    found: dict[int, tuple[str, dict[str, Any]]] = {}
    for target in TARGETS:
        for who in ("proved", "ours", "peer"):
            best = min(_within(result, target, who), key=lambda one: float(one[0]["cpu"]), default=None)
            if best is not None:
                found[id(best[0])] = best[1], best[0]
    return list(found.values())


def header() -> str:
    """The two lines that open the table."""
    columns = ("proved", "ours", "best peer", "ratio proved, ours")
    cells = ["problem", *(f"{column} to {target:.0e}" for target in TARGETS for column in columns)]
    return "| " + " | ".join(cells) + " |\n|" + "---|" * len(cells)


def row(result: dict[str, Any]) -> str:
    """One problem: CPU seconds (accuracy reached), and best peer / ours."""
    cells = [result["label"]]
    for target in TARGETS:
        proved, ours, peer = (fastest(result, target, who) for who in ("proved", "ours", "peer"))
        cells += [_time(proved), _time(ours), _time(peer), f"{_ratio(proved, peer)}, {_ratio(ours, peer)}"]
    proved_to = result["optimum_proved_to"]
    if proved_to is None or proved_to > 1.1e-9:
        cells[0] += " (optimum not proved to 1e-9)"
    return "| " + " | ".join(cells) + " |"


def _time(found: Reached | None) -> str:
    if found is None:
        return "-"
    seconds, method, error = found
    return f"{seconds:.3g} s, {method.replace('separatrix ', '')} ({max(error, 0.0):.0e})"


def _ratio(ours: Reached | None, peer: Reached | None) -> str:
    if ours is None:
        return "ours never" if peer else "neither"
    return f"**{peer[0] / ours[0]:.2f}**" if peer else "only ours"


def summary(results: list[dict[str, Any]]) -> str:
    """Geometric mean and smallest ratio per suite and accuracy, of proved answers and by the peers' own rule."""
    lines = [
        "",
        "| suite | accuracy | rule | problems | geometric mean | smallest | only ours | ours never |",
        "|" + "---|" * 8,
    ]
    for suite in dict.fromkeys(result["case"]["suite"] for result in results):
        members = [result for result in results if result["case"]["suite"] == suite]
        for target in TARGETS:
            for who in ("proved", "ours"):
                pairs = [(fastest(r, target, who), fastest(r, target, "peer")) for r in members]
                ratios = [peer[0] / ours[0] for ours, peer in pairs if ours and peer]
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
                alone = sum(peer is None and ours is not None for ours, peer in pairs)
                never = sum(ours is None for ours, _ in pairs)
                smallest = f"{min(ratios):.2f}" if ratios else "-"
                shown = f"{mean:.2f}" if ratios else "-"
                lines.append(
                    f"| {suite} | {target:.0e} | {who} | {len(pairs)} | {shown} | {smallest} | {alone} | {never} |"
                )
    return "\n".join(lines)
