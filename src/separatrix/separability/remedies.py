"""Remedies that fit a case of separation: what to do, why, who says so, and the call that does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from separatrix.separability.causes import Causes
from separatrix.separability.estimates_table import joined

Kind = Literal["two", "joint", "ordinal"]


@dataclass(frozen=True)
class Case:
    """The facts on which the choice of remedies depends."""

    verdict: str
    kind: Kind
    infinite: Mapping[str, str]  #: coefficients that are not finite, and their signs
    aliased: tuple[str, ...]
    causes: Causes | None
    formula: str | None = None  #: where the model was given by one
    counts: bool = False  #: the outcome is binomial counts


@dataclass(frozen=True)
class Remedy:
    """A remedy in two sentences, with its reference and, where a library does it, the call."""

    name: str
    text: str
    reference: str
    call: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The remedy for JSON."""
        return {"name": self.name, "text": self.text, "reference": self.reference, "call": self.call or None}


def remedies(case: Case) -> list[Remedy]:
    """Choose the remedies for a case, the least drastic first."""
    out = []
    if case.verdict != "inseparable":
        if case.kind == "two":
            out.append(_firth(case))
            signs = {word for word in case.infinite.values() if word != "undetermined"}
            if signs:
                out.append(_profile(case, signs))
        else:
            out.append(_reduced_bias(case))
        out.append(_ridge(case))
        if case.verdict == "separable" and case.kind == "two":
            out.append(_margin())
        if case.causes is not None and case.causes.sets:
            out.append(_drop(case.causes))
        out.append(_more_data(case))
    if case.aliased:
        out.append(_unalias(case))
    return out


def _firth_fit(case: Case) -> tuple[str, str]:
    """The lines that fit with Firth's penalty, and the answer to print."""
    if case.counts:
        lines = (
            "import numpy as np\nfrom firthmodels import FirthLogisticRegression\n"
            "labels, counts = np.repeat([1, 0], len(X)), np.r_[successes, failures]\n"
            "fit = FirthLogisticRegression().fit(np.vstack([X, X]), labels, sample_weight=counts)"
        )
        return lines, "fit.coef_"
    if case.formula:
        lines = (
            "from firthmodels.adapters.statsmodels import FirthLogit\n"
            f"fit = FirthLogit.from_formula({case.formula!r}, data).fit()"
        )
        return lines, "fit.summary()"
    lines = "from firthmodels import FirthLogisticRegression\nfit = FirthLogisticRegression().fit(X, y)"
    return lines, "fit.coef_"


def _firth(case: Case) -> Remedy:
    fit, answer = _firth_fit(case)
    return Remedy(
        "Firth's penalty",
        "Penalise the likelihood by Jeffreys' prior: the estimates are then finite whatever the data, and less "
        "biased where they were finite before. Give intervals from the profile of the penalised likelihood, not from "
        "standard errors.",
        "Firth, Biometrika 80 (1993); Heinze and Schemper, Statistics in Medicine 21 (2002); Kosmidis and Firth, "
        "Biometrika 108 (2021)",
        f"{fit}\nprint({answer})",
    )


def _profile(case: Case, signs: set[str]) -> Remedy:
    end = "lower " if signs == {"+inf"} else "upper " if signs == {"-inf"} else ""
    wanted = "" if case.formula and not case.counts else "method='pl'"
    return Remedy(
        "Profile or exact intervals",
        f"An infinite estimate still has a one-sided interval: the profile of the likelihood has a finite {end}end, "
        "and likelihood-ratio tests stay valid where Wald tests fail; in small samples exact conditional logistic "
        "regression does the same. The call gives the interval of Firth's penalised likelihood, finite at both ends.",
        "Venzon and Moolgavkar, Applied Statistics 37 (1988); Mehta and Patel, Statistics in Medicine 14 (1995)",
        f"{_firth_fit(case)[0]}\nprint(fit.conf_int({wanted}))",
    )


def _reduced_bias(case: Case) -> Remedy:
    joint = case.kind == "joint"
    where = (
        "brmultinom of the R package brglm2"
        if joint
        else "bracl of the R package brglm2 (adjacent categories)"
    )
    return Remedy(
        "Reduced bias",
        f"Firth's adjustment exists for more than two outcomes too, and keeps the estimates finite. {where} does it; "
        "no well-kept library for Python is known to us.",
        "Kosmidis and Firth, Biometrika 98 (2011)"
        if joint
        else "Kosmidis, Journal of the Royal Statistical Society B 76 (2014)",
    )


def _ridge(case: Case) -> Remedy:
    call = (
        "from sklearn.linear_model import LogisticRegression\nfit = LogisticRegression(C=1.0).fit(X, y)"
        if case.kind != "ordinal" and not case.counts
        else ""
    )
    return Remedy(
        "A weak penalty or prior",
        "A ridge penalty or a weakly informative prior on standardised columns gives finite estimates that predict "
        "well. Their size depends on the strength of the penalty, so choose it by validation and report it.",
        "le Cessie and van Houwelingen, Applied Statistics 41 (1992); Gelman et al., Annals of Applied Statistics 2 "
        "(2008)",
        call,
    )


def _margin() -> Remedy:
    return Remedy(
        "The maximum-margin direction",
        "With complete separation the direction of the estimates has a limit as a ridge penalty vanishes: the widest "
        "margin. It predicts the same side for every row, but says nothing about odds.",
        "Rosset, Zhu and Hastie, NIPS 16 (2004)",
        "from separatrix import SVC\nfit = SVC(C=float('inf')).fit(X, y)\nprint(fit.coef_, fit.margin_)",
    )


def _drop(causes: Causes) -> Remedy:
    first = f"Without {joined(causes.sets[0])} every estimate that is left is finite"
    if causes.merges:
        merge = causes.merges[0]
        first += f"; so it is once the levels {joined(merge.levels)} of {merge.term} are merged"
    return Remedy(
        "Drop or merge",
        f"{first}. Do so only where the subject allows it: what separates is often the strongest effect in the data, "
        "and leaving it out biases the others.",
        "Zorn, Political Analysis 13 (2005)",
    )


def _more_data(case: Case) -> Remedy:
    what = (
        "a rare level or a small cell"
        if case.verdict == "quasi-separable"
        else "too few rows for so many columns"
    )
    return Remedy(
        "More data",
        f"Separation of this kind often comes from {what}. A few rows on the other side of the line end it, if "
        "nature has such rows.",
        "Albert and Anderson, Biometrika 71 (1984)",
    )


def _unalias(case: Case) -> Remedy:
    shown = ", ".join(case.aliased[:4]) + (", ..." if len(case.aliased) > 4 else "")
    return Remedy(
        "Drop aliased columns",
        f"The columns {shown} are exact combinations of the intercept and of columns before them, so their "
        "coefficients are not determined by any data of this kind. Drop them, or code a category against a reference.",
        "McCullagh and Nelder, Generalized Linear Models (1989)",
    )
