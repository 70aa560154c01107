"""Every command that a report or the answer of a fit prints is run as it is printed, and proves what it says.

Tests `cli/report.py`, `report/commands.py`. Before, the commands lost --label and --missing,
named a certificate that was not there for names with dots, did not quote names with spaces, and gave the stand-alone
checker tables of text, which it does not read.
"""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_cases import run

from separatrix.checker.__main__ import main as stand_alone

CITIES = ("Rome", "Paris", "New York")


def _numbers(rng, labels) -> tuple[np.ndarray, np.ndarray]:
    codes = np.arange(60) % len(labels)
    centres = rng.normal(scale=2.0, size=(len(labels), 3))
    return np.round(centres[codes] + rng.normal(size=(60, 3)), 3), np.array(labels)[codes]


def clean(rng, labels=("no", "yes")) -> str:
    X, y = _numbers(rng, labels)
    lines = [f"{a},{b},{c},{label}" for (a, b, c), label in zip(X, y, strict=True)]
    return "\n".join(["height,width,depth,kind", *lines]) + "\n"


def messy(rng) -> str:
    X, y = _numbers(rng, ("did not", "did"))
    cells = [
        f'{label},{"" if row % 9 == 0 else a},"{CITIES[row % 3]}",{c}'
        for row, ((a, _, c), label) in enumerate(zip(X, y, strict=True))
    ]
    return "\n".join(["survived,age,city,fare", *cells]) + "\n"


def libsvm(rng) -> str:
    X, y = _numbers(rng, (-1, 1))
    lines = [f"{label} 1:{a} 2:{b} 3:{c}" for (a, b, c), label in zip(X, y, strict=True)]
    return "\n".join(lines) + "\n"


CASES = {
    "clean": ("data.csv", clean, []),
    "text and missing values": ("people.csv", messy, ["--label", "survived", "--missing", "mean"]),
    "dots and spaces": ("my data.v1.2.csv", clean, []),
    "a dot before a known ending": ("adult.data.csv", clean, []),
    "a quote in the name": ("it's.v1.csv", clean, []),
    "libsvm": ("rows.v2.svm", libsvm, []),
    "many classes": ("many.csv", lambda rng: clean(rng, tuple("abcde")), []),
    "pairs": ("many.csv", lambda rng: clean(rng, tuple("abc")), ["--pairs"]),
    "hold-out": ("data.csv", clean, ["--holdout", "0.3"]),
    "hold-out of text": (
        "a.b.csv",
        messy,
        ["--label", "survived", "--missing", "median", "--holdout", "0.3"],
    ),
    "kernel": ("rows.svm", libsvm, ["-t", "2", "-g", "0.5"]),
    "scaled": ("data.csv", clean, ["--scaling", "standard"]),
    "scaled text": ("a.csv", messy, ["--label", "survived", "--missing", "mean", "--scaling", "range"]),
    "search": ("data.csv", clean, ["--search", "-t", "0", "-c", "1", "--probabilities", "sigmoid"]),
    "all classes at once": (
        "many.csv",
        lambda rng: clean(rng, tuple("abc")),
        ["--multi-class", "crammer-singer"],
    ),
}


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(text: str) -> list[str]:
    """The commands on a page."""
    return [html.unescape(found) for found in re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", text)]


def outcome(command: str) -> tuple[int, str]:
    """Run a command as a shell would; returns its exit code and what it said."""
    program, *words = shlex.split(command)
    if program == "separatrix":
        result = run(*words)
        return result.exit_code, result.output
    assert [program, *words[:2]] == ["python", "-m", "separatrix.checker"], command
    return stand_alone(words[2:]), command


@pytest.mark.parametrize("name", CASES)
def test_every_command_of_a_report_proves(here, name):
    file, text, options = CASES[name]
    (here / file).write_text(text(np.random.default_rng(7)), encoding="utf-8")
    fitted = run("fit", file, *options, "--report")
    assert fitted.exit_code == 0, fitted.output
    written = next(path for path in here.iterdir() if path.suffix == ".html")
    model = next(path.name for path in here.iterdir() if path.name.endswith(".model.safetensors"))
    result = run("report", model, file, "-o", "page.html")
    assert result.exit_code == 0, result.output
    commands = printed((here / "page.html").read_text(encoding="utf-8"))
    assert printed(written.read_text(encoding="utf-8")) == commands, (
        "the page of the fit has the same commands"
    )
    programs = [shlex.split(command)[:2] for command in commands]
    assert ["separatrix", "verify"] in programs
    assert programs[-1] == ["python", "-m"]
    for command in commands:
        code, said = outcome(command)
        assert code == 0, (command, said)
    shown = run("report", model, file).stdout
    assert all(f"\n  {command}\n" in shown for command in commands), "the text has the same commands"


def test_a_held_out_part_is_said_and_the_proof_is_about_the_rest(here):
    (here / "data.csv").write_text(clean(np.random.default_rng(7)), encoding="utf-8")
    assert run("fit", "data.csv", "--holdout", "0.3").exit_code == 0
    found = json.loads(run("report", "data.model.safetensors", "data.csv", "--json").stdout)["report"]
    assert found["scores"]["held out"]["rows"] == len(found["held_out"]) == 18
    assert found["scores"]["learnt from"]["rows"] == 42
    assert "42 of 60 rows take part" in found["proofs"][0]["claim"]
    assert all(code == 0 for code, _ in map(outcome, found["check"]))


def test_a_changed_table_is_rejected_by_every_command_that_checks(here):
    text = clean(np.random.default_rng(7))
    (here / "data.csv").write_text(text, encoding="utf-8")
    assert run("fit", "data.csv").exit_code == 0
    assert run("report", "data.model.safetensors", "data.csv", "-o", "page.html").exit_code == 0
    number = re.search(r"\n(-?[\d.]+),", text)[1]
    (here / "data.csv").write_text(text.replace(number, "7.25", 1), encoding="utf-8")
    codes = [outcome(command)[0] for command in printed((here / "page.html").read_text(encoding="utf-8"))]
    assert codes == [3, 3, 0, 3], "only the conversion proves nothing"


def test_without_certificate_files_the_model_is_checked(here):
    (here / "data.csv").write_text(clean(np.random.default_rng(7)), encoding="utf-8")
    assert run("fit", "data.csv").exit_code == 0
    (here / "data.certificate.json.gz").unlink()
    assert run("report", "data.model.safetensors", "data.csv", "-o", "page.html").exit_code == 0
    commands = printed((here / "page.html").read_text(encoding="utf-8"))
    assert len(commands) == 2
    assert all(outcome(command)[0] == 0 for command in commands)


def test_a_shell_takes_the_commands_as_they_are(here):
    file, text, options = CASES["a quote in the name"]
    (here / file).write_text(text(np.random.default_rng(7)), encoding="utf-8")
    assert run("fit", file, *options).exit_code == 0
    assert run("report", "it's.v1.model.safetensors", file, "-o", "page.html").exit_code == 0
    commands = printed((here / "page.html").read_text(encoding="utf-8"))
    script = f'''set -e; python() {{ "{sys.executable}" "$@"; }}; separatrix() {{ python -m separatrix "$@"; }}\n'''
    done = subprocess.run(
        ["bash", "-c", script + "\n".join(commands)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Proved") == 3
