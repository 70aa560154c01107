"""The command line of the checker in JavaScript, and every test vector."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import subprocess

import pytest
from javascript_checker import CHECKER, CODES, NODE, VECTORS, batch, certificate, expect, separating, sign


def run(tmp_path, document, text, name, *options):
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    file = tmp_path / name
    file.write_text(text, encoding="utf-8", newline="")
    done = subprocess.run(
        [NODE, str(CHECKER / "main.mjs"), str(path), str(file), *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.txt", "+1 1:1\n-1 1:-1\n", 0),
        ("a.txt", "# two rows\n1.0 qid:3 1:1e0 # one\n\n-1\t1:-1.0", 0),
        ("a.txt", "1 0:1\n-1 0:-1\n", 0),
        ("a.txt", "true 1:1\n-1 1:-1\n", 0),
        ("a.txt", "1 1:1\n-1 1:-2\n", 3),
        ("a.txt", "1 1:1\n-1 2:-1\n", 3),
        ("a.txt", "1 1:1\n-1 1:-1 1:-1\n", 1),
        ("a.txt", "1 1:1\n-1 1:-1_0\n", 1),
        ("a.txt", "1 1:1\n-1 1:9007199254740993\n", 1),
        ("a.txt", "1 1:1\nb 1:-1\n", 1),
        ("a.csv", "x,y\n1,1\n-1,-1\n", 0),
        ("a.csv", '"1.0",1\r\n-1,"-1"\r\n', 0),
        ("a.tsv", "x\ty\n1\t1\n-1\t-1\n", 0),
        ("a.csv", "1,1\n-1\n", 1),
        ("a.csv", "1,1\nnan,-1\n", 1),
    ],
)
def test_command_line(tmp_path, name, text, code):
    answer = run(tmp_path, separating(), text, name)
    assert answer[0] == code, answer


def test_command_line_options(tmp_path):
    assert (
        run(tmp_path, separating(), "y,x\n1,1\n-1,-1\n", "a.data", "--format", "csv", "--label-column", "y")[
            0
        ]
        == 0
    )
    assert (
        run(tmp_path, separating(), "y;x\n1;1\n-1;-1\n", "a.csv", "--delimiter", ";", "--label-column", "y")[
            0
        ]
        == 0
    )
    assert run(tmp_path, separating(), "1 1:1\n-1 1:-1\n", "a.txt", "--zero-based")[0] == 3
    assert run(tmp_path, separating(), "y,x\n1,1\n-1,-1\n", "a.csv", "--label-column", "z")[0] == 1
    assert run(tmp_path, separating(), "1 1:1\n", "a.txt", "--format", "arff")[0] == 1
    assert run(tmp_path, separating(), "1 1:1\n", "a.txt", "--nonsense")[0] == 1
    assert run(tmp_path, {}, "1 1:1\n", "a.txt")[0] == 3
    code, output = run(tmp_path, separating(), "1 1:1\n-1 1:-1\n", "a.txt")
    assert (code, output) == (0, "proved: " + separating()["claim"] + "\n")


def test_a_small_document_causes_little_work(tmp_path):
    document = separating(w={"length": 2**32 - 1, "indices": [0], "values": ["0x1"]})
    document["data"]["columns"] = 2**32 - 1
    sparse = struct.pack("<II", 1, 1) + struct.pack("<II", 0, 0) + struct.pack("<dd", 1.0, -1.0)
    block = hashlib.sha256(b"S" + sparse).digest()
    document["data"]["X"] = hashlib.sha256(
        b"separatrix X 1\n" + struct.pack("<QQ", 2, 2**32 - 1) + block
    ).hexdigest()
    assert run(tmp_path, sign(document), "1 1:1\n-1 1:-1\n", "a.txt")[0] == 0
    labels = [str(i) for i in range(50000)]
    problem = {"bias": "free", "kernel": "linear", "classes": "joint"}
    rows = [[1.0], [-1.0]] * 2000
    w = {"length": 50000, "indices": [0, 1], "values": ["0x1", "-0x1"]}
    proof = {"w": w, "b": {"length": 50000, "indices": [], "values": []}}
    claim = (
        f"Linear functions with a bias, one for each class, give every row of {', '.join(labels)} (4000 rows) "
        "the highest score at its own class; "
        "all 4000 rows take part."
    )
    joint = certificate(
        "separating", claim, problem, proof, rows, ["0", "1"] * 2000, positive=labels, negative=[]
    )
    expect("proved", joint, rows, ["0", "1"] * 2000)


# ---- The vectors of all checkers


def vectors():
    for path in sorted(VECTORS.glob("*.json")):
        for vector in json.loads(path.read_text(encoding="utf-8")):
            yield f"{path.stem}: {vector['name']}", vector


CASES = dict(vectors())


@pytest.fixture(scope="module")
def answers():
    """The answers of batch.mjs to all vectors whose data are not a file."""
    names = [name for name, vector in CASES.items() if "text" not in vector]
    lines, defined = [], {}
    for name in names:
        vector = CASES[name]
        data = {key: vector[key] for key in ("columns", "labels", "y", "X", "K") if key in vector}
        key = json.dumps(data, sort_keys=True)
        if key not in defined:
            defined[key] = str(len(defined))
            lines.append({"data": defined[key], **data})
        document = {key: vector[key] for key in ("certificate", "certificate_base64") if key in vector}
        lines.append({"use": defined[key], **document})
    return dict(zip(names, batch(lines), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_vector(name, request, tmp_path):
    vector = CASES[name]
    if "text" not in vector:
        answer = request.getfixturevalue("answers")[name]
        assert answer["outcome"] == vector["outcome"], f"{vector.get('why')} -- {answer['reason']}"
        return
    path, file = tmp_path / "certificate", tmp_path / "data"
    blob = (
        base64.b64decode(vector["certificate_base64"])
        if "certificate_base64" in vector
        else vector["certificate"].encode()
    )
    path.write_bytes(blob)
    file.write_bytes(vector["text"].encode())
    command = [NODE, str(CHECKER / "main.mjs"), str(path), str(file), "--format", vector["format"]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert CODES[done.returncode] == vector["outcome"], f"{vector.get('why')} -- {done.stdout}{done.stderr}"
