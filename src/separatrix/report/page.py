"""The report as one page: no scripts, no network, drawings inline, light or dark as the reader prefers."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import separatrix
from separatrix.report.cards import (
    about_card,
    cancelling_card,
    confusion_card,
    contradictions_card,
    margins_card,
    plane_card,
    progress_card,
    support_card,
    weights_card,
)
from separatrix.report.records import ProofRecord, Report
from separatrix.svg import escape

_TONES = {"proved": "✓ proved", "open": "○ not all is proved", "refuted": "✗ impossible, and proved so"}
_STYLE = Path(__file__).with_name("page.css")
#: Certificates shown on the page.
_SHOWN_PROOFS = 20


def page(report: Report) -> str:
    """The whole document."""
    narrow = [
        plane_card(report),
        margins_card(report),
        support_card(report),
        weights_card(report),
        confusion_card(report),
        progress_card(report),
    ]
    wide = [contradictions_card(report), _proof_card(report), about_card(report)]
    details = "".join(f"<p>{escape(detail)}</p>" for detail in report.details)
    return "".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="generator" content="separatrix ',
            escape(separatrix.__version__),
            '"><link rel="icon" href="data:,">',
            f"<title>{escape(report.title)}: {escape(report.verdict)}</title><style>",
            _STYLE.read_text(encoding="utf-8"),
            f'</style></head><body><header class="top"><h1>{escape(report.title)}</h1>',
            f'<div class="verdict {report.tone}"><span class="badge">{_TONES[report.tone]}</span>',
            f'<p class="sentence">{escape(report.verdict).replace(" %", "&nbsp;%")}</p>{details}</div>',
            f"{_numbers(report)}</header>",
            f'<main>{cancelling_card(report)}<div class="cards">{"".join(narrow)}</div>{"".join(wide)}</main>',
            f"<footer>Made by separatrix {escape(separatrix.__version__)}. Nothing on this page is loaded from ",
            "elsewhere, and nothing runs.</footer></body></html>\n",
        ]
    )


def _numbers(report: Report) -> str:
    known = dict(report.about)
    items = [("rows", f"{report.n_rows:,}"), ("columns", f"{report.n_columns:,}")]
    if report.rows is not None:
        share = 1.0 - report.rows.errors / max(1, report.n_rows)
        items.append(("of these rows right", f"{100.0 * share:.4g} %"))
    if report.support:
        used = sum(
            sum(c for k, c in counts.items() if k not in ("none", "quiet"))
            for counts in report.support[0].counts.values()
        )
        if len(report.support) == 1 and "support vectors" in known:
            items.append(("support vectors", f"{used:,}"))
    if report.geometric is not None:
        items.append(("width of the slab", f"{2 * report.geometric:.4g}"))
    items += [(name, known[name]) for name in ("updates", "passes") if name in known]
    if report.progress is not None:
        items.append(("seconds to fit", f"{report.progress.seconds:.3g}"))
    return (
        '<ul class="numbers">'
        + "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in items)
        + "</ul>"
    )


def _proof_card(report: Report) -> str:
    parts = [_proof(proof, place) for place, proof in enumerate(report.proofs[:_SHOWN_PROOFS])]
    left = len(report.proofs) - len(parts)
    if left > 0:
        parts.append(f'<p class="soft">And {left} more, one for each problem.</p>')
    commands = "".join(
        f'<p class="soft">{escape(words)}:</p><pre tabindex="0"><code>{escape(command)}</code></pre>'
        for command, words in report.commands
    )
    how = (
        "<h3>Check it yourself</h3><p>Nobody has to trust the program that found this answer. Save the certificate, "
        "then run one of these with the data:</p>" + commands
        if commands and any(proof.kind != "none" for proof in report.proofs)
        else ""
    )
    return f'<section class="card wide"><h2>The proof</h2>{"".join(parts)}{how}</section>'


def _proof(proof: ProofRecord, place: int) -> str:
    name = f"<h3>{escape(proof.problem)}</h3>" if proof.problem else ""
    if proof.kind == "none":
        return f"{name}<p>{escape(proof.claim)}</p>"
    marks = {
        "proved": ("proved", "✓ checked"),
        "conditional": ("open", "◐ proved only on a condition"),
        "rejected": ("refuted", "✗ rejected for these rows"),
        None: ("open", "○ not checked"),
    }
    tone, mark = marks[proof.outcome]
    reason = f" {escape(proof.reason)}" if proof.reason else ""
    return (
        f"{name}<p>{escape(proof.claim)}</p>"
        f'<p><span class="badge {tone}">{mark}</span>{reason}</p>{_save_link(proof, place)}'
    )


def _save_link(proof: ProofRecord, place: int) -> str:
    digest = f'<span class="digest">SHA-256 <code>{escape(proof.digest)}</code></span>'
    if proof.document is None:
        return f"<p>{digest}</p>"
    text = json.dumps(proof.document, ensure_ascii=True, separators=(",", ":"))
    data = base64.b64encode(text.encode("ascii")).decode("ascii")
    file = "certificate.json" if not place else f"certificate-{place + 1}.json"
    link = f'<a class="save" download="{file}" href="data:application/json;base64,{data}">Save {file}</a>'
    return f"<p>{link} {digest}</p>"
