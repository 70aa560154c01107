"""The BLAS thread limit: applied, nested, shared between threads, restored."""

from __future__ import annotations

import threading

import pytest
import scipy.linalg  # noqa: F401  (loads SciPy's BLAS before the libraries are listed)
from threadpoolctl import ThreadpoolController

from separatrix.solvers.loop.threads import blas_threads


def counts() -> list[int]:
    return [lib.get_num_threads() for lib in ThreadpoolController().select(user_api="blas").lib_controllers]


@pytest.fixture
def two_threads():
    """A process in which BLAS starts with two threads, whatever the environment says."""
    with ThreadpoolController().select(user_api="blas").limit(limits=2):
        yield counts()


def test_limits_and_restores(two_threads: list[int]) -> None:
    with blas_threads(1):
        assert counts() == [1] * len(two_threads)
    assert counts() == two_threads


def test_never_raises_the_number(two_threads: list[int]) -> None:
    with blas_threads(64):
        assert counts() == two_threads
    with blas_threads(0):
        assert counts() == [1] * len(two_threads)


def test_restores_after_an_error(two_threads: list[int]) -> None:
    with pytest.raises(RuntimeError), blas_threads(1):
        raise RuntimeError
    assert counts() == two_threads


def test_overlapping_fits_in_two_threads(two_threads: list[int]) -> None:
    """The first to leave must not restore what the second still needs limited."""
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with blas_threads(1):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with blas_threads(2):
        thread.start()
        assert entered.wait(10)
        assert counts() == [1] * len(two_threads)
    assert counts() == [1] * len(two_threads)
    leave.set()
    thread.join()
    assert counts() == two_threads
