"""A local cluster for the tests of a module: three worker processes of one thread each.

It ends with the module: its threads draw from `random`, which Hypothesis watches in other tests.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def client() -> Iterator[object]:
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the cluster's own start: ports, resources
        cluster = distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        )
        with cluster, distributed.Client(cluster) as client:
            yield client
