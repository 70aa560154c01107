"""The long form of the adversary: changed documents against every checker, until a number or a time is reached.

    python -m benchmarks.adversary --documents 1000000 --seed 0 --minutes 60 --jobs 2

Prints a table by kind and mutation, and writes everything that went wrong to a file, one JSON object in a line.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from tests.adversary.attack import COLUMNS, TRIED, WRONG, Attack, question
from tests.adversary.judges import Node, has_node
from tests.adversary.library_specimens import library_specimens
from tests.adversary.mutations import stream
from tests.adversary.specimens import specimens

CHUNK = 2_000
_state: dict[str, Any] = {}


def begin() -> None:
    """Prepare a worker: its documents, and a process for the JavaScript checker."""
    warnings.simplefilter("error")
    _state["pool"] = [*specimens(), *library_specimens()]
    _state["node"] = Node() if has_node() else None


def chunk(seed: str) -> tuple[Counter[tuple[str, str, str]], list[dict[str, Any]]]:
    """The tally and the findings of one chunk of documents."""
    attack = Attack(_state["node"])
    drafts = stream(seed, _state["pool"])
    for _ in range(CHUNK // 250):
        batch = [next(drafts) for _ in range(250)]
        attack.ask([question(name, draft) for name, draft in batch], [draft.document for _, draft in batch])
    return attack.tally, attack.findings


def table(tally: Counter[tuple[str, str, str]]) -> str:
    """One line for each kind and mutation."""
    lines = [f"{'kind':16} {'mutation':14} " + " ".join(f"{name:>11}" for name in COLUMNS)]
    for kind, mutation in sorted({(k, m) for k, m, _ in tally}):
        lines.append(
            f"{kind:16} {mutation:14} " + " ".join(f"{tally[kind, mutation, name]:>11}" for name in COLUMNS)
        )
    sums = Counter[str]()
    for (_, _, name), number in tally.items():
        sums[name] += number
    lines.append(f"{'all parts':31} " + " ".join(f"{sums[name]:>11}" for name in COLUMNS))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("adversary-findings.jsonl"))
    options = parser.parse_args()
    started = time.monotonic()
    tally: Counter[tuple[str, str, str]] = Counter()
    wrong: Counter[str] = Counter()
    seeds = (f"{options.seed}/{number}" for number in range(-(-options.documents // CHUNK)))
    done = 0
    print("JavaScript checker:", "node" if has_node() else "none found; only Python is attacked")
    with multiprocessing.get_context("spawn").Pool(options.jobs, begin) as pool, options.out.open("w") as out:
        for part, findings in pool.imap_unordered(chunk, seeds):
            tally.update(part)
            done += CHUNK
            for found in findings:
                wrong[found["wrong"][:120]] += 1
                out.write(json.dumps(found) + "\n")
            spent = time.monotonic() - started
            print(
                f"\r{done} documents, {sum(wrong.values())} wrong, {spent:.0f} s, {1000 * spent / done:.2f} ms each",
                end="",
                flush=True,
            )
            if spent > 60 * options.minutes:
                pool.terminate()
                break
    print("\n" + table(tally))
    for what, number in wrong.most_common():
        print(f"{number:8} {what}")
    if not wrong:
        options.out.unlink()
    assert sum(v for k, v in tally.items() if k[2] == TRIED) >= done
    print(
        "Nothing was wrong."
        if not wrong
        else f"{sum(wrong.values())} findings ({WRONG}) are in {options.out}."
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
