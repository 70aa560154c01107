"""Choosing a model: the table is that of a grid search, the hold-out chooses nothing, and every cell is proved.

Tests `validation/search.py`, `validation/choose.py`, `validation/search_picture.py`, and scaled folds.
"""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as Theirs

import separatrix as sx
from separatrix import SVC, ParameterError, search, verify
from separatrix.validation import choose as module
from separatrix.validation.choose import Setting, choose, settings
from separatrix.validation.folds import Folds
from separatrix.validation.search import divide

X2, y2 = load_breast_cancer(return_X_y=True)
X3, y3 = load_iris(return_X_y=True)


def test_the_table_is_that_of_a_grid_search_with_a_pipeline() -> None:
    """Each fold is scaled by its own training rows, as a pipeline does it."""
    C, gamma = [0.1, 1.0, 10.0], [0.01, 0.1]
    candidates = settings(X2, kernels=["rbf"], scaling=["standard"], C=C, gamma=gamma)
    found = choose(X2, y2, candidates, folds=4, parameters={"tol": 1e-6})
    splits = StratifiedKFold(4, shuffle=True, random_state=0)
    pipeline = make_pipeline(StandardScaler(), Theirs(tol=1e-6))
    theirs = GridSearchCV(pipeline, {"svc__C": C, "svc__gamma": gamma}, cv=splits).fit(X2, y2)
    table = {
        (each["svc__C"], each["svc__gamma"]): score
        for each, score in zip(
            theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"], strict=True
        )
    }
    for trial in found.table:
        assert trial.accuracy == pytest.approx(table[trial.setting.C, trial.setting.gamma], abs=1.1 / len(y2))
        assert trial.gap <= 1e-6
        assert 0 < trial.error < 0.05
    assert found.best.accuracy == pytest.approx(theirs.best_score_, abs=1.1 / len(y2))


@pytest.mark.parametrize("rows", [X2, sparse.csr_array(X2)], ids=["dense", "sparse"])
def test_scaled_folds_are_those_of_scaled_fits(rows) -> None:
    splits = list(StratifiedKFold(3).split(np.zeros(len(y2)), y2))
    model = SVC(scaling="standard", kernel="rbf", gamma=0.02, tol=1e-6)
    seen: list[int] = []
    table = Folds(rows, y2, splits).tables([(model, [1.0, 10.0]), (SVC(), [1.0])], seen.append)[0]
    assert seen == [0, 0, 0, 1]
    for f, (train, test) in enumerate(splits):
        for c, C in enumerate([1.0, 10.0]):
            alone = SVC(C, scaling="standard", kernel="rbf", gamma=0.02, tol=1e-6).fit(rows[train], y2[train])
            assert np.mean(alone.predict(rows[test]) == table.predicted[f][c]) > 0.99


def test_a_search_ends_in_a_proved_model_measured_once_on_rows_it_has_not_seen() -> None:
    found = search(X3, y3, C=[0.1, 1.0, 10.0], random_state=3)
    assert len(found.table) == 2 * 3 + 2 * 3 * 3
    assert found.best in found.table
    assert found.best.accuracy == max(trial.accuracy for trial in found.table)
    assert all(trial.gap <= 1e-3 for trial in found.table)
    held_out = found.parts.held_out
    assert found.holdout.rows == len(held_out) == 30
    assert found.holdout.accuracy == np.mean(found.model.predict(X3[held_out]) == y3[held_out])
    assert found.looks == 1
    assert found.look.interval[0] < found.holdout.accuracy <= found.look.interval[1]
    for name, proof in found.model.certificate_.items():
        assert verify(proof, X3, y3), name
        assert "120" in proof.claim or "40" in proof.claim  # the rows held out take no part
    assert "in 5 folds" in found.sentence
    assert "the majority class (0) alone has 33.3 %" in found.sentence
    assert found.sentence in repr(found)


def test_held_out_rows_choose_and_teach_nothing() -> None:
    """Whatever is in them, table and model are the same."""
    one = search(X2, y2, kernels=["linear"], C=[0.1, 1.0])
    other = X2.copy()
    other[one.parts.held_out] = 1e3 * np.random.default_rng(0).standard_normal((114, 30))
    two = search(other, y2, kernels=["linear"], C=[0.1, 1.0])
    assert one.table == two.table
    assert np.array_equal(one.model.coef_, two.model.coef_)
    assert one.holdout.accuracy > two.holdout.accuracy


def test_looks_are_counted_in_a_ledger_that_is_kept(tmp_path) -> None:
    ledger = tmp_path / "looks.jsonl"
    widths = []
    for C in (0.01, 0.1, 1.0):
        found = search(X2, y2, kernels=["linear"], scaling=["standard"], C=[C], ledger=ledger)
        widths.append(found.look.interval[1] - found.look.interval[0])
    assert found.looks == 3
    assert widths[0] < widths[2], "an answer that others went before says less"
    without = search(X2, y2, kernels=["linear"], C=[1.0], holdout=None)
    assert (without.holdout, without.look, without.looks) == (None, None, 0)
    assert "the majority class alone has 62.7 %" in without.sentence


def test_many_rows_are_searched_in_steps_that_are_said(monkeypatch) -> None:
    X, y = make_classification(900, 8, n_informative=5, flip_y=0.05, random_state=1)
    monkeypatch.setattr(module, "STEPS", replace(module.STEPS, rows=(200, 500)))
    told = []
    found = search(X, y, C=[0.1, 1.0], progress=lambda *each: told.append(each))
    assert [rows for _, rows in found.choice.steps] == [200, 500]
    assert {trial.rows for trial in found.table} == {200, 500}
    assert found.best.rows == 500
    assert found.choice.steps[1][0] <= 2 * 4
    assert "(drawn from the 720 training rows)" in found.choice.how
    assert told[-1][0] == told[-1][1]
    assert int(np.sum(found.parts.weights())) == 720, "the best is fitted to all of them"
    small = choose(X, y, [Setting("linear", None, 1.0)], rows=100)
    assert small.best.rows == 100


def test_the_simplest_of_equals_wins() -> None:
    X = np.repeat([[0.0], [1.0], [9.0], [10.0]], 10, axis=0)
    y = np.repeat([0, 0, 1, 1], 10)
    found = search(X, y, C=[100.0, 0.1, 1.0])
    assert found.best.accuracy == 1.0
    assert found.best.setting == Setting("linear", None, 0.1)


def test_balanced_accuracy_may_choose() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(180, 2)), rng.normal(size=(20, 2)) + 1.0])
    y = np.repeat(["common", "rare"], [180, 20])
    found = search(X, y, by="balanced_accuracy", kernels=["rbf"], C=[0.01, 10.0], holdout=None)
    assert found.best.balanced_accuracy == max(trial.balanced_accuracy for trial in found.table)
    with pytest.raises(ParameterError, match="by must be"):
        search(X, y, by="luck")


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "venn-abers"])
def test_probabilities_are_calibrated_on_rows_that_nothing_else_uses(method) -> None:
    found = search(X2, y2, kernels=["linear"], scaling=["standard"], C=[0.1], probabilities=method)
    parts = found.parts
    assert len(np.unique(np.concatenate([parts.training, parts.calibration, parts.held_out]))) == len(y2)
    chances = found.model.predict_proba(X2[parts.held_out])
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert 0 < found.holdout.brier < 0.1


def test_what_cannot_be_searched_is_said() -> None:
    with pytest.raises(ParameterError, match="at least one value"):
        search(X3, y3, C=[])
    with pytest.raises(ParameterError, match="kernels= are the candidates"):
        search(X3, y3, kernel="rbf")
    with pytest.raises(ParameterError, match="holdout must be between 0 and 1"):
        search(X3, y3, holdout=1.5)
    with pytest.raises(ParameterError, match="cannot be taken"):
        divide([0, 0, 0, 1], 0.5, False)
    with pytest.raises(ParameterError, match="only one row"):
        choose(X3[99:101], y3[99:101], [Setting("linear", None, 1.0)])


def test_the_picture_is_xml_with_a_cell_for_each_setting() -> None:
    found = search(X3, np.array(["a<b", "b&c", "c"])[y3], C=[0.1, 1.0], gamma=["scale", 0.5])
    root = ElementTree.fromstring(found.svg())
    space = "{http://www.w3.org/2000/svg}"
    titles = [each.text for each in root.iter(f"{space}title")]
    assert len(titles) == len(found.table)
    assert any(found.best.setting.words in text for text in titles)
    frames = [each for each in root.iter(f"{space}rect") if each.get("stroke")]
    assert len(frames) == 1
    width = float(root.get("width"))
    assert all(float(each.get("x", 0)) + 40 < width for each in root.iter(f"{space}text"))


def test_it_is_a_public_name() -> None:
    assert sx.search is search
    assert "search" in sx.__all__


def test_names_of_widths_begin_inside_the_picture() -> None:
    found = search(X3, y3, kernels=["rbf"], C=[1.0], gamma=[2.1345678e-12])
    root = ElementTree.fromstring(found.svg())
    ends = [each for each in root.iter() if each.get("text-anchor") == "end"]
    assert any("gamma 2.13e-12" in (each.text or "") for each in ends)
    for each in ends:
        assert float(each.get("x", 0)) - 8 * len(each.text or "") > 0  # about 7 pixels a letter
