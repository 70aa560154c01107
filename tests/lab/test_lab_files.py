"""Every file of the page is in the package, asks nobody else for anything, and can be read in one sitting."""

from __future__ import annotations

import re
import subprocess
import tomllib
import zipfile
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_every_static_file_is_in_the_installed_package(static_folder):
    installed = files("separatrix.lab") / "static"
    for name in names(static_folder):
        assert (installed / name).read_bytes() == (static_folder / name).read_bytes()


def test_nothing_keeps_static_files_out_of_the_wheel(static_folder):
    # The wheel takes the package folder whole; only what git ignores or the settings exclude would be left out.
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    assert settings["wheel"]["packages"] == ["src/separatrix"]
    assert "exclude" not in settings["wheel"]
    assert not any("lab" in each or "src" in each for each in settings["sdist"]["exclude"])
    paths = [f"src/separatrix/lab/static/{name}" for name in names(static_folder)]
    if (ROOT / ".git").exists():
        ignored = subprocess.run(
            ["git", "check-ignore", *paths], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert ignored.stdout == ""


def test_a_wheel_that_was_built_has_them_all(static_folder):
    newest = max(path.stat().st_mtime for path in static_folder.rglob("*"))
    for path in (ROOT / "dist").glob("separatrix-*.whl"):
        if path.stat().st_mtime > newest:
            with zipfile.ZipFile(path) as wheel:
                inside = set(wheel.namelist())
            assert {f"separatrix/lab/static/{name}" for name in names(static_folder)} <= inside


def test_the_page_loads_nothing_from_elsewhere(static_folder):
    for path in static_folder.rglob("*"):
        if path.suffix in {".js", ".html", ".css", ".svg"}:
            text = path.read_text().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(
                r"https?://|//cdn|@import|url\(", text.replace("`${location.protocol", "")
            ), path.name


def test_modules_can_be_joined_into_one_file(static_folder):
    """Named imports by relative path, no cycles, no default exports: what the notebook's single file needs."""
    modules = {path.name: path.read_text() for path in (static_folder / "js").glob("*.js")}
    needs = {name: re.findall(r'from "\./([\w.]+)"', text) for name, text in modules.items()}
    for name, text in modules.items():
        assert ("export default" in text) == (name == "notebook.js"), name
        assert not re.search(r"\bimport\(", text), name
        assert set(needs[name]) <= set(modules), name
        assert len(re.findall(r"^import ", text, re.MULTILINE)) == len(needs[name]), name
    done: set[str] = set()
    while len(done) < len(modules):
        ready = {name for name in modules if name not in done and set(needs[name]) <= done}
        assert ready, f"a cycle among {sorted(set(modules) - done)}"
        done |= ready


def test_modules_are_short(static_folder):
    long = {
        path.name: n
        for path in static_folder.rglob("*.js")
        if (n := len(path.read_text().splitlines())) > 260
    }
    assert long == {}
