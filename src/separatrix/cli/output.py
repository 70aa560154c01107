"""Answers on stdout (lines, or one JSON object), everything else on stderr, and the exit codes of all commands."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import isfinite
from typing import Any

from separatrix import __version__

#: One line of an answer: a name and its text. An empty name continues the line above.
Line = tuple[str, str]
_NAME_WIDTH = 13


class ExitCode(IntEnum):
    """The meaning of every command's exit code."""

    DONE = 0  #: proved, or done where there is nothing to prove
    BAD_INPUT = 1  #: bad usage, or a file that cannot be read or written
    NOT_PROVED = 2  #: the budget (time, steps, Ctrl-C) ended before the proof, or it rests on a condition
    REJECTED = 3  #: a certificate does not prove its claim for these data


class CommandError(Exception):
    """A command cannot do what was asked; the sentence says why, the hint what to do instead."""

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence)
        self.hint = hint


@dataclass
class Output:
    """Output of a command. With ``json`` the answer is one object on stdout; ``quiet`` drops the notes."""

    json: bool = False
    quiet: bool = False
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Something worth knowing that is not the answer; also kept for the JSON object."""
        self.notes.append(text)
        if not self.quiet and not self.json:
            say("note", text)

    def answer(self, command: str, record: dict[str, Any], lines: Iterable[Line]) -> None:
        """Print the answer: the record as JSON, or its lines as text."""
        if self.json:
            print_json({"command": command, **record, "notes": self.notes})
            return
        for name, text in lines:
            print(f"{name:<{_NAME_WIDTH}}{text}".rstrip())
        sys.stdout.flush()


def print_json(record: dict[str, Any]) -> None:
    """One object on a line of stdout, with the version."""
    print(json.dumps(plain({"version": __version__, **record}), allow_nan=False), flush=True)


def to_stdout(texts: Iterable[str]) -> None:
    """Write the texts for as long as somebody reads them: a pipe into ``head`` is no error."""
    try:
        sys.stdout.writelines(texts)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is left in the buffer must go somewhere when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_lively(stream: Any) -> bool:
    """True for a terminal that moves its cursor: progress may be drawn on it."""
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def is_colourful(stream: Any) -> bool:
    """True for a terminal that may be written to in colour (https://no-color.org)."""
    return is_lively(stream) and not os.environ.get("NO_COLOR")


def say(kind: str, text: str) -> None:
    """One sentence on stderr: ``note: ...``, ``error: ...`` or ``hint: ...``, in colour on a terminal."""
    colours = {"error": "1;31", "hint": "36", "note": "33"}
    label = f"{kind}:"
    if is_colourful(sys.stderr):
        label = f"\033[{colours.get(kind, '0')}m{label}\033[0m"
    print(f"{label} {text}", file=sys.stderr, flush=True)


def wrapped(name: str, text: str, width: int = 100) -> list[Line]:
    """A long sentence as lines of the answer."""
    pieces = textwrap.wrap(text, width) or [""]
    return [(name, pieces[0]), *(("", piece) for piece in pieces[1:])]


def accuracy(predicted: Any, y: Any) -> dict[str, Any]:
    """Return how many rows are predicted as labelled, for JSON."""
    import numpy as np

    rows, correct = len(y), int(np.count_nonzero(predicted == y))
    return {"rows": rows, "correct": correct, "accuracy": correct / max(1, rows)}


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(20000, "row"), counted(3, "class", "classes")
    ('1 row', '20,000 rows', '3 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share in words.

    >>> percent(0.15004)
    '15.00 %'
    """
    return f"{100 * share:.2f} %"


def listed(items: Sequence[Any], limit: int = 8) -> str:
    """The first few of a list, in words.

    >>> listed([1, 2, 3], limit=2)
    '1, 2, ... (3 in all)'
    """
    shown = ", ".join(str(item) for item in items[:limit])
    return shown if len(items) <= limit else f"{shown}, ... ({len(items):,} in all)"


def plain(value: Any) -> Any:
    """The value as JSON can hold it: arrays as lists, numbers that are not finite as null, the rest as text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    return str(value)
