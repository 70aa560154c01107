"""check, verify, audit, predict: answers on stdout, exit codes, JSON, and golden texts.

Tests `cli/check.py`, `cli/verify.py`, `cli/audit.py`, `cli/predict.py`, `cli/output.py`, `cli/verdicts.py`,
`cli/inputs.py`.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from cli_cases import json_of, run, steady

from separatrix import SVC
from separatrix.checker.document import digest_of

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("check", ["check wdbc.libsvm"]),
        ("check_many", ["check data.csv"]),
        ("check_xor", ["check xor.svm -o xor.json", "verify xor.json xor.svm --exact"]),
        ("fit", ["fit data.svm --explain", "verify data.certificate.json.gz data.svm"]),
        ("fit_many", ["fit data.csv --label species -c 10", "verify data.certificates data.csv"]),
        ("fit_hard", ["fit data.svm -c inf", "verify data.certificate.json.gz data.svm --exact"]),
        ("fit_perceptron", ["fit data.svm --perceptron", "verify data.certificate.json.gz data.svm"]),
        ("cross_validation", ["fit data.svm -v 2 -c 5"]),
        ("audit", ["audit heart_scale.model heart_scale -c 1"]),
        ("predict", ["fit data.svm -q --no-save", "fit data.svm", "predict data.model.safetensors new.svm"]),
    ],
)
def test_answers_are_those_of_the_golden_file(folder, name, lines):
    (folder / "xor.svm").write_text("1 1:0 2:0\n-1 2:1\n-1 1:1\n1 1:1 2:1\n")
    shown = []
    for line in lines:
        result = run(*line.split())
        shown.append(f"$ separatrix {line}\n{result.stdout}[exit code {result.exit_code}]\n")
    text = steady("".join(shown))
    golden = GOLDEN / f"{name}.txt"
    assert text == golden.read_text(), f"if the change is meant, write it to {golden.name}:\n{text}"


def test_check_in_json(folder):
    found = json_of("check", "wdbc.libsvm")
    (problem,) = found["separability"]["problems"]
    lower, upper = problem["margin"]
    assert 0 < lower <= upper < 1.0001 * lower
    assert found["separability"]["verdict"] == "separable"
    assert found["certificate"] is None


def test_a_verdict_that_takes_too_long_is_exit_code_2(folder):
    result = run("check", "wdbc.libsvm", "--max-time", "0")
    assert result.exit_code == 2
    assert "not decided" in result.stdout


def test_other_data_are_rejected_with_3(folder):
    run("fit", "data.svm")
    (folder / "other.svm").write_text((folder / "data.svm").read_text().replace("1:4", "1:4.5"))
    result = run("verify", "data.certificate.json.gz", "other.svm")
    assert result.exit_code == 3
    assert "Rejected: The rows X are not those of the certificate" in result.stdout
    found = json_of("verify", "data.certificate.json.gz", "other.svm")
    assert found["proved"] is False


def test_a_changed_certificate_is_rejected_with_3(folder):
    run("fit", "data.svm", "--certificate", "proof.json")
    text = (folder / "proof.json").read_text()
    (folder / "proof.json").write_text(text.replace('"hinge"', '"squared_hinge"'))
    result = run("verify", "proof.json", "data.svm")
    assert result.exit_code == 3
    assert "its content differs from its digest" in result.stdout
    (folder / "proof.json").write_text("not a certificate")
    assert run("verify", "proof.json", "data.svm").exit_code == 3


def test_verify_says_which_arithmetic_proved_what(folder):
    run("fit", "data.svm")
    words = ("verify", "data.certificate.json.gz", "data.svm")
    for options, arithmetic in (((), "exact"), (("--exact",), "exact"), (("--no-exact",), "rigorous floats")):
        found = json_of(*words, *options)
        (one,) = found["certificates"]
        assert found["outcome"] == one["outcome"] == "proved"
        assert one["arithmetic"] == arithmetic
        assert one["reason"].endswith(one["claim"])
        assert one["dual"] <= one["primal"]
        assert 0 <= one["gap"] < 1e-3
    assert "Proved in floating point, whatever the rounding: The soft" in " ".join(
        run(*words, "--no-exact").stdout.split()
    )


def test_verify_with_expectations(folder):
    run("fit", "data.svm")
    words = ("verify", "data.certificate.json.gz", "data.svm")
    met = ["C=1", "rows=all", "kernel=linear", "loss=hinge", "positive=1", "gap=0.001"]
    assert run(*words, *(word for each in met for word in ("--expect", each))).exit_code == 0
    for each in ("C=2", "rows=9", "kernel=rbf", "negative=3", "kind=mistakes", "colour=red"):
        result = run(*words, "--expect", each)
        assert result.exit_code == 3
        assert f"Rejected: Expected {each.split('=')[0]} = " in result.stdout
    result = run(*words, "--expect", "C")
    assert result.exit_code == 1
    assert "An expectation is written NAME=VALUE" in result.stderr


def test_a_proof_on_a_condition_is_exit_code_2(folder):
    run("fit", "data.svm", "-t", "3", "-g", "1e-9")
    words = ("verify", "data.certificate.json.gz", "data.svm")
    for options in ((), ("--exact",), ("--no-exact",)):
        result = run(*words, *options)
        assert result.exit_code == 2
        assert "but only if" in " ".join(result.stdout.split())
    found = json_of(*words)
    assert found["outcome"] == "conditional"
    assert found["proved"] is False


def test_certificates_of_format_1_are_refused_and_replaced(folder):
    run("fit", "data.svm", "--certificate", "proof.json")
    document = {**json.loads((folder / "proof.json").read_text()), "version": 1}
    text = json.dumps(document, separators=(",", ":"))
    (folder / "proof.json").write_text(text)
    (folder / "packed.json.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("proof.json", "packed.json.gz"):
        result = run("verify", name, "data.svm")
        assert result.exit_code == 3
        assert "separatrix audit MODEL DATA --certificate FILE" in " ".join(result.stdout.split())
        replaced = run("fit", "data.svm", "--certificate", name)
        assert replaced.exit_code == 0
        assert f"{name} was there before; it is replaced" in replaced.stderr
        assert run("verify", name, "data.svm").exit_code == 0


def test_a_model_with_certificates_of_format_1(folder):
    old = Path(__file__).parents[1] / "models" / "data" / "v1-svc.safetensors"
    result = run("verify", str(old), "data.svm")
    assert result.exit_code == 1
    assert "of format 1, which is no longer read" in result.stderr
    assert "hint: fit again" in result.stderr


def test_text_stands_for_single_precision_where_the_certificate_says_so(folder):
    X, y = np.array([[0.1], [0.2], [0.7], [1.1]]), np.array([0, 0, 1, 1])
    SVC().fit(X.astype(np.float32), y).certificate_.save("single.json")
    (folder / "rows.csv").write_text("".join(f"{x},{c}\n" for (x,), c in zip(X.tolist(), y, strict=True)))
    assert run("verify", "single.json", "rows.csv").exit_code == 0
    (folder / "rows.csv").write_text((folder / "rows.csv").read_text().replace("1.1", "16777217"))
    result = run("verify", "single.json", "rows.csv")
    assert result.exit_code == 1
    assert "16777217, which is none" in result.stderr


@pytest.mark.parametrize("columns", ["two", 2**60, None, [2], {"of": 2}])
def test_a_certificate_with_a_strange_number_of_columns_is_rejected(folder, columns):
    run("fit", "data.svm", "--certificate", "proof.json")
    document = json.loads((folder / "proof.json").read_text())
    document["data"]["columns"] = columns
    del document["digest"]
    (folder / "proof.json").write_text(json.dumps({**document, "digest": digest_of(document)}))
    result = run("verify", "proof.json", "data.svm")
    assert result.exit_code == 3
    assert "Rejected: " in result.stdout


def test_audit_in_json_with_its_certificate(folder):
    found = json_of("audit", "heart_scale.model", "heart_scale", "-c", "1", "-o", "audit.json.gz")
    assert found["gap"] > 0
    assert found["certificate"] == "audit.json.gz"
    assert run("verify", "audit.json.gz", "heart_scale").exit_code == 0


def test_audit_of_a_model_of_ours(folder):
    run("fit", "data.svm", "-c", "2", "--max-iter", "1")
    found = json_of("audit", "data.model.safetensors", "data.svm")
    assert found["audit"]["primal"] >= found["audit"]["dual"]
    assert "C = 2" in found["audit"]["problem"]


def test_predictions_go_to_stdout_and_the_accuracy_to_stderr(folder):
    run("fit", "data.svm")
    result = run("predict", "data.model.safetensors", "new.svm")
    assert result.stdout.split() == ["1"] * 5 + ["-1"] * 5
    assert "100 % of 10 rows are right; always answering -1 would be right on 50.0 %." in result.stderr
    swapped = run("predict", "new.svm", "data.model.safetensors", "classes.txt", "--scores")
    assert swapped.stdout == ""
    rows = [line.split("\t") for line in (folder / "classes.txt").read_text().splitlines()]
    assert [float(score) > 0 for _, score in rows] == [label == "1" for label, _ in rows]
    again = run("predict", "data.model.safetensors", "new.svm", "classes.txt")
    assert again.exit_code == 1
    assert "classes.txt exists" in again.stderr
    found = json_of("predict", "data.model.safetensors", "new.svm", "--scores")
    assert found["classes"] == [1] * 5 + [-1] * 5
    assert len(found["scores"]) == 10


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["check", "absent.svm"], 1, "absent.svm: no such file or directory."),
        (["verify", "absent.json", "data.svm"], 1, "absent.json: no such file or directory."),
        (["verify", ".", "data.svm"], 1, "The folder . holds no certificates."),
        (["predict", "absent.safetensors", "data.svm"], 1, "There is no model file absent.safetensors."),
        (["predict", "data.csv", "data.svm"], 1, "This is no"),
        (["audit", "data.csv", "data.svm"], 1, ""),
        (["audit", "heart_scale.model", "data.svm"], 1, "C"),
        (["chek", "data.svm"], 1, "No such command 'chek'. Did you mean 'check'?"),
        (["check"], 1, "Missing argument"),
        (["check", "broken.svm"], 1, "broken.svm"),
        (["check", "one.svm"], 1, "Two classes are needed"),
        (["check", "data.csv", "--label", "colour"], 1, "colour"),
    ],
)
def test_what_goes_wrong_is_a_sentence(folder, words, code, sentence):
    (folder / "broken.svm").write_text("1 1:2\n-1 1;3\n")
    (folder / "one.svm").write_text("1 1:2\n1 1:3\n")
    result = run(*words)
    assert result.exit_code == code
    assert sentence in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "sentence", "hint"),
    [
        (["check", "nan.svm"], "values must be finite; found 'nan'.", "impute or drop the value before it is written"),
        (["check", "missing.csv"], "column 'length' is missing (1 cell of this column is).",
         "--missing mean, median or zero fills such cells; --drop length leaves the column out "
         "(in Python missing=, drop=)"),
        (["fit", "data.svm", "-c", "1e11"], "got 100000000000.0.", "rescale the columns of X instead"),
        (["fit", "data.svm", "-t", "7"], "got '7'.", None),
        (["fit", "data.svm", "-w", "3=1"], "the classes are -1, 1.", "write -w LABEL=WEIGHT"),
        (["check", "--nonsense"], "No such option: --nonsense.",
         "separatrix check --help shows the options, with examples"),
    ],
)  # fmt: skip
def test_a_hint_is_a_line_of_its_own(folder, words, sentence, hint):
    (folder / "nan.svm").write_text("1 1:nan\n")
    (folder / "missing.csv").write_text("length,species\n,a\n1,b\n")
    error, *rest = run(*words).stderr.splitlines()
    assert error.startswith("error: ")
    assert error.endswith(sentence)
    assert rest == ([] if hint is None else [f"hint: {hint}"])


def test_debug_shows_the_traceback(folder):
    result = run("check", "absent.svm", "--debug")
    assert result.exit_code == 1
    assert "Traceback" in result.output


def test_json_stays_alone_on_stdout_whatever_is_said(folder):
    run("fit", "data.svm")
    result = run("fit", "data.svm", "--json")
    assert json.loads(result.stdout)["notes"], "notes are inside the object"
