"""What `fit` fits: the estimator that the options mean, and words for what was chosen and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from separatrix.cli.errors import Refused
from separatrix.cli.options import kernel_name

_SVC_BIASES, _PERCEPTRON_BIASES = ("free", "augmented", "none"), ("unit", "radius", "none")
_WAYS = ("ovr", "ovo", "crammer-singer")


@dataclass
class Choice:
    """An estimator with its parameters, and why they are what they are."""

    perceptron: bool
    parameters: dict[str, Any]
    reasons: list[str] = field(default_factory=list)

    def make(self) -> Any:
        """The estimator, not fitted."""
        from separatrix import SVC, Perceptron

        return Perceptron(**self.parameters) if self.perceptron else SVC(**self.parameters)

    @property
    def kernel(self) -> str:
        """Its kernel."""
        return str(self.parameters["kernel"])

    @property
    def words(self) -> str:
        """The choice as a phrase."""
        p = self.parameters
        kernel = f"{p['kernel']} kernel"
        if p["kernel"] != "linear":
            used = {"poly": ("degree", "gamma", "coef0"), "rbf": ("gamma",), "laplacian": ("gamma",)}
            names = used.get(p["kernel"], ("gamma", "coef0") if p["kernel"] == "sigmoid" else ())
            kernel += "".join(f", {name} = {_number(p[name])}" for name in names)
        if self.perceptron:
            return f"perceptron, {kernel}, {p['bias']} bias, at most {p['max_epochs']:,} passes"
        cost = "hard margin (C = inf)" if p["C"] == float("inf") else f"C = {p['C']:g}"
        joint = "all classes in one problem, " if p["multi_class"] == "crammer-singer" else ""
        loss = p["loss"].replace("_", " ")
        return f"{joint}{kernel}, {loss} loss, {cost}, {p['bias']} bias, tol = {p['tol']:g}"


def choose(asked: dict[str, Any]) -> Choice:
    """The estimator that the options mean.

    >>> choose({"gamma": "0.5"}).words
    'rbf kernel, gamma = 0.5, hinge loss, C = 1, free bias, tol = 0.001'
    >>> choose({"kernel": "1", "degree": 2, "cost": 10.0}).reasons
    []
    """
    reasons = []
    kernel = "linear"
    if asked.get("kernel") is not None:
        kernel = kernel_name(asked["kernel"])
    elif asked.get("gamma") is not None:
        kernel = "rbf"
        reasons.append("an rbf kernel, because -g was given without -t")
    else:
        reasons.append("a linear kernel (-t 2 for rbf)")
    _refuse_idle(kernel, asked)
    parameters: dict[str, Any] = {"kernel": kernel}
    parameters |= {
        "degree": asked.get("degree") or 3,
        "gamma": _gamma(asked.get("gamma")),
        "coef0": asked.get("coef0") or 0.0,
    }
    parameters |= {
        "max_time": asked.get("max_time"),
        "n_threads": asked.get("threads"),
        "random_state": asked.get("seed", 0),
    }
    perceptron = bool(asked.get("perceptron"))
    biases = _PERCEPTRON_BIASES if perceptron else _SVC_BIASES
    bias = asked.get("bias") or biases[0]
    if bias not in biases:
        raise Refused(f"--bias must be one of {', '.join(biases)} here; got {bias!r}.")
    parameters["bias"] = bias
    if perceptron:
        _refuse_of_svc(asked)
        parameters["max_epochs"] = asked.get("max_iter") or 1000
        return Choice(True, parameters, reasons)
    cost = asked.get("cost")
    if cost is None:
        reasons.append("C = 1 (-c changes it)")
    parameters |= {
        "C": 1.0 if cost is None else float(cost),
        "loss": asked.get("loss") or "hinge",
        "tol": asked.get("tol") or 1e-3,
        "solver": asked.get("solver") or "auto",
        "max_iter": asked.get("max_iter"),
        "class_weight": asked.get("class_weight"),
        "multi_class": _multi_class(asked),
    }
    return Choice(False, parameters, reasons)


def _multi_class(asked: dict[str, Any]) -> str:
    """How many classes become problems; ``--pairs`` is short for one of the ways."""
    wanted = asked.get("multi_class") or ("ovo" if asked.get("pairs") else "ovr")
    if wanted not in _WAYS:
        raise Refused(f"--multi-class must be one of {', '.join(_WAYS)}; got {wanted!r}.")
    if asked.get("pairs") and wanted != "ovo":
        raise Refused(f"--pairs and --multi-class {wanted} exclude each other.", "give one of them")
    if wanted == "crammer-singer" and asked.get("checkpoint"):
        raise Refused(
            "--checkpoint saves binary problems, and --multi-class crammer-singer has none.",
            "leave one of them out",
        )
    return str(wanted)


def _gamma(text: str | None) -> Any:
    if text is None or text in ("scale", "auto"):
        return text or "scale"
    try:
        return float(text)
    except ValueError:
        raise Refused(f"-g must be a number, scale or auto; got {text!r}.") from None


def _refuse_idle(kernel: str, asked: dict[str, Any]) -> None:
    """An option that the kernel does not read is a mistake, not a wish."""
    readers = {"degree": ("-d", ("poly",)), "coef0": ("-r", ("poly", "sigmoid"))}
    readers["gamma"] = ("-g", ("poly", "rbf", "sigmoid", "laplacian"))
    for name, (option, kernels) in readers.items():
        if asked.get(name) is not None and kernel not in kernels:
            raise Refused(f"{option} means nothing to a {kernel} kernel.", f"-t {kernels[0]} reads it")


def _refuse_of_svc(asked: dict[str, Any]) -> None:
    options = {"cost": "-c", "loss": "--loss", "tol": "--tol", "class_weight": "-w", "pairs": "--pairs"}
    options |= {"multi_class": "--multi-class"}
    options |= {"checkpoint": "--checkpoint", "solver": "--solver"}
    for name, option in options.items():
        if asked.get(name):
            raise Refused(
                f"{option} means nothing to a perceptron.", "leave it out, or leave out --perceptron"
            )


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"
