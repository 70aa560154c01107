"""The estimator that the options of `separatrix fit` mean, and words for what was chosen and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from separatrix.cli.fit import FitOptions
from separatrix.cli.output import CommandError
from separatrix.perceptron.estimator import Perceptron
from separatrix.svm.svc import SVC

Value = TypeVar("Value")

#: LIBSVM's -t.
KERNELS = {"0": "linear", "1": "poly", "2": "rbf", "3": "sigmoid", "4": "precomputed"}
#: Parameters that each kernel reads, with their options.
_READ_BY = {
    "degree": ("-d", ("poly",)),
    "gamma": ("-g", ("poly", "rbf", "sigmoid", "laplacian")),
    "coef0": ("-r", ("poly", "sigmoid")),
}
_SVC_BIASES, _PERCEPTRON_BIASES = ("free", "augmented", "none"), ("unit", "radius", "none")
_MULTI_CLASS = ("ovr", "ovo", "crammer-singer")
_SCALINGS = ("none", "standard", "range")
_PROBABILITIES = ("sigmoid", "isotonic", "venn-abers")
#: Parameters that the answer names, in its order.
_COMMON = ("kernel", "degree", "gamma", "coef0", "max_time", "n_threads", "random_state", "bias")
_OF_SVC = ("C", "loss", "tol", "solver", "max_iter", "class_weight", "multi_class", "scaling")


@dataclass(frozen=True)
class ChosenModel:
    """An estimator, not fitted, and why its parameters are what they are."""

    model: SVC | Perceptron
    reasons: list[str]

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters by name, for the JSON object."""
        own = ("max_epochs",) if isinstance(self.model, Perceptron) else _OF_SVC
        return {name: getattr(self.model, name, None) for name in (*_COMMON, *own)}

    @property
    def words(self) -> str:
        """The choice as a phrase."""
        model = self.model
        used = [name for name, (_, kernels) in _READ_BY.items() if model.kernel in kernels]
        kernel = f"{model.kernel} kernel" + "".join(f", {name} = {_number(model, name)}" for name in used)
        if isinstance(model, Perceptron):
            return f"perceptron, {kernel}, {model.bias} bias, at most {model.max_epochs:,} passes"
        cost = "hard margin (C = inf)" if float("inf") == model.C else f"C = {model.C:g}"
        joint = "all classes in one problem, " if model.multi_class == "crammer-singer" else ""
        loss = model.loss.replace("_", " ")
        scaled = {None: "", "standard": ", standardised columns", "range": ", columns from 0 to 1"}[
            model.scaling
        ]
        return f"{joint}{kernel}{scaled}, {loss} loss, {cost}, {model.bias} bias, tol = {model.tol:g}"


def choose(options: FitOptions) -> ChosenModel:
    """Return the estimator that the options mean; the library judges their values when it fits.

    Weights of classes are left out: they need the labels of the data.

    >>> choose(FitOptions("data.svm", gamma="0.5")).words
    'rbf kernel, gamma = 0.5, hinge loss, C = 1, free bias, tol = 0.001'
    >>> choose(FitOptions("data.svm", kernel="1", degree=0, cost=10.0)).words
    'poly kernel, degree = 0, gamma = scale, coef0 = 0, hinge loss, C = 10, free bias, tol = 0.001'
    """
    reasons = []
    if options.kernel is not None:
        kernel = kernel_name(options.kernel)
    elif options.gamma is not None:
        kernel = "rbf"
        reasons.append("an rbf kernel, because -g was given without -t")
    else:
        kernel = "linear"
        reasons.append("a linear kernel (-t 2 for rbf)")
    _refuse_idle(kernel, options)
    degree, coef0 = _given(options.degree, 3), _given(options.coef0, 0.0)
    biases = _PERCEPTRON_BIASES if options.perceptron else _SVC_BIASES
    bias = _given(options.bias, biases[0])
    if bias not in biases:
        raise CommandError(f"--bias must be one of {', '.join(biases)} here; got {bias!r}.")
    if options.probabilities not in (None, *_PROBABILITIES):
        raise CommandError(
            f"--probabilities must be one of {', '.join(_PROBABILITIES)}; got {options.probabilities!r}."
        )
    if options.perceptron:
        _refuse_of_svc(options)
        return ChosenModel(
            Perceptron(
                kernel=kernel,
                degree=degree,
                gamma=_gamma(options.gamma),
                coef0=coef0,
                bias=bias,
                max_epochs=_given(options.max_iter, 1000),
                max_time=options.max_time,
                n_threads=options.threads,
                random_state=options.seed,
            ),
            reasons,
        )
    if options.cost is None:
        reasons.append("C = 1 (-c changes it; --search chooses both)")
    return ChosenModel(
        SVC(
            C=_given(options.cost, 1.0),
            loss=_given(options.loss, "hinge"),
            bias=bias,
            kernel=kernel,
            degree=degree,
            gamma=_gamma(options.gamma),
            coef0=coef0,
            scaling=None if options.scaling is None else scaling_name(options.scaling),
            solver=_given(options.solver, "auto"),
            tol=_given(options.tol, 1e-3),
            max_iter=options.max_iter,
            max_time=options.max_time,
            multi_class=_multi_class(options),
            n_threads=options.threads,
            random_state=options.seed,
        ),
        reasons,
    )


def kernel_name(text: str) -> str:
    """Return a kernel's name, given that or LIBSVM's number for it.

    >>> kernel_name("2"), kernel_name("laplacian")
    ('rbf', 'laplacian')
    """
    name = KERNELS.get(text, text)
    if name not in (*KERNELS.values(), "laplacian"):
        numbers = ", ".join(f"{number} {name}" for number, name in KERNELS.items())
        raise CommandError(f"-t must be a kernel: {numbers}, or laplacian; got {text!r}.")
    return name


def scaling_name(text: str) -> str | None:
    """Return a scaling as `SVC` names it.

    >>> scaling_name("none"), scaling_name("standard")
    (None, 'standard')
    """
    if text not in _SCALINGS:
        raise CommandError(f"--scaling must be one of {', '.join(_SCALINGS)}; got {text!r}.")
    return None if text == "none" else text


def _given(value: Value | None, default: Value) -> Value:
    """Return what was given, 0 and "" too, or else the default."""
    return default if value is None else value


def _multi_class(options: FitOptions) -> str:
    """Return how many classes become problems; ``--pairs`` is short for one of the ways."""
    wanted = _given(options.multi_class, "ovo" if options.pairs else "ovr")
    if wanted not in _MULTI_CLASS:
        raise CommandError(f"--multi-class must be one of {', '.join(_MULTI_CLASS)}; got {wanted!r}.")
    if options.pairs and wanted != "ovo":
        raise CommandError(f"--pairs and --multi-class {wanted} exclude each other.", "give one of them")
    if wanted == "crammer-singer" and options.checkpoint is not None:
        raise CommandError(
            "--checkpoint saves binary problems, and --multi-class crammer-singer has none.",
            "leave one of them out",
        )
    return wanted


def _gamma(text: str | None) -> float | str:
    if text is None or text in ("scale", "auto"):
        return _given(text, "scale")
    try:
        return float(text)
    except ValueError:
        raise CommandError(f"-g must be a number, scale or auto; got {text!r}.") from None


def _refuse_idle(kernel: str, options: FitOptions) -> None:
    """Refuse an option that the kernel does not read: it is a mistake, not a wish."""
    for name, (option, kernels) in _READ_BY.items():
        if getattr(options, name) is not None and kernel not in kernels:
            raise CommandError(f"{option} means nothing to a {kernel} kernel.", f"-t {kernels[0]} reads it")


def _refuse_of_svc(options: FitOptions) -> None:
    """Refuse an option that a perceptron does not read."""
    of_svc = {
        "-c": options.cost,
        "--loss": options.loss,
        "--tol": options.tol,
        "-w": options.weights,
        "--pairs": options.pairs or None,
        "--multi-class": options.multi_class,
        "--checkpoint": options.checkpoint,
        "--solver": options.solver,
        "--scaling": options.scaling,
        "--probabilities": options.probabilities,
    }
    for option, value in of_svc.items():
        if value is not None:
            raise CommandError(
                f"{option} means nothing to a perceptron.", "leave it out, or leave out --perceptron"
            )


def _number(model: SVC | Perceptron, name: str) -> str:
    value = getattr(model, name)
    return value if isinstance(value, str) else f"{value:g}"
