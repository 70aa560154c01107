"""What is published: its metadata, the wheels, and what a fresh clone installs."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from pathlib import Path

import pytest

from separatrix import SVC, Perceptron

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
MAKEFILE = (ROOT / "Makefile").read_text()


def recipe(target: str) -> str:
    """The lines of a rule of the Makefile."""
    found = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n)*)", MAKEFILE, re.MULTILINE)
    assert found, target
    return found.group(0)


def test_the_licence_is_an_expression_that_tools_understand():
    project = PROJECT["project"]
    assert project["license"] == "BSD-3-Clause"
    assert all(
        (ROOT / name).read_text().startswith("BSD 3-Clause License") for name in project["license-files"]
    )
    assert not any(each.startswith("License ::") for each in project["classifiers"]), (
        "not beside an expression"
    )
    assert "license: BSD-3-Clause" in (ROOT / "CITATION.cff").read_text()


def test_wheels_of_other_platforms_are_built_for_every_python_that_is_declared():
    wheels = PROJECT["tool"]["cibuildwheel"]
    assert set(wheels) <= {"build", "skip", "build-verbosity", "test-command", "linux", "macos", "windows"}
    lowest = PROJECT["project"]["requires-python"].removeprefix(">=3.")
    assert wheels["build"][0] == f"cp3{lowest}-*"
    assert all(re.fullmatch(r"cp3\d\d-\*", each) for each in wheels["build"])
    script = ROOT / wheels["test-command"].removeprefix("python {project}/")
    ast.parse(script.read_text())
    for platform in ("linux", "macos", "windows"):
        assert wheels[platform]["archs"] == ["auto64"]
    image = wheels["linux"]["manylinux-x86_64-image"]
    assert re.fullmatch(r"manylinux_2_\d\d", image)
    assert wheels["linux"]["manylinux-aarch64-image"] == image


def test_a_wheel_is_built_repaired_and_used_where_there_is_no_compiler():
    assert "auditwheel repair" in recipe("wheel")
    smoke = recipe("smoke")
    assert "--only-binary :all:" in smoke
    assert "CXX=false" in smoke
    assert "make smoke" in (ROOT / ".ci" / "run").read_text()


def test_the_demo_installs_what_it_needs_and_not_the_tools_of_developers():
    assert recipe("demo").startswith("demo: $(READY)")
    installed = recipe("$(READY)")
    extras = re.search(r'--editable "\.\[([a-z,]+)\]"', installed)
    assert extras is not None
    assert set(extras.group(1).split(",")) <= {"files", "lab", "plots"}


def test_the_site_is_searched_from_disk_and_fetches_nothing():
    """Pages opened from disk may neither read JSON nor start a worker: the index is a script, the worker a frame."""
    config = (ROOT / "mkdocs.yml").read_text()
    assert "- offline" in config
    shim = re.search(r"- (javascripts/iframe-worker\.js)", config)
    assert shim is not None, "of this name, or the plugin adds an address of the network"
    assert "window.Worker = class" in (ROOT / "docs" / shim.group(1)).read_text()


@pytest.mark.parametrize("kind", [SVC, Perceptron], ids=lambda kind: kind.__name__)
def test_the_reference_shows_the_defaults_of_the_signature(kind):
    """An entry is one parameter with its own default: several at once have none that a reader could tell apart."""
    text = inspect.getdoc(kind).split("Attributes\n")[0]
    shown = re.findall(r"^([\w, ]+) : .*?(?:\\\n.*?)?\bdefault (.*)$", text, re.MULTILINE)
    assert len(shown) > 10
    parameters = inspect.signature(kind).parameters
    for name, default in shown:
        assert parameters[name].default == ast.literal_eval(default), name


@pytest.mark.parametrize("name", ["SECURITY.md", "CITATION.cff", "CHANGELOG.md", "LICENSE", "README.md"])
def test_what_a_stranger_looks_for_is_there(name):
    assert len((ROOT / name).read_text()) > 200


def test_the_changelog_begins_with_the_first_release():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0].startswith("Unreleased")
    assert all(re.fullmatch(r"Unreleased.*|\d+\.\d+\.\d+.*", heading) for heading in headings)
