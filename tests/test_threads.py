"""The threads of a fit: BLAS kept to one, loops that share them, one core's time on one thread, none that spins."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (loads SciPy's BLAS before the libraries are listed)
from threadpoolctl import ThreadpoolController

from separatrix.threads import fit_threads, large_product, run_blocks, thread_limit


def counts() -> list[int]:
    return [lib.get_num_threads() for lib in ThreadpoolController().select(user_api="blas").lib_controllers]


@pytest.fixture
def two_threads():
    """A process in which BLAS starts with two threads, whatever the environment says."""
    with ThreadpoolController().select(user_api="blas").limit(limits=2):
        yield counts()


def test_limits_and_restores(two_threads: list[int]) -> None:
    with fit_threads(1):
        assert counts() == [1] * len(two_threads)
    assert counts() == two_threads


@pytest.mark.parametrize("limit", [0, 2, 64])
def test_only_large_products_use_more_threads_and_never_more_than_there_were(limit, two_threads) -> None:
    one = [1] * len(two_threads)
    with fit_threads(limit):
        assert counts() == one
        with large_product(1e6):
            assert counts() == one
        with large_product(1e10):
            assert counts() == (two_threads if limit > 1 else one)
        assert counts() == one
    assert counts() == two_threads


def test_a_limit_within_a_limit_can_only_be_lower() -> None:
    assert thread_limit() == 1
    with fit_threads(3):
        with fit_threads(1):
            assert thread_limit() == 1
        with fit_threads(8):
            assert thread_limit() == 3
    assert thread_limit() == 1


def test_restores_after_an_error(two_threads: list[int]) -> None:
    with pytest.raises(RuntimeError), fit_threads(1):
        raise RuntimeError
    assert counts() == two_threads


def test_overlapping_fits_in_two_threads(two_threads: list[int]) -> None:
    """The first to leave must not restore what the second still needs limited."""
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with fit_threads(1):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with fit_threads(2):
        thread.start()
        assert entered.wait(10)
        with large_product(1e10):  # the other fit was given one thread
            assert counts() == [1] * len(two_threads)
    assert counts() == [1] * len(two_threads)
    leave.set()
    thread.join()
    assert counts() == two_threads


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_each_block_is_done_once(limit: int) -> None:
    for count in (0, 1, 2, 100):
        seen = np.zeros(count, dtype=int)

        def mark(k: int, seen=seen) -> None:
            seen[k] += 1
            time.sleep(1e-4)

        with fit_threads(limit):
            run_blocks(mark, count)
        assert seen.tolist() == [1] * count


def test_blocks_run_on_other_threads_with_the_warnings_of_the_caller() -> None:
    threads, both = set(), threading.Barrier(2)

    def overflow(k: int) -> None:
        both.wait(30)  # neither ends before the other has begun
        threads.add(threading.get_ident())
        np.exp(np.array([1e4]))

    with fit_threads(2), np.errstate(over="ignore"):
        run_blocks(overflow, 2)
    assert len(threads) == 2


@pytest.mark.parametrize("bad", [0, 3, 9])
def test_an_exception_in_a_block_is_raised_once_all_that_began_have_ended(bad: int) -> None:
    running = []

    def fail(k: int) -> None:
        running.append(k)
        time.sleep(1e-3)
        running.remove(k)
        if k == bad:
            raise ZeroDivisionError(k)

    with fit_threads(3), pytest.raises(ZeroDivisionError):
        run_blocks(fail, 10)
    assert running == []


FITS = """
    import time, warnings
    import numpy as np
    from scipy import sparse
    from separatrix import SVC, Perceptron
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    text = sparse.random_array((4000, 20_000), density=0.003, rng=rng, format="csr")
    dense = rng.standard_normal((12_000, 30))
    curved = rng.standard_normal((2500, 18)).astype(np.float32)

    def others():  # CPU time of all threads but this one
        return time.process_time() - time.thread_time()

    def signs(X):
        return np.where(np.asarray(X @ rng.standard_normal(X.shape[1])) > 0.3, 1, -1)

    fits = [
        (SVC(n_threads=THREADS), text, signs(text)),
        (SVC(loss="squared_hinge", n_threads=THREADS), text, signs(text)),
        (SVC(n_threads=THREADS), dense, signs(dense)),
        (SVC(kernel="rbf", n_threads=THREADS), curved, signs(curved)),
        (Perceptron(max_epochs=20, n_threads=THREADS), dense, signs(dense)),
    ]
    for model, X, y in fits:
        model.fit(X, y)
    time.sleep(0.5)  # what the products above woke goes back to sleep
"""


def run_fits(threads: int, measured: str) -> list[float]:
    """Numbers that a process of its own prints: other tests may have left threads in this one."""
    program = textwrap.dedent(FITS).replace("THREADS", str(threads)) + textwrap.dedent(measured)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    return [float(number) for number in run.stdout.split()]


def test_one_thread_is_one_thread() -> None:
    """With n_threads=1 no other thread has any CPU time; a woken thread of OpenBLAS spins for 60 ms."""
    spent = run_fits(
        1,
        """
        for model, X, y in fits:
            before = others()
            model.fit(X, y)
            model.predict(X)
            time.sleep(0.1)
            print(others() - before)
        """,
    )
    assert len(spent) == 5
    assert max(spent) < 0.01, spent


def test_nothing_spins_after_a_fit() -> None:
    spent = run_fits(
        2,
        """
        for model, X, y in fits:
            model.fit(X, y)
            time.sleep(0.01)  # a helper falls asleep
            before = others()
            time.sleep(0.2)
            print(others() - before)
        """,
    )
    assert len(spent) == 5
    assert max(spent) < 0.01, spent
