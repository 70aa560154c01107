"""A hold-out set loses its impartiality: the same analyst against a naive score, a counted one and the Ladder."""

import tempfile
from pathlib import Path

import numpy as np

from separatrix.validation import BudgetSpentError, Holdout, Ladder

rng = np.random.default_rng(0)
n, looks = 1000, 100
y = rng.integers(0, 2, n)  # coin flips: no model can be better than 0.5
X = np.zeros((n, 1))
guesses = rng.integers(0, 2, (looks - 1, n))

# The naive way: keep the random guesses that look good on the hold-out, let them vote, report the score of the vote.
naive = np.mean(guesses == y, axis=1)
vote = np.mean(guesses[naive > 0.5], axis=0) > 0.5
print(f"naive: {np.mean(vote == y):.3f} on {n} rows; the truth is 0.5")

with tempfile.TemporaryDirectory() as folder:
    ledger = Path(folder) / "looks.jsonl"  # a file outlives this process, and may be shared by several
    holdout = Holdout(X, y, budget=looks, ledger=ledger)
    seen = [holdout.score(guess) for guess in guesses]
    print("first look:", seen[0])
    vote = np.mean(guesses[[look.accuracy > 0.5 for look in seen]], axis=0) > 0.5
    print("last look: ", holdout.score(vote))
    try:
        Holdout(X, y, budget=looks, ledger=ledger).score(~vote)  # another process would be told the same
    except BudgetSpentError as error:
        print("refused:   ", error)

ladder = Ladder(X, y, budget=looks)
kept = [ladder.score(guess).improved for guess in guesses]
vote = np.mean(guesses[kept], axis=0) > 0.5
print("Ladder:    ", ladder.score(vote))
