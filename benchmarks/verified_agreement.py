"""The proved checker against the others on changed documents, until a number or a time is reached.

    make verified && python -m benchmarks.verified_agreement --documents 100000 --minutes 60

Every document goes to Python in exact arithmetic, to JavaScript where Node is found, and to the proved checker.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import Counter

from tests.adversary.attack import question
from tests.adversary.judges import Node, arrays, ask, has_node, load
from tests.adversary.library_specimens import library_specimens
from tests.adversary.mutations import stream
from tests.adversary.specimens import specimens
from tests.verified.proved_checker import Proved, disagreement, parsed

CHUNK = 250


def exact(asked: object) -> str:
    """The outcome of the exact check in Python."""
    from separatrix.proof.certificate import Certificate, CertificateError

    try:
        certificate = load(asked.content) if asked.document is None else Certificate.from_dict(asked.document)  # type: ignore[attr-defined]
    except CertificateError:
        return "rejected"
    X, y, kernel = arrays(asked.data)  # type: ignore[attr-defined]
    return ask(certificate, X, y, True, kernel).outcome


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args()
    warnings.simplefilter("error")
    began, drafts = time.monotonic(), stream(options.seed, [*specimens(), *library_specimens()])
    proved, node = Proved(), Node() if has_node() else None
    outcomes, wrong, done = Counter[tuple[str, str]](), 0, 0
    while done < options.documents and time.monotonic() - began < 60 * options.minutes:
        asked = [question(*next(drafts)) for _ in range(CHUNK)]
        lines = [(each.content, each.data) for each in asked]
        by_node = node.answers(lines) if node else [None] * CHUNK
        for each, answer, other in zip(asked, proved.answers(lines), by_node, strict=True):
            found = exact(each)
            why = disagreement(parsed(each.content), found, answer.outcome)
            if other is not None and other.outcome != found:
                why += f" Python says {found}, JavaScript {other.outcome}."
            outcomes[found, answer.outcome] += 1
            if why:
                wrong += 1
                print(json.dumps({"name": each.name, "why": why, "reason": answer.reason}), flush=True)
        done += CHUNK
        if done % (40 * CHUNK) == 0:
            print(f"{done} documents, {wrong} disagreements, {time.monotonic() - began:.0f} s", flush=True)
    for (python, checked), number in sorted(outcomes.items()):
        print(f"Python {python:12} proved checker {checked:12} {number:8}")
    print(f"{done} documents, {wrong} disagreements, {time.monotonic() - began:.0f} s")
    for process in (proved, node):
        if process is not None:
            process.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
