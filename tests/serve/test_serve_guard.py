"""Who may ask, how much and how slowly; two servers on one folder; a stop that finishes what it has accepted.

Tests `serve/protocol.py` and `web.py` too.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from separatrix.serve.check import check_folder
from separatrix.serve.client import Client, ServeError
from separatrix.serve.errors import FolderError, RequestError
from separatrix.serve.run import Place, open_models, serve
from separatrix.serve.settings import Settings
from separatrix.serve.tokens import Tokens, read_tokens
from serving import TOKENS, fetch, rows, save_perceptron, serving, start, tensors

LEARN, INFER = "/v2/models/spam/learn", "/v2/models/spam/infer"
READABLE = [
    "/v2",
    "/v2/models",
    "/v2/models/spam",
    "/v2/models/spam/stats",
    "/metrics",
    "/v2/models/spam/wrong",
]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_tokens_and_scopes(guarded):
    X, y = rows(1)
    learn, infer = tensors(X, y), tensors(X)
    for headers in ({}, bearer("wrong-token"), {"Authorization": f"Basic {TOKENS['all']}"}, bearer("")):
        for path in READABLE:
            status, answer, reply = fetch(guarded, "GET", path, headers=headers)
            assert (status, reply["www-authenticate"]) == (401, "Bearer"), path
            assert "token" in answer["error"]
        assert fetch(guarded, "POST", LEARN, learn, headers)[0] == 401
        assert fetch(guarded, "POST", INFER, infer, headers)[0] == 401
        assert fetch(guarded, "GET", "/v2/models/unknown", headers=headers)[0] == 401
    for path in READABLE:
        assert fetch(guarded, "GET", path, headers=bearer(TOKENS["read"]))[0] == 200, path
    assert fetch(guarded, "POST", INFER, infer, bearer(TOKENS["read"]))[0] == 200
    assert fetch(guarded, "POST", LEARN, learn, bearer(TOKENS["read"]))[0] == 403
    assert fetch(guarded, "POST", LEARN, learn, bearer(TOKENS["learn"]))[0] == 200
    for action in ("refit", "rollback", "reload", "snapshot"):
        assert fetch(guarded, "POST", f"/v2/models/spam/{action}", b"{}", bearer(TOKENS["learn"]))[0] == 403
    assert fetch(guarded, "POST", "/v2/models/spam/snapshot", b"", bearer(TOKENS["all"]))[0] == 200
    for path in ("/v2/health/live", "/v2/health/ready", "/", "/openapi.json"):
        assert fetch(guarded, "GET", path)[0] == 200


def test_other_hosts_and_pages_of_other_sites_are_refused(guarded):
    headers = bearer(TOKENS["all"])
    for path in ("/", "/v2", "/v2/health/live", "/nowhere"):
        assert fetch(guarded, "GET", path, headers={**headers, "Host": "evil.example"})[0] == 421
    assert fetch(guarded, "POST", LEARN, b"{}", {**headers, "Origin": "http://evil.example"})[0] == 403
    host = urlsplit(guarded).netloc
    assert fetch(guarded, "GET", "/v2", headers={**headers, "Origin": f"http://{host}"})[0] == 200


def test_token_files(tmp_path, monkeypatch):
    file = tmp_path / "tokens"
    file.write_text("abcdefgh read\n# comment\nijklmnop\n")
    tokens = read_tokens(file, None)
    tokens.check("Bearer abcdefgh", "read")
    tokens.check("bearer ijklmnop", "admin")
    with pytest.raises(RequestError, match="scope 'learn'"):
        tokens.check("Bearer abcdefgh", "learn")
    for text, match in (
        ("short", "at least 8"),
        ("abcdefgh write", "scope is one of"),
        ("# none\n", "no token"),
    ):
        file.write_text(text)
        with pytest.raises(FolderError, match=match):
            read_tokens(file, None)
    monkeypatch.setenv("SOME_TOKENS", "abcdefgh learn")
    read_tokens(None, "SOME_TOKENS").check("Bearer abcdefgh", "learn")
    with pytest.raises(FolderError, match="is not set"):
        read_tokens(None, "NO_SUCH_VARIABLE")
    assert not Tokens({})


def test_a_huge_body_is_not_read(address):
    parts = urlsplit(address)
    head = f"POST {LEARN} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {10 * 2**30}\r\n\r\n"
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as raw:
        raw.sendall(head.encode() + b"x" * 1000)
        reply = _until_closed(raw)
    assert reply.startswith(b"HTTP/1.1 413 ")
    # the same without a length: cut off as soon as it is too long
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as raw:
        raw.sendall(
            f"POST {LEARN} HTTP/1.1\r\nHost: {parts.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        chunk = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
        sent = 0
        try:
            for _ in range(3000):
                raw.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
        assert sent < 50_000_000
    assert fetch(address, "GET", "/v2/health/live")[0] == 200
    compressed = {"Content-Encoding": "gzip"}
    assert fetch(address, "POST", LEARN, b"x", compressed)[0] == 415
    assert fetch(address, "POST", LEARN, b"x", {"Content-Type": "text/html"})[0] == 415


def _until_closed(raw: socket.socket) -> bytes:
    reply = b""
    try:
        while part := raw.recv(65536):
            reply += part
    except ConnectionResetError:
        pass
    return reply


PATIENCE = """
    import sys
    from pathlib import Path
    from separatrix.serve.run import Place, open_models, serve
    from separatrix.serve.settings import Settings
    from separatrix.serve.tokens import Tokens
    settings = Settings(header_timeout=1.0, body_timeout=1.0, keep_alive=1.0, max_connections=60, queue_requests=2)
    opened = open_models([Path(sys.argv[1])], Path(sys.argv[2]), settings)
    serve(opened, Tokens({}), Place(port=0), settings, lambda address: print(address, flush=True))
"""


@pytest.fixture(scope="module")
def impatient(models, tmp_path_factory):
    """A server that waits for a second only."""
    script = [sys.executable, "-c", textwrap.dedent(PATIENCE), models / "spam.safetensors"]
    process = subprocess.Popen(
        [*script, tmp_path_factory.mktemp("impatient")], stdout=subprocess.PIPE, text=True
    )
    yield process.stdout.readline().strip()
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_slow_clients_are_cut_off_while_others_are_served(impatient):
    parts = urlsplit(impatient)
    slow = [socket.create_connection((parts.hostname, parts.port), timeout=15) for _ in range(40)]
    head = f"POST {LEARN} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    for place, raw in enumerate(slow):
        # nothing at all; a head without its end; a body without its end
        raw.sendall((b"", head.encode(), head.encode() + b"Content-Length: 1000\r\n\r\n{")[place % 3])
    stop = threading.Event()
    took = []

    def drip() -> None:
        while not stop.is_set():
            for raw in slow[1::3]:
                with suppress(OSError):
                    raw.sendall(b"X-More: 1\r\n")
            time.sleep(0.1)

    thread = threading.Thread(target=drip)
    thread.start()
    began = time.monotonic()
    while time.monotonic() - began < 2.5:
        before = time.monotonic()
        assert fetch(impatient, "GET", "/v2/health/live")[0] == 200
        took.append(time.monotonic() - before)
        time.sleep(0.05)
    stop.set()
    thread.join()
    for raw in slow:
        raw.settimeout(5)
        reply = _until_closed(raw)  # ends: the server has closed it
        assert reply == b"" or reply.startswith(b"HTTP/1.1 408 "), reply
        raw.close()
    assert sorted(took)[len(took) // 2] < 1.0


def test_a_long_head_is_refused(impatient):
    parts = urlsplit(impatient)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as raw:
        try:
            raw.sendall(f"GET /v2 HTTP/1.1\r\nHost: {parts.netloc}\r\n".encode())
            for _ in range(200):
                raw.sendall(b"X-Long: " + b"a" * 1000 + b"\r\n")
        except OSError:
            pass
        assert _until_closed(raw).startswith((b"HTTP/1.1 431 ", b""))
    assert fetch(impatient, "GET", "/v2/health/live")[0] == 200


def test_a_full_queue_answers_429_and_the_client_comes_again(impatient):
    X, y = rows(4000, seed=20)
    seen, errors = set(), []

    def many(part: int) -> None:
        client = Client(impatient, "spam", retries=30)
        for i in range(part, 60, 12):
            try:
                client.learn(X[50 * i : 50 * i + 50], y[50 * i : 50 * i + 50])
            except ServeError as error:
                errors.append(error)
        client.close()

    def hasty() -> None:
        for i in range(40):
            seen.add(fetch(impatient, "POST", LEARN, tensors(X[i : i + 50], y[i : i + 50]))[0])

    threads = [threading.Thread(target=many, args=(part,)) for part in range(12)]
    threads += [threading.Thread(target=hasty) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert seen <= {200, 429}


def test_two_servers_on_one_folder(address, models):
    # the other process has the folder: a second server here is refused, and the first one goes on
    with pytest.raises(FolderError, match="in use by another server"):
        open_models([models / "spam.safetensors"], models.parent / "logs0", Settings())
    assert fetch(address, "GET", "/v2/health/ready")[0] == 200


def test_a_stop_finishes_what_was_accepted(tmp_path):
    model = save_perceptron(tmp_path / "spam.safetensors")
    process, address = start(model, "--data-dir", tmp_path / "logs")
    X, y = rows(3000, seed=21)
    told: list[int] = []
    dropped: list[str] = []

    def work(part: int) -> None:
        client = Client(address, "spam", retries=0)
        for i in range(part, 3000, 4):
            try:
                told.append(client.learn(X[i : i + 1], y[i : i + 1])["parameters"]["position"])
            except ServeError as error:
                dropped.append(str(error))
                return

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    for thread in threads:
        thread.join()
    assert process.returncode == 0, errors
    lines = [json.loads(line) for line in errors.splitlines() if line.startswith("{")]
    assert lines[-1]["event"].startswith("stopped")
    verdict = check_folder(tmp_path / "logs" / "spam")
    assert verdict["agreed"], verdict
    assert verdict["entries"] >= len(told) == len(set(told)) > 0
    assert (tmp_path / "logs" / "spam" / "snapshot.safetensors").exists()
    run = subprocess.run(
        [sys.executable, "-m", "separatrix", "serve", "--check", tmp_path / "logs", "--json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["agreed"]
    (tmp_path / "logs" / "spam" / "acknowledged").write_bytes(b"")
    snapshot = tmp_path / "logs" / "spam" / "snapshot.safetensors"
    snapshot.write_bytes(snapshot.read_bytes()[:-1])
    assert not check_folder(tmp_path / "logs" / "spam")["agreed"]


@pytest.mark.skipif(not os.path.exists("/usr/bin/openssl"), reason="no openssl to make a certificate with")
def test_tls(tmp_path, models):
    pair = [tmp_path / "key.pem", tmp_path / "cert.pem"]
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", pair[0], "-out", pair[1]]
    subprocess.run([*make.split(), *names], check=True, capture_output=True)
    with serving(models / "spam.safetensors", "--tls-cert", pair[1], "--tls-key", pair[0]) as address:
        assert address.startswith("https://")
        trusted = ssl.create_default_context(cafile=pair[1])
        with Client(address, "spam", context=trusted, retries=0) as client:
            assert len(client.predict(rows(3)[0])) == 3
        with Client(address, "spam", retries=0) as client, pytest.raises(ServeError, match="CERTIFICATE"):
            client.predict(rows(3)[0])


def test_another_machine_needs_a_token(models):
    with pytest.raises(FolderError, match="there is no token"):
        serve(
            open_models([models / "kernel.safetensors"], None, Settings()),
            Tokens({}),
            Place("0.0.0.0"),
            Settings(),
            print,
        )
