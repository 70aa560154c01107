"""Collective operations of an iteration: sums and maxima over all rows, and solutions of the normal equations.

A step of the interior point is written once, as a generator that yields these requests and goes on with the answers.
Where one process has all the rows, `run_local` answers at once. Where rows are spread over workers, each runs the same
generator on its own rows, sends its `contribution` to every answer, and gets the answer reduced over all workers.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from separatrix.solvers.interior_point.normal_equations import (
    LinearAlgebra,
    RightSide,
    weighted_pull,
    write_da,
)
from separatrix.solvers.loop.deadline import look_at_the_clock
from separatrix.types import Vector

Value = TypeVar("Value")


class Request(Protocol):
    """One collective operation over all rows."""

    def local(self, algebra: LinearAlgebra) -> Any:
        """The answer where these are all the rows."""
        ...

    def contribution(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """Part of the answer that these rows give; the leading process adds what belongs to no row."""
        ...

    def reduced(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> Any:
        """Value for the generator, once the contributions of all have been reduced to one answer."""
        ...


@dataclass(frozen=True, eq=False)
class Factor:
    """Prepare `Solve` for weights theta (n,); the answer says whether the normal matrix could be factorised."""

    theta: Vector

    def local(self, algebra: LinearAlgebra) -> bool:
        """By the side of the normal equations that is smaller."""
        try:
            algebra.factor(self.theta)
        except np.linalg.LinAlgError:
            return False
        return True

    def contribution(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """R + A^T Theta A of these rows, lower triangle; R from the leader alone."""
        M = algebra.rows.normal_matrix(self.theta)
        if not leading:
            M[np.diag_indices_from(M)] -= algebra.rows.R
        return M

    def reduced(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> bool:
        """Whoever solves keeps the factor; the rows need only know that there is one."""
        return bool(answer[0])


@dataclass(frozen=True, eq=False)
class Solve:
    """dz (D,) of the step's linear system; da (n,) is written to the array given. See `normal_equations`."""

    p: Vector
    g: RightSide
    da: Vector

    def local(self, algebra: LinearAlgebra) -> Vector:
        """As `LinearAlgebra.solve`."""
        return algebra.solve(self.p, self.g, self.da)

    def contribution(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """A^T Theta g of these rows; p from the leader alone."""
        rhs = weighted_pull(algebra.rows, self.g)
        return rhs + self.p if leading else rhs

    def reduced(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> Vector:
        """The answer is dz."""
        write_da(algebra.rows, self.g, answer, self.da)
        return answer


@dataclass(frozen=True, eq=False)
class Pull:
    """A^T c, shape (D,)."""

    c: Vector

    def local(self, algebra: LinearAlgebra) -> Vector:
        """Over all rows."""
        return self.contribution(algebra, leading=True)

    def contribution(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """Over these rows."""
        total = np.zeros(algebra.rows.D)
        for span in algebra.rows.spans:
            total += algebra.rows.pull(self.c[span], span)
        return total

    def reduced(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> Vector:
        """The sum itself."""
        return answer


@dataclass(frozen=True, eq=False)
class Total:
    """Sums over all rows of a few numbers."""

    values: tuple[float, ...]

    def local(self, algebra: LinearAlgebra) -> list[float]:
        """These."""
        return list(self.values)

    def contribution(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """These rows' sums."""
        return np.array(self.values)

    def reduced(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> list[float]:
        """As plain numbers."""
        return [float(value) for value in answer]


@dataclass(frozen=True, eq=False)
class Largest(Total):
    """The largest over all rows of a few numbers."""


#: A step: yields requests, is sent their answers. Contributions are reduced by their sum, by their maximum
#: (`Largest`), or by their sum and a solution of the normal equations (`Factor`, `Solve`).
Steps = Generator[Request, Any, Value]


def run_local(steps: Steps[Value], algebra: LinearAlgebra) -> Value:
    """Run an iteration where one process has all the rows; `OutOfTime` ends it between two requests."""
    answer: Any = None
    while True:
        try:
            request = steps.send(answer)
        except StopIteration as end:
            result: Value = end.value
            return result
        look_at_the_clock()
        answer = request.local(algebra)
