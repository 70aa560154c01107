"""The perceptron algorithm on the weights themselves.

    for each row with y_i f(x_i) <= 0:     w += s y_i x_i,     b += s y_i c^2                 f(x) = w.x + b

c is the constant of the fictitious column (0: no bias, 1: `unit`, R: `radius`), s the step, fixed or 1 / sqrt(t) at
update t. A pass without a mistake ends the run. With many classes (Kesler's construction) each class has a plane, and a
row whose own class y does not score highest is added to it and taken from the highest-scoring rival r:

    for each row with f_y(x_i) <= f_r(x_i):     w_y += s x_i,  b_y += s c^2;     w_r -= s x_i,  b_r -= s c^2

which is the two-class perceptron on the rows z = (.., x_i, .., -x_i, ..), ||z||^2 = 2 ||x_i||^2.

Rows are scored in blocks, and by threads when mistakes are rare; the updates are those of the sequential algorithm, bit
for bit. Rosenblatt (1958); Duda and Hart (1973), section 5.12, and Crammer and Singer (2003) for many classes;
Gallant (1990) for the pocket.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._core import PerceptronState as PerceptronState
from separatrix.errors import ParameterError, with_hint
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.result import PlaneRule, PrimalState, Rule, RunResult, votes_of
from separatrix.perceptron.rows import Counts, LabelledRows, dense_row, misclassified
from separatrix.problem import Status
from separatrix.problem.mistakes import MistakeHistory
from separatrix.solvers.loop.deadline import look_at_the_clock

# The arrays that share the memory of a state, by their names in files; W is `w` of the state.
_SHARED = ("W", "b", "lag", "lag_b", "pocket_w", "pocket_b", "counts")
#: The arrays of planes that learn row by row, by the names that files have for them.
PLANES = ("W", "b", "tally", "lag", "lag_b", "pocket_w", "pocket_b", "pocket", "watch", "u", "u_b")


class PrimalPasses:
    """Passes over rows; ``before`` is a state to go on from.

    >>> rows = LabelledRows(np.array([[2.0], [-1.0]]), np.array([1, -1], dtype=np.int8), constant=1.0)
    >>> passes = PrimalPasses(rows, Settings())
    >>> [passes.step() for _ in range(2)]
    [1, 0]
    >>> passes.state.w, passes.state.b, passes.state.counts.tolist()
    (array([[2.]]), array([1.]), [1, 0])
    """

    def __init__(self, rows: LabelledRows, settings: Settings, before: PrimalState | None = None) -> None:
        self.rows, self.settings = rows, settings
        counted, columns = rows.n_rows if rows.classes == 2 else 0, int(rows.X.shape[1])
        if before is not None:
            if before.run.columns != columns:
                raise ValueError(
                    f"warm_start=True goes on from weights of {before.run.columns} columns; X has {columns}."
                )
            same_rows = before.n_rows == rows.n_rows
            if settings.output == "voted" and not same_rows:
                raise with_hint(
                    ParameterError,
                    "output='voted' needs the rows of all updates so far, and warm_start=True goes on from a fit of "
                    f"{before.n_rows} rows; X has {rows.n_rows}.",
                    "fit with warm_start=False, or output='averaged'",
                )
            self.rng = before.rng
            self.state = resumed(before.run, rows.gain, settings, rows=counted, same_rows=same_rows)
            return
        self.rng = np.random.default_rng(settings.seed)
        self.state = new_state(rows.n_planes, columns, rows.gain, settings, rows=counted)
        if settings.start is not None:
            for plane, sign in rows.shares(settings.start):
                self.state.w[plane] += sign * dense_row(rows.X, settings.start)
                self.state.b[plane] += sign * rows.gain

    @property
    def updates(self) -> int:
        """Updates so far."""
        return self.state.updates

    def step(self) -> int:
        """One pass, the number of updates; 0 only if every row is classified correctly in exact arithmetic.

        Where a pass made no update, a row that only rounding put on its side gets one. Many classes are not rechecked:
        their certificate is made exactly, or not at all.
        """
        made = self.sweep()
        if made or self.rows.classes > 2:
            return made
        wrong = misclassified(self.rows, self.state.w[0], float(self.state.b[0]), self.settings.n_threads)
        if len(wrong):
            self.update(int(wrong[0]))
        return min(1, len(wrong))

    def sweep(self) -> int:
        """One pass in floating point, the number of updates; `OutOfTime` between two portions if time is over."""
        order, made = self.next_order(), 0
        for begin, end in self.rows.portions():
            made += self.visit(order, begin, end)
            if end < self.rows.n_rows:
                look_at_the_clock()
        return made

    def visit(self, order: NDArray[np.int64] | None, begin: int, end: int) -> int:
        """The positions begin .. end - 1 of an order (None: row after row); the number of updates."""
        rows = self.rows
        return self.state.visit(
            rows.compiled, rows.labels, order, begin, end, rows.norm_bound, self.settings.n_threads
        )

    def next_order(self) -> NDArray[np.int64] | None:
        """The order of the next pass; None means row after row.

        Shuffled, runs of consecutive rows come in a random order and so do the rows of each.
        """
        if not self.settings.shuffle:
            return None
        n, run = self.rows.n_rows, self.rows.run_length
        if run == 1:
            return self.rng.permutation(n)
        begins = run * self.rng.permutation(-(-n // run))
        return np.concatenate(
            [begin + self.rng.permutation(min(run, n - begin)) for begin in begins.tolist()]
        )

    def update(self, row: int) -> None:
        """An update on a row of two classes that is misclassified exactly, though rounding hides it."""
        state, x = self.state, dense_row(self.rows.X, row)
        scale = float(self.settings.sizes(state.updates, 1)[0]) * float(self.rows.labels[row])
        state.w[0] += scale * x
        state.b[0] += scale * self.rows.gain
        if state.lag.size:
            missing = scale * float(state.visits)
            state.lag[0] += missing * x
            state.lag_b[0] += missing * self.rows.gain
        state.counts[row] += 1
        if state.logged:
            state.log = np.vstack([state.log, [[row, state.visits, 0]]])
        state.visits, state.updates, state.run = state.visits + 1, state.updates + 1, 0

    def result(self, status: Status, history: MistakeHistory) -> RunResult:
        """The result after the last pass."""
        rows, settings, state = self.rows, self.settings, self.state
        W, b, log = state.w.copy(), state.b.copy(), state.log
        rule: Rule = PlaneRule(W, b)
        if settings.output == "averaged":
            visits = max(1, state.visits)
            rule = PlaneRule(W - state.lag / visits, b - state.lag_b / visits)
        elif settings.output == "pocket" and state.pocket_run >= 0:
            rule = PlaneRule(state.pocket_w.copy(), state.pocket_b.copy())
        elif settings.output == "voted":
            rule = votes_of(rows, settings, log, state.visits)
        beta, counts = self._coefficients(log)
        found = RunResult(status, len(history), state.updates, history, W, b, beta, counts, rule)
        return replace(found, state=PrimalState(state, self.rng, rows.n_rows), pairs=rows.pair_counts(log))

    def _coefficients(self, log: Counts) -> tuple[NDArray[np.float64], Counts]:
        """beta (n, p) with w = sum_i beta_i x_i, and the updates on each row (n,)."""
        rows, settings, counts = self.rows, self.settings, self.state.counts.copy()
        who, labels = log[:, 0], rows.labels
        first = self.state.updates - len(log)  # updates before the log began, on the rows of an earlier fit
        beta = np.zeros((rows.n_rows, rows.n_planes))
        if rows.classes > 2:
            counts = np.bincount(who, minlength=rows.n_rows).astype(np.int64)
            sizes = settings.sizes(first, len(log))
            np.add.at(beta, (who, labels[who]), sizes)
            np.add.at(beta, (who, log[:, 2]), -sizes)
        elif settings.decreasing:
            np.add.at(beta[:, 0], who, settings.sizes(first, len(log)) * labels[who])
        else:
            updated = np.flatnonzero(counts)
            beta[updated, 0] = counts[updated] * labels[updated].astype(np.float64) * settings.size
        if settings.start is not None:
            for plane, amount in rows.shares(settings.start):
                beta[settings.start, plane] += amount
        return beta, counts


def new_state(
    planes: int, columns: int, gain: float, settings: Settings, *, rows: int = 0, online: bool = False
) -> PerceptronState:
    """Planes w = 0; ``rows`` is the number of rows whose updates are counted.

    Online there is no log, and no ratchet of the pocket, which would have to see all rows again.
    """
    return PerceptronState(
        planes,
        columns,
        step=settings.size,
        gain=gain,
        decreasing=settings.decreasing,
        averaged=settings.output == "averaged",
        pocket=settings.output == "pocket",
        ratchet=not online,
        logged=not online and (planes > 1 or settings.output == "voted" or settings.decreasing),
        rows=rows,
    )


def resumed(
    old: PerceptronState,
    gain: float,
    settings: Settings,
    *,
    rows: int = 0,
    same_rows: bool = False,
    online: bool = False,
) -> PerceptronState:
    """A copy that goes on with these settings; on other rows updates are counted anew."""
    new, arrays = new_state(old.planes, old.columns, gain, settings, rows=rows, online=online), to_arrays(old)
    if new.lag.size > old.lag.size or new.pocket_w.size > old.pocket_w.size or new.logged > old.logged:
        raise with_hint(
            ParameterError,
            f"output={settings.output!r} with step={settings.step!r} needs the run from its first row on, "
            "and the fit to go on from had other parameters.",
            "fit again",
        )
    if not same_rows:
        arrays |= {"counts": new.counts, "log": new.log}
    fill(new, arrays)
    return new


def to_arrays(state: PerceptronState) -> dict[str, NDArray[Any]]:
    """Everything that a run has changed; an empty array where something is not kept.

    ``tally`` is (visits, updates, run), ``pocket`` (run, errors, ratchet), ``watch`` the comparator's numbers.
    """
    comparator = state.comparator
    u, u_b = comparator.direction or (np.zeros(state.w.size), np.zeros(state.planes))
    watch = [comparator.restart_at, comparator.updates, comparator.visits, comparator.direction is not None]
    return {
        **{name: getattr(state, name.lower()).copy() for name in _SHARED},
        "tally": np.array([state.visits, state.updates, state.run]),
        "pocket": np.array([state.pocket_run, state.pocket_errors, int(state.ratchet)]),
        "watch": np.array([*watch, comparator.longest, comparator.margin, *comparator.deficits]),
        "u": u.reshape(state.w.shape),
        "u_b": u_b,
        "log": state.log,
    }


def fill(state: PerceptronState, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put back what `to_arrays` wrote down; what the state does not keep is left out, as is what is missing."""
    for name in _SHARED:
        array = getattr(state, name.lower())
        if array.size:
            array[:] = arrays[name].reshape(array.shape)
    state.visits, state.updates, state.run = arrays["tally"].tolist()
    state.pocket_run, state.pocket_errors = arrays["pocket"][:2].tolist()
    if state.logged:
        state.log = np.ascontiguousarray(arrays["log"], dtype=np.int64)
    if "watch" in arrays:
        comparator, numbers = state.comparator, arrays["watch"].tolist()
        comparator.restart_at, comparator.updates, comparator.visits = (int(number) for number in numbers[:3])
        comparator.longest, comparator.margin = numbers[4:6]
        comparator.deficits[:] = numbers[6:]
        if numbers[3]:
            state.set_direction(np.ascontiguousarray(arrays["u"]), np.ascontiguousarray(arrays["u_b"]))


def copied(state: PerceptronState, arrays: Mapping[str, NDArray[Any]]) -> PerceptronState:
    """A state of the same kind with these arrays."""
    return _restored(_kind(state), arrays)


def _kind(state: PerceptronState) -> dict[str, Any]:
    return {
        "planes": state.planes,
        "columns": state.columns,
        "step": state.step,
        "gain": state.gain,
        "decreasing": state.decreasing,
        "averaged": state.lag.size > 0,
        "pocket": state.pocket_w.size > 0,
        "ratchet": state.ratchet,
        "logged": state.logged,
        "rows": len(state.counts),
    }


def _restored(kind: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> PerceptronState:
    state = PerceptronState(**kind)
    fill(state, arrays)
    return state


# For pickle and copy.deepcopy.
copyreg.pickle(PerceptronState, lambda state: (_restored, (_kind(state), to_arrays(state))))
