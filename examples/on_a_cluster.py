"""Train where the partitions are, and check the certificate on the collected rows."""

from __future__ import annotations

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import separatrix as sx
from separatrix.dask import SVC


def main() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((5000, 10))
        y = np.where(X @ rng.standard_normal(10) + 0.5 * rng.standard_normal(5000) > 0, "up", "down")
        rows = da.from_array(X, chunks=(1250, 10))

        model = SVC(C=1.0, tol=1e-6).fit(rows, y)
        sent = sum(record.bytes_sent + record.bytes_received for record in model.history_)
        print(
            f"{model.status_}: gap {model.gap_:.1e} after {model.n_iter_} iterations, {sent / 1e6:.1f} MB sent"
        )
        print("lazy predictions:", model.predict(rows))
    # The cluster is gone; the model and its proof remain.
    print(sx.verify(model.certificate_, X, y).reason)


if __name__ == "__main__":
    main()
