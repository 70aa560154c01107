"""Whether the statement of a document is true of the data, decided without its proof.

The sentence is taken apart, compared with the fields of the document and with the data, and then judged by
means of its own: an exact linear program for separability, the exact optimum of the quadratic program, runs
of the perceptron. The answer is

- `true`, or `false`;
- `not entitled`: the claim is not the sentence of section 8, or the document or its data are none of the
  page;
- `unproved`: no witness whatever could have proved this bound on mistakes, although no run refuted it;
- `unknown`: the enclosures of this oracle do not decide it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.adversary import kernel_truth, optimum
from tests.adversary.claims import Claim, agrees, parse, rows_agree
from tests.adversary.document import (
    Data,
    Malformed,
    Members,
    canonical,
    read_count,
    read_integer,
    read_members,
    read_real,
    read_vector,
)  # fmt: skip
from tests.adversary.optimum import Machine, Solution, coefficients, dual, primal, scores_of, solve
from tests.adversary.perceptron_runs import excludes, least_rho, longest_run, places_of, products_of
from tests.adversary.pivoting import Stuck
from tests.adversary.scaled_rows import is_scaled, unscaled
from tests.adversary.separability_truth import Split, signed_rows, split
from tests.adversary.statement import write

ZERO = Fraction(0)
WIDTH = Fraction(1, 2**80)  # 2^-90 for exp, and room for products and multiples
LONGEST = 400  # updates that a simulated run may take
_memory: dict[Any, Any] = {}


def _remembered(key: Any, compute: Any) -> Any:
    if key not in _memory:
        if len(_memory) > 20_000:
            _memory.clear()
        try:
            _memory[key] = compute()
        except Stuck as error:
            _memory[key] = error
    if isinstance(_memory[key], Stuck):
        raise _memory[key]
    return _memory[key]


def judge(document: Any, data: Data) -> str:
    """The verdict on an accepted document."""
    try:
        if not isinstance(document, dict):
            return "not entitled"
        if is_scaled(document):
            document, data = unscaled(document, data)
        claim = parse(document.get("claim"))
        if claim is None or document["claim"] != write(document, data):
            return "not entitled"
        members = read_members(document, data)
        if not _facts_agree(claim, document, data, members):
            return "not entitled"
        return {"optimal": _optimal, "mistakes": _mistakes}.get(claim.kind, _separation)(
            claim, document, data, members
        )
    except (Malformed, KeyError, TypeError, AttributeError):
        return "not entitled"
    except Stuck:
        return "unknown"


def judge_conditional(document: Any, data: Data) -> bool:
    """Whether `conditional` is a right answer: the sentence of section 8, and a kernel without a theorem."""
    try:
        if is_scaled(document):
            document, data = unscaled(document, data)
        members = read_members(document, data)
        claim = parse(document["claim"])
        if (
            claim is None
            or document["claim"] != write(document, data)
            or not _facts_agree(claim, document, data, members)
        ):
            return False
        kernel = document["problem"]["kernel"]
        matrix = kernel["name"] in ("precomputed", "function")
        return not kernel_truth.by_theorem(kernel) and (not matrix or len(members.rows) > 64)
    except (Malformed, KeyError, TypeError, AttributeError):
        return False


def _facts_agree(claim: Claim, document: dict[str, Any], data: Data, members: Members) -> bool:
    field, problem = document["data"], document["problem"]
    ups = sum(1 for i in members.rows if members.classes or members.side[i] > 0)
    sizes = ups, len(members.rows) - ups
    if document["kind"] != claim.kind or (claim.form == "joint") != bool(members.classes):
        return False
    if not agrees(claim, field["positive"], field["negative"], data.label_texts(), sizes):
        return False
    if not rows_agree(claim, len(data.X), len(members.rows), field["excluded"]):
        return False
    words = {
        "free": ("with a bias", "free bias"),
        "none": ("through the origin", "no bias"),
        "augmented": ("augmented bias",),
    }
    if "bias" in problem and claim.said["bias"] not in words[problem["bias"]]:
        return False
    if "loss" in claim.said and claim.said["loss"] != problem["loss"].replace("_", " "):
        return False
    kernel = problem.get("kernel", "linear")
    if kernel != "linear":
        kernel_truth.check_kernel(kernel)
    if claim.kind != "optimal" and "kernel" in problem and (claim.form == "kernel") != (kernel != "linear"):
        return False
    return _costs_agree(claim, problem, data, members)


def _costs_agree(claim: Claim, problem: dict[str, Any], data: Data, members: Members) -> bool:
    said = claim.said
    if (claim.form == "hard") != (problem.get("C") == "hard"):
        return False
    if claim.kind != "optimal" or claim.form == "hard":
        return True
    costs = costs_of(problem, data, members)
    if "C" in said:
        return all(float(Fraction(said["C"])) == cost for cost in costs)
    if "C_up" in said:
        expected = {1: float(said["C_up"]), -1: float(said["C_down"])}
        return all(expected[members.side[i]] == cost for i, cost in zip(members.rows, costs, strict=True))
    return float(said["C_least"]) == min(costs) and float(said["C_most"]) == max(costs)


def costs_of(problem: dict[str, Any], data: Data, members: Members) -> list[Fraction]:
    """C_i of the rows that take part, all above zero."""
    C = problem["C"]
    if set(C) == {"rows"}:
        full = read_vector(C["rows"], len(data.X))
        if any(full[i] for i in range(len(data.X)) if i not in members.side):
            raise Malformed("a cost for a row that takes no part")
        costs = [full[i] for i in members.rows]
    elif set(C) == {"positive", "negative"}:
        positive, negative = read_real(C["positive"]), read_real(C["negative"])
        if (members.classes and positive != negative) or min(positive, negative) <= 0:
            raise Malformed("two costs for all classes at once, or one that is not above zero")
        costs = [positive if members.classes or members.side[i] > 0 else negative for i in members.rows]
    else:
        raise Malformed("no costs of the page")
    if any(cost <= 0 for cost in costs):
        raise Malformed("a cost that is not above zero")
    return costs


def machine_of(document: dict[str, Any], data: Data, members: Members) -> Machine:
    """The problem of an `optimal` document."""
    problem = document["problem"]
    if problem["bias"] not in ("free", "augmented", "none") or problem["loss"] not in (
        "hinge",
        "squared_hinge",
    ):
        raise Malformed("another bias or loss")
    kernel = problem["kernel"]
    if kernel != "linear":
        kernel_truth.check_kernel(kernel)
    key = ("K", data.identity, canonical(kernel), members.rows)
    K = _remembered(key, lambda: kernel_truth.matrix(kernel, data, members.rows))
    hard = problem["C"] == "hard"
    C = None if hard else costs_of(problem, data, members)
    if (hard or members.classes) and problem["loss"] != "hinge":
        raise Malformed("this problem has the hinge loss")
    return Machine(
        K,
        [members.side[i] for i in members.rows],
        members.classes,
        problem["bias"],
        problem["loss"] != "hinge",
        C,
    )


def _problem_key(document: dict[str, Any], data: Data, members: Members) -> Any:
    return (
        data.identity,
        canonical(document["problem"]),
        members.rows,
        tuple(members.side[i] for i in members.rows),
        members.classes,
    )


def truth(document: dict[str, Any], data: Data, members: Members) -> Solution:
    """The optimum of the problem between two ends."""
    return _remembered(
        ("optimum", *_problem_key(document, data, members)),
        lambda: solve(machine_of(document, data, members)),
    )


def _proved_kernel(kernel: Any, machine: Machine) -> bool:
    """Whether the kernel is positive semidefinite here, by a theorem or by elimination."""
    if kernel_truth.by_theorem(kernel):
        return True
    if kernel["name"] not in ("precomputed", "function"):
        return False
    return kernel_truth.semidefinite([[e[0] for e in row] for row in machine.K])


def _point(
    document: dict[str, Any], data: Data, members: Members, machine: Machine
) -> tuple[Fraction, Fraction | None]:
    """The primal objective at the given point, between two ends."""
    proof, n, d, k = document["proof"], len(data.X), data.columns, max(members.classes, 1)
    b = read_vector(proof["b"], k) if members.classes else [read_real(proof["b"])]
    weights = "W" if members.classes else "w"
    if weights in proof and document["problem"]["kernel"] == "linear":
        w = read_vector(proof[weights], d * k)
        return primal(machine, *optimum.plane_scores([data.X[i] for i in members.rows], w, b), b)
    if members.classes:
        beta = read_vector(proof["beta"], n * k)
        A = coefficients(machine, [beta[members.rows[i] * k + m] for i, m in machine.pairs])
    elif "coef" in proof:
        coef = read_vector(proof["coef"], n)
        A = [[coef[i]] for i in members.rows]
    else:
        alpha = read_vector(proof["alpha"], n)
        A = [[alpha[i] * members.side[i]] for i in members.rows]
    scores, norm = scores_of(machine, A, b)
    return primal(machine, scores, norm, b)


def _optimal(claim: Claim, document: dict[str, Any], data: Data, members: Members) -> str:
    machine = machine_of(document, data, members)
    if not _proved_kernel(document["problem"]["kernel"], machine):
        return "not entitled"
    if document["problem"]["bias"] == "none" and any(_biases(document["proof"]["b"], members)):
        return "not entitled"
    low, high = _point(document, data, members, machine)
    if low < 0:
        return "false"  # a margin that is demanded is missing
    optimum = truth(document, data, members)
    lower, upper, gap = claim.number("dual"), claim.number("primal"), claim.number("gap")
    if upper < 0:
        return "not entitled"
    if lower > optimum.upper or upper < optimum.lower or (low > 0 and low - optimum.upper > gap * low):
        return "false"
    if high is None or lower > optimum.lower or upper < optimum.upper:
        return "unknown"
    return "true" if high - optimum.lower <= gap * high else "unknown"


def undetermined(document: Any, data: Data) -> bool:
    """Whether enclosures of exp and tanh that the page allows may decide either way: two checkers may differ."""
    try:
        members = read_members(document, data)
        machine = machine_of(document, data, members)
        if document["kind"] != "optimal" or all(e[0] == e[1] for row in machine.K for e in row):
            return False
        apart = [[e if e[0] == e[1] else (e[0] - WIDTH, e[1] + WIDTH) for e in row] for row in machine.K]
        wide = replace(machine, K=apart)
        proof, k = document["proof"], max(members.classes, 1)
        values = read_vector(proof["beta" if members.classes else "alpha"], len(data.X) * k)
        z = [values[members.rows[p] * k + m] for p, m in machine.pairs]
        low, (_, norm) = dual(wide, z), scores_of(wide, coefficients(wide, z), [ZERO] * k)
        ends = _point(document, data, members, wide)
        claimed_dual, claimed_primal = read_real(proof["dual"]), read_real(proof["primal"])
        if low is not None and low < claimed_dual <= low + (norm[1] - norm[0]) / 2:
            return True
        return ends[1] is None or ends[0] <= claimed_primal < ends[1]
    except (Malformed, KeyError, TypeError, AttributeError, Stuck):
        return False


def _biases(b: Any, members: Members) -> list[Fraction]:
    return read_vector(b, members.classes) if members.classes else [read_real(b)]


def split_of(document: dict[str, Any], data: Data, members: Members) -> Split:
    """Which signed rows are tied."""
    bias = document["problem"]["bias"]
    if bias not in ("free", "none"):
        raise Malformed("another bias")
    return _remembered(
        ("split", *_problem_key(document, data, members)),
        lambda: split(signed_rows(data, members, bias == "free")),
    )


def _separation(claim: Claim, document: dict[str, Any], data: Data, members: Members) -> str:
    if claim.form == "kernel":
        return _kernel_contradiction(claim, document, data, members)
    found = split_of(document, data, members)
    all_, tied = len(found.places), len(found.tied)
    if claim.kind == "inseparable":
        return "true" if tied == all_ else "false"
    if claim.kind == "quasi-separable":
        return "true" if 0 < tied < all_ and int(claim.said["tied"]) <= tied else "false"
    if tied:
        return "false"
    if "lower" not in claim.said:
        return "true"
    if document["problem"]["bias"] == "free" and len(set(members.side.values())) < 2:
        return "false"  # the margin has no bound
    margin = _remembered(
        ("margin", *_problem_key(document, data, members)), lambda: _margin(document, data, members)
    )
    lower, upper = claim.number("lower"), claim.number("upper")
    if not 0 <= lower <= upper:
        return "not entitled"
    return "true" if lower * lower <= margin <= upper * upper else "false"


def _margin(document: dict[str, Any], data: Data, members: Members) -> Fraction:
    """The square of the maximum margin, exactly."""
    K = kernel_truth.matrix("linear", data, members.rows)
    side = [members.side[i] for i in members.rows]
    return 1 / (2 * solve(Machine(K, side, 0, document["problem"]["bias"], False, None)).lower)


def _kernel_contradiction(claim: Claim, document: dict[str, Any], data: Data, members: Members) -> str:
    problem = document["problem"]
    machine = machine_of({"problem": {**problem, "loss": "hinge", "C": "hard"}}, data, members)
    if not _proved_kernel(problem["kernel"], machine):
        return "not entitled"
    circuit = read_vector(document["proof"]["circuit"], len(data.X), read_integer)
    support = [p for p, i in enumerate(members.rows) if circuit[i]]
    if len(support) != int(claim.said["count"]) or any(
        circuit[i] for i in range(len(data.X)) if i not in members.side
    ):
        return "not entitled"
    bias = [Fraction(1)] if problem["bias"] == "free" else []
    groups: dict[Any, list[int]] = {}
    for p in support:
        groups.setdefault(
            tuple(data.X[members.rows[p]]) if data.K is None else tuple(machine.K[p]), []
        ).append(p)
    firsts = [places[0] for places in groups.values()]
    rows = {}
    for p in support:
        values = [kernel_truth.middle(machine.K[p][q]) for q in firsts]
        rows[p] = [machine.side[p] * v for v in [*values, *bias]]
    found = split(rows)
    exact = all(e[0] == e[1] for row in machine.K for e in row)
    if exact:
        return "true" if found.tied else "false"
    if any(len({machine.side[p] for p in places}) == 2 for places in groups.values()):
        return "true"  # equal rows on both sides: nothing whatever separates them
    return "unknown" if found.tied else "false"


def _mistakes(claim: Claim, document: dict[str, Any], data: Data, members: Members) -> str:
    problem, proof = document["problem"], document["proof"]
    gain, bound = read_real(problem["gain"]), read_count(proof["bound"])
    if gain < 0 or (problem["step"] not in ("decreasing", "line-search") and read_real(problem["step"]) <= 0):
        return "not entitled"
    if problem["step"] == "line-search" and problem["algorithm"] != "gradient":
        return "not entitled"
    key = (data.identity, members.rows, tuple(members.side[i] for i in members.rows), members.classes, gain)
    products = _remembered(("products", *key), lambda: products_of(data, members, gain))
    if "updates" in proof and not _updates_separate(document, products, members, len(data.X)):
        return "false"
    rho = _remembered(("rho", *key), lambda: least_rho(data, members, gain))
    if rho is None:
        return "false"  # no run on these rows ever ends
    if excludes(problem, bound + 1, rho, len(products)):
        return "true"
    longest = longest_run(problem, products, min(bound, LONGEST), 0)
    return "false" if longest > bound else "unproved"


def _updates_separate(document: dict[str, Any], products: Any, members: Members, n: int) -> bool:
    """Whether the weights that the counts imply have every row on its side."""
    proof, k = document["proof"], max(members.classes, 1)
    step = read_real(document["problem"]["step"])
    updates = read_vector(proof["updates"], n * k, read_integer)
    places = [place for place, _ in places_of(members)]
    start = read_count(proof["start"]) if "start" in proof else None
    if any(v < 0 for v in updates) or any(v for place, v in enumerate(updates) if place not in set(places)):
        return False
    if (start is not None) != (document["problem"]["start"] == "row") or (
        start is not None and start not in places
    ):
        return False
    weights = [step * updates[place] + (place == start) for place in places]
    return all(sum((v * p for v, p in zip(weights, line, strict=True)), ZERO) > 0 for line in products)
