"""separatrix fit --search and its options: one command from a file to a chosen, measured, proved model.

Tests `cli/searching.py`, `cli/measuring.py`, `cli/files.py`.
"""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from cli_cases import json_of, run, start

import separatrix
from separatrix.validation.search import search


def test_one_command_searches_fits_proves_measures_and_draws(folder):
    result = run("fit", "wdbc.libsvm", "--search")
    assert result.exit_code == 0, result.output
    text = result.stdout
    names = [line.split()[0] for line in text.splitlines() if not line.startswith(" ")]
    assert names == [
        "data", "classes", "search", "learnt", "accuracy", "training", "proved", "model", "certificate", "picture",
        "looks",
    ]  # fmt: skip
    assert "40 settings in 5 folds of 455 rows" in text
    assert text.count("*") == 2, "the choice, and what * means"
    for word in (
        "always answering -1",
        "balanced accuracy",
        "precision",
        "recall",
        "F1",
        "ROC AUC",
        "look 1",
    ):
        assert word in text
    assert (folder / "wdbc.search.svg").read_text().startswith("<svg")
    assert run("verify", "wdbc.certificate.json.gz", "wdbc.libsvm").exit_code == 0


def test_the_report_comes_with_the_same_command(folder):
    found = json_of("fit", "data.csv", "--search", "--report")
    assert found["files"]["report"] == "data.report.html"
    page = (folder / "data.report.html").read_text()
    assert "held out" in page
    assert "separatrix verify data.model.safetensors data.csv" in page
    (folder / "data.report.html").write_text("mine")
    refused = run("fit", "data.csv", "--report")
    assert refused.exit_code == 1
    assert "data.report.html exists and was not written by separatrix" in refused.stderr


def test_the_command_and_the_library_choose_the_same(folder):
    found = json_of("fit", "wdbc.libsvm", "--search", "--seed", "7")
    data = separatrix.read("wdbc.libsvm")
    ours = search(data.X, data.y, random_state=7)
    best = found["search"]["best"]
    assert (best["kernel"], best["scaling"], best["C"]) == (
        ours.best.setting.kernel, ours.best.setting.scaling, ours.best.setting.C,
    )  # fmt: skip
    assert [row["accuracy"] for row in found["search"]["table"]] == [trial.accuracy for trial in ours.table]
    assert found["held_out"]["accuracy"] == ours.holdout.accuracy
    assert found["model"]["parameters"]["scaling"] == ours.best.setting.scaling
    saved = separatrix.load("wdbc.model.safetensors")
    assert np.array_equal(saved.decision_function(data.X[:9]), ours.model.decision_function(data.X[:9]))


def test_what_is_given_is_kept(folder):
    found = json_of("fit", "wdbc.libsvm", "--search", "-c", "2", "--scaling", "standard", "-v", "3")
    table = found["search"]["table"]
    assert {row["C"] for row in table} == {2.0}
    assert {row["scaling"] for row in table} == {"standard"}
    assert {row["folds"] for row in table} == {3}
    table = json_of(
        "fit", "wdbc.libsvm", "--search", "-g", "0.5", "--scaling", "none", "--test", "wdbc.libsvm"
    )
    assert {row["kernel"] for row in table["search"]["table"]} == {"rbf"}
    assert {row["gamma"] for row in table["search"]["table"]} == {0.5}
    assert table["held_out"]["rows"] == 569
    assert table["training"]["rows"] == 569, "a test file is the hold-out"


def test_fewer_rows_are_searched_where_that_is_asked(folder):
    found = json_of("fit", "wdbc.libsvm", "--search", "--search-rows", "100", "-t", "linear", "--no-save")
    assert {row["rows"] for row in found["search"]["table"]} == {100}
    assert "drawn from the 455 training rows" in found["search"]["how"]
    assert found["training"]["rows"] == 455
    assert found["files"] == {}
    assert not list(folder.glob("wdbc.looks*"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--search", "--perceptron"], "--search chooses among support vector machines"),
        (["--search", "-t", "4"], "--search cannot change a kernel matrix"),
        (["--search", "-c", "inf"], "--search does not try the hard margin"),
        (["--search-rows", "100"], "--search-rows means nothing without --search"),
        (["--scaling", "fast"], "--scaling must be one of none, standard, range; got 'fast'"),
        (["--probabilities", "magic"], "--probabilities must be one of sigmoid, isotonic, venn-abers"),
        (["--perceptron", "--scaling", "standard"], "--scaling means nothing to a perceptron"),
        (["--search", "--holdout", "2"], "--holdout must be between 0 and 1"),
    ],
)
def test_options_that_do_not_go_together(folder, words, sentence):
    result = run("fit", "data.svm", *words)
    assert result.exit_code == 1
    assert sentence in result.stderr


def test_looks_at_the_same_rows_are_counted_from_one_command_to_the_next(folder):
    looks = [
        json_of("fit", "wdbc.libsvm", "-c", C, "--holdout", "0.3")["held_out"]["look"]
        for C in ("0.01", "0.1", "0.1")
    ]
    assert [look["looks"] for look in looks] == [1, 2, 3]
    assert [look["repeated"] for look in looks] == [False, False, True]
    assert looks[1]["interval"] == looks[2]["interval"]
    other = json_of("fit", "wdbc.libsvm", "--holdout", "0.3", "--seed", "1")["held_out"]["look"]
    assert other["looks"] == 1
    assert other["ledger"] != looks[0]["ledger"]
    result = run("fit", "wdbc.libsvm", "-c", "0.2", "--holdout", "0.3")
    assert "look 4 at these rows" in result.stdout
    assert "if only these accuracies decided what was tried next" in " ".join(result.stdout.split())


def test_scaling_is_in_the_model_and_in_the_proof(folder):
    found = json_of("fit", "wdbc.libsvm", "--scaling", "standard")
    model = separatrix.load("wdbc.model.safetensors")
    assert model.scaling_.kind == "standard"
    data = separatrix.read("wdbc.libsvm")
    assert np.mean(model.predict(data.X) == data.y) == 1 - found["training"]["errors"] / 569
    assert "(x - shift) * factor" in " ".join(
        run("verify", "wdbc.certificate.json.gz", "wdbc.libsvm").stdout.split()
    )


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "venn-abers"])
def test_probabilities_come_from_rows_that_the_model_has_not_learnt_from(folder, method):
    result = run("fit", "wdbc.libsvm", "--scaling", "standard", "--probabilities", method, "--holdout", "0.2")
    assert result.exit_code == 0, result.output
    assert f"probability  {method}, calibrated on 91 rows that the model has not learnt from" in result.stdout
    assert "Brier score" in result.stdout
    assert "of the 364 training rows" in result.stdout
    assert run("verify", "wdbc.certificate.json.gz", "wdbc.libsvm").exit_code == 0
    rows = list(
        csv.DictReader(run("predict", "wdbc.model.safetensors", "wdbc.libsvm", "--csv").stdout.splitlines())
    )
    model, data = separatrix.load("wdbc.model.safetensors"), separatrix.read("wdbc.libsvm")
    chances = model.predict_proba(data.X)
    assert list(rows[0]) == [
        "label",
        "score",
        "probability",
        "probability of -1",
        "probability of 1",
        "distance",
    ]
    assert [float(row["probability of 1"]) for row in rows] == chances[:, 1].tolist()
    own = np.where(model.predict(data.X) == 1, chances[:, 1], chances[:, 0])
    assert [float(row["probability"]) for row in rows] == own.tolist()
    found = json_of("predict", "wdbc.model.safetensors", "wdbc.libsvm")
    assert found["probabilities"] == chances.tolist()


def test_probabilities_without_a_hold_out_and_for_many_classes(folder):
    found = json_of("fit", "data.csv", "--probabilities", "sigmoid")
    assert found["probabilities"] == {"method": "sigmoid", "rows": 3}
    assert found["held_out"] is None
    assert found["training"]["rows"] == 9
    found = json_of("predict", "data.model.safetensors", "data.csv")
    assert np.allclose(np.sum(found["probabilities"], axis=1), 1.0)


def test_progress_is_lines_where_nobody_watches(folder, monkeypatch):
    monkeypatch.setattr("separatrix.cli.searching.LINE_PAUSE", 0.0)
    result = run("fit", "data.csv", "--search", "--no-save")
    said = [line for line in result.stderr.splitlines() if line.startswith("search: ")]
    assert said[0].startswith("search: 1 of ")
    assert "kernel" in said[-1]
    assert not [
        line for line in run("fit", "data.csv", "--search", "-q").stderr.splitlines() if "search:" in line
    ]


def test_a_search_from_the_shell(folder):
    process = start("fit", "data.csv", "--search", "--json", cwd=folder)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert json.loads(out)["search"]["best"]["folds"] == 3


def test_another_model_of_the_same_rows_is_another_look(folder):
    for count, name in enumerate(("one", "two"), 1):
        line = ("fit", "wdbc.libsvm", f"{name}.model.safetensors", "--holdout", "0.2", "-c", f"{count}")
        assert json.loads(run(*line, "--json").stdout)["held_out"]["look"]["looks"] == count
