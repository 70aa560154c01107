"""What an iteration needs to know of all rows: sums, least values, and solutions of the normal equations.

A step of the interior point is written once, as a generator that asks for these and goes on with the answer. Where
one process has all the rows, `alone` answers at once. Where rows are spread over workers, each runs the same
generator on its own rows, sends its `share` of every answer, and gets the whole back.
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
    """One question about all rows."""

    def alone(self, algebra: LinearAlgebra) -> Any:
        """The answer where these are all the rows."""
        ...

    def share(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """What these rows add to the answer; one process leads, and speaks for what belongs to no row."""
        ...

    def whole(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> Any:
        """What the generator gets, once the shares of all have become one answer."""
        ...


@dataclass(frozen=True, eq=False)
class Factor:
    """Prepare `Solve` for weights theta (n,); the answer says whether the normal matrix could be factorised."""

    theta: Vector

    def alone(self, algebra: LinearAlgebra) -> bool:
        """By the side of the normal equations that is smaller."""
        try:
            algebra.factor(self.theta)
        except np.linalg.LinAlgError:
            return False
        return True

    def share(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """R + A^T Theta A of these rows, lower triangle; R from the leader alone."""
        M = algebra.rows.normal_matrix(self.theta)
        if not leading:
            M[np.diag_indices_from(M)] -= algebra.rows.R
        return M

    def whole(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> bool:
        """Whoever solves keeps the factor; the rows need only hear of it."""
        return bool(answer[0])


@dataclass(frozen=True, eq=False)
class Solve:
    """dz (D,) of the step's linear system; da (n,) is written to the array given. See `normal_equations`."""

    p: Vector
    g: RightSide
    da: Vector

    def alone(self, algebra: LinearAlgebra) -> Vector:
        """As `LinearAlgebra.solve`."""
        return algebra.solve(self.p, self.g, self.da)

    def share(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """A^T Theta g of these rows; p from the leader alone."""
        rhs = weighted_pull(algebra.rows, self.g)
        return rhs + self.p if leading else rhs

    def whole(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> Vector:
        """The answer is dz."""
        write_da(algebra.rows, self.g, answer, self.da)
        return answer


@dataclass(frozen=True, eq=False)
class Pull:
    """A^T c, shape (D,)."""

    c: Vector

    def alone(self, algebra: LinearAlgebra) -> Vector:
        """Over all rows."""
        return self.share(algebra, leading=True)

    def share(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """Over these rows."""
        total = np.zeros(algebra.rows.D)
        for span in algebra.rows.spans:
            total += algebra.rows.pull(self.c[span], span)
        return total

    def whole(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> Vector:
        """The sum itself."""
        return answer


@dataclass(frozen=True, eq=False)
class Total:
    """Sums over all rows of a few numbers."""

    values: tuple[float, ...]

    def alone(self, algebra: LinearAlgebra) -> list[float]:
        """These."""
        return list(self.values)

    def share(self, algebra: LinearAlgebra, leading: bool) -> NDArray[np.float64]:
        """These rows' sums."""
        return np.array(self.values)

    def whole(self, algebra: LinearAlgebra, answer: NDArray[np.float64]) -> list[float]:
        """As plain numbers."""
        return [float(value) for value in answer]


@dataclass(frozen=True, eq=False)
class Largest(Total):
    """The largest over all rows of a few numbers."""


#: How shares become an answer: by adding up, by the largest, or by adding up and solving.
Steps = Generator[Request, Any, Value]


def alone(steps: Steps[Value], algebra: LinearAlgebra) -> Value:
    """Run an iteration where one process has all the rows; `OutOfTime` ends it between two of its questions."""
    answer: Any = None
    while True:
        try:
            request = steps.send(answer)
        except StopIteration as end:
            result: Value = end.value
            return result
        look_at_the_clock()
        answer = request.alone(algebra)
