"""How soon the lab answers: its start, its page, and a drag among 100 rows.

    python -m benchmarks.lab

Wall-clock time, so only an otherwise idle machine says what a person would feel; the load is printed beside it.
Goals: the start within 2 s, the page within 1 s, a drag drawn within 33 ms (median over 40 moves).
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lab"))
from lab_driver import LabPage, drag_among_100_rows, serving

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
ALGORITHMS = ("perceptron", "hard-margin", "soft-margin", "kernel-svm")


def main() -> None:
    from playwright.sync_api import sync_playwright

    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    starts = []
    for _ in range(3):
        began = time.monotonic()
        with serving() as address:
            urllib.request.urlopen(address).read()
            starts.append(time.monotonic() - began)
    print(f"start to first page: {statistics.median(starts):.2f} s")
    with serving() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        opened = []
        for _ in range(5):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            began = time.monotonic()
            lab = LabPage(page, address).open()
            opened.append(time.monotonic() - began)
            page.close()
        print(f"page usable: {statistics.median(opened):.2f} s, the first {opened[0]:.2f} s")
        for algorithm in ALGORITHMS:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            lab = LabPage(page, address).open()
            medians = drag_among_100_rows(lab, algorithm, 5)
            print(f"drag, {algorithm}: medians of five rounds {', '.join(f'{m:.0f}' for m in medians)} ms")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
