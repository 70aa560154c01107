"""Options that need reading: class weights, kernels by LIBSVM's numbers."""

from __future__ import annotations

from typing import Any

from separatrix.cli.errors import Refused

#: LIBSVM's -t.
KERNELS = {"0": "linear", "1": "poly", "2": "rbf", "3": "sigmoid", "4": "precomputed"}


def kernel_name(text: str) -> str:
    """A kernel by its name, or by LIBSVM's number for it.

    >>> kernel_name("2"), kernel_name("laplacian")
    ('rbf', 'laplacian')
    """
    names = [*KERNELS.values(), "laplacian"]
    name = KERNELS.get(text, text)
    if name not in names:
        numbers = ", ".join(f"{number} {name}" for number, name in KERNELS.items())
        raise Refused(f"-t must be a kernel: {numbers}, or laplacian; got {text!r}.")
    return name


def libsvm_weights(arguments: list[str]) -> list[str]:
    """LIBSVM's ``-w1 5`` as ``-w 1=5``; everything else as it is.

    >>> libsvm_weights(["-c", "1", "-w-1", "0.5", "data", "-w", "1=2"])
    ['-c', '1', '-w', '-1=0.5', 'data', '-w', '1=2']
    """
    out: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word.startswith("-w") and len(word) > 2 and "=" not in word and not word.startswith("-w="):
            out += ["-w", f"{word[2:]}={next(rest, '')}"]
        else:
            out.append(word)
    return out


def class_weights(texts: list[str] | None, y: Any) -> dict[Any, float] | str | None:
    """The weights of the classes by their labels as they are in y; "balanced" if that is asked for."""
    if not texts:
        return None
    if texts == ["balanced"]:
        return "balanced"
    import numpy as np

    labels = {_text(label): label for label in np.unique(y).tolist()}
    weights = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if _text(name) not in labels:
            shown = ", ".join(map(str, list(labels.values())[:20]))
            raise Refused(
                f"-w {text}: there is no class {name!r}; the classes are {shown}.", "write -w LABEL=WEIGHT"
            )
        try:
            weights[labels[_text(name)]] = float(number)
        except ValueError:
            raise Refused(f"-w {text}: a weight must be a number; got {number!r}.") from None
    return weights


def _text(label: Any) -> str:
    """A label as text; 1, 1.0 and "+1" are the same."""
    try:
        return repr(float(label))
    except (TypeError, ValueError):
        return str(label)
