"""The project around the code: documents that are true, versions that agree, files of readable size."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

import separatrix
import tested_modules
from separatrix import demo
from separatrix.lab.stages import STAGE

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
DOCUMENTS = sorted(path for path in (ROOT / "docs").rglob("*.md") if "```python" in path.read_text())


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def python_blocks(document: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.DOTALL | re.MULTILINE)


def test_every_python_block_of_the_readme_prints_what_it_shows():
    blocks = python_blocks("README.md")
    assert any(">>>" in block for block in blocks), "the first screen shows Python with its output"
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for number, block in enumerate(blocks):
        assert ">>>" in block, f"block {number} has no prompt, so nothing would check its output"
        test = doctest.DocTestParser().get_doctest(block, names, f"README block {number}", "README.md", 0)
        runner.run(test, clear_globs=False)
        names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_python_blocks_of_the_documents_print_what_they_show(path):
    blocks = re.findall(r"^ *```python\n(.*?)^ *```", path.read_text(), re.DOTALL | re.MULTILINE)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    names: dict[str, object] = {}
    for number, block in enumerate(textwrap.dedent(block) for block in blocks):
        test = doctest.DocTestParser().get_doctest(block, names, f"{path.name} block {number}", path.name, 0)
        runner.run(test, clear_globs=False)
        names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0


def test_links_between_documents_lead_somewhere():
    missing = []
    for path in tracked():
        if path.suffix == ".md":
            prose = re.sub(r"```.*?```|`[^`\n]*`", "code", path.read_text(), flags=re.DOTALL)
            for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", prose):
                # A picture of the documentation is drawn by the script of its name when the site is built.
                # A scene is recorded then, too.
                drawn = "pictures/" in target and target.endswith(".svg")
                scene = re.search(r"scenes/([\w-]+)\.html$", target)
                there = (path.parent / (f"{target[:-4]}.py" if drawn else target)).exists()
                if not (scene[1] in STAGE if scene else there):
                    missing.append(f"{path.relative_to(ROOT)} -> {target}")
    assert missing == []


def test_demo_proves_and_rejects(tmp_path, capsys):
    assert demo.main(["--folder", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall(r"\bproved in\b", shown)) == 3
    assert len(re.findall(r"\brejected\b", shown)) == 2
    assert (tmp_path / "certificate.json").stat().st_size > 1000


def test_demo_fails_loudly_if_nothing_is_rejected(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(demo, "change_a_digit", lambda document: "nothing")
    assert demo.main(["--folder", str(tmp_path)]) == 1
    assert "not as it should be" in capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_is_short(path):
    assert len(path.read_text().splitlines()) < 60
    run = subprocess.run([sys.executable, "-W", "error", path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "No module" not in run.stdout + run.stderr


def test_versions_agree():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert separatrix.__version__ == declared
    assert f"version: {declared}" in (ROOT / "CITATION.cff").read_text()
    assert declared in (ROOT / "CHANGELOG.md").read_text()


def test_changelog_has_an_unreleased_section():
    assert re.search(r"^## Unreleased", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_every_tool_is_pinned():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for tool in ("ruff", "mypy", "import-linter"):
        assert any(re.fullmatch(rf"{tool}==[\d.]+", entry) for entry in extras["dev"]), tool


def test_no_tracked_file_names_a_machine():
    # Written in two parts so that this file does not contain what it looks for.
    places = ["/" + "work/", "/" + "root/", "/" + "home/", "/" + "opt/", "file" + "://", "index" + "-url"]
    hosts = ["python" + "hosted.org", "art" + "ifactory", "find" + "-links"]
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {word}" for word in places + hosts if word in text]
    assert found == []


def test_source_files_are_read_in_one_sitting():
    limits = {
        ".py": 400,
        ".pyi": 700,
        ".hpp": 400,
        ".cpp": 400,
    }  # the stub is generated, and grows with the core
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked()
        if path.suffix in limits and (lines := len(path.read_text().splitlines())) > limits[path.suffix]
    }
    assert long == {}


def test_no_large_file_is_tracked():
    assert [str(path) for path in tracked() if path.stat().st_size > 300_000] == []


def test_every_module_has_a_test_and_every_test_its_modules():
    found: set[str] = set()
    for test in tested_modules.TEST_FILES:
        named = tested_modules.named(test)
        assert not named - tested_modules.MODULES, f"{test.name} names a module that does not exist"
        assert test.read_text().startswith('"""'), f"{test.name} does not say what it tests"
        found |= named | tested_modules.imported(test)
    missing = sorted(tested_modules.MODULES - found)
    assert not missing, "no test imports these modules, and none names them in its docstring"
