"""Sets that no number of a solver was tuned on, for `benchmarks.ablation`."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from benchmarks.data import Data, folder, images, read_libsvm, signs


def _sms(vectorizer: Any) -> Callable[[], Data]:
    def make() -> Data:
        with gzip.open(folder() / "SMSSpamCollection.tsv.gz", "rt") as stream:
            kinds, texts = zip(*(line.rstrip("\n").split("\t", 1) for line in stream), strict=True)
        return sparse.csr_matrix(vectorizer.fit_transform(texts), dtype=float), signs(np.array(kinds), "spam")

    return make


def _standardised(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _spambase() -> Data:
    with gzip.open(folder() / "spambase.csv.gz", "rt") as stream:
        table = np.loadtxt(stream, delimiter=",")
    return _standardised(table[:, :-1]), signs(table[:, -1], 1)


def _adult() -> Data:
    """Categories one-hot, numbers as they are in units of their deviation: sparse, 14 entries a row."""
    with gzip.open(folder() / "adult.data.csv.gz", "rt") as stream:
        rows = [[cell.strip() for cell in line.split(",")] for line in stream if line.count(",") == 14][1:]
    blocks = []
    for column in list(zip(*rows, strict=True))[:-1]:
        if column[0].isdigit():
            values = np.array(column, dtype=float)
            blocks.append(sparse.csr_matrix(values[:, np.newaxis] / values.std()))
        else:
            names, codes = np.unique(column, return_inverse=True)
            ones = np.ones(len(codes)), (np.arange(len(codes)), codes)
            blocks.append(sparse.csr_matrix(ones, shape=(len(codes), len(names))))
    return sparse.csr_matrix(sparse.hstack(blocks)), signs(np.array([row[-1] for row in rows]), ">50K")


def _libsvm(name: str, positive: Callable[[np.ndarray], np.ndarray]) -> Callable[[], Data]:
    def make() -> Data:
        X, y = read_libsvm(name)
        return _standardised(X.toarray()), np.where(positive(y), 1.0, -1.0)

    return make


def _phishing() -> Data:
    """One-hot columns as they are given: a third of the rows are different."""
    X, y = read_libsvm("phishing")
    return X, signs(y, 1)


def _digits() -> Data:
    X, y = load_digits(return_X_y=True)
    return X / 16.0, signs(y % 2, 1)


def _wdbc() -> Data:
    X, y = load_breast_cancer(return_X_y=True)
    return _standardised(X), signs(y, 1)


def _fashion(first: int, second: int) -> Callable[[], Data]:
    def make() -> Data:
        X, y = images("fashion-mnist")
        keep = (y == first) | (y == second)
        return np.ascontiguousarray(X[keep][:6000]), signs(y[keep][:6000], second)

    return make


def _random_sparse(n: int, d: int, entries: int, noise: float, seed: int) -> Callable[[], Data]:
    """Rows of so many exponential values in columns drawn by a power law; labels of a hyperplane, some flipped."""

    def make() -> Data:
        rng = np.random.default_rng(seed)
        columns = (d * rng.random((n, entries)) ** 2.5).astype(np.int64)
        where = np.repeat(np.arange(n), entries), columns.ravel()
        X = sparse.csr_matrix((rng.exponential(size=n * entries), where), shape=(n, d))
        y = np.where(X @ rng.standard_normal(d) >= 0, 1.0, -1.0)
        return X, np.where(rng.random(n) < noise, -y, y)

    return make


def _made(n: int, d: int, flip: float, seed: int) -> Callable[[], Data]:
    def make() -> Data:
        X, y = make_classification(n, d, n_informative=min(d, 15), flip_y=flip, random_state=seed)
        return X, signs(y, 1)

    return make


SETS: dict[str, Callable[[], Data]] = {
    "sms tf-idf": _sms(TfidfVectorizer()),
    "sms counts": _sms(CountVectorizer()),
    "sms letters": _sms(TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)),
    "spambase": _spambase,
    "adult": _adult,
    "letter": _libsvm("letter", lambda y: y > 13),
    "svmguide1": _libsvm("svmguide1", lambda y: y > 0),
    "splice": _libsvm("splice_scale", lambda y: y > 0),
    "diabetes": _libsvm("diabetes_scale", lambda y: y > 0),
    "kddcup04_bio": _libsvm("kddcup04_bio", lambda y: y > 0),
    "phishing": _phishing,
    "digits": _digits,
    "wdbc": _wdbc,
    "fashion 0 v 6": _fashion(0, 6),
    "fashion 5 v 9": _fashion(5, 9),
    "sparse 4k x 55k": _random_sparse(4_000, 55_000, 80, 0.02, 1),
    "sparse 50k x 300": _random_sparse(50_000, 300, 12, 0.1, 2),
    "sparse 15k x 3k": _random_sparse(15_000, 3_000, 40, 0.05, 3),
    "sparse 30k x 20k": _random_sparse(30_000, 20_000, 150, 0.02, 12),  # 54 MB: no cache has it
    "dense 3k x 400": _made(3_000, 400, 0.02, 4),
    "dense 20k x 20": _made(20_000, 20, 0.1, 5),
}


def _digit_classes() -> Data:
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


def _letters() -> Data:
    X, y = read_libsvm("letter")
    return _standardised(X.toarray())[:4000], y[:4000]


def _fashion_classes() -> Data:
    X, y = images("fashion-mnist")
    return np.ascontiguousarray(X[:1500]), y[:1500]


def _made_classes(n: int, d: int, k: int, seed: int) -> Callable[[], Data]:
    def make() -> Data:
        return make_classification(
            n, d, n_informative=min(d, 10), n_classes=k, flip_y=0.05, random_state=seed
        )

    return make


def _sparse_classes() -> Data:
    rng = np.random.default_rng(7)
    X, _ = _random_sparse(4_000, 2_000, 30, 0.0, 7)()
    return X, np.argmax(X @ rng.standard_normal((2_000, 5)) + rng.standard_normal((4_000, 5)), axis=1)


#: Sets of several classes: X and the number of each row's class.
CLASS_SETS: dict[str, Callable[[], Data]] = {
    "digits": _digit_classes,
    "letter": _letters,
    "fashion": _fashion_classes,
    "made 3": _made_classes(3_000, 30, 3, 1),
    "made 6": _made_classes(1_500, 60, 6, 2),
    "sparse 5": _sparse_classes,
}
