"""Each statement of ARCHITECTURE.md, as a test."""

from __future__ import annotations

import ast
import re
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from separatrix import SVC, verify
from separatrix.checker import check as exact_check

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "separatrix"
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
NETWORK = {
    "socket",
    "ssl",
    "http",
    "urllib",
    "ftplib",
    "requests",
    "uvicorn",
    "starlette",
    "websockets",
    "distributed",
}
ROOMS_THAT_ANSWER = {"problem", "proof", "solvers", "separability", "fitting", "svm", "perceptron"}


def modules() -> list[tuple[Path, ast.Module]]:
    return [(path.relative_to(SOURCE), ast.parse(path.read_text())) for path in sorted(SOURCE.rglob("*.py"))]


def imports(tree: ast.Module) -> set[str]:
    """Return every module that is imported, anywhere in the file, as `package.module` and `package.module.name`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_every_invariant_names_a_test_or_a_contract_that_exists():
    contracts = (ROOT / "pyproject.toml").read_text()
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    bullets = re.split(r"\n- ", PAGE.split("## Invariants")[1])[1:]
    assert len(bullets) >= 9
    for bullet in bullets:
        named = re.findall(r"`(test_\w+)`", bullet)
        files = re.findall(r"`(test_\w+\.py)`", bullet)
        assert named or files or "(contract)" in bullet, bullet
        for name in named:
            assert f"def {name}(" in tests, name
        for name in files:
            assert list((ROOT / "tests").rglob(name)), name
    assert "The checker needs the standard library alone" in contracts


def test_the_code_map_is_complete():
    rooms = {
        path.name if path.is_dir() else path.stem
        for path in SOURCE.iterdir()
        if path.name not in {"__init__.py", "__main__.py", "__pycache__", "_core.pyi", "py.typed"}
        and path.suffix in {"", ".py"}
    }
    table = PAGE.split("## Code map")[1].split("## Invariants")[0]
    named = set(re.findall(r"`(\w+)(?:/|\.py)`", table.split("\n`cpp/`")[0]))
    assert rooms - named == set()
    for path in re.findall(r"`([\w/]+\.py)`", table):
        assert (SOURCE / path).is_file() or path in {"numbers.py", "data.py", "linear.py", "choose.py"}, path
    for room in re.search(r"rooms of its own \(([^)]*)\)", table)[1].replace("`", "").split(", "):
        assert (ROOT / "cpp" / room).is_dir(), room


def test_the_rooms_of_the_map_are_those_of_the_contract():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    listed = {
        name.removeprefix("separatrix.")
        for layer in contract["layers"]
        for name in re.findall(r"[\w.]+", layer)
    }
    present = {
        path.stem if path.suffix == ".py" else path.name
        for path in SOURCE.iterdir()
        if path.suffix in {"", ".py"}
    }
    assert present - listed <= {"__init__", "__main__", "__pycache__", "kernels", "_core"}


def test_the_reported_gap_is_recomputed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 30)), rng.choice([-1, 1], size=400)
    for loss in ("hinge", "squared_hinge"):
        model = SVC(loss=loss, solver="coordinate-descent", tol=1e-2, random_state=0).fit(X, y)
        m = y * (X @ model.coef_[0] + model.intercept_[0])
        lost = np.maximum(0.0, 1.0 - m) ** (2 if loss == "squared_hinge" else 1)
        primal = 0.5 * float(model.coef_[0] @ model.coef_[0]) + float(lost.sum())
        v = (model.alpha_ * y) @ X
        curved = float((model.alpha_**2).sum()) / 4 if loss == "squared_hinge" else 0.0
        dual = float(model.alpha_.sum()) - curved - 0.5 * float(v @ v)
        assert model.primal_ == pytest.approx(primal, rel=1e-12)
        assert model.dual_ == pytest.approx(dual, rel=1e-10)
        assert model.gap_ == pytest.approx((primal - dual) / primal, rel=1e-6, abs=1e-14)


def test_a_dual_point_is_balanced_exactly():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 7)), rng.choice([-1, 1], size=300)
    for kernel in ("linear", "rbf"):
        alpha = SVC(kernel=kernel).fit(X, y).alpha_
        assert sum(Fraction(float(a)) * int(s) for a, s in zip(alpha, y, strict=True)) == 0


def test_one_exact_check(monkeypatch):
    X, y = [[0.0], [1.0]], [0, 1]
    certificate, calls = SVC().fit(X, y).certificate_, []
    original = exact_check.check
    monkeypatch.setattr(
        "separatrix.proof.verify.check_document",
        lambda *args, **kwargs: calls.append(args) or original(*args, **kwargs),
    )
    assert verify(certificate, X, y, exact=True)
    assert len(calls) == 1


def test_who_imports_the_compiled_core():
    users = {
        path.parts[0] for path, tree in modules() if any("_core" in name.split(".") for name in imports(tree))
    }
    assert users == {"solvers", "perceptron", "data"}  # the data room for reading text


def test_who_reads_a_clock():
    readers = set()
    for path, tree in modules():
        if path.parts[0] in ROOMS_THAT_ANSWER and {"time", "datetime"} & imports(tree):
            readers.add(str(path))
    limits_and_histories = {
        "fitting/binary.py",
        "fitting/classes.py",
        "fitting/hard_margin.py",
        "fitting/observer.py",
        "perceptron/partial_fit.py",
        "perceptron/run.py",
        "solvers/loop/deadline.py",
        "solvers/loop/run.py",
    }
    assert readers <= limits_and_histories


def test_solvers_do_not_know_each_other():
    algorithms = {"coordinate_descent", "smo", "newton", "active_set", "small"}  # cocoa is descent on parts
    for path, tree in modules():
        if path.parts[0] == "solvers" and path.parts[1].removesuffix(".py") in algorithms:
            own = path.parts[1].removesuffix(".py")
            others = {
                name
                for name in imports(tree)
                for other in algorithms - {own}
                if f"separatrix.solvers.{other}" in name
            }
            assert others == set(), path


def test_only_bindings_include_nanobind():
    for path in sorted((ROOT / "cpp").rglob("*.[hc]pp")):
        if "bindings" not in path.parts:
            assert "nanobind" not in path.read_text(), path
            assert "Python.h" not in path.read_text(), path


def test_nothing_executes_what_it_reads():
    for path, tree in modules():
        assert not {"pickle", "marshal", "shelve", "dill", "joblib"} & {
            name.split(".")[0] for name in imports(tree)
        }, path
        calls = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not {"eval", "exec", "compile", "__import__"} & calls, path


def test_who_talks_to_the_network():
    users = {
        path.parts[0] for path, tree in modules() if NETWORK & {name.split(".")[0] for name in imports(tree)}
    }
    assert users <= {"lab", "serve", "dask", "cli", "web.py"}, users


def test_environment_variables():
    named = set()
    for path in [*SOURCE.rglob("*.py"), *(ROOT / "cpp").rglob("*.[hc]pp")]:
        named |= set(re.findall(r"""(?:environ(?:\.get)?[\[(]|getenv\()\s*["'](\w+)""", path.read_text()))
    assert named == {"OMP_NUM_THREADS", "SEPARATRIX_ISA", "NO_COLOR", "TERM"}
