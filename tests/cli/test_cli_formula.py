"""separatrix check --outcome --formula: the logistic model of a table, its answers and its errors.

Tests `cli/check_formula.py`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from cli_cases import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "endometrial.csv"


@pytest.fixture
def table(folder):
    shutil.copy(EXAMPLE, folder / "trial.csv")
    return folder / "trial.csv"


def test_all_columns_of_a_table(table):
    result = run("check", "trial.csv", "--outcome", "HG")
    assert result.exit_code == 0
    assert "NV           +inf      grows without bound" in result.stdout
    assert "Removing NV ends the separation" in result.stdout


@pytest.mark.parametrize(
    "options",
    [["--formula", "HG ~ NV + EH"], ["--outcome", "HG", "--formula", "NV + EH"]],
    ids=["whole", "right side"],
)
def test_a_formula_in_json(table, options):
    found = json.loads(run("check", "trial.csv", *options, "--json").stdout)
    assert found["formula"] == "HG ~ NV + EH"
    answer = found["separability"]
    assert answer["verdict"] == "quasi-separable"
    assert answer["estimates"] == {"(intercept)": "finite", "NV": "+inf", "EH": "finite"}
    assert answer["causes"] == {"remove": [["NV"]], "smallest": True, "merge": []}
    assert len(answer["separated_rows"]) == 13


@pytest.mark.parametrize("name", ["trial.tsv", "trial.csv.gz", "trial.parquet", "trial.feather"])
def test_other_tables(table, name):
    frame = pd.read_csv(table)
    if name.endswith("parquet"):
        frame.to_parquet(name)
    elif name.endswith("feather"):
        frame.to_feather(name)
    else:
        frame.to_csv(name, index=False, sep="\t" if name.endswith("tsv") else ",")
    result = run("check", name, "--outcome", "HG", "--json")
    assert json.loads(result.stdout)["separability"]["estimates"]["NV"] == "+inf"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--formula", "NV + EH"], "has no outcome"),
        (["--outcome", "NV", "--formula", "HG ~ EH"], "the outcome of the formula is HG"),
        (["--outcome", "XY"], "no column 'XY'"),
        (["--outcome", "HG", "--formula", "NV + Other"], "cannot be used"),
        (["--outcome", "HG", "--formula", "NV +* EH"], "cannot be used"),
        (["--outcome", "HG", "--pairs"], "go with neither"),
    ],
)
def test_questions_that_make_no_sense(table, options, sentence):
    result = run("check", "trial.csv", *options)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("outcome", ["HG", "grade", "stage"])
def test_a_certificate_goes_with_its_design(table, outcome):
    frame = pd.read_csv(table)
    frame["grade"] = frame.HG.map({0: "low", 1: "high"})
    frame["stage"] = (frame.EH > 1.5).map({True: "late", False: "early"}).where(frame.PI < 40, "none")
    frame.to_csv("wide.csv", index=False)
    result = run(
        "check", "wide.csv", "--outcome", outcome, "--formula", "NV + PI", "-o", "proof.json", "--json"
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["design"] == "proof.design.npz"
    verified = run("verify", "proof.json", "proof.design.npz", "--exact")
    assert verified.exit_code == 0, verified.stdout + verified.stderr
    assert "estimates: " in verified.stdout
    again = run("check", "wide.csv", "--outcome", outcome, "-o", "proof.json")
    assert again.exit_code == 1
    assert "proof.design.npz" in again.stderr
    assert run("check", "wide.csv", "--outcome", "HG", "-o", "proof.json", "--force").exit_code == 0


def test_missing_values_are_refused_with_their_rows(folder):
    (folder / "gaps.csv").write_text("x,g,y\n1,a,0\n,b,1\n3,a,1\n4,,0\n")
    result = run("check", "gaps.csv", "--outcome", "y")
    assert result.exit_code == 1
    assert "2 rows of the data have missing values: 1, 3" in result.stderr


def test_a_file_that_is_no_table(folder):
    (folder / "bad.parquet").write_bytes(b"nothing")
    result = run("check", "bad.parquet", "--outcome", "y")
    assert result.exit_code == 1
    assert "cannot be read as a table" in result.stderr


def test_no_time_is_exit_code_2(table):
    assert run("check", "trial.csv", "--outcome", "HG", "--max-time", "0").exit_code == 2
