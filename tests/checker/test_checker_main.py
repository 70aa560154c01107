"""The checker as its users run it: another process, with nothing but the standard library on the path."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import separatrix
from separatrix.problem import LOSSES, Point, Problem
from separatrix.proof.certificate import fingerprint, optimal
from separatrix.proof.duality import certify

SOURCE = str(Path(separatrix.__file__).parent.parent)


def run(*arguments):
    """Without site-packages (-S): an import of NumPy anywhere on the way would fail."""
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    command = [sys.executable, "-S", "-m", "separatrix.checker", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)


def write_libsvm(path, X, labels):
    lines = []
    for label, row in zip(labels, X, strict=True):
        pairs = (f"{column + 1}:{float(value)!r}" for column, value in enumerate(row) if value)
        lines.append(" ".join([str(label), *pairs]))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A folder with data in several forms and one certificate for each."""
    folder = tmp_path_factory.mktemp("checker")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) * (rng.random((50, 4)) < 0.6)
    X[0, 3] = 1.0
    names = np.where(X[:, 0] + 0.3 * rng.normal(size=50) > 0, "ill", "well")
    y = np.where(names == "ill", 1.0, -1.0)
    problem = Problem(X, y, np.where(y > 0, 0.7, 0.3), LOSSES["squared_hinge"], "free")
    solution = certify(problem, Point(np.full(50, 0.01)))
    optimal(problem, solution, fingerprint(X, names), ["ill"], ["well"]).save(folder / "names.json.gz")
    optimal(problem, solution, fingerprint(sparse.csr_array(X), y), [1], [-1]).save(folder / "numbers.json")
    write_libsvm(folder / "data.txt", X, np.where(y > 0, "+1", "-1"))
    table = [",".join([name, *map(repr, map(float, row))]) for name, row in zip(names, X, strict=True)]
    (folder / "data.csv").write_text("state,a,b,c,d\n" + "\n".join(table) + "\n")
    return folder


def test_the_path_really_has_no_numpy():
    probe = [sys.executable, "-S", "-c", "import numpy"]
    assert subprocess.run(probe, capture_output=True, env={**os.environ, "PYTHONPATH": SOURCE}).returncode


@pytest.mark.parametrize(
    "arguments", [("numbers.json", "data.txt"), ("names.json.gz", "data.csv", "--label-column", "state")]
)
def test_a_true_certificate_is_proved(case, arguments):
    done = run(case / arguments[0], case / arguments[1], *arguments[2:])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Proved: the optimum lies in [")
    assert done.stderr == ""


def test_json_has_the_proved_numbers(case):
    done = run(case / "numbers.json", case / "data.txt", "--json")
    verdict = json.loads(done.stdout)
    assert verdict["proved"] is True
    assert verdict["kind"] == "optimal"
    assert verdict["dual"] <= verdict["primal"]


def test_other_data_are_rejected(case, tmp_path):
    lines = (case / "data.txt").read_text().splitlines()
    (tmp_path / "data.txt").write_text("\n".join([lines[1], lines[0], *lines[2:]]))
    done = run(case / "numbers.json", tmp_path / "data.txt")
    assert done.returncode == 3
    assert done.stdout.startswith("Rejected: ")
    assert done.stderr.startswith("hint: ")
    (tmp_path / "words.txt").write_text("\n".join("maybe" + line[2:] for line in lines))
    assert "'maybe'" in run(case / "numbers.json", tmp_path / "words.txt").stdout


def test_a_changed_certificate_is_rejected(case, tmp_path):
    text = (case / "numbers.json").read_text()
    (tmp_path / "c.json").write_text(text.replace('"gap":"0x1', '"gap":"0x0'))
    done = run(tmp_path / "c.json", case / "data.txt", "--json")
    assert done.returncode == 3
    assert "digest" in json.loads(done.stdout)["reason"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["numbers.json"],
        ["numbers.json", "absent.txt"],
        ["absent.json", "data.txt"],
        ["numbers.json", "data.csv", "--label-column", "zeal"],
        ["numbers.json", "data.txt", "--format", "xml"],
    ],
)
def test_bad_usage_and_unreadable_input_end_with_one(case, arguments):
    done = run(*(case / name if "." in name else name for name in arguments))
    assert done.returncode == 1
    assert "error: " in done.stderr
    assert done.stdout == ""


def test_help_has_examples():
    done = run("--help")
    assert done.returncode == 0
    assert "examples:" in done.stdout
