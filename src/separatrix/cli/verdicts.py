"""Verdicts of separability for the command line: within a time limit, for two classes or many."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from separatrix.cli.output import Line, counted, listed, wrapped
from separatrix.cli.progress import TimeUp, at_most

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from separatrix.cli.inputs import Table

Ways = Literal["ovr", "ovo"]
_ROW = 60.0  # bytes of memory that a verdict takes for each row, in addition to X


@dataclass
class Verdicts:
    """The verdict on each question that was decided in time, and the questions that were not."""

    numbers: Any  #: the number of each row (n,) in the file, as people count
    word_of_rows: str = "row"  #: "line" where they count lines
    found: dict[str, Any] = field(default_factory=dict)  #: `Separability` by the question's name
    undecided: list[str] = field(default_factory=list)
    seconds: float = 0.0
    short_of_memory: str = ""  #: the sentence of a question that did not fit

    @property
    def word(self) -> str:
        """The verdict in a word: of the two classes, or of all questions if they have the same."""
        if self.undecided:
            return "undecided"
        words = {answer.verdict for answer in self.found.values()}
        return words.pop() if len(words) == 1 else "mixed"

    def record(self) -> dict[str, Any]:
        """For the JSON object."""
        return {
            "verdict": self.word,
            "seconds": self.seconds,
            "problems": [{"problem": name, **self._describe(answer)} for name, answer in self.found.items()],
            "undecided": self.undecided,
            "short_of_memory": self.short_of_memory or None,
        }

    def _describe(self, answer: Any) -> dict[str, Any]:
        lower, upper = answer.margin
        contradiction = None
        if len(answer.rows):
            contradiction = {
                "rows": answer.rows.tolist(),
                "row_numbers": self.numbers[answer.rows].tolist(),
                "weights": [str(weight) for weight in answer.weights],
            }
        return {
            "verdict": answer.verdict,
            "sentence": sentence(answer, self.numbers, self.word_of_rows),
            "margin": None if answer.verdict != "separable" else [lower, upper],
            "contradiction": contradiction,
            "tied_rows": len(answer.tied),
        }


def decide(
    table: Table, ways: Ways, bias: bool, max_time: float | None, among: NDArray[Any] | None = None
) -> Verdicts:
    """Ask whether the classes are separable: the two classes, each class against the rest, or each pair.

    ``among`` are the rows (m,) that take part, None for all; answers name rows as the file numbers them. Every
    question gets an equal share of the time that is left. Raises ValueError where there is one class.
    """
    import numpy as np

    from separatrix.problem import require_room
    from separatrix.separability.api import two_sides

    matrix, labels = _checked(table.X), np.asarray(table.y)
    began, verdicts = time.perf_counter(), Verdicts(table.row_numbers, table.row_word)
    questions = list(_questions(labels, ways, among))
    for place, (name, plus, minus, members) in enumerate(questions):
        left = None if max_time is None else max(0.0, max_time - (time.perf_counter() - began))
        share = None if left is None else left / (len(questions) - place)
        try:
            with at_most(share):
                require_room(matrix, _ROW, "The exact verdict on")
                answer = two_sides(matrix, labels, labels == plus, (plus,), minus, members, bias)
                _ = answer.margin  # within the limit too
            verdicts.found[name] = answer
        except TimeUp:
            verdicts.undecided.append(name)
        except MemoryError as error:
            verdicts.undecided.append(name)
            verdicts.short_of_memory = str(error) or "There is not enough memory for it."
    verdicts.seconds = time.perf_counter() - began
    return verdicts


def _questions(
    labels: Any, ways: Ways, among: NDArray[Any] | None
) -> Iterator[tuple[str, Any, tuple[Any, ...], Any]]:
    """Name, positive label, negative labels, and the rows that take part (None: all) of each question."""
    import numpy as np

    classes = np.unique(labels if among is None else labels[among])
    if len(classes) < 2:
        raise ValueError(
            f"Two classes are needed to ask for a separation; all labels are {classes.tolist()}."
        )
    if len(classes) == 2:
        yield f"{classes[1]} against {classes[0]}", classes[1], (classes[0],), among
    elif ways == "ovr":
        for place, label in enumerate(classes):
            yield f"{label} against the rest", label, tuple(np.delete(classes, place)), among
    else:
        for first, second in combinations(classes, 2):
            members = np.flatnonzero((labels == first) | (labels == second))
            members = members if among is None else np.intersect1d(members, among)
            yield f"{second} against {first}", second, (first,), members


def _checked(X: Any) -> Any:
    """X as the exact verdict reads it: contiguous or canonical CSR, every number finite and unchanged."""
    from scipy import sparse

    from separatrix.problem.conversion import canonical_csr, check_finite, contiguous

    is_sparse = bool(sparse.issparse(X))
    matrix = canonical_csr(X) if is_sparse else contiguous(X)
    check_finite(matrix)
    return matrix


def sentence(answer: Any, numbers: Any, word: str = "row") -> str:
    """Return a verdict in a plain sentence; rows are named as the file numbers them."""
    if answer.verdict == "separable":
        return "Separable: a straight boundary (a hyperplane) has every row strictly on its own side."
    shown = listed([f"{number:,}" for number in numbers[answer.rows].tolist()])
    clash = f"{word}s {shown} contradict each other: whatever the boundary, one of them is on the wrong side or on it"
    if answer.verdict == "inseparable":
        sides = "has the classes on its two sides, not even with rows on itself"
        return f"Inseparable: no straight boundary (hyperplane) {sides}; {clash}."
    return (
        "Quasi-separable: a straight boundary (hyperplane) has no row on the wrong side, but at least "
        f"{counted(len(answer.tied), 'row')} exactly on itself, and none does better; {clash}."
    )


def lines(verdicts: Verdicts) -> list[Line]:
    """Return the verdicts in words: the whole verdict for two classes, one line for each question of many."""
    if len(verdicts.found) + len(verdicts.undecided) == 1:
        out = [line for answer in verdicts.found.values() for line in _whole(answer, verdicts)]
        return out or wrapped("verdict", why_undecided(verdicts))
    out = wrapped("verdict", summary(verdicts))
    for name, answer in verdicts.found.items():
        bounds = f", margin {answer.margin[0]:.6g}" if answer.verdict == "separable" else ""
        out.append(("", f"{name}: {answer.verdict}{bounds}"))
    out += [("", f"{name}: not decided") for name in verdicts.undecided]
    return out


def why_undecided(verdicts: Verdicts) -> str:
    """Return the reason why some question has no answer."""
    if verdicts.short_of_memory:
        return f"not decided: {verdicts.short_of_memory}"
    return f"not decided in {verdicts.seconds:.1f} s"


def summary(verdicts: Verdicts) -> str:
    """Return all verdicts in a sentence."""
    if len(verdicts.found) == 1 and not verdicts.undecided:
        return sentence(next(iter(verdicts.found.values())), verdicts.numbers, verdicts.word_of_rows)
    answers = [answer.verdict for answer in verdicts.found.values()]
    counts = [f"{answers.count(word)} {word}" for word in dict.fromkeys(answers)]
    reason = "for want of memory" if verdicts.short_of_memory else "in time"
    late = [f"{len(verdicts.undecided)} not decided {reason}"] if verdicts.undecided else []
    return f"{counted(len(answers) + len(verdicts.undecided), 'problem')}: {', '.join(counts + late)}"


def _whole(answer: Any, verdicts: Verdicts) -> list[Line]:
    out = wrapped("verdict", sentence(answer, verdicts.numbers, verdicts.word_of_rows))
    if answer.verdict == "separable":
        lower, upper = answer.margin
        out.append(("margin", f"the widest is between {lower:.12g} and {upper:.12g}"))
        return out
    weights = [str(weight) for weight in answer.weights]
    if max(map(len, weights)) <= 24:
        out += wrapped(
            "weights",
            f"{listed(weights)}: so weighted, their signed rows y (x, 1) add up to exactly zero",
        )
    return out
