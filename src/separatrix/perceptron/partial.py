"""partial_fit: a thin path from a row to the compiled step, and everything that may happen on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting.inputs import check_matrix
from separatrix.perceptron.kernel_online import KernelOnline
from separatrix.perceptron.labels import codes_of, first_rows, plain_labels
from separatrix.perceptron.online import OnlinePerceptron
from separatrix.perceptron.online_state import FLOATS, Online, refresh
from separatrix.perceptron.parameters import Choice, check_choice
from separatrix.perceptron.planes import NotFiniteError, Planes
from separatrix.perceptron.run_result import Found
from separatrix.perceptron.state import Settings, measure_rows
from separatrix.problem.conversion import check_finite


def learn_batch(estimator: Any, X: Any, y: Any, classes: Any) -> NDArray[np.int32]:
    """Check a batch, learn it, refresh the attributes.

    Returns what was predicted of each row before it was learnt, as numbers of ``estimator._online.labels``.
    """
    online: Online | None = getattr(estimator, "_online", None)
    if online is not None and type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS:
        # An array that needs no conversion; the compiled step finds what is not finite before it learns.
        checked: Any = np.ascontiguousarray(X)
        if X.shape[1] != estimator.n_features_in_ or not len(X):
            checked = check_matrix(estimator, X, reset=False)
    else:
        checked = check_matrix(estimator, X, reset=online is None and not hasattr(estimator, "problems_"))
    labels = plain_labels(y, checked.shape[0])
    if online is None:
        online = begin(estimator, checked, classes)
    elif classes is not None:
        announce(online, classes)
    try:
        predicted = _learn(online, checked, labels)
    except NotFiniteError:
        check_finite(checked)
        raise
    estimator._online = online
    refresh(estimator, online)
    return predicted


def _learn(online: Online, X: Any, labels: list[Any] | NDArray[Any]) -> NDArray[np.int32]:
    """Learn in stretches, so that a class begins to compete at the first row that has it."""
    codes = codes_of(online.codes, labels)
    if codes is not None and len(online.names) > 1:
        predicted = online.model.learn(X, codes)
        online.note(int(np.count_nonzero(predicted != codes)))
        return predicted
    check_finite(X)  # all or nothing, also where there is nothing to learn yet
    n, start = len(labels), 0
    predicted, codes = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for stop in [*first_rows(labels, online.codes), n]:
        if stop > start:
            part = codes_of(online.codes, labels[start:stop])
            assert part is not None
            codes[start:stop] = part
            predicted[start:stop] = online.model.learn(X[start:stop], part)
            start = stop
        if stop < n:
            online.add_class(labels[stop] if isinstance(labels, list) else labels[stop].item())
    online.note(int(np.count_nonzero(predicted != codes)))
    return predicted


def begin(estimator: Any, X: Any, classes: Any) -> Online:
    """The first call: from zero, or from where `fit` ended."""
    parameters = estimator.get_params(deep=False)
    choice = check_choice(parameters)
    kept = (choice.settings.step, choice.settings.extra, choice.bias)
    fitted = hasattr(estimator, "problems_")
    if choice.dual and fitted:
        problems = list(estimator.problems_.values())
        if len(problems) > 1 or problems[0].found.support is None:
            raise ParameterError(
                "partial_fit cannot go on from this fit: it has no support rows of one problem."
            )
        _check_same_budget(problems[0].found, choice)
        known = len(estimator.classes_)
        online = Online(KernelOnline.going_on(estimator._kernel, choice, problems, known), kept)
    elif choice.dual:
        online = Online(KernelOnline.make(parameters, choice, X), kept)
    else:
        online = Online(_planes_of(estimator, X, choice), kept)
    if fitted:
        online.names = estimator.classes_.tolist()
        online.codes = {name: code for code, name in enumerate(online.names)}
        online.sort()
    if classes is not None:
        announce(online, classes)
    return online


def _check_same_budget(found: Found, choice: Choice) -> None:
    """A budget is kept from the first row on."""
    before = None if found.ledger is None else found.ledger.budget
    if before != choice.budget:
        raise with_hint(
            ParameterError,
            f"partial_fit cannot go on with budget={choice.budget} from a fit with budget={before}.",
            "fit again with the budget that the stream shall have",
        )


def can_learn_online(estimator: Any) -> bool:
    """Whether partial_fit exists: not for gradient descent, votes or a precomputed kernel, which need all rows.

    An AttributeError says which, as scikit-learn expects of a method that is not there.
    """
    if estimator.algorithm == "gradient":
        raise with_hint(
            AttributeError,
            "partial_fit sees each row once; algorithm='gradient' needs all rows at every step.",
            "algorithm='perceptron'",
        )
    if estimator.output == "voted":
        raise with_hint(
            AttributeError,
            "partial_fit would have to keep every weight vector for output='voted'.",
            "output='averaged'",
        )
    if isinstance(estimator.kernel, str) and estimator.kernel == "precomputed":
        raise AttributeError("partial_fit cannot know kernel values between rows still to come.")
    return True


def _planes_of(estimator: Any, X: Any, choice: Choice) -> OnlinePerceptron:
    settings = Settings(step=choice.settings.step, extra=choice.settings.extra)
    rest = choice.multi_class == "ovr"
    d = int(X.shape[1])
    if not hasattr(estimator, "problems_"):
        constant = 1.0 if choice.bias == "unit" else 0.0
        if choice.bias == "radius":
            constant = float(np.sqrt(measure_rows(X[:1])[1])) or 1.0
        return OnlinePerceptron(settings, d, rest, constant)
    results = list(estimator.problems_.values())
    model = OnlinePerceptron(settings, d, rest, results[0].constant, len(estimator.classes_))
    for result in results:
        state = result.found.state
        planes = Planes(state.w.reshape(-1, d).copy(), state.b.copy(), tally=state.tally.copy())
        planes.watch[0] = max(64.0, 4.0 ** np.ceil(np.log(max(1, state.tally[0])) / np.log(4.0) + 1))
        planes.watch[1], planes.watch[2] = state.tally[1], state.tally[0]
        if settings.extra == "averaged":
            planes.lag, planes.lag_b = state.lag.reshape(-1, d).copy(), state.lag_b.copy()
        if settings.extra == "pocket" and planes.W.shape[0] == 1:
            planes.pocket_w, planes.pocket_b = state.pocket_w.reshape(-1, d).copy(), state.pocket_b.copy()
            planes.pocket = np.array([state.pocket[0], -1, 0])
        model.groups.append(planes)
    model.seen = int(results[0].found.state.tally[0])
    return model


def announce(online: Online, classes: Any) -> None:
    """Classes known in advance compete from the first row on."""
    for name in classes if isinstance(classes, list) else np.asarray(classes).tolist():
        if name not in online.codes:
            online.add_class(name)
