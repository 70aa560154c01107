"""`separatrix serve` under load on loopback, beside Vowpal Wabbit's daemon and river behind FastAPI.

    python -m benchmarks.serve_load --seconds 5 --peers FOLDER

Needs wrk (apt-get install wrk). ``--peers`` is a folder with vowpalwabbit, river and fastapi (pip install --target); a
peer that is not there is left out. Every server is a process of its own, asked one after the other in every round.
Beside the requests a second stands the processor time of the server for a request, which depends less on what else the
machine does. ``--minutes N`` learns for that long and prints how much memory the server takes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import separatrix as sx

COLUMNS, BATCH = 20, 1000
RIVER = """
    import sys; sys.path.insert(0, sys.argv[1])
    import uvicorn
    from fastapi import FastAPI, Request
    from river import linear_model
    app, model = FastAPI(), linear_model.Perceptron()
    @app.post("/learn")
    async def learn(request: Request):
        body = await request.json()
        said = []
        for x, y in zip(body["x"], body["y"]):
            row = dict(enumerate(x)); said.append(bool(model.predict_one(row))); model.learn_one(row, y > 0)
        return {"predict": said}
    @app.post("/infer")
    async def infer(request: Request):
        body = await request.json()
        return {"predict": [bool(model.predict_one(dict(enumerate(x)))) for x in body["x"]]}
    uvicorn.run(app, port=int(sys.argv[2]), log_level="error", access_log=False)
"""
WABBIT = """
    import sys; sys.path.insert(0, sys.argv[1])
    import vowpalwabbit
    options = f"--daemon --foreground --port {sys.argv[2]} --num_children 1 --loss_function hinge --binary --quiet"
    vowpalwabbit.Workspace(options).run_parser()
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def process(command: list[str], port: int) -> Iterator[int]:
    """The id of a server that listens."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if server.poll() is not None:
                    raise RuntimeError("the server did not start") from None
                time.sleep(0.1)
        yield server.pid
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def cpu(pid: int) -> float:
    """Seconds of processor time."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()  # where a daemon does its work
    return own + sum(map(cpu, map(int, children)))


def memory(pid: int) -> float:
    """Megabytes in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def script(folder: Path, body: bytes, headers: dict[str, str], pause: float | None = None) -> Path:
    """A script for wrk that sends one body over and over, with a pause (in ms) where the rate is fixed."""
    name = f"{abs(hash((body, pause))):x}"
    (folder / f"{name}.body").write_bytes(body)
    lines = [
        'wrk.method = "POST"',
        f'local f = io.open("{folder / name}.body", "rb")',
        'wrk.body = f:read("*all")',
    ]
    lines += [f'wrk.headers["{key}"] = "{value}"' for key, value in headers.items()]
    if pause is not None:
        lines.append(f"function delay() return {pause:g} end")
    path = folder / f"{name}.lua"
    path.write_text("\n".join(lines))
    return path


def wrk(
    address: str, lua: Path, seconds: float, connections: int, pid: int, rows: int = 1
) -> dict[str, float]:
    """Requests and rows a second, latencies in ms, and the server's processor time for a request in microseconds."""
    before = cpu(pid)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:g}s", "--latency", "-s", str(lua), address]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 30).stdout
    used = cpu(pid) - before
    requests = int(re.search(r"(\d+) requests in", text)[1])
    per_second = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    units = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    latency = {
        share: float(value) * units[unit]
        for share, value, unit in re.findall(r"(\d\d)%\s+([\d.]+)(us|ms|s)", text)
    }
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return {
        "requests": per_second,
        "rows": per_second * rows,
        "p50": latency.get("50", 0.0),
        "p99": latency.get("99", 0.0),
        "cpu": used / max(1, requests) * 1e6,
        "refused": int(bad[1]) if bad else 0,
    }


def wabbit(port: int, pid: int, lines: list[bytes], seconds: float, at_a_time: int) -> dict[str, float]:
    """One connection, so many lines sent before their answers are read: more at once lose answers silently or block."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = raw.makefile("rb")
        began, before, count, took = time.perf_counter(), cpu(pid), 0, []
        block = b"".join(lines[:at_a_time])
        while time.perf_counter() - began < seconds:
            start = time.perf_counter()
            raw.sendall(block)
            for _ in range(at_a_time):
                answers.readline()
            took.append(1e3 * (time.perf_counter() - start))
            count += at_a_time
        spent = time.perf_counter() - began
        answers.close()
    took.sort()
    p99 = took[int(0.99 * len(took))]
    each = (cpu(pid) - before) / count * 1e6
    return {
        "requests": len(took) / spent,
        "rows": count / spent,
        "p50": took[len(took) // 2],
        "p99": p99,
        "cpu": each * at_a_time,
        "refused": 0,
    }


def show(who: str, what: str, found: list[dict[str, float]]) -> None:
    middle = {name: statistics.median(run[name] for run in found) for name in found[0]}
    print(
        f"{who:<22}{what:<34}{middle['requests']:>9,.0f} req/s {middle['rows']:>10,.0f} rows/s"
        f"  p50 {middle['p50']:>7.2f} ms  p99 {middle['p99']:>7.2f} ms  cpu {middle['cpu']:>7.0f} us/req"
        + (f"  refused {middle['refused']:.0f}" if middle["refused"] else ""),
        flush=True,
    )


def bodies() -> dict[str, bytes]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(BATCH, COLUMNS))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=BATCH) > 0, 1, -1)

    def tensors(n: int, labels: bool) -> bytes:
        inputs = [
            {"name": "X", "shape": [n, COLUMNS], "datatype": "FP64", "data": X[:n].ravel().round(6).tolist()}
        ]
        if labels:
            inputs.append({"name": "y", "shape": [n], "datatype": "INT64", "data": y[:n].tolist()})
        return json.dumps({"inputs": inputs}).encode()

    head = json.dumps(
        {
            "inputs": [
                {
                    "name": "X",
                    "shape": list(X.shape),
                    "datatype": "FP64",
                    "parameters": {"binary_data_size": X.nbytes},
                },
                {
                    "name": "y",
                    "shape": [BATCH],
                    "datatype": "INT64",
                    "parameters": {"binary_data_size": y.nbytes},
                },
            ],
            "outputs": [{"name": "predict", "parameters": {"binary_data": True}}],
        }
    ).encode()
    plain = {n: json.dumps({"x": X[:n].round(6).tolist(), "y": y[:n].tolist()}).encode() for n in (1, BATCH)}
    wabbit_lines = [
        f"{label} | {' '.join(f'{i}:{v:.6f}' for i, v in enumerate(row))}\n"
        for row, label in zip(X, y, strict=True)
    ]
    return {
        "learn": tensors(1, True),
        "infer": tensors(1, False),
        "json": tensors(BATCH, True),
        "binary": head + X.tobytes() + y.tobytes(),
        "head": str(len(head)).encode(),
        "river": plain[1],
        "river batch": plain[BATCH],
        "wabbit": "".join(wabbit_lines).encode(),
    }


def measure(seconds: float, rounds: int, peers: Path | None) -> None:
    sent = bodies()
    ports = [free_port() for _ in range(3)]
    python = sys.executable
    found: dict[tuple[str, str], list[dict[str, float]]] = {}

    def add(who: str, what: str, run: dict[str, float]) -> None:
        found.setdefault((who, what), []).append(run)

    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        rng = np.random.default_rng(1)
        X = rng.normal(size=(50, COLUMNS))
        sx.save(sx.Perceptron().partial_fit(X, np.where(X[:, 0] > 0, 1, -1)), folder / "m.safetensors")
        serve = [
            python,
            "-m",
            "separatrix",
            "serve",
            str(folder / "m.safetensors"),
            "--data-dir",
            str(folder / "logs"),
        ]
        plain = {"Content-Type": "application/json"}
        binary = {
            "Content-Type": "application/octet-stream",
            "Inference-Header-Content-Length": sent["head"].decode(),
        }
        for _ in range(rounds):
            with process([*serve, "--port", str(ports[0])], ports[0]) as pid:
                base = f"http://127.0.0.1:{ports[0]}/v2/models/m"
                for what, path, body, headers, connections, rows in (
                    ("learn, one row", "learn", "learn", plain, 64, 1),
                    ("learn, 1000 rows, JSON", "learn", "json", plain, 4, BATCH),
                    ("learn, 1000 rows, binary", "learn", "binary", binary, 4, BATCH),
                    ("predict, one row", "infer", "infer", plain, 32, 1),
                ):
                    lua = script(folder, sent[body], headers)
                    add("separatrix serve", what, wrk(f"{base}/{path}", lua, seconds, connections, pid, rows))
                for what, path, rate in (
                    ("learn at 2,500 a second", "learn", 2500),
                    ("predict at 5,000 a second", "infer", 5000),
                ):
                    lua = script(folder, sent[path], plain, pause=1e3 * 25 / rate)
                    add("separatrix serve", what, wrk(f"{base}/{path}", lua, seconds, 25, pid))
            shutil.rmtree(folder / "logs")
            if peers is None:
                continue
            with process([python, "-c", _dedent(RIVER), str(peers), str(ports[1])], ports[1]) as pid:
                base = f"http://127.0.0.1:{ports[1]}"
                for what, path, body, connections, rows in (
                    ("learn, one row, not durable", "learn", "river", 64, 1),
                    ("learn, 1000 rows, not durable", "learn", "river batch", 4, BATCH),
                    ("predict, one row", "infer", "river", 32, 1),
                ):
                    lua = script(folder, sent[body], plain)
                    add("river + FastAPI", what, wrk(f"{base}/{path}", lua, seconds, connections, pid, rows))
            with process([python, "-c", _dedent(WABBIT), str(peers), str(ports[2])], ports[2]) as pid:
                lines = sent["wabbit"].splitlines(keepends=True)
                add(
                    "Vowpal Wabbit daemon",
                    "learn, one row, not durable",
                    wabbit(ports[2], pid, lines, seconds, 1),
                )
                add(
                    "Vowpal Wabbit daemon",
                    "learn, 1000 rows, not durable",
                    wabbit(ports[2], pid, lines, seconds, BATCH),
                )
    for (who, what), runs in found.items():
        show(who, what, runs)


def soak(minutes: float) -> None:
    """Learn and predict for so long; memory once in ten seconds."""
    sent, port = bodies(), free_port()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        X = np.random.default_rng(1).normal(size=(50, COLUMNS))
        sx.save(sx.Perceptron().partial_fit(X, np.where(X[:, 0] > 0, 1, -1)), folder / "m.safetensors")
        options = ["--data-dir", str(folder / "logs"), "--retain", "500000", "--port", str(port)]
        command = [sys.executable, "-m", "separatrix", "serve", str(folder / "m.safetensors"), *options]
        with process(command, port) as pid:
            base, end, number = f"http://127.0.0.1:{port}/v2/models/m", time.monotonic() + 60 * minutes, 0
            plain = {"Content-Type": "application/json"}
            scripts = {name: script(folder, sent[name], plain) for name in ("learn", "infer")}
            while time.monotonic() < end:
                for name in scripts:
                    found = wrk(f"{base}/{name}", scripts[name], 5, 16, pid)
                    number += int(found["requests"] * 5)
                log = sum(path.stat().st_size for path in (folder / "logs" / "m").iterdir()) / 1e6
                print(f"{number:>10,} requests  memory {memory(pid):.1f} MB  log {log:.0f} MB", flush=True)


def _dedent(text: str) -> str:
    return "\n".join(line[4:] for line in text.splitlines())


def main() -> None:
    """Measure, or soak."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--minutes", type=float, help="watch the memory for so long instead")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is needed: apt-get install wrk")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if options.minutes:
        soak(options.minutes)
    else:
        measure(options.seconds, options.rounds, options.peers)


if __name__ == "__main__":
    main()
