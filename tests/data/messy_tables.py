"""A corpus of messy tables, each with what must be said of it: label, kinds of columns, words, a refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Messy:
    """A file and what must be said of it.

    ``says`` are parts of the description; ``refused`` is a part of the refusal, ``hint`` of the way on that it names;
    ``first`` is the first row of X, ``kinds`` the kinds of some columns.
    """

    name: str
    file: str
    content: str | bytes
    options: dict[str, Any] = field(default_factory=dict)
    label: str | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    refused: str | None = None
    hint: str = ""
    first: list[float] | None = None
    y: list[Any] | None = None


def lines(header: str | None, count: int, row: Callable[[int], str]) -> str:
    """A text of so many rows."""
    body = "".join(f"{row(i)}\n" for i in range(count))
    return body if header is None else f"{header}\n{body}"


def one_dash(i: int) -> str:
    return f"{i * 1.5},{'-' if i == 41 else 20 + i},{i % 2}"


PEOPLE = "age,city,label\n31,Bern,yes\n52,Oslo,no\n47,Bern,no\n"
TITANIC = lines("class,sex,age,survived", 12, lambda i: f"{1 + i % 3},{'fm'[i % 2]},{20 + i},{i % 2}")

NUMBERS = [
    Messy("one dash among 80 numbers", "a.csv", lines("x,age,label", 80, one_dash),
          refused="line 43, column 'age' holds '-'",
          hint="--categorical age"),
    Messy("one dash, filled", "a.csv", lines("x,age,label", 80, one_dash), {"missing": "mean"},
          kinds={"age": "number"},
          says=("line 43, column 'age': '-'", "taken as missing", "filled with the mean"), first=[0.0, 20.0]),
    Messy("one dash, as names", "a.csv", lines("x,age,label", 80, one_dash), {"categorical": ["age"]},
          kinds={"age": "category"}),
    Messy("one word among numbers", "a.csv",
          lines("x,age,label", 80, lambda i: f"1,{'old' if i == 3 else i},{i % 2}"),
          refused="line 5, column 'age' holds 'old'", hint="--missing mean"),
    Messy("dollars", "a.csv", lines("price,label", 20, lambda i: f"${i}.50,{i % 2}"), kinds={"price": "number"},
          says=("$ taken off",), first=[0.5]),
    Messy("percent", "a.csv", lines("share,label", 20, lambda i: f"{i}%,{i % 2}"), kinds={"share": "number"},
          says=("% taken off",), first=[0.0]),
    Messy("percent mixed with shares", "a.csv",
          lines("share,label", 20, lambda i: f"{'0.12' if i == 7 else f'{i}%'},{i % 2}"),
          refused="line 9, column 'share' holds '0.12'", hint="--categorical share"),
    Messy("thousands in quotes", "a.csv", lines("pay,label", 20, lambda i: f'"{i + 1},234",{i % 2}'),
          kinds={"pay": "number"}, first=[1234.0]),
    Messy("two currencies", "a.csv", lines("pay,label", 20, lambda i: f"{'€5' if i == 2 else f'${i}'},{i % 2}"),
          refused="line 4, column 'pay' holds '€5'"),
    Messy("NA", "a.csv", lines("x,label", 20, lambda i: f"{'NA' if i == 5 else i},{i % 2}"),
          refused="line 7, column 'x' is missing (1 cell", hint="--drop x"),
    Messy("n/a filled", "a.csv", lines("x,label", 21, lambda i: f"{'n/a' if i == 10 else i},{i % 2}"),
          {"missing": "median"}, says=("x 1: filled with the median",), first=[0.0]),
    Messy("a point for nothing", "a.csv", lines("x,label", 20, lambda i: f"{'.' if i == 5 else i},{i % 2}"),
          {"missing": "zero"}, kinds={"x": "number"}, says=("line 7, column 'x': '.'", "filled with zero")),
    Messy("inf", "a.csv", lines("x,label", 20, lambda i: f"{'inf' if i == 5 else i},{i % 2}"),
          refused="line 7, column 'x' holds 'inf', which is no finite number"),
    Messy("inf filled", "a.csv", lines("x,label", 20, lambda i: f"{'-inf' if i == 5 else i + 0.5},{i % 2}"),
          {"missing": "mean"}, says=("'-inf' (not finite)", "taken as missing")),
    Messy("infinity in words", "a.csv", lines("x,label", 20, lambda i: f"{'Infinity' if i == 5 else i},{i % 2}"),
          {"missing": "mean"}, kinds={"x": "number"}, says=("line 7, column 'x': 'inf' (not finite)",)),
    Messy("Excel's error texts", "a.csv", lines("x,label", 20, lambda i: f"{'#DIV/0!' if i == 5 else i},{i % 2}"),
          {"missing": "mean"}, kinds={"x": "number"}, says=("'#DIV/0!'",)),
    Messy("half numbers, half words", "a.csv",
          lines("grade,label", 24, lambda i: f"{i % 3 + 1 if i % 8 < 5 else 'KL'[i % 2]},{i % 2}"),
          kinds={"grade": "category"}, says=("62 % of its cells are numbers",)),
    Messy("decimal comma in quotes", "a.csv", lines("x,label", 20, lambda i: f'"{i},5",{i % 2}'), first=[0.5],
          says=("decimal sign , (guessed)",)),
    Messy("both decimal signs", "a.csv", lines("x;z;label", 20, lambda i: f"{i}.5;{i},25;{i % 2}"),
          refused="column 'z' holds '0,25'", hint="--decimal ','"),
    Messy("an integer that would be rounded", "a.csv", "a,label\n9007199254740993,1\n2,0\n",
          refused="holds 9007199254740993 in line 2", hint="--drop a"),
    Messy("keys of twenty digits", "a.csv", lines("key,x,label", 9, lambda i: f"{10**19 + i % 4},{i},{i % 2}"),
          says=("whole numbers of more than 15 digits",)),
    Messy("unicode minus", "a.csv", lines("x,label", 20, lambda i: f"\N{MINUS SIGN}{i},{i % 2}"),
          kinds={"x": "number"},
          first=[0.0]),
]  # fmt: skip

COLUMNS = [
    Messy("an identifier of texts", "a.csv", lines("code,x,label", 80, lambda i: f"k{i},{i % 7},{i % 2}"),
          kinds={"code": "identifier", "x": "number"}, says=("left out as an identifier", "80 different texts"),
          first=[0.0]),
    Messy("an identifier of numbers", "a.csv", lines("PassengerId,x,label", 30, lambda i: f"{i + 1},{i % 7},{i % 2}"),
          kinds={"PassengerId": "identifier"}, first=[0.0]),
    Messy("numbers that may name the rows", "a.csv",
          lines(None, 60, lambda i: f"{842302 + i * 37},{i % 7},{'MB'[i % 2]}"),
          kinds={"column 0": "number"}, says=("has another whole number in every row",)),
    Messy("pandas' index", "a.csv", lines(",x,label", 30, lambda i: f"{i},{i % 7},{i % 2}"),
          kinds={"column 0": "identifier"},
          says=("Columns without a name are called by their number from 0: column 0",), first=[0.0]),
    Messy("a counter with a name", "a.csv", lines("t,x,label", 30, lambda i: f"{i},{i % 7},{i % 2}"),
          kinds={"t": "number"}, says=("'t' counts the rows",), first=[0.0, 0.0]),
    Messy("texts that all differ, mostly missing", "a.csv",
          lines("cabin,x,label", 100, lambda i: f"{'' if i % 4 else f'C{i}'},{i % 7},{i % 2}"), {"missing": "mean"},
          kinds={"cabin": "identifier"}, says=("25 different texts in 25 rows",)),
    Messy("an identifier that is asked for", "a.csv", lines("code,x,label", 80, lambda i: f"k{i},{i % 7},{i % 2}"),
          {"columns": ["code", "x"]}, refused="column 'code' cannot be used: 80 different texts",
          hint="--categorical code"),
    Messy("ISO dates", "a.csv", lines("when,x,label", 20, lambda i: f"2026-01-{i + 1:02d},{i % 7},{i % 2}"),
          kinds={"when": "date"}, says=("left out as a date", "--drop when"), first=[0.0]),
    Messy("American dates", "a.csv", lines("when,x,label", 20, lambda i: f"1/{i + 1}/2026,{i % 7},{i % 2}"),
          kinds={"when": "date"}, first=[0.0]),
    Messy("German dates", "a.csv", lines("when,x,label", 20, lambda i: f"{i + 1}.1.2026,{i % 7},{i % 2}"),
          kinds={"when": "date"}),
    Messy("dates in words", "a.csv", lines("when,x,label", 20, lambda i: f"{i + 1} Jan 2026,{i % 7},{i % 2}"),
          kinds={"when": "date"}),
    Messy("times of the day", "a.csv", lines("at,x,label", 20, lambda i: f"{i}:30,{i % 7},{i % 2}"),
          kinds={"at": "date"}),
    Messy("dates as numbers", "a.csv", lines("when,label", 20, lambda i: f"202601{i + 1:02d},{i % 2}"),
          kinds={"when": "number"}, says=("looks like dates written as numbers",)),
    Messy("a date that is dropped", "a.csv",
          lines("when,x,label", 20, lambda i: f"2026-01-{i + 1:02d},{i % 7},{i % 2}"),
          {"drop": ["when"]}, kinds={"when": "left out"}, first=[0.0]),
    Messy("nothing but dates", "a.csv", lines("when,label", 20, lambda i: f"2026-01-{i + 1:02d},{i % 2}"),
          refused="no column left to learn from; there was 'when' (date", hint="--categorical"),
    Messy("a constant", "a.csv", lines("x,one,label", 20, lambda i: f"{i},1,{i % 2}"), kinds={"one": "constant"},
          says=("always 1",)),
    Messy("an empty column", "a.csv", lines("x,nothing,label", 20, lambda i: f"{i},,{i % 2}"),
          kinds={"nothing": "left out"},
          says=("'nothing' is left out: every cell is missing",), first=[0.0]),
    Messy("a delimiter at the end of each line", "a.csv", lines("x,z,label,", 20, lambda i: f"{i},{i % 3},{i % 2},"),
          label="label", says=("ends with a delimiter",), first=[0.0, 0.0]),
    Messy("two columns of one name", "a.csv", lines("x,x,label", 20, lambda i: f"{i % 3},{i % 4},{i % 2}"),
          says=("Several columns have the same name (x)",), kinds={"x.1": "number"}),
    Messy("capitals and blanks", "a.csv",
          lines("city,label", 30, lambda i: f"{['Bern', 'bern', 'Oslo'][i % 3]},{i % 2}"),
          says=("'Bern' and 'bern' differ in capitals",)),
    Messy("free text", "a.csv", lines("note,label", 40, lambda i: f"the patient number{i} felt quite well,{i % 2}"),
          kinds={"note": "text"}, says=("different words",)),
    Messy("many categories", "a.csv", lines("zip,label", 300, lambda i: f"z{i % 100},{i % 2}"),
          kinds={"zip": "category"}, says=("becomes 100 columns",)),
    Messy("codes that are names", "a.csv", lines("zip,label", 30, lambda i: f"0{i % 3}001,{i % 2}"),
          {"categorical": ["zip"]},
          kinds={"zip": "category"}, says=("00001",), first=[1.0, 0.0, 0.0]),
    Messy("true and false", "a.csv", lines("ill,x,label", 20, lambda i: f"{['true', 'false'][i % 2]},{i},{i % 2}"),
          kinds={"ill": "number"}, first=[1.0, 0.0]),
]  # fmt: skip

LABELS = [
    Messy("a header with class and survived", "a.csv", TITANIC, refused="'class' or 'survived' may be the label",
          hint="--label survived"),
    Messy("the same, asked for", "a.csv", TITANIC, {"label": "survived"}, label="survived",
          says=("it was asked for",)),
    Messy("class first, a quantity last", "a.csv", lines("class,a,b", 30, lambda i: f"{1 + i % 3},{i},{i * 0.37}"),
          label="class", says=("the last column cannot be it",)),
    Messy("label first", "a.csv", lines("label,p0,p1", 30, lambda i: f"{i % 3},{i},{i % 2}"), label="label",
          says=("its name says so",)),
    Messy("label and target", "a.csv", lines("label,x,target", 30, lambda i: f"{i % 3},{i},{i % 2}"),
          refused="'label' or 'target' may be the label"),
    Messy("survived in the middle", "a.csv",
          lines("id,survived,x,port", 30, lambda i: f"{i},{i % 2},{i},{'SQ'[i // 15]}"),
          refused="'port' or 'survived' may be the label", hint="--label survived"),
    Messy("the last column", "a.csv", PEOPLE.replace("label", "ill"), label="ill", says=("it is the last column",)),
    Messy("a quantity of 49 values", "a.csv", lines("x,hours", 500, lambda i: f"{i % 9},{i % 49}"),
          refused="it holds 49 different numbers in 500 rows, as a quantity does", hint="--categorical hours"),
    Messy("a quantity that is asked for", "a.csv", lines("x,pay", 300, lambda i: f"{i % 9},{i * 1.5}"),
          {"label": "pay"},
          refused="300 different numbers in 300 rows"),
    Messy("a quantity as classes, knowingly", "a.csv", lines("x,hours", 500, lambda i: f"{i % 9},{i % 49}"),
          {"categorical": ["hours"]}, label="hours", says=("49 classes",)),
    Messy("an identifier as the label", "a.csv", lines("x,code", 300, lambda i: f"{i % 9 * 1.5},k{i}"),
          {"label": "code"}, refused="300 different texts in 300 rows, as an identifier"),
    Messy("messages after their class", "a.tsv",
          lines(None, 60, lambda i: f"{'spam' if i % 3 else 'ham'}\tmessage number{i} for you"), label="column 0",
          says=("no other column could be it", "header none (guessed)")),
    Messy("a date last", "a.csv", lines("x,kind,when", 20, lambda i: f"{i},{i % 2},2026-01-{i + 1:02d}"),
          refused="does not look like the label: it holds dates", hint="--label"),
    Messy("one class", "a.csv", lines("x,kind", 20, lambda i: f"{i},a"), says=("has one value only, 'a'",)),
    Messy("a label with a dash among numbers", "a.csv",
          lines("x,label", 40, lambda i: f"{i},{'-' if i == 3 else i % 2}"),
          refused="its cells are numbers but for '-'", hint="--categorical label"),
    Messy("plus and minus", "a.csv", lines("x,label", 20, lambda i: f"{i},{'+-'[i % 2]}"), y=["+", "-", "+"]),
    Messy("a missing label", "a.csv", "x,label\n1,a\n2,\n3,b\n", refused="line 3 has none (1 are missing)",
          hint="rows"),
    Messy("no such column", "a.csv", PEOPLE, {"label": "Label"}, refused="has no column 'Label'",
          hint="did you mean 'label'"),
]  # fmt: skip
