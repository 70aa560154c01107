"""separatrix's compiled core"""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def instruction_set() -> str:
    """The instruction set in use: avx512, avx2 or baseline."""

class Team:
    """Threads that take part in the core's loops while it is entered."""

    def __init__(self, n_threads: int) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object | None, error: object | None, trace: object | None) -> None: ...

class Rows:
    """
    A view of the rows of a dense or CSR matrix; it shares the arrays' memory.
    """

    def scores(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1, begin: int = 0) -> None:
        """out = X w for some rows, from `begin` on."""

    def plane_scores(self, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
        """out (n, planes) = X W^T."""

    def weighted_sum(self, c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1, begin: int = 0) -> None:
        """out (d,) = the sum over some rows, from `begin` on, of c_i x_i."""

    def add_rows(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """out (d,) += sum_k c_k x_ids[k]."""

    def squared_norms(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
        """out (n,) = ||x_i||^2."""

    def add_normal_matrix(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu')], *, ones: bool, n_threads: int = 1, begin: int = 0) -> None:
        """
        Lower triangle of out (D, D) += the sum over some rows, from `begin` on, of t_i a_i a_i^T, a_i = (x_i, 1) with `ones`.
        """

    def move_normal_matrix(self, C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], active: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu')], *, ones: bool, n_threads: int = 1, begin: int = 0) -> None:
        """
        out (D, D) from the active of some rows, from `begin` on, to those with slack > 0, weights t_i = 2 C_i.
        """

    def squared_hinge(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, ones: bool, n_threads: int = 1, begin: int = 0) -> tuple[float, float]:
        """
        slack_i = 1 - y_i a_i.w of some rows, from `begin` on; v (D,) += the sum of alpha_i y_i a_i, alpha_i = 2 C_i max(0, slack_i). Returns the sums of C_i max(0, slack_i)^2 and of alpha_i.
        """

    def descent(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, tuning: object, squared: bool, kappa: float, seed: int, mapped: bool = False) -> Descent:
        """Dual coordinate descent from alpha = 0; tuning is a record of numbers."""

def squared_hinge_slope(C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], after: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], t: float) -> tuple[float, float]:
    """
    First and second derivative at t of the sum of C_i max(0, s_i)^2, s = slack before + t (slack after - slack before).
    """

@overload
def dense_rows(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Rows: ...

@overload
def dense_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Rows:
    """The rows of a C-contiguous matrix."""

@overload
def sparse_rows(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int) -> Rows: ...

@overload
def sparse_rows(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int) -> Rows: ...

@overload
def sparse_rows(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int) -> Rows: ...

@overload
def sparse_rows(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int) -> Rows:
    """The rows of a CSR matrix; columns within a row are distinct."""

class DescentReport:
    """What one epoch saw."""

    @property
    def gap(self) -> float:
        """The visited rows' shares of the duality gap, each before its update."""

    @property
    def dual(self) -> float:
        """sum_i dual_term(alpha_i) - 1/2 ||w||^2."""

    @property
    def active(self) -> int:
        """Rows visited."""

    @property
    def epochs(self) -> int:
        """Epochs so far."""

    @property
    def steps(self) -> int:
        """Accelerated steps taken so far."""

    @property
    def work(self) -> float:
        """Entries of rows read so far."""

    @property
    def residual(self) -> float:
        """sum_i alpha_i y_i; 0 without a bias."""

    @property
    def bias(self) -> float:
        """centre + kappa * residual."""

    @property
    def room(self) -> float:
        """
        Sum of the distances of alphas to their nearer bound; 0 without a bias.
        """

    @property
    def whole(self) -> bool:
        """Whether there was time to visit every active row."""

    @property
    def copied(self) -> bool:
        """Whether the pass read a copy of the active rows."""

class Descent:
    """The state of dual coordinate descent on one problem."""

    def epoch(self, seconds: float = float('inf')) -> DescentReport:
        """Visit every active row once, or as many as there is time for."""

    def inactive_gap(self, threshold: float, seconds: float = float('inf')) -> float:
        """
        The gap of the inactive rows, or infinity if there was no time; where it is more than threshold, rows that are part of it become active again.
        """

    def unshrink(self) -> None:
        """Make every row active."""

    def resum(self) -> None:
        """Compute w anew from alpha."""

    def set_centre(self, centre: float) -> None:
        """Move the centre of the bias."""

    def get_alpha(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], begin: int = 0) -> None:
        """Write the alphas of some rows, from `begin` on."""

    def place_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int = 0) -> None:
        """
        Set the alphas of some rows, clipped to their bounds; `resum` comes next.
        """

    def set_alpha(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Continue from alpha (n,), clipped to its bounds."""

    def get_w(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write w (d,)."""

    def bias(self) -> float:
        """The bias b."""

def epoch_over_parts(parts: Sequence[Descent], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], bias: float, seed: int) -> float:
    """
    One epoch over the rows of descents without copies as if they were one, from w (d,), changed, and b; the new b.
    """

class Comparator:
    """What the running bound of an online perceptron compares the rows with."""

    @property
    def restart_at(self) -> int:
        """Rows visited at which the comparator is chosen anew."""

    @restart_at.setter
    def restart_at(self, arg: int, /) -> None: ...

    @property
    def updates(self) -> int:
        """Updates before the last restart."""

    @updates.setter
    def updates(self, arg: int, /) -> None: ...

    @property
    def visits(self) -> int:
        """Rows visited before the last restart."""

    @visits.setter
    def visits(self, arg: int, /) -> None: ...

    @property
    def longest(self) -> float:
        """max ||x||^2 of all rows so far."""

    @longest.setter
    def longest(self, arg: float, /) -> None: ...

    @property
    def margin(self) -> float:
        """The largest of the margins whose deficits are kept."""

    @margin.setter
    def margin(self, arg: float, /) -> None: ...

    @property
    def deficits(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Sums of squared deficits for the margins margin 2^-j, shared memory."""

    @property
    def direction(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]] | None:
        """Copies of u, flat, and its bias; None before the first restart."""

class PerceptronState:
    """A perceptron run: one plane for two classes, one a class for many."""

    def __init__(self, planes: int, columns: int, *, step: float = 1.0, gain: float = 0.0, decreasing: bool = False, averaged: bool = False, pocket: bool = False, ratchet: bool = True, logged: bool = False, rows: int = 0) -> None:
        """
        w = 0. `rows` (0: none) is the number of rows whose updates are counted.
        """

    @property
    def w(self) -> NDArray[numpy.float64]:
        """Weights (planes, columns), shared memory."""

    @property
    def b(self) -> NDArray[numpy.float64]:
        """Biases (planes,), shared memory."""

    @property
    def lag(self) -> NDArray[numpy.float64]:
        """The sum of w over all visits is visits * w - lag; empty: not kept."""

    @property
    def lag_b(self) -> NDArray[numpy.float64]:
        """The same for b."""

    @property
    def counts(self) -> NDArray[numpy.int64]:
        """Updates on each row, shared memory; empty: not counted."""

    @property
    def pocket_w(self) -> NDArray[numpy.float64]:
        """Weights in the pocket (1, columns), shared memory; empty: no pocket."""

    @property
    def pocket_b(self) -> NDArray[numpy.float64]:
        """Bias in the pocket."""

    @property
    def pocket_run(self) -> int:
        """Length of the run in the pocket; -1: none."""

    @pocket_run.setter
    def pocket_run(self, arg: int, /) -> None: ...

    @property
    def pocket_errors(self) -> int:
        """Errors of the pocket; -1: not counted."""

    @pocket_errors.setter
    def pocket_errors(self, arg: int, /) -> None: ...

    @property
    def ratchet(self) -> bool:
        """Whether the pocket changes only for fewer errors on all rows."""

    @property
    def visits(self) -> int:
        """Rows visited."""

    @visits.setter
    def visits(self, arg: int, /) -> None: ...

    @property
    def updates(self) -> int:
        """Updates made."""

    @updates.setter
    def updates(self, arg: int, /) -> None: ...

    @property
    def run(self) -> int:
        """Rows classified correctly since the last update."""

    @run.setter
    def run(self, arg: int, /) -> None: ...

    @property
    def planes(self) -> int: ...

    @property
    def columns(self) -> int: ...

    @property
    def step(self) -> float: ...

    @property
    def gain(self) -> float: ...

    @property
    def decreasing(self) -> bool: ...

    @property
    def logged(self) -> bool:
        """Whether each update is written down in `log`."""

    @property
    def log(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """A copy: (row, visits before it, rival) of each update, shape (m, 3)."""

    @log.setter
    def log(self, arg: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], /) -> None: ...

    @property
    def comparator(self) -> Comparator: ...

    def set_direction(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Compare the rows to come with this unit vector."""

    @overload
    def visit(self, rows: Rows, signs: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, norm_bound: float, n_threads: int = 1) -> int:
        """
        Visit the positions begin .. end - 1 of an order; returns the updates made.
        """

    @overload
    def visit(self, rows: Rows, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, norm_bound: float, n_threads: int = 1) -> int:
        """The same for many classes, through Kesler's construction."""

    @overload
    def learn(self, rows: Rows, signs: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Predict each row, then learn it: positions of the mistakes, and what was predicted there (0 or 1).
        """

    @overload
    def learn(self, rows: Rows, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        The same for many classes: positions of the mistakes, and the rival of each.
        """

    @overload
    def learn_one(self, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sign: int) -> int: ...

    @overload
    def learn_one(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sign: int) -> int:
        """
        One row (1, columns): -1 if it is not finite, else 1 if it was predicted positive and 0 if not.
        """

    def most_updates(self) -> float:
        """The most updates that the rows so far can have caused."""

def doubtful_rows(rows: Rows, signs: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: float, norm_bound: float, n_threads: int = 1) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Rows whose sign rounding may have got wrong."""

def measure_rows(rows: Rows) -> tuple[int, float]:
    """
    The first row whose norm is not finite (-1: none), and the largest squared norm before it.
    """

def squared_norm_bound(rows: Rows, n_threads: int = 1) -> float:
    """
    At least max ||x||^2 where rows are scored in float first (dense float32), else infinite.
    """

def read_memory(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> float:
    """Read every entry once: the speed of memory, for comparison."""

def hard_margin(rows: Rows, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, max_rounds: int) -> tuple:
    """
    (outcome, w, b, rows, weights) of the widest slab; outcome 0 optimal, 1 infeasible, 2 stalled.
    """

class ActiveSet:
    """Least-norm point of a polyhedron by a dual active-set method."""

    def __init__(self, width: int, free_bias: bool) -> None: ...

    def add(self, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rhs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add constraints rows[i].u >= rhs[i]."""

    def begin_with(self, p: int, q: int) -> bool:
        """Start from a pair of rows; False if their x are equal."""

    def solve(self, max_steps: int) -> int:
        """0 optimal, 1 infeasible, 2 stalled."""

    @property
    def point(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def active(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def multipliers(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def dependent(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def dependence(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def return_freed_memory() -> None:
    """
    From now on arrays of 256 KiB or more go back to the system when they are freed.
    """

class LibsvmReader:
    """LIBSVM text in buffers of any size to CSR arrays."""

    def feed(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
        """Parse the lines that end in this buffer; False after a fault."""

    def finish(self) -> bool:
        """Parse a last line that has no line end; False after a fault."""

    def take(self) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]:
        """
        Values, columns, end of each row, label code and query of each row, of the rows since the last call.
        """

    def error(self) -> tuple[str, int, int, bytes]:
        """The fault, its line and column from 1, and what stands there."""

    def labels(self) -> list[tuple[bytes, int, int]]:
        """Each distinct label, and where it was first."""

    @property
    def rows(self) -> int:
        """Rows so far."""

    @property
    def entries(self) -> int:
        """Entries so far."""

    @property
    def width(self) -> int:
        """The largest column so far, plus 1."""

    @property
    def dropped(self) -> int:
        """Entries left out so far."""

    @property
    def zero_seen(self) -> bool:
        """Whether an index was 0."""

    @property
    def has_labels(self) -> bool:
        """Whether rows have labels."""

    @property
    def has_queries(self) -> bool:
        """Whether rows have a qid."""

def libsvm_reader(*, single: bool, zero_based: bool, zero_allowed: bool, drop_beyond: bool, n_columns: int, n_threads: int) -> LibsvmReader:
    """A reader of LIBSVM text; n_columns bounds the columns that are kept."""

class KernelFormula:
    """A kernel that the core knows."""

    def __init__(self, kind: str, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1) -> None: ...

class KernelPoints:
    """Rows as points of a kernel; the memory is shared."""

    def __init__(self, rows: Rows) -> None: ...

def kernel_scores(formula: KernelFormula, targets: KernelPoints, sources: KernelPoints, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], wide: bool, n_threads: int, target_rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, source_rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
    """
    out (n, classes) += sum_j k(x_i, s_j) coef (m, classes); of the points with these numbers only, where they are given.
    """

class SmoReport:
    """What some rounds of block SMO reached."""

    def __init__(self) -> None: ...

    @property
    def primal(self) -> float:
        """Primal value that F implies."""

    @property
    def dual(self) -> float:
        """Dual value that F implies."""

    @property
    def bias(self) -> float:
        """The bias b."""

    @property
    def violation(self) -> float:
        """Largest violation of the optimality conditions."""

    @property
    def rounds(self) -> int:
        """Working sets so far."""

    @property
    def steps(self) -> int:
        """Updates of alpha so far."""

    @property
    def active(self) -> int:
        """Rows that are worked on."""

    @property
    def computed(self) -> int:
        """Rows of K computed so far, repetitions included."""

    @property
    def reached(self) -> bool:
        """Whether the gap is within the target."""

    @property
    def stalled(self) -> bool:
        """Whether more rounds would change nothing."""

    @property
    def negative_first(self) -> int:
        """Row i of a pair of negative curvature, or -1."""

    @property
    def negative_second(self) -> int:
        """Row j of that pair."""

    @property
    def curvature(self) -> float:
        """K_ii + K_jj - 2 K_ij."""

class BlockSmo:
    """The state of block SMO on one kernel problem."""

    def run(self, target: float, rounds: int, seconds: float) -> SmoReport:
        """Rounds until the relative gap is within target."""

    def select(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Choose a working set; the rows of K that are needed."""

    def supply(self, K: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """The rows of K (m, n) that select asked for."""

    def advance(self, target: float) -> SmoReport:
        """Solve the working set."""

    def set_point(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], F: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Continue from alpha (n,), with F = K (alpha y) (n,)."""

    def tolerate_negative(self) -> None:
        """Go on in spite of negative curvature, and forget what was seen."""

    def get_alpha(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write alpha (n,)."""

    def get_sums(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write F = K (alpha y) (n,) as the rounds have added it up."""

def block_smo(points: KernelPoints | None, formula: KernelFormula, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, wide: bool, squared: bool, bias: str, working_set: int, cache_mb: float, shrink: bool, stop_on_negative: bool, n_threads: int) -> BlockSmo:
    """
    Block SMO from alpha = 0; without points the caller supplies the rows of K.
    """

class JointDescent:
    """Passes of the Crammer-Singer dual."""

    def run(self, seconds: float) -> tuple[float, float, int, bool]:
        """
        One pass over the active rows: (sum of losses seen, largest violation, rows visited, whether time sufficed).
        """

    def restore(self) -> None:
        """All rows take part again."""

    def move_offset(self) -> None:
        """One step of the multipliers of a free bias."""

    def start(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Begin at alpha (n, k), with an offset (k,) of the scores."""

    @property
    def half_norm(self) -> float:
        """1/2 ||W||^2"""

    @property
    def active(self) -> int:
        """Rows that take part in a pass."""

    def copy_alpha(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """alpha (n, k)"""

    def copy_bias(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """b (k,)"""

def joint_descent(rows: Rows, codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, tau_squared: float, seed: int) -> JointDescent:
    """The joint multi-class descent on these rows."""

class PathStage(enum.Enum):
    """Which right-hand side of a step's linear system."""

    predictor = 0

    correction = 1

class PathDirection:
    """A direction of the interior point; it writes to the arrays given."""

    def __init__(self, squared: bool, C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], beta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], xi: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], da: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], c: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def theta(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the weights (n,)."""

    def right_side(self, stage: PathStage, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write g (n,)."""

    def weigh(self, stage: PathStage, begin: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """values = theta (g - values) for the rows from `begin` on."""

    def predicted_falls(self) -> tuple:
        """
        How fast alpha, s, beta and xi fall along the predictor, relative to themselves, at most.
        """

    def predicted_products(self, reach: float) -> tuple:
        """
        The sum of all products now, and after a step of this length along the predictor.
        """

    def correct(self, target: float, mu: float) -> None:
        """Aim products at the target."""

    def fall(self) -> float:
        """How fast any quantity falls, relative to itself, at most."""

    def take(self, reach: float) -> None:
        """Move the iterate along the direction."""

def solve_small(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, signs: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], squared: bool, bias: str, aim: float, chain: int, n_threads: int, tuning: object) -> tuple:
    """
    All binary problems of a fit to the rows (n, d) or the kernel matrix gram (n, n), of which exactly one is given: signs (k, n) are -1, 1, or 0 where a row takes no part, costs (k, n) are C_i > 0. tuning is a record of numbers. Of each `chain` consecutive problems all but the first begin at the answer to the one before. Returns alpha (k, n), w (k, d) or None, b (k,), the work in products (k,), and whether the relative gap is below aim (k,).
    """
