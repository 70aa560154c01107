"""A model that is served as it is in its file: any kind that separatrix loads, without learning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.errors import ModelFileError
from separatrix.models.file import load
from separatrix.serve.errors import RequestError
from separatrix.serve.labels import kind_of
from separatrix.serve.predictors import Predictor, of_fitted


class StaticModel:
    """One file; reading it again makes the next version, and requests under way keep theirs."""

    learns = False
    notes: tuple[str, ...] = ()

    def __init__(self, name: str, path: Path, why: str = "") -> None:
        self.name, self.path = name, path
        self.why = why or "Its kind does not learn row by row."
        self.number = 0
        self.reload()

    def reload(self) -> str:
        """Read the file again; the new version answers from now on. Returns its name."""
        model = load(self.path, certificates=False)
        if not hasattr(model, "classes_") or not hasattr(model, "n_features_in_"):
            raise ModelFileError(f"{self.path.name} holds a model that names no classes or columns.")
        kind = kind_of(model.classes_)
        if kind is None:
            raise ModelFileError(f"{self.path.name}: its classes are neither numbers nor texts.")
        current: tuple[Predictor, str] = (of_fitted(model), str(self.number + 1))
        self.kind, self.columns, self.number = kind, int(model.n_features_in_), self.number + 1
        self.platform = type(model).__name__
        self._current = current
        return current[1]

    def predictor(self, version: str | None = None) -> tuple[Predictor, str]:
        """The predictor, and its version."""
        current = self._current
        if version is not None and version != current[1]:
            raise RequestError(f"There is no version {version[:40]!r}; there is {current[1]}.", 404)
        return current

    def stats(self) -> dict[str, Any]:
        """Numbers of this moment."""
        return {
            "name": self.name,
            "learns": False,
            "rows_learned": 0,
            "mistakes": 0,
            "bound": None,
            "classes": self._current[0].labels[:1000],
            "columns": self.columns,
            "serving": self._current[1],
        }

    def close(self) -> None:
        """Nothing is open."""
