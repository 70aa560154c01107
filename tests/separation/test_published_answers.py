"""Answers that others published, with signs and intercepts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import published
import pytest

from separatrix import check_separation, separability, verify

FINITE = "finite"


def test_endometrial_sizes_and_estimates_are_those_of_heinze_and_schemper():
    """79 rows, 30 of high grade, 13 with neovasculization, all of high grade. detectseparation: 0, Inf, 0, 0."""
    data = published.endometrial()
    assert data.shape == (79, 4)
    assert (data.HG.sum(), data.NV.sum(), data.HG[data.NV == 1].sum()) == (30, 13, 13)
    answer = check_separation("HG ~ NV + PI + EH", data)
    assert answer.verdict == "quasi-separable"
    assert answer.estimates == {"(intercept)": FINITE, "NV": "+inf", "PI": FINITE, "EH": FINITE}
    assert answer.causes.sets == (("NV",),)
    assert sorted(answer.separated_rows) == np.flatnonzero(data.NV == 1).tolist()
    assert len(answer.tied_rows) == 66


def test_endometrial_finite_estimates_are_those_of_the_tied_rows():
    """R's glm: 4.30452, -0.04218, -2.90261 for intercept, PI and EH; the likelihood of the tied rows alone has them."""
    sm = pytest.importorskip("statsmodels.formula.api")
    data = published.endometrial()
    tied = check_separation("HG ~ NV + PI + EH", data).tied_rows
    params = sm.logit("HG ~ PI + EH", data.iloc[tied]).fit(disp=0).params
    assert params.to_dict() == pytest.approx({"Intercept": 4.30452, "PI": -0.04218, "EH": -2.90261}, abs=6e-6)


def test_the_sign_of_a_column_turns_the_sign_of_its_estimate():
    """The tests of detectseparation turn NV around."""
    data = published.endometrial().assign(without=lambda frame: -frame.NV)
    assert check_separation("HG ~ without + PI + EH", data).estimates["without"] == "-inf"


def test_silvapulle_men_have_an_infinite_slope_and_intercept():
    """detectseparation: -Inf for the intercept, Inf for the score, with a case and another man both at score 2."""
    data = published.silvapulle_men()
    answer = check_separation("y ~ ghqs", data)
    assert answer.verdict == "quasi-separable"
    assert answer.estimates == {"(intercept)": "-inf", "ghqs": "+inf"}
    assert data.ghqs[answer.tied_rows].tolist() == [2, 2]


def test_silvapulle_women_overlap_and_the_interaction_is_infinite():
    """divoRce's example: case ~ sex + ghq + sex:ghq is separated quasi-completely, through the men alone."""
    data = published.silvapulle()
    assert len(data) == 120
    assert check_separation("y ~ ghqs", data[data.sex == "female"]).verdict == "inseparable"
    answer = check_separation("y ~ sex * ghqs", data)
    assert answer.verdict == "quasi-separable"
    assert answer.estimates == {
        "(intercept)": FINITE,
        "sex[T.male]": "-inf",
        "ghqs": FINITE,
        "sex[T.male]:ghqs": "+inf",
    }
    assert set(data.sex[answer.separated_rows]) == {"male"}
    assert check_separation("y ~ sex + ghqs", data).verdict == "inseparable"


def test_a_trial_with_two_centres_without_success():
    """Agresti: the effects of centres 1 and 3 are -infinity, that of the drug is 1.546 with standard error 0.702."""
    sm = pytest.importorskip("statsmodels.formula.api")
    from statsmodels.genmod.families import Binomial

    data = published.clinical_trial()
    formula = "cured + not_cured ~ C(drug, Treatment('placebo')) + C(centre, Treatment('5'))"
    answer = check_separation(formula, data)
    infinite = {name: word for name, word in answer.estimates.items() if word != FINITE}
    assert infinite == {
        "C(centre, Treatment('5'))[T.1]": "-inf",
        "C(centre, Treatment('5'))[T.3]": "-inf",
    }
    on_the_line = data.iloc[answer.to_dict()["rows_on_the_line"]]
    assert set(on_the_line.centre) == {"2", "4", "5"}
    fit = sm.glm(formula, on_the_line, family=Binomial()).fit()
    drug = "C(drug, Treatment('placebo'))[T.active]"
    assert (fit.params[drug], fit.bse[drug]) == pytest.approx((1.546, 0.702), abs=5e-4)
    assert {frozenset(merge.levels) for merge in answer.causes.merges} == {
        frozenset("132"),
        frozenset("134"),
        frozenset("135"),
    }


def test_lizards_overlap():
    """detectseparation finds no separation, on the counts as they are."""
    data = published.lizards()
    assert (data.grahami.sum(), data.opalinus.sum()) == (431, 133)
    answer = check_separation("grahami + opalinus ~ height + diameter + light + time", data)
    assert answer.verdict == "inseparable"
    assert set(answer.estimates.values()) == {FINITE}
    assert len(answer.estimates) == 6


def test_an_empty_cell_does_not_count():
    """Zero lizards of both species: the row takes no part."""
    data = published.lizards()
    answer = check_separation("grahami + opalinus ~ height * time * light", data)
    cell = data.index[(data.grahami == 0) & (data.opalinus == 0)]
    everything = answer.model.rows_of(np.concatenate([answer.tied_rows, answer.separated_rows]))
    assert not set(cell) & set(everything)


def test_murder_rates_have_an_infinite_estimate_for_southern_states():
    """Zeileis' lecture notes and detectseparation: southernyes is +Inf and everything else finite."""
    data = published.murder_rates()
    data["executed"] = (data.executions > 0).astype(int)
    answer = check_separation("executed ~ time + income + noncauc + lfp + southern", data)
    assert answer.verdict == "quasi-separable"
    assert {name: word for name, word in answer.estimates.items() if word != FINITE} == {
        "southern[T.yes]": "+inf"
    }
    assert answer.causes.sets == (("southern",),)


def test_log_binomial_vignette_of_detectseparation():
    """Six rows, separated completely: every coefficient leaves every bound."""
    data = pd.DataFrame({"a": [1, 0, 3, 2, 3, 4], "b": [2, 1, 1, 4, 6, 8], "y": [0, 0, 0, 1, 1, 1]})
    answer = check_separation("y ~ a + b", data)
    assert answer.verdict == "separable"
    assert FINITE not in answer.estimates.values()
    # b alone separates, a alone does not.
    assert answer.estimates["b"] == "+inf"
    assert answer.causes.sets == (("b",),)


# Albert and Anderson (1984), section 2: the three configurations of points, two columns and an intercept.
UP = {"(intercept)": "-inf", "x1": "+inf"}
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize(
    ("X", "y", "verdict", "estimates"),
    [
        pytest.param([[1], [2], [3], [4]], [0, 0, 1, 1], "separable", UP, id="complete"),
        pytest.param([[1], [2], [2], [3]], [0, 0, 1, 1], "quasi-separable", UP, id="quasi-complete"),
        pytest.param(
            [[1], [3], [2], [4]], [0, 0, 1, 1], "inseparable", dict.fromkeys(UP, FINITE), id="overlap"
        ),
        pytest.param(
            [*SQUARE, [1, 1]],
            [0, 0, 0, 1, 0],
            "quasi-separable",
            {"(intercept)": "-inf", "x1": "+inf", "x2": "+inf"},
            id="a corner on the line",
        ),
        pytest.param(
            [[0, 1], [0, 2], [0, 3], [0, 2.5], [1, 1], [1, 2]],
            [0, 1, 0, 1, 1, 1],
            "quasi-separable",
            {"(intercept)": FINITE, "x1": "+inf", "x2": FINITE},
            id="a group with one outcome",
        ),
    ],
)
def test_configurations_of_albert_and_anderson(X, y, verdict, estimates):
    X = np.array(X, dtype=float)
    answer = separability(X, y)
    assert (answer.verdict, answer.estimates) == (verdict, estimates)
    assert verify(answer.certificate, X, np.asarray(y), exact=True)


@pytest.mark.parametrize(
    ("x", "verdict", "slope"),
    [
        pytest.param([0.0, 1.0, 1.0 - 1e-9, 2.0], "inseparable", FINITE, id="an overlap of 1e-9"),
        pytest.param([0.0, 1.0, 1.0 + 1e-9, 2.0], "separable", "+inf", id="a gap of 1e-9"),
        pytest.param([1e6, 2e6, 3e6, 4e6], "separable", "+inf", id="large units"),
        pytest.param([1e-9, 2e-9, 3e-9, 4e-9], "separable", "+inf", id="small units"),
        pytest.param(
            [1e4 - 1, 1e4, 1e4 - 1e-3, 1e4 + 1], "inseparable", FINITE, id="an overlap of 1e-3 at 1e4"
        ),
    ],
)
def test_cases_that_a_tolerance_gets_wrong(x, verdict, slope):
    """The page on separation names the first and the third: linear programs in floating point fail on them."""
    answer = check_separation(np.array(x)[:, None], np.array([0, 0, 1, 1]))
    assert (answer.verdict, answer.estimates["x1"]) == (verdict, slope)
