"""The switch that checks every statsmodels fit first, and leaves nothing behind.

Tests `separation/warning.py`.
"""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import published
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.discrete.discrete_model import Logit, MNLogit, Probit
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.miscmodels.ordinal_model import OrderedModel

from separatrix import warn_on_separation
from separatrix.separation import SeparationWarning

KINDS = (Logit, Probit, MNLogit, GLM, OrderedModel)


def own_fits():
    return [vars(kind).get("fit") for kind in KINDS]


def said(fit) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return [str(each.message) for each in caught if each.category is SeparationWarning]


def test_a_separated_fit_warns_and_is_made_all_the_same():
    data = published.endometrial()
    model = smf.glm("HG ~ NV + PI + EH", data, family=sm.families.Binomial())
    plain = model.fit(maxiter=6).params
    with warn_on_separation():
        with pytest.warns(
            SeparationWarning, match="Quasi-complete separation: the estimates of NV are infinite"
        ):
            fit = model.fit(maxiter=6)
        np.testing.assert_array_equal(fit.params, plain)
    assert said(lambda: model.fit(maxiter=6)) == []


def test_nothing_is_said_of_overlap_or_of_other_families():
    data = published.endometrial()
    with warn_on_separation():
        assert said(smf.logit("HG ~ PI + EH", data).fit) == []
        assert said(smf.glm("PI ~ EH", data, family=sm.families.Poisson()).fit) == []


def test_every_kind_of_model_warns():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]), np.array([0, 0, 1, 1, 2, 2])
    binary = sm.add_constant(X), (y > 0).astype(int)
    with warn_on_separation():
        for fit in (
            lambda: sm.Probit(binary[1], binary[0]).fit(disp=0, maxiter=2),
            lambda: sm.Logit(binary[1], binary[0]).fit(disp=0, maxiter=2),
            lambda: sm.MNLogit(y, binary[0]).fit(disp=0, maxiter=2),
            lambda: OrderedModel(y, X, distr="logit").fit(disp=0, method="bfgs", maxiter=2),
        ):
            assert len(said(lambda fit=fit: suppressed(fit))) == 1


def suppressed(fit):
    """The fit, which may fail as it likes: it is cut short, and the data are separated."""
    with contextlib.suppress(np.linalg.LinAlgError, ValueError):
        fit()


def test_the_classes_are_as_before_whatever_happens():
    before = own_fits()
    with contextlib.suppress(RuntimeError), warn_on_separation():
        assert own_fits() != before
        raise RuntimeError
    assert own_fits() == before
    outer, inner = warn_on_separation(), warn_on_separation()
    outer.start()
    inner.start()
    inner.start()
    outer.stop()
    assert own_fits() != before
    inner.stop()
    inner.stop()
    assert own_fits() == before
