"""What a report says first: how good the model is, on which rows, and which rows it gets wrong.

Tests `report/quality.py`, `report/learnt.py`, `report/row_values.py`, `report/curves.py`, `report/good_cards.py`,
`report/learnt_cards.py`, `report/fit_cards.py`, `report/html_parts.py`, `report/page.py`.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from report_models import MODELS, THREE, TWO, WIDE, X, reported
from sklearn import metrics

from separatrix import SVC, Perceptron, calibrate, load, report, save
from separatrix.report.row_values import fields_of, row_values
from separatrix.validation.scores import percentage


def weighted(rows_out, **parameters):
    weights = np.ones(90)
    weights[rows_out] = 0.0
    return SVC(**parameters).fit(WIDE, TWO, weights)


def test_rows_without_weight_are_held_out_and_scored_apart():
    out = np.arange(0, 90, 3)
    made = report.make(weighted(out), WIDE, TWO)
    assert [part.name for part in made.parts] == ["held out", "learnt from"]
    held, learnt = made.parts
    assert held.rows.tolist() == out.tolist()
    assert sorted([*held.rows.tolist(), *learnt.rows.tolist()]) == list(range(90))
    predicted = weighted(out).predict(WIDE)
    for part in made.parts:
        y, given = TWO[part.rows], predicted[part.rows]
        assert part.scores.accuracy == pytest.approx(metrics.accuracy_score(y, given))
        assert part.scores.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(y, given))
    assert "30 rows that were held out" in made.quality.headline
    assert percentage(held.scores.accuracy) in made.quality.headline
    assert percentage(held.scores.baseline) in made.quality.headline
    assert {each.part for each in made.mistakes} <= {"held out", "learnt from"}
    first = made.to_json()["scores"]["held out"]
    assert first["accuracy"] == held.scores.accuracy


def test_a_good_fit_to_noise_is_not_called_good():
    rng = np.random.default_rng(3)
    rows, labels = rng.standard_normal((200, 40)), rng.integers(2, size=200)
    weights = np.ones(200)
    weights[:100] = 0.0
    made = report.make(SVC(C=100.0).fit(rows, labels, weights), rows, labels)
    assert made.tone == "proved"
    assert made.quality.tone == "no-better"
    assert "not clearly better than no model" in made.quality.headline
    page = made.html()
    assert page.index("not clearly better than no model") < page.index("✓ proved")
    assert "optimal" not in re.sub(r"<style>.*</style>", "", page, flags=re.S).lower().replace(
        "optimally", ""
    )


def test_rows_that_it_learnt_from_prove_nothing_about_new_ones():
    made = reported("linear")
    assert made.quality.tone == "unknown"
    assert "how good it is on new rows was not measured" in made.quality.headline
    assert any("--holdout" in detail for detail in made.quality.details)


def test_other_rows_than_those_of_the_fit_are_said_to_be_others():
    model = SVC().fit(WIDE[:60], TWO[:60])
    made = report.make(model, WIDE[60:], TWO[60:])
    assert [part.name for part in made.parts] == ["other rows"]
    assert "another table than that of the fit" in made.quality.headline
    given = report.make(model, WIDE, TWO, held_out=np.arange(60, 90))
    assert [part.name for part in given.parts] == ["held out", "learnt from"]


@pytest.mark.parametrize("name", MODELS)
def test_the_order_of_page_and_text(name):
    made = reported(name)
    headings = re.findall(r"<h2>(.*?)</h2>", made.html())
    order = ["How good it is", "What it learnt", "The data and the settings", "The proof"]
    order.append("The optimisation, for those who want it")
    assert headings == [title for title in order if title in headings]
    text = made.text()
    if made.quality is not None:
        assert text.index(made.quality.headline) < text.index(made.verdict)
        assert headings[0] == "How good it is"
        known = [list(kind().get_params()) for kind in (SVC, Perceptron)]
        assert [setting.name for setting in made.settings] in known
    for page in (made.html().split("</style>")[1], text):
        words = re.sub(r"data:application/json;base64,[^\"]*", "", page)
        assert not re.search(
            r"\btied\b|\bslack\b(?!\")", words.replace("ring slack", "").replace("patch slack", "")
        )


def test_wrong_rows_have_the_values_of_the_file():
    names = ["age", "city=Bern", "city=Oslo", "note:good", "note:bad"]
    encoding = {
        "format": "table",
        "columns": [
            {"name": "age", "kind": "number"},
            {"name": "city", "kind": "category", "categories": ["Bern", "Oslo"]},
            {"name": "note", "kind": "words", "words": ["good", "bad"]},
        ],
    }
    fields = fields_of(names, encoding)
    assert [(field.name, field.kind) for field in fields] == [
        ("age", "number"),
        ("city", "category"),
        ("note", "words"),
    ]
    values = row_values(np.array([[41.5, 0, 1, 0, 2], [3, 0, 0, 0, 0]]), [0, 1], fields)
    assert values[0] == [("age", "41.5"), ("city", "Oslo"), ("note", "bad")]
    assert values[1][1] == ("city", "none that was learnt")
    assert [field.name for field in fields_of(names[:3], encoding)] == names[:3], "another table's record"


def test_rows_are_numbered_as_the_caller_says():
    numbers = np.arange(90) + 2
    made = report.make(SVC().fit(X, TWO), X, TWO, row_numbers=numbers, data_file="loans.csv")
    assert all(each.number == each.row + 2 for each in made.mistakes)
    assert "by their row in loans.csv" in made.html()
    plain = report.make(SVC().fit(X, TWO), X, TWO)
    assert made.cancelling.rows == [row + 2 for row in plain.cancelling.rows]


def test_rows_that_cancel_are_numbered_in_the_whole_table():
    out = np.arange(0, 90, 3)
    made = report.make(weighted(out), WIDE, TWO)
    assert made.cancelling is not None
    assert not set(made.cancelling.rows) & set(out.tolist())
    assert made.cancelling.labels == TWO[made.cancelling.rows].tolist()


def test_bars_are_as_long_as_their_numbers_say():
    made = reported("linear")
    page = made.html()
    largest = max(abs(each.effect) for each in made.weights[""])
    for each in made.weights[""]:
        row = re.search(rf'<th scope="row">{each.column}</th>(.*?)</tr>', page)[1]
        width, side = re.search(r"width:([\d.]+)%", row)[1], "left:50%" if each.effect > 0 else "right:50%"
        assert float(width) == pytest.approx(50 * abs(each.effect) / largest, abs=0.06)
        assert side in row
        shown = re.findall(r"<td>([^<]*)</td>", row)[0]
        assert float(shown.replace(",", "")) == pytest.approx(each.effect, rel=0.01)


def test_weights_of_a_scaled_model_are_for_units_of_the_file():
    far = WIDE * np.array([1.0, 1e4, 1.0, 1.0, 1e-3, 1.0])
    model = SVC(scaling="standard").fit(far, TWO)
    made = report.make(model, far, TWO, worst=50)
    for each in made.weights[""]:
        column = int(each.column.split()[1]) - 1
        assert each.effect == pytest.approx(model.coef_[0, column], rel=1e-9)  # spread 1 after scaling
        assert each.weight * far[:, column].std() == pytest.approx(each.effect, rel=1e-9)
    wrong = made.mistakes[0]
    assert [float(value) for _, value in wrong.values] == pytest.approx(far[wrong.row], rel=1e-4)
    moved = far.copy()
    column = int(made.weights[""][0].column.split()[1]) - 1
    moved[:, column] += 1.0
    change = model.decision_function(moved) - model.decision_function(far)
    assert change == pytest.approx(np.full(90, made.weights[""][0].weight), rel=1e-6)


class WithProbabilities(SVC):
    """A model that says how sure it is."""

    def predict_proba(self, rows):
        score = self.decision_function(rows)
        if score.ndim > 1:
            exponential = np.exp(score - score.max(axis=1, keepdims=True))
            return exponential / exponential.sum(axis=1, keepdims=True)
        high = 1.0 / (1.0 + np.exp(-2.0 * score))
        return np.column_stack([1.0 - high, high])


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
def test_probabilities_are_compared_with_what_came_true(labels):
    made = report.make(WithProbabilities().fit(X, labels), X, labels)
    assert made.parts[0].scores.brier is not None
    assert "Do its probabilities come true?" in made.html()
    assert "Brier score" in made.text()
    assert all(0.0 < each.chance <= 1.0 for each in made.mistakes)
    assert "Do its probabilities" not in reported("linear").html()


class Cells(HTMLParser):
    """The cells of the tables of a page, row by row, by the label of the table."""

    def __init__(self):
        super().__init__()
        self.tables, self.cell = {}, None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.rows = self.tables.setdefault(dict(attrs).get("aria-label", ""), [])
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.cell = self.rows[-1]

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[-1] += data


@pytest.mark.parametrize("k", [2, 10, 26])
def test_confusions_and_classes_for_any_number_of_classes(k):
    rng = np.random.default_rng(k)
    codes = np.arange(40 * k) % k
    rows = rng.normal(scale=2.0, size=(k, 5))[codes] + rng.normal(size=(40 * k, 5))
    labels = np.array([f"class {chr(65 + code)}" for code in range(k)])[codes]
    model = Perceptron(max_epochs=20).fit(rows, labels)
    made = report.make(model, rows, labels)
    found = Cells()
    page = made.html()
    found.feed(page)
    theirs = metrics.confusion_matrix(labels, model.predict(rows))
    (matrix,) = [rows for name, rows in found.tables.items() if name.startswith("Rows by their class")]
    ours = [[int((cell.split() or ["0"])[0]) for cell in row[1:]] for row in matrix[1:]]
    assert ours == theirs.tolist()
    (each,) = [rows for name, rows in found.tables.items() if name.startswith("Classes,")]
    recall = metrics.recall_score(labels, model.predict(rows), average=None)
    by_name = dict(zip(np.unique(labels), recall, strict=True))
    assert {row[0]: row[2] for row in each[1:]} == {
        name: percentage(value).replace(" %", "\xa0%") for name, value in by_name.items()
    }
    assert len(page) < 1_500_000


def test_rows_that_calibrated_it_are_neither_learnt_from_nor_held_out(tmp_path):
    out, calibration = np.arange(0, 90, 3), np.arange(1, 90, 3)
    weights = np.zeros(90)
    weights[2::3] = 1.0
    model = SVC().fit(WIDE, TWO, weights)
    model = calibrate(model, WIDE[calibration], TWO[calibration])
    made = report.make(model, WIDE, TWO, held_out=out)
    assert [(part.name, len(part.rows)) for part in made.parts] == [
        ("held out", 30),
        ("calibrated on", 30),
        ("learnt from", 30),
    ]
    model.held_out_ = out
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.held_out_.tolist() == out.tolist()
    assert report.html(again, WIDE, TWO) == made.html()
    only = np.ones(90)
    only[calibration] = 0.0
    model = calibrate(SVC().fit(WIDE, TWO, only), WIDE[calibration], TWO[calibration])
    made = report.make(model, WIDE, TWO)
    assert [part.name for part in made.parts] == ["calibrated on", "learnt from"]
    assert made.quality.tone == "unknown"
    assert "says little about new ones" in made.html()


def test_a_new_fit_forgets_the_rows_held_out_of_the_last():
    for model in (SVC(), Perceptron()):
        model.fit(WIDE, np.where(WIDE[:, 0] > 0.1, 1, 0))
        model.held_out_ = np.arange(3)
        assert not hasattr(model.fit(WIDE, np.where(WIDE[:, 0] > 0.1, 1, 0)), "held_out_")


def test_a_table_for_testing_is_judged_first():
    model = SVC().fit(WIDE[:60], TWO[:60])
    made = report.make(
        model,
        WIDE[:60],
        TWO[:60],
        test=(WIDE[60:], TWO[60:]),
        test_file="test.csv",
        test_row_numbers=np.arange(60, 90),
    )
    assert [part.name for part in made.parts] == ["tested on", "learnt from"]
    assert made.parts[0].scores.accuracy == pytest.approx(model.score(WIDE[60:], TWO[60:]))
    assert [proof.checked for proof in made.proofs] == [True]
    wrong = [each for each in made.mistakes if each.part == "tested on"]
    assert all(each.number == each.row + 60 for each in wrong)
    for each in wrong:
        assert [float(value) for _, value in each.values] == pytest.approx(WIDE[60:][each.row], rel=1e-5)
    assert "by their row in test.csv" in made.html()


def test_a_perceptron_is_proved_on_the_rows_it_learnt_from():
    apart = np.where(WIDE[:, 0] - WIDE[:, 3] > 0.1, 1, 0)
    model = Perceptron().fit(WIDE[10:], apart[10:])
    made = report.make(model, WIDE, apart, held_out=np.arange(10))
    assert [part.name for part in made.parts] == ["held out", "learnt from"]
    assert [proof.checked for proof in made.proofs] == [True]
    assert made.commands == [], "no command leaves rows out of a table"


def test_rows_of_another_table_get_no_commands_that_would_fail():
    made = report.make(SVC().fit(WIDE[:60], TWO[:60]), WIDE[60:], TWO[60:])
    assert made.commands == []
    assert "Check it yourself" not in made.html()


def test_only_rows_near_the_margin_are_said_to_be_on_it(monkeypatch):
    model = SVC().fit(WIDE, TWO)
    scores = np.where(TWO == "yes", 1, -1) * model.decision_function(WIDE)
    # An interior point gives every row some weight below C: by alpha alone all of them would be on the margin.
    (result,) = model.problems_.values()
    object.__setattr__(result, "alpha", np.full(90, 0.5))
    monkeypatch.setattr(SVC, "support_", np.arange(90))
    assert set(result.support_kind.tolist()) == {"margin"}
    made = report.make(model, WIDE, TWO, verify=False)
    near = np.abs(scores - 1) <= 0.01
    assert 0 < near.sum() < 45
    assert made.support[0].total("margin") == near.sum() == len(made.support_rows["margin"])
    assert (
        made.support[0].total("slack") == np.count_nonzero(scores < 0.99) == len(made.support_rows["slack"])
    )
    assert made.support[0].total("beyond") == np.count_nonzero(scores > 1.01) > 0
    assert "a closer solution would take away" in made.html()
