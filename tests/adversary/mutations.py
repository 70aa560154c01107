"""An endless, seeded stream of changed documents.

Most of them have the sentence and the digest that fit their new fields. A checker that compared texts only
would accept them; the mathematics has to refuse what is false.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.adversary.crossing_mutations import CROSSING, data
from tests.adversary.document import Malformed
from tests.adversary.drafts import Draft, copied, seal
from tests.adversary.edge_mutations import edge
from tests.adversary.generic_mutations import GENERIC
from tests.adversary.proper_mutations import PROPER
from tests.adversary.specimens import Specimen
from tests.adversary.statement import write

Mutation = Callable[..., bool]
NAMES = sorted({mutation.__name__ for mutation in [*GENERIC, *PROPER, *CROSSING, data, edge]})
_ALL: list[Mutation] = [*GENERIC, *PROPER, *PROPER, *CROSSING, *[data] * 4, *[edge] * 8]
_LAST = {"text", "header"}  # nothing may be changed after these


def mutate(
    rng: random.Random, specimen: Specimen, pool: list[Specimen], parts: int
) -> tuple[str, Draft] | None:
    """One changed document and the names of what was done to it; None where a mutation found no place."""
    draft = Draft(specimen, copied(specimen.document), specimen.data)
    chosen = sorted((rng.choice(_ALL) for _ in range(parts)), key=lambda m: m.__name__ in _LAST)
    if sum(m.__name__ in _LAST for m in chosen) > 1:
        return None
    names = []
    for mutation in chosen:
        name = mutation.__name__
        try:
            if name == "text":
                finish(rng, draft)
            done = mutation(rng, draft, pool) if mutation in CROSSING else mutation(rng, draft)
        except (TypeError, AttributeError, KeyError, IndexError, ValueError, OverflowError):
            done = False  # an earlier mutation took away what this one needs
        if not done:
            return None
        names.append(name)
    if draft.text is None:
        try:
            finish(rng, draft)
        except TypeError:  # two mutations together have made a field whose name is no text
            return None
    if parts > 1:
        draft.malformed = draft.equivalent = False  # one may have undone what the other did
    return "+".join(sorted(names)), draft


def finish(rng: random.Random, draft: Draft) -> None:
    """Write the sentence that fits the fields, mostly, and the digest."""
    if draft.rewrite and isinstance(draft.document, dict) and rng.random() < 0.93:
        with contextlib.suppress(Malformed):
            draft.document["claim"] = write(draft.document, draft.data)
    elif draft.rewrite:
        draft.equivalent = False  # the old sentence may say other numbers
    seal(draft)


def stream(seed: Any, pool: list[Specimen]) -> Iterator[tuple[str, Draft]]:
    """Changed documents without end: the same for the same seed."""
    rng = random.Random(seed)
    while True:
        specimen = rng.choice(pool)
        result = mutate(rng, specimen, pool, rng.choices([1, 2, 3], [6, 3, 1])[0])
        if result is not None:
            yield result
