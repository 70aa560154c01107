"""The answer as text, HTML, frame, JSON and pictures; the calls of the remedies run.

Tests `separability/presentation.py`, `separability/estimates_table.py`, `separability/remedies.py`,
`separability/picture.py`.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import published
import pytest
import statsmodels.api as sm
from scipy import sparse

from separatrix import check_separation, separability

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def endometrial():
    return check_separation("HG ~ NV + PI + EH", published.endometrial())


def answers():
    """One answer of each kind: verdicts, outcomes, aliased and long names."""
    generator = np.random.default_rng(3)
    X = pd.DataFrame(generator.standard_normal((12, 2)), columns=["a" * 60, "<b> & 'c'"])
    return {
        "quasi": check_separation("HG ~ NV + PI + EH", published.endometrial()),
        "complete": check_separation(X.iloc[:4], pd.Series([0, 0, 1, 1])),
        "overlap": check_separation(X, pd.Series([0, 1] * 6)),
        "aliased": separability(np.array([[1.0, 1, 2], [2, 2, 4], [3, 3, 6]]), [0, 0, 1]),
        "joint": separability(X, [0, 1, 2] * 4, classes="joint"),
        "ordinal": separability(X.iloc[:5], [0, 0, 1, 1, 2], classes="ordinal"),
        "wide": separability(generator.standard_normal((10, 60)), [0, 1] * 5),
        "sparse": separability(sparse.eye_array(6, format="csr"), [0, 1] * 3),
        "counts": check_separation(
            sm.GLM([[3, 0], [1, 2], [2, 2]], [[1, 1], [1, 0], [1, 0]], family=sm.families.Binomial())
        ),
    }


ANSWERS = answers()


@pytest.mark.parametrize("name", ANSWERS)
def test_text_fits_a_terminal(name):
    text = ANSWERS[name].summary()
    calls = [line for line in text.splitlines() if ">>>" in line]
    assert max(len(line) for line in text.splitlines() if line not in calls) <= 80
    assert "\t" not in text


@pytest.mark.parametrize("name", ANSWERS)
def test_json_holds_what_the_frame_holds(name):
    answer = ANSWERS[name]
    record = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    frame = answer.to_frame()
    assert record["estimates"] == frame.estimate.to_dict() == answer.estimates
    assert set(record["separated_rows"]).isdisjoint(record["rows_on_the_line"])
    for coefficient, row in frame.iterrows():
        if row.estimate == "+inf":
            assert row.direction > 0, coefficient
        if row.estimate == "-inf":
            assert row.direction < 0, coefficient
        if row.estimate in ("finite", "aliased"):
            assert row.direction == 0, coefficient


class _Balanced(HTMLParser):
    """Every tag that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", ANSWERS)
def test_html_is_balanced_and_escaped(name):
    parser = _Balanced()
    parser.feed(ANSWERS[name]._repr_html_())
    parser.close()
    assert parser.open == []
    for coefficient in ANSWERS[name].estimates:
        assert coefficient in parser.texts


def test_the_table_of_the_endometrial_data(endometrial):
    lines = endometrial.summary().splitlines()
    start = lines.index("  coefficient  estimate")
    assert lines[start + 1 : start + 5] == [
        "  (intercept)  finite",
        "  NV           +inf      grows without bound",
        "  PI           finite",
        "  EH           finite",
    ]
    assert "Cause       Removing NV ends the separation; no other term alone does." in lines


def test_the_documentation_shows_what_is_printed(endometrial):
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "separation-warnings.md").read_text()
    (shown,) = re.findall(r"^```text\n(.*?)\n```", page, re.DOTALL | re.MULTILINE)
    assert endometrial.summary().startswith(shown)
    assert len(shown) > 500


def test_a_wide_table_lists_what_is_not_finite():
    X = np.column_stack(
        [np.eye(40)[:, :1], np.tile(np.random.default_rng(0).standard_normal((20, 3)), (2, 10))]
    )
    text = separability(X, np.repeat([0, 1], 20)).summary()
    assert "x1 " in text
    assert "coefficients with finite estimates" in text


def test_svg_is_one_document_with_every_row_once():
    data = published.silvapulle_men()
    root = ET.fromstring(check_separation("y ~ ghqs", data).to_svg())
    marks = {
        path.get("class"): path.get("d").count("M")
        for path in root.iter("{http://www.w3.org/2000/svg}path")
        if path.get("class", "")[:2] in ("on", "of")
    }
    assert marks == {"on0": 1, "off0": 26, "on1": 1, "off1": 7}
    assert (
        root.get("aria-label") == "35 rows along the separating direction: 2 exactly on the line, 33 off it."
    )


@pytest.mark.parametrize("name", [name for name in ANSWERS if ANSWERS[name].verdict != "inseparable"])
def test_matplotlib_draws_every_row_on_its_side(name):
    axes = ANSWERS[name].plot()
    points = np.concatenate([np.asarray(each.get_offsets()) for each in axes.collections])
    drawn = ANSWERS[name]._question.plain.n
    assert len(points) == drawn
    if ANSWERS[name]._question.kind == "two":
        positive = np.round(points[:, 1]) == 1
        assert np.all(points[positive, 0] >= 0)
        assert np.all(points[~positive, 0] <= 0)
    matplotlib.pyplot.close(axes.figure)


def test_nothing_is_drawn_of_an_overlap():
    with pytest.raises(ValueError, match="overlap"):
        ANSWERS["overlap"].to_svg()
    with pytest.raises(ValueError, match="overlap"):
        ANSWERS["overlap"].plot()


def names_of(name):
    return [remedy.name for remedy in ANSWERS[name].remedies]


def test_remedies_fit_the_case():
    assert names_of("overlap") == []
    assert "The maximum-margin direction" in names_of("complete")
    assert "The maximum-margin direction" not in names_of("quasi")
    assert "Firth's penalty" in names_of("quasi")
    assert "Firth's penalty" not in names_of("joint") + names_of("ordinal")
    assert "Drop aliased columns" in names_of("aliased")
    assert "Drop or merge" in names_of("quasi")
    for answer in ANSWERS.values():
        for remedy in answer.remedies:
            assert remedy.reference
            assert 2 <= remedy.text.count(". ") + 1 <= 3, remedy.text


def run_call(call: str, **names: object) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(call, names)  # the remedies' own lines, as a reader would type them
    return shown.getvalue()


def test_the_calls_of_the_remedies_run_and_give_the_published_numbers(endometrial):
    """Heinze and Schemper (2002): Firth's estimate of NV is 2.93, its profile interval 0.61 to 7.85."""
    data = published.endometrial()
    X, y = data[["NV", "PI", "EH"]], data.HG
    calls = {remedy.name: remedy.call for remedy in endometrial.remedies if remedy.call}
    assert set(calls) == {"Firth's penalty", "Profile or exact intervals", "A weak penalty or prior"}
    assert "2.9293" in run_call(calls["Firth's penalty"], data=data)
    interval = run_call(calls["Profile or exact intervals"], data=data)
    assert "0.6097" in interval
    assert "7.854" in interval
    run_call(calls["A weak penalty or prior"], X=X, y=y)
    arrays = check_separation(X, y)
    assert "2.9292" in run_call(arrays.remedies[0].call, X=X, y=y)
    assert "7.854" in run_call(arrays.remedies[1].call, X=X, y=y)
    assert (
        check_separation("HG ~ .", data).remedies[0].call.replace("HG ~ .", "HG ~ NV + PI + EH")
        == calls["Firth's penalty"]
    )
    assert "2.9293" in run_call(check_separation("HG ~ .", data).remedies[0].call, data=data)


def test_the_calls_for_counts_run_and_agree_with_single_rows():
    table = published.clinical_trial()
    answer = check_separation("cured + not_cured ~ drug + centre", table)
    X = pd.get_dummies(table[["drug", "centre"]], drop_first=True, dtype=float)
    counted = run_call(answer.remedies[0].call, X=X, successes=table.cured, failures=table.not_cured)
    rows = np.repeat(np.r_[np.arange(10), np.arange(10)], np.r_[table.cured, table.not_cured])
    y = np.repeat([1, 0], [table.cured.sum(), table.not_cured.sum()])
    single = run_call(check_separation(X.iloc[rows], y).remedies[0].call, X=X.to_numpy()[rows], y=y)
    assert [float(word) for word in counted.strip("[]\n").split()] == pytest.approx(
        [float(word) for word in single.strip("[]\n").split()], abs=1e-4
    )
    assert (
        len(
            run_call(answer.remedies[1].call, X=X, successes=table.cured, failures=table.not_cured).split(
                "\n"
            )
        )
        == 7
    )


def test_the_maximum_margin_call_runs():
    answer = check_separation(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1]))
    (call,) = [remedy.call for remedy in answer.remedies if remedy.name == "The maximum-margin direction"]
    assert "1." in run_call(call, X=np.array([[0.0], [1.0], [3.0], [4.0]]), y=np.array([0, 0, 1, 1]))
