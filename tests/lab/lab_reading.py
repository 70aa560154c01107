"""Reading the page as a visitor would, and finding the same facts with SciPy's linear programming."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import linprog

from separatrix.lab.session import Session

WANT = {"x": {}, "w": {}, "panel": {}}
NUMBER = r"−?\d+(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> float:
    """A number as the page writes it."""
    mantissa, _, power = text.replace("−", "-").partition("·10")
    return float(mantissa) * 10.0 ** int(power.translate(_POWERS) or 0)


def close(text: str, value: float, digits: int = 4) -> bool:
    """True if the text is the value, rounded; with a power of ten it has a digit less."""
    digits -= "·10" in text
    return abs(read(text) - value) <= 0.6 * 10.0 ** (1 - digits) * abs(value) + 1e-9


def room(points, b: float | None, level: float) -> float:
    """The largest t <= 1 with y (w.x + b) >= level + t on all points for some w (and b, where it is None)."""
    rows = tuple(tuple(point) for point in points)
    return _room(rows, b, level)


@cache
def _room(points, b, level) -> float:
    X, y = np.array([p[:2] for p in points]), np.array([p[2] for p in points], dtype=float)
    columns = [y[:, None] * X, y[:, None] if b is None else np.zeros((len(y), 1)), -np.ones((len(y), 1))]
    right = np.full(len(y), level) if b is None else level - y * b
    found = linprog(
        [0, 0, 0, -1],
        A_ub=-np.hstack(columns),
        b_ub=-right,
        bounds=[(None, None)] * 3 + [(None, 1)],
        method="highs",
    )
    assert found.status == 0, found.message
    return -found.fun


def separable(scene) -> bool:
    return room(scene["points"], 0.0 if scene["bias"] == "none" else None, 0.0) > 1e-9


def functional(scene, w, b) -> np.ndarray:
    points = np.array(scene["points"])
    return points[:, 2] * (points[:, :2] @ np.array(w) + b)


def check_wedge(reply) -> None:
    """Shading and words of w-space against a linear program in the plane of this b."""
    w, scene = reply["w"], reply["scene"]
    if w is None:
        return
    level, says, there = w["level"], w["says"], separable(scene)
    space = room(scene["points"], w["b"], level)
    if abs(space) > 1e-7:
        assert (space > 0) == (w["kind"] in ("room", "far", "thin")), (space, w["kind"])
    if w["kind"] == "thin":
        assert abs(space) < 1e-3
    assert (w["kind"] == "none") == (
        not there or (scene["bias"] == "none" and w["kind"] not in ("room", "far", "thin"))
    )
    assert ("shaded" in says) == (w["kind"] == "room") == (len(w["wedge"]) > 2 and w["kind"] != "far")
    assert ("at another b" in says) <= (there and scene["bias"] != "none")
    assert ("at any b" in says) == (not there and scene["bias"] != "none")
    assert ("b" in says.replace("w·x + b", "").split()) <= (scene["bias"] != "none")
    if w["kind"] == "room":
        inside = np.mean(w["wedge"], axis=0)
        assert np.min(functional(scene, inside, w["b"])) > level


def started(preset: str | None = None, points=None, **settings) -> Session:
    session = Session()
    if points is None:
        session.handle({"op": "preset", "name": preset})
    else:
        session.handle({"op": "load", "scene": {"points": points, "algorithm": "perceptron"}})
    reply = session.handle({"op": "set", "settings": settings})
    assert "error" not in reply, reply
    return session


def shown(session: Session, step: int | None = None, **want):
    op = {"op": "look"} if step is None else {"op": "seek", "step": step}
    reply = session.handle(op | {"want": {"x": {}, "panel": {}, **want}})
    assert "error" not in reply, reply
    return reply


def lifted(scene) -> np.ndarray:
    points = np.array(scene["points"], dtype=float)
    radius = float(np.linalg.norm(points[:, :2], axis=1).max())
    c = {"none": 0.0, "unit": 1.0, "radius": radius or 1.0}[scene["bias"]]
    return np.column_stack([points[:, :2], np.full(len(points), c)])


def tilde(scene, x) -> np.ndarray:
    c = lifted(scene)[0, 2]
    return np.array([*x["w"], x["b"] / c if c else 0.0])
