"""The corpus of messy files: delimiters, encodings, headers, and formats; see `messy_tables`."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from typing import Any

import numpy as np
import openpyxl
from messy_tables import PEOPLE, Messy, lines


def sheets(**tables: list[list[Any]]) -> bytes:
    """An Excel file of these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in tables.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def zipped(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(name, PEOPLE)
    return out.getvalue()


def saved(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


GERMAN = "alter;größe;label\n31;1,78;ja\n52;1,65;nein\n47;1,90;nein\n"
PEOPLE_ROWS = [row.split(",") for row in PEOPLE.splitlines()]
ARFF = """% a remark
@relation people
@attribute age numeric
@attribute 'home town' {Bern, Oslo}
@attribute label {yes, no}
@data
31, Bern, yes
52, Oslo, no
{0 47, 2 no}
"""

TEXTS = [
    Messy("semicolons", "a.csv", PEOPLE.replace(",", ";"), says=("delimiter ; (guessed)",), first=[31.0, 1.0, 0.0]),
    Messy("bars", "a.csv", PEOPLE.replace(",", "|"), says=("delimiter | (guessed)",), first=[31.0, 1.0, 0.0]),
    Messy("blanks", "a.txt", lines(None, 9, lambda i: f"  {i}   {i * 2}  {i % 2} "),
          says=("delimiter space (guessed)",),
          first=[0.0, 0.0]),
    Messy("tabs in a .csv", "a.csv", PEOPLE.replace(",", "\t"), says=("delimiter tab (guessed)",),
          first=[31.0, 1.0, 0.0]),
    Messy("a delimiter that is given", "a.csv", PEOPLE.replace(",", "~"), {"delimiter": "~"},
          says=("delimiter ~ (given)",),
          first=[31.0, 1.0, 0.0]),
    Messy("decimal commas", "a.csv", GERMAN, says=("decimal sign , (guessed)",), first=[31.0, 1.78]),
    Messy("thousands or decimals", "a.csv", lines("x;label", 9, lambda i: f"{i + 1},234;{i % 2}"),
          refused="'1,234' may mean 1234 or 1.234", hint="--decimal"),
    Messy("thousands, as is said", "a.csv", lines("x;label", 9, lambda i: f"{i + 1},234;{i % 2}"), {"decimal": "."},
          says=("decimal sign . (given)",), first=[1234.0]),
    Messy("points for thousands", "a.csv", lines("x;label", 9, lambda i: f"{i + 1}.234,50;{i % 2}"), first=[1234.5]),
    Messy("Latin-1", "a.csv", GERMAN.encode("latin-1"), says=("encoding latin-1 (guessed)",),
          kinds={"größe": "number"}),
    Messy("Windows", "a.csv", "x,label\n1,“a”\n2,“b”\n".encode("cp1252"), says=("encoding cp1252 (guessed)",)),
    Messy("UTF-16", "a.csv", PEOPLE.encode("utf-16"), says=("encoding utf-16 (by its first bytes)",),
          first=[31.0, 1.0, 0.0]),
    Messy("UTF-16 without a mark", "a.csv", PEOPLE.encode("utf-16-le"), says=("encoding utf-16-le (guessed)",)),
    Messy("a byte order mark", "a.csv", b"\xef\xbb\xbf" + PEOPLE.encode(), kinds={"age": "number"},
          first=[31.0, 1.0, 0.0]),
    Messy("the wrong encoding", "a.csv", GERMAN.encode("latin-1"), {"text_encoding": "utf-8"},
          refused="is no utf-8 text"),
    Messy("no such encoding", "a.csv", PEOPLE, {"text_encoding": "klingon"}, refused="no text encoding 'klingon'"),
    Messy("old line ends", "a.csv", PEOPLE.replace("\n", "\r"), first=[31.0, 1.0, 0.0]),
    Messy("Windows line ends", "a.csv", PEOPLE.replace("\n", "\r\n"), y=["yes", "no", "no"]),
    Messy("remarks first", "a.csv", "# made by hand\n\n" + PEOPLE, first=[31.0, 1.0, 0.0]),
    Messy("Excel's sep=", "a.csv", "sep=;\n" + PEOPLE.replace(",", ";"), first=[31.0, 1.0, 0.0]),
    Messy("a line too short", "a.csv", PEOPLE + "12,Rome\n", refused="line 5 has 2 cells; expected 3: '12,Rome'"),
    Messy("empty lines", "a.csv", "x,z,label\n1,2,a\n\n2,,b\n", refused="line 4, column 'z' is missing"),
    Messy("lines within quotes", "a.csv", 'x,z,label\n1,"two\nlines",a\n2,,b\n',
          refused="line 4, column 'z' is missing"),
    Messy("R's write.table", "a.txt", lines('"x" "label"', 12, lambda i: f'"{i + 1}" {i % 3} "{"ab"[i % 2]}"'),
          label="label", kinds={"row name": "identifier"}, first=[0.0]),
    Messy("no header", "a.csv", lines(None, 9, lambda i: f"{i},{i % 2}"), says=("header none (guessed)",),
          first=[0.0]),
    Messy("numbers for names", "a.csv", lines("0,1,label", 9, lambda i: f"{i},{i},{i % 2}"), label="label"),
    Messy("no numbers at all", "a.csv",
          lines("size,shape,kind", 12, lambda i: f"{'sml'[i % 3]},{'or'[i % 2]},{'ep'[i % 2]}"),
          label="kind", kinds={"size": "category"}),
    Messy("nothing", "a.csv", "", refused="holds no rows"),
    Messy("a header alone", "a.csv", "x,label\n", refused="holds no rows"),
]  # fmt: skip

FORMATS = [
    Messy("JSON lines", "a.jsonl",
          "\n".join(json.dumps(dict(zip(PEOPLE_ROWS[0], [int(row[0]), *row[1:]], strict=True)))
                                            for row in PEOPLE_ROWS[1:]), label="label", first=[31.0, 1.0, 0.0]),
    Messy("an array of JSON objects", "a.json", json.dumps([{"x": i, "label": i % 2} for i in range(9)]),
          first=[0.0]),
    Messy("JSON with a list", "a.jsonl", '{"x": 1, "label": 0}\n{"x": [1, 2], "label": 1}\n',
          refused="line 2, 'x' holds a list"),
    Messy("broken JSON", "a.jsonl", '{"x": 1, "label": 0}\n{"x": \n', refused="line 2 is not JSON"),
    Messy("JSON with a missing key", "a.jsonl", '{"x": 1, "z": 2, "label": 0}\n{"x": 1, "label": 1}\n',
          refused="line 2, column 'z' is missing"),
    Messy("Excel", "a.xlsx",
          sheets(people=[["age", "city", "label"], [31, "Bern", "yes"], [52, "Oslo", "no"], [4, None, "no"]]),
          refused="row 4, column 'city' is missing"),
    Messy("Excel, filled", "a.xlsx", sheets(people=[["age", "label"], [31, 1], [52, 0], [None, 0]]),
          {"missing": "zero"},
          says=("sheet people (the only one with cells)",), first=[31.0], y=[1, 0, 0]),
    Messy("two sheets", "a.xlsx", sheets(one=[["x", "label"], [1, 0]], two=[["x", "label"], [1, 0]]),
          refused="2 sheets with cells: 'one', 'two'", hint="--sheet"),
    Messy("a sheet that is named", "a.xlsx",
          sheets(one=[["x", "label"], [1, 0]], two=[["x", "label"], [5, 0], [6, 1]]),
          {"sheet": "two"}, first=[5.0], says=("sheet two (given)",)),
    Messy("ARFF", "a.arff", ARFF, label="label", kinds={"home town": "category"}, first=[31.0, 1.0, 0.0]),
    Messy("ARFF cut short", "a.arff", ARFF + "31, Bern\n", refused="line 10 does not hold 3 cells"),
    Messy("ARFF without data", "a.arff", "@relation a\n@attribute x numeric\n", refused="has no line @data"),
    Messy("a pickle", "a.csv", pickle.dumps([1, 2]), refused="is a pickle", hint="can run any program"),
    Messy("a pickle by name", "a.pkl", b"cos\nsystem\n", refused="is a pickle"),
    Messy("Stata", "a.dta", b"<stata_dta><header>", refused="is a Stata file", hint="read_stata"),
    Messy("SPSS", "a.sav", b"$FL2@(#) IBM", refused="is an SPSS file"),
    Messy("R", "a.rds", b"X\n\0\0\0\3", refused="is an R data file", hint="write.csv"),
    Messy("an archive", "a.zip", zipped("a.csv"), refused="is an archive", hint="unpack"),
    Messy("a web page", "a.csv", "<!DOCTYPE html><html><body>not found</body></html>", refused="is a web page"),
    Messy("a database", "a.db", b"SQLite format 3\0", refused="is a database"),
    Messy("an HDF5 file", "a.h5", b"\x89HDF\r\n\x1a\n", refused="is an HDF5 file"),
    Messy("a damaged Excel file", "a.xlsx", zipped("xl/workbook.xml")[:80],
          refused="cannot be read as an Excel file"),
    Messy("zero bytes", "a.csv", b"a,b\n1,\0\0\0\n", refused="holds zero bytes"),
]  # fmt: skip
