"""The problems that are measured, in suites; each is a data set with a loss, a bias and one C."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """min 1/2 ||w||^2 + C sum_i loss(y_i (w.x_i + b)) on a named data set (benchmarks/data.py)."""

    suite: str
    data: str
    C: float = 1.0
    loss: str = "hinge"
    bias: str = "none"

    @property
    def label(self) -> str:
        extra = "" if self.loss == "hinge" else ", squared hinge"
        extra += "" if self.bias == "none" else f", {self.bias} bias"
        return f"{self.data}, C={self.C:g}{extra}"


SUITES = {
    "rows": "many more rows than columns",
    "text": "sparse text",
    "counts": "sparse text, raw word counts",
    "squared": "squared hinge",
    "guard": "where peers are strong: never slower",
    "free": "bias that is not penalised",
}
_TEXTS = ("imdb tf-idf", "news20 class 1", "news20 class 8", "news20 class 16", "sparse 20k x 100k")

CASES = [
    Case("rows", "cod-rna"),
    Case("rows", "cod-rna badly scaled"),
    Case("rows", "dense 100k x 50 noisy"),
    Case("rows", "kddcup04_bio standardised"),
    Case("rows", "a9a", C=1.0),
    Case("rows", "a9a", C=10.0),
    Case("rows", "a9a", C=100.0),
    *(Case("text", name, C=C) for name in _TEXTS for C in (0.1, 1.0, 10.0)),
    Case("counts", "imdb counts"),
    Case("squared", "cod-rna", loss="squared_hinge"),
    Case("squared", "dense 100k x 50 noisy", loss="squared_hinge"),
    Case("squared", "imdb tf-idf", loss="squared_hinge"),
    Case("squared", "news20 class 1", loss="squared_hinge"),
    Case("squared", "sparse 20k x 100k", loss="squared_hinge"),
    Case("guard", "a9a"),
    Case("guard", "ijcnn1"),
    Case("guard", "mnist 3 v 8"),
    Case("guard", "dense 2k x 2k"),
    Case("free", "a9a 5k rows", bias="free"),
]
