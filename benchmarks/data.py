"""Data sets as (X, y), read once from text and kept as .npz under benchmarks/.cache.

Values are rounded to float32 before anything is fitted, so that a library given float32 and one given
float64 solve exactly the same problem.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

CACHE = Path(__file__).parent / ".cache"
Data = tuple[Any, np.ndarray]


def folder() -> Path:
    """Return the folder of the LIBSVM files, which SEPARATRIX_DATA names; ends the benchmark where there is none."""
    found = os.environ.get("SEPARATRIX_DATA", "")
    if not found or not Path(found).is_dir():
        raise SystemExit("no data folder; set SEPARATRIX_DATA to one that holds the LIBSVM files (.bz2)")
    return Path(found)


def load(name: str) -> Data:
    """X (float64 with float32 values; C-contiguous, or CSR with int32 indices) and y of -1.0, +1.0."""
    path = CACHE / f"{name}.npz"
    if not path.exists():
        X, y = _MAKERS[name]()
        CACHE.mkdir(exist_ok=True)
        _save(path, X, y)
    with np.load(path) as stored:
        y = stored["y"]
        if "dense" in stored:
            return stored["dense"].astype(np.float64), y
        parts = (stored["data"].astype(np.float64), stored["indices"], stored["indptr"])
        return sparse.csr_matrix(parts, shape=tuple(stored["shape"])), y


def _save(path: Path, X: Any, y: np.ndarray) -> None:
    temporary = path.with_suffix(".part.npz")
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
        X.sum_duplicates()
        index = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        np.savez(
            temporary, data=X.data.astype(np.float32), indices=index[0], indptr=index[1], shape=X.shape, y=y
        )
    else:
        np.savez(temporary, dense=np.ascontiguousarray(X, dtype=np.float32), y=y)
    temporary.replace(path)


def read_libsvm(name: str) -> Data:
    """One file of the data folder as it is; labels untouched."""
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(str(folder() / f"{name}.bz2"))


def signs(y: np.ndarray, positive: Any) -> np.ndarray:
    """+1.0 where y is ``positive``, else -1.0."""
    return np.where(y == positive, 1.0, -1.0)


def _binary(name: str, *, dense: bool = False) -> Callable[[], Data]:
    def make() -> Data:
        X, y = read_libsvm(name)
        return (X.toarray() if dense else X), signs(y, y.max())

    return make


def _standardised(name: str) -> Callable[[], Data]:
    def make() -> Data:
        X, y = read_libsvm(name)
        X = X.toarray()
        spread = X.std(axis=0)
        return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), signs(y, y.max())

    return make


def _badly_scaled(name: str) -> Callable[[], Data]:
    """Columns multiplied by 10^-2 ... 10^2 in turn: the same information, far worse conditioning."""

    def make() -> Data:
        X, y = load(name)
        return X * 10.0 ** np.linspace(-2, 2, X.shape[1]), y

    return make


def _noisy_dense() -> Data:
    """100,000 x 50 normal rows; 20 % of the labels of a random hyperplane are flipped."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 50))
    y = np.where(X @ rng.standard_normal(50) >= 0, 1.0, -1.0)
    return X, np.where(rng.random(len(y)) < 0.2, -y, y)


def _square_dense() -> Data:
    """2,000 x 2,000 normal rows, 5 % of the labels flipped."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2_000, 2_000)) / np.sqrt(2_000)
    y = np.where(X @ rng.standard_normal(2_000) >= 0, 1.0, -1.0)
    return X, np.where(rng.random(len(y)) < 0.05, -y, y)


def _sparse_synthetic() -> Data:
    """20,000 x 100,000 rows of about 50 Zipf-distributed columns, unit length, 5 % of the labels flipped."""
    rng = np.random.default_rng(2)
    n, d, per_row = 20_000, 100_000, 50
    columns = np.minimum((d ** rng.random((n, per_row))).astype(np.int64), d - 1)
    rows = np.repeat(np.arange(n), per_row)
    X = sparse.csr_matrix((rng.random(n * per_row) + 0.5, (rows, columns.ravel())), shape=(n, d))
    X = sparse.diags_array(1.0 / np.sqrt(_row_norms2(X))) @ X
    y = np.where(X @ rng.standard_normal(d) >= 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < 0.05, -y, y)


def _row_norms2(X: Any) -> np.ndarray:
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


def _shuffled(name: str) -> Data:
    X, y = read_libsvm(name)
    order = np.random.default_rng(3).permutation(len(y))
    return sparse.csr_matrix(X)[order], y[order]


def _imdb_counts() -> Data:
    X, y = _shuffled("imdb")
    return X, signs(y, 1)


def _imdb_tfidf() -> Data:
    """log counts times inverse document frequency, rows of unit length."""
    X, y = _shuffled("imdb")
    X.data = 1.0 + np.log(X.data)
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    X = X @ sparse.diags_array(np.log((1 + X.shape[0]) / (1 + frequency)) + 1.0)
    return sparse.diags_array(1.0 / np.sqrt(_row_norms2(X))) @ X, signs(y, 1)


def _news20(topic: int) -> Callable[[], Data]:
    def make() -> Data:
        X, y = _shuffled("news20bydate")
        return X, signs(y, topic)

    return make


def images(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Training images (n, 784) in [0, 1] and their classes, of mnist or fashion-mnist."""
    with gzip.open(folder() / name / "train-images-idx3-ubyte.gz") as stream:
        X = np.frombuffer(stream.read(), dtype=np.uint8, offset=16).reshape(-1, 784) / 255.0
    with gzip.open(folder() / name / "train-labels-idx1-ubyte.gz") as stream:
        return X, np.frombuffer(stream.read(), dtype=np.uint8, offset=8)


def _mnist_3_8() -> Data:
    X, y = images("mnist")
    keep = (y == 3) | (y == 8)
    return X[keep], signs(y[keep], 8)


def _first_rows(name: str, count: int) -> Callable[[], Data]:
    def make() -> Data:
        X, y = load(name)
        return X[:count], y[:count]

    return make


_MAKERS: dict[str, Callable[[], Data]] = {
    "cod-rna": _binary("cod-rna_scaled", dense=True),
    "cod-rna badly scaled": _badly_scaled("cod-rna"),
    "dense 100k x 50 noisy": _noisy_dense,
    "kddcup04_bio": _binary("kddcup04_bio", dense=True),
    "kddcup04_bio standardised": _standardised("kddcup04_bio"),
    "a9a": _binary("a9a"),
    "a9a 5k rows": _first_rows("a9a", 5_000),
    "ijcnn1": _binary("ijcnn1"),
    "mnist 3 v 8": _mnist_3_8,
    "dense 2k x 2k": _square_dense,
    "sparse 20k x 100k": _sparse_synthetic,
    "imdb tf-idf": _imdb_tfidf,
    "imdb counts": _imdb_counts,
    "news20 class 1": _news20(1),
    "news20 class 8": _news20(8),
    "news20 class 16": _news20(16),
}
