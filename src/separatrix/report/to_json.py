"""The report as plain JSON values."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import separatrix
from separatrix.report.records import Report

FORMAT = "separatrix-report"
_PROOF_FIELDS = ("problem", "kind", "claim", "digest", "checked", "outcome", "reason")


def plain(report: Report) -> dict[str, Any]:
    """All but the pictures; a number that is not finite becomes null."""
    facts = report.rows
    out: dict[str, Any] = {
        "format": FORMAT,
        "version": 1,
        "separatrix": separatrix.__version__,
        "title": report.title,
        "verdict": report.verdict,
        "tone": report.tone,
        "details": report.details,
        "quality": None if report.quality is None else asdict(report.quality),
        "scores": {part.name: part.scores.record() for part in report.parts},
        "held_out": next((part.rows.tolist() for part in report.parts if part.name == "held out"), []),
        "settings": {each.name: each.value for each in report.settings},
        "columns": [asdict(each) for each in report.fields],
        "table": None if report.description is None else report.description.record(),
        "model": dict(report.about),
        "data": {"rows": report.n_rows, "columns": report.n_columns, "classes": report.class_counts},
        "proofs": [{name: getattr(proof, name) for name in _PROOF_FIELDS} for proof in report.proofs],
        "check": [command for command, _ in report.commands],
        "support": [{"problem": each.problem, "counts": each.counts} for each in report.support],
        "weights": {name: [asdict(each) for each in rows] for name, rows in report.weights.items()},
        "mistakes": [asdict(each) for each in report.mistakes],
        "cancelling": None if report.cancelling is None else asdict(report.cancelling),
        "progress": _progress(report),
    }
    if facts is not None:
        edges, counts = facts.histogram()
        out["errors"] = facts.errors
        out["confusion"] = {"classes": facts.names, "rows": facts.confusion().tolist()}
        out["margins"] = {
            "smallest": float(facts.margins.min()),
            "edges": edges.tolist(),
            "rows": dict(zip(facts.names, counts.tolist(), strict=True)),
        }
    return _finite(out)  # type: ignore[no-any-return]


def _progress(report: Report) -> Any:
    progress = report.progress
    if progress is None:
        return None
    return {
        "quantity": progress.quantity,
        "limit": progress.limit,
        "seconds": progress.seconds,
        "courses": [
            {
                "problem": curve.problem,
                "time": curve.time.tolist(),
                "values": curve.values.tolist(),
                "proved": curve.proved.tolist(),
            }
            for curve in progress.curves
        ],
    }


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
