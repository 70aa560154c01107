"""Hold-outs: what they promise, what they refuse, and that the promise holds against an analyst who cheats.

Tests `validation/holdout.py`, `validation/thresholdout.py`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchmarks.adaptive_looks import attack, single_look_coverage
from separatrix import SVC
from separatrix.validation import BudgetSpentError, Holdout, Ladder, LedgerError, MemoryLedger, Thresholdout
from separatrix.validation.held_out import Grid
from separatrix.validation.intervals import error_interval, hoeffding, upper_bound
from separatrix.validation.ladder import best_step, log_models


def coin_flips(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.integers(0, 2, n), rng


# -- intervals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("errors", [0, 1, 50, 99, 100])
def test_the_interval_is_clopper_and_pearson(errors):
    expected = stats.binomtest(errors, 100).proportion_ci(0.95, "exact")
    assert error_interval(errors, errors, 100, math.log(0.05)) == pytest.approx((expected.low, expected.high))


def test_far_beyond_floats_the_interval_is_wider_still_and_valid():
    just, beyond = error_interval(30, 30, 1000, -590.0), error_interval(30, 30, 1000, -650.0)
    assert 0 <= beyond[0] <= just[0] < 0.03 < just[1] <= beyond[1] < 1
    # The exact tail at the end of the interval is no more than what was asked for.
    assert stats.binom.logcdf(30, 1000, beyond[1]) <= -650.0 - math.log(2) + 1e-6
    assert error_interval(0, 5, 5, -1e6) == (0.0, 1.0)


def test_upper_bound_inverts_the_binomial_tail():
    p = upper_bound(7, 200, math.log(0.01))
    assert stats.binom.cdf(7, 200, p) == pytest.approx(0.01)
    assert upper_bound(200, 200, -1.0) == upper_bound(0, 0, -1.0) == 1.0


@pytest.mark.parametrize(("n", "step"), [(10, 1), (100, 7), (101, 10), (5, 2)])
def test_a_grid_gives_every_count_to_one_answer(n, step):
    grid = Grid(n, step)
    for count in range(n + 1):
        low, high = grid.counts(grid.cell(count))
        assert low <= count <= high
        assert grid.cell(low) == grid.cell(high) == grid.cell(count) < grid.size


# -- Holdout -----------------------------------------------------------------------------------------------


def test_a_look_has_n_the_count_and_an_interval_that_grows_with_the_looks():
    X, y, rng = coin_flips()
    holdout = Holdout(X, y)
    looks = [holdout.score(rng.integers(0, 2, len(y))) for _ in range(5)]
    assert [look.looks for look in looks] == [1, 2, 3, 4, 5]
    assert all(look.n == 400 and look.interval[0] <= look.accuracy <= look.interval[1] for look in looks)
    widths = [look.interval[1] - look.interval[0] for look in looks]
    assert widths == sorted(widths)
    assert widths[0] < 0.8 * widths[-1]
    assert holdout.history() == looks


def test_models_scored_together_cost_less_than_one_after_the_other():
    X, y, rng = coin_flips()
    guesses = rng.integers(0, 2, (6, len(y)))
    together = Holdout(X, y, budget=6).score_all(guesses)
    turns = Holdout(X, y, budget=6)
    apart = [turns.score(guess) for guess in guesses]
    assert together[0].interval == apart[0].interval
    assert together[-1].accuracy == apart[-1].accuracy
    assert np.ptp(together[-1].interval) < np.ptp(apart[-1].interval)


def test_a_spent_budget_is_refused_with_a_sentence_and_nothing_is_recorded():
    X, y, rng = coin_flips()
    holdout = Holdout(X, y, budget=2)
    first = rng.integers(0, 2, len(y))
    answer = holdout.score(first)
    with pytest.raises(BudgetSpentError, match="New data are needed"):
        holdout.score_all(rng.integers(0, 2, (2, len(y))))
    assert holdout.looks == 1
    assert holdout.looks_left == 1
    holdout.score(rng.integers(0, 2, len(y)))
    again = holdout.score(first)  # the same predictions tell nothing new
    assert again.repeated
    assert (again.accuracy, again.interval, again.looks) == (answer.accuracy, answer.interval, 3)


def test_models_and_labels_of_any_kind():
    X, y, _ = coin_flips(60)
    names = np.array(["no", "yes"])[y]
    model = SVC().fit(X[:30], names[:30])
    look = Holdout(X[30:], names[30:], resolution=0).score(model)
    assert look.accuracy == pytest.approx(model.score(X[30:], names[30:]))


def test_wrong_input_is_a_sentence():
    X, y, _ = coin_flips(20)
    with pytest.raises(ValueError, match="20 rows and y has 19"):
        Holdout(X, y[:-1])
    with pytest.raises(ValueError, match="one prediction for each of the 20"):
        Holdout(X, y).score(y[:5])
    for settings in ({"budget": 0}, {"confidence": 1.0}, {"resolution": 0.7}, {"budget": True}):
        with pytest.raises(ValueError, match="must be"):
            Holdout(X, y, **settings)


def test_one_ledger_one_set_of_rules():
    X, y, _ = coin_flips(30)
    ledger = MemoryLedger()
    Holdout(X, y, budget=3, ledger=ledger)
    with pytest.raises(LedgerError, match="begun with budget = 3, now 4"):
        Holdout(X, y, budget=4, ledger=ledger)
    with pytest.raises(LedgerError, match="begun with data"):
        Holdout(X, 1 - y, budget=3, ledger=ledger)


# -- Ladder and Thresholdout -------------------------------------------------------------------------------


def test_the_number_of_models_behind_a_ladder_is_counted_right():
    def histories(answers: int, looks: int) -> int:  # non-increasing sequences of every length below looks
        def grow(top: int, left: int) -> int:
            return 1 + (sum(grow(a, left - 1) for a in range(top + 1)) if left else 0)

        return grow(answers - 1, looks - 1)

    for answers, looks in [(1, 5), (3, 2), (4, 4), (5, 3)]:
        assert math.exp(log_models(answers, looks)) == pytest.approx(histories(answers, looks))


def test_a_ladder_reports_clear_improvements_only():
    _, y, _ = coin_flips(1000)
    ladder = Ladder(np.zeros((1000, 1)), y, budget=6, step=0.02)

    def wrong(count: int) -> np.ndarray:
        return np.where(np.arange(1000) < count, 1 - y, y)

    rungs = [ladder.score(wrong(count)) for count in (300, 290, 281, 279, 250, 400)]
    assert [rung.improved for rung in rungs] == [True, False, False, True, True, False]
    assert [round(rung.best_accuracy, 3) for rung in rungs] == [0.7, 0.7, 0.7, 0.72, 0.74, 0.74]
    with pytest.raises(BudgetSpentError):
        ladder.score(y)


def test_the_step_of_a_ladder_balances_its_two_errors():
    step = best_step(5000, 200, 0.95)

    def width(s: int) -> float:
        return s / 5000 + hoeffding(5000, math.log(0.05) - log_models(Grid(5000, s).size, 200))

    assert all(width(step) <= 1.01 * width(s) for s in range(1, 2000, 7))


def test_thresholdout_spends_corrections_on_disagreement_only():
    n = 2500
    X, y = np.zeros((n, 1)), np.zeros(n)
    mechanism = Thresholdout(X, y, X, y, looks=50, budget=2)
    half = np.arange(n) < n // 2
    for _ in range(10):
        agreed = mechanism.query(half, half)
        assert not agreed.corrected
        assert agreed.value == 0.5
    first = mechanism.query(np.ones(n), half)
    assert first.corrected
    assert abs(first.value - 0.5) < 0.02
    assert first.interval[0] <= 0.5 <= first.interval[1]
    assert mechanism.query(np.zeros(n), half).corrections_left == 0
    with pytest.raises(BudgetSpentError, match="2 of 2 corrections"):
        mechanism.query(half, half)
    with pytest.raises(ValueError, match="numbers between 0 and 1"):
        Thresholdout(X, y, X, y, looks=5, budget=1).query(2 * half, half)


# -- the known effect, in short; benchmarks/validation.py runs 1000 simulations -----------------------------


@pytest.fixture(scope="module")
def outcomes():
    names = ("naive", "holdout", "ladder", "thresholdout")
    return {name: [attack(name, seed, 1000, 300) for seed in range(15)] for name in names}


def test_a_naive_holdout_overfits_and_its_interval_is_wrong(outcomes):
    assert np.mean([outcome.reported for outcome in outcomes["naive"]]) > 0.6
    assert not any(outcome.covered for outcome in outcomes["naive"])


def test_thresholdout_does_not_overfit(outcomes):
    assert abs(np.mean([outcome.reported for outcome in outcomes["thresholdout"]]) - 0.5) < 0.03


def test_the_ladder_does_not_overfit(outcomes):
    # What it says is rounded to its step; 300 looks do not move it further than the first one may.
    step = best_step(1000, 300, 0.95) / 1000
    assert all(abs(outcome.reported - 0.5) <= step for outcome in outcomes["ladder"])
    assert step < 0.07 < min(outcome.reported - 0.5 for outcome in outcomes["naive"])


@pytest.mark.parametrize("mechanism", ["holdout", "ladder", "thresholdout"])
def test_every_interval_contains_the_truth(outcomes, mechanism):
    # At confidence 0.95 three or more of 15 fail with probability below 0.04.
    assert sum(not outcome.covered for outcome in outcomes[mechanism]) <= 2


def test_a_single_exact_look_covers_at_its_level_and_not_much_above():
    share = single_look_coverage(1000, 500, 0.8, 0.0)
    assert 0.94 <= share <= 0.985
