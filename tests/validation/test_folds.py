"""Cross-validation as one problem: the answers of fits one by one, and a proved gap in every cell.

Tests `solvers/small/solver.py` too, through which all cells are solved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from separatrix import SVC, SVCCV, verify
from separatrix.validation import folds as module
from separatrix.validation.folds import Folds, _one_by_one

X2, y2 = make_classification(120, 6, n_informative=4, flip_y=0.1, random_state=0)
X3, y3 = load_iris(return_X_y=True)
COSTS = [10.0, 0.01, 1.0]
CASES = {
    "linear": ({}, X2, y2),
    "squared": ({"loss": "squared_hinge"}, X2, y2),
    "augmented": ({"bias": "augmented"}, X2, y2),
    "without a bias": ({"bias": "none"}, X2, y2),
    "balanced": ({"class_weight": "balanced"}, X2, y2),
    "float32": ({}, X2.astype(np.float32), y2),
    "sparse": ({}, sparse.csr_array(X2), y2),
    "more columns than rows": ({}, np.random.default_rng(0).standard_normal((60, 90)), y2[:60]),
    "three classes": ({}, X3, y3),
    "three pairs": ({"multi_class": "ovo"}, X3, y3),
    "rbf": ({"kernel": "rbf", "gamma": 0.1}, X2, y2),
    "rbf, scale": ({"kernel": "rbf"}, X2, y2),
    "rbf, squared hinge": ({"kernel": "rbf", "loss": "squared_hinge", "bias": "none"}, X2, y2),
    "rbf pairs": ({"kernel": "rbf", "gamma": 0.5, "multi_class": "ovo"}, X3, y3),
    "poly": ({"kernel": "poly", "degree": 2, "coef0": 1.0}, X3, y3),
}


def splits(y, n=4):
    return list(StratifiedKFold(n).split(np.zeros(len(y)), y))


@pytest.mark.parametrize("name", CASES)
def test_cells_are_those_of_fits_one_by_one(name: str) -> None:
    parameters, X, y = CASES[name]
    model = SVC(tol=1e-6, **parameters)
    folds = Folds(X, y, splits(y))
    assert folds._shared(model, COSTS) is not None
    table, other = folds.table(model, COSTS), _one_by_one(model, X, y, COSTS, folds.splits)
    assert table.gaps.shape == (3, 4)
    assert np.all(table.gaps <= 1e-6)
    for ours, theirs in zip(table.predicted, other.predicted, strict=True):
        assert ours.shape == theirs.shape
        assert np.mean(ours == theirs) > 0.97  # ties and rows beside the boundary


@pytest.mark.parametrize("name", ["linear", "squared", "rbf", "rbf pairs", "three classes"])
@pytest.mark.parametrize("threads", [1, 2])
def test_what_the_compiled_call_leaves_is_finished_and_proved(name, threads, monkeypatch) -> None:
    parameters, X, y = CASES[name]

    def hopeless(*arguments, **settings):
        found = solve_small(*arguments, **settings)
        found.alpha[:] = 0.0
        found.reached[:] = False
        return found

    solve_small = module.solve_small
    expected = Folds(X, y, splits(y)).table(SVC(tol=1e-6, **parameters), COSTS)
    monkeypatch.setattr(module, "solve_small", hopeless)
    table = Folds(X, y, splits(y)).table(SVC(tol=1e-6, n_threads=threads, **parameters), COSTS)
    assert np.all(table.gaps <= 1e-6)
    for ours, theirs in zip(table.predicted, expected.predicted, strict=True):
        assert np.mean(ours == theirs) > 0.97


def test_a_wrong_proposal_shows_as_a_gap(monkeypatch) -> None:
    """The table believes nothing that a solver says."""
    solve_small = module.solve_small

    def liar(*arguments, **settings):
        found = solve_small(*arguments, **settings)
        found.alpha[:] *= 0.5
        return found

    monkeypatch.setattr(module, "solve_small", liar)
    with pytest.warns(UserWarning, match="cells have a gap above tol"):
        table = Folds(X2, y2, splits(y2)).table(SVC(kernel="rbf"), COSTS)
    assert np.all(table.gaps > 1e-3)


def test_few_problems_at_a_time_change_nothing(monkeypatch) -> None:
    parameters, X, y = CASES["rbf pairs"]
    whole = Folds(X, y, splits(y)).table(SVC(**parameters), COSTS)
    monkeypatch.setattr(module, "SHARING", replace(module.SHARING, values=2 * len(y)))
    parts = Folds(X, y, splits(y)).table(SVC(**parameters), COSTS)
    assert all(np.array_equal(a, b) for a, b in zip(whole.predicted, parts.predicted, strict=True))
    assert np.allclose(whole.gaps, parts.gaps, atol=1e-9)


@pytest.mark.parametrize(
    "parameters",
    [
        {"solver": "coordinate-descent", "bias": "augmented", "tol": 1e-3},
        {"max_iter": 10_000},
        {"strict": True},
        {"class_weight": {0: 1.0, 1: 1.0, 2: 0.0}},
        {"multi_class": "crammer-singer"},
        {"kernel": "rbf", "cache_mb": 0.1},
    ],
)
def test_models_that_ask_for_more_are_fitted_one_by_one(parameters) -> None:
    folds = Folds(X3, y3, splits(y3))
    assert folds._shared(SVC(kernel="sigmoid"), [1.0]) is None
    assert folds._shared(SVC(**parameters), [1.0]) is None
    table = folds.table(SVC(**parameters), [1.0])
    assert np.all(table.gaps <= 1e-3)


def test_the_hard_margin_is_fitted_by_itself() -> None:
    separable = X3[y3 != 2], y3[y3 != 2]
    table = Folds(*separable, splits(separable[1])).table(SVC(), [1.0, float("inf")])
    for cells, (_, test) in zip(table.predicted, splits(separable[1]), strict=True):
        assert np.array_equal(cells[1], separable[1][test])


def test_svccv_agrees_with_a_grid_and_has_a_certificate_for_any_cell() -> None:
    costs, widths, cv = [0.1, 1.0, 10.0], [0.05, 0.5], StratifiedKFold(3)
    model = SVCCV(costs, gammas=widths, kernel="rbf", cv=cv).fit(X2, y2)
    grid = GridSearchCV(SVC(kernel="rbf"), {"C": costs, "gamma": widths}, cv=cv).fit(X2, y2)
    assert model.scores_.shape == model.gaps_.shape == (2, 3, 3)
    assert np.all(model.gaps_ <= 1e-3)
    table = grid.cv_results_["mean_test_score"].reshape(3, 2).T
    assert np.allclose(model.scores_.mean(axis=2), table, atol=0.02)
    train, test = model.splits_[1]
    cell = model.cell(X2, y2, C=10.0, fold=1, gamma=0.5)
    assert verify(cell.certificate_, X2[train], y2[train])
    assert np.mean(cell.predict(X2[test]) == y2[test]) == pytest.approx(model.scores_[1, 2, 1], abs=0.03)
