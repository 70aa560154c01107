"""What the tests of the command line share: a way to run it, and a folder of small files to run it on."""

from __future__ import annotations

import bz2
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from separatrix.cli.app import app

ROOT = Path(__file__).parents[2]

#: Ten rows in the plane, separable, on whole numbers.
PLANE = """\
+1 1:2 2:2
+1 1:3 2:1
+1 1:2 2:4
+1 1:4 2:3
+1 1:5 2:5
-1 1:-1 2:-1
-1 1:0 2:-2
-1 1:-2 2:0
-1 1:-3 2:-1
-1 1:-4 2:-4
"""
SPECIES = """\
length,width,species
5.1,3.5,setosa
4.9,3.0,setosa
4.7,3.2,setosa
5.0,3.6,setosa
7.0,3.2,versicolor
6.4,3.2,versicolor
6.9,3.1,versicolor
5.5,2.3,versicolor
6.3,3.3,virginica
7.1,3.0,virginica
7.6,3.0,virginica
6.5,3.0,virginica
"""
#: What LIBSVM's svm-train writes for PLANE with -t 0 -c 1 (its format, a model of ours).
LIBSVM_MODEL = """\
svm_type c_svc
kernel_type linear
nr_class 2
total_sv 2
rho 0.2
label 1 -1
nr_sv 1 1
SV
0.08 1:2 2:2
-0.08 1:-1 2:-1
"""


def run(*words: str) -> Result:
    """Run a command in this process, as the shell would."""
    return CliRunner().invoke(app, list(words))


def run_line(line: str) -> Result:
    """Run a line as it is written in a document."""
    program, *words = shlex.split(line, comments=True)
    assert program == "separatrix"
    return run(*words)


def json_of(*words: str) -> dict[str, Any]:
    """The one JSON object that a command prints on stdout."""
    result = run(*words, "--json")
    lines = result.stdout.splitlines()
    assert len(lines) == 1, result.output
    found: dict[str, Any] = json.loads(lines[0])
    return found


def start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "separatrix", *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=cwd, env={**os.environ, "COLUMNS": "80"}, **pipes)


def steady(text: str) -> str:
    """The text without what differs from run to run or machine to machine: times, sizes, steps, last digits."""
    text = re.sub(r"\b\d+\.\d+ s\b", "# s", text)
    text = re.sub(r"\(\d[\d,]* kB\)", "(# kB)", text)
    text = re.sub(r"\b\d+ steps?\b", "# steps", text)
    text = re.sub(
        r"\b(\d(\.\d+)?e-1\d|0\.00e\+00)\b", "#e-1#", text
    )  # another BLAS, other last digits, or none
    text = re.sub(r"\b(\d{1,3}\.\d{8})\d+\b", r"\1...", text)
    text = re.sub(r"(largest gap is that of) \w+", r"\1 #", text)
    return re.sub(r"^(support .*)$", lambda line: re.sub(r"\d+", "#", line[1]), text, flags=re.MULTILINE)


#: Nobody died in arm c, so that its estimate is infinite.
TRIAL = "dose,arm,died\n" + "".join(
    f"{dose},{arm},{died}\n"
    for arm in "abc"
    for dose, died in ((1, 0), (2, int(arm != "c")), (3, 0), (4, int(arm == "a")))
)


def fill(folder: Path) -> None:
    """The files that the examples of --help and README speak of."""
    (folder / "data.svm").write_text(PLANE)
    (folder / "new.svm").write_text(PLANE)
    (folder / "heart_scale").write_text(PLANE)
    (folder / "heart_scale.model").write_text(LIBSVM_MODEL)
    (folder / "a9a.bz2").write_bytes(bz2.compress(PLANE.encode()))
    (folder / "a9a.model").write_text(LIBSVM_MODEL)
    (folder / "data.csv").write_text(SPECIES)
    (folder / "trial.csv").write_text(TRIAL)
    shipped = resources.files("separatrix").joinpath("data", "wdbc.libsvm")
    with resources.as_file(shipped) as path:
        shutil.copy(path, folder / "wdbc.libsvm")
        place = folder / "src" / "separatrix" / "data"  # as in a clone
        place.mkdir(parents=True)
        shutil.copy(path, place / "wdbc.libsvm")
