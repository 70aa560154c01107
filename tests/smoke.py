"""What an installed wheel must do, with nothing but what it brought: run by `make smoke` and by cibuildwheel.

python -I smoke.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

import numpy as np

import separatrix


def run(*words: str) -> str:
    """What a command prints."""
    done = subprocess.run([sys.executable, "-I", "-m", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def main() -> None:
    place = Path(separatrix.__file__).parent
    assert "site-packages" in place.parts, f"this is not the installed package: {place}"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0, "yes", "no")
    for parameters in ({}, {"kernel": "rbf"}, {"solver": "coordinate-descent"}):
        model = separatrix.SVC(**parameters).fit(X, y)
        assert model.gap_ <= 1e-3
        assert separatrix.verify(model.certificate_, X, y)
    assert separatrix.separability(X, y).verdict == "inseparable"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        separatrix.save(model, folder / "model.safetensors")
        np.testing.assert_array_equal(
            separatrix.load(folder / "model.safetensors").predict(X), model.predict(X)
        )
        data = str(resources.files("separatrix") / "data" / "wdbc.libsvm")
        run("separatrix", "fit", data, "-o", name, "--quiet")
        run("separatrix.checker", str(folder / "wdbc.certificate.json.gz"), data)
        run("separatrix", "predict", str(folder / "wdbc.model.safetensors"), data)
        run(
            "separatrix",
            "report",
            str(folder / "wdbc.model.safetensors"),
            data,
            "-o",
            str(folder / "page.html"),
        )
    print(f"separatrix {separatrix.__version__} works in {sys.prefix}, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
