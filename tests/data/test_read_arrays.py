"""npz files and IDX images.

Tests `data/arrays.py`, `data/read.py`, `data/formats.py`.
"""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx
from separatrix.checker.text import DataError


def idx(array: np.ndarray) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


def test_npz_dense_and_sparse(tmp_path):
    X, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.array(["a", "b", "a"])
    np.savez(tmp_path / "dense.npz", X=X, y=y)
    data = sx.read(tmp_path / "dense.npz")
    assert data.X.dtype == np.float32
    assert data.X.tolist() == X.tolist()
    assert data.y.tolist() == y.tolist()
    assert data.source.nonzeros == 6
    sparse.save_npz(tmp_path / "sparse.npz", sparse.csr_array(X))
    data = sx.read(tmp_path / "sparse.npz", dtype="float64")
    assert data.y is None
    assert data.X.dtype == np.float64
    assert data.X.toarray().tolist() == X.tolist()
    np.savez_compressed(tmp_path / "ints.npz", X=np.array([[1, 2]]), y=[1])
    assert sx.read(tmp_path / "ints.npz").X.dtype == np.float64


def test_npz_that_would_run_code_or_is_wrong(tmp_path):
    path = tmp_path / "bad.npz"
    np.savez(path, X=np.array([[{}]], dtype=object))
    with pytest.raises(DataError, match="cannot be read as npz"):
        sx.read(path)
    cases = {
        "holds a, b; expected X": {"a": [1], "b": [2]},
        "X must be a table of numbers": {"X": np.zeros(3)},
        "y must be one label for each of 2 rows": {"X": np.zeros((2, 2)), "y": [1, 2, 3]},
        "does not hold a sparse matrix": {"data": [1.0], "indices": [5], "indptr": [0, 1], "shape": [1, 2]},
        "format b'csc'": {"data": [1.0], "indices": [0], "indptr": [0, 1], "shape": [1, 2], "format": b"csc"},
    }
    for message, arrays in cases.items():
        np.savez(path, **arrays)
        with pytest.raises(DataError, match=message):
            sx.read(path)
    path.write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(DataError, match="cannot be read as npz"):
        sx.read(path)


def test_idx_images_and_their_labels(tmp_path):
    images = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    path = tmp_path / "train-images-idx3-ubyte"
    path.write_bytes(idx(images))
    assert sx.read(path).y is None
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(
        gzip.compress(idx(np.array([7, 2], dtype=np.uint8)))
    )
    data = sx.read(path)
    assert data.X.tolist() == images.reshape(2, 12).tolist()
    assert data.X.dtype == np.float32
    assert data.y.tolist() == [7, 2]
    packed = tmp_path / "train-images-idx3-ubyte.gz"
    packed.write_bytes(gzip.compress(idx(images)))
    assert sx.read(packed).y.tolist() == [7, 2]
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(np.array([7], dtype=np.uint8))))
    with pytest.raises(DataError, match="holds 1 labels"):
        sx.read(path)


def test_idx_that_is_cut_short_or_lies(tmp_path):
    whole = idx(np.zeros((2, 3), dtype=np.uint8))
    path = tmp_path / "images.idx"
    for bad in (whole[:-1], whole + b"x", whole[:6], b"\0\0\x08\x02" + b"\xff" * 8):
        path.write_bytes(bad)
        with pytest.raises(DataError, match=r"images\.idx (should hold|ends in its header)"):
            sx.read(path, format="idx")
    path.write_bytes(b"nonsense")
    with pytest.raises(DataError, match="is not an IDX file"):
        sx.read(path, format="idx")
