"""Text tables: cells that a comma, semicolon, tab, bar or blanks separate. pyarrow parses them.

The text is read whole and handed to pyarrow in memory that pyarrow owns. A thread of pyarrow that reads from Python,
or frees what belongs to Python, aborts the process if the interpreter ends at that moment.
"""

from __future__ import annotations

import csv
import io
import mmap
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker.text import DataError
from separatrix.data.compression import ByteSource
from separatrix.data.description import Setting
from separatrix.data.raw_table import RawTable, TableSettings, check_size, own_buffer, read_all, unique_names
from separatrix.data.sniff import (
    NULLS,
    WORDS,
    cut,
    decimal_of,
    delimiter_of,
    header_of,
    quoted_with_tabs,
    records,
    text_encoding,
)
from separatrix.errors import with_hint

_HEAD = 1 << 16  # bytes of the text that guesses are made from, or as many as some lines have
_FEW_LINES = 10  # whole lines that a guess needs at least
_BLOCK = 1 << 22  # bytes that pyarrow parses at a time, unless lines are long
_SHOWN = {"\t": "tab", " ": "space"}


def load_delimited(pa: Any, source: ByteSource, kind: str, settings: TableSettings) -> RawTable:
    """The table in a text."""
    text, sniffed = _utf8(source, settings)
    text, skipped = _without_remarks(text)
    head = _head(text)
    if not head.strip():
        raise DataError(f"{source.path} holds no rows.")
    delimiter = _delimiter(source.path, kind, head, settings, sniffed)
    quote = None if delimiter == "\t" and not quoted_with_tabs(head) else '"'
    sample = records(head, delimiter, quote)
    if not sample:
        raise DataError(f"{source.path} holds no rows.")
    check_size(source.path, 1, max(map(len, sample)))
    decimal = _decimal(source.path, delimiter, sample[1:] or sample, settings, sniffed)
    has_header = _header(sample, decimal, settings, sniffed)
    if delimiter == " ":
        text, delimiter = _tabs_for_blanks(text), "\t"
        quote = None
    names, body, header_lines = _names(text, sample, has_header, delimiter, quote)
    raw = RawTable(None, has_header, "line", decimal=decimal, sniffed=sniffed)
    ended = len(names) > 1 and all(not row[-1].strip() for row in sample) and len(sample) > 1
    unique, said = unique_names(names[:-1] if ended else names)
    raw.warnings += said if has_header else []
    if ended:
        raw.warnings.append("Every line ends with a delimiter; the empty last column is left out.")
    columns = unique + (["\0end"] if ended else [])
    raw.table = _parse(
        pa, source.path, body, columns, delimiter, quote, decimal, settings, skipped + header_lines
    )
    if ended:
        raw.table = raw.table.drop_columns(["\0end"])
    raw.first = skipped + header_lines + 1
    raw.numbers = _line_numbers(body, raw.table.num_rows, raw.first, quote, delimiter)
    raw.text = {
        "delimiter": sniffed_value(sniffed, "delimiter"),
        "decimal": decimal,
        "encoding": settings.text_encoding or settings.known("encoding"),
    }
    return raw


def _head(text: memoryview) -> str:
    """The first lines of a text, whole ones, and a few at least however long they are."""
    piece = bytes(text[:_HEAD])
    if piece.count(b"\n") < _FEW_LINES:
        piece = b"\n".join(bytes(text[: 1 << 24]).split(b"\n", _FEW_LINES)[:_FEW_LINES]) + b"\n"
    if len(piece) < len(text) and b"\n" in piece:
        piece = piece[: piece.rindex(b"\n") + 1]
    return piece.decode("utf-8", "replace")


def sniffed_value(sniffed: list[Setting], name: str) -> str | None:
    """The value of a setting by its name."""
    return next((WORDS.get(each.value, each.value) for each in sniffed if each.name == name), None)


def _utf8(source: ByteSource, settings: TableSettings) -> tuple[memoryview, list[Setting]]:
    """The text in UTF-8 without a byte order mark, and its encoding where that is worth saying."""
    if source.compression is None and source.size and Path(source.path).is_file():
        with Path(source.path).open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
        source.tell(len(data))
    else:
        data = memoryview(read_all(source.pieces(), source.path))
    given = settings.text_encoding or settings.known("encoding")
    found, guessed = (given, False) if given else text_encoding(data)
    sniffed = []
    if given or found != "utf-8":
        how = (
            "given"
            if settings.text_encoding
            else "as in the file that was learnt from"
            if given
            else "guessed"
        )
        sniffed.append(Setting("encoding", found, how if guessed or given else "by its first bytes"))
    try:
        if found.lower().replace("_", "-") in ("utf-8", "utf8", "ascii"):
            if given and text_encoding(data)[0] not in ("utf-8", "utf-8-sig"):
                bytes(data).decode("utf-8")  # fails, and says where
            data = data[3:] if bytes(data[:3]) == b"\xef\xbb\xbf" else data
        elif found == "utf-8-sig":
            data = data[3:]
            sniffed = []
        else:
            data = memoryview(bytes(data).decode(found).removeprefix("\ufeff").encode("utf-8"))
    except LookupError:
        raise with_hint(
            DataError,
            f"There is no text encoding {found!r}.",
            "utf-8, latin-1, cp1252 and utf-16 are the usual ones",
        ) from None
    except UnicodeDecodeError as error:
        raise with_hint(
            DataError,
            f"{source.path} is no {found} text: byte {error.start + 1:,} cannot be decoded.",
            "leave --encoding out to have it guessed, or give the right one",
        ) from None
    if b"\0" in bytes(data[:4096]):
        raise with_hint(
            DataError,
            f"{source.path} holds zero bytes: it is no text.",
            "give --format or --encoding if it is",
        )
    if b"\r" in bytes(data[:_HEAD]) and b"\n" not in bytes(data[:_HEAD]):
        data = memoryview(bytes(data).replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    return data, sniffed


def _without_remarks(text: memoryview) -> tuple[memoryview, int]:
    """The text after its first empty lines, remarks (#) and Excel's "sep=;", and how many lines those were."""
    start, lines = 0, 0
    while True:
        piece = bytes(text[start : start + (1 << 16)])
        line, end, _ = piece.partition(b"\n")
        bare = line.strip()
        if not end or (bare and not bare.startswith(b"#") and not re.fullmatch(rb'"?sep=.{0,2}"?', bare)):
            return text[start:], lines
        start, lines = start + len(line) + 1, lines + 1


def _delimiter(path: str, kind: str, head: str, settings: TableSettings, sniffed: list[Setting]) -> str:
    given, default = settings.delimiter, "\t" if kind == "tsv" else ","
    if given is not None:
        found: str | None = WORDS.get(given.lower(), given)
        if found is None or len(found) != 1 or found in '"\n\r' or not found.isascii():
            raise with_hint(
                DataError,
                f"A delimiter is one character; got {given!r}.",
                "--delimiter tab and space are words",
            )
        sniffed.append(Setting("delimiter", _SHOWN.get(found, found), "given"))
        return found
    known = settings.known("delimiter")
    first = head.partition("\n")[0]
    found = known if known is not None and known in first else delimiter_of(head, default)
    if found is None:
        # One column is a table only if nothing in it could be a delimiter.
        if not any(each in first for each in "\t;|,") or default in first:
            return default
        raise with_hint(
            DataError,
            f"{path}: it is not clear what separates its cells; no delimiter divides all lines into equally many.",
            "give --delimiter ';' (or another)",
        )
    if found != default:
        how = "guessed" if known is None else "as in the file that was learnt from"
        sniffed.append(Setting("delimiter", _SHOWN.get(found, found), how))
    return found


def _decimal(
    path: str, delimiter: str, rows: list[list[str]], settings: TableSettings, sniffed: list[Setting]
) -> str:
    given = settings.decimal
    if given is not None:
        if given not in (".", ",", "comma", "point"):
            raise with_hint(DataError, f"The decimal sign is . or a comma; got {given!r}.", "--decimal ,")
        found = {"comma": ",", "point": "."}.get(given, given)
        sniffed.append(Setting("decimal sign", found, "given"))
        return found
    known = settings.known("decimal")
    if known is not None:
        return str(known)
    guess = decimal_of([cell for row in rows for cell in row], delimiter)
    if guess is None:
        cell = next(
            cell for row in rows for cell in row if re.fullmatch(r"\s*[+-]?\d{1,3}(,\d{3})+\s*", cell)
        )
        raise with_hint(
            DataError,
            f"{path}: {cell.strip()!r} may mean {cell.strip().replace(',', '')} or {cell.strip().replace(',', '.')}.",
            "say --decimal , or --decimal . (in Python decimal=)",
        )
    if guess == ",":
        sniffed.append(Setting("decimal sign", ",", "guessed"))
    return guess


def _header(sample: list[list[str]], decimal: str, settings: TableSettings, sniffed: list[Setting]) -> bool:
    if settings.header is not None:
        return settings.header
    known = (settings.encoding or {}).get("named")
    if known is False:
        return False
    found = header_of(sample, decimal)
    if known is True and not found:
        # The columns of a model are known by name: a first line that has them is a header, however it looks.
        wanted = {record["name"] for record in (settings.encoding or {}).get("columns", ())}
        return bool(wanted) and wanted <= {cell.strip() for cell in sample[0]}
    if not found:
        sniffed.append(Setting("header", "none", "guessed"))
    return found


def _names(
    text: memoryview, sample: list[list[str]], has_header: bool, delimiter: str, quote: str | None
) -> tuple[list[str], memoryview, int]:
    """The names of the columns, the text below them, and the lines that they take."""
    width = len(sample[1]) if len(sample) > 1 else len(sample[0])
    if not has_header:
        return [f"column {at}" for at in range(len(sample[0]))], text, 0
    names = [cell.strip() for cell in sample[0]]
    if width == len(names) + 1:  # R's write.table
        names = ["row name", *names]
    stream = io.StringIO(bytes(text[: 1 << 24]).decode("utf-8", "replace"), newline="")
    reader = cut(stream, delimiter, quote)
    next(reader, None)
    lines = reader.line_num
    place = 0
    for _ in range(lines):
        line = bytes(text[place : place + (1 << 24)]).partition(b"\n")
        place += len(line[0]) + len(line[1])
    return names, text[place:], lines


def _tabs_for_blanks(text: memoryview) -> memoryview:
    """Blanks between cells as one tab; quotation marks around a cell are taken off."""
    whole = bytes(text)
    if b'"' in whole:
        out = io.StringIO()
        lines = (line.strip() + "\n" for line in whole.decode("utf-8", "replace").splitlines())
        for record in cut(lines, " ", '"'):
            out.write("\t".join(cell.replace("\t", " ") for cell in record) + "\n")
        return memoryview(out.getvalue().encode("utf-8"))
    lines_of = (b"\t".join(line.split()) for line in whole.split(b"\n"))
    return memoryview(b"\n".join(lines_of))


def _parse(
    pa: Any,
    path: str,
    body: memoryview,
    names: list[str],
    delimiter: str,
    quote: str | None,
    decimal: str,
    settings: TableSettings,
    before: int,
) -> Any:
    from pyarrow import csv as arrow_csv

    if not bytes(body[: 1 << 16]).strip():
        raise DataError(f"{path} holds no rows.")
    texts = _forced_texts(names, settings)
    block = max(_BLOCK, min(1 << 28, 1000 * (bytes(body[: 1 << 24]).find(b"\n") + 1)))
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(own_buffer(pa, body)),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=block),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, quote_char=quote or False, newlines_in_values=quote is not None
            ),
            convert_options=arrow_csv.ConvertOptions(
                null_values=list(NULLS),
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                decimal_point=decimal if decimal != delimiter else ".",
                column_types=dict.fromkeys(texts, pa.string()),
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError) as error:
        raise _uneven(path, body, len(names), delimiter, quote, before) or DataError(
            f"{path} cannot be read as a text table: {' '.join(str(error).split())[:300]}"
        ) from None


def _forced_texts(names: list[str], settings: TableSettings) -> list[str]:
    """Columns that are texts even where this file has only numbers in them."""
    wanted = {str(each) for each in settings.categorical or ()}
    wanted |= {part.strip() for each in wanted for part in each.split(",")}
    known = settings.encoding or {}
    texts = {name for at, name in enumerate(names) if name in wanted or str(at) in wanted}
    for record in known.get("columns", ()):
        if record["kind"] != "number":
            texts.add(record["name"] if known["named"] else f"column {record['position']}")
    label = known.get("label") or {}
    if label.get("type") == "text":
        texts.add(label["name"] if known["named"] else f"column {label['position']}")
    return [name for name in names if name in texts]


def _uneven(
    path: str, body: memoryview, width: int, delimiter: str, quote: str | None, before: int
) -> DataError | None:
    """The first line with another number of cells, as an error."""
    stream = io.TextIOWrapper(io.BytesIO(body), encoding="utf-8", errors="replace", newline="")
    reader = cut(stream, delimiter, quote)
    last = 0
    try:
        for record in reader:
            if record and len(record) != width:
                cells = f"{len(record)} cell{'' if len(record) == 1 else 's'}"
                return with_hint(
                    DataError,
                    f"{path}: line {before + last + 1:,} has {cells}; expected {width:,}: "
                    f"{delimiter.join(record)[:60]!r}.",
                    "mend the line; or say what separates the cells with --delimiter",
                )
            last = reader.line_num
    except csv.Error:
        return None
    return None


def _line_numbers(
    body: memoryview, rows: int, first: int, quote: str | None, delimiter: str
) -> NDArray[np.int64] | None:
    """The line on which each record begins; None where they follow each other from the first."""
    whole = np.frombuffer(body, dtype=np.uint8)
    ends = np.flatnonzero(whole == 10)
    lines = len(ends) + (len(whole) > 0 and (len(ends) == 0 or int(ends[-1]) != len(whole) - 1))
    if lines == rows:
        return None
    if quote is None or not np.any(whole == ord(quote)):
        starts = np.concatenate([[0], ends + 1])[:lines]
        lengths = np.append(ends, len(whole))[:lines] - starts
        blank = (lengths == 0) | ((lengths == 1) & (whole[np.minimum(starts, len(whole) - 1)] == 13))
        found = np.flatnonzero(~blank) + first
    else:
        stream = io.TextIOWrapper(io.BytesIO(body), encoding="utf-8", errors="replace", newline="")
        reader = cut(stream, delimiter, quote)
        places, last = [], 0
        for record in reader:
            if record:
                places.append(first + last)
            last = reader.line_num
        found = np.array(places)
    return found.astype(np.int64) if len(found) == rows else None
