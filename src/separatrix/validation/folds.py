"""Cross-validation for many C as one problem: what its cells have in common is computed once.

    kernel matrix      one for all rows, all C and all folds; squared distances once for all widths of an rbf kernel
    solving            the binary problems of all C and folds in a few calls of the compiled core, on all threads;
                       what it leaves goes on in the ordinary solvers, each C from the one before
    proof, prediction  one product gives the scores of the training rows, which prove the gap, and of the test rows

Every cell has a gap proved as in a fit. Where a cell asks for more (a hard margin, limits, classes in one problem, a
kernel that no theorem makes positive semidefinite, more rows than fit in memory) the models are fitted one by one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from separatrix.fitting.binary import solve
from separatrix.fitting.callbacks import has_callbacks
from separatrix.fitting.context import FitContext
from separatrix.fitting.convergence import GapWarning
from separatrix.fitting.inputs import check_labels, check_matrix, row_costs
from separatrix.fitting.parameters import LARGEST_C, Settings, check_parameters, is_linear, seed_of
from separatrix.fitting.predicting import pair_votes
from separatrix.fitting.training import Task, TrainingData, tasks
from separatrix.problem import Point, Problem, Solution
from separatrix.problem.kernels import Kernel, Precomputed, Rbf, make_kernel, number, squared_distances
from separatrix.problem.problem import ProblemSet
from separatrix.problem.scaling import scaling_of
from separatrix.proof.duality import certify, certify_together
from separatrix.solvers.small.solver import SmallAnswer, solve_small
from separatrix.svm.svc import SVC
from separatrix.threads import fit_threads, run_blocks
from separatrix.types import Matrix, Vector

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Sharing:
    """Sizes up to which cells share their work."""

    entries: int = 1 << 22  #: of X made dense, 32 MiB: a linear problem beyond is long enough by itself
    kernel_part: float = 0.5  #: of cache_mb for one kernel matrix; distances and products take as much again
    values: int = 1 << 21  #: numbers of alphas held at a time, 16 MiB; a proof takes about ten times as much
    #: Products that a problem may take in the compiled call before the ordinary solver has it: about what it takes to
    #: read the kernel matrix twenty times, or the rows three hundred times, where most problems have long ended.
    gram_sweeps: int = 20
    row_sweeps: int = 300
    call: float = 2e9  #: products that a compiled call divides among its problems


SHARING = Sharing()


@dataclass(frozen=True, eq=False)
class FoldTable:
    """Predictions and proved gaps of every C on every split."""

    predicted: list[NDArray[Any]]  #: for each split (n_Cs, n_test) labels
    gaps: Vector  #: (n_Cs, n_splits) largest relative gap of the binary problems of a cell


class Folds:
    """Rows X (n, d), labels y (n,) and splits (train, test) of a search.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> folds = Folds(X, y, [(np.array([0, 3]), np.array([1, 2]))])
    >>> table = folds.table(SVC(), [0.1, 10.0])
    >>> table.predicted[0].tolist(), bool(table.gaps.max() <= 1e-3)
    ([[0, 1], [0, 1]], True)
    """

    def __init__(self, X: Any, y: Any, splits: Sequence[Split]) -> None:
        self.X, self.y, self.splits = X, np.asarray(y), splits
        self._distances: Vector | None = None

    def table(self, model: Any, Cs: Sequence[float]) -> FoldTable:
        """The table of a model's path over C, whatever else its parameters are."""
        return self.tables([(model, Cs)])[0]

    def tables(
        self, paths: Sequence[tuple[Any, Sequence[float]]], done: Callable[[int], None] = lambda place: None
    ) -> list[FoldTable]:
        """The tables of several models, each with its costs; ``done`` is called with the place of each part that ends.

        A model that scales its columns sees the rows of a fold scaled by what its training rows have: the parts of its
        table are made fold by fold, together with those of the models that scale alike.
        """
        parts: list[list[FoldTable]] = [[] for _ in paths]
        kinds = [model.scaling if type(model) is SVC else None for model, _ in paths]
        for kind in dict.fromkeys(kinds):
            for folds in [self] if kind is None else self._each_scaled(kind):
                for k in [k for k, own in enumerate(kinds) if own == kind]:
                    model, Cs = paths[k]
                    plain = model if kind is None else clone(model).set_params(scaling=None)
                    parts[k].append(folds._path(plain, [float(C) for C in Cs]))
                    done(k)
        return [
            FoldTable([cells for part in own for cells in part.predicted], np.hstack([p.gaps for p in own]))
            for own in parts
        ]

    def _each_scaled(self, kind: str) -> Iterator[Folds]:
        """Each split by itself, its columns scaled as those of its training rows."""
        X: Any = check_matrix(SVC(), self.X, reset=True)
        for train, test in self.splits:
            yield Folds(scaling_of(X[train], kind).apply(X), self.y, [(train, test)])

    def _path(self, model: Any, costs: list[float]) -> FoldTable:
        shared = self._shared(model, costs)
        return _one_by_one(model, self.X, self.y, costs, self.splits) if shared is None else shared.table()

    def _shared(self, model: Any, costs: list[float]) -> _SharedTable | None:
        """The work that the cells of this model share; None where they must be fitted one by one."""
        plain = type(model) is SVC and model.solver == "auto" and not (model.strict or model.verbose)
        if not plain or model.max_iter is not None or model.max_time is not None or has_callbacks(model):
            return None
        if not costs or not all(0 < C <= LARGEST_C for C in costs):
            return None
        settings = check_parameters(model.get_params(deep=False))
        X = check_matrix(clone(model), self.X, reset=True)
        classes, codes = check_labels(self.y, X.shape[0])
        if model.multi_class == "crammer-singer" and len(classes) > 2:
            return None
        n, d = X.shape
        if is_linear(model.kernel):
            fits = n * d <= SHARING.entries
        else:
            fits = 8 * n * n <= SHARING.kernel_part * settings.cache_mb * 2**20
        if not fits or any(len(np.unique(codes[train])) < len(classes) for train, _ in self.splits):
            return None
        kernels: list[Kernel | None] = [None] * len(self.splits)
        if not is_linear(model.kernel):
            made = [
                make_kernel(model.kernel, X[train], model.degree, model.gamma, model.coef0)
                for train, _ in self.splits
            ]
            if not all(kernel.definite for kernel in made):
                return None
            kernels = [*made]
        data = TrainingData(X, classes, codes, np.ones(n))
        shared = _SharedTable(self, model, settings, data, kernels, costs)
        return shared if shared.counts_all else None

    def matrix(self, kernel: Kernel, X: Matrix) -> Vector:
        """The kernel matrix of all rows; for an rbf kernel from squared distances that are computed once."""
        if not isinstance(kernel, Rbf):
            return np.ascontiguousarray(kernel.matrix(X, X))
        if self._distances is None:
            self._distances = squared_distances(X, X)
        K = self._distances * -number(kernel.gamma)
        return np.asarray(np.exp(K, out=K))


def path_predictions(
    model: Any, X: Any, y: Any, Cs: Sequence[float], splits: Sequence[Split]
) -> list[NDArray[Any]]:
    """For each split (train, test) the predictions of the test rows by every C, shape (len(Cs), len(test)).

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> split = (np.array([0, 3]), np.array([1, 2]))
    >>> path_predictions(SVC(), X, y, [0.1, 10.0], [split])
    [array([[0, 1],
           [0, 1]])]
    """
    return Folds(X, y, splits).table(model, Cs).predicted


@dataclass(eq=False)
class _Cells:
    """The binary problems of some folds, tasks and costs (k of them), and how far each is solved."""

    folds: NDArray[np.intp]  #: (k,)
    tasks: NDArray[np.intp]
    costs: NDArray[np.intp]
    problems: ProblemSet  #: a row takes no part where it is held out, or of a class that is not asked for
    points: SmallAnswer


class _SharedTable:
    """The cells of one model: its kernel's width is fixed, the costs vary."""

    def __init__(
        self,
        folds: Folds,
        model: SVC,
        settings: Settings,
        data: TrainingData,
        kernels: list[Kernel | None],
        costs: list[float],
    ) -> None:
        self.folds, self.settings, self.data, self.kernels, self.costs = folds, settings, data, kernels, costs
        self.tasks = tasks(data, model.multi_class)
        self.pairwise = model.multi_class == "ovo"
        self.seed = seed_of(model.random_state)
        ones = np.ones(len(data.codes))
        #: C_i for C = 1 on each fold: balanced weights follow from its training rows.
        self.unit_costs = [
            row_costs(1.0, model.class_weight, data.classes, data.codes[train], ones[train])
            for train, _ in folds.splits
        ]
        X = data.X
        self.rows = None if kernels[0] is not None else _dense(X)
        shape = len(costs), len(folds.splits), len(self.tasks)
        self.gaps = np.zeros(shape)
        self.scores = [np.zeros((len(costs), len(test), len(self.tasks))) for _, test in folds.splits]

    @property
    def counts_all(self) -> bool:
        """True if every training row has a cost: a class weight of 0 takes rows out."""
        return all(bool(np.all(unit > 0)) for unit in self.unit_costs)

    def table(self) -> FoldTable:
        """Solve, prove and predict every cell."""
        with fit_threads(self.settings.n_threads), np.errstate(over="ignore", invalid="ignore"):
            for kernel in dict.fromkeys(self.kernels):
                with_kernel = [f for f, own in enumerate(self.kernels) if own == kernel]
                K = None if kernel is None else self.folds.matrix(kernel, self.data.X)
                for cells in self._cells(with_kernel, kernel, K):
                    self._finish(cells, K)
                    self._prove(cells, K)
        self._warn()
        return FoldTable(
            [self._labels(scores) for scores in self.scores],
            self.gaps.max(axis=2),
        )

    def _cells(self, folds: list[int], kernel: Kernel | None, K: Vector | None) -> Iterator[_Cells]:
        """All binary problems of these folds, solved as many at a time as memory and a compiled call have room for."""
        n, d = self.data.X.shape
        sweeps = SHARING.gram_sweeps * n * n if self.rows is None else SHARING.row_sweeps * n * (d + 10)
        most = max(1, min(int(SHARING.call / sweeps), SHARING.values // n))
        most = max(len(self.costs), most - most % len(self.costs))
        # Task by task, because the problems of a pair of classes have the same few rows on every fold.
        numbers = range(len(self.tasks)), folds, range(len(self.costs))
        grid = np.array([(f, t, c) for t in numbers[0] for f in numbers[1] for c in numbers[2]])
        for begin in range(0, len(grid), most):
            which = grid[begin : begin + most]
            signs, C = np.zeros((len(which), n), dtype=np.int8), np.zeros((len(which), n))
            for k, (f, t, c) in enumerate(which):
                train = self.folds.splits[f][0]
                signs[k, train] = self._sides(self.tasks[t], self.data.codes[train])
                C[k, train] = np.where(signs[k, train], self.costs[c] * self.unit_costs[f], 0.0)
            X = self.data.X if self.rows is None else self.rows
            problems = ProblemSet(X, signs, C, self.settings.loss, self.settings.bias, kernel)
            yield _Cells(which[:, 0], which[:, 1], which[:, 2], problems, self._solve(problems, K))

    @staticmethod
    def _sides(task: Task, codes: NDArray[np.intp]) -> NDArray[np.int8]:
        others = codes != task.positive if task.negative is None else codes == task.negative
        sides: NDArray[np.int8] = np.subtract(codes == task.positive, others, dtype=np.int8)
        return sides

    def _solve(self, problems: ProblemSet, K: Vector | None) -> SmallAnswer:
        settings = self.settings
        return solve_small(
            problems.signs,
            problems.C,
            rows=self.rows,
            gram=K,
            squared=settings.loss.squared,
            bias=settings.bias,
            aim=settings.tol,
            chain=len(self.costs),
            n_threads=settings.n_threads,
        )

    def _finish(self, cells: _Cells, K: Vector | None) -> None:
        """Give the ordinary solvers what the compiled call has left, each C of a problem from the one before."""
        left = np.flatnonzero(~cells.points.reached)
        chains: dict[tuple[int, int], list[int]] = {}
        for k in sorted(left, key=lambda k: self.costs[cells.costs[k]]):
            chains.setdefault((int(cells.folds[k]), int(cells.tasks[k])), []).append(int(k))
        context = FitContext(replace(self.settings, kernel=cells.problems.kernel, n_threads=1), self.seed)
        work = list(chains.values())

        def follow(chain: int) -> None:
            before: tuple[Vector, Vector] | None = None
            rows = cells.problems.rows(work[chain][0])
            values = None if K is None else K[np.ix_(rows, rows)]
            for k in work[chain]:
                problem, start = cells.problems[k], None
                if before is not None:
                    start = Point(np.minimum(before[0] * (problem.C / before[1]), problem.upper))
                judged = problem if values is None else replace(problem, X=values, kernel=Precomputed())
                found = solve(problem, context, partial(_certify_in, judged), start=start)
                before = found.alpha, problem.C
                cells.points.alpha[k, rows], cells.points.b[k] = found.alpha, found.b
                if cells.points.w is not None and found.w is not None:
                    cells.points.w[k] = found.w

        run_blocks(follow, len(work))

    def _prove(self, cells: _Cells, K: Vector | None) -> None:
        """The gap of every cell, and the scores of its test rows, from one product for all of them."""
        points = cells.points
        found = certify_together(
            cells.problems, points.alpha, None if points.w is None else (points.w, points.b), K
        )
        for k, (f, t, c) in enumerate(zip(cells.folds, cells.tasks, cells.costs, strict=True)):
            self.gaps[c, f, t] = found.gap[k]
            self.scores[f][c, :, t] = found.scores[k, self.folds.splits[f][1]] + found.b[k]

    def _labels(self, scores: Vector) -> NDArray[Any]:
        """The predictions (n_Cs, n_test) from the scores (n_Cs, n_test, n_tasks)."""
        classes: NDArray[Any] = self.data.classes
        if len(classes) == 2:
            codes = (scores[:, :, 0] > 0).astype(np.intp)
        else:
            votes = [pair_votes(each, len(classes)) if self.pairwise else each for each in scores]
            codes = np.stack(votes).argmax(axis=2)
        return np.asarray(classes[codes])

    def _warn(self) -> None:
        """Say how many cells are not proved to tol."""
        beyond = int(np.count_nonzero(self.gaps.max(axis=2) > self.settings.tol))
        if beyond:
            warnings.warn(
                f"{beyond} of {self.gaps[:, :, 0].size} cells have a gap above tol={self.settings.tol:g}; the "
                f"largest is {self.gaps.max():.3g}. Hint: scale the columns, or leave the largest C out.",
                GapWarning,
                stacklevel=4,
            )


def _certify_in(judged: Problem, _: Problem, point: Point) -> Solution:
    """Prove a proposal by kernel values that are at hand."""
    return certify(judged, point)


def _dense(X: Matrix) -> Vector:
    """X in float64, dense."""
    matrix: Any = X
    is_sparse = bool(sparse.issparse(X))
    return np.ascontiguousarray(matrix.toarray() if is_sparse else matrix, dtype=np.float64)


def _one_by_one(
    model: Any, X: Any, y: NDArray[Any], costs: list[float], splits: Sequence[Split]
) -> FoldTable:
    """The same by fits of the model, from the smallest C up, each from the one before where the model can."""
    warm = {"warm_start": True} if "warm_start" in model.get_params() else {}
    tables, gaps = [], np.full((len(costs), len(splits)), np.nan)
    for f, (train, test) in enumerate(splits):
        fitted, found = clone(model).set_params(**warm), {}
        for C in sorted(set(costs)):
            if np.isinf(C):  # alphas of a soft margin are no beginning for the hard one
                fitted = clone(model)
            found[C] = fitted.set_params(C=C).fit(X[train], y[train]).predict(X[test])
            gaps[[c for c, cost in enumerate(costs) if cost == C], f] = getattr(fitted, "gap_", np.nan)
        tables.append(np.stack([found[C] for C in costs]))
    return FoldTable(tables, gaps)
