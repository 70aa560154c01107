import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import row_blocks, scores, weighted_sum


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
