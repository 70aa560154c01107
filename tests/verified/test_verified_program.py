"""The program on every vector, on changed documents, and on the command line; `cli/proved_program.py`."""

from __future__ import annotations

import base64
import json
import subprocess
from collections import Counter

import pytest

from separatrix.checker.__main__ import main
from tests.adversary.library_specimens import library_specimens
from tests.adversary.mutations import stream
from tests.adversary.specimens import specimens
from tests.verified.proved_checker import PROGRAM, ROOT, agreed, disagreement, parsed

VECTORS = [
    vector
    for file in sorted((ROOT / "tests" / "vectors").glob("*.json"))
    for vector in json.loads(file.read_text())
]
#: Vectors about ordered classes and estimates, of which the program has no theorem.
ESTIMATES = len(json.loads((ROOT / "tests" / "vectors" / "estimates.json").read_text()))
CODES = {"proved": 0, "conditional": 2, "rejected": 3, "not covered": 1}
DOCUMENTS = 1_500


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False)


def content_of(vector) -> bytes:
    coded = vector.get("certificate_base64")
    return base64.b64decode(coded) if coded else vector["certificate"].encode()


def test_every_vector(program):
    lines, asked = [], []
    for number, vector in enumerate(each for each in VECTORS if "text" not in each):
        data = {name: vector[name] for name in ("columns", "labels", "y", "X", "K") if name in vector}
        document = {name: vector[name] for name in ("certificate", "certificate_base64") if name in vector}
        lines += [{"data": number, **data}, {"use": number, **document}]
        asked.append(vector)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(
        [program, "--batch"], input=text, capture_output=True, text=True, timeout=120, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(asked)
    for vector, answer in zip(asked, answers, strict=True):
        wrong = disagreement(parsed(content_of(vector)), vector["outcome"], answer["outcome"])
        assert not wrong, f"{vector['name']}: {wrong}: {answer['reason']}"
    counted = Counter(answer["outcome"] for answer in answers)
    assert counted["proved"] >= 38
    assert counted["not covered"] <= 2 + ESTIMATES


@pytest.mark.parametrize(
    "vector", [each for each in VECTORS if "text" in each], ids=lambda each: each["name"]
)
def test_vectors_with_files(program, vector, tmp_path):
    data, certificate = tmp_path / f"data.{vector['format']}", tmp_path / "certificate.json"
    data.write_text(vector["text"])
    certificate.write_bytes(content_of(vector))
    found = run(certificate, data, "--format", vector["format"])
    assert found.returncode == CODES[vector["outcome"]], found.stdout + found.stderr


def test_changed_documents(program):
    """The short form of `python -m benchmarks.verified_agreement`."""
    outcomes = agreed(stream("verified", [*specimens(), *library_specimens()]), DOCUMENTS)
    assert outcomes["proved"] >= 50
    assert outcomes["rejected"] >= 500


CSV = "a,b,kind\n1.5,0.25,yes\n2,1e0,yes\n-1,0.1,no\n-3,-0.5,no\n"
LIBSVM = "+1 1:1.5 3:0.25\n+1 2:2 # far\n-1 1:-1\n\n-1 3:-0.5\n"


@pytest.fixture
def files(tmp_path):
    """A certificate about each of two files, made by the library."""
    from separatrix.cli.app import main as command

    made = {}
    for name, text in (("table.csv", CSV), ("sparse.svm", LIBSVM)):
        path = tmp_path / name
        path.write_text(text)
        assert command(["fit", str(path), str(path.with_suffix(".safetensors")), "--quiet"]) == 0
        (certificate,) = tmp_path.glob(f"{path.stem}*.json*")
        made[name] = (certificate, path)
    return made


@pytest.mark.parametrize("name", ["table.csv", "sparse.svm"])
def test_same_sentence_and_code_as_python(program, files, name, capsys):
    certificate, data = files[name]
    code = main([str(certificate), str(data)])
    said = capsys.readouterr().out
    found = run(certificate, data)
    assert (found.returncode, found.stdout) == (code, said)
    assert code == 0
    data.write_text(data.read_text().replace("1.5", "1.75"))
    assert main([str(certificate), str(data)]) == 3
    found = run(certificate, data)
    assert (found.returncode, found.stdout) == (3, capsys.readouterr().out)


def test_json_is_that_of_python(program, files, capsys):
    certificate, data = files["sparse.svm"]
    main([str(certificate), str(data), "--json"])
    assert json.loads(run(certificate, data, "--json").stdout) == json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "text", ["1 1:2 1:3\n", "1 1:x\n", "1 1:1e999\n", "1 1:9007199254740993\n", "1 99999999999:1\n", "1 1\n"]
)
def test_unreadable_data_are_bad_input(program, files, text):
    certificate, data = files["sparse.svm"]
    data.write_text(text)
    assert main([str(certificate), str(data)]) == 1
    found = run(certificate, data)
    assert found.returncode == 1
    assert found.stderr.startswith("error: ")


def test_verify_asks_it(program, files, capsys):
    from separatrix.cli.app import main as command

    certificate, data = files["sparse.svm"]
    assert command(["verify", str(certificate), str(data), "--verified", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["outcome"] == "proved"
    assert found["certificates"][0]["checker"] == "separatrix-check"
    assert command(["verify", str(certificate), str(data), "--verified"]) == 0
    data.write_text(data.read_text().replace("1.5", "1.75"))
    assert command(["verify", str(certificate), str(data), "--verified"]) == 3
    assert command(["verify", str(certificate), str(data), "--verified", "--exact"]) == 1


def test_bad_usage(program, files):
    assert run("nothing").returncode == 1
    assert run(*files["sparse.svm"], "--expect", "C=1").returncode == 1
    assert run("missing.json", "missing.svm").returncode == 1
