"""A table as rows and labels: the columns that are used as columns of X, by their records."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.dataset import Dataset, Source, describe_size, is_dense
from separatrix.data.description import TableDescription, few
from separatrix.data.raw_table import TableSettings
from separatrix.data.table_columns import encode, names, width
from separatrix.data.understand import Understood, understand
from separatrix.errors import with_hint
from separatrix.memory import require_memory


def read_table(source: ByteSource, kind: str, settings: TableSettings) -> Dataset:
    """All rows of a table; an error where its description has a refusal."""
    return _encoded(understand(source, kind, settings), settings)


def describe_table(source: ByteSource, kind: str, settings: TableSettings) -> TableDescription:
    """The description of a table alone, whatever may stand in the way of learning from it."""
    return understand(source, kind, settings).description


def _encoded(found: Understood, settings: TableSettings) -> Dataset:
    """Rows, labels and all that is known of them."""
    description, raw = found.description, found.raw
    for refusal in description.refusals:
        raise (
            with_hint(DataError, refusal.sentence, refusal.hint)
            if refusal.hint
            else DataError(refusal.sentence)
        )
    records = found.encoding["columns"]
    widths = [width(record) for record in records]
    blocks, left_out = [], 0
    for at, record in zip(found.places, records, strict=True):
        if at in found.blocks:
            blocks.append(found.blocks.pop(at))
            continue
        block, lost = encode(found.columns[at], record)
        blocks.append(block)
        left_out += sum(lost.values())
        if lost:
            description.warnings.append(_about_unseen(record, lost))
    X = _join(blocks, widths, raw.table.num_rows, settings.dtype)
    column_names = [name for record in records for name in names(record)]
    described = Source(description.file, description.format, *describe_size(X), left_out)
    return Dataset(
        X,
        found.y,
        column_names,
        found.encoding,
        described,
        description=description,
        row_numbers=raw.row_numbers(),
        identifiers=_identifiers(found),
    )


def _about_unseen(record: dict[str, Any], lost: Counter[str]) -> str:
    what = {"category": "values", "words": "words", "number": "texts among its numbers"}[record["kind"]]
    count, shown = sum(lost.values()), few([repr(text) for text, _ in lost.most_common(4)], 3)
    return f"Column {record['name']!r} has {what} that the model does not know, in {count:,} places: {shown}."


def _identifiers(found: Understood) -> dict[str, list[Any]]:
    """The cells of the columns that name the rows, where this file has them."""
    out: dict[str, list[Any]] = {}
    for each in found.encoding.get("identifiers", ()):
        at = each["position"]
        if found.raw.named and found.encoding["named"]:
            at = next(
                (place for place, one in enumerate(found.columns) if one.name == each["name"]),
                len(found.columns),
            )
        if at < len(found.columns):
            out[each["name"]] = found.columns[at].cells.to_pylist()
    return out


def _join(blocks: list[Any], widths: list[int], n_rows: int, dtype: Any) -> Any:
    """The blocks side by side: CSR where at most a third of the cells is filled, else dense."""
    total = sum(widths)
    if dtype is None:
        kinds = {block.dtype for block in blocks if not sparse.issparse(block)}
        dtype = np.float32 if kinds == {np.dtype(np.float32)} else np.float64
    filled = sum(
        block.nnz if not isinstance(block, np.ndarray) else np.count_nonzero(block) for block in blocks
    )
    if not is_dense(int(filled), n_rows, total):
        parts: list[Any] = []
        for is_sparse, group in itertools.groupby(blocks, sparse.issparse):
            several = list(group)
            parts += several if is_sparse else [sparse.csr_array(np.column_stack(several))]
        X = sparse.csr_array(sparse.hstack(parts, format="csr").astype(dtype))
        X.sort_indices()
        return X
    require_memory(n_rows * total * np.dtype(dtype).itemsize, "The rows of this table")
    dense = np.empty((n_rows, total), dtype=dtype)
    start = 0
    for block, size in zip(blocks, widths, strict=True):
        dense[:, start : start + size] = block[:, None] if isinstance(block, np.ndarray) else block.toarray()
        start += size
    return dense
