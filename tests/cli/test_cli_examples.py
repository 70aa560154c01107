"""Every command in --help and in the documents runs as it is written, and starting is quick.

Tests `cli/convert.py`, `cli/demo.py`, `cli/lab.py`, `cli/report.py`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
import typer
from cli_cases import ROOT, run, run_line

import separatrix as sx
from separatrix.cli.app import app

ENDLESS = ("lab", "serve")
COMMANDS = {each.name or each.callback.__name__: each.callback.__doc__ for each in app.registered_commands}


def examples(text: str) -> list[str]:
    """The lines of a help text that are commands."""
    return [
        line.strip() for line in text.splitlines() if re.match(r"\s+(separatrix|python -m separatrix)", line)
    ]


def shell_lines(document: str) -> list[str]:
    """The commands in the shell blocks of a document."""
    text = (ROOT / document).read_text()
    blocks = re.findall(r"^```(?:sh|shell|console|bash)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("separatrix ")]


def test_every_command_is_there_and_has_examples():
    names = [
        "look",
        "fit",
        "predict",
        "check",
        "verify",
        "audit",
        "convert",
        "report",
        "serve",
        "lab",
        "demo",
    ]
    assert sorted(COMMANDS) == sorted(names)
    for name, text in COMMANDS.items():
        assert examples(text), f"{name} --help shows no example"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ENDLESS])
def test_examples_of_help_run_as_written(folder, name):
    for prelude in ("fit data.svm -q", "convert data.svm data.store"):
        if not prelude.startswith(name):
            assert run(*prelude.split()).exit_code == 0
    for line in examples(COMMANDS[name]):
        line = line.partition("    (")[0]
        if "--verified" in line:  # needs a program that Coq builds: see tests/verified
            continue
        if line.startswith("python -m "):
            done = subprocess.run([sys.executable, *shlex.split(line)[1:]], capture_output=True, check=False)
            assert done.returncode == 0, line
            continue
        result = run_line(line)
        assert result.exit_code == 0, f"{line}\n{result.output}"


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        *sorted(
            str(path.relative_to(ROOT))
            for path in (ROOT / "docs").rglob("*.md")
            if path.name != "your-own-table.md"  # which has a test of its own
        ),
    ],
)
def test_commands_of_the_documents_run_as_written(folder, document):
    for line in shell_lines(document):
        if line.split()[1] in ENDLESS:  # runs until it is ended: see test_lab_lines and test_serve_lines
            continue
        result = run_line(line)
        assert result.exit_code in (0, 2), f"{line}\n{result.output}"


def test_help_and_version():
    assert run("--version").stdout.startswith("separatrix ")
    for words in (["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)):
        result = run(*words)
        assert result.exit_code == 0
        assert "Traceback" not in result.output
    assert "Exit codes: 0 proved or done" in run("--help").stdout
    assert isinstance(app, typer.Typer)


def test_help_loads_nothing_heavy():
    code = (
        "import sys; before = set(sys.modules); from separatrix.cli.app import main; main(['--help']); "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert not {"numpy", "scipy", "sklearn", "rich", "matplotlib"} & set(loaded)
    ours = [name for name in loaded if name.startswith("separatrix")]
    commands = {f"separatrix.cli.{name}" for name in COMMANDS}
    helpers = {f"separatrix.cli.{name}" for name in ("app", "inputs", "output", "postponed", "progress")}
    observers = {"separatrix.fitting", "separatrix.fitting.observer"}  # what a progress line is
    assert set(ours) == {"separatrix", "separatrix.cli", "separatrix.errors", *commands, *helpers, *observers}
    others = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert len(others) < 12, others


def test_no_arguments_are_a_call_for_help():
    assert run().exit_code == 0
    assert run().stdout == run("--help").stdout


def test_completion_is_offered(tmp_path: Path):
    script = "import os, sys; from separatrix.cli.app import main; sys.exit(main([]))"
    environment = {"_SEPARATRIX_COMPLETE": "complete_bash", "COMP_WORDS": "separatrix ve", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout.split() == ["verify"]


def lab_lines() -> list[str]:
    """Every way to start the lab that the help and the documents show."""
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    found = [
        re.findall(r"separatrix lab(?: --?[a-z-]+(?: (?:\d+|https?://[\w.:]+))?)*", path.read_text())
        for path in documents
    ]
    lines = {*examples(COMMANDS["lab"]), *(line for lines in found for line in lines)}
    return sorted(line for line in lines if "--export" not in line)  # which serves nothing: see below


def test_lab_exports_pages(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (line,) = [line for line in examples(COMMANDS["lab"]) if "--export" in line]
    result = run_line(line)
    assert result.exit_code == 0, result.output
    assert "a page that needs no server" in result.stdout
    assert (tmp_path / "two-spaces.html").read_text().startswith("<!doctype html>")
    for words, sentence in (
        (["--export", "two-spaces"], "both are needed"),
        (["-o", "page.html"], "both are needed"),
        (["--export", "nothing", "-o", "page.html"], "neither a stage"),
        (["--export", "http://127.0.0.1:8765/#eyJzY2Vu", "-o", "page.html"], "cannot be read"),
        (["--allow-embed", "example.org"], "is no origin"),
        (["--allow-embed", "https://example.org/page"], "is no origin"),
        (["--allow-embed", "https://example.org;"], "is no origin"),
        (["--allow-embed", "*"], "is no origin"),
    ):
        result = run("lab", *words)
        assert result.exit_code == 1, words
        assert sentence in result.stderr, words
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("line", lab_lines())
def test_lab_lines_run_as_written(tmp_path: Path, line: str):
    """On a port that is free, whatever port they name; the browser is one that notes its address."""
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    lab = subprocess.Popen(
        [sys.executable, "-m", *shlex.split(line), "--port", "0"],
        env={**os.environ, "BROWSER": f"{browser} %s"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert lab.stdout is not None
        address = lab.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), line
        with urlopen(address, timeout=20) as answer:
            assert "<html" in answer.read().decode()
        deadline = time.monotonic() + 20
        while "--no-open" not in line and not opened.exists():
            assert time.monotonic() < deadline, "no browser was opened"
            time.sleep(0.05)
        assert "--no-open" in line or opened.read_text().strip() == address
    finally:
        lab.send_signal(signal.SIGINT)
        lab.communicate(timeout=20)
    assert lab.returncode == 0, "Ctrl-C is how the lab is ended"


def test_serve_lines_run_as_written(folder: Path):
    """On a port that is free; the last example checks the logs that the first ones have begun."""
    (folder / "models").mkdir()
    model = sx.Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    for name in ("model", "models/one", "models/other"):
        sx.save(model, f"{name}.safetensors")
    (folder / "tokens").write_text("a-token-of-everything\n")
    lines = examples(COMMANDS["serve"])
    assert [("--check" in line) for line in lines] == [False, False, True]
    for line in lines[:2]:
        words = shlex.split(line.partition(" --port")[0])
        server = subprocess.Popen(
            [sys.executable, "-m", *words, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            with urlopen(f"{address}v2/health/ready", timeout=20) as answer:
                assert answer.status == 200
        finally:
            server.send_signal(signal.SIGINT)
            _, errors = server.communicate(timeout=20)
        assert server.returncode == 0, errors
    result = run_line(lines[2])
    assert result.exit_code == 0, result.output
    assert result.stdout.count("agree") == 3


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_completion_is_installed_as_the_documents_say(tmp_path: Path):
    text = (ROOT / "docs" / "how-to" / "command-line.md").read_text()
    line = re.search(r"separatrix --install-completion", text)
    assert line is not None
    program = Path(sys.executable).parent
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{program}:{os.environ['PATH']}"}
    # The colon keeps bash itself alive as the parent, which is what tells which shell is meant.
    done = subprocess.run(
        ["bash", "-c", f"{line[0]}; code=$?; :; exit $code"], env=environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    ask = "source ~/.bashrc; complete -p separatrix"
    known = subprocess.run(["bash", "-c", ask], env=environment, capture_output=True, text=True, check=True)
    assert known.stdout.strip().endswith("separatrix")
