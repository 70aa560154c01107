"""The reader of each kind of model. Models are recognised by the names of their classes; only attributes are read.

Nothing imports scikit-learn or unpickles anything: a model is an object that the caller has, or a text file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from separatrix.audit.claim import AuditData, CallerOptions, ModelClaims, Unauditable
from separatrix.audit.kernel_models import read_nu_svc, read_svc
from separatrix.audit.libsvm_files import read_model_file
from separatrix.audit.linear_models import (
    read_linear_svc,
    read_pair,
    read_perceptron,
    read_separatrix,
    read_sgd,
)

_FAMILIES = ("sklearn", "sklearnex", "daal4py", "onedal", "separatrix")

_READERS: dict[str, Callable[[str, Any, AuditData], ModelClaims]] = {
    "LinearSVC": read_linear_svc,
    "NuSVC": read_nu_svc,
    "PassiveAggressiveClassifier": read_perceptron,
    "Perceptron": read_perceptron,
    "SGDClassifier": read_sgd,
    "SVC": read_svc,
}

_REASONS = {
    "RidgeClassifier": "fits the labels -1 and +1 by least squares: that is no margin, and its dual is another one",
    "RidgeClassifierCV": "fits the labels -1 and +1 by least squares: that is no margin, and its dual is another one",
    "LogisticRegression": "minimises the logistic loss, whose dual is another one",
    "LogisticRegressionCV": "minimises the logistic loss, whose dual is another one",
    "LinearDiscriminantAnalysis": "fits two Gaussian distributions and minimises no sum over the rows",
    "SVR": "predicts numbers; an audit is of classifiers",
    "NuSVR": "predicts numbers; an audit is of classifiers",
    "LinearSVR": "predicts numbers; an audit is of classifiers",
    "OneClassSVM": "has one class only; an audit is of classifiers",
    "Pipeline": "changes X first. Audit its last step on what that step saw: audit(p[-1], p[:-1].transform(X), y)",
    "GridSearchCV": "holds several models. Audit the one it chose: audit(search.best_estimator_, X, y)",
    "RandomizedSearchCV": "holds several models. Audit the one it chose: audit(search.best_estimator_, X, y)",
    "OneVsRestClassifier": "holds several models. Audit each of its estimators_ on its own labels",
    "OneVsOneClassifier": "holds several models. Audit each of its estimators_ on its own rows and labels",
    "CalibratedClassifierCV": "holds several models. Audit the model that it calibrates",
}


def read(model: Any, data: AuditData, options: CallerOptions) -> ModelClaims:
    """Read the claims of a model; raise `Unauditable` with the reason where it cannot be audited."""
    if isinstance(model, str | os.PathLike):
        return read_model_file(model, data, options)
    if isinstance(model, bytes):
        raise Unauditable(
            "Bytes are not read: they may be a pickle, and an audit never runs one. Pass a path or a text."
        )
    if isinstance(model, tuple | list) and len(model) == 2:
        return read_pair((model[0], model[1]), data, options)
    kind, name = _recognised(type(model))
    options.refuse(name)
    if name.startswith("separatrix."):
        return _ours(kind, name, model, data)
    if kind not in _READERS:
        reason = _REASONS.get(kind, "is not among the models that an audit can read")
        readable = ", ".join(sorted(_READERS))
        raise Unauditable(
            f"{name} {reason}. Models that can be audited: {readable} of scikit-learn, separatrix.SVC, "
            "model files of LIBSVM and LIBLINEAR, and (w, b)."
        )
    if not hasattr(model, "classes_") or not hasattr(model, "intercept_"):
        raise ValueError(f"This {name} is not fitted yet; fit it before an audit.")
    return _READERS[kind](name, model, data)


def _recognised(cls: type) -> tuple[str, str]:
    """The name of the nearest known class, alone and with its package: subclasses are read as what they extend."""
    for base in cls.__mro__:
        family = base.__module__.split(".")[0]
        if family in _FAMILIES and (base.__name__ in _READERS or base.__name__ in _REASONS):
            return base.__name__, f"{family}.{base.__name__}"
    return cls.__name__, f"{cls.__module__.split('.')[0]}.{cls.__name__}"


def _ours(kind: str, name: str, model: Any, data: AuditData) -> ModelClaims:
    if not hasattr(model, "classes_"):
        raise ValueError(f"This {name} is not fitted yet; fit it before an audit.")
    if kind == "SVC":
        return read_separatrix(name, model, data)
    if kind == "Perceptron" and len(model.classes_) == 2 and model.kernel == "linear":
        return read_perceptron(name, model, data)
    raise Unauditable(
        f"This {name} cannot be audited: it needs two classes and a linear kernel. See its certificate_."
    )
