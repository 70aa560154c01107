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
from separatrix.proof.certificate import Certificate
from separatrix.proof.duality import certify
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.optimal import optimal

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
    single = X.astype(np.float32)
    problem = Problem(single, y, problem.C, LOSSES["hinge"], "none")
    solution = certify(problem, Point(np.full(50, 0.01)))
    optimal(problem, solution, fingerprint(single, y), [1], [-1]).save(folder / "single.json")
    write_libsvm(folder / "data.txt", X, np.where(y > 0, "+1", "-1"))
    table = [",".join([name, *map(repr, map(float, row))]) for name, row in zip(names, X, strict=True)]
    (folder / "data.csv").write_text("state,a,b,c,d\n" + "\n".join(table) + "\n")
    return folder


def test_the_path_really_has_no_numpy():
    probe = [sys.executable, "-S", "-c", "import numpy"]
    assert subprocess.run(probe, capture_output=True, env={**os.environ, "PYTHONPATH": SOURCE}).returncode


@pytest.mark.parametrize(
    "arguments",
    [
        ("numbers.json", "data.txt"),
        ("names.json.gz", "data.csv", "--label-column", "state"),
        ("single.json", "data.txt"),
    ],
)
def test_a_true_certificate_is_proved(case, arguments):
    done = run(case / arguments[0], case / arguments[1], *arguments[2:])
    assert done.returncode == 0, done.stderr
    claim = Certificate.load(case / arguments[0]).claim
    precision = "single" if arguments[0] == "single.json" else "double"
    rounding = f"Decimal fractions in the file were read as the nearest numbers of {precision} precision."
    assert done.stdout == f"Proved in exact arithmetic: {claim}\n{rounding}\n"
    assert done.stderr == ""


def test_whole_numbers_are_not_said_to_be_rounded(tmp_path):
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    problem = Problem(X, y, np.ones(2), LOSSES["hinge"], "free")
    optimal(problem, certify(problem, Point(np.full(2, 0.5))), fingerprint(X, y), [1], [-1]).save(
        tmp_path / "c.json"
    )
    (tmp_path / "data.txt").write_text("1 1:1\n-1 1:-1\n")
    done = run(tmp_path / "c.json", tmp_path / "data.txt")
    assert done.returncode == 0
    assert done.stdout.endswith("all 2 rows take part.\n")
    assert "nearest" not in done.stdout


def test_json_has_the_proved_numbers(case):
    done = run(case / "numbers.json", case / "data.txt", "--json")
    verdict = json.loads(done.stdout)
    assert verdict["outcome"] == "proved"
    assert verdict["kind"] == "optimal"
    assert verdict["arithmetic"] == "exact"
    assert verdict["dual"] <= verdict["primal"]
    assert verdict["gap"] == pytest.approx((verdict["primal"] - verdict["dual"]) / verdict["primal"])
    assert "double precision" in verdict["rounded"]


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
    assert '"dual":"0x1' in text
    (tmp_path / "c.json").write_text(text.replace('"dual":"0x1', '"dual":"0x0'))
    done = run(tmp_path / "c.json", case / "data.txt", "--json")
    assert done.returncode == 3
    assert "digest" in json.loads(done.stdout)["reason"]


def test_a_certificate_of_version_1_is_rejected_with_what_to_do(case, tmp_path):
    document = json.loads((case / "numbers.json").read_text())
    (tmp_path / "c.json").write_text(json.dumps({**document, "version": 1}))
    done = run(tmp_path / "c.json", case / "data.txt")
    assert done.returncode == 3
    assert "separatrix audit MODEL DATA --certificate FILE" in done.stdout


@pytest.mark.parametrize(
    ("expectation", "code"),
    [
        *(
            ("kind=optimal", 0),
            ("rows=all", 0),
            ("rows=50", 0),
            ("kernel=linear", 0),
            ("loss=squared_hinge", 0),
        ),
        *(("positive=1", 0), ("negative=-1", 0), ("gap=1", 0), ("bias=free", 0)),
        *(("kind=separating", 3), ("rows=49", 3), ("kernel=rbf", 3), ("loss=hinge", 3), ("C=0.7", 3)),
        *(("positive=1,2", 3), ("negative=1", 3), ("gap=1e-30", 3), ("bias=none", 3), ("colour=red", 3)),
        *(("C", 1), ("=1", 1)),
    ],
)
def test_what_is_expected_is_compared(case, expectation, code):
    done = run(case / "numbers.json", case / "data.txt", "--expect", "rows=all", "--expect", expectation)
    assert done.returncode == code, done.stdout + done.stderr
    assert code != 3 or f"Expected {expectation.partition('=')[0]} = " in done.stdout


def test_a_text_beyond_the_budget_is_rejected(case):
    done = run(case / "names.json.gz", case / "data.csv", "--label-column", "state", "--max-bytes", 1000)
    assert done.returncode == 3
    assert "budget of 1000 bytes" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["numbers.json", "data.txt", "--float32"],
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
