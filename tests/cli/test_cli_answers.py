"""check, verify, audit, predict: answers on stdout, exit codes, JSON, and golden texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_cases import json_of, run, steady

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("check", ["check wdbc.libsvm"]),
        ("check_many", ["check data.csv"]),
        ("check_xor", ["check xor.svm -o xor.json", "verify xor.json xor.svm --exact"]),
        ("fit", ["fit data.svm", "verify data.certificate.json.gz data.svm"]),
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
    assert "10 of 10 rows are predicted as labelled: 100.00 %." in result.stderr
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


def test_debug_shows_the_traceback(folder):
    result = run("check", "absent.svm", "--debug")
    assert result.exit_code == 1
    assert "Traceback" in result.output


def test_json_stays_alone_on_stdout_whatever_is_said(folder):
    run("fit", "data.svm")
    result = run("fit", "data.svm", "--json")
    assert json.loads(result.stdout)["notes"], "notes are inside the object"
