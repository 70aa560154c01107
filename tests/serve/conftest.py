"""One server for the tests that only ask: a model that learns, two that do not, and tokens with scopes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from serving import TOKENS, rows, save_perceptron, serving

pytest.importorskip("uvicorn")
pytest.importorskip("httptools")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models."""
    folder = tmp_path_factory.mktemp("models")
    save_perceptron(folder / "spam.safetensors")
    X, y = rows(80, seed=3)
    sx.save(sx.SVC(kernel="rbf").fit(X, y), folder / "kernel.safetensors")
    names = np.array(["low", "mid", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    sx.save(sx.SVC().fit(X, names), folder / "many.safetensors")
    return folder


@pytest.fixture(scope="session")
def address(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without tokens."""
    logs = tmp_path_factory.mktemp("logs")
    assert logs == models.parent / "logs0"
    with serving(models, "--data-dir", logs, "--max-body", 200_000) as address:
        yield address


@pytest.fixture(scope="session")
def guarded(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with tokens."""
    folder = tmp_path_factory.mktemp("guarded")
    lines = [
        f"{TOKENS['all']}  # of the owner",
        f"{TOKENS['read']} read",
        "",
        f"{TOKENS['learn']} read,learn",
    ]
    (folder / "tokens").write_text("\n".join(lines))
    model = models / "spam.safetensors"
    with serving(model, "--data-dir", folder / "logs", "--token-file", folder / "tokens") as address:
        yield address
