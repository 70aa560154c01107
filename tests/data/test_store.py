"""The store: what convert writes, read opens; whole or not at all; data that lie in files are not copied.

Tests `data/convert.py`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx
from benchmarks.larger_than_memory import write_store
from separatrix.checker.text import DataError
from separatrix.data.store import check_store
from separatrix.problem import is_mapped

TEXT = "+1 1:0.5 3:2\n-1 2:1 # comment\n+1\n"


def same(one, other) -> bool:
    if sparse.issparse(one):
        return one.shape == other.shape and all(
            np.array_equal(getattr(one, part), getattr(other, part)) for part in ("data", "indices", "indptr")
        )
    return np.array_equal(one, other)


@pytest.fixture
def text(tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for i in range(2000):
        columns = np.unique(rng.integers(0 if i == 1500 else 1, 300, 12))
        lines.append(f"{['a', 'b', 'c'][i % 3]} " + " ".join(f"{c}:{rng.normal():.6g}" for c in columns))
    path = tmp_path / "data.svm"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_store_holds_what_the_file_holds(text, tmp_path):
    data, store = sx.read(text), sx.convert(text, tmp_path / "store")
    assert same(data.X, store.X)
    assert data.X.has_canonical_format
    assert data.y.tolist() == store.y.tolist()
    assert data.encoding == store.encoding
    assert store.source.format == "store"
    assert is_mapped(store.X)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.svm", "store"]
    check_store(str(tmp_path / "store"))
    assert same(sx.read(tmp_path / "store").X, data.X)


def test_zero_based_wide_and_queries(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 qid:1 0:1 5:2\n2 qid:2 3000000000:3\n")
    store, data = sx.convert(path, tmp_path / "wide"), sx.read(path)
    assert same(store.X, data.X)
    assert store.X.indices.dtype == np.int64
    assert store.qid.tolist() == [1, 2]
    path.write_text("0:1 5:2\n2:3\n")
    store = sx.convert(path, tmp_path / "zero", dtype="float32")
    assert store.X.toarray().tolist() == [[1, 0, 0, 0, 0, 2], [0, 0, 3, 0, 0, 0]]
    assert store.X.dtype == np.float32
    assert store.y is None
    path.write_text("")
    assert sx.convert(path, tmp_path / "none").X.shape == (0, 0)


def test_tables_and_arrays(tmp_path):
    (tmp_path / "a.csv").write_text("x,city,label\n1,Bern,yes\n2,Oslo,no\n")
    store = sx.convert(tmp_path / "a.csv", tmp_path / "table")
    assert store.X.tolist() == [[1, 1, 0], [2, 0, 1]]
    assert store.column_names == ["x", "city=Bern", "city=Oslo"]
    assert store.y.tolist() == ["yes", "no"]
    np.savez(tmp_path / "a.npz", X=np.eye(3, dtype=np.float32), y=[1, 2, 3])
    store = sx.convert(tmp_path / "a.npz", tmp_path / "dense")
    assert store.X.dtype == np.float32
    assert is_mapped(store.X)
    again = sx.convert(tmp_path / "dense", tmp_path / "copy")
    assert same(again.X, store.X)


def test_an_existing_store_is_kept_unless_told(text, tmp_path):
    sx.convert(text, tmp_path / "store")
    (tmp_path / "b.svm").write_text(TEXT)
    with pytest.raises(DataError, match="exists already"):
        sx.convert(tmp_path / "b.svm", tmp_path / "store")
    assert len(sx.read(tmp_path / "store").y) == 2000
    assert len(sx.convert(tmp_path / "b.svm", tmp_path / "store", overwrite=True).y) == 3
    (tmp_path / "bad.svm").write_text("1 1:x\n")
    with pytest.raises(DataError, match="line 1, column 5"):
        sx.convert(tmp_path / "bad.svm", tmp_path / "store", overwrite=True)
    assert len(sx.read(tmp_path / "store").y) == 3
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_store_that_was_tampered_with(text, tmp_path):
    sx.convert(text, tmp_path / "store")
    header = json.loads((tmp_path / "store" / "header.json").read_text())

    def with_array(name: str, change) -> str:
        path = tmp_path / "store" / f"{name}.npy"
        before = path.read_bytes()
        array = np.load(path)
        change(array)
        np.save(path, array)
        path.write_bytes(path.read_bytes()[: len(before)])
        with pytest.raises(DataError) as caught:
            check_store(str(tmp_path / "store"))
        assert "SHA-256 differs" in str(caught.value)
        try:
            sx.read(tmp_path / "store")
        except DataError as error:
            return str(error)
        finally:
            path.write_bytes(before)
        return ""

    assert "outside 0 to" in with_array("indices", lambda a: a.__setitem__(5, 10**6))
    assert "outside 0 to" in with_array("indices", lambda a: a.__setitem__(5, -1))
    assert "not sorted" in with_array("indices", lambda a: a.__setitem__(5, a[4]))
    assert "falls after row" in with_array("indptr", lambda a: a.__setitem__(5, 10**5))
    assert "do not fit" in with_array("indptr", lambda a: a.__setitem__(-1, 3))
    assert with_array("data", lambda a: a.__setitem__(5, 3.5)) == ""  # only the checksum tells
    for change in (
        {"rows": 7},
        {"layout": "dense"},
        {"version": 9},
        {"format": "x"},
        {"columns": 3},
        {"files": {}},
    ):
        (tmp_path / "store" / "header.json").write_text(json.dumps(header | change))
        with pytest.raises(DataError):
            sx.read(tmp_path / "store")
    (tmp_path / "store" / "header.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match="not JSON"):
        sx.read(tmp_path / "store")
    with pytest.raises(DataError, match="not a store"):
        sx.read(tmp_path)


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_learning_from_a_mapped_file_is_learning_from_memory(tmp_path, layout, dtype):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 12)).astype(dtype)
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=400) > 0, "up", "down")
    if layout == "csr":
        X = sparse.csr_array(np.where(np.abs(X) > 1, X, 0))
        np.savez(tmp_path / "a.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    else:
        np.savez(tmp_path / "a.npz", X=X, y=y)
    store = sx.convert(tmp_path / "a.npz", tmp_path / "store")
    assert is_mapped(store.X)
    for solver in ("auto", "coordinate-descent", "interior-point"):
        mapped = sx.SVC(tol=1e-6, solver=solver).fit(store.X, store.y)
        memory = sx.SVC(tol=1e-6, solver=solver).fit(X, y)
        assert mapped.primal_ == pytest.approx(memory.primal_, rel=2e-6)
        assert sx.verify(mapped.certificate_, X, y, exact=False)  # the same numbers, wherever they lie
        assert mapped.certificate_.data.X == memory.certificate_.data.X
    model = sx.Perceptron(max_epochs=20).fit(store.X, store.y)
    assert np.array_equal(model.coef_, sx.Perceptron(max_epochs=20).fit(X, y).coef_)
    assert sx.separability(store.X, store.y).verdict == sx.separability(X, y).verdict


MEASURE = """
import re, sys, threading, time
import numpy as np
import separatrix as sx

def anonymous():
    with open("/proc/self/status") as status:
        return int(re.search(r"RssAnon:\\s+(\\d+)", status.read()).group(1)) * 1024

small = np.random.default_rng(0).normal(size=(500, 20)).astype(np.float32)
sides = (small[:, 0] > 0).astype(int)
sx.verify(sx.SVC(n_threads=1).fit(small, sides).certificate_, small, sides)
sx.Perceptron(n_threads=1).fit(small, sides)
data = sx.read(sys.argv[1])
base, peak, ended = anonymous(), [0], threading.Event()

def watch():
    while not ended.wait(0.001):
        peak[0] = max(peak[0], anonymous())

watcher = threading.Thread(target=watch)
watcher.start()
model = sx.SVC(C=1e-3, tol=1e-2, n_threads=1) if sys.argv[2] == "svc" else sx.Perceptron(n_threads=1)
model.fit(data.X, data.y)
assert sx.verify(model.certificate_, data.X, data.y), "not proved"
ended.set()
watcher.join()
print((peak[0] - base) / (128 << 20))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
@pytest.mark.parametrize(("what", "kind"), [("svc", "dense float64"), ("perceptron", "csr float32")])
def test_memory_beside_a_mapped_file_is_a_part_of_it(tmp_path, what, kind):
    # Blocks of rows take some 40 MB whatever the file: it must be large enough for a copy of it to stand out.
    write_store(tmp_path / "store", kind, 128 << 20, separable=what == "perceptron")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "store"), what],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.5


def test_a_killed_conversion_leaves_no_store(tmp_path):
    rng = random.Random(0)
    (tmp_path / "data.svm").write_text("".join(f"{i % 2} 1:{i} 5:0.5 9:{i}.25\n" for i in range(60_000)))
    code = "import sys, separatrix as sx; print('go', flush=True); sx.convert(*sys.argv[1:])"
    target = tmp_path / "store"
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "data.svm"), str(target)], stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"go\n"
        time.sleep(rng.uniform(0, 0.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        if target.exists():  # it had ended
            check_store(str(target))
            break
    data = sx.convert(tmp_path / "data.svm", target, overwrite=True)
    check_store(str(target))
    assert data.X.shape == (60_000, 9)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.svm", "store"]
