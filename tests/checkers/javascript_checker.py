"""The checker in JavaScript: its parts, certificates made by hand from the page of the format, and the vectors."""

import atexit
import hashlib
import json
import shutil
import struct
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKER = ROOT / "checkers" / "javascript"
VECTORS = ROOT / "tests" / "vectors"
NODE = shutil.which("node")
SERVER = []
CODES = {0: "proved", 2: "conditional", 3: "rejected", 1: "rejected"}


def batch(lines):
    """The answers of batch.mjs to a list of lines."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(
        [NODE, str(CHECKER / "batch.mjs")],
        input=text,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask(lines):
    """The one answer to some lines, by a process that goes on."""
    if not SERVER:
        process = subprocess.Popen(
            [NODE, str(CHECKER / "batch.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        SERVER.append(process)
        atexit.register(process.kill)
    (process,) = SERVER
    process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def evaluate(expression, *modules):
    """The value of a JavaScript expression in which the names that these modules export are known."""
    imports = "".join(
        f"import * as m{i} from {json.dumps((CHECKER / name).as_uri())};\n" for i, name in enumerate(modules)
    )
    names = "const all = Object.assign({}, " + ", ".join(f"m{i}" for i in range(len(modules))) + ");\n"
    helper = "const tried = (f) => { try { return f(); } catch (error) { return 'refused'; } };\n"
    writer = (
        "process.stdout.write(JSON.stringify(value, (_, v) => typeof v === 'bigint' ? v.toString() : v));\n"
    )
    script = imports + names + helper + f"const value = ((all) => ({expression}))(all);\n" + writer
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- Certificates by hand


def real(value):
    return (float(value) + 0.0).hex()


def canonical(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def fingerprint_x(rows, columns):
    whole = hashlib.sha256(b"separatrix X 1\n" + struct.pack("<QQ", len(rows), columns))
    for start in range(0, len(rows), 4096):
        block = rows[start : start + 4096]
        entries = [(j, v) for row in block for j, v in enumerate(row) if v != 0]
        if 3 * len(entries) <= len(block) * columns:
            text = b"S" + b"".join(struct.pack("<I", sum(v != 0 for v in row)) for row in block)
            text += b"".join(struct.pack("<I", j) for j, _ in entries) + b"".join(
                struct.pack("<d", v) for _, v in entries
            )
        else:
            text = b"D" + b"".join(struct.pack("<d", v + 0.0) for row in block for v in row)
        whole.update(hashlib.sha256(text).digest())
    return whole.hexdigest()


def fingerprint_y(labels, kind):
    distinct = list(dict.fromkeys(labels))
    text = b"separatrix y 1\n" + kind.encode() + b"\n" + struct.pack("<QQ", len(distinct), len(labels))
    for label in distinct:
        text += struct.pack("<Q", len(label.encode())) + label.encode()
    text += b"".join(struct.pack("<I", distinct.index(label)) for label in labels)
    return hashlib.sha256(text).hexdigest()


def sign(document):
    document.pop("digest", None)
    document["digest"] = hashlib.sha256(canonical(document).encode()).hexdigest()
    return document


def certificate(
    kind, claim, problem, proof, rows, labels, positive=("1",), negative=("-1",), excluded=(), text=False
):
    columns = len(rows[0])
    data = {
        "rows": len(rows),
        "columns": columns,
        "type": "float64",
        "X": fingerprint_x(rows, columns),
        "y": fingerprint_y(labels, "text" if text else "number"),
        "labels": "text" if text else "number",
        "positive": list(positive),
        "negative": list(negative),
        "excluded": list(excluded),
    }
    document = {"format": "separatrix-certificate", "version": 2, "kind": kind, "claim": claim}
    return sign({**document, "data": data, "problem": problem, "proof": proof})


def data_line(rows, labels, text=False, matrix=None):
    line = {"data": "d", "columns": len(rows[0]), "labels": "text" if text else "number", "y": list(labels)}
    line["X"] = [[real(v) for v in row] for row in rows]
    if matrix is not None:
        line["K"] = [[real(v) for v in row] for row in matrix]
    return line


def verdict(document, rows, labels, text=False, matrix=None):
    written = document if isinstance(document, str) else json.dumps(document)
    return ask([data_line(rows, labels, text, matrix), {"use": "d", "certificate": written}])


def expect(outcome, document, rows, labels, **more):
    answer = verdict(document, rows, labels, **more)
    assert answer["outcome"] == outcome, answer


def dense(values, write=real):
    return {"length": len(values), "values": [write(v) for v in values]}


def run_problem(algorithm, step, start, gain, joint):
    """The problem of a certificate of mistakes."""
    return {
        "algorithm": algorithm,
        "gain": real(gain),
        "step": real(step) if isinstance(step, float) else step,
        "start": start,
        "classes": "joint" if joint else "two",
    }


TWO = [[1.0], [-1.0]]
XOR = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
XOR_LABELS = ["1", "1", "-1", "-1"]
SIDES = "1 ({} rows) {} -1 ({} rows)"
LINEAR = {"bias": "free", "kernel": "linear", "classes": "two"}


def separating(**changes):
    claim = "A hyperplane with a bias strictly separates 1 (1 row) from -1 (1 row); all 2 rows take part."
    proof = {"w": dense([1], hex), "b": "0x0"}
    proof.update(changes)
    return certificate("separating", changes.pop("claim", claim), LINEAR, proof, TWO, ["1", "-1"])


def optimal(
    bias="free",
    primal=0.5,
    dual=0.5,
    gap="0",
    alpha=(0.5, 0.5),
    w=1.0,
    loss="hinge",
    kernel="linear",
    costs=None,
    costs_text="C = 1",
):
    words = {"free": "free bias", "augmented": "augmented bias", "none": "no bias"}[bias]
    loss_text = loss.replace("_", " ")
    name = "linear" if kernel == "linear" else kernel["name"]
    claim = (
        f"The soft-margin SVM ({loss_text} loss, {words}, {name} kernel, {costs_text}) "
        f"of 1 (1 row) against -1 (1 row) has its optimum between {dual:.12g} and {primal:.12g}, "
        f"and the given point is within a relative gap of {gap} of it; all 2 rows take part."
    )
    proof = {"b": real(0), "alpha": dense(alpha), "primal": real(primal), "dual": real(dual)}
    if kernel == "linear":
        proof["w"] = dense([w])
    costs = costs or {"positive": real(1), "negative": real(1)}
    problem = {"loss": loss, "bias": bias, "kernel": kernel, "C": costs, "classes": "two"}
    return certificate("optimal", claim, problem, proof, TWO, ["1", "-1"])


# ---- Parts
