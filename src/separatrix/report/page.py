"""The page of a report: what was learnt and how good it is first, then the proof, the optimisation last."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import separatrix
from separatrix.report.fit_cards import (
    about_card,
    cancelling_card,
    margins_card,
    progress_card,
    support_card,
)
from separatrix.report.good_cards import (
    calibration_card,
    classes_card,
    confusion_card,
    curves_cards,
    mistakes_card,
    scores_card,
)
from separatrix.report.html_parts import card, fold, paragraph, table
from separatrix.report.learnt_cards import plane_card, settings_card, table_card, weights_card
from separatrix.report.records import ProofRecord, Report
from separatrix.report.svg import escape
from separatrix.validation.scores import area, percentage

_TONES = {"proved": "✓ proved", "open": "○ not all is proved", "refuted": "✗ impossible, and proved so"}
_QUALITY = {
    "better": "better than no model",
    "no-better": "not clearly better than no model",
    "unknown": "not measured on new rows",
}
_STYLE = Path(__file__).with_name("page.css")
#: Certificates shown on the page.
_SHOWN_PROOFS = 40


def page(report: Report) -> str:
    """The whole document."""
    wide = len(report.class_counts) > 8
    sections = [
        (
            "good",
            "How good it is",
            [scores_card(report), classes_card(report), "" if wide else confusion_card(report)],
            curves_cards(report) + calibration_card(report),
            (confusion_card(report) if wide else "") + mistakes_card(report),
        ),
        ("learnt", "What it learnt", [plane_card(report)], "", ""),
        ("data", "The data and the settings", [table_card(report), settings_card(report)], "", ""),
        ("proof", "The proof", [], "", _proof_cards(report)),
        (
            "fit",
            "The optimisation, for those who want it",
            [margins_card(report), progress_card(report), about_card(report), cancelling_card(report)],
            "",
            "",
        ),
    ]
    weights, support = weights_card(report), support_card(report)
    made = []
    for name, title, narrow, more, below in sections:
        cards = [*narrow, more]
        extra = {"learnt": weights, "fit": support}.get(name, "")
        if 'class="card wide"' in extra:
            below += extra
        else:
            cards.append(extra)
        body = (f'<div class="cards">{"".join(cards)}</div>' if any(cards) else "") + below
        if body:
            made.append((name, title, f'<section id="{name}"><h2>{title}</h2>{body}</section>'))
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title, _ in made)
    return "".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="generator" content="separatrix ',
            escape(separatrix.__version__),
            '"><link rel="icon" href="data:,">',
            f"<title>{escape(report.title)}: {escape(_headline(report))}</title><style>",
            _STYLE.read_text(encoding="utf-8"),
            f'</style></head><body><header class="top"><h1>{escape(report.title)}</h1>',
            f"{_quality(report)}{_verdict(report)}",
            f'<nav aria-label="Parts of this page">{links}</nav></header>',
            f"<main>{''.join(body for _, _, body in made)}</main>",
            f"<footer>Made by separatrix {escape(separatrix.__version__)}. Nothing on this page is loaded from ",
            "elsewhere, and nothing runs.</footer></body></html>\n",
        ]
    )


def _headline(report: Report) -> str:
    return report.verdict if report.quality is None else report.quality.headline


def _quality(report: Report) -> str:
    found = report.quality
    if found is None:
        return ""
    sentences = "".join(paragraph(detail) for detail in found.details)
    return (
        f'<div class="verdict {found.tone}"><span class="badge">{_QUALITY[found.tone]}</span>'
        f'<p class="sentence">{escape(found.headline).replace(" %", "&nbsp;%")}</p>{sentences}</div>{_numbers(report)}'
    )


def _verdict(report: Report) -> str:
    """The proof in one sentence: large where the report is about nothing else, and small below what is good."""
    alone = report.quality is None
    details = "".join(paragraph(detail) for detail in report.details)
    words = escape(report.verdict).replace(" %", "&nbsp;%")
    if not alone:
        words += " This is about the computation, not about how good the model is."
    kind, size = (report.tone, "sentence") if alone else (f"{report.tone} small", "said")
    return (
        f'<div class="verdict {kind}"><span class="badge">{_TONES[report.tone]}</span>'
        f'<p class="{size}">{words}</p>{details if alone else ""}</div>'
    )


def _numbers(report: Report) -> str:
    found = report.parts[0].scores
    items = [
        (f"right, of {found.rows:,} rows {report.parts[0].name}", percentage(found.accuracy)),
        (f"by always answering {found.majority}", percentage(found.baseline)),
        ("balanced accuracy", percentage(found.balanced_accuracy)),
    ]
    if found.roc_auc is not None:
        items.append(("ROC AUC", area(found.roc_auc)))
    if len(report.parts) > 1:
        last = report.parts[-1]
        items.append((f"right, of the rows {last.name}", percentage(last.scores.accuracy)))
    return (
        '<ul class="numbers">'
        + "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in items)
        + "</ul>"
    )


def _proof_cards(report: Report) -> str:
    details = "".join(paragraph(detail) for detail in report.details) if report.quality is not None else ""
    shown = report.proofs[:_SHOWN_PROOFS]
    body = _several(report, shown) if len(shown) > 1 else "".join(_proof(proof, 0) for proof in shown)
    commands = "".join(
        f'<p class="soft">{escape(words)}:</p><pre tabindex="0"><code>{escape(command)}</code></pre>'
        for command, words in report.commands
    )
    how = "Nobody has to trust the program that found this answer. Run one of these where the data are:"
    made = card("What is proved", details + body, wide=True)
    return made + (card("Check it yourself", paragraph(how) + commands, wide=True) if commands else "")


def _several(report: Report, shown: list[ProofRecord]) -> str:
    """A line for each of many certificates; their statements are folded away."""
    good = sum(proof.checked is True for proof in report.proofs)
    rows = [[proof.problem, _MARKS[proof.outcome][1] if proof.kind != "none" else "none"] for proof in shown]
    left = len(report.proofs) - len(shown)
    words = f"{good:,} of {len(report.proofs):,} certificates were checked and hold, one for each problem."
    more = f"The first {len(shown)} are shown." if left > 0 else ""
    each = "".join(_proof(proof, place) for place, proof in enumerate(shown))
    return (
        paragraph(words, more)
        + fold("The certificates", table("Certificates", ["problem", "checked"], rows, words=2))
        + fold("Every statement in full, and the certificates to save", each)
    )


_MARKS = {
    "proved": ("proved", "✓ checked"),
    "conditional": ("open", "◐ proved only on a condition"),
    "rejected": ("refuted", "✗ rejected for these rows"),
    None: ("open", "○ not checked"),
}


def _proof(proof: ProofRecord, place: int) -> str:
    name = f"<h4>{escape(proof.problem)}</h4>" if proof.problem else ""
    if proof.kind == "none":
        return f"{name}<p>{escape(proof.claim)}</p>"
    tone, mark = _MARKS[proof.outcome]
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
