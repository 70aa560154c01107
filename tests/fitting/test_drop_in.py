"""Every parameter of scikit-learn's classifiers is there, or a sentence says what to write; the docs have the table."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.svm
from sklearn.base import clone

from separatrix import SVC, SVCCV, ParameterError, Perceptron
from separatrix.fitting.drop_in import FOREIGN_VALUES, PERCEPTRON_WORDS, SVC_WORDS

DOCS = Path(__file__).parents[2] / "docs" / "how-to"
X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
PAIRS = [
    (SVC, sklearn.svm.SVC, SVC_WORDS, "from-svc.md"),
    (SVC, sklearn.svm.LinearSVC, SVC_WORDS, "from-linearsvc.md"),
    (SVC, sklearn.svm.NuSVC, SVC_WORDS, None),
    (Perceptron, sklearn.linear_model.Perceptron, PERCEPTRON_WORDS, "from-perceptron.md"),
]


@pytest.mark.parametrize(("ours", "theirs", "words", "page"), PAIRS)
def test_every_parameter_of_theirs_is_ours_or_explained(ours, theirs, words, page) -> None:
    own, missing = (
        ours().get_params(),
        [name for name in theirs().get_params() if name not in ours().get_params()],
    )
    assert missing
    for name in missing:
        with pytest.raises(
            TypeError, match=rf"{ours.__name__} has no parameter '{name}'\. Hint: .+\.$"
        ) as caught:
            ours(**{name: theirs().get_params()[name]})
        assert caught.value.hint == words[name]
        if page is not None:
            assert re.search(rf"\b{name}\b", (DOCS / page).read_text()), name
    assert not set(words) & set(own)


@pytest.mark.parametrize("words", [SVC_WORDS, PERCEPTRON_WORDS])
def test_hints_name_only_what_there_is(words) -> None:
    """name=value in a hint is a parameter of one of our estimators, and the value is one that it takes."""
    for hint in [*words.values(), *FOREIGN_VALUES.values()]:
        assert not hint.endswith((".", " "))
        for name, value in re.findall(r"\b(\w+)=('[\w-]+'|\d[\d.]*)", hint):
            kinds = [kind for kind in (SVC, Perceptron) if name in kind().get_params()]
            assert kinds or name == "intercept_scaling", hint
            for kind in kinds[:1]:
                model = (Perceptron if words is PERCEPTRON_WORDS and len(kinds) > 1 else kind)()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model.set_params(**{name: eval(value, {})}).fit(X, y)


def test_a_parameter_spelt_almost_right_is_named() -> None:
    with pytest.raises(TypeError, match=r"SVC has no parameter 'kernal'\. Hint: kernel\?"):
        SVC(kernal="rbf")
    with pytest.raises(TypeError, match=r"SVCCV has no parameter 'C'\. Hint: Cs="):
        SVCCV(C=1.0)
    with pytest.raises(TypeError, match=r"Hint: it has C, loss, bias"):
        SVC(zzz=1)
    with pytest.raises(TypeError, match="positional"):
        SVC(1.0, "rbf")


@pytest.mark.parametrize("kind", [SVC, SVCCV, Perceptron])
def test_the_signature_is_still_the_list_of_parameters(kind) -> None:
    parameters = list(inspect.signature(kind).parameters)
    assert parameters
    assert sorted(parameters) == sorted(kind().get_params())
    assert all(p.kind is not p.VAR_KEYWORD for p in inspect.signature(kind).parameters.values())
    assert clone(kind()).get_params() == kind().get_params()


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        (SVC(max_iter=-1), "None sets no limit"),
        (SVC(multi_class="crammer_singer"), "'crammer-singer', with a hyphen"),
        (Perceptron(n_threads=-1), "None uses all processors"),
    ],
)
def test_a_value_of_theirs_is_explained(model, hint) -> None:
    with pytest.raises(ParameterError, match="must be") as caught:
        model.fit(X, y)
    assert caught.value.hint == hint


@pytest.mark.parametrize("name", ["predict_proba", "predict_log_proba"])
@pytest.mark.parametrize("model", [SVC(), Perceptron()])
def test_probabilities_are_explained_and_absent(model, name) -> None:
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'.*distances.*Hint: .*calibrate"):
        getattr(model.fit(X, y), name)
    assert not hasattr(type(model), name)
    again = pickle.loads(pickle.dumps(model))
    assert copy.deepcopy(again).predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("kind", [SVC, Perceptron])
def test_gamma_without_its_kernel_is_a_warning(kind) -> None:
    with pytest.warns(
        UserWarning, match=r"gamma=0\.5 has no effect with kernel='linear'.*Hint: kernel='rbf'"
    ):
        kind(gamma=0.5).fit(X, y)
    for model in (kind(), kind(kernel="rbf", gamma=0.5), kind(gamma="scale")):
        model.fit(X, y)  # a warning would be an error
