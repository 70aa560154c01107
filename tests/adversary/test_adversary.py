"""Nothing false is accepted: changed and forged documents, odd data and heavy files.

`python -m benchmarks.adversary` is the long form.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.adversary import heavy_files
from tests.adversary.attack import TRIED, Attack, Question, question
from tests.adversary.document import sealed
from tests.adversary.forgeries import forgeries
from tests.adversary.judges import Node, ask, has_node
from tests.adversary.library_specimens import library_specimens
from tests.adversary.mutations import NAMES, stream
from tests.adversary.odd_data import odd_data
from tests.adversary.oracle import judge
from tests.adversary.specimens import Specimen, specimens

DOCUMENTS = 5_000
HEAVY = {heavy.name: heavy for heavy in heavy_files.heavy_files()}


@pytest.fixture(scope="module")
def node() -> Iterator[Node | None]:
    process = Node() if has_node() else None
    yield process
    if process is not None:
        process.close()


def everything() -> list[Specimen]:
    """Our own documents, and those that the library makes."""
    return [*specimens(), *library_specimens()]


def told(attack: Attack) -> str:
    """The findings in words, the first ones in full."""
    kinds = Counter(found["wrong"][:200] for found in attack.findings)
    some = [f"{found['name']}: {found['wrong']}: {found['answers']}" for found in attack.findings[:5]]
    return "\n".join([f"{number} times: {what}" for what, number in kinds.most_common(10)] + some)


def test_genuine_documents_are_accepted_by_all(node: Node | None) -> None:
    attack = Attack(node)
    asked = [
        Question(
            s.name,
            s.document["kind"],
            json.dumps(s.document).encode(),
            None,
            s.data,
            expected=s.outcome,
            tight=s.tight,
        )
        for s in everything()
    ]
    attack.ask(asked, [s.document for s in everything()])
    assert not attack.findings, told(attack)


def test_the_oracle_can_tell() -> None:
    """It finds genuine documents true, and enough of the changed ones false: it is no oracle that always nods."""
    genuine = Counter(judge(s.document, s.data) for s in everything() if s.outcome == "proved")
    assert set(genuine) == {"true"}
    drafts = stream("oracle", specimens())
    verdicts = Counter()
    for _, draft in (next(drafts) for _ in range(800)):
        verdicts[draft.source.document["kind"], judge(draft.document, draft.data)] += 1
    for kind, least in {
        "optimal": 40,
        "separating": 3,
        "inseparable": 1,
        "quasi-separable": 1,
        "mistakes": 10,
    }.items():
        assert verdicts[kind, "false"] >= least, verdicts


def test_changed_documents(node: Node | None) -> None:
    attack = Attack(node)
    drafts = stream("short", everything())
    for _ in range(DOCUMENTS // 250):
        batch = [next(drafts) for _ in range(250)]
        attack.ask([question(name, draft) for name, draft in batch], [draft.document for _, draft in batch])
    assert not attack.findings, told(attack)
    tried = Counter()
    for (_, name, column), number in attack.tally.items():
        tried[name] += number if column == TRIED else 0
    assert set(tried) == set(NAMES)
    assert min(tried.values()) >= 30, tried


def test_forgeries(node: Node | None) -> None:
    attack = Attack(node)
    forged = forgeries()
    asked = [Question(f.name, "forged", f.content, None, f.data, malformed=True) for f in forged]
    attack.ask(asked, [None] * len(forged))
    assert not attack.findings, told(attack)
    assert len(forged) > 100


@pytest.mark.parametrize("case", list(odd_data()), ids=lambda case: case[0])
@pytest.mark.parametrize("exact", [False, True])
def test_data_that_numpy_would_change_are_refused(case, exact: bool) -> None:
    from separatrix.proof.certificate import Certificate

    _, document, X, y = case
    answer = ask(Certificate.from_dict(sealed(document)), X, y, exact)
    assert answer.outcome == "rejected", answer


@pytest.mark.parametrize("name", list(HEAVY))
@pytest.mark.parametrize("checker", ["python", "node"])
def test_heavy_files_are_answered_in_time_and_memory(name: str, checker: str) -> None:
    if checker == "node" and not has_node():
        pytest.skip("no node")
    heavy = HEAVY[name]
    run = heavy_files.run(heavy_files.PYTHON if checker == "python" else heavy_files.NODE, heavy)
    assert run.outcome in ([heavy.outcome] if heavy.outcome else ["proved", "conditional", "rejected"]), run
    assert run.seconds < heavy_files.SECONDS, run
    assert run.megabytes < heavy_files.MEGABYTES, run
