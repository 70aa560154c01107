"""Mark I: twenty by twenty cells, as Rosenblatt's machine had, and a perceptron that learns to tell two drawings apart.

Each example is visited once when it is shown; a further pass visits all of them again, until none is mistaken.
F. Rosenblatt, The perceptron: a probabilistic model for information storage and organization in the brain,
Psychological Review 65 (1958).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.lab.encode import number, numbers
from separatrix.lab.scene import SceneError
from separatrix.perceptron.estimator import Perceptron

SIDE = 20
MAX_EXAMPLES = 200


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
        """Show an example, make a pass, ask, or forget; returns what the page draws."""
        what = message.get("do")
        if what == "show":
            self._show(read_cells(message.get("cells")), message.get("label"))
        elif what == "pass":
            self._visit(np.array(self.cells), self.labels)
        elif what == "forget":
            self.forget()
        elif what not in ("ask", "look"):
            raise SceneError("do must be one of show, pass, forget, ask, look.")
        shown = self._shown()
        if what == "ask":
            shown |= self._answer(read_cells(message.get("cells")))
        return shown

    def _show(self, cells: NDArray[np.float64], label: Any) -> None:
        if isinstance(label, bool) or label not in (-1, 1):
            raise SceneError("label must be -1 or 1.")
        if len(self.cells) >= MAX_EXAMPLES:
            raise SceneError(f"The machine keeps at most {MAX_EXAMPLES} examples.")
        self.cells.append(cells)
        self.labels.append(int(label))
        self._visit(cells[None, :], [int(label)])

    def _visit(self, X: NDArray[np.float64], y: list[int]) -> None:
        if not y:
            raise SceneError("Show some examples first.")
        before = self.model.n_updates_ if hasattr(self.model, "n_updates_") else 0
        self.model.partial_fit(X, np.array(y), classes=np.array([-1, 1]))
        self.mistakes = int(self.model.n_updates_) - before

    def _shown(self) -> dict[str, Any]:
        learnt = bool(self.cells)
        return {
            "plus": self.labels.count(1),
            "minus": self.labels.count(-1),
            "updates": int(self.model.n_updates_) if learnt else 0,
            "mistakes": self.mistakes,
            "wrong": self._wrong() if learnt else None,
            "weights": numbers(self.model.coef_[0]) if learnt else None,
            "bias": number(self.model.intercept_[0]) if learnt else None,
        }

    def _wrong(self) -> int:
        """Examples that are on the wrong side just now."""
        f = self.model.decision_function(np.array(self.cells))
        return int(np.count_nonzero(~(f * np.array(self.labels) > 0)))

    def _answer(self, cells: NDArray[np.float64]) -> dict[str, Any]:
        if not self.cells:
            return {"f": None, "answer": None}
        f = float(self.model.decision_function(cells[None, :])[0])
        return {"f": number(f), "answer": 1 if f > 0 else -1 if f < 0 else None}


def read_cells(text: Any) -> NDArray[np.float64]:
    """A drawing from outside: 400 signs, 1 for a cell that is drawn, row after row."""
    if not isinstance(text, str) or len(text) != SIDE * SIDE or set(text) - {"0", "1"}:
        raise SceneError(f"cells must be a text of {SIDE * SIDE} signs 0 and 1.")
    return np.array([float(sign) for sign in text])
