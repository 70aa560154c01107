"""The program separatrix-check, extracted from the proofs in verified/: its place, and its answer."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from separatrix.cli.output import CommandError

NAME = "separatrix-check"


def find() -> str:
    """The program on PATH, or as it was built in the checkout of this package."""
    built = Path(__file__).parents[3] / "build" / "verified" / NAME
    for place in (NAME, str(built)):
        if found := shutil.which(place):
            return found
    raise CommandError(
        f"{NAME}, the checker that is proved in Coq, was not found.",
        "in a checkout of separatrix make verified builds it; else put it on PATH",
    )


def check(
    certificate: str, data: str, format: str | None, label: str | None, max_bytes: int | None
) -> dict[str, Any]:
    """The answer of the program about one certificate, as a record of `separatrix verify`."""
    command = [find(), "--json"]
    for option, value in (("--format", format), ("--label-column", label), ("--max-bytes", max_bytes)):
        if value is not None:
            command += [option, str(value)]
    done = subprocess.run([*command, certificate, data], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2, 3):
        said = done.stderr.strip().splitlines() or [f"{NAME} ended with the code {done.returncode}."]
        raise CommandError(said[-1].removeprefix("error: "))
    found: dict[str, Any] = json.loads(done.stdout)
    outcome = found["outcome"]
    rounded = found.pop("rounded")
    reason = f"{found['reason']} {rounded}" if rounded else found["reason"]
    name = Path(certificate).name
    return {**found, "name": name, "proved": outcome == "proved", "reason": reason, "checker": NAME}
