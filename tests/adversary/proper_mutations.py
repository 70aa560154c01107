"""Mutations that know what a field means: sides, rows, costs, kernels, bounds, and fields that belong together."""

from __future__ import annotations

import math
import random
from typing import Any

from tests.adversary.document import integer, read_real, real
from tests.adversary.drafts import (
    Draft,
    changed_float,
    changed_real,
    copied,
    is_integer,
    is_real,
    leaves,
    objects,
)
from tests.adversary.specimens import KERNELS, kernel

Draws = random.Random
LABELS = (
    "1",
    "-1",
    "0",
    "2",
    "a",
    "b",
    "x",
    "",
    "1.0",
    "0x1.0000000000000p-1",
    "99",
    "every other label",
    "no label",
    "a, b",
)


def sides(rng: Draws, draft: Draft) -> bool:
    """Labels change sides, come twice, go, or are unknown."""
    field = draft.place("data")
    if not isinstance(field, dict) or not all(
        isinstance(field.get(s), list) for s in ("positive", "negative")
    ):
        return False
    positive, negative = field["positive"], field["negative"]
    way = rng.randrange(7)
    if way == 0:
        field["positive"], field["negative"] = negative, positive
    elif way == 1 and positive:
        negative.append(positive.pop(rng.randrange(len(positive))))
    elif way == 2 and negative:
        positive.append(negative.pop(rng.randrange(len(negative))))
    elif way == 3:
        (positive if rng.random() < 0.5 else negative).append(rng.choice([*positive, *negative, "1"]))
    elif way == 4:
        (positive if rng.random() < 0.5 else negative).append(rng.choice(LABELS))
    elif way == 5:
        side = positive if rng.random() < 0.5 else negative
        if not side:
            return False
        side.pop(rng.randrange(len(side)))
    else:
        side = max(positive, negative, key=len)
        if len(side) < 2:
            return False
        rng.shuffle(side)
    return True


def excluded(rng: Draws, draft: Draft) -> bool:
    """Rows are excluded, or take part again."""
    rows = draft.place("data", "excluded")
    if not isinstance(rows, list):
        return False
    way = rng.randrange(4)
    n = len(draft.data.X)
    if way == 0 and rows:
        rows.pop(rng.randrange(len(rows)))
    elif way == 1:
        rows.append(rng.choice([n, n + 1, 0, 0, n - 1, 2**32]))
    else:
        draft.document["data"]["excluded"] = sorted(set(rng.sample(range(n), rng.randint(1, min(3, n)))))
    return True


def costs(rng: Draws, draft: Draft) -> bool:
    """C is another: scaled, by side, by row, zero, hard."""
    C = draft.place("problem", "C")
    if C is None:
        return False
    problem, n = draft.document["problem"], len(draft.data.X)
    way = rng.randrange(6)
    if way == 0:
        factor = rng.choice([2.0, 0.5, 1e160, 1e-160, 1 + 2.0**-40, 0.0, -1.0])
        for container, key in leaves([C], is_real):
            container[key] = real(float.fromhex(container[key]) * factor)
    elif way == 1:
        problem["C"] = {
            "positive": real(rng.choice([1.0, 2.0, 0.0, 5e-324, 1.7e308])),
            "negative": real(rng.choice([1.0, 0.25, 1e160])),
        }
    elif way == 2:
        value = rng.choice([1.0, 0.0, 2.0, 1e160])
        problem["C"] = {
            "rows": {"length": n, "values": [real(rng.choice([value, value, 1.0])) for _ in range(n)]}
        }
    elif way == 3:
        problem["C"] = {"rows": {"length": n, "indices": list(range(n)), "values": [real(1.0)] * n}}
    elif way == 4:
        problem["C"] = rng.choice(
            [
                "hard",
                {},
                {"positive": real(1.0)},
                real(1.0),
                {"rows": {"length": n, "values": [real(0.0)] * n}},
            ]
        )
    else:
        spots = leaves([C], is_real)
        if not spots:
            return False
        container, key = rng.choice(spots)
        container[key] = changed_real(rng, container[key])
    return True


def kernels(rng: Draws, draft: Draft) -> bool:
    """Another kernel, other parameters, a tree around it, or none."""
    problem = draft.place("problem")
    if not isinstance(problem, dict) or "kernel" not in problem:
        return False
    old = problem["kernel"]
    way = rng.randrange(7)
    if way == 0 and isinstance(old, dict):
        spots = leaves(old, is_real)
        if not spots:
            return False
        container, key = rng.choice(spots)
        container[key] = changed_real(rng, container[key])
    elif way == 1:
        problem["kernel"] = copied(rng.choice(list(KERNELS.values())))
    elif way == 2 and isinstance(old, dict):
        problem["kernel"] = {"name": rng.choice(["sum", "product"]), "parts": [old, copied(old)]}
    elif way == 3 and isinstance(old, dict):
        problem["kernel"] = {
            "name": "scaled",
            "factor": real(rng.choice([1.0, 2.0, 0.0, -1.0, 1e160, 5e-324])),
            "parts": [old],
        }
    elif way == 4 and isinstance(old, dict):
        for entry in objects(old):
            if "degree" in entry:
                entry["degree"] = rng.choice([0, 1, 2, 3, 4, 16, 17, 1000])
                return True
        return False
    elif way == 5:
        strange = [
            kernel("poly", degree=2, gamma=1.0, coef0=-1.0),
            kernel("rbf", gamma=-0.5),
            kernel("rbf", gamma=0.0),
            kernel("precomputed"),
        ]
        strange += [
            kernel("rbf", gamma=1.7e308),
            kernel("sigmoid", gamma=1.0, coef0=0.0),
            kernel("function"),
            kernel("linear", gamma=1.0),
        ]
        problem["kernel"] = rng.choice(strange)
    else:
        problem["kernel"] = "linear" if isinstance(old, dict) else {"name": "linear"}
    return True


def classes(rng: Draws, draft: Draft) -> bool:
    """All classes at once in place of two sides, or the other way round, with the fields of the other form."""
    problem = draft.place("problem")
    if not isinstance(problem, dict) or "classes" not in problem:
        return False
    problem["classes"] = "two" if problem["classes"] == "joint" else "joint"
    field = draft.place("data")
    if (
        isinstance(field, dict)
        and rng.random() < 0.7
        and isinstance(field.get("positive"), list)
        and isinstance(field.get("negative"), list)
    ):
        if problem["classes"] == "joint":
            field["positive"], field["negative"] = field["positive"] + field["negative"], []
        else:
            field["positive"], field["negative"] = field["positive"][:1], field["positive"][1:]
    proof = draft.place("proof")
    if isinstance(proof, dict) and rng.random() < 0.5 and isinstance(proof.get("b"), str):
        proof["b"] = {"length": 2, "values": [proof["b"], proof["b"]]}
    return True


def bounds(rng: Draws, draft: Draft) -> bool:
    """What is claimed is claimed tighter, a little or a lot."""
    proof = draft.place("proof")
    if not isinstance(proof, dict):
        return False
    names = [name for name in ("primal", "dual") if is_real(proof.get(name))]
    margin = proof.get("margin")
    holder = proof
    if isinstance(margin, dict):
        holder, names = margin, [name for name in ("lower", "upper") if is_real(margin.get(name))]
    if "bound" in proof and type(proof["bound"]) is int:
        value = proof["bound"]
        proof["bound"] = max(0, rng.choice([value - 1, value // 2, 0, 1, value + 1, value * 2, value - 2]))
        return True
    if not names:
        return False
    name = rng.choice(names)
    try:
        value = float.fromhex(holder[name])
    except (ValueError, OverflowError):
        return False
    towards = -1.0 if name in ("primal", "upper") else 1.0
    size = rng.choice([0.0, 2.0**-52, 2.0**-50, 2.0**-44, 2.0**-40, 2.0**-36, 2.0**-30, 2.0**-20, 0.01, 0.5])
    new = math.nextafter(value, towards * math.inf) if size == 0 else value + towards * size * abs(value)
    if rng.random() < 0.2 and set(names) == {"primal", "dual"}:
        other = "dual" if name == "primal" else "primal"
        new = float.fromhex(holder[other]) if is_real(holder[other]) else new
    if math.isfinite(new):
        holder[name] = real(new)
    return True


def together(rng: Draws, draft: Draft) -> bool:
    """Several fields change as they would have to if the lie were true."""
    proof, problem = draft.place("proof"), draft.place("problem")
    if not isinstance(proof, dict) or not isinstance(problem, dict):
        return False
    factor = rng.choice([2.0, 0.5, 4.0, 1e100, 1e-100, 2.0**-30 + 1])
    way = rng.randrange(8)
    if way == 0:  # alpha, and with it the dual
        _scale(proof, ("alpha", "beta", "coef", "dual"), factor)
    elif way == 1:  # the plane
        _scale(proof, ("w", "W", "b", "coef"), factor)
    elif way == 2:  # C and alpha
        _scale(proof, ("alpha", "beta", "coef", "w", "W", "b", "primal", "dual"), factor)
        _scale(problem, ("C",), factor)
    elif way == 3:  # the sides and the plane
        field = draft.place("data")
        if not isinstance(field, dict) or "positive" not in field or "negative" not in field:
            return False
        field["positive"], field["negative"] = field["negative"], field["positive"]
        _scale(proof, ("w", "b", "coef"), -1.0)
        draft.equivalent = False
    elif way == 4:  # another bias, and b with it
        problem["bias"] = rng.choice(["free", "augmented", "none"])
        if problem["bias"] == "none" and "b" in proof:
            proof["b"] = (
                "0x0.0p+0" if is_real(proof["b"]) else "0x0" if is_integer(proof["b"]) else proof["b"]
            )
    elif way == 5:  # a larger C and a larger alpha on two rows, which keeps the balance
        _scale(problem, ("C",), factor)
        for vector in (proof.get("alpha"), proof.get("beta")):
            if (
                isinstance(vector, dict)
                and isinstance(vector.get("values"), list)
                and len(vector["values"]) > 1
            ):
                i, j = rng.sample(range(len(vector["values"])), 2)
                vector["values"][i] = vector["values"][j] = real(changed_float(rng, 1.0))
    elif way == 6:  # a positive factor of integers, which changes nothing
        return _positive_factor(rng, draft, proof)
    else:  # both ends of the optimum or of the margin
        _scale(proof, ("primal", "dual"), factor)
        _scale(proof.get("margin"), ("lower", "upper"), factor)
    return True


def _scale(holder: Any, names: tuple[str, ...], factor: float) -> None:
    if not isinstance(holder, dict):
        return
    for name in names:
        if name not in holder:
            continue
        for container, key in leaves({name: holder[name]}, lambda v: is_real(v) or is_integer(v)):
            old = container[key]
            try:
                new = (
                    real(float.fromhex(old) * factor) if is_real(old) else integer(int(int(old, 16) * factor))
                )
            except (ValueError, OverflowError):
                continue
            if "n" not in new:  # neither nan nor inf
                if container.keys() == {name} if isinstance(container, dict) else False:
                    holder[name] = new
                else:
                    container[key] = new


def _positive_factor(rng: Draws, draft: Draft, proof: dict[str, Any]) -> bool:
    factor = rng.choice([2, 3, 10**20, 2**64])
    names = [("w", "b"), ("circuit",), ("cover", "denominator")]
    chosen = rng.choice([group for group in names if all(name in proof for name in group)] or [()])
    spots = [spot for name in chosen for spot in leaves({name: proof[name]}, is_integer)]
    if not spots:
        return False
    for container, key in spots:
        try:
            new = integer(int(container[key], 16) * factor)
        except ValueError:
            return False
        if isinstance(container, dict) and container is not proof and key in chosen:
            proof[key] = new
        else:
            container[key] = new
    draft.equivalent = True
    return True


def step(rng: Draws, draft: Draft) -> bool:
    """Another gain, step, start or algorithm of the perceptron, alone or with what belongs to it."""
    problem, proof = draft.place("problem"), draft.place("proof")
    if not isinstance(problem, dict) or "gain" not in problem or not isinstance(proof, dict):
        return False
    way = rng.randrange(5)
    if way == 0:
        problem["gain"] = real(rng.choice([0.0, 1.0, 1e-300, 1e300, 5e-324, -1.0, 0.25]))
    elif way == 1:
        problem["step"] = rng.choice(
            [real(1.0), real(1e-160), real(1e160), real(0.0), real(-1.0), "decreasing", "line-search"]
        )
        if not is_real(problem["step"]):
            proof.pop("updates", None)
            proof.pop("start", None)
    elif way == 2:
        problem["algorithm"] = "gradient" if problem.get("algorithm") == "perceptron" else "perceptron"
    elif way == 3:
        problem["start"] = "row" if problem.get("start") == "zero" else "zero"
        proof.pop("start", None)
        if problem["start"] == "row" and "updates" in proof:
            proof["start"] = rng.randrange(len(draft.data.X) + 1)
    else:
        proof.pop("updates", None)
        proof.pop("start", None)
        return read_real(problem["gain"]) >= 0 if is_real(problem["gain"]) else False
    return True


PROPER = [sides, excluded, costs, kernels, classes, bounds, bounds, together, together, step]
