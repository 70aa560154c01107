"""The whole path on real data: fit, prove, save, verify three ways, tamper, reject, report.

python -m separatrix.demo [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import SVC, Certificate, read, report, verify
from separatrix.cli.output import counted

_INDENT = " " * 13


def change_a_digit(document: dict[str, Any]) -> str:
    """Raise one digit of the largest stored alpha below its bound C = 1; returns old and new in words."""
    values = document["proof"]["alpha"]["values"]
    inside = [i for i, text in enumerate(values) if float.fromhex(text) < 1.0]
    place = max(inside, key=lambda i: float.fromhex(values[i]))
    old = values[place]
    at = old.index("p") - 4
    digit = f"{(int(old[at], 16) + 1) % 16:x}"
    values[place] = old[:at] + digit + old[at + 1 :]
    return f"{old} -> {values[place]}"


def _say(step: str, *lines: str) -> None:
    print(f"{step:<{len(_INDENT)}}" + f"\n{_INDENT}".join(lines), flush=True)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def _fit(X: NDArray[np.float64], y: NDArray[np.int64]) -> SVC:
    model = SVC(C=1.0, tol=1e-6)
    _, seconds = _timed(lambda: model.fit(X, y))
    kinds = [int(np.count_nonzero(model.support_kind_ == kind)) for kind in ("margin", "slack")]
    errors = int(np.count_nonzero(model.predict(X) != y))
    _say(
        "1. fit",
        f"{model.status_} in {seconds:.2f} s, {counted(model.n_iter_, 'step')} of {model.history_[-1].solver}",
        f"objective   {model.primal_:.10g}; no hyperplane can be below {model.dual_:.10g}",
        f"gap         {model.gap_:.1e} of the objective, recomputed from the data; tol was 1e-06",
        f"margin      {model.margin_:.4f} on each side of the boundary",
        f"support     {kinds[0]} rows on the margin, {kinds[1]} using slack; the other "
        f"{len(y) - sum(kinds)} could be left out",
        f"errors      {errors} of the {len(y)} rows are on the wrong side",
    )
    return model


def _verify(certificate: Certificate, path: Path, X: Any, y: Any, data: Path) -> bool:
    floats, first = _timed(lambda: verify(certificate, X, y, exact=False))
    exact, second = _timed(lambda: verify(certificate, X, y, exact=True))
    alone, third = _timed(lambda: _check_alone(path, data))
    _say(
        "3. verify",
        f"floats      {_word(floats)} in {first:.2f} s: holds whatever the rounding",
        f"exactly     {_word(exact)} in {second:.2f} s: in rational numbers, no tolerance anywhere",
        f"alone       {_word(alone.returncode == 0)} in {third:.2f} s: python -m separatrix.checker, another "
        "process, standard library only",
    )
    return bool(floats) and bool(exact) and alone.returncode == 0


def _tamper(certificate: Certificate, X: Any, y: Any, folder: Path, data: Path) -> bool:
    document = certificate.to_dict()
    change = change_a_digit(document)
    path = folder / "tampered.json"
    path.write_text(json.dumps(document))
    alone = _check_alone(path, data)
    # A liar would also bring the digest up to date; then the mathematics must say no.
    forged = verify(
        Certificate(
            certificate.kind, certificate.claim, certificate.data, document["problem"], document["proof"]
        ),
        X,
        y,
    )
    refusal = textwrap.wrap(
        f"forged      {_word(forged)}, with the digest brought up to date: {forged.reason}", 95
    )
    _say(
        "4. tamper",
        f"one digit of one alpha changed: {change}",
        f"checker     {_word(alone.returncode == 0)}: the document differs from its digest",
        *refusal,
    )
    return alone.returncode != 0 and not forged


def _report(model: SVC, X: Any, y: Any, folder: Path, data: Path, certificate: Path) -> None:
    """One page that shows all of it."""
    path = folder / "report.html"
    began = time.perf_counter()
    made = report.make(
        model, X, y, title="Breast cancer (WDBC)", data_file=data.name, certificate_file=certificate.name
    )
    path.write_text(made.html(), encoding="utf-8")
    _say(
        "5. report",
        f"{path} ({path.stat().st_size / 1000:.0f} kB) in {time.perf_counter() - began:.2f} s: one page, no network",
        *textwrap.wrap("" if made.quality is None else made.quality.headline, 95),
        *textwrap.wrap(made.verdict, 95),
    )


def _next(folder: Path, kept: bool) -> str:
    """Commands to try next; files that are kept are named."""
    steps = [
        "separatrix fit YOUR.svm         train, prove, save (also CSV, Parquet, .gz, .bz2 ...)",
        "separatrix check YOUR.svm       separable or not, exactly, with the rows that contradict each other",
        "separatrix lab                  put points down and watch every algorithm in both spaces",
        "from separatrix import SVC      the same in Python; README.md and docs/ say how",
    ]
    shown = [f"open {folder / 'report.html'} in a browser", *steps] if kept else steps
    return f"\nnext         {(chr(10) + _INDENT).join(shown)}"


def _word(proved: object) -> str:
    return "proved" if proved else "rejected"


def _check_alone(certificate: Path, data: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "separatrix.checker", str(certificate), str(data)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@contextmanager
def _destination(folder: str | None) -> Iterator[Path]:
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="separatrix-demo-") as temporary:
            yield Path(temporary)
    else:
        Path(folder).mkdir(parents=True, exist_ok=True)
        yield Path(folder)


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0 if everything that should be proved was, and the forgery was not."""
    parser = argparse.ArgumentParser(
        prog="python -m separatrix.demo", description="Fit, prove, verify, tamper."
    )
    parser.add_argument("--folder", help="keep the certificate here instead of in a temporary folder")
    wanted = parser.parse_args(arguments).folder
    with _destination(wanted) as folder:
        data = folder / "wdbc.libsvm"
        data.write_text(resources.files("separatrix").joinpath("data", "wdbc.libsvm").read_text())
        table = read(data)
        X: Any = table.X  # an array: its rows are full
        y = table.y
        assert y is not None
        largest = np.abs(X).max(axis=0)
        print("separatrix: a classifier that proves its answer\n")
        _say(
            "data",
            f"{len(y)} biopsies, {X.shape[1]} measurements each, as published (WDBC, CC BY 4.0)",
            f"{np.count_nonzero(y > 0)} malignant, {np.count_nonzero(y < 0)} benign",
            f"unscaled: the largest value of a column is between {largest.min():.2g} and {largest.max():.0f}",
        )
        _say("problem", "min over w, b of  1/2 ||w||^2 + C sum_i max(0, 1 - y_i (w.x_i + b)),  C = 1\n")
        model = _fit(X, y)
        certificate, path = model.certificate_, folder / "certificate.json"
        certificate.save(path)
        saved = f"certificate saved to {path} ({path.stat().st_size / 1000:.0f} kB); it claims:"
        _say("2. prove", saved, *textwrap.wrap(certificate.claim, 95))
        good = _verify(certificate, path, X, y, data) and _tamper(certificate, X, y, folder, data)
        _report(model, X, y, folder, data, path)
        message = _next(folder, wanted is not None)
    print(message if good else "\nsomething above is not as it should be; please report it")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
