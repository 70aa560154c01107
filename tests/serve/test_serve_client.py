"""Our client, sync and async, through a bad connection; and clients that others wrote.

Tests `serve/openapi.py` too.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import separatrix as sx
from separatrix.serve import AsyncClient, Client, ServeError
from serving import COLUMNS, TOKENS, fetch, rows, serving


class BadLine(threading.Thread):
    """A proxy that cuts every second answer off after the server has sent it: the client cannot know."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        parts = urlsplit(address)
        self.target = (parts.hostname, parts.port)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        self.cut = 0

    def run(self) -> None:
        number = 0
        while True:
            try:
                near, _ = self.listening.accept()
            except OSError:
                return
            number += 1
            with near, socket.create_connection(self.target, timeout=10) as far:
                request = b""
                while b"\r\n\r\n" not in request:
                    request += near.recv(65536)
                head, _, body = request.partition(b"\r\n\r\n")
                size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                while len(body) < size:
                    body += near.recv(65536)
                far.sendall(head + b"\r\nConnection: close\r\n\r\n" + body)
                answer = b""
                while part := far.recv(65536):
                    answer += part
                if number % 2:
                    self.cut += 1
                    near.sendall(answer[: len(answer) // 2])
                else:
                    near.sendall(answer)


def test_a_retry_learns_once(address):
    line = BadLine(address)
    line.start()
    X, y = rows(10, seed=41)
    with Client(address, "spam") as direct, Client(line.address, "spam") as client:
        before = direct.stats()["rows_logged"]
        for i in range(10):
            assert client.learn(X[i : i + 1], y[i : i + 1])["parameters"]["durable"]
        assert direct.stats()["rows_logged"] == before + 10
    assert line.cut >= 10
    line.listening.close()


def test_sync_and_async(address):
    X, y = rows(30, seed=42)

    async def everything() -> list[dict]:
        async with AsyncClient(address, "spam") as client:
            learnt = await asyncio.gather(
                *(client.learn(X[i : i + 3], y[i : i + 3]) for i in range(0, 30, 3))
            )
            kept = await client.infer(X[:2], remember=True)
            await client.label(kept["id"], y[:2])
            assert (await client.predict(X)).shape == (30,)
            return [*learnt, await client.stats()]

    with ThreadPoolExecutor(1) as other:  # a browser's tests leave a running loop on this thread
        *learnt, stats = other.submit(asyncio.run, everything()).result()
    assert len({answer["parameters"]["position"] for answer in learnt}) == 10
    with Client(address, "spam") as client:
        assert client.stats()["rows_logged"] == stats["rows_logged"]
        with pytest.raises(ServeError, match="columns") as refused:
            client.learn([[1.0]], [1])
        assert refused.value.status == 400
        kept = client.infer(X[:3], remember=True)
        assert client.label(kept["id"], y[:3])["outputs"][0]["shape"] == [3]
    with Client(address, "nothing") as client, pytest.raises(ServeError, match="no model"):
        client.stats()
    with pytest.raises(ValueError, match="address must be like"):
        Client("127.0.0.1:8080", "spam")
    with (
        Client("http://127.0.0.1:9", "spam", retries=1) as client,
        pytest.raises(ServeError, match="refused"),
    ):
        client.stats()


def test_texts_as_classes(tmp_path):
    X, y = rows(40, seed=43)
    names = np.where(y > 0, "spam", "Brühe")
    path = tmp_path / "mail.safetensors"
    sx.save(sx.Perceptron().partial_fit(X[:10], names[:10]), path)
    with serving(path, "--data-dir", tmp_path / "logs") as address, Client(address, "mail") as client:
        said = client.learn(X[10:], names[10:])["outputs"][0]["data"]
        assert set(said) <= {"spam", "Brühe"}
        client.learn(X[:1], ["ham, with a comma"])
        assert client.stats()["classes"] == ["Brühe", "ham, with a comma", "spam"]
        text = fetch(address, "GET", "/v2/models/mail/rows?first=30&last=31")[1].decode()
        assert text.splitlines()[1].endswith(',"ham, with a comma"')
        with pytest.raises(ServeError, match="texts"):
            client.learn(X[:1], [3])


def test_the_inference_protocol_with_tritonclient(address, models):
    triton = pytest.importorskip("tritonclient.http")
    client = triton.InferenceServerClient(urlsplit(address).netloc)
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("many")
    assert client.get_server_metadata()["name"] == "separatrix"
    assert client.get_model_metadata("many")["inputs"][0]["shape"] == [-1, COLUMNS]
    assert {entry["name"] for entry in client.get_model_repository_index()} == {"kernel", "many", "spam"}
    X, _ = rows(7, seed=44)
    model = sx.load(models / "many.safetensors")
    for binary in (True, False):
        for dtype, kind in ((np.float64, "FP64"), (np.float32, "FP32")):
            tensor = triton.InferInput("X", X.shape, kind)
            tensor.set_data_from_numpy(X.astype(dtype), binary_data=binary)
            wanted = [
                triton.InferRequestedOutput(name, binary_data=binary)
                for name in ("predict", "decision_function")
            ]
            for outputs in (wanted, None):
                answer = client.infer("many", [tensor], outputs=outputs, request_id="seven")
                said = [v.decode() if isinstance(v, bytes) else v for v in answer.as_numpy("predict")]
                assert said == model.predict(X.astype(dtype)).tolist()
                scores = answer.as_numpy("decision_function")
                assert scores.tolist() == model.decision_function(X.astype(dtype).astype(float)).tolist()
                assert answer.get_response()["id"] == "seven"
    tensor = triton.InferInput("X", [1, 1], "FP64")
    tensor.set_data_from_numpy(np.ones((1, 1)))
    with pytest.raises(Exception, match="columns"):
        client.infer("many", [tensor])
    client.close()


@pytest.mark.filterwarnings("ignore")
def test_the_openapi_document_with_schemathesis(guarded):
    schemathesis = pytest.importorskip("schemathesis")
    schema = schemathesis.openapi.from_dict(fetch(guarded, "GET", "/openapi.json")[1])
    # That the numbers of a tensor fill its shape is more than a schema can say.
    accepts_valid = pytest.importorskip("schemathesis.specs.openapi.checks").positive_data_acceptance
    token = {"Authorization": f"Bearer {TOKENS['all']}"}
    asked = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith(("/refit", "/rollback")):
            continue  # each would start a process, or disturb the other tests

        @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(), real=st.booleans())
        def ask(case, real):
            nonlocal asked
            if real and "model" in case.path_parameters:
                case.path_parameters["model"] = "spam"
            response = case.call(base_url=guarded.rstrip("/"), headers=token)
            case.validate_response(response, excluded_checks=[accepts_valid])
            assert response.status_code < 500
            asked += 1

        ask()
    assert asked > 50
