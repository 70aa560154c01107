"""Rows in blocks: dense and CSR, without rows or columns, memory shared."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import row_blocks, rows_between, scores, weighted_sum


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_csr_are_whole_matrices_of_their_own(monkeypatch, dtype, index_type):
    monkeypatch.setattr("separatrix.problem.rows._BLOCK_ENTRIES", 20)
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((40, 6)) * (rng.random((40, 6)) < 0.4)).astype(dtype))
    X.indices, X.indptr = X.indices.astype(index_type), X.indptr.astype(index_type)
    blocks = list(row_blocks(X))
    assert len(blocks) > 3
    assert np.shares_memory(blocks[1][1].indices, X.indices)
    for rows, block in blocks:
        np.testing.assert_array_equal(block.toarray(), X[rows].toarray())
        assert block.dtype == np.float64
        assert block.indices.dtype == index_type
        block.check_format(full_check=True)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_without_rows_or_columns(form, dtype):
    assert scores(form(np.zeros((0, 3), dtype)), np.ones(3)).shape == (0,)
    assert scores(form(np.zeros((3, 0), dtype)), np.ones(0)).tolist() == [0.0, 0.0, 0.0]
    assert weighted_sum(form(np.zeros((0, 3), dtype)), np.ones(0)).tolist() == [0.0, 0.0, 0.0]
    assert weighted_sum(form(np.zeros((3, 0), dtype)), np.ones(3)).shape == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("used", [0, 1, 5, 20])
def test_a_sum_of_few_rows_is_the_sum_of_all(dtype, used):
    rng = np.random.default_rng(0)
    X = sparse.random_array((20, 7), density=0.4, format="csr", rng=rng).astype(dtype)
    c = np.zeros(20)
    c[rng.permutation(20)[:used]] = rng.normal(size=used)
    total = weighted_sum(X, c)
    assert total.dtype == np.float64
    np.testing.assert_allclose(total, X.toarray().astype(float).T @ c, rtol=1e-12, atol=1e-15)


def test_several_vectors_at_once() -> None:
    X = np.random.default_rng(0).normal(size=(700, 500)).astype(np.float32)
    W, A = np.random.default_rng(1).normal(size=(500, 3)), np.random.default_rng(2).normal(size=(700, 3))
    for rows in (X, sparse.csr_array(X), sparse.csr_array(X.astype(np.float64))):
        np.testing.assert_allclose(scores(rows, W), X.astype(float) @ W, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(weighted_sum(rows, A), X.astype(float).T @ A, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_rows_between_share_the_memory_of_the_matrix(index_type):
    X = sparse.random_array((20, 7), density=0.4, format="csr", rng=np.random.default_rng(0))
    X.indices, X.indptr = X.indices.astype(index_type), X.indptr.astype(index_type)
    part = rows_between(X, 5, 12)
    np.testing.assert_array_equal(part.toarray(), X.toarray()[5:12])
    assert np.shares_memory(part.data, X.data)
    assert np.shares_memory(part.indices, X.indices)
    np.testing.assert_array_equal(rows_between(X, 4, 4).shape, (0, 7))
