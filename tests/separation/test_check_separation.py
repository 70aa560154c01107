"""check_separation: models of statsmodels and scikit-learn, formulas, frames; what is refused, and why.

Tests `separation/check.py`, `separation/design.py`, `separation/formulas.py`, `separation/statsmodels_design.py`,
`separation/sklearn_design.py`, `separability/terms.py`.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import published
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from statsmodels.miscmodels.ordinal_model import OrderedModel

from separatrix import check_separation, separability, verify

ENDOMETRIAL = {"(intercept)": "finite", "NV": "+inf", "PI": "finite", "EH": "finite"}
COLUMNS = ["NV", "PI", "EH"]
BINOMIAL = sm.families.Binomial


@pytest.fixture
def data() -> pd.DataFrame:
    return published.endometrial()


@pytest.fixture
def groups() -> pd.DataFrame:
    """Three outcomes and a category: nobody of group c has outcome 2, everything else occurs."""
    generator = np.random.default_rng(5)
    frame = pd.DataFrame({"x": generator.standard_normal(120).round(2), "group": np.repeat(list("abc"), 40)})
    frame["outcome"] = generator.integers(0, 3, 120)
    frame.loc[(frame.group == "c") & (frame.outcome == 2), "outcome"] = 1
    return frame


@pytest.mark.parametrize("kind", [smf.logit, smf.probit], ids=["logit", "probit"])
def test_binary_models_of_statsmodels_from_a_formula(data, kind):
    model = kind("HG ~ NV + PI + EH", data)
    answer = check_separation(model)
    assert answer.estimates == ENDOMETRIAL
    assert answer.model.source == f"statsmodels {kind.__self__.__name__}"
    assert answer.model.outcome == "HG"


@pytest.mark.parametrize("kind", [sm.Logit, sm.Probit])
def test_binary_models_of_statsmodels_from_arrays(data, kind):
    X = sm.add_constant(data[COLUMNS])
    assert check_separation(kind(data.HG, X)).estimates == ENDOMETRIAL
    unnamed = check_separation(kind(data.HG.to_numpy(), X.to_numpy()))
    assert list(unnamed.estimates.values()) == list(ENDOMETRIAL.values())


def test_results_of_a_fit_are_asked_for_their_model(data):
    fit = smf.glm("HG ~ NV + PI + EH", data, family=BINOMIAL()).fit(maxiter=4)
    assert check_separation(fit).estimates == ENDOMETRIAL


def test_a_model_without_an_intercept(data):
    answer = check_separation(sm.Logit(data.HG, data[COLUMNS]))
    expected = separability(data[COLUMNS], data.HG, bias=False)
    assert answer.estimates == expected.estimates
    assert "(intercept)" not in answer.estimates


@pytest.mark.parametrize("link", ["Logit", "Probit", "CLogLog", "LogLog", "Cauchy"])
def test_links_for_which_separation_decides(data, link):
    model = smf.glm("HG ~ NV + PI + EH", data, family=BINOMIAL(getattr(sm.families.links, link)()))
    assert check_separation(model).estimates == ENDOMETRIAL


@pytest.mark.parametrize("link", ["Log", "Identity"])
@pytest.mark.filterwarnings("ignore:The .* link function does not respect")
def test_links_for_which_it_does_not(data, link):
    model = smf.glm("HG ~ NV + PI", data, family=BINOMIAL(getattr(sm.families.links, link)()))
    with pytest.raises(ValueError, match="may still have finite estimates"):
        check_separation(model)


def test_an_offset_is_accepted_with_the_reason(data):
    plain = check_separation(smf.glm("HG ~ NV + EH", data, family=BINOMIAL()))
    offset = check_separation(smf.glm("HG ~ NV + EH", data, family=BINOMIAL(), offset=np.log(data.PI + 1)))
    assert offset.estimates == plain.estimates
    assert any("offset" in note for note in offset.model.notes)
    assert not plain.model.notes


def test_binomial_counts_of_a_glm():
    counts, dose = np.array([[0, 5], [2, 3], [1, 4], [5, 0]]), np.array([1.0, 2.0, 3.0, 4.0])
    overlap = check_separation(sm.GLM(counts, sm.add_constant(dose), family=BINOMIAL()))
    assert overlap.verdict == "inseparable"
    group = sm.add_constant(np.array([0.0, 0.0, 0.0, 1.0]))
    answer = check_separation(sm.GLM(counts, group, family=BINOMIAL()))
    assert list(answer.estimates.values()) == ["finite", "+inf"]
    assert answer.to_dict()["separated_rows"] == [3]
    assert answer.to_dict()["rows_on_the_line"] == [0, 1, 2]


def test_a_weight_of_zero_removes_a_row(data):
    extra = pd.concat(
        [data, pd.DataFrame({"NV": [1], "PI": [20], "EH": [1.0], "HG": [0]})], ignore_index=True
    )
    assert check_separation(smf.glm("HG ~ NV + PI + EH", extra, family=BINOMIAL())).verdict == "inseparable"
    weights = np.r_[np.ones(79), 0.0]
    weighted = smf.glm("HG ~ NV + PI + EH", extra, family=BINOMIAL(), freq_weights=weights)
    assert check_separation(weighted).estimates == ENDOMETRIAL


def test_mnlogit_from_formula_and_arrays(groups):
    X = sm.add_constant(pd.get_dummies(groups.group, drop_first=True, dtype=float))
    for model in (smf.mnlogit("outcome ~ group", groups), sm.MNLogit(groups.outcome, X)):
        answer = check_separation(model)
        infinite = {name: word for name, word in answer.estimates.items() if word != "finite"}
        assert answer.verdict == "quasi-separable"
        assert list(infinite.values()) == ["-inf"]
        assert next(iter(infinite)).startswith("2: ")
        assert answer.to_dict()["separated_rows"] == groups.index[groups.group == "c"].tolist()


def test_mnlogit_names_its_classes(groups):
    names = groups.outcome.map({0: "no", 1: "perhaps", 2: "yes"})
    answer = check_separation(sm.MNLogit(names, sm.add_constant(groups[["x"]])))
    assert list(answer.estimates) == ["perhaps: (intercept)", "yes: (intercept)", "perhaps: x", "yes: x"]


def test_ordered_model_from_formula_and_arrays():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8], "late": [0, 0, 0, 0, 0, 0, 1, 1]})
    frame["stage"] = pd.Categorical([0, 1, 0, 1, 2, 1, 2, 2], ordered=True)
    for distr in ("logit", "probit"):
        arrays = OrderedModel(frame.stage, frame[["x", "late"]], distr=distr)
        formula = OrderedModel.from_formula("stage ~ x + late", frame, distr=distr)
        for model in (arrays, formula):
            answer = check_separation(model)
            assert answer.estimates == {"0|1": "finite", "1|2": "finite", "x": "finite", "late": "+inf"}
            assert verify(
                answer.certificate, frame[["x", "late"]].to_numpy(float), np.asarray(model.endog), exact=True
            )


def test_ordered_model_names_its_thresholds():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    frame["stage"] = pd.Categorical(list("lmlmhh"), categories=["l", "m", "h"], ordered=True)
    answer = check_separation(OrderedModel(frame.stage, frame[["x"]], distr="logit"))
    assert list(answer.estimates) == ["l|m", "m|h", "x"]
    assert answer.estimates == check_separation("stage ~ x", frame).estimates


def test_rows_that_statsmodels_dropped_are_named(data):
    data.loc[[3, 21], "PI"] = np.nan
    answer = check_separation(smf.logit("HG ~ NV + PI + EH", data))
    assert any("2 rows with missing values: 3, 21" in note for note in answer.model.notes)
    separated = answer.to_dict()["separated_rows"]
    assert 21 not in separated
    assert set(separated) < set(np.flatnonzero(data.NV == 1))


def test_other_models_of_statsmodels_are_refused(data):
    with pytest.raises(TypeError, match="OLS"):
        check_separation(smf.ols("HG ~ NV", data))
    with pytest.raises(ValueError, match="family Poisson"):
        check_separation(smf.glm("HG ~ NV", data, family=sm.families.Poisson()))
    with pytest.raises(ValueError, match="holds its data"):
        check_separation(smf.logit("HG ~ NV", data), data)


# -- formulas ---------------------------------------------------------------------------------------------


@pytest.fixture(params=["formulaic", "patsy"])
def engine(request, monkeypatch):
    if request.param == "patsy":
        monkeypatch.setitem(sys.modules, "formulaic", None)
    return request.param


def test_formulas_of_both_engines(data, engine):
    data["strong"] = np.where(data.PI > 20, "yes", "no")
    answer = check_separation("HG ~ NV + np.log(PI + 1) + C(strong)", data)
    infinite = {name: word for name, word in answer.estimates.items() if word != "finite"}
    assert infinite == {"NV": "+inf"}
    terms = {term.name: term for term in answer.model.terms}
    assert terms["C(strong)"].levels == ("yes",)
    assert terms["C(strong)"].reference == "no"


def test_an_outcome_that_is_an_expression(engine):
    data = published.murder_rates()
    answer = check_separation("I(executions > 0) ~ time + southern", data)
    assert answer.estimates["southern[T.yes]"] == "+inf"


def test_missing_values_are_refused_with_their_rows(data, engine):
    data.loc[[5, 40], "PI"] = np.nan
    with pytest.raises(ValueError, match=r"2 rows of the data have missing values: 5, 40"):
        check_separation("HG ~ NV + PI", data)
    data = published.endometrial().astype({"HG": float})
    data.loc[7, "HG"] = np.nan
    with pytest.raises(ValueError, match=r"A row of the data has missing values: 7"):
        check_separation("HG ~ NV + PI", data)


def test_all_other_columns_need_no_engine(data, monkeypatch):
    for name in ("formulaic", "patsy"):
        monkeypatch.setitem(sys.modules, name, None)
    data["side"] = np.where(data.PI > 20, "left", "right")
    answer = check_separation("HG ~ .", data)
    assert answer.estimates == {**ENDOMETRIAL, "side[T.right]": "finite"}
    with pytest.raises(ImportError, match="formulaic or patsy"):
        check_separation("HG ~ NV", data)
    data.loc[9, "side"] = None
    with pytest.raises(ValueError, match="missing values: 9"):
        check_separation("HG ~ .", data)


def test_names_of_columns_are_never_evaluated(data):
    data["__import__('os').abort()"] = data.PI
    assert check_separation("HG ~ .", data).estimates["NV"] == "+inf"


def test_frames_of_polars_and_dictionaries(data):
    assert check_separation("HG ~ NV + PI + EH", pl.from_pandas(data)).estimates == ENDOMETRIAL
    assert check_separation("HG ~ NV + PI + EH", data.to_dict("list")).estimates == ENDOMETRIAL


def test_columns_with_their_outcome(data):
    frame = check_separation(data[COLUMNS], data.HG)
    assert frame.estimates == ENDOMETRIAL
    array = check_separation(data[COLUMNS].to_numpy(), data.HG.to_numpy())
    assert list(array.estimates) == ["(intercept)", "x1", "x2", "x3"]


def test_an_ordered_category_is_an_ordinal_outcome():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    frame["stage"] = pd.Categorical(list("lmlmhh"), categories=["l", "m", "h"], ordered=True)
    answer = check_separation("stage ~ x", frame)
    assert list(answer.estimates) == ["l|m", "m|h", "x"]
    unordered = check_separation("stage ~ x", frame.assign(stage=frame.stage.cat.as_unordered()))
    assert list(unordered.estimates) == ["1: (intercept)", "2: (intercept)", "1: x", "2: x"]
    assert "0 is l, 1 is m, 2 is h" in unordered.model.notes[0]


def test_formulas_that_say_nothing_are_refused(data):
    for formula in ("HG", "~ NV", "HG ~"):
        with pytest.raises(ValueError, match="an outcome and terms"):
            check_separation(formula, data)
    with pytest.raises(ValueError, match="no column 'XY'"):
        check_separation("XY ~ .", data)
    with pytest.raises(ValueError, match="no columns beside"):
        check_separation("HG ~ 1", data)
    with pytest.raises(ValueError, match="needs data"):
        check_separation("HG ~ NV")
    with pytest.raises(TypeError, match="got int"):
        check_separation(7, data)


# -- scikit-learn -----------------------------------------------------------------------------------------


def encoding_pipeline():
    encoder = make_column_transformer(
        (OneHotEncoder(drop="first"), ["group"]), (StandardScaler(), ["x"]), remainder="passthrough"
    )
    return make_pipeline(encoder, LogisticRegression())


@pytest.mark.parametrize("fitted", [False, True])
def test_a_pipeline_with_encoders(groups, fitted):
    X, y = groups[["x", "group"]], (groups.outcome == 2).astype(int)
    model = encoding_pipeline()
    if fitted:
        model.fit(X, y)
    answer = check_separation(model, (X, y))
    infinite = {name: word for name, word in answer.estimates.items() if word != "finite"}
    assert infinite == {"onehotencoder__group_c": "-inf"}
    assert answer.causes.sets == (("group",),)
    assert {merge.levels for merge in answer.causes.merges} == {("b", "c"), ("c", "a")}
    assert any("penalty" in note for note in answer.model.notes)


def test_a_classifier_alone(data):
    pair = data[COLUMNS], data.HG
    assert check_separation(LogisticRegression(C=np.inf), pair).estimates == ENDOMETRIAL
    assert not check_separation(LogisticRegression(C=np.inf), pair).model.notes
    without = check_separation(LogisticRegression(C=np.inf, fit_intercept=False), pair)
    assert "(intercept)" not in without.estimates


def test_many_classes_of_scikit_learn_are_decided_jointly():
    X, y = load_iris(return_X_y=True, as_frame=True)
    answer = check_separation(LogisticRegressionCV(), (X, y))
    assert answer.verdict == separability(X, y, classes="joint").verdict == "quasi-separable"
    assert list(answer.estimates)[:2] == ["1: (intercept)", "2: (intercept)"]


@pytest.mark.parametrize("options", [{"drop": "if_binary"}, {"min_frequency": 45}, {"drop": "first"}])
def test_encoders_with_options(groups, options):
    X = groups.assign(half=np.where(groups.x > 0, "up", "down"))[["group", "half"]]
    y = (groups.outcome == 2).astype(int)
    model = make_pipeline(OneHotEncoder(**options), LogisticRegression())
    answer = check_separation(model, (X, y))
    columns = [column for term in answer.model.terms for column in term.columns]
    assert sorted(columns) == list(range(answer._question.plain.d))
    if "drop" in options:
        assert [term.name for term in answer.model.terms] == ["group", "half"]


def test_an_encoder_without_a_reference_is_aliased(groups):
    model = make_pipeline(OneHotEncoder(), LogisticRegression())
    answer = check_separation(model, (groups[["group"]], (groups.outcome == 2).astype(int)))
    assert answer.estimates["group_c"] == "aliased"
    assert any(remedy.name == "Drop aliased columns" for remedy in answer.remedies)


def test_what_scikit_learn_models_need(groups, data):
    with pytest.raises(ValueError, match="keeps no data"):
        check_separation(LogisticRegression())
    with pytest.raises(TypeError, match="LinearRegression"):
        check_separation(LinearRegression(), (data[COLUMNS], data.HG))
    with pytest.raises(ValueError, match="not numbers"):
        check_separation(LogisticRegression(), (groups[["group"]], groups.outcome))
    data.loc[2, "PI"] = np.nan
    with pytest.raises(ValueError, match="missing values: 2"):
        check_separation(LogisticRegression(), (data[COLUMNS], data.HG))


# -- the design is the model's own ------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    terms=st.sampled_from(["x + g", "x * g", "g + h", "0 + g", "x + C(k)", "x + np.sqrt(k)"]),
)
def test_the_verdict_is_that_of_the_columns_that_statsmodels_fits(seed, terms):
    """Random frames with categories: the same words as for the model's own exog, whichever way it is asked."""
    generator = np.random.default_rng(seed)
    n = int(generator.integers(6, 20))
    frame = pd.DataFrame(
        {
            "x": generator.integers(-2, 3, n),
            "g": generator.choice(list("abc"), n),
            "h": generator.choice(["u", "v"], n),
            "k": generator.integers(0, 3, n),
            "y": np.r_[0, 1, generator.integers(0, 2, n - 2)],
        }
    )
    model = smf.glm(f"y ~ {terms}", frame, family=BINOMIAL())
    exog = np.asarray(model.exog)
    ones = np.flatnonzero(np.all(exog == 1, axis=0))
    plain = np.delete(exog, ones[:1], axis=1)
    if not plain.shape[1]:
        return
    expected = separability(plain, frame.y, bias=bool(len(ones)))
    by_model, by_formula = check_separation(model), check_separation(f"y ~ {terms}", frame)
    assert by_model.verdict == by_formula.verdict == expected.verdict
    assert list(by_model.estimates.values()) == list(expected.estimates.values())
    if "aliased" not in expected.estimates.values():  # the engines order terms differently
        assert by_formula.estimates == by_model.estimates
    X, y = by_formula.design
    assert verify(by_formula.certificate, X, y, exact=True)
