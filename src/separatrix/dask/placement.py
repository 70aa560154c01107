"""Which partitions each worker gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import distributed


async def holders(client: Any, bundles: Sequence[Any], workers: Sequence[str]) -> list[int | None]:
    """For each partition, the number of the worker that has most of its data already; None if nobody has."""
    place = {address: i for i, address in enumerate(workers)}
    futures_of: Any = distributed.futures_of
    held = [futures_of(bundle) for bundle in bundles]
    known = [future for futures in held for future in futures]
    who = await client.who_has(known) if known else {}
    found: list[int | None] = []
    for futures in held:
        homes = [place[a] for future in futures for a in who.get(future.key, ()) if a in place]
        found.append(max(set(homes), key=homes.count) if homes else None)
    return found


def even_shares(holders: Sequence[int | None], shards: int) -> list[list[int]]:
    """Which partitions each shard gets: shares differ by at most one, data stay where they are where that allows it.

    ``holders`` names, for each partition, the shard whose worker has its data already.

    >>> even_shares([None, None, None, None, None], 2)
    [[0, 1, 2], [3, 4]]
    >>> even_shares([1, 1, 0, 0], 2)
    [[2, 3], [0, 1]]
    """
    count = len(holders)
    most, larger = -(-count // shards), count % shards or shards
    shares: list[list[int]] = [[] for _ in range(shards)]

    def room(i: int) -> bool:
        full = sum(len(share) == most for share in shares)
        return len(shares[i]) < most - 1 or (len(shares[i]) == most - 1 and full < larger)

    homeless = []
    for p, holder in enumerate(holders):
        if holder is not None and holder < shards and room(holder):
            shares[holder].append(p)
        else:
            homeless.append(p)
    for p in homeless:
        shares[next(i for i in range(shards) if room(i))].append(p)
    return [sorted(share) for share in shares]
