"""separatrix check --outcome NAME --formula "...": the verdict on a logistic model of a table, in its own words."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from separatrix.cli.files import claim, claim_certificate
from separatrix.cli.output import CommandError, ExitCode, Output, to_stdout
from separatrix.cli.progress import TimeUp, at_most

_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class Question:
    """A table, its outcome and the terms of its model, as they came from the command line."""

    data: str
    outcome: str | None
    formula: str | None
    max_time: float | None
    certificate: str | None = None
    force: bool = False

    def whole_formula(self) -> str:
        """The formula with its outcome; all other columns where no terms are given."""
        if self.formula is not None and "~" in self.formula:
            left = self.formula.partition("~")[0].strip()
            if self.outcome not in (None, left):
                raise CommandError(
                    f"--outcome is {self.outcome}, but the outcome of the formula is {left}.",
                    "leave one of them out",
                )
            return self.formula
        if self.outcome is None:
            raise CommandError(
                f"The formula {self.formula!r} has no outcome.",
                "write 'died ~ age + group', or add --outcome died",
            )
        return f"{self.outcome} ~ {self.formula or '.'}"


def check_formula(question: Question, output: Output) -> int:
    """Decide on a model of a table and print the answer."""
    from separatrix.separation import check_separation

    began = time.perf_counter()
    formula = question.whole_formula()
    place, design = _places(question, output)
    frame = read_frame(question.data)
    try:
        with at_most(question.max_time):
            found = check_separation(formula, frame)
            record, text = found.to_dict(), found.summary()
    except TimeUp:
        output.answer("check", {"separability": None}, [("verdict", "not decided in time")])
        return ExitCode.NOT_PROVED
    except (ImportError, ValueError, TypeError):
        raise
    except Exception as error:  # the formula engines raise many types of error
        raise CommandError(f"The formula {formula!r} cannot be used: {_first_line(error)}") from None
    if place is not None and design is not None:
        _save(found, place, design)
        text += f"\n\ncertificate {place}, of the design {design}"
    data = {"file": question.data, "rows": len(frame), "columns": list(map(str, frame.columns))}
    if output.json:
        places = {"certificate": place and str(place), "design": design and str(design)}
        whole = {"data": data, "formula": formula, "separability": record, **places}
        output.answer("check", whole, [])
    else:
        to_stdout([f"{text}\n\ntime {time.perf_counter() - began:.2f} s\n"])
    return ExitCode.DONE


def _places(question: Question, output: Output) -> tuple[Path | None, Path | None]:
    """Places of the certificate and of the design that it is about."""
    place = claim_certificate(question.certificate, question.force, output)
    if place is None:
        return None, None
    design = place.with_name(place.name.removesuffix(".gz").removesuffix(".json") + ".design.npz")
    claim(design, lambda _: False, question.force, "--certificate")
    return place, design


def _save(found: Any, place: Path, design: Path) -> None:
    import numpy as np

    X, y = found.design
    labels = np.asarray(y)
    np.savez_compressed(design, X=np.asarray(X), y=labels.astype(str) if labels.dtype == object else labels)
    found.estimates_certificate.save(place)


def read_frame(path: str) -> Any:
    """A CSV, TSV, Parquet or Arrow file as a pandas frame; text on standard input."""
    try:
        import pandas as pd
    except ImportError:
        raise CommandError(
            "A formula needs pandas, which is not installed.", "pip install 'separatrix[statistics]'"
        ) from None
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    kind = next((suffix for suffix in reversed(suffixes) if suffix not in _COMPRESSED), ".csv")
    try:
        if kind == ".parquet":
            return pd.read_parquet(path)
        if kind in (".arrow", ".feather"):
            return pd.read_feather(path)
        return pd.read_csv(sys.stdin if path == "-" else path, sep="\t" if kind == ".tsv" else ",")
    except (ValueError, pd.errors.ParserError) as error:
        raise CommandError(f"{path} cannot be read as a table: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
