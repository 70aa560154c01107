"""A verdict in words, as a table, as HTML, as a data frame, as JSON and as a picture: the methods of `Separability`."""

from __future__ import annotations

import html
import textwrap
from functools import cached_property
from typing import Any

import numpy as np

from separatrix.problem import is_sparse
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import picture
from separatrix.separability.causes import Causes, find_causes
from separatrix.separability.estimates_table import (
    WIDTH,
    html_table,
    joined,
    listed,
    paragraph,
    text_table,
)
from separatrix.separability.outcomes import joint_question, ordinal_question
from separatrix.separability.overlap import decide
from separatrix.separability.remedies import Case, Remedy, remedies
from separatrix.separability.terms import ModelFacts, Term

_SENTENCES = {
    "separable": "Complete separation: every row can be predicted with certainty, and no maximum-likelihood estimate "
    "exists.",
    "quasi-separable": "Quasi-complete separation: some maximum-likelihood estimates are infinite.",
    "inseparable": "Overlap: every maximum-likelihood estimate that is determined is finite.",
}


class Presentation:
    """Words, tables and pictures of a verdict."""

    model: ModelFacts

    # -- facts ------------------------------------------------------------------------------------------

    def _terms(self: Any) -> tuple[Term, ...]:
        if self.model.terms:
            return tuple(self.model.terms)
        return tuple(Term(name, (j,)) for j, name in enumerate(self._data.column_names()))

    def _codes(self: Any) -> Any:
        """Number of the class of each row that takes part."""
        y = np.asarray(self._data.y)
        own = y if self._data.members is None else y[self._data.members]
        codes = np.zeros(len(own), dtype=np.intp)
        for code, label in enumerate(self.positive):
            codes[own == label] = code
        return codes

    @cached_property
    def causes(self: Any) -> Causes | None:
        """The smallest sets of terms whose removal ends the separation, and merges of levels that do.

        None where nothing is separated, or X is sparse.
        """
        X = self._question.plain.X
        if self.verdict == "inseparable" or is_sparse(X):
            return None
        infinite, blocks = set(self._estimates.infinite.tolist()), self._question.blocks
        suspects = [
            term
            for term in self._terms()
            if len(self._estimates.aliased) or any(c in infinite for j in term.columns for c in blocks[j])
        ]
        work = float(self._rows.n) * self._rows.D**2
        return find_causes(np.asarray(X), suspects, self._support, work)

    def _support(self: Any, X: Any) -> Any:
        """Columns that a direction which separates X (n, k) uses; None if X overlaps."""
        if not X.shape[1]:
            return None
        X = np.ascontiguousarray(X)
        names = tuple(map(str, range(X.shape[1])))
        kind = self._question.kind
        if kind == "two":
            rows = SignedRows(X, self._rows.y, self.bias)
            blocks: Any = tuple((j,) for j in range(X.shape[1]))
        else:
            codes = self._codes()
            question = (
                joint_question(X, codes, self.positive, self.bias, names)
                if kind == "joint"
                else ordinal_question(X, codes, self.positive, names)
            )
            rows, blocks = question.rows, question.blocks
        decision = decide(rows)
        if len(decision.tied) == rows.n:
            return None
        return np.array([any(decision.z[c] for c in blocks[j]) for j in range(X.shape[1])])

    @property
    def infinite(self: Any) -> list[str]:
        """Names of the coefficients that are neither finite nor aliased; their signs are in `estimates`."""
        infinite = set(self._estimates.infinite.tolist())
        return [self._question.names[c] for c in self._question.order.tolist() if c in infinite]

    @property
    def design(self: Any) -> tuple[Any, Any]:
        """The columns (n, d) and labels (n,) that the verdict and its certificates are about."""
        return self._data.X, self._data.y

    @cached_property
    def separated_rows(self: Any) -> Any:
        """Rows of X strictly on their side of the line; with many classes, of the line towards some other class.

        The fitted probability of the other side goes to 0 for them. They cause the separation; all other rows lie
        exactly on the line, and pin the estimates that are finite.
        """
        strict = np.ones(self._rows.n, dtype=bool)
        strict[self.decision.tied] = False
        return self._data.rows_given(np.unique(self._question.owners[strict]))

    def _rows_on_the_line(self: Any) -> Any:
        return np.setdiff1d(self._data.rows_given(np.arange(self._question.plain.n)), self.separated_rows)

    @cached_property
    def remedies(self: Any) -> list[Remedy]:
        """Remedies: each in two sentences, with its reference and the call that does it."""
        words = self.estimates
        infinite = {name: word for name, word in words.items() if word not in ("finite", "aliased")}
        aliased = tuple(name for name, word in words.items() if word == "aliased")
        kind = self._question.kind
        return remedies(
            Case(self.verdict, kind, infinite, aliased, self.causes, self.model.formula, self.model.counts)
        )

    # -- words ------------------------------------------------------------------------------------------

    def _paragraphs(self: Any) -> list[tuple[str, str]]:
        """Names and sentences that go with the table."""
        out: list[tuple[str, str]] = []
        if self.causes is not None:
            out += _cause_sentences(self.causes)
        if self.verdict != "inseparable":
            off, on = self.model.rows_of(self.separated_rows), self.model.rows_of(self._rows_on_the_line())
            fate = "from the other class" if self._question.kind == "two" else "from some other class"
            out.append(("Rows", f"{len(off)} rows are separated {fate}: {listed(off)} (counted from 0)."))
            if on:
                several = "rows lie" if len(on) > 1 else "row lies"
                out.append(("", f"{len(on)} {several} exactly on the line: {listed(on)}"))
        out += [("Note", note) for note in self.model.notes]
        return out

    def _heading(self: Any) -> str:
        outcome = f" of {self.model.outcome}" if self.model.outcome else ""
        source = f" in {self.model.formula or self.model.source + outcome}" if self.model.source else ""
        rows = self.model.rows_of(self._data.rows_given(np.arange(self._question.plain.n)))
        columns = self._question.plain.d
        return f"Separation{source}: {len(rows):,} rows, {columns:,} column{'s' if columns > 1 else ''}"

    def _sides(self: Any) -> str:
        """The direction in which an infinite estimate counts, in a sentence; nothing where it goes without saying."""
        if self._question.kind != "two" or self.verdict == "inseparable":
            return ""
        sides = ("success", "failure") if self.model.counts else (self.positive[0], self.negative[0])
        return f"Infinite estimates are for the odds of {sides[0]} against {sides[1]}."

    def summary(self: Any) -> str:
        """The whole answer as text of 80 columns: verdict, table of estimates, causes, rows, remedies."""
        lines = [*textwrap.wrap(self._heading(), WIDTH), ""]
        lines += textwrap.wrap(_SENTENCES[self.verdict], WIDTH)
        lines += textwrap.wrap(self._sides(), WIDTH)
        lines += ["", *text_table(self.estimates), ""]
        for name, text in self._paragraphs():
            lines += paragraph(name, text)
        for number, remedy in enumerate(self.remedies, 1):
            lines += ["", f"{number}. {remedy.name}"]
            lines += [line[8:] for line in paragraph("", f"{remedy.text} {remedy.reference}.")]
            lines += [f"       >>> {call}" for call in remedy.call.splitlines()]
        return "\n".join(line.rstrip() for line in lines).rstrip()

    def _repr_html_(self: Any) -> str:
        sentences = "".join(f"<p>{html.escape(text)}</p>" for _, text in self._paragraphs())
        drawing = picture.svg(picture.positions(self)) if self.verdict != "inseparable" else ""
        items = "".join(
            f"<li><p><strong>{html.escape(r.name)}.</strong> {html.escape(r.text)} "
            f"<em>{html.escape(r.reference)}.</em></p>"
            + (f"<pre>{html.escape(r.call)}</pre>" if r.call else "")
            + "</li>"
            for r in self.remedies
        )
        advice = f"<details><summary>What to do about it</summary><ol>{items}</ol></details>" if items else ""
        return (
            f"<section><p><strong>{html.escape(_SENTENCES[self.verdict])}</strong><br>{html.escape(self._heading())}"
            f"<br>{html.escape(self._sides())}</p>"
            f"{html_table(self.estimates)}{sentences}{drawing}{advice}</section>"
        )

    # -- data -------------------------------------------------------------------------------------------

    def to_frame(self: Any) -> Any:
        """The table of estimates as a pandas data frame: one row for each coefficient."""
        import pandas as pd

        direction = self.direction or {}
        return pd.DataFrame(
            {
                "estimate": list(self.estimates.values()),
                "direction": [float(direction.get(name, 0.0)) for name in self.estimates],
            },
            index=pd.Index(list(self.estimates), name="coefficient"),
        )

    def to_dict(self: Any) -> dict[str, Any]:
        """The whole answer in values that JSON has."""
        causes = self.causes
        return {
            "verdict": self.verdict,
            "sentence": _SENTENCES[self.verdict],
            "source": self.model.source or None,
            "outcome": self.model.outcome or None,
            "estimates": self.estimates,
            "causes": None
            if causes is None
            else {
                "remove": [list(group) for group in causes.sets],
                "smallest": causes.smallest,
                "merge": [{"term": each.term, "levels": list(each.levels)} for each in causes.merges],
            },
            "separated_rows": self.model.rows_of(self.separated_rows),
            "rows_on_the_line": self.model.rows_of(self._rows_on_the_line()),
            "notes": list(self.model.notes),
            "remedies": [remedy.to_dict() for remedy in self.remedies],
        }

    # -- pictures ---------------------------------------------------------------------------------------

    def to_svg(self: Any) -> str:
        """The rows along the separating direction, as SVG."""
        self._require_separation()
        return picture.svg(picture.positions(self))

    def plot(self: Any, axes: Any = None) -> Any:
        """Draw the rows along the separating direction with matplotlib; return the axes."""
        self._require_separation()
        return picture.plot(picture.positions(self), axes)

    def _require_separation(self: Any) -> None:
        if self.verdict == "inseparable":
            raise ValueError("There is no separating direction to draw: the classes overlap.")


def _cause_sentences(causes: Causes) -> list[tuple[str, str]]:
    if not causes.sets:
        return [("Cause", "Not sought: there are too many columns and rows for it.")]
    groups = [joined(list(group)) for group in causes.sets]
    first = f"Removing {'; or '.join(groups[:4])} ends the separation"
    if len(groups) > 4:
        first += f" (so do {len(groups) - 4} more sets of this size)"
    if not causes.smallest:
        proof = "fewer terms may do, for this set was found by heuristic: none of its terms can be spared."
    elif len(causes.sets[0]) == 1:
        proof = "no other term alone does."
    else:
        proof = "no smaller set of terms does, and no other of this size."
    out = [("Cause", f"{first}; {proof}")]
    for term in dict.fromkeys(each.term for each in causes.merges):
        pairs = [joined(each.levels) for each in causes.merges if each.term == term]
        more = f" (or {len(pairs) - 4} other groups)" if len(pairs) > 4 else ""
        out.append(("", f"Merging the levels {'; or '.join(pairs[:4])}{more} of {term} ends it too."))
    return out
