"""The compiled core against NumPy: every type of row, every instruction set, threads, forks, and the stub."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from separatrix import _core
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.coordinate_descent.tuning import Tuning

KINDS = ["dense", "int32", "int64"]
FLOATS = [np.float32, np.float64]


def matrix(kind: str, dtype: type, n: int = 9000, d: int = 37, seed: int = 0):
    """Random rows, a third of them zero entries, the first row empty; dense or CSR with the given index type."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    X[0] = 0.0
    X = X.astype(dtype)
    if kind == "dense":
        return X
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(kind), X.indptr.astype(kind)
    return X


def products(X, n_threads: int = 1):
    rng = np.random.default_rng(1)
    w, c = rng.standard_normal(X.shape[1]), rng.standard_normal(X.shape[0])
    rows = compiled_rows(X)
    scores, total, norms = (
        np.full(X.shape[0], np.nan),
        np.full(X.shape[1], np.nan),
        np.full(X.shape[0], np.nan),
    )
    rows.scores(w, scores, n_threads)
    rows.weighted_sum(c, total, n_threads)
    rows.squared_norms(norms, n_threads)
    return scores, total, norms


def expected(X):
    rng = np.random.default_rng(1)
    w, c = rng.standard_normal(X.shape[1]), rng.standard_normal(X.shape[0])
    wide = np.asarray(X.todense() if sparse.issparse(X) else X, dtype=np.float64)
    return wide @ w, wide.T @ c, (wide**2).sum(axis=1)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
def test_products_agree_with_numpy(kind: str, dtype: type, n_threads: int) -> None:
    X = matrix(kind, dtype)
    for ours, theirs in zip(products(X, n_threads), expected(X), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6, 7, 8, 11, 15, 16, 17, 22, 33, 47, 100])
def test_products_of_every_length_of_row(d: int) -> None:
    for kind in KINDS:
        X = matrix(kind, np.float32, n=5, d=d)
        for ours, theirs in zip(products(X), expected(X), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_threads_change_rounding_only() -> None:
    X = matrix("dense", np.float64, n=20000)
    for one, many in zip(products(X, 1), products(X, 3), strict=True):
        np.testing.assert_allclose(one, many, rtol=1e-12, atol=1e-11)


def check_squared_hinge(X) -> None:
    """Slack, sums and the matrix of the rows with slack agree with NumPy; dense rows only have the matrix."""
    (n, d), rng = X.shape, np.random.default_rng(2)
    wide = np.asarray(X.todense() if sparse.issparse(X) else X, dtype=np.float64)
    y, C, w = np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.random(n), rng.standard_normal(d)
    slack, v, rows = np.empty(n), np.zeros(d), compiled_rows(X)
    loss, total = rows.squared_hinge(y, C, w, slack, v, ones=False)
    expected = 1.0 - y * (wide @ w)
    alpha = 2.0 * C * np.maximum(0.0, expected)
    np.testing.assert_allclose(slack, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(v, wide.T @ (alpha * y), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(
        [loss, total], [alpha @ np.maximum(0.0, expected) / 2.0, alpha.sum()], rtol=1e-12
    )
    if not sparse.issparse(X) and d <= 128:
        M, active = np.zeros((d, d), order="F"), np.zeros(n, dtype=bool)
        rows.move_normal_matrix(C, slack, active, M, ones=False)
        part = wide[slack > 0]
        np.testing.assert_allclose(
            M, np.tril(part.T @ (2.0 * C[slack > 0, None] * part)), rtol=1e-12, atol=1e-10
        )


_IN_A_FRESH_PROCESS = """
import sys; sys.path.insert(0, {here!r})
import numpy as np
from separatrix import _core
import test_core
for kind, d in [(kind, d) for kind in test_core.KINDS for d in (3, 13, 37)]:
    for dtype in test_core.FLOATS:
        X = test_core.matrix(kind, dtype, n=300, d=d)
        for ours, theirs in zip(test_core.products(X), test_core.expected(X), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
        test_core.check_squared_hinge(X)
print(_core.instruction_set())
"""


@pytest.mark.parametrize("wanted", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_the_cpu_has(wanted: str) -> None:
    code = _IN_A_FRESH_PROCESS.format(here=str(Path(__file__).parent))
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SEPARATRIX_ISA": wanted},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    order = ["baseline", "avx2", "avx512"]
    got = run.stdout.strip()
    assert order.index(got) <= order.index(wanted)  # what the CPU lacks is never chosen
    if wanted == "baseline" or _core.instruction_set() == wanted:
        assert got == wanted


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_after_use_still_computes() -> None:
    code = (
        "import sys, os; sys.path.insert(0, sys.argv[1]); import test_core, numpy as np\n"
        "X = test_core.matrix('dense', np.float32)\n"
        "test_core.products(X, 2)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    ok = np.allclose(test_core.products(X, 2)[1], test_core.expected(X)[1])\n"
        "    os._exit(0 if ok else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    run = subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent)], timeout=120, check=False)
    assert run.returncode == 0


def test_two_python_threads_at_once() -> None:
    X = matrix("int32", np.float32)
    alone = products(X)
    with ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda _: products(X), range(8)):
            for ours, theirs in zip(result, alone, strict=True):
                np.testing.assert_array_equal(ours, theirs)


def test_views_share_memory_and_keep_it_alive() -> None:
    X = np.ones((4, 2))
    rows = compiled_rows(X)
    X[0] = 5.0
    out = np.empty(4)
    rows.scores(np.ones(2), out)
    assert out.tolist() == [10.0, 2.0, 2.0, 2.0]
    del X
    rows.scores(np.ones(2), out)
    assert out.tolist() == [10.0, 2.0, 2.0, 2.0]


def test_arrays_are_let_go_with_the_last_object_that_reads_them() -> None:
    X = np.ones((4, 2))
    seen = weakref.ref(X)
    rows, y = compiled_rows(X), np.array([1.0, -1.0, 1.0, -1.0])
    descent = rows.descent(y, np.ones(4), tuning=Tuning(), squared=False, kappa=0.0, seed=0)
    points = _core.KernelPoints(rows)
    del X, rows, points
    assert seen() is not None
    del descent
    assert seen() is None


def test_wrong_lengths_are_named() -> None:
    rows = compiled_rows(np.ones((4, 2)))
    with pytest.raises(ValueError, match=r"w must have length 2; got 3\."):
        rows.scores(np.ones(3), np.empty(4))
    with pytest.raises(IndexError, match="There are 4 rows; got a range of"):
        rows.scores(np.ones(2), np.empty(2), begin=3)
    with pytest.raises(TypeError):
        _core.dense_rows(np.ones((4, 2))[:, ::-1])  # not contiguous: a copy would have to be made


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("indices", "starts", "sentence"),
    [
        ([0, 3], [0, 1, 2], r"indices must be columns from 0 to 2; got 3\."),
        ([-1, 2], [0, 1, 2], r"indices must be columns from 0 to 2; got -1\."),
        ([0, -(2**31)], [0, 1, 2], r"indices must be columns from 0 to 2; got -2147483648\."),
        ([2**31 - 1, 0], [0, 1, 2], r"indices must be columns from 0 to 2; got 2147483647\."),
        ([0, 1], [0, 2, 1], r"starts must not decrease; got 1 after 2 at row 1\."),
        ([0, 1], [0, 1, 3], r"starts must end with the number of entries, 2; got 3\."),
        ([0, 1], [1, 1, 2], r"starts must begin with 0; got 1\."),
        ([0, 1], [], r"starts must have one number more than there are rows; got none\."),
        ([0], [0, 1], r"indices must have length 2; got 1\."),
    ],
)
def test_a_wrong_csr_matrix_is_refused_with_a_sentence(index, indices, starts, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        _core.sparse_rows(np.ones(2), np.array(indices, dtype=index), np.array(starts, dtype=index), 3)


def test_a_csr_matrix_without_rows_or_entries_is_one() -> None:
    for shape in ((0, 3), (3, 0), (2, 2)):
        rows = compiled_rows(sparse.csr_array(shape))
        out = np.full(shape[0], np.nan)
        rows.scores(np.ones(shape[1]), out)
        assert out.tolist() == [0.0] * shape[0]


def test_an_exception_in_a_helper_thread_reaches_the_caller(tmp_path: Path) -> None:
    compiler = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)
    if compiler is None:
        pytest.skip("no C++ compiler here")
    root = Path(__file__).parents[1]
    program = tmp_path / "threads"
    flags = ["-std=c++20", "-pthread", f"-I{root / 'cpp'}"]
    subprocess.run([compiler, *flags, str(root / "tests" / "threads.cpp"), "-o", str(program)], check=True)
    run = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_the_stub_is_what_the_module_says(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    run = subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-m", "separatrix._core", "-o", str(fresh)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if run.returncode != 0 and "No module named" in run.stderr:
        pytest.skip("nanobind is not installed here")
    assert run.returncode == 0, run.stderr
    stored = Path(_core_stub())
    assert fresh.read_text() == stored.read_text(), "run: make stub"


def _core_stub() -> str:
    import separatrix

    return str(Path(separatrix.__file__).parent / "_core.pyi")
