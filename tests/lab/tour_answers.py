"""Answers to the questions of the tour, found without the library's solvers: textbook loops, brute force and SciPy."""

from __future__ import annotations

import math
import re
from itertools import combinations

import numpy as np
from lab_reading import NUMBER, close, room
from scipy.optimize import linprog, minimize

from separatrix.lab.tour.chapter import say
from separatrix.lab.tour.kernels import KERNELS
from separatrix.lab.tour.validation import HELD_OUT, LOOKS, ell, tee


def signs(scene, w, b=0.0):
    return scene.y * (scene.X @ np.asarray(w) + b)


def perceptron(scene, size=None, most=5000):
    """Each w, b and row of the perceptron, as a textbook has it."""
    size, n = scene.step if size is None else size, len(scene.points)
    R = math.sqrt(max(x @ x for x in scene.X))
    gain = {"none": 0.0, "unit": 1.0, "radius": R * R}[scene.bias]
    w, b = (scene.y[0] * scene.X[0], scene.y[0] * gain) if scene.start == "row" else (np.zeros(2), 0.0)
    found, clean, row = [(w, b, None)], 0, 0
    while clean < n and len(found) <= most:
        if scene.y[row] * (w @ scene.X[row] + b) > 0:
            clean += 1
        else:
            w, b, clean = w + size * scene.y[row] * scene.X[row], b + size * scene.y[row] * gain, 0
            found.append((w, b, row))
        row = (row + 1) % n
    return found


def descent(scene, size, most=1999):
    w = scene.y[0] * scene.X[0] if scene.start == "row" else np.zeros(2)
    assert scene.bias == "none"
    for step in range(most):
        wrong = signs(scene, w) <= 0
        if not wrong.any():
            return step, w
        w = w + size * scene.y[wrong] @ scene.X[wrong]
    return most, w


def widest(X, y, bias):
    """(w, b) of the hard margin by brute force: every set of two or three points on the edges."""
    best = None
    for size in (1, 2, 3):
        for rows in map(list, combinations(range(len(y)), size)):
            A = np.column_stack([X, np.ones(len(y))]) if bias else X
            d = 2
            Q = np.zeros((A.shape[1], A.shape[1]))
            Q[:d, :d] = np.eye(d)
            active = A[rows] * y[rows, None]
            K = np.block([[Q, -active.T], [active, np.zeros((size, size))]])
            found = np.linalg.lstsq(K, np.append(np.zeros(A.shape[1]), np.ones(size)), rcond=None)[0]
            u = found[: A.shape[1]]
            if np.min(y * (A @ u)) >= 1 - 1e-7 and (best is None or u[:d] @ u[:d] < best[0]):
                best = u[:d] @ u[:d], u
    assert best is not None
    return best[1][:2], (best[1][2] if bias else 0.0)


def augmented(scene):
    R = math.sqrt(max(x @ x for x in scene.X))
    column = {"none": 0.0, "unit": 1.0, "radius": R}[scene.bias]
    return np.column_stack([scene.X, np.full(len(scene.y), column)])


def theorem(scene):
    """(m, R) of the rows with their column: m by SLSQP on the hard margin through the origin."""
    A = augmented(scene) * scene.y[:, None]
    start = linprog(np.zeros(3), A_ub=-A, b_ub=-np.ones(len(A)), bounds=[(None, None)] * 3).x
    found = minimize(
        lambda u: u @ u,
        start,
        jac=lambda u: 2 * u,
        constraints={"type": "ineq", "fun": lambda u: A @ u - 1, "jac": lambda u: A},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return 1.0 / math.sqrt(found.fun), max(np.linalg.norm(a) for a in A)


def soft(scene, C=None):
    """(w, b, xi) of the soft margin by SLSQP."""
    n, C = len(scene.y), scene.C if C is None else C
    A = np.column_stack([scene.X, np.ones(n)]) * scene.y[:, None]
    found = minimize(
        lambda u: 0.5 * u[:2] @ u[:2] + C * u[3:].sum(),
        np.concatenate([np.zeros(3), np.ones(n)]),
        jac=lambda u: np.concatenate([u[:2], [0.0], np.full(n, C)]),
        constraints={
            "type": "ineq",
            "fun": lambda u: A @ u[:3] + u[3:] - 1,
            "jac": lambda u: np.hstack([A, np.eye(n)]),
        },
        bounds=[(None, None)] * 3 + [(0, None)] * n,
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    return found.x[:2], found.x[2], found.x[3:]


def row_in(text):
    return int(re.search(r"[Pp]oint (\d+)", text)[1]) - 1


def next_row(play):
    return perceptron(play.scene)[play.cursor + 1][2]


def best_coin():
    """The best of ten coins on twenty points: all ways to fall, counted."""
    n = HELD_OUT
    ways = [math.comb(n, k) / 2**n for k in range(n + 1)]
    below = [sum(ways[: k + 1]) for k in range(n + 1)]
    return sum(k * (below[k] ** LOOKS - (below[k - 1] ** LOOKS if k else 0)) for k in range(n + 1))


def learnt_letters():
    """A perceptron on the two letters, by hand."""
    rows = [(np.array([int(c) for c in cells], float), y) for cells, y in ((tee(), 1), (ell(), -1))]
    w, b = np.zeros(400), 0.0
    for _ in range(50):
        for x, y in rows:
            if y * (w @ x + b) <= 0:
                w, b = w + y * x, b + y
    return w, b


def separates(points, bias):
    return room(points, None if bias else 0.0, 0.0) > 1e-9


def risk(scene, w, b=0.0):
    return np.maximum(0.0, -signs(scene, w, b)).sum()


def near_one(choices, value, digits=4):
    """The choice that is the value, rounded."""
    found = [text for text in choices if close(re.search(NUMBER, text)[0], value, digits)]
    assert len(found) == 1, (choices, value)
    return found[0]


def compared(after, before, less, same, more):
    return less if after < before else same if after == before else more


def fits(play, asked):
    row = row_in(asked.text)
    w, b, _ = soft(play.scene)
    f = signs(play.scene, w, b)[row]
    return (
        "On the edge of the slab"
        if abs(f - 1) < 1e-3
        else "Outside the slab"
        if f > 1
        else "Inside the slab or beyond the line"
    )


def after_removal(play, asked):
    row, (w, b, _) = row_in(asked.text), soft(play.scene)
    v, c, _ = soft(play.scene.without(row))
    return "It stays where it is" if np.hypot(np.linalg.norm(w - v), b - c) < 2e-3 else "?"


def new_b(play, asked):
    run = perceptron(play.scene)
    return near_one(asked.choices, run[play.cursor + 1][1] - run[play.cursor][1])


def enough(play, asked):
    run = perceptron(play.scene)
    w, b, row = run[play.cursor + 1]
    assert row == row_in(asked.text)
    return "Yes" if signs(play.scene, w, b)[row] > 0 else "No, not yet"


def step_down(play, asked):
    w = play.scene.y[0] * play.scene.X[0]
    wrong = signs(play.scene, w) <= 0
    v = w + play.scene.step * play.scene.y[wrong] @ play.scene.X[wrong]
    return compared(risk(play.scene, v), risk(play.scene, w), "Yes, lower", "The same", "No, higher")


def drifting(play, asked):
    scene, n = play.scene, len(play.scene.points)
    w, b, made, frozen = np.zeros(2), 0.0, 0, None
    gain = 0.0 if scene.bias == "none" else 1.0
    for row in range(n):
        if row == n // 4:
            frozen, made = (w, b), 0
        if scene.y[row] * (w @ scene.X[row] + b) <= 0:
            w, b, made = (
                w + scene.step * scene.y[row] * scene.X[row],
                b + scene.step * scene.y[row] * gain,
                made + 1,
            )
    copy = np.count_nonzero(signs(scene, *frozen)[n // 4 :] <= 0)
    return compared(made, copy, "The one that goes on learning", "Both the same", "The copy that stopped")


def distance(play, asked):
    w, b = widest(play.scene.X, play.scene.y, True)
    return near_one(asked.choices, signs(play.scene, w, b)[row_in(asked.text)] / np.linalg.norm(w))


def on_the_edge(play, asked):
    w, b = widest(play.scene.X, play.scene.y, True)
    return str(np.count_nonzero(np.abs(signs(play.scene, w, b) - 1) < 1e-6))


def nearest_axis(play, asked):
    """Of each wording the place of the polyhedron that it means, by SLSQP; one is the optimum."""
    scene = play.scene
    A = np.column_stack([scene.X, np.ones(len(scene.y))]) * scene.y[:, None]
    w, b = widest(scene.X, scene.y, True)
    meant = []
    for text, weights in zip(asked.choices, np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1]]), strict=True):
        found = minimize(
            lambda u, k=weights: (k * u) @ u,
            np.append(2 * w, 2 * b),
            constraints={"type": "ineq", "fun": lambda u: A @ u - 1},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        if weights @ (found.x**2 - np.array([*w, b]) ** 2) > -1e-6:
            meant.append(text)
    (text,) = meant
    return text


RIGHT = {
    "A point becomes a line": lambda play, asked: (
        "It stays where it is"
        if all(
            np.sign(w @ play.scene.X[0]) == np.sign(w @ (2 * play.scene.X[0]))
            for w in np.random.default_rng(0).normal(size=(200, 2))
        )
        else "?"
    ),
    "A line becomes a point": lambda play, asked: str(np.count_nonzero(signs(play.scene, play.frame.w) <= 0)),
    "A bowl of flat pieces": lambda play, asked: (
        "It is 0"
        if risk(play.scene, *widest(play.scene.X, play.scene.y, play.scene.bias != "none")) == 0
        else "?"
    ),
    "One step down": step_down,
    "From zero it does not matter": lambda play, asked: compared(
        len(perceptron(play.scene, 100.0)), len(perceptron(play.scene, 1.0)), "Fewer", "Just as many", "More"
    ),
    "From elsewhere it does": lambda play, asked: asked.choices[
        int(np.argmin([descent(play.scene, play.scene.step * k)[0] for k in (0.1, 1.0, 10.0)]))
    ],
    "One mistake, one jump": lambda play, asked: f"point {next_row(play) + 1}",
    "Along or against": lambda play, asked: asked.choices[0 if play.scene.y[next_row(play)] > 0 else 1],
    "Is one jump enough?": enough,
    "Lines through 0 are too few": lambda play, asked: "Yes" if separates(play.scene.points, False) else "No",
    "A coordinate that is always 1": new_b,
    "A longer column": new_b,
    "Something that must grow": lambda play, asked: near_one(asked.choices[:2], theorem(play.scene)[0]),
    "Something that cannot grow as fast": lambda play, asked: near_one(
        asked.choices[:2], theorem(play.scene)[1] * math.sqrt(play.cursor)
    ),
    "They meet": lambda play, asked: compared(
        len(perceptron(play.scene)) - 1,
        math.floor((theorem(play.scene)[1] / theorem(play.scene)[0]) ** 2 + 1e-6),
        *asked.choices,
    ),
    "A newcomer": lambda play, asked: "From the w it has",
    "A world that turns": drifting,
    "More time?": lambda play, asked: (
        "Yes, the run just needs more time" if separates(play.scene.points, True) else "No"
    ),
    "A proof that adds up to nothing": lambda play, asked: "0, whatever the line is",
    "Distance, counted in f": distance,
    "From edge to edge": lambda play, asked: "Half as wide",
    "Three unknowns": on_the_edge,
    "The nearest place": nearest_axis,
    "Slack": lambda play, asked: near_one(asked.choices, soft(play.scene)[2][row_in(asked.text)], 2),
    "The price C": lambda play, asked: compared(
        np.linalg.norm(soft(play.scene)[0]),
        np.linalg.norm(soft(play.scene, play.scene.C / 10)[0]),
        "Narrower",
        "?",
        "Wider",
    ),
    "Solid rings and dashed rings": lambda play, asked: str(np.count_nonzero(soft(play.scene)[2] > 1e-4)),
    "What a weight tells": fits,
    "Who is not needed": after_removal,
    "A balance of forces": lambda play, asked: near_one(
        asked.choices, play.frame.weights[play.scene.y < 0].sum()
    ),
    "A curve is a plane elsewhere": lambda play, asked: near_one(asked.choices, lifted(play, asked)),
    "All products in one table": lambda play, asked: "1 everywhere",
    "Ten looks": lambda play, asked: f"{best_coin():.0f} of {HELD_OUT}",
    "And one more": lambda play, asked: f"{HELD_OUT // 2} of {HELD_OUT}",
    "A machine that sees": lambda play, asked: "400",
    "The same letter elsewhere": lambda play, asked: (
        "T" if learnt_letters()[0] @ [int(c) for c in tee(right=-4)] + learnt_letters()[1] > 0 else "L"
    ),
}


def lifted(play, asked):
    """phi(x).phi(z) written out."""
    rows = [int(k) - 1 for k in re.findall(r"[Pp]oint (\d+)", say(KERNELS.stops[0].words, play))]
    phi = [np.array([x[0] ** 2, math.sqrt(2) * x[0] * x[1], x[1] ** 2]) for x in play.scene.X[rows]]
    return phi[0] @ phi[1]
