"""Mark I and the tour, in Python and on the page. Tests `lab/letters.py`."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from lab_reading import NUMBER, read
from scipy.optimize import linprog

from separatrix import Perceptron
from separatrix.lab.letters import PAIRS, VARIANTS, letter, spoilt
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
        {"do": "letters", "pair": "AB"},
        {"do": "letters", "pair": ["T", "L"]},
        {"do": "look", "shift": 7},
        {"do": "look", "shift": 0.5},
        {"do": "look", "noise": 0.31},
        {"do": "look", "noise": "1"},
        {"do": "look", "noise": True},
    ],
)
def test_what_is_no_drawing_is_refused(message):
    assert "error" in Session().handle({"op": "mark", **message})


def test_examples_are_limited():
    machine, cell = MarkOne(), "1" * 400
    machine.cells, machine.labels = [np.ones(400)] * MAX_EXAMPLES, [1] * MAX_EXAMPLES
    with pytest.raises(ValueError, match=str(MAX_EXAMPLES)):
        machine.handle({"do": "show", "cells": cell, "label": 1})


def shown_bits(item) -> np.ndarray:
    return np.unpackbits(np.frombuffer(bytes.fromhex(item["cells"]), dtype=np.uint8)).astype(float)


def feasible(X, y) -> bool:
    """True if y (w.x + b) >= 1 has a solution, by linear programming."""
    rows = -np.asarray(y, dtype=float)[:, None] * np.column_stack([X, np.ones(len(X))])
    return linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 0


def check_words(machine, shown, test: tuple[int, float] = (0, 0.0)) -> None:
    """All that is said, from the examples and the weights that the page has."""
    X, y = (
        np.array([shown_bits(each) for each in shown["gallery"]]),
        [each["label"] for each in shown["gallery"]],
    )
    assert np.array_equal(X, np.array(machine.cells))
    wrong = ~(np.array(y) * (X @ np.array(shown["weights"]) + shown["bias"]) > 0)
    assert [each["wrong"] for each in shown["gallery"]] == wrong.tolist()
    count, bound = shown["says"]
    assert re.match(rf"{y.count(1)} examples? of A, {y.count(-1)} of B: ", count)
    assert not re.search(r"\b1 (examples|mistakes)", count + bound)
    assert ("every one is on its own side" in count) == (not wrong.any())
    if wrong.any():
        assert f"{np.count_nonzero(wrong)} {'is' if np.count_nonzero(wrong) == 1 else 'are'} not on" in count
    assert int(re.match(r"(\d+) mistakes? so far", bound)[1]) == shown["updates"]
    assert ("of at most" in bound) == feasible(X, y)
    assert ("another pass" in count) == (feasible(X, y) and bool(wrong.any()))
    if "of at most" in bound:
        most = int(re.search(r"of at most (\d+)", bound)[1])
        squared, margin, value = re.search(rf"\(({NUMBER}) \+ 1\)/({NUMBER}) = ({NUMBER})", bound).groups()
        assert read(squared) == np.max(np.sum(X * X, axis=1))
        assert (read(squared) + 1) / read(margin) == pytest.approx(read(value), rel=2e-3)
        assert shown["updates"] <= most <= read(value) * (1 + 1e-3)
        # The widest margin is that of no other plane: w has one that is not wider.
        w, b = np.array(shown["weights"]), shown["bias"]
        mine = np.min(np.array(y) * (X @ w + b)) / max(math.hypot(np.linalg.norm(w), b), 1e-12)
        assert mine**2 <= read(margin) * (1 + 1e-3) or mine < 0
    right, of = map(int, re.search(r"(\d+) of (\d+) \(", shown["test"]["says"]).groups())
    assert (right, of) == (shown["test"]["right"], 10 * len(y))
    assert ("moved" in shown["test"]["says"]) == (test[0] > 0)
    assert ("flipped" in shown["test"]["says"]) == (test[1] > 0)
    for each in shown["test"]["gallery"]:
        f = shown_bits(each) @ np.array(shown["weights"]) + shown["bias"]
        assert each["wrong"] == (not each["label"] * f > 0)


@pytest.mark.parametrize("pair", PAIRS)
def test_letters_are_learnt_within_the_bound_and_what_is_said_is_true(pair):
    machine = MarkOne()
    shown = machine.handle({"do": "letters", "pair": pair})
    assert shown["plus"] == shown["minus"] == VARIANTS
    for _ in range(20):
        check_words(machine, shown)
        if not shown["wrong"]:
            break
        shown = machine.handle({"do": "pass"})
    assert shown["wrong"] == 0
    assert shown["test"]["right"] == shown["test"]["of"]  # unchanged, they are all known
    for shift, noise in ((1, 0.0), (4, 0.0), (0, 0.1), (2, 0.3)):
        message = {"do": "look", "shift": shift, "noise": noise}
        spoilt_ones = machine.handle(message)
        check_words(machine, spoilt_ones, (shift, noise))
        assert machine.handle(message)["test"] == spoilt_ones["test"]  # seeded
    assert machine.handle({"do": "look", "shift": 4})["test"]["right"] < shown["test"]["right"]


def test_what_is_said_is_true_of_few_and_of_contradicting_examples():
    machine = MarkOne()
    check_words(machine, machine.handle({"do": "show", "cells": "1" * 400, "label": 1}))
    check_words(machine, machine.handle({"do": "show", "cells": "1" * 400, "label": -1}))
    check_words(machine, machine.handle({"do": "pass"}))
    assert machine.handle({"do": "forget"})["test"] is None
    assert machine.handle({"do": "ask", "cells": "0" * 400})["verdict"] == "It has seen no example yet."


def test_letters_differ_and_a_shift_moves_them():
    drawings = [letter(name, variant) for pair in PAIRS for name in pair for variant in range(VARIANTS)]
    assert len({each.tobytes() for each in drawings}) == len(drawings)
    rng = np.random.default_rng(0)
    assert np.array_equal(spoilt(drawings[0], 0, 0.0, rng), drawings[0])
    square = drawings[0].reshape(20, 20)
    moved = {spoilt(drawings[0], 1, 0.0, rng).tobytes() for _ in range(200)}
    expected = {
        np.roll(square, (i, j), (0, 1)).astype(float).tobytes() for i in (-1, 0, 1) for j in (-1, 0, 1)
    }
    assert moved == expected  # nothing of this letter is at the border
    flipped = np.mean([np.mean(spoilt(drawings[0], 0, 0.3, rng) != drawings[0]) for _ in range(200)])
    assert flipped == pytest.approx(0.3, abs=0.01)


def test_the_dialog_opens_with_letters_and_tests_them(lab):
    lab.js("await app.markOne.open('EF')")
    page = lab.page
    assert page.locator(".mark-one .gallery").first.locator("li").count() == 2 * VARIANTS
    wrong = page.locator(".mark-one .gallery").first.locator("li.wrong").count()
    assert f"{wrong} are not on the right side" in page.inner_text(".mark-says")
    page.locator("input[data-mark=shift]").fill("3")
    lab.until("document.querySelector('.tester').textContent.includes('moved by up to 3 cells')")
    page.locator("input[data-mark=noise]").fill("10")
    lab.until("document.querySelector('.tester').textContent.includes('chance of 10')")
    for _ in range(10):
        if "every one" in page.inner_text(".mark-says"):
            break
        page.get_by_role("button", name="one more pass").click()
        lab.js("await c.act('mark', { do: 'look' })")
    assert "every one is on its own side" in page.inner_text(".mark-says")
    kept = lab.js("return app.markOne.saved()")
    assert kept[0] == "LEF"
    assert kept[-1] == "T3,10"
    says = page.inner_text(".mark-says"), page.inner_text(".tester p")
    lab.js(f"await app.markOne.restore([]); await app.markOne.restore({kept})")
    lab.js("await app.markOne.ask('look')")
    assert (page.inner_text(".mark-says"), page.inner_text(".tester p")) == says


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
        if "every one is on its own side" in lab.page.inner_text(".mark-says"):
            break
        lab.page.get_by_role("button", name="one more pass").click()
        lab.js("await c.act('mark', { do: 'look' })")
    assert "every one is on its own side" in lab.page.inner_text(".mark-says")
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


def test_the_tour_goes_from_the_perceptron_to_the_svm(lab):
    lab.page.get_by_role("button", name="tour").click()
    seen = []
    for _ in range(12):
        lab.js("await app.tour.arriving")
        seen.append(lab.js("return c.state.scene.algorithm"))
        assert lab.page.locator(".tour p").inner_text()
        lab.page.locator(".tour button", has_text="next").or_(
            lab.page.locator(".tour button", has_text="done")
        ).click()
    assert {"perceptron", "gradient", "hard-margin", "soft-margin", "kernel-perceptron", "kernel-svm"} <= set(
        seen
    )
    assert not lab.page.locator(".tour").is_visible()
