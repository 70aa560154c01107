"""The text that LIBSVM and LIBLINEAR write for a model, as plain records, both ways.

LIBLINEAR: header lines ``solver_type, nr_class, label, nr_feature, bias``, then ``w`` and one line for each column, one
number for each class (one only for two classes, positive for the first label). With ``bias B`` >= 0 a column that holds
B was appended, and its weight is the last line: b = B * that weight.

LIBSVM: header lines ``svm_type, kernel_type, degree, gamma, coef0, nr_class, total_sv, rho, label, nr_sv``, then ``SV``
and one line for each vector: its coefficients, then ``index:value`` from index 1. b = -rho, positive for the first
label of a pair. LIBSVM itself writes values with 8 digits; we write 17, which read back exactly.

Chang, Lin, ACM TIST 2 (2011); Fan et al., JMLR 9 (2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import ModelFileError
from separatrix.problem.kernels import Kernel, Linear, Poly, Rbf, Sigmoid
from separatrix.types import Vector

LINEAR_CLASSIFIERS = (
    "L2R_LR",
    "L2R_L2LOSS_SVC_DUAL",
    "L2R_L2LOSS_SVC",
    "L2R_L1LOSS_SVC_DUAL",
    "MCSVM_CS",
    "L1R_L2LOSS_SVC",
    "L1R_LR",
    "L2R_LR_DUAL",
)
_LARGEST_INDEX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class LiblinearModel:
    """weights (nr_feature, p) and intercepts (p,), one column for each label; for two labels one only.

    ``bias`` is the value of the appended column, below 0 where there is none.
    """

    solver: str
    labels: list[int]
    bias: float
    weights: NDArray[np.float64]
    intercepts: Vector


@dataclass(frozen=True, eq=False)
class LibsvmModel:
    """coef (k - 1, m), rho (k (k - 1) / 2,), counts (k,) vectors of each label, vectors (m, d) CSR."""

    kind: str
    kernel: Kernel | None  #: None where the file does not hold its vectors (precomputed)
    kernel_name: str
    labels: list[int]
    counts: list[int]
    rho: Vector
    coef: NDArray[np.float64]
    vectors: sparse.csr_array


def parse(text: str) -> LiblinearModel | LibsvmModel:
    """The model in a text; raises `ModelFileError` with a sentence where it is not one.

    >>> text = "solver_type L2R_L1LOSS_SVC_DUAL\\nnr_class 2\\nlabel 1 -1\\nnr_feature 2\\nbias 2\\nw\\n3\\n4\\n5\\n"
    >>> model = parse(text)
    >>> model.weights.tolist(), model.intercepts.tolist()
    ([[3.0], [4.0]], [10.0])
    """
    if text.startswith("solver_type "):
        return _parse_liblinear(text)
    if text.startswith("svm_type "):
        return _parse_libsvm(text)
    raise ModelFileError(
        "The text is no model of LIBSVM or LIBLINEAR: it begins with neither 'svm_type' nor 'solver_type'."
    )


class _Header:
    """The lines before the numbers: words by name."""

    def __init__(self, text: str, mark: str) -> None:
        self.words: dict[str, list[str]] = {}
        lines = text.splitlines()
        for place, line in enumerate(lines):
            name, *words = line.split() or [""]
            if name == mark:
                self.first = place + 2  # of the line after the mark, counted from 1
                self.lines = lines[place + 1 :]
                return
            self.words[name] = words
        raise ModelFileError(f"The model text has no line {mark!r}; it was cut off.")

    def body(self) -> Iterator[tuple[int, list[str]]]:
        """The lines after the mark that are not empty: number and words."""
        for number, line in enumerate(self.lines, self.first):
            if words := line.split():
                yield number, words

    def word(self, name: str) -> str:
        if len(self.words.get(name, [])) != 1:
            raise ModelFileError(f"The model text needs a line {name!r} with one word.")
        return self.words[name][0]

    def integers(self, name: str) -> list[int]:
        return [_integer(word, f"the line {name!r}") for word in self.words.get(name, [])]

    def number(self, name: str, default: float | None = None) -> float:
        if name not in self.words and default is not None:
            return default
        return _number(self.word(name), f"the line {name!r}")

    def labels(self) -> list[int]:
        labels = self.integers("label")
        if not labels:
            raise ModelFileError("The model text has no line 'label': it is no classifier.")
        if len(labels) < 2 or len(set(labels)) < len(labels) or self.integers("nr_class") != [len(labels)]:
            raise ModelFileError(
                f"The model text must name nr_class different labels; it names {labels[:5]}."
            )
        return labels


def _integer(word: str, where: str) -> int:
    try:
        value = int(word)
    except ValueError:
        value = 2**63
    if abs(value) > 2**53:
        raise ModelFileError(f"{where} of the model text needs integers; got {word[:40]!r}.")
    return value


def _number(word: str, where: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise ModelFileError(f"{where} of the model text needs finite numbers; got {word[:40]!r}.")
    return value


def _parse_liblinear(text: str) -> LiblinearModel:
    header = _Header(text, "w")
    solver, bias = header.word("solver_type"), header.number("bias", -1.0)
    labels, columns = header.labels(), header.integers("nr_feature")
    if len(columns) != 1 or columns[0] < 0:
        raise ModelFileError("The model text needs a line 'nr_feature' with one count.")
    planes = 1 if len(labels) == 2 and solver != "MCSVM_CS" else len(labels)
    rows = []
    for number, words in header.body():
        if len(words) != planes:
            raise ModelFileError(f"Line {number} of the model text needs {planes} numbers; got {len(words)}.")
        rows.append([_number(word, f"Line {number}") for word in words])
    expected = columns[0] + (bias >= 0)
    if len(rows) != expected:
        raise ModelFileError(f"The model text should have {expected} lines of weights; it has {len(rows)}.")
    table = np.array(rows, dtype=np.float64).reshape(expected, planes)
    intercepts = bias * table[-1] if bias >= 0 else np.zeros(planes)
    return LiblinearModel(solver, labels, bias, table[: columns[0]].copy(), intercepts)


def _parse_libsvm(text: str) -> LibsvmModel:
    header = _Header(text, "SV")
    kind = header.word("svm_type")
    labels, counts = header.labels(), header.integers("nr_sv")
    k = len(labels)
    if len(counts) != k or min(counts) < 0:
        raise ModelFileError(f"The model text needs {k} counts in its line 'nr_sv'; it has {len(counts)}.")
    rho = np.array([_number(word, "the line 'rho'") for word in header.words.get("rho", [])])
    if len(rho) != k * (k - 1) // 2:
        raise ModelFileError(f"The model text needs {k * (k - 1) // 2} values of rho; it has {len(rho)}.")
    name = header.word("kernel_type")
    coef, vectors = _vectors(header, k - 1, sum(counts), name)
    return LibsvmModel(kind, _kernel(name, header), name, labels, counts, rho, coef, vectors)


def _kernel(name: str, header: _Header) -> Kernel | None:
    gamma, coef0 = header.number("gamma", 0.0), header.number("coef0", 0.0)
    if name == "polynomial":
        degree = header.number("degree", 3.0)
        if not degree.is_integer() or not 0 <= degree <= 1 << 20:
            raise ModelFileError(f"The model text needs a whole degree of at least 0; got {degree:g}.")
        return Poly(int(degree), gamma, coef0)
    known: dict[str, Any] = {"linear": Linear, "precomputed": lambda: None}
    known |= {"rbf": lambda: Rbf(gamma), "sigmoid": lambda: Sigmoid(gamma, coef0)}
    if name not in known:
        raise ModelFileError(f"The model text names the kernel {name[:40]!r}, which LIBSVM does not have.")
    kernel: Kernel | None = known[name]()
    return kernel


def _vectors(
    header: _Header, n_coef: int, m: int, kernel: str
) -> tuple[NDArray[np.float64], sparse.csr_array]:
    coef_rows: list[list[float]] = []
    indptr, indices, values = [0], [], []
    for number, words in header.body():
        where = f"Line {number}"
        if len(words) < n_coef:
            raise ModelFileError(f"{where} of the model text needs {n_coef} coefficients; got {len(words)}.")
        coef_rows.append([_number(word, where) for word in words[:n_coef]])
        last = -1
        for word in words[n_coef:]:
            left, colon, right = word.partition(":")
            index = _integer(left, where) - (kernel != "precomputed")
            if not colon or not last < index < _LARGEST_INDEX:
                raise ModelFileError(
                    f"{where} of the model text needs index:value, increasing; got {word[:40]!r}."
                )
            last = index
            indices.append(index)
            values.append(_number(right, where))
        indptr.append(len(indices))
    if len(coef_rows) != m:
        raise ModelFileError(f"The model text should have {m} support vectors; it has {len(coef_rows)}.")
    coef = np.array(coef_rows, dtype=np.float64).reshape(m, n_coef).T
    shape = (m, max(indices, default=-1) + 1)
    return np.ascontiguousarray(coef), sparse.csr_array(
        (values, indices, indptr), shape=shape, dtype=np.float64
    )


def write_liblinear(model: LiblinearModel) -> str:
    """The text of a linear model; numbers with 17 digits read back exactly."""
    rows = model.weights
    if model.bias > 0:
        rows = np.vstack([rows, model.intercepts / model.bias])
    return "".join(
        [
            f"solver_type {model.solver}\nnr_class {len(model.labels)}\n",
            f"label {' '.join(map(str, model.labels))}\nnr_feature {len(model.weights)}\n",
            f"bias {model.bias:.17g}\nw\n",
            *(" ".join(f"{value:.17g}" for value in row) + " \n" for row in rows.tolist()),
        ]
    )


def write_libsvm(model: LibsvmModel) -> str:
    """The text of a kernel model."""
    lines = [f"svm_type {model.kind}\nkernel_type {model.kernel_name}\n"]
    for name in ("degree", "gamma", "coef0"):
        if hasattr(model.kernel, name):
            lines.append(f"{name} {getattr(model.kernel, name):.17g}\n")
    lines.append(f"nr_class {len(model.labels)}\ntotal_sv {sum(model.counts)}\n")
    lines.append(f"rho {' '.join(f'{value:.17g}' for value in model.rho.tolist())}\n")
    lines.append(f"label {' '.join(map(str, model.labels))}\nnr_sv {' '.join(map(str, model.counts))}\nSV\n")
    vectors, coef = model.vectors, model.coef.T.tolist()
    for row, (start, stop) in enumerate(zip(vectors.indptr[:-1], vectors.indptr[1:], strict=True)):
        entries = zip(vectors.indices[start:stop].tolist(), vectors.data[start:stop].tolist(), strict=True)
        words = [f"{value:.17g}" for value in coef[row]]
        words += [f"{index + 1}:{value:.17g}" for index, value in entries]
        lines.append(" ".join(words) + " \n")
    return "".join(lines)
