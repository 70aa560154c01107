"""Every file of the page is in the package, asks nobody else for anything, and can be read in one sitting."""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

from separatrix.lab.bundle import SHEETS, bundle, checker

ROOT = Path(__file__).parents[2]


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_every_static_file_is_in_the_installed_package(static_folder):
    installed = files("separatrix.lab") / "static"
    for name in names(static_folder):
        assert (installed / name).read_bytes() == (static_folder / name).read_bytes()


def test_every_static_file_is_in_a_wheel(static_folder, tmp_path):
    """A wheel is built here and looked into; without the compiled core, which takes minutes and no static file."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-Cwheel.cmake=false"]
    built = subprocess.run(
        [*command, "--outdir", str(tmp_path), str(ROOT)], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    (path,) = tmp_path.glob("separatrix-*.whl")
    with zipfile.ZipFile(path) as wheel:
        for name in names(static_folder):
            inside = wheel.read(f"separatrix/lab/static/{name}")
            assert inside == (static_folder / name).read_bytes(), name
        for path in (ROOT / "checkers" / "javascript").glob("*.js"):
            assert wheel.read(f"separatrix/lab/checkers/javascript/{path.name}") == path.read_bytes(), (
                path.name
            )
        wheel.extractall(tmp_path / "installed")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'installed')!r})\n"
        "from separatrix.lab.bundle import bundle, checker\n"
        "print(checker().is_relative_to(sys.path[0]), len(bundle('recorded.js')))"
    )
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.split() == ["True", str(len(bundle("recorded.js")))], found.stderr


def test_the_page_loads_nothing_from_elsewhere(static_folder):
    for path in static_folder.rglob("*"):
        if path.suffix in {".js", ".html", ".css", ".svg"}:
            text = path.read_text().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(
                r"https?://|//cdn|@import|url\(", text.replace("`${location.protocol", "")
            ), path.name


def imports(text: str) -> list[str]:
    return re.findall(r'from "(\.{1,2}/[\w./]+)"', text)


def test_modules_can_be_joined_into_one_file(static_folder):
    """Named imports by relative path, no cycles, no default exports: what the notebook's single file needs."""
    folder = static_folder / "js"
    modules = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.js")}
    needs = {
        name: [posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in imports(text)]
        for name, text in modules.items()
    }
    for name, text in modules.items():
        assert ("export default" in text) == (name == "notebook.js"), name
        assert not re.search(r"\bimport\(", text), name
        checkers = {f"checker/{path.name}" for path in checker().glob("*.js")}
        assert set(needs[name]) <= set(modules) | checkers, name
        assert len(re.findall(r"^import ", text, re.MULTILINE)) == len(needs[name]), name
    done: set[str] = set()
    while len(done) < len(modules):
        ready = {name for name in modules if name not in done and set(needs[name]) & set(modules) <= done}
        assert ready, f"a cycle among {sorted(set(modules) - done)}"
        done |= ready


def test_the_page_links_every_sheet(static_folder):
    linked = re.findall(r'href="/css/(\w+)\.css"', (static_folder / "index.html").read_text())
    assert tuple(linked) == SHEETS
    assert {path.stem for path in (static_folder / "css").glob("*.css")} == set(SHEETS)


def test_modules_are_short(static_folder):
    long = {
        path.name: n
        for path in static_folder.rglob("*.js")
        if (n := len(path.read_text().splitlines())) > 260
    }
    assert long == {}
