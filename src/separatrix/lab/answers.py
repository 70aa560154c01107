"""Answers of the estimators about a scene, and the exact checks of them."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from separatrix.errors import InseparableError
from separatrix.lab.limits import MAX_FIT_EPOCHS, MAX_FIT_SECONDS
from separatrix.lab.proved import Proved
from separatrix.lab.runs.online import stream_learner
from separatrix.lab.runs.perceptron import labelled, settings_of
from separatrix.lab.scene import Scene
from separatrix.lab.words import shown
from separatrix.perceptron.certificate import widest_margin
from separatrix.perceptron.estimator import Perceptron
from separatrix.problem.mistakes import Variant, ratio_of
from separatrix.proof.certificate import Certificate
from separatrix.proof.verify import verify
from separatrix.separability import Separability, separability
from separatrix.svm.svc import SVC
from separatrix.types import Vector


def estimator(scene: Scene) -> Any:
    """The estimator whose fit is the scene's algorithm run to its end; of a stream, its partial_fit."""
    if scene.algorithm == "online":
        return stream_learner(scene)
    if scene.algorithm in ("gradient", "perceptron", "kernel-perceptron"):
        settings = settings_of(scene)
        kernel = {} if scene.algorithm != "kernel-perceptron" else _kernel(scene)
        return Perceptron(
            algorithm="gradient" if scene.algorithm == "gradient" else "perceptron",
            bias=scene.bias,
            step=settings.step,
            start="zero" if settings.start is None else 0,
            order="shuffle" if settings.shuffle else "cyclic",
            n_threads=1,
            random_state=0,
            **kernel,
        )
    bias = "none" if scene.bias == "none" else "free"
    if scene.algorithm == "hard-margin":
        return SVC(C=math.inf, bias=bias, max_time=MAX_FIT_SECONDS, n_threads=1)
    common: dict[str, Any] = {
        "C": scene.C,
        "loss": scene.loss,
        "bias": bias,
        "max_time": MAX_FIT_SECONDS,
        "n_threads": 1,
    }
    if scene.algorithm == "kernel-svm":
        return SVC(**common, **_kernel(scene), solver="gram")
    # Coordinate descent by itself may take for ever on badly scaled points; so many epochs are the page's patience.
    epochs = MAX_FIT_EPOCHS if scene.solver == "coordinate-descent" else None
    return SVC(**common, solver=scene.solver, max_iter=epochs, random_state=0)


def _kernel(scene: Scene) -> dict[str, Any]:
    return {"kernel": scene.kernel, "degree": scene.degree, "gamma": scene.gamma, "coef0": scene.coef0}


def fitted(chosen: Any, scene: Scene) -> Any:
    """The estimator, fitted to the scene; None where there is no hard margin."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a run without an end is what the page shows, in words
        if scene.algorithm == "online":
            return chosen.partial_fit(scene.X, scene.y, classes=[-1, 1])
        try:
            return chosen.fit(scene.X, scene.y)
        except InseparableError:
            return None


@dataclass(frozen=True, eq=False)
class Proof:
    """A certificate and what the exact check said of it."""

    certificate: Certificate
    proved: bool
    conditional: bool  #: proved if something holds that the reason names
    reason: str


def checked(certificate: Certificate, scene: Scene) -> Proof:
    """Check a certificate in exact arithmetic against the scene's rows."""
    answer = verify(certificate, scene.X, scene.y, exact=True)
    reason = answer.reason.removesuffix(f": {certificate.claim}")
    return Proof(certificate, answer.proved, answer.outcome == "conditional", reason)


class Answers:
    """Answers of the library about one scene; each answer is worked out when first asked for, and goes with its page.

    ``known`` is what was proved of the scene before this one, if there was one.
    """

    def __init__(self, scene: Scene, known: Proved | None = None) -> None:
        self.scene = scene
        self._known = known

    @cached_property
    def model(self) -> Any:
        """The fitted estimator; None where there is no hard margin."""
        return fitted(estimator(self.scene), self.scene)

    @cached_property
    def verdict(self) -> Separability:
        """True if a line separates the classes, decided exactly; through the origin where there is no bias."""
        return separability(self.scene.X, self.scene.y, bias=self.scene.bias != "none")

    @property
    def proved(self) -> Proved | None:
        """The last verdict there is: on this scene, or on an earlier one."""
        return Proved(self.scene, self.verdict) if "verdict" in self.__dict__ else self._known

    @cached_property
    def quick_verdict(self) -> Separability:
        """The verdict, perhaps by an earlier scene's witness: as exact, but its certificate is not of these rows."""
        known = self.proved
        return known.found if known is not None and known.holds_for(self.scene) else self.verdict

    @cached_property
    def verdict_proof(self) -> Proof:
        """The verdict's certificate, checked exactly."""
        return checked(self.verdict.certificate, self.scene)

    @cached_property
    def proof(self) -> Proof | None:
        """The finished run's certificate, checked exactly; None where the library has none for it."""
        if self.scene.algorithm == "online":
            return None  # a stream ends when no more points come: there is nothing to prove of its last w
        if self.model is None:
            return self.verdict_proof
        try:
            certificate = self.model.certificate_
        except ValueError:  # a run that did not end, or a kernel that leaves no exact claim
            return None
        return checked(certificate, self.scene)

    @cached_property
    def widest(self) -> Widest | None:
        """The widest margin with the fictitious column, and the unit plane that has it; None where none separates."""
        return widest_of(self.scene)

    @cached_property
    def bound(self) -> Bound | None:
        """The most updates the scene's variant can make on these rows."""
        return mistake_bound(self.scene, self.widest)

    @cached_property
    def kernel_bound(self) -> Bound:
        """The same in the space of a kernel, from the margin of the finished run's weights."""
        model, settings = self.model, settings_of(self.scene)
        variant = Variant("perceptron", settings.step, settings.start is not None, len(self.scene.points))
        ratio = _ratio_words(self.scene.bias, model.radius_, model.margin_)
        return Bound(
            model.bound_, f"{_formula(variant)}; {ratio}, m the margin of this w in the kernel's space"
        )

    def certificate_texts(self) -> dict[str, str | None]:
        """The certificates as files hold them: of the verdict, and of the run where it has one of its own."""
        run = None if self.proof is None or self.proof is self.verdict_proof else self.proof.certificate
        return {
            "verdict": json.dumps(self.verdict.certificate.to_dict()),
            "run": None if run is None else json.dumps(run.to_dict()),
        }

    def certificate_document(self) -> dict[str, Any]:
        """The certificate as `separatrix verify` reads it: of the run, or else of the verdict."""
        return dict((self.proof or self.verdict_proof).certificate.to_dict())


@dataclass(frozen=True)
class Bound:
    """The most updates a variant can make on these rows, and how it follows from numbers that the sentence names."""

    updates: float
    sentence: str


@dataclass(frozen=True, eq=False)
class Widest:
    """The unit vector u of the space with the fictitious column whose least y u.(x, c) is the widest margin."""

    margin: float
    u: Vector  #: (2,) without a bias, else (3,): its last entry goes with the column
    radius: float  #: max ||x_i||, without the column
    constant: float  #: c of the column, 0 without a bias

    @property
    def reach(self) -> float:
        """The longest row with its column: max ||(x_i, c)||."""
        return math.hypot(self.radius, self.constant)


def widest_of(scene: Scene) -> Widest | None:
    """The widest margin of linearly separable rows; None where they are not, or with a kernel."""
    if scene.algorithm not in ("gradient", "perceptron"):
        return None
    rows = labelled(scene)
    found = widest_margin(rows)
    if found is None:
        return None
    margin, W, b = found
    u = np.append(W[0], b[0] / rows.constant) if rows.constant else W[0]
    radius = float(np.sqrt(np.max(np.sum(np.square(scene.X), axis=1))))
    return Widest(margin, u / np.linalg.norm(u), radius, rows.constant)


def mistake_bound(scene: Scene, widest: Widest | None) -> Bound | None:
    """The bound of the scene's variant on rows with a widest margin; None where there is none."""
    if widest is None:
        return None
    settings = settings_of(scene)
    variant = Variant(scene.algorithm, settings.step, settings.start is not None, len(scene.points))
    ratio = ratio_of(widest.radius, widest.constant, widest.margin, 1.0)
    column = {"none": "", "unit": " with the column 1", "radius": " with the column R"}[scene.bias]
    numbers = _ratio_words(scene.bias, widest.radius, widest.margin)
    return Bound(variant.bound(ratio), f"{_formula(variant)}; {numbers}, m the widest margin{column}")


def _ratio_words(bias: str, radius: float, margin: float) -> str:
    """rho^2 = (R^2 + c^2) / m^2 with its numbers, c = 0, 1 or R."""
    square = shown(radius * radius, 5)
    symbol, top = {
        "none": ("R²", square),
        "unit": ("(R² + 1)", f"({square} + 1)"),
        "radius": ("2R²", f"2·{square}"),
    }[bias]
    constant = {"none": 0.0, "unit": 1.0, "radius": radius}[bias]
    return f"ρ² = {symbol}/m² = {top}/{shown(margin**2, 5)} = {shown(ratio_of(radius, constant, margin, 1.0), 5)}"


def _formula(variant: Variant) -> str:
    """The bound of a variant in symbols, see `problem.mistakes`: n is the number of points."""
    n, row = variant.n_rows, variant.from_row
    if variant.step == "decreasing":
        start = " + 1" if row else ""
        most = f"nρ²{start} and its square ≤ ρ²(n²(1 + ln k){start}), n = {n}"
        return f"the largest k with 2(√(k + 1) − 1){start} ≤ {most}"
    if variant.algorithm == "gradient":
        low, high = (
            (1.0, float(n))
            if variant.step == "line-search"
            else (float(variant.step), float(variant.step) * n)
        )
        low, high = (min(1.0, low), max(1.0, high)) if row else (low, high)
        least = " − 1" if row else ""
        return (
            f"(q + 1)²/(4q) · ρ²{least}, with q = {shown(high / low, 5)} (the longest step over the shortest)"
        )
    if not row:
        return "ρ²"
    if variant.step == 1.0:
        return "ρ² − 1, since the start counts as one update"
    return "h + √(h² + (ρ² − 1)/ε²), h = ρ²/2 − 1/ε, since the start counts too"
