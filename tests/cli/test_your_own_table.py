"""The first how-to, docs/how-to/your-own-table.md: its commands run as they are written, and print what it shows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cli_cases import ROOT, run_line

PAGE = (ROOT / "docs" / "how-to" / "your-own-table.md").read_text()
COMMANDS = [line for line in PAGE.splitlines() if line.startswith("separatrix ")]
SHOWN = [block.splitlines() for block in re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)]


def customers(count, seed, labels):
    """Customers of a telephone company, some of whom leave."""
    rng = np.random.default_rng(seed)
    age, months = rng.integers(19, 80, count), rng.integers(1, 72, count)
    bill = rng.normal(45, 15, count).clip(9, 120)
    plan, calls = rng.choice(["basic", "family", "business"], count), rng.poisson(1.5, count)
    risk = 0.9 * calls - 0.05 * months + 0.02 * bill + (plan == "basic") + rng.normal(0, 1, count)
    lines = ["customer,age,months,plan,bill,calls" + (",left" if labels else "")]
    for i in range(count):
        paid = "" if i % 97 == 5 else f"{bill[i]:.2f}"
        row = [f"K{seed}{i:05d}", age[i], months[i], plan[i], paid, calls[i], "yes" if risk[i] > 1 else "no"]
        lines.append(",".join(map(str, row if labels else row[:-1])))
    return "\n".join(lines) + "\n"


def in_general(line):
    """A line without its numbers, which another machine may round differently."""
    return re.sub(r"\d+(\.\d+)?", "#", line.rstrip())


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "customers.csv").write_text(customers(600, 1, True))
    (tmp_path / "new.csv").write_text(customers(40, 2, False))
    return tmp_path


def test_every_command_runs_and_prints_what_is_shown(tables):
    said = [*(tables / "customers.csv").read_text().splitlines()[:3]]
    for line in COMMANDS:
        result = run_line(line)
        assert result.exit_code == 0, f"{line}: {result.stderr}"
        said += result.stdout.splitlines()
    said += (tables / "predictions.csv").read_text().splitlines()[:1]
    known = {in_general(line) for line in said}
    missing = [line for block in SHOWN for line in block if in_general(line) not in known]
    assert missing == []
    assert (tables / "customers.report.html").exists()
    assert len((tables / "predictions.csv").read_text().splitlines()) == 41


def test_every_option_that_is_named_exists():
    help_text = run_line("separatrix fit --help").stdout
    for option in set(re.findall(r"`(--[a-z-]+)", PAGE)):
        assert option in help_text, option
