"""The loop, driven by a scripted solver: limits, checks, switching, interrupts, history.

Tests `problem/solution.py`.
"""

import os
import signal
import threading
import time
from dataclasses import dataclass, field

import numpy as np
import pytest

from separatrix.problem import HINGE, Point, Problem, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.solvers.loop.deadline import InterruptFlag
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.solvers.loop.run import Limits, Stage, Tuning, _Forecast, run
from separatrix.solvers.loop.stall import Stall

PROBLEM = Problem(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.ones(2), HINGE, "none")


@dataclass(frozen=True)
class Scripted:
    """Halves its gap at each step, or has it as told; ``alpha[0]`` carries the dual value to the certify below."""

    name: str = "scripted"
    releases_gil: bool = False
    stall_at: int = 10**9
    action: object = None
    gap: object = None
    starts: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    rejections: list = field(default_factory=list)

    def init(self, problem, start, n_threads):
        self.starts.append(start)
        return {"k": 0, "gap": 1.0}

    def step(self, problem, state, tol):
        self.asked.append(tol)
        state["k"] += 1
        state["gap"] = state["gap"] / 2 if self.gap is None else self.gap(state["k"])
        if self.action is not None:
            self.action(state["k"])
        return Progress(1.0, 1.0 - state["gap"], float(state["k"]))

    def terminate(self, problem, state, tol):
        if state["k"] >= self.stall_at:
            return Verdict.STALLED
        return Verdict.CHECK if state["gap"] <= tol else Verdict.GO_ON

    def rejected(self, problem, state, tol):
        self.rejections.append((state["k"], tol))

    def point(self, problem, state):
        return Point(alpha=np.array([1.0 - state["gap"], 0.0]))


def certify(problem, point):
    dual = float(point.alpha[0])
    return Solution(
        np.zeros(1),
        0.0,
        point.alpha,
        primal=1.0,
        dual=dual,
        gap=relative_gap(1.0, dual),
        status=Status.MAX_ITER,
    )


def test_it_stops_when_the_gap_is_proved():
    solution = run([Stage(Scripted(), "because")], PROBLEM, Limits(tol=1e-3), certify)
    assert solution.status == Status.CONVERGED
    assert solution.gap <= 1e-3
    assert solution.n_iter == 10
    assert solution.history[0].note == "because"
    assert solution.history[-1].proved
    assert list(solution.history["iteration"]) == [*range(1, 11), 10]


def test_a_solver_is_not_believed():
    def sceptic(problem, point):
        return certify(problem, Point(alpha=point.alpha - 0.5))

    solution = run([Stage(Scripted(), "")], PROBLEM, Limits(tol=1e-3, max_iter=20), sceptic)
    assert solution.status == Status.MAX_ITER
    assert solution.gap > 0.5


def test_limits_keep_the_best_iterate():
    by_steps = run([Stage(Scripted(), "")], PROBLEM, Limits(tol=1e-9, max_iter=4), certify)
    assert (by_steps.status, by_steps.n_iter, by_steps.gap) == (Status.MAX_ITER, 4, 2.0**-4)
    by_time = run([Stage(Scripted(), "")], PROBLEM, Limits(tol=1e-9, max_time=0.0), certify)
    assert (by_time.status, by_time.n_iter, by_time.gap) == (Status.MAX_TIME, 0, 1.0)


def test_a_stalled_solver_hands_over_its_best_point():
    second = Scripted(name="second")
    stages = [Stage(Scripted(stall_at=3), "first choice"), Stage(second, "the first stalled")]
    solution = run(stages, PROBLEM, Limits(tol=1e-3), certify)
    assert solution.status == Status.CONVERGED
    assert second.starts[0].alpha[0] == 1 - 2.0**-3
    assert "stalled" in solution.history["note"]
    assert "the first stalled" in solution.history["note"]
    assert solution.n_iter == 13


def test_when_every_solver_stalls_the_status_says_so():
    solution = run([Stage(Scripted(stall_at=2), "")], PROBLEM, Limits(tol=1e-9), certify)
    assert solution.status == Status.MAX_ITER
    assert solution.gap == 0.25


def test_best_primal_and_best_dual_are_kept_apart():
    values = iter([(5.0, 1.0), (4.0, 0.5), (6.0, 2.0)])

    def scripted(problem, point):
        primal, dual = next(values)
        return Solution(
            np.full(1, primal),
            0.0,
            np.full(2, dual),
            primal=primal,
            dual=dual,
            gap=0.0,
            status=Status.MAX_ITER,
        )

    stages = [Stage(Scripted(stall_at=1), "") for _ in range(3)]
    solution = run(stages, PROBLEM, Limits(tol=1e-9), scripted)
    assert (solution.primal, solution.dual) == (4.0, 2.0)
    assert solution.gap == 0.5
    assert solution.w[0] == 4.0
    assert solution.alpha[0] == 2.0


def test_a_callback_can_end_the_run():
    seen = []

    def on_record(record, point):
        seen.append(record)
        return record.iteration == 3

    solution = run([Stage(Scripted(), "")], PROBLEM, Limits(tol=1e-9), certify, on_record=on_record)
    assert solution.status == Status.INTERRUPTED
    assert solution.n_iter == 3
    assert len(seen) == len(solution.history)


@pytest.fixture
def sigint():
    """Ctrl-C as in a terminal: a shell starts its background jobs, and so their tests, with SIGINT ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.mark.usefixtures("sigint")
def test_interrupt_finishes_the_step_and_keeps_the_iterate():
    def interrupt(k):
        if k == 5:
            os.kill(os.getpid(), signal.SIGINT)

    solution = run([Stage(Scripted(action=interrupt), "")], PROBLEM, Limits(tol=1e-9), certify)
    assert (solution.status, solution.n_iter) == (Status.INTERRUPTED, 5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("sigint")
def test_a_second_interrupt_raises():
    def interrupt(k):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run([Stage(Scripted(action=interrupt), "")], PROBLEM, Limits(tol=1e-9), certify)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_and_foreign_handlers_are_left_alone():
    def ours(number, frame):
        raise AssertionError

    previous = signal.signal(signal.SIGINT, ours)
    try:
        with InterruptFlag():
            assert signal.getsignal(signal.SIGINT) is ours
    finally:
        signal.signal(signal.SIGINT, previous)
    results = []
    limits = Limits(tol=1e-3)
    thread = threading.Thread(
        target=lambda: results.append(run([Stage(Scripted(), "")], PROBLEM, limits, certify).status)
    )
    thread.start()
    thread.join()
    assert results == [Status.CONVERGED]


def test_a_slow_stage_is_left_for_the_next():
    stages = [Stage(Scripted(), "slow one", patience=-1.0), Stage(Scripted(name="second"), "next")]
    solution = run(stages, PROBLEM, Limits(tol=1e-12), certify)
    assert solution.status == Status.CONVERGED
    assert "too slow" in solution.history["note"]
    assert solution.history[-1].solver == "second"


def test_waiting_is_not_work():
    """A busy machine does not change which solver ends a run."""
    waiting = Scripted(action=lambda k: time.sleep(0.02))
    stages = [Stage(waiting, "often interrupted", patience=50.0), Stage(Scripted(name="second"), "next")]
    solution = run(stages, PROBLEM, Limits(tol=1e-12), certify)
    assert solution.history[-1].time > 0.5
    assert solution.history[-1].solver == "scripted"


def test_a_forecast_without_progress_reaches_a_hundred_times_as_far_as_it_has_come():
    forecast = _Forecast(Tuning())
    for k in range(20):
        forecast.add(float(k + 1), 0.5)
    assert forecast.work_left(1e-3) == 100 * 20
    assert forecast.work_left(0.6) == 0.0


def test_an_aim_below_tol_is_reached_where_it_can_be():
    solver = Scripted()
    solution = run([Stage(solver, "")], PROBLEM, Limits(tol=1e-3, aim=1e-12), certify)
    assert (solution.status, solution.n_iter) == (Status.CONVERGED, 40)
    assert solution.gap <= 1e-12
    assert set(solver.asked) == {1e-12}


def test_an_aim_out_of_reach_ends_as_converged():
    """Success is no interrupt: what was asked for is proved after a hundred more steps."""
    solver = Scripted(gap=lambda k: 1e-6)
    solution = run([Stage(solver, "")], PROBLEM, Limits(tol=1e-3, aim=1e-12), certify)
    assert (solution.status, solution.n_iter) == (Status.CONVERGED, 101)
    assert solution.gap == pytest.approx(1e-6)


def test_a_wrong_belief_leads_to_tol_itself():
    def sceptic(problem, point):
        return certify(problem, Point(alpha=point.alpha - 0.002))

    solver = Scripted(gap=lambda k: 1e-6 if k <= 105 else -0.0015)
    solution = run([Stage(solver, "")], PROBLEM, Limits(tol=1e-3, aim=1e-12), sceptic)
    assert solution.status == Status.CONVERGED
    assert solver.asked[100] == 1e-12
    assert solver.asked[101] == 1e-3
    assert solver.rejections[0] == (101, 1e-3)


def test_a_solver_hears_of_every_rejected_check():
    def sceptic(problem, point):
        return certify(problem, Point(alpha=point.alpha - 0.5))

    solver = Scripted()
    run([Stage(solver, "")], PROBLEM, Limits(tol=1e-3, max_iter=14), sceptic)
    assert solver.rejections == [(k, 1e-3) for k in (10, 11, 12, 13)]


def test_many_small_falls_count_together():
    slow, still = Stall(6), Stall(6)
    for k in range(100):
        slow.update(0.97**k)
    assert not slow.stalled
    for value in (1.0, *[0.95] * 6):
        still.update(value)
    assert still.stalled
    still.reset()
    assert not still.stalled
    assert still.update(2.0)


def test_a_short_halt_is_no_reason_for_a_solver_of_minutes():
    """As on news20 with C = 100: the gap of a few rows is smaller than that of all, seen again a little later."""

    def gap(k: int) -> float:
        return 1e-3 if k < 12 else 0.5 if k < 30 else 0.0

    halting = Scripted(gap=gap)
    stages = [Stage(halting, "halts", patience=6000.0), Stage(Scripted(name="second"), "next")]
    solution = run(stages, PROBLEM, Limits(tol=1e-12), certify)
    assert solution.status == Status.CONVERGED
    assert solution.history[-1].solver == "scripted"
