"""Separation of logistic regressions: exact answers on random problems, and speed beside other programs.

    python -m benchmarks.separation random --seconds 600 --seed 1 [--peers DIR]   against exact linear programs
    python -m benchmarks.separation speed [--peers DIR]                           beside firthmodels and HiGHS (SciPy)

``--peers`` names a folder with firthmodels. Every random problem is decided by exact linear programs in integers that
share no code with the library (tests/separability/cone_oracle.py): verdict, tied rows, and a word for each coefficient.
Seconds are CPU seconds of one thread.
"""

from __future__ import annotations

import argparse
import collections
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import linprog

from separatrix.separability import Separability, separability
from tests.separability.cone_oracle import decide
from tests.separability.separation_data import DESIGNS, OUTCOMES, random_problem


def cpu(action: Callable[[], Any]) -> tuple[Any, float]:
    """(answer, CPU seconds)."""
    began = time.process_time()
    answer = action()
    return answer, time.process_time() - began


def firth(folder: str | None) -> Any:
    """`firthmodels.detect_separation`, or None."""
    if folder is None:
        return None
    sys.path.append(folder)
    from firthmodels import detect_separation

    return detect_separation


# -- random problems ------------------------------------------------------------------------------------------


def words_of(found: Separability) -> list[str]:
    """The words in the oracle's order: for each class but the first its intercept and columns; or thresholds first."""
    estimates = found.estimates
    if found._question.kind != "joint":
        return list(estimates.values())
    names = list(found._data.column_names())
    if found.bias:
        names = ["(intercept)", *names]
    return [estimates[f"{label}: {name}"] for label in found.positive[1:] for name in names]


def peer_judged(
    peer: Any, X: np.ndarray, codes: np.ndarray, bias: bool, verdict: str, words: list[str]
) -> str:
    """What a peer's answer is worth: right, refused, wrong verdict or wrong coefficient; free ones are never wrong."""
    try:
        found = peer(X, codes, fit_intercept=bias)
    except Exception:
        return "refused"
    if found.separation != (verdict != "inseparable"):
        return "wrong verdict"
    said = found.directions.tolist()
    if bias:
        said = [said[-1], *said[:-1]]
    right = {"finite": 0, "+inf": 1, "-inf": -1}
    wrong = any(word in right and right[word] != each for word, each in zip(words, said, strict=True))
    return "wrong coefficient" if wrong else "right"


def run_random(seconds: float, seed: int, peers: str | None) -> int:
    """Random problems until the time is over; returns the number of differences."""
    peer = firth(peers)
    generator = np.random.default_rng(seed)
    counts: dict[Any, Any] = collections.Counter()
    verdicts: dict[Any, Any] = collections.Counter()
    spent, wrong, said = [0.0, 0.0, 0.0], 0, collections.Counter[str]()
    ends = time.monotonic() + seconds
    done = 0
    while time.monotonic() < ends:
        design, outcome = DESIGNS[done % len(DESIGNS)], OUTCOMES[(done // len(DESIGNS)) % len(OUTCOMES)]
        X, codes, k, bias = random_problem(generator, design, outcome)
        classes = "pairs" if outcome == "two" else outcome
        found, own = cpu(lambda: _answered(X, codes, bias, classes))  # noqa: B023
        truth, theirs = cpu(lambda: decide(outcome, X.tolist(), codes.tolist(), k, bias))  # noqa: B023
        verdict, tied, words = truth
        spent[0] += own
        spent[1] += theirs
        same = found.verdict == verdict and words_of(found) == words
        if outcome == "two":
            same = same and set(found.tied.tolist()) == tied
        if not same:
            wrong += 1
            print(
                "DIFFERENT",
                outcome,
                design,
                bias,
                X.tolist(),
                codes.tolist(),
                truth,
                found.verdict,
                words_of(found),
            )
        counts[design] += 1
        verdicts[outcome, verdict] += 1
        for word in words:
            verdicts["coefficient", word] += 1
        if peer is not None and outcome == "two":
            judged, theirs = cpu(lambda: peer_judged(peer, X, codes, bias, verdict, words))  # noqa: B023
            spent[2] += theirs
            said[judged] += 1
            counts[design, judged] += 1
        done += 1
    print(f"{done} problems, {wrong} different")
    print(f"CPU seconds: ours {spent[0]:.0f}, oracle {spent[1]:.0f}, peer {spent[2]:.0f}")
    for key in sorted(verdicts, key=str):
        print("  ", *key, verdicts[key])
    for key in sorted(counts, key=str):
        print("  ", key, counts[key])
    print("   peer:", dict(said))
    return wrong


def _answered(X: np.ndarray, codes: np.ndarray, bias: bool, classes: Any) -> Separability:
    found = separability(X, codes, bias, classes)
    found.estimates  # noqa: B018  # computed when first asked for
    return found


# -- speed ----------------------------------------------------------------------------------------------------


def speed_cases() -> Iterator[tuple[str, np.ndarray, np.ndarray, str]]:
    """(name, X, y, classes): overlap, quasi-complete separation by a rare category, complete separation."""
    generator = np.random.default_rng(7)
    for n in (1_000, 100_000):
        for d in (10, 100):
            X = generator.standard_normal((n, d)).round(3)
            score = X @ generator.standard_normal(d) / np.sqrt(d)
            noisy = (score + generator.logistic(size=n) > 0).astype(int)
            yield f"overlap {n} x {d}", X, noisy, "pairs"
            rare = X.copy()
            rare[:, 0] = generator.random(n) < 0.02
            y = np.where(rare[:, 0] > 0, 1, noisy)
            yield f"rare category {n} x {d}", rare, y, "pairs"
            gap = np.abs(score) > 0.2
            yield f"complete {int(gap.sum())} x {d}", X[gap], (score[gap] > 0).astype(int), "pairs"
    for n in (1_000, 100_000):
        X = generator.standard_normal((n, 10)).round(3)
        scores = X @ generator.standard_normal((10, 5)) / 3 + generator.gumbel(size=(n, 5))
        yield f"joint, 5 classes {n} x 10", X, scores.argmax(axis=1), "joint"
        yield f"ordinal, 5 classes {n} x 10", X, np.clip((scores[:, 0] + 2).astype(int), 0, 4), "ordinal"


def highs(X: np.ndarray, y: np.ndarray) -> str:
    """Konis' linear program by HiGHS, as firthmodels asks it, with its default tolerances."""
    signed = np.column_stack([X, np.ones(len(y))]) * np.where(y > 0, 1.0, -1.0)[:, None]
    found = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(y)), bounds=(-1, 1), method="highs")
    return "separated" if np.abs(found.x).max() > 1e-4 else "overlap"


def run_speed(peers: str | None) -> None:
    """A table of CPU seconds."""
    peer = firth(peers)
    print("| problem | verdict | verdict alone | with every estimate | firthmodels | HiGHS |")
    print("|---|---|---|---|---|---|")
    for name, X, y, classes in speed_cases():
        found, verdict = cpu(lambda: separability(X, y, classes=classes))  # noqa: B023
        _, estimates = cpu(lambda: found.estimates)  # noqa: B023
        others = ["", ""]
        if classes == "pairs":
            tools = [None if peer is None else lambda: peer(X, y).separation, lambda: highs(X, y)]  # noqa: B023
            for place, tool in enumerate(tools):
                if tool is not None:
                    said, seconds = cpu(tool)
                    others[place] = f"{seconds:.2f} ({said})"
        cells = [name, found.verdict, f"{verdict:.3f}", f"{verdict + estimates:.3f}", *others]
        print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["random", "speed"])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peers")
    options = parser.parse_args()
    if options.what == "speed":
        run_speed(options.peers)
    else:
        sys.exit(run_random(options.seconds, options.seed, options.peers) > 0)


if __name__ == "__main__":
    main()
