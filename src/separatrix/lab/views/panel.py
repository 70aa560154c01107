"""The certificate panel: the verdict in a sentence, what is proved of the run, and every row's share in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.lab.answers import Answers
from separatrix.lab.encode import number, numbers
from separatrix.lab.hand import objective
from separatrix.lab.playback import Playback
from separatrix.lab.runs.frame import Frame
from separatrix.lab.runs.soft_margin import soft_problem
from separatrix.lab.scene import Scene
from separatrix.proof.duality import kkt_residuals

_VERDICTS = {
    "separable": "Separable: a {line} has every point strictly on its own side.",
    "quasi-separable": "Quasi-separable: a {line} can have every point on its own side or on the line itself. "
    "The highlighted points lie on every such line.",
    "inseparable": "Inseparable: no {line} separates the classes. The highlighted points prove it.",
}


def panel(play: Playback, quick: bool, slackness: bool = True) -> dict[str, Any]:
    """Everything the panel shows; ``quick`` leaves the certificate of the run for later, while a point is dragged.

    ``slackness`` is what only the table of the rows shows.
    """
    scene, frame = play.scene, play.frame
    shown: dict[str, Any] = {
        "verdict": verdict_part(play.answers, quick),
        "rows": row_part(scene, frame, slackness, play.hand is not None),
        "objective": objective_part(play),
        "updates": update_part(play, quick),
        "step_size": step_size_part(scene),
        "proof": None,
        "pending": quick,
    }
    if play.at_end and play.whole and not quick:
        shown["proof"] = proof_part(play.answers)
    return shown


def verdict_part(answers: Answers, quick: bool) -> dict[str, Any]:
    """The exact verdict on the rows, with its witness; the margin and the check of its certificate if not ``quick``."""
    found = answers.quick_verdict if quick else answers.verdict
    proof = None if quick else answers.verdict_proof
    through = "" if found.bias else " through the origin"
    return {
        "kind": found.verdict,
        "sentence": _VERDICTS[found.verdict].format(line=f"line{through}"),
        "margin": None if quick else numbers(found.margin),
        "rows": [int(row) for row in found.rows],
        "weights": [str(weight) for weight in found.weights],
        "shares": [float(weight) for weight in found.weights],
        "tied": [int(row) for row in found.tied] if found.verdict == "quasi-separable" else [],
        "proved": None if proof is None else proof.proved,
        "reason": "" if proof is None else proof.reason,
    }


def row_part(scene: Scene, frame: Frame, slackness: bool = True, by_hand: bool = False) -> dict[str, Any]:
    """alpha and, for a margin problem, slack and, if asked for, what each row adds to the gap.

    A separator placed by hand is no sum of rows: it has slack, and no alpha.
    """
    weights = None if by_hand else numbers(frame.weights)
    part: dict[str, Any] = {"alpha": weights, "limit": None, "slack": None, "slackness": None}
    if scene.algorithm in ("soft-margin", "kernel-svm"):
        part["limit"] = scene.C if scene.loss == "hinge" else None
    if len(frame.slack):
        part["slack"] = numbers(frame.slack)
    if frame.w is None or not slackness or by_hand:
        return part
    if scene.algorithm == "soft-margin":
        part["slackness"] = numbers(
            kkt_residuals(soft_problem(scene), frame.w, frame.b, frame.weights).slackness
        )
    elif scene.algorithm == "hard-margin":
        # alpha_i (y_i f(x_i) - 1): zero where alpha_i = 0 or the row is on the margin.
        margins = scene.y * (scene.X @ frame.w + frame.b)
        part["slackness"] = numbers(frame.weights * np.abs(margins - 1.0))
    return part


def objective_part(play: Playback) -> dict[str, Any] | None:
    """Primal and dual at each step so far, and the primal value of what was placed by hand."""
    if play.frames[-1].dual is None:
        return None
    seen = play.frames[: play.cursor + 1]
    return {
        "primal": [number(frame.primal) for frame in seen],
        "dual": [number(frame.dual) for frame in seen],
        "gap": number(seen[-1].gap),
        "by_hand": None if play.hand is None else {"primal": number(objective(play.scene, play.hand))},
    }


def update_part(play: Playback, quick: bool) -> dict[str, Any] | None:
    """Updates so far against the bound of this variant; with a kernel it is known when the run has ended."""
    if play.scene.algorithm not in ("gradient", "perceptron", "kernel-perceptron") or play.hand is not None:
        return None
    part: dict[str, Any] = {"count": play.frame.updates, "bound": None}
    bound = play.answers.bound
    if play.scene.has_kernel and play.at_end and play.whole and not quick:
        bound = play.answers.kernel_bound
    if bound is not None:
        part["bound"], part["says"] = number(bound.updates), bound.sentence
    elif play.scene.has_kernel:
        part["says"] = (
            "The bound follows from the margin in the kernel's space, which is known when the run has ended."
        )
    else:
        line = "line through the origin" if play.scene.bias == "none" else "line"
        part["says"] = (
            f"No {line} separates these points, so the run never ends and nothing bounds its updates."
        )
    return part


def step_size_part(scene: Scene) -> str:
    """Why the step size may not matter: from w = 0 a fixed one only scales every w of the run."""
    fixed = scene.algorithm == "perceptron" or (scene.algorithm == "gradient" and scene.rule == "fixed")
    if not fixed or scene.start == "row":
        return ""
    return (
        "From w = 0 the step size does not matter: every w is ε times the w of step size 1, f has the same signs, and "
        "the same points are misclassified. Start at w = y₁x₁ to see it matter."
    )


def proof_part(answers: Answers) -> dict[str, Any] | None:
    """The certificate of the finished run, checked exactly; None where the library has none for it."""
    proof = answers.proof
    if proof is None:
        return None
    certificate = proof.certificate
    return {
        "kind": certificate.kind,
        "claim": certificate.claim,
        "digest": certificate.digest,
        "proved": proof.proved,
        "conditional": proof.conditional,
        "reason": proof.reason,
    }
