"""The same certified solution as one machine, whatever holds the rows.

Tests `dask/svc.py`, `dask/estimator.py`, `dask/inputs.py`, `dask/partition.py`, `dask/descent.py`,
`dask/path.py`, `dask/shard_path.py`, `solvers/interior_point/collectives.py`.
"""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import separatrix as sx
from separatrix.dask import SVC, Perceptron
from separatrix.errors import ParameterError
from separatrix.fitting.convergence import GapWarning
from separatrix.proof.fingerprint import fingerprint

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def rows(n: int = 600, d: int = 6, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, classes)) + 0.7 * rng.standard_normal((n, classes))
    return X, np.array(["a", "b", "c"])[scores.argmax(axis=1)]


def agrees(model: Any, local: Any, X: Any, y: Any) -> None:
    """Both prove an interval that holds the optimum, and the certificate stands on the collected rows.

    Within a gap of 1e-3 a few rows close to the boundary may change sides.
    """
    assert model.status_ == "converged"
    assert model.gap_ <= model.tol
    rounding = 1e-14 * local.primal_  # both may be at the very optimum
    assert model.dual_ <= local.primal_ + rounding
    assert local.dual_ <= model.primal_ + rounding
    for exact in (False, None):
        verdict = sx.verify(model.certificate_, X, y, exact)
        assert verdict, verdict.reason
    assert np.mean(model.predict(X) == local.predict(X)) > (0.97 if model.tol >= 1e-3 else 0.995)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
def test_interior_point(client: Any, bias: str, loss: str) -> None:
    X, y = rows()
    A, b = da.from_array(X, chunks=(130, 6)), da.from_array(y, chunks=130)
    model = SVC(bias=bias, loss=loss, tol=1e-7, solver="interior-point", client=client).fit(A, b)
    agrees(model, sx.SVC(bias=bias, loss=loss, tol=1e-9).fit(X, y), X, y)
    assert model.certificate_.data.type == "float64"
    assert model.history_[-1].solver == "interior-point"


@pytest.mark.parametrize(
    ("bias", "loss"), [("free", "hinge"), ("augmented", "squared_hinge"), ("none", "hinge")]
)
def test_descent_in_rounds(client: Any, bias: str, loss: str) -> None:
    X, y = rows(300, 40)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.3, X, 0.0)
    parts = [dask.delayed(sparse.csr_array(X[a : a + 100].astype(np.float32))) for a in (0, 100, 200)]
    X = X.astype(np.float32)
    model = SVC(C=0.5, bias=bias, loss=loss, solver="coordinate-descent", random_state=0, client=client)
    model.fit(parts, y)
    agrees(model, sx.SVC(C=0.5, bias=bias, loss=loss).fit(X, y), X, y)
    assert model.certificate_.data.type == "float32"
    rounds = model.history_[:-2]
    assert all(
        record.bytes_sent > 0 and record.bytes_received > 0 and record.seconds > 0 for record in rounds
    )


def test_weights_and_rows_of_weight_zero(client: Any) -> None:
    X, y = rows()
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    A, b, w = (
        da.from_array(X, chunks=(200, 6)),
        da.from_array(y, chunks=200),
        da.from_array(weights, chunks=150),
    )
    model = SVC(class_weight="balanced", client=client).fit(A, b, sample_weight=w)
    local = sx.SVC(class_weight="balanced").fit(X, y, sample_weight=weights)
    agrees(model, local, X, y)
    assert not model.alpha_[weights == 0].any()


def test_many_classes(client: Any) -> None:
    X, y = rows(classes=3)
    A, b = da.from_array(X, chunks=(250, 6)), da.from_array(y, chunks=250)
    for scheme in ("ovr", "ovo"):
        model = SVC(multi_class=scheme, client=client).fit(A, b)
        local = sx.SVC(multi_class=scheme).fit(X, y)
        assert model.status_ == "converged"
        assert list(model.certificate_) == list(local.certificate_)
        assert all(sx.verify(proof, X, y, exact=False) for proof in model.certificate_.values())
        assert model.coef_.shape == local.coef_.shape
        assert np.mean(model.predict(A).compute() == local.predict(X)) > 0.98
        assert model.decision_function(A).compute().shape == (600, 3)


def test_the_fingerprint_does_not_depend_on_the_partitions(client: Any) -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((9000, 2)).astype(np.float32)
    y = np.where(X[:, 0] > 0, 1, -1)
    A = da.from_array(X, chunks=((100, 4100, 500, 4300), 2))
    model = SVC(tol=1e-2, client=client).fit(A, y)
    mark = fingerprint(X, y)
    assert (model.certificate_.data.X, model.certificate_.data.y) == (mark.X, mark.y)


def test_one_certificate_passes_the_exact_check(client: Any) -> None:
    X, y = rows(120, 3)
    model = SVC(client=client).fit(da.from_array(X, chunks=(50, 3)), y)
    assert sx.verify(model.certificate_, X, y, exact=True)
    changed = X.copy()
    changed[60, 1] += 1e-9
    assert not sx.verify(model.certificate_, changed, y)


def test_kinds_of_input(client: Any, tmp_path: Any) -> None:
    pandas = pytest.importorskip("pandas")
    dataframe = pytest.importorskip("dask.dataframe")
    X, y = rows(300, 4)
    local = sx.SVC().fit(X, y)
    frame = pandas.DataFrame(X, columns=list("pqrs"))
    table = dataframe.from_pandas(frame.assign(label=y), npartitions=3)
    model = SVC(client=client).fit(table[list("pqrs")], table["label"])
    agrees(model, sx.SVC().fit(frame, y), frame, y)
    predicted = model.predict(table[list("pqrs")])
    assert isinstance(predicted, dataframe.Series)
    assert (predicted.compute().to_numpy() == model.predict(frame)).all()

    A = da.from_array(X, chunks=(100, 4))
    unknown = A[da.from_array(np.ones(300, dtype=bool), chunks=100)]
    assert np.isnan(unknown.chunks[0][0])
    model = SVC(client=client).fit(unknown, y)
    agrees(model, local, X, y)
    assert isinstance(model.predict(A), da.Array)

    futures = client.scatter([X[:150], X[150:]])
    model = SVC(client=client).fit(futures, [dask.delayed(y[:150]), dask.delayed(y[150:])])
    agrees(model, local, X, y)
    assert len(model.predict(futures)) == 2

    paths = []
    for part, span in enumerate((slice(0, 170), slice(170, 300))):
        path = tmp_path / f"part{part}.csv"
        frame[span].assign(label=y[span]).to_csv(path, index=False)
        paths.append(str(path))
    agrees(SVC(client=client).fit(paths), local, X, y)


def test_what_is_refused(client: Any) -> None:
    X, y = rows(40, 4)
    with pytest.raises(ValueError, match=r"X\.rechunk\(\{1: -1\}\)"):
        SVC(client=client).fit(da.from_array(X, chunks=(20, 2)), y)
    with pytest.raises(TypeError, match=r"separatrix\.SVC"):
        SVC(client=client).fit(X, y)
    with pytest.raises(ParameterError, match="linear"):
        SVC(kernel="rbf", client=client).fit(da.from_array(X, chunks=(20, 4)), y)
    with pytest.raises(ValueError, match="two classes"):
        SVC(client=client).fit(da.from_array(X, chunks=(20, 4)), np.ones(40))
    bad = X.copy()
    bad[30, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SVC(client=client).fit(da.from_array(bad, chunks=(20, 4)), y)


def test_the_model_works_without_dask(client: Any) -> None:
    X, y = rows(200, 4)
    model = SVC(client=client).fit(da.from_array(X, chunks=(60, 4)), y)
    plain = model.to_local()
    assert type(plain) is sx.SVC
    assert (plain.predict(X) == model.predict(X)).all()
    assert isinstance(model.coef_, np.ndarray)
    with pytest.raises(AttributeError, match="support_"):
        _ = plain.support_vectors_


@pytest.mark.parametrize("kind", [SVC, Perceptron])
def test_a_clone_is_on_the_same_cluster(client: Any, kind: Any) -> None:
    X = rows(80, 4)[0]
    model = kind(client=client, max_time=100.0)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    twin.set_params(max_time=50.0).fit(da.from_array(X, chunks=(40, 4)), np.where(X[:, 0] > 0, "a", "b"))
    assert not hasattr(model, "coef_")
    assert not hasattr(clone(twin), "coef_")
    assert copy.deepcopy(twin).client is None  # a copy that may travel leaves the connection behind


def test_limits_keep_the_best_iterate(client: Any) -> None:
    X, y = rows(200, 30)
    with pytest.warns(GapWarning):
        model = SVC(max_iter=2, solver="coordinate-descent", client=client).fit(
            da.from_array(X, chunks=(60, 30)), y
        )
    assert model.status_ == "max_iter"
    assert sx.verify(model.certificate_, X, y, exact=False)


def test_asynchronous_client(client: Any) -> None:
    X, y = rows(120, 4)

    async def train() -> Any:
        async with type(client)(client.scheduler.address, asynchronous=True, set_as_default=False) as other:
            return await SVC(client=other).fit(da.from_array(X, chunks=(60, 4)), y)

    model = asyncio.run(train())
    assert sx.verify(model.certificate_, X, y, exact=False)


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
def test_a_cluster_ends_in_the_corner_of_one_machine(client: Any, bias: str) -> None:
    X, y = rows(900, 8)
    weights = np.random.default_rng(4).integers(1, 4, len(y)).astype(float)
    settings = {"bias": bias, "tol": 1e-6, "solver": "interior-point"}
    local = sx.SVC(**settings).fit(X, y, sample_weight=weights)
    model = SVC(client=client, **settings).fit(da.from_array(X, chunks=(130, 8)), y, sample_weight=weights)
    assert model.gap_ <= 1e-13
    assert model.coef_ == pytest.approx(local.coef_, rel=1e-9, abs=1e-11)
    assert model.decision_function(X) == pytest.approx(local.decision_function(X), rel=1e-8, abs=1e-9)


def test_scaling_is_explained():
    with pytest.raises(
        TypeError, match=r"SVC has no parameter 'scaling'.*scale the collection before the fit"
    ):
        SVC(scaling="standard")  # type: ignore[call-arg]
