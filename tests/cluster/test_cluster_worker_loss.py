"""Workers that die or freeze: the fit ends with the gap that was asked for, or with a sentence; it never hangs."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

import dask.array as da
import numpy as np
import pytest

import separatrix as sx
from separatrix.dask import SVC, WorkerFailureError
from separatrix.dask.cluster import WorkerGroup

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def strike(monkeypatch: pytest.MonkeyPatch, client: Any, moment: int, kind: signal.Signals) -> int:
    """Send a signal to one worker when the shards are asked for the ``moment``-th time; its process id."""
    victim = int(next(iter(client.run(os.getpid).values())))
    plain, asked = WorkerGroup.each, [0]

    def each(self: WorkerGroup, *args: Any, **kwargs: Any) -> Any:
        asked[0] += 1
        if asked[0] == moment:
            os.kill(victim, kind)
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(WorkerGroup, "each", each)
    return victim


@pytest.fixture
def data() -> tuple[Any, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 5))
    y = np.where(X @ rng.standard_normal(5) + 0.5 * rng.standard_normal(400) > 0, 1, -1)
    return da.from_array(X, chunks=(100, 5)), X, y


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("solver", "kind", "moment"),
    [("coordinate-descent", signal.SIGKILL, 12), ("interior-point", signal.SIGSTOP, 20)],
)
def test_a_lost_worker_is_replaced(
    client: Any, data: Any, monkeypatch: pytest.MonkeyPatch, solver: str, kind: signal.Signals, moment: int
) -> None:
    A, X, y = data
    client.wait_for_workers(2, timeout=100)
    victim = strike(monkeypatch, client, moment, kind)
    try:
        model = SVC(solver=solver, worker_timeout=5.0, client=client).fit(A, y)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGCONT)
    assert model.status_ == "converged"
    assert model.n_worker_failures_ >= 1
    assert sx.verify(model.certificate_, X, y, exact=False)
    assert any("rebuilt" in record.note for record in model.history_)


@pytest.mark.timeout(120)
def test_more_failures_than_allowed_are_an_error(
    client: Any, data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    A, _, y = data
    client.wait_for_workers(1, timeout=60)
    strike(monkeypatch, client, 5, signal.SIGKILL)
    with pytest.raises(WorkerFailureError, match="max_worker_failures=0"):
        SVC(max_worker_failures=0, worker_timeout=5.0, client=client).fit(A, y)
