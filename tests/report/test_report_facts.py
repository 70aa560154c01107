"""What a report says is what the model and the rows say.

Tests `report/collect.py`, `report/records.py`, `report/model_facts.py`, `report/verdicts.py`,
`report/sentences.py`, `report/to_json.py`.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from report_models import APART, MODELS, THREE, TWO, WIDE, X, reported

from separatrix import SVC, Perceptron, load, report, save
from separatrix.fitting.kernel_checks import IndefiniteKernelWarning
from separatrix.report.plane import leading_direction, level_lines
from separatrix.report.rows import row_facts
from separatrix.svg import Plot, decades, ticks


@pytest.mark.parametrize("name", MODELS)
def test_text_and_json_of_every_model(name):
    made = reported(name)
    text, plain = made.text(), made.to_json()
    again = json.loads(json.dumps(plain, allow_nan=False))
    assert again == plain
    assert made.verdict in text
    assert plain["verdict"] == made.verdict
    assert plain["data"]["rows"] == made.n_rows
    assert sum(plain["data"]["classes"].values()) == made.n_rows
    if made.rows is not None:
        matrix = np.array(plain["confusion"]["rows"])
        assert matrix.sum() == sum(part["rows"] for part in plain["scores"].values()) == made.n_rows
        assert matrix.sum() - np.trace(matrix) == plain["errors"]
        assert sum(sum(counts) for counts in plain["margins"]["rows"].values()) == made.n_rows


@pytest.mark.parametrize(
    ("name", "tone", "words"),
    [
        ("linear", "proved", "No other hyperplane fits the rows that it learnt from better"),
        ("many", "proved", "In each of its 3 problems no other hyperplane"),
        ("joint", "proved", "No other hyperplane"),
        ("hard", "proved", "widest margin there is"),
        ("inseparable", "refuted", "No hyperplane separates"),
        ("separable", "proved", "A hyperplane separates"),
        ("perceptron", "proved", "separates all its rows after"),
        ("perceptron inseparable", "refuted", "No hyperplane separates"),
        ("perceptron voted", "refuted", "No hyperplane separates"),
        ("online", "open", "learnt row by row"),
        ("stopped", "open", "stopped early"),
    ],
)
def test_verdicts(name, tone, words):
    made = reported(name)
    assert words in made.verdict
    assert made.tone == tone


def test_margins_errors_and_slack_are_the_models():
    model = SVC().fit(WIDE, TWO)
    made = report.make(model, WIDE, TWO)
    assert made.rows.errors == np.count_nonzero(model.predict(WIDE) != TWO)
    assert np.maximum(0.0, 1.0 - made.rows.margins) == pytest.approx(model.slack_, abs=1e-9)
    worst = made.mistakes[0]
    assert worst.row == worst.number == int(np.argmax(model.slack_))
    assert 1.0 - worst.margin == pytest.approx(model.slack_.max())
    assert all(share < 0 for _, share in worst.opposing)
    assert [float(value) for _, value in worst.values] == pytest.approx(WIDE[worst.row], rel=1e-5)
    support = made.support[0]
    assert support.total("margin") + support.total("slack") == len(model.support_)
    assert support.total("slack") == np.count_nonzero(model.support_kind_ == "slack")
    weights = made.weights[""]
    spread = WIDE.std(axis=0)
    assert [each.effect for each in weights] == sorted(
        (each.effect for each in weights), key=abs, reverse=True
    )
    assert weights[0].effect == pytest.approx(
        np.max(np.abs(model.coef_[0] * spread)) * np.sign(weights[0].effect)
    )


def test_the_certificate_is_checked_against_the_rows_of_the_report():
    model = SVC().fit(WIDE, TWO)
    assert all(proof.checked for proof in report.make(model, WIDE, TWO).proofs)
    other = report.make(model, WIDE[:40], TWO[:40])
    assert [proof.checked for proof in other.proofs] == [False]
    assert other.tone == "open"
    assert other.support == []
    assert other.support_rows == {}
    assert [proof.checked for proof in report.make(model, WIDE, TWO, verify=False).proofs] == [None]


def test_rows_that_cancel_are_those_of_the_verdict():
    made = reported("inseparable")
    found = MODELS["inseparable"]()[0].separability
    assert made.cancelling.rows == found.rows.tolist()
    assert "Why no hyperplane separates" in made.html()
    soft = report.make(SVC().fit(X, TWO), X, TWO)
    assert soft.cancelling.rows == found.rows.tolist()


def test_names_come_from_the_frame_the_file_or_the_caller(tmp_path):
    frame = pd.DataFrame(X, columns=["age", "size"])
    made = report.make(SVC().fit(frame, TWO), frame, TWO)
    assert made.picture.axes == ("age", "size")
    save(SVC().fit(X, TWO), tmp_path / "m", columns=["u", "v"])
    assert report.make(load(tmp_path / "m"), X, TWO).picture.axes == ("u", "v")
    assert "<title>w<" not in report.html(load(tmp_path / "m"), X, TWO, title="w")


def test_a_loaded_model_has_the_same_report(tmp_path):
    model = SVC(kernel="rbf").fit(X, THREE)
    save(model, tmp_path / "m")
    assert report.html(load(tmp_path / "m"), X, THREE) == report.html(model, X, THREE)


def test_labels_as_text_are_understood_and_others_refused():
    model = Perceptron().fit(WIDE, APART)
    assert report.make(model, WIDE, APART.astype(str)).rows.errors == 0
    with pytest.raises(ValueError, match="Row 0 has the label 7, which the model does not know"):
        report.make(model, WIDE, APART + 7)
    with pytest.raises(ValueError, match="90 rows but y has 3"):
        report.make(model, WIDE, APART[:3])
    with pytest.raises(TypeError, match="got int"):
        report.make(3, WIDE, APART)


def test_the_projection_keeps_distances_along_w():
    model = SVC().fit(WIDE, TWO)
    picture = report.make(model, WIDE, TWO).picture
    w = model.coef_[0]
    assert picture.points[:, 0] == pytest.approx(model.decision_function(WIDE) / np.linalg.norm(w))
    # Upwards: the first principal direction of what is left when w is taken away.
    unit = w / np.linalg.norm(w)
    rest = (WIDE - WIDE.mean(axis=0)) - np.outer((WIDE - WIDE.mean(axis=0)) @ unit, unit)
    _, _, directions = np.linalg.svd(rest)
    along = rest @ directions[0]
    assert np.abs(np.corrcoef(along, picture.points[:, 1])[0, 1]) > 0.999
    assert leading_direction(X[:, :1], np.ones(1), np.arange(5)).tolist() == [0.0] * 5


def test_contours_lie_on_the_surface():
    model = SVC(kernel="rbf", C=3.0).fit(X, TWO)
    picture = report.make(model, X, TWO).picture
    levels = {"boundary": [0.0], "edge": [-1.0, 1.0]}
    for kind, lines in picture.lines:
        values = model.decision_function(np.vstack(lines))
        assert min(np.abs(values - level).max() for level in levels[kind]) < 0.05
    circle = np.hypot(*np.meshgrid(np.linspace(-2, 2, 60), np.linspace(-2, 2, 60))) - 1.0
    points = np.vstack(level_lines(circle, np.linspace(-2, 2, 60), np.linspace(-2, 2, 60)))
    assert np.hypot(points[:, 0], points[:, 1]) == pytest.approx(np.ones(len(points)), abs=2e-3)


def test_large_data_are_drawn_in_part():
    rng = np.random.default_rng(1)
    many = rng.standard_normal((5000, 3))
    labels = np.where(many[:, 0] + 0.3 * rng.standard_normal(5000) > 0, 1, 0)
    made = report.make(SVC().fit(many, labels), many, labels)
    assert len(made.picture.rows) <= 1300
    assert len(made.html()) < 600_000
    assert set(made.rows.worst(50)) <= set(made.picture.rows.tolist())


def test_a_misclassified_row_is_seen_on_the_wrong_side():
    facts = reported("perceptron inseparable").rows
    edges, counts = facts.histogram()
    assert counts[:, edges[:-1] < 0].sum() == np.count_nonzero(facts.margins <= 0)


def test_scales():
    assert ticks(0.0, 7.0, whole=True) == [0.0, 2.0, 4.0, 6.0]
    assert decades(1e-9, 1.0) == pytest.approx([1e-9, 1e-7, 1e-5, 1e-3, 1e-1])
    frame = Plot((0.0, 0.0), (1.0, 1.0))
    assert frame.at_x(0.0) == pytest.approx((frame.left + 440 - frame.right) / 2)
    assert row_facts(SVC().fit(X, TWO), X, TWO).names == ["no", "yes"]


def test_a_kernel_function_and_all_classes_at_once_are_checked_too():
    def product(A, B):
        return A @ B.T + 1.0 + 0.01 * (A[:, None] == B[None]).all(axis=2)  # definite whatever the rounding

    few = np.r_[0:20, -20:0]
    made = report.make(SVC(kernel=product).fit(X[few], TWO[few]), X[few], TWO[few])
    assert [proof.outcome for proof in made.proofs] == ["proved"]
    assert made.commands == [], "they have no way to be told a function"
    assert "kernel=..." in made.text()
    centres = np.array([[0.0, 9.0], [9.0, 0.0], [-9.0, -9.0]])
    codes = np.arange(30) % 3
    rows = centres[codes] + np.random.default_rng(0).standard_normal((30, 2))
    made = report.make(Perceptron().fit(rows, codes), rows, codes)
    assert [proof.checked for proof in made.proofs] == [True]
    assert len(made.commands) == 3
    assert "of all classes at once" in made.text()


def test_a_proof_on_a_condition_is_said_to_be_one():
    rows, labels = np.abs(X[:30, :1]), np.arange(30) % 2
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel="sigmoid", gamma=1e-9).fit(rows, labels)
    made = report.make(model, rows, labels)
    assert [proof.outcome for proof in made.proofs] == ["conditional"]
    assert made.tone == "open"
    assert "on a condition only" in made.verdict
    assert made.to_json()["proofs"][0]["outcome"] == "conditional"
    assert not made.to_json()["proofs"][0]["checked"]
    assert "proved only on a condition: Proved" in made.text()
    assert "but only if" in made.text()
    assert "proved only on a condition" in made.html()


def test_a_label_at_the_right_edge_stays_inside() -> None:
    frame = Plot((0.0, 0.00801), (0.0, 1.0))
    frame.axes("seconds", "gap")
    drawn = frame.svg("a gap")
    assert 'text-anchor="end">0.008</text>' in drawn
    assert 'text-anchor="middle">0.006</text>' in drawn
