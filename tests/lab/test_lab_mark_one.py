"""Mark I, in Python and on the page."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix import Perceptron
from separatrix.lab.mark_one import MAX_EXAMPLES, MarkOne
from separatrix.lab.session import Session


def drawings() -> tuple[list[str], list[int]]:
    """Upright bars and level bars at several places."""
    cells, labels = [], []
    for place in range(4, 16, 3):
        upright, level = np.zeros((20, 20), dtype=int), np.zeros((20, 20), dtype=int)
        upright[:, place], level[place, :] = 1, 1
        cells += ["".join(map(str, upright.ravel())), "".join(map(str, level.ravel()))]
        labels += [1, -1]
    return cells, labels


def test_the_machine_learns_as_the_estimator_does():
    machine, (cells, labels) = MarkOne(), drawings()
    for drawing, label in zip(cells, labels, strict=True):
        machine.handle({"do": "show", "cells": drawing, "label": label})
    shown = machine.handle({"do": "look"})
    while shown["wrong"]:
        shown = machine.handle({"do": "pass"})
    X = np.array([[float(sign) for sign in drawing] for drawing in cells])
    model = Perceptron().partial_fit(X, labels, classes=[-1, 1])
    while (model.predict(X) != labels).any():
        model.partial_fit(X, labels)
    assert shown["weights"] == model.coef_[0].tolist()
    assert shown["updates"] == model.n_updates_
    assert all(
        machine.handle({"do": "ask", "cells": c})["answer"] == label
        for c, label in zip(cells, labels, strict=True)
    )
    assert machine.handle({"do": "forget"})["weights"] is None


@pytest.mark.parametrize(
    "message",
    [
        {"do": "show", "cells": "01", "label": 1},
        {"do": "show", "cells": "2" * 400, "label": 1},
        {"do": "show", "cells": "1" * 400, "label": 0},
        {"do": "show", "cells": ["1"] * 400, "label": 1},
        {"do": "pass"},
        {"do": "fly"},
    ],
)
def test_what_is_no_drawing_is_refused(message):
    assert "error" in Session().handle({"op": "mark", **message})


def test_examples_are_limited():
    machine, cell = MarkOne(), "1" * 400
    machine.cells, machine.labels = [np.ones(400)] * MAX_EXAMPLES, [1] * MAX_EXAMPLES
    with pytest.raises(ValueError, match=str(MAX_EXAMPLES)):
        machine.handle({"do": "show", "cells": cell, "label": 1})


def draw(lab, upright: bool, place: float) -> None:
    box = lab.page.locator(".pad").bounding_box()
    ends = [(place, 0.1), (place, 0.9)] if upright else [(0.1, place), (0.9, place)]
    (x0, y0), (x1, y1) = [(box["x"] + box["width"] * u, box["y"] + box["height"] * v) for u, v in ends]
    lab.page.mouse.move(x0, y0)
    lab.page.mouse.down()
    lab.page.mouse.move(x1, y1, steps=6)
    lab.page.mouse.up()


def test_the_pad_learns_two_shapes_and_answers(lab):
    lab.page.get_by_role("button", name="Mark I").click()
    for place in (0.3, 0.5, 0.7):
        for upright, name in ((True, "this is A"), (False, "this is B")):
            draw(lab, upright, place)
            lab.page.get_by_role("button", name=name).click()
            lab.until("!app.markOne.cells.some(Boolean)")
    for _ in range(10):
        if "every example is on its own side" in lab.page.inner_text(".mark-one .note"):
            break
        lab.page.get_by_role("button", name="one more pass").click()
        lab.js("await c.act('mark', { do: 'look' })")
    assert "every example is on its own side" in lab.page.inner_text(".mark-one .note")
    draw(lab, True, 0.5)
    lab.until("document.querySelector('.mark-answer').textContent.startsWith('It says A')")
    lab.page.get_by_role("button", name="wipe the pad").click()
    draw(lab, False, 0.5)
    lab.until("document.querySelector('.mark-answer').textContent.startsWith('It says B')")
    lab.page.get_by_role("button", name="wipe the pad").click()
    lab.page.locator(".pad").focus()
    lab.page.keyboard.press("Space")
    lab.page.keyboard.press("ArrowRight")
    lab.page.keyboard.press("Space")
    assert lab.js("return app.markOne.cells.reduce((a, b) => a + b)") == 2
    lab.page.keyboard.press("Escape")
    assert not lab.page.locator(".mark-one").is_visible()
