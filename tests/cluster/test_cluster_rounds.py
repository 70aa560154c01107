"""A round arrives as it was sent, whether its arrays travel joined or apart."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("distributed")

from separatrix.dask.rounds import Round
from separatrix.solvers.cocoa.solver import BlockSums, Proposal
from separatrix.solvers.cocoa.subspace import BlockSpan


@pytest.mark.parametrize("d", [1, 7, 5000, 20_000])
def test_a_round_arrives_as_it_was_sent(d: int) -> None:
    rng = np.random.default_rng(d)
    start = BlockSums(rng.random(d), 1.0, 2.0, 3.0)
    proposal = Proposal(rng.random(d).astype(np.float32), 4.0, 5.0)
    span = BlockSpan(rng.random((6, d)).astype(np.float32), rng.random(6), rng.random(6), rng.random((6, 6)))
    message = Round(start, 6.0, proposal, span, 7.0).packed()
    assert isinstance(message, list) == (d == 20_000)
    found = Round.unpacked(message)
    assert (found.loss, found.seconds) == (6.0, 7.0)
    for sent, came in ((start, found.start), (proposal, found.proposal), (span, found.span)):
        for name, value in vars(sent).items():
            assert np.array_equal(getattr(came, name), value), name
            assert np.asarray(getattr(came, name)).dtype == np.asarray(value).dtype, name
