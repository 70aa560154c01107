"""The chapters of the tour: every right answer found anew, every task undone and then done, every number a fact.

Tests `lab/tour/chapter.py`, `lab/tour/chapters.py`, `lab/tour/facts.py`, `lab/tour/means.py`, `lab/tour/guide.py`,
`lab/tour/spaces.py`, `lab/tour/step_size.py`, `lab/tour/perceptron.py`, `lab/tour/theorem.py`, `lab/tour/online.py`,
`lab/tour/margins.py`, `lab/tour/support.py`, `lab/tour/kernels.py`, `lab/tour/validation.py`.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from lab_reading import NUMBER, close
from tour_answers import RIGHT, augmented, perceptron, separates, signs, soft, theorem, widest

from separatrix.lab.session import Session
from separatrix.lab.stages import STAGE
from separatrix.lab.tour.chapter import Question, Task, say
from separatrix.lab.tour.chapters import CHAPTERS
from separatrix.lab.views.catalogue import tabs_of

STOPS = [(chapter, stop) for chapter in CHAPTERS for stop in chapter.stops]
QUESTIONS = [(c, s) for c, s in STOPS if isinstance(s.asks, Question)]
TASKS = [(c, s) for c, s in STOPS if isinstance(s.asks, Task)]


def named(cases):
    return pytest.mark.parametrize(("chapter", "stop"), cases, ids=[f"{c.name}: {s.title}" for c, s in cases])


@named(QUESTIONS)
def test_the_right_answer_is_right(chapter, stop):
    play = chapter.open(stop)
    asked = stop.asks.make(play)
    assert len(set(asked.choices)) == len(asked.choices) >= 2
    assert asked.choices[asked.right] == RIGHT[stop.title](play, asked)


def test_titles_are_unique_and_every_question_is_checked():
    titles = [stop.title for _, stop in STOPS]
    assert len(titles) == len(set(titles))
    assert set(RIGHT) - {"A world that turns"} <= {stop.title for _, stop in QUESTIONS} <= set(RIGHT)


# -- the page


def begin(chapter, stop):
    session = Session()
    place = chapter.stops.index(stop)
    return session, session.handle({"op": "tour", "do": "begin", "chapter": chapter.name, "stop": place})


@named(QUESTIONS)
def test_a_question_keeps_its_answer_until_it_is_asked_for(chapter, stop):
    asked = stop.asks.make(chapter.open(stop))
    for choice in range(len(asked.choices)):
        session, reply = begin(chapter, stop)
        assert reply["tour"]["question"]["right"] is None
        assert reply["tour"]["question"]["said"] == ""
        reply = session.handle({"op": "tour", "do": "answer", "choice": choice})
        question = reply["tour"]["question"]
        assert question["right"] == asked.right
        assert question["said"].startswith("Right. " if choice == asked.right else "Not quite. ")
        assert reply["tour"]["changed"] == ""
        session.handle({"op": "tour", "do": "answer", "choice": (choice + 1) % len(asked.choices)})
        assert session.visit.chosen == choice


@named(TASKS)
def test_a_task_begins_undone_and_show_me_does_it(chapter, stop):
    session, reply = begin(chapter, stop)
    task = reply["tour"]["task"]
    assert not task["done"]
    assert task["hint"] == task["said"] == ""
    assert task["status"]
    assert session.handle({"op": "tour", "do": "hint"})["tour"]["task"]["hint"]
    reply = session.handle({"op": "tour", "do": "show"})
    assert "error" not in reply
    task = reply["tour"]["task"]
    assert task["done"]
    assert task["said"]
    assert reply["tour"]["changed"] == ""
    again = session.handle({"op": "tour", "do": "again"})["tour"]["task"]
    assert not again["done"]


def texts(chapter, stop, play):
    found = [say(stop.words, play)]
    if isinstance(stop.asks, Question):
        asked = stop.asks.make(play)
        found += [asked.text, *asked.choices, *(asked.feedback(k) for k in range(len(asked.choices)))]
    if isinstance(stop.asks, Task):
        found += [say(stop.asks.text, play), say(stop.asks.hint, play), stop.asks.status(play, play)]
        found.append(stop.asks.praise(play, play))
    return found


def all_texts():
    return [(stop, text) for chapter, stop in STOPS for text in texts(chapter, stop, chapter.open(stop))]


def test_every_sentence_is_whole():
    for stop, text in all_texts():
        assert not re.search(r"\brows?\b|\[object|undefined|\bnan\b|\binf\b|None|  | ,|\.\.[^.]", text), (
            stop.title,
            text,
        )
        assert text == text.strip() != ""
    for _, stop in STOPS:
        assert stop.title[0].isupper()


def numbers(text):
    text = re.sub(r"[Pp]oints? [\d, and]+", "", text)
    return set(re.findall(rf"(?<![₀-₉\w]){NUMBER}", text))


#: Numbers of the subject rather than of the points: 0 and 1, the 2 of 2/‖w‖, ½ and squares, the 100 of a question.
CONSTANTS = {*"0123", "10", "100", "−1", "2x"}


def other(scene, seed):
    """A problem of the same kind with other numbers: an affine map keeps what can be separated, a jitter almost."""
    rng = np.random.default_rng(seed)
    M, shift = np.array([[1.37, 0.31], [-0.22, 0.83]]), np.array([0.61, -0.43]) * (scene.bias != "none")
    X = (scene.X + rng.uniform(-0.02, 0.02, scene.X.shape)) @ (M + rng.uniform(-0.3, 0.3, (2, 2))).T + shift
    points = tuple((float(a), float(b), int(y)) for (a, b), y in zip(X, scene.y, strict=True))
    return replace(scene, points=points, C=scene.C * 1.7, gamma=scene.gamma * 1.3, step=scene.step * 1.3)


def texts_elsewhere(chapter, stop, scene, seeds):
    """The texts of a stop on the first other scene that can be asked the same."""
    moved = replace(stop, scene=None)
    for seed in seeds:
        elsewhere = replace(chapter, about=lambda seed=seed: other(scene, seed), settings={}, stops=())
        try:
            return texts(elsewhere, moved, elsewhere.open(moved))
        except AssertionError:
            continue  # this run is too short for the question
    raise AssertionError("no other scene")


@named([(c, s) for c, s in STOPS if c.name not in ("validation", "mark-one")])
def test_no_number_is_written_by_hand(chapter, stop):
    """A number that is there on these points and on two other sets of them would be no fact of any."""
    play = chapter.open(stop)
    everywhere = set().union(*map(numbers, texts(chapter, stop, play)))
    for seeds in (range(20), range(20, 40)):
        everywhere &= set().union(*map(numbers, texts_elsewhere(chapter, stop, play.scene, seeds)))
    counts = {str(k) for k in range(300)}  # of points and steps, which may be the same on all
    assert everywhere <= CONSTANTS | counts


def test_words_of_the_theorem_are_its_numbers():
    chapter = next(c for c in CHAPTERS if c.name == "theorem")
    play = chapter.open(chapter.stops[2])
    m, R = theorem(play.scene)
    words = say(chapter.stops[2].words, play)
    assert close(re.search(rf"R²/m² = ({NUMBER})", words)[1], (R / m) ** 2, 3)
    k = np.arange(1, math.ceil((R / m) ** 2) + 5)
    assert np.all((k * m <= R * np.sqrt(k)) == (k <= (R / m) ** 2))
    run = perceptron(play.scene)
    A = augmented(play.scene)
    for updates, (w, b, _) in enumerate(run):
        assert np.linalg.norm([*w, b / (A[0, 2] or 1.0)]) <= R * math.sqrt(updates) + 1e-9


def test_words_of_the_slab_are_its_numbers():
    chapter = next(c for c in CHAPTERS if c.name == "margins")
    play = chapter.open(chapter.stops[1])
    w, _ = widest(play.scene.X, play.scene.y, True)
    found = re.search(rf"2/({NUMBER}) = ({NUMBER}) apart", say(chapter.stops[1].words, play))
    assert close(found[1], np.linalg.norm(w))
    assert close(found[2], 2 / np.linalg.norm(w))


def test_the_two_kinds_are_as_the_words_say():
    chapter = next(c for c in CHAPTERS if c.name == "two-kinds")
    play = chapter.open(chapter.stops[0])
    w, b, slack = soft(play.scene)
    f = signs(play.scene, w, b)
    alpha, C = play.frame.weights, play.scene.C
    assert np.all((alpha == C) == (slack > 1e-4))
    inner = (alpha > 0) & (alpha < C)
    assert inner.any()
    assert np.all(np.abs(f[inner] - 1) < 1e-3)
    assert np.all(f[alpha == 0] > 1 - 1e-3)


def test_a_proof_by_weights_adds_up_and_a_crossing_crosses():
    chapter = next(c for c in CHAPTERS if c.name == "no-line")
    play = chapter.open(chapter.stops[1])
    found = re.findall(r"point (\d+): (\d+)/(\d+)", say(chapter.stops[1].words, play))
    total = sum(
        int(a) / int(b) * play.scene.y[int(k) - 1] * np.append(play.scene.X[int(k) - 1], 1)
        for k, a, b in found
    )
    assert np.allclose(total, 0, atol=1e-12)
    blue = [play.scene.X[int(k) - 1] for k, _, _ in found if play.scene.y[int(k) - 1] > 0]
    assert len(blue) == 2
    assert len(found) == 4


# -- the reader's own page


def own_page():
    session = Session()
    session.handle({"op": "preset", "name": "eight"})
    session.handle({"op": "add", "point": [0.5, 1.0, 1]})
    session.handle({"op": "move", "row": 0, "point": [2.0, 3.0, 1]})
    session.handle({"op": "undo"})
    session.handle({"op": "seek", "step": 5})
    session.handle({"op": "hold", "w": [1.0, -2.0], "b": 0.5})
    return session


def snapshot(session):
    reply = session.handle({"op": "probe", "at": [1.0, 2.0], "want": {"x": {}, "w": {}, "panel": {}}})
    return {name: value for name, value in reply.items() if name != "id"}


def test_the_own_page_comes_back_as_it_was():
    session = own_page()
    before, edits, playback = snapshot(session), session.edits, session.playback
    for chapter, stop in STOPS:
        session.handle(
            {"op": "tour", "do": "begin", "chapter": chapter.name, "stop": chapter.stops.index(stop)}
        )
        session.handle({"op": "tour", "do": "show" if isinstance(stop.asks, Task) else "answer", "choice": 0})
        session.handle({"op": "add", "point": [0.25, 0.25, 1]})
        session.handle({"op": "undo"})
        session.handle({"op": "clear"})
        session.handle({"op": "fly"})
        session.handle({"op": "move", "row": 99, "point": "?"})
        session.handle({"op": "tour", "do": "begin", "chapter": "nowhere"})
        session.handle({"op": "preset", "name": "xor"})
    reply = session.handle({"op": "tour", "do": "end"})
    assert reply["tour"] is None
    assert session.edits is edits
    assert session.playback is playback
    assert snapshot(session) == before
    session.handle({"op": "redo"})
    assert session.scene.points[0][:2] == (2.0, 3.0)
    session.handle({"op": "undo"})
    session.handle({"op": "undo"})
    assert len(session.scene.points) == 8


@pytest.mark.parametrize(
    "message",
    [
        {"do": "fly"},
        {"do": "answer", "choice": 0},
        {"do": "show"},
        {},
        {"do": "begin", "chapter": "nowhere"},
        {"do": "begin", "chapter": ["risk"]},
        {"do": "begin", "chapter": "risk", "stop": 99},
        {"do": "begin", "chapter": "risk", "stop": True},
    ],
)
def test_what_the_tour_does_not_understand_changes_nothing(message):
    session = own_page()
    before = snapshot(session)
    assert session.handle({"op": "tour", **message})["error"]
    assert snapshot(session) == before
    assert session.visit is None


def test_an_answer_is_checked():
    session, _ = begin(*QUESTIONS[0])
    for choice in (-1, 99, True, None, "0"):
        assert session.handle({"op": "tour", "do": "answer", "choice": choice})["error"]
    assert session.visit.chosen is None
    session, _ = begin(*TASKS[0])
    assert session.handle({"op": "tour", "do": "answer", "choice": 0})["error"]
    assert "error" not in session.handle({"op": "tour", "do": "end"})
    assert "error" not in session.handle({"op": "tour", "do": "end"})


def test_the_card_says_when_its_words_are_of_other_points():
    session, reply = begin(*QUESTIONS[0])
    assert reply["tour"]["changed"] == ""
    x1, x2, y = session.scene.points[0]
    reply = session.handle({"op": "move", "row": 0, "point": [x1 + 1, x2, y]})
    assert "as they were" in reply["tour"]["changed"]
    assert session.handle({"op": "tour", "do": "again"})["tour"]["changed"] == ""


@named(TASKS)
def test_whatever_the_reader_does_the_card_answers(chapter, stop):
    """Sixty random edits, steps, settings and separators: no request fails but with a sentence."""
    rng = np.random.default_rng(len(stop.title))
    session, _ = begin(chapter, stop)
    for _ in range(60):
        n = len(session.scene.points)
        point = [*(float(v) for v in rng.normal(size=2) * 2), int(rng.choice([-1, 1]))]
        settings = rng.choice(["algorithm", "bias", "C", "gamma", "step", "start"])
        values = {
            "algorithm": str(
                rng.choice(["gradient", "perceptron", "hard-margin", "soft-margin", "kernel-svm"])
            ),
            "bias": str(rng.choice(["none", "unit", "radius"])),
            "start": str(rng.choice(["zero", "row"])),
        }
        value = values.get(settings, float(10 ** rng.uniform(-2, 2)))
        message = [
            {"op": "add", "point": point},
            {"op": "move", "row": int(rng.integers(max(n, 1))), "point": point, "grab": 3},
            {"op": "remove", "row": int(rng.integers(max(n, 1)))},
            {"op": "undo"},
            {"op": "step"},
            {"op": "seek", "step": 0},
            {"op": "hold", "w": [0.0, 0.0], "b": 0.0},
            {"op": "hold", "w": point[:2], "b": point[0]},
            {"op": "set", "settings": {str(settings): value}},
            {"op": "finish"},
            {"op": "look"},
        ][int(rng.integers(11))]
        session.handle(message)
        assert session.visit is not None


def test_every_chapter_has_its_stage():
    """A chapter's stage is there, and the tab of each of its stops can be opened."""
    assert all(chapter.about in STAGE for chapter in CHAPTERS if isinstance(chapter.about, str))
    for chapter, stop in STOPS:
        scene = chapter.scene_of(stop)
        tab = chapter.tab_of(stop, scene)
        assert tab in tabs_of(scene)


def test_three_to_five_stops_and_words_for_two_or_three_minutes():
    for chapter in CHAPTERS:
        # A reader takes 200 words a minute, and 20 seconds to answer or to act.
        words = sum(
            len(text.split())
            for stop in chapter.stops
            for text in texts(chapter, stop, chapter.open(stop))[:2]
        )
        asks = sum(stop.asks is not None for stop in chapter.stops)
        assert 2 <= len(chapter.stops) <= 5
        assert words / 200 + asks / 3 <= 3.5, chapter.name


def test_a_task_is_noticed_when_it_is_done_by_hand():
    chapter = next(c for c in CHAPTERS if c.name == "two-spaces")
    session, _ = begin(chapter, chapter.stops[2])
    w, _ = widest(session.scene.X, session.scene.y, False)
    wrong = session.handle({"op": "hold", "w": (-w).tolist(), "b": 0.0, "grab": 1})
    assert not wrong["tour"]["task"]["done"]
    right = session.handle({"op": "hold", "w": w.tolist(), "b": 0.0, "grab": 1})
    assert right["tour"]["task"]["done"]
    back = session.handle({"op": "hold", "w": (-w).tolist(), "b": 0.0, "grab": 1})
    assert back["tour"]["task"]["done"], "what was done stays done"


def test_the_widest_by_brute_force_agrees_with_itself():
    X, y = np.array([[0.0, 0.0], [1.0, 4.0], [4.0, 4.0]]), np.array([-1, 1, 1])
    w, b = widest(X, y, True)
    assert np.allclose(w, [2 / 17, 8 / 17])
    assert b == pytest.approx(-1)
    assert not separates([(a, b, 1 if a * b > 0 else -1) for a, b in product((-1.0, 1.0), repeat=2)], True)


def test_a_task_is_about_what_it_lets_one_change():
    """With another loss a weight is not C, and with a wide kernel all points have weights: neither counts."""
    kinds = next(c for c in CHAPTERS if c.name == "two-kinds")
    session, _ = begin(kinds, kinds.stops[-1])
    session.handle({"op": "set", "settings": {"loss": "squared_hinge"}})
    for message in kinds.stops[-1].asks.show(kinds.open(kinds.stops[-1])):
        reply = session.handle(message)
    assert not reply["tour"]["task"]["done"]
    assert "Something else" in reply["tour"]["task"]["status"]
    kernels = next(c for c in CHAPTERS if c.name == "kernels")
    session, _ = begin(kernels, kernels.stops[-1])
    for gamma in (0.01, 0.003, 0.001):
        reply = session.handle({"op": "set", "settings": {"gamma": gamma}})
        assert not reply["tour"]["task"]["done"]
