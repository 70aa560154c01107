"""The exact tools one by one, against Python integers and fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from separatrix.proof.integers import column_integers, dot_signs, float_integers
from separatrix.separability import modular
from separatrix.separability.integer_search import Feasible, feasibility
from separatrix.separability.lifting import Lifter, eliminate


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


@pytest.mark.parametrize("bits", [1, 8, 30, 53, 61])
@pytest.mark.parametrize("long", [1, 53, 200, 3000])
def test_dot_signs(bits: int, long: int) -> None:
    generator, source = np.random.default_rng(bits), random.Random(long)
    for _ in range(20):
        n, d = generator.integers(1, 20), generator.integers(2, 30)
        N = generator.integers(-(2**bits), 2**bits, size=(n, d))
        N[generator.random((n, d)) < 0.5] = 0
        z = [source.getrandbits(long) * source.choice([-1, 0, 1]) for _ in range(d)]
        N[0, :2], z[0], z[1] = (1, -1), z[0], z[0]  # a product that cancels
        N[0, 2:] = 0
        expected = [sign(sum(int(a) * b for a, b in zip(row, z, strict=True))) for row in N]
        assert dot_signs(N, z).tolist() == expected
        assert dot_signs(N.astype(object), z).tolist() == expected
        if bits <= 53:
            assert dot_signs(sparse.csr_array(N.astype(float)), z).tolist() == expected


def test_column_integers_are_exact() -> None:
    generator = np.random.default_rng(0)
    for spread in (0, 5, 300):
        X = generator.standard_normal((6, 3)) * 10.0 ** generator.integers(-spread, spread + 1, size=(6, 3))
        X[0] = 0.0
        X[1, 0] = 5e-324
        N, e = column_integers(X)
        assert all(
            Fraction(int(N[i, j])) * Fraction(2) ** int(e[j]) == Fraction(X[i, j])
            for i in range(6)
            for j in range(3)
        )


def test_float_integers_keep_ratios() -> None:
    z = np.array([0.1, -3e200, 0.0, 5e-324])
    out = float_integers(z)
    assert all(Fraction(a) * Fraction(z[1]) == Fraction(b) * out[1] for a, b in zip(out, z, strict=True))


@pytest.mark.parametrize(("k", "bits"), [(1, 4), (5, 60), (13, 20), (30, 53), (40, 8)])
def test_solvers_agree(k: int, bits: int) -> None:
    generator = np.random.default_rng(k)
    B = generator.integers(-(2**bits), 2**bits, size=(k, k))
    t = generator.integers(-9, 9, size=k).tolist()
    numerators, denominator = Lifter(B).solve(t)
    assert all(
        sum(int(a) * x for a, x in zip(row, numerators, strict=True)) == denominator * right
        for row, right in zip(B, t, strict=True)
    )
    other, scale = eliminate(B.tolist(), t)
    assert [Fraction(a, denominator) for a in numerators] == [Fraction(a, scale) for a in other]


def test_singular_systems_have_no_answer() -> None:
    B = np.ones((20, 20), dtype=np.int64)
    assert Lifter(B).solve([1] * 20) is None
    assert eliminate([[1, 2], [2, 4]], [1, 1]) is None


def test_primes() -> None:
    for p in modular.PRIMES:
        assert all(p % q for q in range(2, 1449))
        assert p * p * 1024 <= 2**53


@pytest.mark.parametrize("rank", [0, 3, 50, 70])
def test_rank_modulo_a_prime(rank: int) -> None:
    generator = np.random.default_rng(rank)
    M = generator.integers(-5, 6, size=(90, rank)) @ generator.integers(-5, 6, size=(rank, 70))
    p = modular.PRIMES[0]
    echelon = modular.reduce_rows(modular.residues(M, p), p)
    assert echelon.rank == rank == np.linalg.matrix_rank(M)
    basis, _ = modular.null_basis(modular.residues(M, p), p)
    assert basis.shape == (70, 70 - rank)
    assert not np.any(modular.multiply(modular.residues(M, p), basis, p))


@pytest.mark.parametrize("size", [1, 3, 10**30])
def test_simplex_always_answers_with_a_proof(size: int) -> None:
    source = random.Random(size)
    answers = set()
    for _ in range(300):
        m, n = source.randint(1, 4), source.randint(0, 7)
        columns = [[source.randint(-size, size) for _ in range(m)] for _ in range(n)]
        q = [source.randint(-size, size) for _ in range(m)]
        answer = feasibility(columns, q)
        answers.add(type(answer).__name__)
        if isinstance(answer, Feasible):
            assert all(value > 0 for value in [answer.denominator, *answer.numerators])
            for i in range(m):
                total = sum(columns[j][i] * v for j, v in zip(answer.columns, answer.numerators, strict=True))
                assert total == q[i] * answer.denominator
        else:
            assert all(sum(a * b for a, b in zip(answer.u, column, strict=True)) <= 0 for column in columns)
            assert sum(a * b for a, b in zip(answer.u, q, strict=True)) > 0
    assert answers == {"Feasible", "Infeasible"}
