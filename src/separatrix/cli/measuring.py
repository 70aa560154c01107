"""Scores of a model on labelled rows, for the command line; how often those rows were used; unknown labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix.cli.output import CommandError, Line, Output, counted, listed, percent, wrapped

if TYPE_CHECKING:
    from separatrix.validation.holdout import Look
    from separatrix.validation.scores import Scores


def known_rows(file: str, y: Any, classes: Sequence[Any], output: Output) -> Any:
    """Return the rows (m,) whose labels the model knows; says how many it does not, refuses where it knows none.

    Labels are compared as texts where numbers and texts meet, as the scores do.
    """
    import numpy as np

    values, places = np.unique(y, return_inverse=True)
    names = {str(name) for name in classes}
    unknown = [str(value) not in names for value in values.tolist()]
    if not any(unknown):
        return np.arange(len(y))
    shown = listed([f"{value!r}" for value, odd in zip(values.tolist(), unknown, strict=True) if odd], 4)
    ours = listed([f"{name!r}" for name in np.asarray(classes).tolist()], 4)
    if all(unknown):
        raise CommandError(
            f"The labels of {file} are {shown}; the classes of the model are {ours}. None of them is the same.",
            _spelling(values.tolist(), classes),
        )
    rows = np.flatnonzero(~np.array(unknown)[places])
    output.note(
        f"{len(y) - len(rows):,} of the {counted(len(y), 'row')} of {file} have labels that the model does not know "
        f"({shown}; its classes are {ours}); the scores leave them out."
    )
    return rows


def _spelling(values: Sequence[Any], classes: Sequence[Any]) -> str:
    """Return a hint about labels that are no classes: perhaps they are only spelled in another way."""
    names = [str(name) for name in classes]
    for value in map(str, values):
        near = [name for name in names if name.strip(" .'\"").lower() == value.strip(" .'\"").lower()]
        near = near or get_close_matches(value, names, 1, 0.8)
        if near:
            alike = f"{value!r} looks like {near[0]!r}"
            return f"{alike}: spell the labels as in the training file, or leave their column out"
    return (
        "name the column of the labels with --label, or leave it out of the file to predict without comparing"
    )


@dataclass(frozen=True, eq=False)
class Measured:
    """Scores on rows that the model has not learnt from."""

    source: str
    where: str  #: the same in words
    scores: Scores
    look: Look
    ledger: Path | None  #: the file that counts the looks at these rows

    def record(self) -> dict[str, Any]:
        """For JSON."""
        found, look = self.scores, self.look
        counted_in = None if self.ledger is None else str(self.ledger)
        return {
            "source": self.source,
            "correct": found.rows - found.errors,
            **found.record(),
            "look": {
                "looks": look.looks,
                "interval": list(look.interval),
                "confidence": look.confidence,
                "repeated": look.repeated,
                "ledger": counted_in,
            },
        }

    def lines(self) -> list[Line]:
        """In words."""
        return [*lines("accuracy", self.where, self.scores), *_look_lines(self.look)]


def measure(model: Any, X: Any, y: Any, source: str, where: str, place: Path | None) -> Measured:
    """Score a model on rows that it has not learnt from, and count the look at them.

    ``place`` is where ledgers go (a path whose name is the beginning of theirs), or None for a count that is not kept.
    A ledger is of these very rows: its name has their fingerprint.
    """
    from separatrix.validation.held_out import HeldOut
    from separatrix.validation.holdout import Holdout
    from separatrix.validation.search import scores_of

    ledger = None
    if place is not None:
        ledger = place.with_name(f"{place.name}-{HeldOut(X, y).digest[:8]}.jsonl")
    look = Holdout(X, y, resolution=0.0, ledger=ledger).score(model)
    return Measured(source, where, scores_of(model, X, y), look, ledger)


def lines(name: str, where: str, found: Scores) -> list[Line]:
    """Return the scores in words: the accuracy next to that of the majority class, then what accuracy hides."""
    from separatrix.validation.scores import percentage

    out = wrapped(
        name,
        f"{percentage(found.accuracy)} of {counted(found.rows, 'row')} {where} are right; always answering "
        f"{found.majority} would be right on {percentage(found.baseline)}",
    )
    more = [f"balanced accuracy {percent(found.balanced_accuracy)}"]
    if found.roc_auc is not None:
        more.append(f"ROC AUC {found.roc_auc:.3f}")
    if found.brier is not None:
        more.append(f"Brier score {found.brier:.4f}")
    out += wrapped("", ", ".join(more))
    width = max(len(each.name) for each in found.classes)
    shown = (
        found.classes
        if len(found.classes) <= 12
        else sorted(found.classes, key=lambda each: each.f1 or 0.0)[:6]
    )
    for each in shown:
        numbers = [_share(each.precision), _share(each.recall), _share(each.f1)]
        words = [
            f"{kind} {value}" for kind, value in zip(("precision", "recall", "F1"), numbers, strict=True)
        ]
        out.append(("", f"  {each.name:<{width}}  {', '.join(words)} ({counted(each.support, 'row')})"))
    if len(shown) < len(found.classes):
        out.append(("", f"  (the worst {len(shown)} of {len(found.classes)} classes; --json has all)"))
    return out


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value)


def _look_lines(look: Look) -> list[Line]:
    low, high = (100 * bound for bound in look.interval)
    again = ", with the same answers as before" if look.repeated else ""
    text = (
        f"look {look.looks} at these rows{again}: on new rows like them between {low:.1f} and {high:.1f} % are right "
        f"({100 * look.confidence:g} % sure"
    )
    if look.looks > 1:
        text += ", if only these accuracies decided what was tried next"
    return wrapped("", f"{text})")
