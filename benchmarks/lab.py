"""How soon the lab answers: its start, its page, and a drag among 100 rows.

    python -m benchmarks.lab
    python -m benchmarks.lab --w
    python -m benchmarks.lab --rows 500 kernel-svm

Wall-clock time, so only an otherwise idle machine says what a person would feel; how idle it was is printed beside it.
Goals: the start within 2 s, the page within 1 s, a drag drawn within 33 ms (median).

A drag is timed inside the page, from the time stamp that the browser gives a pointer event to the first task after the
frame that shows its answer. The mouse reports 125 times a second whether or not the page keeps up; a move that was
overtaken by a later one counts too, until the picture that answers the later one. Chromium still has to composite that
frame: how long it takes is read from a trace of a drag of its own, since tracing costs time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.chromium import Tab, chromium

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lab"))
from lab_driver import OPENED, serving, two_clouds

ALGORITHMS = ("gradient", "perceptron", "hard-margin", "soft-margin", "kernel-perceptron", "kernel-svm")
REPORT_RATE = 125  # of the mouse, a second
MOVES, ROUNDS = 150, 3

WATCH = """() => {
  const { client, xspace, tabs } = document.getElementById("lab").app, moves = [];
  window.found = { answered: [], every: [], rounds: [] };
  for (const { svg } of [xspace.plot, tabs.shown.plot]) {
    if (svg) svg.addEventListener("pointerrawupdate", (event) => moves.push(event.timeStamp), true);
  }
  const request = client.transport.request.bind(client.transport);
  client.transport.request = async (message) => {
    const began = performance.now(), reply = await request(message);
    if (message.op === "move" || message.op === "hold") window.found.rounds.push(performance.now() - began);
    return reply;
  };
  client.onpainted = (since) => {
    const now = performance.now();
    performance.mark("answered");
    window.found.answered.push(now - since);
    while (moves.length > 0 && moves[0] <= since) window.found.every.push(now - moves.shift());
  };
}"""
AT = """(x1, x2) => {
  const { svg, plane } = document.getElementById("lab").app.xspace.plot, box = svg.getBoundingClientRect();
  return [box.left + plane.x(x1), box.top + plane.y(x2)];
}"""
AT_W = """() => {
  const { client, tabs } = document.getElementById("lab").app, { svg, plane } = tabs.shown.plot;
  const { now } = client.state.w, box = svg.getBoundingClientRect();
  return [box.left + plane.x(now[0]), box.top + plane.y(now[1])];
}"""
APP = 'document.getElementById("lab").app'
PENDING = f"() => {APP}.client.latest.size + {APP}.client.actions.length"


async def drag(tab: Tab, start: tuple[float, float], way: int) -> tuple[float, float]:
    """Move what is there, the first point or w, as a mouse does: at its own pace, without waiting for the page."""
    x, y = start

    def send(kind: str, buttons: int) -> Any:
        event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1}
        return tab.send("Input.dispatchMouseEvent", **event)

    await send("mouseMoved", 0)
    await send("mousePressed", 1)
    began, moves = time.monotonic(), []
    for k in range(1, MOVES + 1):
        x, y = start[0] + 0.5 * way * k, start[1] + k % 7
        moves.append(send("mouseMoved", 1))
        await asyncio.sleep(max(0.0, began + k / REPORT_RATE - time.monotonic()))
    await asyncio.gather(*moves)
    await send("mouseReleased", 0)
    await tab.evaluate(f"{APP}.client.act('look')")
    return x, y


async def composited(tab: Tab, start: tuple[float, float]) -> float:
    """The median of the milliseconds from a painted answer to the end of the next drawing of the screen."""
    await tab.start_trace("blink.user_timing", "viz", "cc")
    await drag(tab, start, 1)
    events = await tab.stop_trace()
    painted = sorted(each["ts"] for each in events if each["name"] == "answered")
    active = sorted(each["ts"] for each in events if each["name"] == "LayerTreeHostImpl::ActivateSyncTree")
    drawn = sorted(
        each["ts"] + each.get("dur", 0) for each in events if each["name"] == "Display::DrawAndSwap"
    )
    waits = []
    for at in painted:
        tree = next((moment for moment in active if moment >= at), None)
        shown = None if tree is None else next((moment for moment in drawn if moment >= tree), None)
        if shown is not None:
            waits.append((shown - at) / 1000)
    return statistics.median(waits)


async def timed_drags(tab: Tab, address: str, algorithm: str, rows: int, of_w: bool) -> str:
    """What a drag of the first point, or of w, with this algorithm took, as a line to print."""
    await tab.open("about:blank", "body")
    await tab.open(address, OPENED)
    points = two_clouds(rows)
    scene = json.dumps({"scene": {"points": points, "algorithm": algorithm}})
    await tab.evaluate(f"{APP}.client.act('load', {scene}).then(() => true)")
    where = f"({AT_W})()" if of_w else f"({AT})({points[0][0]}, {points[0][1]})"
    place, way = tuple(await tab.evaluate(where)), 1
    place, way = await drag(tab, place, way), -way  # what runs for the first time is slower
    await tab.evaluate(f"({WATCH})()")
    for _ in range(ROUNDS):
        place, way = await drag(tab, place, way), -way
    found, left = await tab.evaluate("window.found"), await tab.evaluate(f"({PENDING})()")
    answered, every = sorted(found["answered"]), sorted(found["every"])
    late = await composited(tab, place)
    middle = statistics.median
    return (
        f"{algorithm:18s} median {middle(answered):3.0f} ms, 90 % within {answered[int(0.9 * len(answered))]:3.0f} ms; "
        f"overtaken moves included {middle(every):3.0f} ms; {len(answered)} pictures of {len(every)} moves, "
        f"{left} left over; request and reply {middle(found['rounds']):.0f} ms, compositing {late:.0f} ms more"
    )


async def in_browser(algorithms: list[str], rows: int, of_w: bool) -> None:
    """The page and the drags, in Chromium."""
    with serving() as address:
        async with chromium() as tab:
            seconds = []
            for _ in range(5):
                await tab.open("about:blank", "body")
                began = time.monotonic()
                await tab.open(address, OPENED)
                seconds.append(time.monotonic() - began)
            print(f"page usable: {statistics.median(seconds):.2f} s, the first {seconds[0]:.2f} s")
            for algorithm in algorithms:
                print(await timed_drags(tab, address, algorithm, rows, of_w), flush=True)


def idle() -> float:
    """The share of the processors that nothing uses, over one second."""

    def read() -> tuple[int, int]:
        ticks = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        return ticks[3] + ticks[4], sum(ticks)

    free, total = read()
    time.sleep(1.0)
    later, now = read()
    return (later - free) / (now - total)


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lab", description=__doc__.splitlines()[0])
    parser.add_argument("algorithms", nargs="*", metavar="algorithm", help=f"of {', '.join(ALGORITHMS)}; all")
    parser.add_argument("--rows", type=int, default=100, help="points on the page (default 100, at most 500)")
    parser.add_argument("--w", action="store_true", help="drag w in w-space instead of a point")
    options = parser.parse_args()
    algorithms = options.algorithms or list(ALGORITHMS)
    if unknown := set(algorithms) - set(ALGORITHMS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(ALGORITHMS)}")
    print(f"{os.cpu_count()} processors, {idle():.0%} idle just before")
    starts = []
    for _ in range(3):
        began = time.monotonic()
        with serving() as address:
            urllib.request.urlopen(address).read()
            starts.append(time.monotonic() - began)
    print(f"start to first page: {statistics.median(starts):.2f} s")
    if options.w:
        algorithms = [name for name in algorithms if not name.startswith("kernel")]  # which have no w to drag
    asyncio.run(in_browser(algorithms, options.rows, options.w))


if __name__ == "__main__":
    main()
