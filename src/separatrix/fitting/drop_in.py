"""Sentences for those who come from scikit-learn: what to write in place of a parameter that is not here.

An unknown parameter is a TypeError, as in Python; its hint is taken from a table of the other library's parameters, or
names the parameter here that is spelt most like it.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from separatrix.errors import with_hint
from separatrix.fitting.probabilities import ADVICE

Init = TypeVar("Init", bound=Callable[..., None])

_SOLVER = "leave it out: the solver is chosen by the shape of the data, and solver= names one"
_THREADS = "n_threads=2 fits on two threads, n_threads=None on all processors"
_KERNEL_ONLY = "leave it out: the kernel solver decides when to shrink"

#: Parameters of scikit-learn's SVC and LinearSVC, and what to write here.
SVC_WORDS: dict[str, str] = {
    "probability": f"leave it out; {ADVICE}",
    "decision_function_shape": "multi_class='ovr' (the default) or 'ovo' says which problems are solved, and so the "
    "shape of the scores",
    "break_ties": "leave it out: ties between classes are settled by the scores",
    "shrinking": _KERNEL_ONLY,
    "cache_size": "cache_mb=200 gives the kernel values 200 megabytes",
    "nu": "C sets the cost of an error; there is no nu-SVM here",
    "epsilon": "these are classifiers; there is no regression here",
    "dual": _SOLVER,
    "penalty": "leave it out: the penalty is 1/2 ||w||^2; an l1 penalty is not offered",
    "fit_intercept": "bias='none' leaves the intercept out; bias='free' (the default) and bias='augmented' "
    "(LinearSVC's problem) have one",
    "intercept_scaling": "bias='augmented' is intercept_scaling=1; bias='free' (the default) does not penalise the "
    "intercept at all",
    "n_jobs": _THREADS,
    "max_epochs": "max_iter limits the steps, max_time the seconds",
    "alpha": "C = 1 / alpha where the losses are summed, 1 / (n alpha) where they are averaged, as in SGDClassifier",
}

#: Parameters of scikit-learn's Perceptron, and what to write here.
PERCEPTRON_WORDS: dict[str, str] = {
    "penalty": "leave it out: the perceptron has none; SVC(C=...) penalises w",
    "alpha": "leave it out: the perceptron has no penalty; SVC(C=...) penalises w",
    "l1_ratio": "leave it out: the perceptron has no penalty; SVC(C=...) penalises w",
    "C": "leave it out: the perceptron has no penalty; SVC(C=...) penalises w",
    "fit_intercept": "bias='none' leaves the intercept out; bias='unit' (the default) and bias='radius' have one",
    "max_iter": "max_epochs=1000 limits the passes over the rows",
    "tol": "leave it out: the algorithm ends on a pass without mistakes, or at max_epochs",
    "shuffle": "order='shuffle' visits the rows in random order, order='cyclic' (the default) as they are",
    "eta0": "step=1.0 is the length of an update",
    "n_jobs": _THREADS,
    "early_stopping": "leave it out: max_epochs limits the passes, and output='pocket' keeps the weights with the "
    "fewest errors",
    "validation_fraction": "leave it out: max_epochs limits the passes, and output='pocket' keeps the weights with the "
    "fewest errors",
    "n_iter_no_change": "max_epochs limits the passes; the algorithm ends sooner on one without mistakes",
    "average": "output='averaged'",
    "class_weight": "leave it out: an update counts a mistake whatever the class; SVC(class_weight=...) weighs them",
    "loss": "leave it out: the perceptron has its own; SVC(loss=...) has two",
}

#: Values of parameters that both libraries have, and what to write here.
FOREIGN_VALUES: dict[tuple[str, Any], str] = {
    ("max_iter", -1): "None sets no limit",
    ("multi_class", "crammer_singer"): "'crammer-singer', with a hyphen",
    ("n_threads", -1): "None uses all processors",
    ("random_state", -1): "None is a fixed seed",
}


def explains(foreign: Mapping[str, str]) -> Callable[[Init], Init]:
    """Return the same ``__init__``, whose TypeError for an unknown parameter says what to write instead.

    Signature and types stay what they are, for scikit-learn reads the parameters off them.

    >>> class Model:
    ...     @explains({"eta0": "step=1.0 is the length of an update"})
    ...     def __init__(self, *, step=1.0): ...
    >>> Model(eta0=0.5)
    Traceback (most recent call last):
    TypeError: Model has no parameter 'eta0'. Hint: step=1.0 is the length of an update.
    """

    def decorate(init: Init) -> Init:
        names = list(inspect.signature(init).parameters)[1:]

        @functools.wraps(init)
        def explained(self: Any, *arguments: Any, **parameters: Any) -> None:
            try:
                init(self, *arguments, **parameters)
            except TypeError:
                unknown = next((name for name in parameters if name not in names), None)
                if unknown is None:
                    raise
                raise _unknown(type(self).__name__, unknown, names, foreign) from None

        return cast(Init, explained)

    return decorate


def _unknown(kind: str, name: str, names: list[str], foreign: Mapping[str, str]) -> TypeError:
    sentence = f"{kind} has no parameter {name!r}."
    if name in foreign:
        return with_hint(TypeError, sentence, foreign[name])
    alike = difflib.get_close_matches(name, names, n=1)
    return with_hint(TypeError, sentence, f"{alike[0]}?" if alike else f"it has {', '.join(names)}")


def warn_of_idle_gamma(estimator: Any) -> None:
    """Warn where gamma was given without the kernel that it belongs to: the default kernel there is rbf."""
    given = not (isinstance(estimator.gamma, str) and estimator.gamma == "scale")
    if given and isinstance(estimator.kernel, str) and estimator.kernel == "linear":
        warnings.warn(
            f"gamma={estimator.gamma!r} has no effect with kernel='linear', the default here; scikit-learn's SVC has "
            "kernel='rbf'. Hint: kernel='rbf', or leave gamma out.",
            UserWarning,
            stacklevel=3,
        )
