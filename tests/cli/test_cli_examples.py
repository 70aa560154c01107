"""Every command in --help and in the documents runs as it is written, and starting is quick."""

from __future__ import annotations

import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from cli_cases import ROOT, run, run_line

from separatrix.cli.app import app

COMMANDS = {command.callback.__name__: command.callback.__doc__ for command in app.registered_commands}


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
    names = ["fit", "predict", "check", "verify", "audit", "convert", "report", "lab", "demo"]
    assert sorted(COMMANDS) == sorted(names)
    for name, text in COMMANDS.items():
        assert examples(text), f"{name} --help shows no example"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "lab"])
def test_examples_of_help_run_as_written(folder, name):
    for prelude in ("fit data.svm -q", "convert data.svm data.store"):
        if not prelude.startswith(name):
            assert run(*prelude.split()).exit_code == 0
    for line in examples(COMMANDS[name]):
        line = line.partition("    (")[0]
        if line.startswith("python -m "):
            done = subprocess.run([sys.executable, *shlex.split(line)[1:]], capture_output=True, check=False)
            assert done.returncode == 0, line
            continue
        result = run_line(line)
        assert result.exit_code == 0, f"{line}\n{result.output}"


@pytest.mark.parametrize(
    "document",
    ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))],
)
def test_commands_of_the_documents_run_as_written(folder, document):
    for line in shell_lines(document):
        if line.startswith(("separatrix lab", "separatrix --install-completion")):
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


def test_help_starts_quickly_and_loads_nothing_heavy():
    code = (
        "import sys; from separatrix.cli.app import main; main(['--help']); "
        "print(sorted({'numpy', 'scipy', 'sklearn', 'rich', 'matplotlib'} & set(sys.modules)))"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert done.stdout.splitlines()[-1] == "[]"
    assert seconds < 0.5, "processor time, because other processes may be busy"


def test_completion_is_offered(tmp_path: Path):
    script = "import os, sys; from separatrix.cli.app import main; sys.exit(main([]))"
    environment = {"_SEPARATRIX_COMPLETE": "complete_bash", "COMP_WORDS": "separatrix ve", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout.split() == ["verify"]
