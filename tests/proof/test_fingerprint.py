"""Fingerprints: one for the same numbers however they are held, another after any change."""

import hashlib
import struct

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from separatrix.checker import fingerprint as plain
from separatrix.proof.arrays import ArrayRows, read_rows
from separatrix.proof.fingerprint import fingerprint, fingerprint_rows, read_labels


def matrix(density, n=5000, d=7):
    rng = np.random.default_rng(int(100 * density))
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    return X * (rng.random((n, d)) < density)


def with_explicit_zeros(X):
    rows, columns = np.indices(X.shape).reshape(2, -1)
    return sparse.csr_array((X.ravel(), (rows, columns)), shape=X.shape)


def with_duplicates(X):
    half = sparse.coo_array(X / 2)
    rows, columns = np.tile(half.coords[0], 2), np.tile(half.coords[1], 2)
    return sparse.coo_array((np.tile(half.data, 2), (rows, columns)), shape=X.shape)


def wide_indices(X):
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


FORMS = {
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "big-endian": lambda X: X.astype(">f8"),
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "negative zeros": lambda X: np.where(X == 0, -0.0, X),
    "csr": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
    "csr float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "csc": sparse.csc_array,
    "int64 indices": wide_indices,
    "explicit zeros": with_explicit_zeros,
    "duplicates": with_duplicates,
    "frame": pd.DataFrame,
}


@pytest.mark.parametrize("density", [0.1, 0.34, 1.0], ids=["sparse", "mixed", "dense"])
@pytest.mark.parametrize("form", FORMS)
def test_every_way_of_holding_the_same_numbers_has_one_fingerprint(form, density):
    X = matrix(density)
    assert fingerprint_rows(read_rows(FORMS[form](X))) == fingerprint_rows(X)


def test_a_memory_map_has_the_fingerprint_of_its_array(tmp_path):
    X = matrix(1.0)
    np.save(tmp_path / "X.npy", X)
    assert fingerprint_rows(np.load(tmp_path / "X.npy", mmap_mode="r")) == fingerprint_rows(X)


@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
def test_the_standard_library_computes_the_same_fingerprint(density):
    X = matrix(density, n=4200, d=3)
    y = np.where(X[:, 0] > 0, "a", "b")
    one, labels = fingerprint(X, y), read_labels(y)
    for form in (X, sparse.csr_array(X)):
        assert plain.fingerprint_rows(ArrayRows(form)) == one.X
    assert plain.fingerprint_labels("text", labels.classes, labels.codes.tolist()) == one.y


def test_any_change_of_the_data_changes_the_fingerprint():
    X, seen = matrix(0.5, n=30, d=4), set()
    changed = X.copy()
    changed[3, 2] = np.nextafter(changed[3, 2], 9)
    moved = X.copy()
    moved[[0, 1]] = moved[[1, 0]]
    for form in (X, changed, moved, X[:-1], X[:, :-1], X.reshape(60, 2), np.hstack([X, np.zeros((30, 1))])):
        seen.add(fingerprint_rows(form))
    assert len(seen) == 7


def test_the_digest_is_that_of_the_documented_bytes():
    # One dense block of one row, one sparse block: written out by hand from docs/certificate-format.md.
    block = hashlib.sha256(b"D" + struct.pack("<dd", 1.0, 2.0)).digest()
    expected = hashlib.sha256(b"separatrix X 1\n" + struct.pack("<QQ", 1, 2) + block).hexdigest()
    assert fingerprint_rows(np.array([[1.0, 2.0]])) == expected
    block = hashlib.sha256(b"S" + struct.pack("<III", 0, 1, 2) + struct.pack("<d", 5.0)).digest()
    expected = hashlib.sha256(b"separatrix X 1\n" + struct.pack("<QQ", 2, 4) + block).hexdigest()
    assert fingerprint_rows(np.array([[0.0, 0, 0, 0], [0, 0, 5.0, 0]])) == expected
    text = b"separatrix y 1\nnumber\n" + struct.pack("<QQ", 2, 3) + struct.pack("<Q", 2) + b"-1"
    text += struct.pack("<Q", 1) + b"1" + struct.pack("<III", 0, 1, 0)
    assert fingerprint(np.zeros((3, 1)), [-1, 1.0, -1]).y == hashlib.sha256(text).hexdigest()


@pytest.mark.parametrize(
    "y",
    [
        np.array([1, 0, 1]),
        np.array([1.0, 0.0, 1.0], dtype=np.float32),
        np.array([True, False, True]),
        [1, 0, 1],
        np.array([1, 0, 1], dtype=object),
        pd.Series([1, 0, 1]),
        np.array([[1], [0], [1]], dtype=np.uint8),
    ],
)
def test_labels_of_any_numeric_type_agree(y):
    assert fingerprint(np.zeros((3, 1)), y).y == fingerprint(np.zeros((3, 1)), [1, 0, 1]).y


def test_labels_of_any_text_type_agree_and_differ_from_numbers():
    X = np.zeros((3, 1))
    texts = [
        np.array(["1", "0", "1"]),
        np.array([b"1", b"0", b"1"]),
        pd.Series(["1", "0", "1"]),
        pd.Series(["1", "0", "1"], dtype="category"),
    ]
    assert len({fingerprint(X, y).y for y in texts}) == 1
    assert fingerprint(X, texts[0]).y != fingerprint(X, [1, 0, 1]).y


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([1, "a"], dtype=object), "both"),
        (np.array([None, "a"], dtype=object), "float64 holds, or texts"),
        (np.array([np.nan, 1.0]), "finite"),
        (np.zeros((2, 2)), "one dimension"),
    ],
)
def test_unusable_labels_get_a_sentence(y, message):
    with pytest.raises(ValueError, match=message):
        read_labels(y)
