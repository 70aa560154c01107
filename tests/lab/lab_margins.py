"""Reading what the page says of margins, forces and complementary slackness, and finding it anew."""

from __future__ import annotations

import re

import numpy as np
import pytest
from lab_reading import NUMBER, close, read, separable
from scipy.optimize import minimize
from scipy.spatial.distance import cdist


def rows_in(text: str, n: int) -> list[int] | int:
    """The points that a sentence names, counted from 0, or how many it counts."""
    if found := re.search(r"(\d+) points", text):
        return int(found[1])
    found = re.search(r"points? ([\d, and]+\d|\d+)", text)
    return [int(each) - 1 for each in re.findall(r"\d+", found[1])] if found else []


def same_rows(text: str, rows) -> bool:
    named = rows_in(text, 0)
    return named == len(rows) if isinstance(named, int) else named == list(rows)


def facts(reply):
    scene, (w, b) = reply["scene"], (np.array(reply["x"]["w"]), reply["x"]["b"])
    points = np.array(scene["points"])
    X, y = points[:, :2], points[:, 2]
    return scene, X, y, w, b, y * (X @ w + b)


def is_flat(session, w) -> bool:
    """True if w is zero, or what rounding leaves of points that cancel."""
    play = session.playback
    terms = play.frame.weights[:, None] * np.abs(play.scene.X)
    return bool(np.linalg.norm(w) <= 1e-8 * terms.sum())


def check_margin(session, reply, view, times=1.0) -> None:
    scene, X, y, w, b, m = facts(reply)
    w, b, m = times * w, times * b, times * m
    norm = np.linalg.norm(w)
    if view["w"] is None:
        assert is_flat(session, w)
        assert "no boundary" in view["says"]
        assert view["derivation"] == []
        assert view["kinds"] == []
        return
    assert view["width"] == pytest.approx(2.0 / norm)
    first, last = np.array(view["across"])
    assert w @ first + b == pytest.approx(-1.0, abs=1e-6)
    assert w @ last + b == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(last - first) == pytest.approx(2.0 / norm)
    feet, edges = np.array(view["feet"]), np.array(view["edges"])
    assert feet @ w + b == pytest.approx(np.zeros(len(y)), abs=1e-7 * (1 + np.abs(m).max()))
    signed = y * np.sum((X - feet) * w, axis=1) / norm
    assert signed == pytest.approx(np.array(view["distance"]), rel=1e-6, abs=1e-9)
    assert np.minimum(1.0, m) == pytest.approx(1.0 - np.array(view["slack"]), abs=1e-9)
    assert np.maximum(1.0, m) == pytest.approx(y * (edges @ w + b), abs=1e-6 * (1 + np.abs(m).max()))
    assert np.linalg.norm(edges - X, axis=1) == pytest.approx(
        np.array(view["slack"]) / norm, rel=1e-6, abs=1e-9
    )
    if scene["bias"] == "none":
        assert view["origin"] is None
    else:
        foot = np.array(view["origin_foot"])
        assert w @ foot + b == pytest.approx(0.0, abs=1e-7 * (1 + abs(b)))
        assert view["origin"] == pytest.approx(foot @ w / norm, rel=1e-6, abs=1e-9)
    # The sentences.
    last_line = view["derivation"][-1]
    length, width = re.search(rf"= 2/({NUMBER}) = ({NUMBER})\.$", last_line).groups()
    assert close(length, norm)
    assert close(width, 2.0 / norm)
    inside = np.flatnonzero(m < 1.0 - 1e-6)
    if "inside the slab or beyond it" in view["says"]:
        if "no point is" in view["says"]:
            assert len(inside) == 0
        else:
            assert same_rows(view["says"], inside)
    if "no wider slab" in view["says"]:
        assert len(inside) == 0
        assert reply["run"]["over"]
        assert separable(scene)
        assert ("origin" in view["says"]) == (scene["bias"] == "none")
    assert ("no hard margin" in view["says"]) == reply["run"]["void"]
    if scene["bias"] == "none":
        assert not any(
            "b" in re.findall(r"[½2]?(\w+)", line) for line in [*view["derivation"], view["scaling"]]
        )
    row = int(re.search(r"oint (\d+)", view["scaling"])[1]) - 1
    if times == 1.0:
        functional, _, _, geometric = re.search(
            rf"= ({NUMBER}) and .* ({NUMBER})/({NUMBER}) = ({NUMBER})\.$", view["scaling"]
        ).groups()
    else:
        geometric, before, functional = re.search(
            rf"stays ({NUMBER})\. .* ({NUMBER}) → ({NUMBER});", view["scaling"]
        ).groups()
        assert close(before, m[row] / times)
        assert ("doubles" in view["scaling"]) == (times == 2.0) == ("half as wide" in view["scaling"])
    assert close(functional, m[row])
    assert close(geometric, m[row] / norm)
    if view["slack_says"] and "no slack" not in view["slack_says"]:
        xi = np.maximum(0.0, 1.0 - m)
        cost = scene["C"] * np.sum(xi**2 if scene["loss"] == "squared_hinge" else xi)
        assert int(re.match(r"(\d+)", view["slack_says"])[1]) == len(inside)
        wrong = re.search(r"(\d+|none) of them on the wrong", view["slack_says"])[1]
        assert (0 if wrong == "none" else int(wrong)) == np.count_nonzero(m < -1e-6)
        assert close(re.search(rf"= ({NUMBER})\.( Point at|$)", view["slack_says"])[1], cost)


def check_kinds(session, reply, lines) -> None:
    """The two kinds as the library names them, and what is true of each."""
    scene, _, _, _, _, m = facts(reply)
    play = session.playback
    final = play.hand is None and play.frame.final
    if not final or reply["forces"]["w"] is None:
        assert lines == []
        return
    model, alpha = play.answers.model, np.array(play.frame.weights)
    kind = np.full(len(m), "", dtype=object)
    kind[model.support_] = model.support_kind_
    said = {line.split(",")[0]: line for line in lines}
    if any(line.startswith("Not settled") for line in lines):
        return  # a solver that ran out of patience; the table says by how much
    squared = scene["algorithm"] == "soft-margin" and scene["loss"] == "squared_hinge"
    at_limit = np.abs(m - 1.0) <= (-1.0 if squared else 1e-6)
    limits = np.flatnonzero((kind == "slack") & at_limit)
    slack = [k for k in np.flatnonzero(kind == "slack") if k not in limits]
    for name, rows in (("On the margin", np.flatnonzero(kind == "margin")), ("Using slack", slack)):
        assert (name in said) == (len(rows) > 0)
        if len(rows):
            assert same_rows(said[name], rows), (said[name], rows)
    assert all(abs(m[row] - 1.0) < 1e-6 for row in np.flatnonzero(kind == "margin"))
    assert all(m[row] < 1.0 for row in slack)
    if slack:
        wrong, line = np.count_nonzero(m[slack] < -1e-6), said["Using slack"]
        assert ("wrong side" in line) == (wrong > 0)
        if found := re.search(r"; (\d+) of them", line):
            assert int(found[1]) == wrong
        else:
            assert wrong in (0, len(slack))
    others = [line for line in lines if re.match("Not (a )?support", line)]
    assert bool(others) == bool(np.any(alpha <= 0))
    if others:
        assert same_rows(others[0], np.flatnonzero(alpha <= 0))
    if scene["algorithm"] == "soft-margin" and scene["loss"] == "hinge":
        assert np.all(alpha <= scene["C"] * (1 + 1e-12))


def check_forces(session, reply) -> None:
    scene, X, y, w, _b, m = facts(reply)
    view, play = reply["forces"], session.playback
    if play.hand is not None:
        assert view["forces"] == []
        assert view["table"] == []
        assert "by hand" in view["says"]
        return
    if reply["run"]["void"]:
        assert view["forces"] == []
        assert "no balance" in view["says"]
        assert not separable(scene)
        return
    alpha, norm = np.array(play.frame.weights), np.linalg.norm(w)
    if not view["forces"]:
        assert not np.any(alpha > 0) or is_flat(session, w)
        return
    assert np.allclose(view["direction"], w / norm)
    for force in view["forces"]:
        assert force["size"] == alpha[force["row"]] > 0
    drawn = {force["row"] for force in view["forces"]}
    assert all(alpha[row] <= 2e-3 * alpha.max() for row in range(len(y)) if row not in drawn)
    forces, torques, *across = view["balance"]
    v, u = (alpha * y) @ X, np.array([-w[1], w[0]]) / norm
    size = alpha.sum() * np.abs(X).max()
    positive, negative = re.search(rf"with ({NUMBER}), the −1 side with ({NUMBER})", forces).groups()
    assert close(positive, alpha[y > 0].sum())
    assert close(negative, alpha[y < 0].sum())
    even = abs(alpha @ y) <= 1e-6 * alpha.sum()
    if scene["bias"] == "none":
        assert "held at the origin" in forces
        assert "Σ αy = 0" not in forces
        difference = re.search(rf"difference, ({NUMBER})", forces)[1]
        assert close(difference, abs(alpha @ y)) or (even and read(difference) == 0)
    else:
        assert ("they cancel" in forces) == even
        assert ("yet" in forces) == (not even and not play.frame.final)
    turns = [read(each) for each in re.search(rf"origin: ({NUMBER}) and ({NUMBER}):", torques).groups()]
    for sign, said in zip((1, -1), turns, strict=True):
        value = sign * (alpha[y == sign] @ (X[y == sign] @ u))
        assert said == pytest.approx(value, rel=6e-2, abs=1.1e-6 * size)  # with a power of ten, two digits
    if "they cancel" in torques:
        assert abs(v @ u) <= 2e-6 * size
        assert ("= w" in torques) == bool(np.abs(v - w).max() <= 1e-6 * max(size, norm))
    else:
        assert abs(v @ u) > 1e-7 * size
        assert ("yet" in torques) == (not play.frame.final)
    if across:
        p, q = (alpha[y == s] @ X[y == s] / alpha[y == s].sum() for s in (1, -1))
        assert np.allclose(view["centres"], [p, q])
        assert abs((p - q) @ u) <= 1e-5 * max(np.linalg.norm(p - q), np.abs(X).max())
        if "convex hulls" in across[0]:
            assert np.linalg.norm(p - q) == pytest.approx(hull_distance(X[y > 0], X[y < 0]), rel=1e-3)
    check_table(scene, view, alpha, m, play.frame.final)


def hull_distance(P, Q) -> float:
    """The distance of two convex hulls, by a general solver, which wants numbers about 1."""
    scale = float(np.abs(P[:1] - Q).max())
    P, Q = P / scale, Q / scale

    def square(s):
        way = s[: len(P)] @ P - s[len(P) :] @ Q
        return way @ way

    one = [
        {"type": "eq", "fun": lambda s: s[: len(P)].sum() - 1.0},
        {"type": "eq", "fun": lambda s: s[len(P) :].sum() - 1.0},
    ]
    i, j = np.unravel_index(np.argmin(cdist(P, Q)), (len(P), len(Q)))
    start = np.zeros(len(P) + len(Q))
    start[i] = start[len(P) + j] = 1.0
    found = minimize(
        square, start, bounds=[(0, 1)] * len(start), constraints=one, options={"ftol": 1e-14, "maxiter": 500}
    )
    return scale * float(np.sqrt(found.fun))


def check_table(scene, view, alpha, m, final) -> None:
    """Each case of the table from its inequalities, and whether the sentence above counts them rightly."""
    soft = scene["algorithm"] == "soft-margin"
    squared = soft and scene["loss"] == "squared_hinge"
    C, xi, off = scene["C"] if soft else np.inf, np.maximum(0.0, 1.0 - m), []
    assert [line["row"] for line in view["table"]] == sorted(range(len(m)), key=lambda k: (alpha[k] <= 0, k))
    for line in view["table"]:
        row, (name, weight, margin, slack, words) = line["row"], line["cells"]
        assert name == str(row + 1)
        assert close(weight, alpha[row], 3)
        assert close(margin, m[row], 3) or abs(m[row] - 1.0) < 1e-6
        assert close(slack, xi[row], 3) or xi[row] <= 1e-6
        on_edge = abs(m[row] - 1.0) <= 2e-6
        if "off by" in words or "inside the slab" in words:
            off.append(row)
        elif "α = 0" in words:
            assert alpha[row] == 0
            assert m[row] >= 1.0 - 2e-6
            assert on_edge or "beyond" in words
        elif "uses slack" in words:
            assert m[row] < 1.0
            assert alpha[row] == pytest.approx(
                2 * C * xi[row] if squared else C, abs=4e-6 * C * (1 + xi[row])
            )
        elif "α = C" in words:
            assert alpha[row] >= C
            assert on_edge
        else:
            assert 0 < alpha[row] < C
            assert on_edge
            assert ("< C" in words) == soft
    says = view["says"]
    assert ("holds for all" in says) == (not off)
    assert ("yet" in says) <= (not final)
    if off:
        assert same_rows(says.split(":", 1)[1], sorted(off)), (says, off)
    if found := re.search(rf"point (\d+) most, by ({NUMBER})", says):
        row = int(found[1]) - 1
        short = C * (xi - alpha / (2 * C)) ** 2 if squared else (C - alpha) * xi if soft else 0.0 * xi
        terms = short + alpha * np.maximum(0.0, m - 1.0) if soft else alpha * np.abs(m - 1.0)
        assert close(found[2], terms[row], 3)
        assert terms[row] == pytest.approx(terms[off].max(), rel=1e-6)


def check_everything(session, reply) -> None:
    assert "error" not in reply, reply
    texts = [
        reply["margin"]["says"],
        reply["margin"]["scaling"],
        reply["forces"]["says"],
        *reply["margin"]["derivation"],
        *reply["forces"]["balance"],
        *reply["forces"]["kinds"],
        *reply["margin"]["kinds"],
    ]
    for text in texts:
        assert not re.search(r"\brows?\b|\bnan\b|None|  |\binf\b", text), text
    check_margin(session, reply, reply["margin"])
    check_kinds(session, reply, reply["forces"]["kinds"] if reply["forces"]["table"] else [])
    if reply["margin"]["kinds"]:
        assert reply["margin"]["kinds"] == reply["forces"]["kinds"]
    check_forces(session, reply)
