"""A Chromium of one's own, spoken to over its debugging port: the least that a measurement needs.

A driver such as Playwright listens to the network of its pages, so that the browser writes every message out for it,
and runs in processes of its own; on two cores that is part of what would be measured.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

ARGUMENTS = (
    "--headless",
    "--remote-debugging-port=0",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--window-size=1280,800",
)


class Tab:
    """One page: commands go out in order, answers are awaited or not."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._count = socket, 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._events: list[Any] = []
        self._traced = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for text in self._socket:
            message = json.loads(text)
            if "id" in message:
                self._waiting.pop(message["id"]).set_result(message)
            elif message["method"] == "Tracing.dataCollected":
                self._events += message["params"]["value"]
            elif message["method"] == "Tracing.tracingComplete":
                self._traced.set()

    def send(self, method: str, **parameters: Any) -> asyncio.Future[Any]:
        """Give a command; the future is its answer."""
        self._count += 1
        answer = asyncio.get_running_loop().create_future()
        self._waiting[self._count] = answer
        text = json.dumps({"id": self._count, "method": method, "params": parameters})
        sent = asyncio.ensure_future(self._socket.send(text))
        answer.add_done_callback(lambda _: sent)  # kept until it is answered
        return answer

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is awaited."""
        answer = await self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        result = answer["result"]
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", result["exceptionDetails"]))
        return result["result"].get("value")

    async def open(self, address: str, ready: str) -> None:
        """Go to a page and wait until something matches the selector."""
        await self.send("Page.navigate", url=address)
        while not await self.evaluate(f"document.querySelector({json.dumps(ready)}) !== null"):
            await asyncio.sleep(0.005)

    async def start_trace(self, *categories: str) -> None:
        """Record what the browser does."""
        self._events.clear()
        self._traced.clear()
        config = {"includedCategories": list(categories)}
        await self.send("Tracing.start", transferMode="ReportEvents", traceConfig=config)

    async def stop_trace(self) -> list[Any]:
        """The events of the trace."""
        await self.send("Tracing.end")
        await self._traced.wait()
        return list(self._events)


@asynccontextmanager
async def chromium() -> AsyncIterator[Tab]:
    """The tab of a browser that ends with the block."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            shutil.which("chromium") or "chromium",
            *ARGUMENTS,
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = await _port(Path(profile) / "DevToolsActivePort")
            async with connect(await _page(port), max_size=None, compression=None) as socket:
                tab = Tab(socket)
                yield tab
                await tab.send("Browser.close")
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(timeout=20)


async def _port(told: Path) -> int:
    while not told.exists() or len(told.read_text().splitlines()) < 2:
        await asyncio.sleep(0.02)
    return int(told.read_text().splitlines()[0])


async def _page(port: int) -> str:
    """The address of the first page's debugger."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    )
    pages = json.loads(await reader.readexactly(length))
    writer.close()
    return str(next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"))
