"""Who may talk to the server, how much, and what it keeps."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.error
import urllib.request

import pytest

from separatrix.lab.limits import MAX_MESSAGE_BYTES, MAX_SESSIONS
from separatrix.lab.server import Lab, answer
from separatrix.lab.session import Session
from separatrix.web import free_port, is_loopback, may_ask, same_origin

client = pytest.importorskip("websockets.sync.client")
client_errors = pytest.importorskip("websockets.exceptions")


def fetch(address: str, path: str = "", host: str | None = None) -> tuple[int, bytes, dict[str, str]]:
    request = urllib.request.Request(address + path, headers={} if host is None else {"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read(), dict(reply.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), dict(error.headers)


def connect(address: str, **more):
    return client.connect(address.replace("http", "ws") + "session", open_timeout=30, **more)


def ask(connection, op: str, **more) -> dict:
    connection.send(json.dumps({"id": 1, "op": op, **more}))
    return json.loads(connection.recv(timeout=60))


def test_it_answers_with_its_page(address):
    status, body, _ = fetch(address)
    assert status == 200
    assert b"separatrix lab" in body


def test_files_are_served_with_a_policy_and_nothing_else_is(address, static_folder):
    for path in static_folder.rglob("*"):
        if path.is_file():
            status, body, headers = fetch(address, path.relative_to(static_folder).as_posix())
            assert status == 200
            assert body == path.read_bytes()
            assert "default-src 'none'" in headers["content-security-policy"]
    for path in ("server.py", "../server.py", "js/../../server.py", "%2e%2e/server.py", "js", "session"):
        assert fetch(address, path)[0] == 404


def test_other_hosts_and_origins_are_refused(address):
    port = address.rstrip("/").rpartition(":")[2]
    assert fetch(address, host=f"localhost:{port}")[0] == 200
    assert fetch(address, host="evil.example")[0] == 421
    with connect(address, origin=f"http://127.0.0.1:{port}") as connection:
        assert "hello" in ask(connection, "hello")
    for origin in ("http://evil.example", f"http://127.0.0.1:{int(port) + 1}", "null"):
        with pytest.raises(Exception, match=r"403|1008"), connect(address, origin=origin) as connection:
            ask(connection, "hello")
    handshake = (
        "GET /session HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(port)), timeout=20) as raw:
        raw.sendall(handshake.encode())
        assert raw.recv(1000).startswith(b"HTTP/1.1 403")


def test_it_listens_on_this_machine_alone(address):
    host, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
    assert is_loopback(host)
    own = socket.gethostbyname(socket.gethostname())
    if not is_loopback(own):
        with pytest.raises(OSError), socket.create_connection((own, int(port)), timeout=2):  # noqa: PT011
            pass


def test_a_malformed_message_gets_an_error_and_the_session_lives_on(address):
    with connect(address) as connection:
        ask(connection, "preset", name="eight")
        for text in (
            "{",
            "[1,2",
            '{"op": NaN}',
            "null",
            '{"op": "move"}',
            "[" * 5000,
            '{"op": "add", "point": [1e999, 0, 1]}',
        ):
            connection.send(text)
            assert "error" in json.loads(connection.recv(timeout=30))
        connection.send(b"\x00\x01")
        assert "error" in json.loads(connection.recv(timeout=30))
        assert len(ask(connection, "look")["scene"]["points"]) == 8


def test_a_message_that_is_too_long_is_not_read(address):
    with connect(address) as connection:
        connection.send("x" * (MAX_MESSAGE_BYTES + 1))
        with pytest.raises(Exception, match="1009"):
            connection.recv(timeout=30)
    assert "error" in json.loads(answer(Session(), '{"op": "' + "x" * MAX_MESSAGE_BYTES + '"}'))


def test_two_pages_do_not_disturb_each_other(address):
    with connect(address) as one, connect(address) as other:
        ask(one, "preset", name="eight")
        ask(other, "preset", name="xor")
        ask(other, "remove", row=0)
        assert len(ask(one, "look")["scene"]["points"]) == 8
        assert not ask(one, "undo")["scene"]["points"]
        assert len(ask(other, "look")["scene"]["points"]) == 23


@pytest.fixture
def own_lab():
    """A server in this process, whose sessions can be counted."""
    uvicorn = pytest.importorskip("uvicorn")
    lab, listening = Lab(), free_port("127.0.0.1", 0)
    listening.listen()
    config = uvicorn.Config(lab.app, log_level="critical", ws="websockets-sansio", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield lab, f"http://127.0.0.1:{listening.getsockname()[1]}/"
    server.should_exit = True
    thread.join(timeout=20)
    listening.close()


def test_closing_the_page_frees_its_state(own_lab):
    lab, address = own_lab
    with connect(address) as first:
        ask(first, "preset", name="xor")
        with connect(address) as second:
            ask(second, "preset", name="eight")
            assert len(lab.sessions) == 2
    deadline = time.monotonic() + 20
    while lab.sessions and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not lab.sessions


def test_the_number_of_pages_is_limited(own_lab):
    lab, address = own_lab
    lab.sessions.update(object() for _ in range(MAX_SESSIONS))
    with pytest.raises(client_errors.ConnectionClosed) as ended, connect(address) as connection:
        connection.recv(timeout=30)
    assert ended.value.rcvd.code == 1013
    assert f"{MAX_SESSIONS} pages" in ended.value.rcvd.reason  # which the page shows


def test_a_fault_of_ours_is_said_and_does_not_end_the_session():
    class Broken:
        def handle(self, message):
            raise ZeroDivisionError("by hand")

    assert "by hand" in json.loads(answer(Broken(), '{"op": "x", "id": 4}'))["error"]


def test_hosts_and_origins_by_hand():
    assert may_ask("[::1]:8765", "::1")
    assert may_ask("10.0.0.5:80", "0.0.0.0")
    assert not may_ask("rebound.example:80", "0.0.0.0")
    assert not may_ask("10.0.0.5:80", "127.0.0.1")
    assert not may_ask("", "127.0.0.1")
    assert same_origin(None, "localhost:1")
    assert not same_origin("http://localhost:2", "localhost:1")


def test_a_port_in_use_is_said_in_a_sentence():
    taken = free_port("127.0.0.1", 0)
    taken.listen()
    try:
        with pytest.raises(OSError, match=r"Port \d+ .* cannot be used.*--port 0"):
            free_port("127.0.0.1", taken.getsockname()[1])
    finally:
        taken.close()
