"""How a command ends: four exit codes, and refusals that are sentences with a hint."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the exit code of every command means."""

    DONE = 0  #: proved, or done where there is nothing to prove
    BAD_INPUT = 1  #: bad usage, or a file that cannot be read or written
    NOT_PROVED = 2  #: the budget (time, steps, Ctrl-C) ended before the proof, or it rests on a condition
    REJECTED = 3  #: a certificate does not prove its claim for these data


class Refused(Exception):
    """A command cannot do what was asked; the sentence says why, the hint what to do instead."""

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence)
        self.hint = hint
