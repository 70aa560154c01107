"""Mark I: twenty by twenty cells, as Rosenblatt's machine had, and a perceptron that learns to tell two drawings apart.

Each example is visited once when it is shown; a further pass visits all of them again, until none is mistaken.
F. Rosenblatt, The perceptron: a probabilistic model for information storage and organization in the brain,
Psychological Review 65 (1958).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.encode import number, numbers
from separatrix.lab.letters import PAIRS, SIDE, VARIANTS, letter, spoilt
from separatrix.lab.runs.frame import counted
from separatrix.lab.scene import SceneError, is_whole
from separatrix.lab.words import shown
from separatrix.perceptron.certificate import widest_margin
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.rows import LabelledRows
from separatrix.problem.mistakes import ratio_of

MAX_EXAMPLES = 200
MAX_SHIFT = 6  #: cells
MAX_NOISE = 0.3  #: of the cells
_COPIES = 10  # test drawings of each example
_SHOWN = 24  # of the test drawings in the gallery


class MarkOne:
    """The examples and the perceptron with its 400 weights.

    >>> machine = MarkOne()
    >>> left, right = "1" * 200 + "0" * 200, "0" * 200 + "1" * 200
    >>> _ = machine.handle({"do": "show", "cells": left, "label": 1})
    >>> _ = machine.handle({"do": "show", "cells": right, "label": -1})
    >>> machine.handle({"do": "ask", "cells": right})["answer"]
    -1
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """No examples, no weights."""
        self.cells: list[NDArray[np.float64]] = []
        self.labels: list[int] = []
        self.model = Perceptron(random_state=0)
        self.mistakes: int | None = None

    def handle(self, message: dict[str, Any]) -> dict[str, Any]:
        """Show an example or letters, make a pass, ask, or forget; returns what the page draws and says."""
        what = message.get("do")
        shift, noise = read_spoiling(message)
        if what == "show":
            self._show(read_cells(message.get("cells")), message.get("label"))
        elif what == "letters":
            self._letters(message.get("pair"))
        elif what == "pass":
            self._visit(np.array(self.cells), self.labels)
        elif what == "forget":
            self.forget()
        elif what not in ("ask", "look"):
            raise SceneError("do must be one of show, letters, pass, forget, ask, look.")
        if what == "ask":
            return self._answer(read_cells(message.get("cells")))
        return self._shown() | self._tested(shift, noise)

    def _show(self, cells: NDArray[np.float64], label: Any) -> None:
        if isinstance(label, bool) or label not in (-1, 1):
            raise SceneError("label must be -1 or 1.")
        if len(self.cells) >= MAX_EXAMPLES:
            raise SceneError(f"The machine keeps at most {MAX_EXAMPLES} examples.")
        self.cells.append(cells)
        self.labels.append(int(label))
        self._visit(cells[None, :], [int(label)])

    def _letters(self, pair: Any) -> None:
        """Forget, then show all variants of two letters in turn."""
        if pair not in PAIRS:
            raise SceneError(f"pair must be one of {', '.join(PAIRS)}; got {str(pair)[:20]}.")
        self.forget()
        for variant in range(VARIANTS):
            for name, label in zip(pair, (1, -1), strict=True):
                self._show(letter(name, variant), label)

    def _visit(self, X: NDArray[np.float64], y: list[int]) -> None:
        if not y:
            raise SceneError("Show some examples first.")
        before = self.model.n_updates_ if hasattr(self.model, "n_updates_") else 0
        self.model.partial_fit(X, np.array(y), classes=np.array([-1, 1]))
        self.mistakes = int(self.model.n_updates_) - before

    def _shown(self) -> dict[str, Any]:
        learnt = bool(self.cells)
        wrong = self._wrong(np.array(self.cells), self.labels) if learnt else []
        return {
            "pairs": list(PAIRS),
            "limits": {"shift": MAX_SHIFT, "noise": MAX_NOISE},
            "plus": self.labels.count(1),
            "minus": self.labels.count(-1),
            "updates": int(self.model.n_updates_) if learnt else 0,
            "mistakes": self.mistakes,
            "wrong": sum(wrong) if learnt else None,
            "weights": numbers(self.model.coef_[0]) if learnt else None,
            "bias": number(self.model.intercept_[0]) if learnt else None,
            "says": self._words(sum(wrong)) if learnt else ["No examples yet."],
            "gallery": gallery(self.cells, self.labels, wrong),
        }

    def _wrong(self, X: NDArray[np.float64], y: list[int]) -> list[bool]:
        """True for each drawing that is not on its own side just now."""
        f = self.model.decision_function(X)
        return [bool(each) for each in ~(f * np.array(y) > 0)]

    def _words(self, wrong: int) -> list[str]:
        """Sentences on the examples that are right, and on the mistakes so far and the most that the theorem allows."""
        first, second = self.labels.count(1), self.labels.count(-1)
        X, constant = np.ascontiguousarray(self.cells), 1.0  # of the model's fictitious column
        widest = widest_margin(LabelledRows(X, np.array(self.labels, dtype=np.int8), constant))
        side = "every one is on its own side."
        if wrong:
            more = "" if widest is None else " Make another pass."
            side = f"{wrong} {'is' if wrong == 1 else 'are'} not on the right side.{more}"
        words = [f"{counted(first, 'example')} of A, {second} of B: {side}"]
        made = counted(int(self.model.n_updates_), "mistake")
        if widest is None:
            return [
                *words,
                f"{made} so far. No plane was found that separates these examples: no bound is known.",
            ]
        # The squared norm of a drawing is the number of its cells.
        squared, margin = float(np.max(np.sum(X, axis=1))), widest[0]
        bound = ratio_of(math.sqrt(squared), constant, margin, 1.0)
        return [
            *words,
            f"{made} so far, of at most {math.floor(bound * (1.0 + 1e-9))}: the theorem's (R² + 1)/m² = "
            f"({shown(squared)} + 1)/{shown(margin**2)} = {shown(bound)}, in whatever order these examples come.",
        ]

    def _tested(self, shift: int, noise: float) -> dict[str, Any]:
        """Answers on drawings made of the examples by shifts and noise, the same ones each time."""
        if not self.cells:
            return {"test": None}
        rng = np.random.default_rng([shift, round(1000 * noise)])
        X = np.array([spoilt(each, shift, noise, rng) for each in self.cells for _ in range(_COPIES)])
        y = [label for label in self.labels for _ in range(_COPIES)]
        wrong = self._wrong(X, y)
        right = len(y) - sum(wrong)
        ways = [f"moved by up to {counted(shift, 'cell')} each way"] if shift else []
        if noise:
            ways.append(f"each cell flipped with a chance of {shown(100 * noise, 3)}\N{NO-BREAK SPACE}%")
        made = f", {' and '.join(ways)}" if ways else " unchanged"
        share = f"{round(100.0 * right / len(y), 1):g}\N{NO-BREAK SPACE}%"
        words = f"{_COPIES} copies of each example{made}: {right} of {len(y)} ({share}) are answered rightly."
        places = list(range(0, len(y), max(1, len(y) // _SHOWN)))[:_SHOWN]
        some = gallery([X[k] for k in places], [y[k] for k in places], [wrong[k] for k in places])
        return {"test": {"right": right, "of": len(y), "says": words, "gallery": some}}

    def _answer(self, cells: NDArray[np.float64]) -> dict[str, Any]:
        if not self.cells:
            return {"f": None, "answer": None, "verdict": "It has seen no example yet."}
        f = float(self.model.decision_function(cells[None, :])[0])
        answer = 1 if f > 0 else -1 if f < 0 else None
        words = (
            "It cannot tell: f = 0."
            if answer is None
            else f"It says {'A' if f > 0 else 'B'}: f = {shown(f)}."
        )
        return {"f": number(f), "answer": answer, "verdict": words}


def gallery(
    drawings: list[NDArray[np.float64]], labels: list[int], wrong: list[bool]
) -> list[dict[str, Any]]:
    """Drawings as the page shows them in small: 100 hexadecimal signs each, four cells a sign."""
    return [
        {
            "cells": np.packbits(drawing.astype(bool)).tobytes().hex(),
            "label": label,
            "wrong": missed,
        }
        for drawing, label, missed in zip(drawings, labels, wrong, strict=True)
    ]


def read_cells(text: Any) -> NDArray[np.float64]:
    """A drawing from outside: 400 signs, 1 for a cell that is drawn, row after row."""
    if not isinstance(text, str) or len(text) != SIDE * SIDE or set(text) - {"0", "1"}:
        raise SceneError(f"cells must be a text of {SIDE * SIDE} signs 0 and 1.")
    return np.array([float(sign) for sign in text])


def read_spoiling(message: dict[str, Any]) -> tuple[int, float]:
    """Shift in cells and share of flipped cells from outside; none where they are not given."""
    shift, noise = message.get("shift", 0), message.get("noise", 0.0)
    if not is_whole(shift, 0, MAX_SHIFT):
        raise SceneError(f"shift must be a whole number from 0 to {MAX_SHIFT}; got {str(shift)[:20]}.")
    if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0 <= noise <= MAX_NOISE:
        raise SceneError(f"noise must be a number from 0 to {MAX_NOISE}; got {str(noise)[:20]}.")
    return shift, float(noise)
