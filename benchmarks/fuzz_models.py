"""Damaged model files: every one must load, or end in a ModelFileError with a sentence.

    python -m benchmarks.fuzz_models --cases 100000 --seed 1

Two kinds of damage, half and half: bytes changed, cut, doubled or inserted anywhere; and the file taken apart, one
value of its document or one tensor replaced by something else, and put together again with a digest that is right, as
somebody would who wants to mislead. A file that loads must also predict and say its certificate without any error
but a ValueError or AttributeError. Prints how many loaded and how many were refused; an escape is exit code 1.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np
from safetensors.numpy import load as from_safetensors

from separatrix import SVC, ModelFileError, Perceptron, kernels
from separatrix.models.file import model_bytes, model_from_bytes
from separatrix.models.tensors import write_tensors

_JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    3,
    2**63,
    10**30,
    0.5,
    1e308,
    "",
    "x",
    "inf",
    "array",
    [],
    {},
    [[]],
    [1, 2],
]
_JUNK += [
    {"float": "nan"},
    {"array": "coef"},
    {"array": "alpha"},
    {"texts": ["a"], "width": 1},
    {"tuple": []},
]
_JUNK += [{"pairs": []}, {"pairs": [[{"array": "classes"}, 1]]}, {"csr": "support", "shape": [2, 2]}]


def sound_files() -> list[bytes]:
    """Files to damage: small models of each kind."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 2))
    two, three = np.where(X[:, 0] > 0, 1, -1), np.array(["a", "b", "c"])[np.arange(12) % 3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [
            SVC().fit(X, two),
            SVC(multi_class="ovo").fit(X, three),
            SVC(C=float("inf")).fit(X, two),
            SVC(kernel=kernels.Rbf() + kernels.Poly(2, 1.0, 1.0)).fit(X, two),
            SVC(kernel="laplacian", multi_class="ovo").fit(X, three),
            SVC(multi_class="crammer-singer").fit(X, three),
            Perceptron().fit(X, two),
            Perceptron(output="voted", max_epochs=5).fit(X, three),
            Perceptron(kernel="rbf", output="averaged", max_epochs=5).fit(X, three),
            Perceptron(output="averaged").partial_fit(X, three),
            Perceptron(kernel="rbf").partial_fit(X, two),
        ]
    return [model_bytes(model, columns=["u", "v"], support_vectors=True) for model in models]


def damaged_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """One to three changes of bytes; half of them in the first kilobyte, where the header is."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        end = min(len(data), 1024) if rng.random() < 0.5 else len(data)
        at = int(rng.integers(0, max(1, end)))
        match int(rng.integers(0, 6)):
            case 0 if data:
                data[at % len(data)] ^= 1 << int(rng.integers(0, 8))
            case 1 if data:
                data[at % len(data)] = int(rng.choice([0, 1, 34, 44, 48, 57, 91, 93, 123, 125, 255]))
            case 2:
                del data[at:]
            case 3:
                data[at:at] = rng.bytes(int(rng.integers(1, 9)))
            case 4:
                del data[at : at + int(rng.integers(1, 9))]
            case _:
                data[:8] = int(rng.integers(0, 2 ** int(rng.integers(1, 63)))).to_bytes(8, "little")
    return bytes(data)


def pack(arrays: dict[str, Any]) -> bytes:
    """The content of a file with these arrays and their digest."""
    file = io.BytesIO()
    write_tensors(arrays, file)
    return file.getvalue()


def damaged_parts(content: bytes, rng: np.random.Generator) -> bytes:
    """The file with some values of its document, or some tensors, replaced."""
    arrays = from_safetensors(content)
    document = json.loads(arrays.pop("document").tobytes())
    for _ in range(int(rng.integers(1, 3))):
        if rng.random() < 0.6:
            _damage_value(document, rng)
        else:
            _damage_tensor(arrays, rng)
    arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    return pack({name: np.array(array, order="C") for name, array in arrays.items()})


def _damage_value(document: Any, rng: np.random.Generator) -> None:
    node = document
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = keys[int(rng.integers(0, len(keys)))]
        child = node[key]
        if not isinstance(child, dict | list) or not child or rng.random() < 0.15:
            break
        node = child
    if rng.random() < 0.15:
        del node[key]
        return
    value = node[key]
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.5:
        node[key] = value + int(rng.choice([-1, 1, 2**31])) if abs(value) < 1e300 else 0
    else:
        node[key] = json.loads(json.dumps(_JUNK[int(rng.integers(0, len(_JUNK)))]))


def _damage_tensor(arrays: dict[str, Any], rng: np.random.Generator) -> None:
    names = sorted(arrays)
    name = names[int(rng.integers(0, len(names)))]
    array = arrays[name]
    match int(rng.integers(0, 7)):
        case 0:
            del arrays[name]
        case 1:
            arrays[name] = array[: len(array) // 2] if array.ndim else array
        case 2:
            arrays[name] = array.ravel()
        case 3:
            other = arrays[names[int(rng.integers(0, len(names)))]] if len(arrays) == len(names) else array
            arrays[name] = other
        case 4:
            arrays[name] = array.astype(rng.choice(["f4", "f8", "i4", "i8", "u1", "?"]))
        case 5 if array.size:
            flat = array.copy().ravel()
            flat[int(rng.integers(0, flat.size))] = rng.choice([0, 1, 100, 127])
            arrays[name] = flat.reshape(array.shape)
        case _ if array.dtype.kind == "f" and array.size:
            flat = array.copy().ravel()
            flat[int(rng.integers(0, flat.size))] = rng.choice([np.nan, np.inf, -1e300, 1e-300])
            arrays[name] = flat.reshape(array.shape)


def outcome(content: bytes) -> str:
    """ "loaded" or "refused"; anything else that is raised is an escape and goes through."""
    try:
        model = model_from_bytes(content)
    except ModelFileError as error:
        if len(str(error)) < 10:
            raise AssertionError(f"no sentence: {error!r}") from error
        return "refused"
    rows = np.random.default_rng(1).standard_normal((3, min(model.n_features_in_, 1000)))
    with np.errstate(all="ignore"):
        for use in (
            lambda: model.predict(rows),
            lambda: model.certificate_,
            lambda: (model.history_, model.status_),
            lambda: model.partial_fit(rows, model.classes_[np.arange(3) % len(model.classes_)]),
        ):
            try:
                use()
            except (ValueError, AttributeError) as error:
                if not str(error):
                    raise
    return "loaded"


def run(cases: int, seed: int) -> Counter[str]:
    """Damage and read so many files."""
    rng, sound, counts = np.random.default_rng(seed), sound_files(), Counter[str]()
    for content in sound:
        assert outcome(content) == "loaded"
    for case in range(cases):
        damage = damaged_bytes if case % 2 else damaged_parts
        content = damage(sound[int(rng.integers(0, len(sound)))], rng)
        try:
            counts[outcome(content)] += 1
        except Exception as error:
            raise RuntimeError(
                f"case {case} of seed {seed} escaped: {type(error).__name__}: {error}"
            ) from error
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began = time.perf_counter()
    warnings.simplefilter("ignore")
    counts = run(asked.cases, asked.seed)
    print(f"{asked.cases} damaged files: {counts['refused']} refused, {counts['loaded']} loaded and usable,")
    print(f"none escaped; {time.perf_counter() - began:.0f} s, seed {asked.seed}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
