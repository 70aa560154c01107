"""The parts of the checker in JavaScript: hashing, numbers, JSON, decimals, enclosures, files."""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from javascript_checker import canonical, evaluate, real


def test_sha256_of_fips_180():
    cases = ["", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "a" * 1000000]
    answers = evaluate(
        '["", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "a".repeat(1000000)]'
        ".map((t) => new all.Sha256().ascii(t).hex())",
        "sha256.js",
    )
    assert answers == [hashlib.sha256(case.encode()).hexdigest() for case in cases]
    assert answers[1] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_sha256_in_pieces():
    lengths = [1, 55, 56, 63, 64, 65, 119, 120, 128, 1000]
    answers = evaluate(
        f"{lengths}.map((n) => {{ const h = new all.Sha256(); "
        "for (let i = 0; i < n; i += 7) h.ascii('x'.repeat(Math.min(7, n - i))); return h.hex(); })",
        "sha256.js",
    )
    assert answers == [hashlib.sha256(b"x" * n).hexdigest() for n in lengths]


def test_reals():
    values = [0.0, 1.0, -1.5, 0.1, 5e-324, 2.0**-1022, 2.0**-1023, 1.7976931348623157e308, -2.5e-310, 3.0]
    texts = [real(v) for v in values]
    assert evaluate(f"{json.dumps(texts)}.map((t) => all.realOrNothing(t))", "numbers.js") == values
    assert (
        evaluate(
            f"{json.dumps(texts)}.map((t) => all.realText(all.realOrNothing(t)))", "numbers.js", "files.js"
        )
        == texts
    )
    wrong = [
        "0x1p+0",
        "0x1.0p+0",
        "0x1.0000000000000p0",
        "0x1.0000000000000p+00",
        "0x1.0000000000000p-0",
        "0x1.0000000000000p+01",
    ]
    wrong += [
        "0x0.0000000000000p+0",
        "0x0.0000000000000p-1022",
        "0x0.0000000000001p-1021",
        "0x1.0000000000000p+1024",
        "inf",
        "nan",
        "1.0",
        "",
    ]
    wrong += [
        "0X1.0000000000000p+0",
        "0x1.000000000000Ap+0",
        "+0x1.0000000000000p+0",
        "0x1.0000000000000p-1023",
        "0x2.0000000000000p+0",
    ]
    wrong += ["0x1.0000000000000p+0\n", " 0x1.0000000000000p+0", "0x0.0p-0", "-0x0.0p+0", 1, None]
    answers = evaluate(f"{json.dumps(wrong)}.map((t) => all.realOrNothing(t) === undefined)", "numbers.js")
    assert [text for text, refused in zip(wrong, answers, strict=True) if not refused] == []


def test_integers():
    good = ["0x0", "0x1", "-0x1", "0xff", "-0x" + "f" * 100, "0x1" + "0" * 65535]
    answers = evaluate(f"{json.dumps(good)}.map((t) => all.parseInteger(t, 'It').toString(16))", "numbers.js")
    assert answers == [t.replace("0x", "") for t in good]
    wrong = [
        "-0x0",
        "0x00",
        "0x01",
        "0X1",
        "0xF",
        "1",
        "+0x1",
        "",
        "0x",
        "0x1 ",
        "0x1\n",
        "0x1" + "0" * 65536,
        1,
        None,
    ]
    answers = evaluate(
        f"{json.dumps(wrong)}.map((t) => tried(() => all.parseInteger(t, 'It')))", "numbers.js"
    )
    assert [w for w, a in zip(wrong, answers, strict=True) if a != "refused"] == []


def test_exact_values():
    values = [1.0, 0.1, -3.75, 5e-324, 1e300, -(2.0**-1030) * 3, 123456789.0]
    answers = evaluate(
        f"{json.dumps([real(v) for v in values])}.map((t) => all.exact(all.realOrNothing(t)))", "numbers.js"
    )
    for value, answer in zip(values, answers, strict=True):
        assert Fraction(int(answer["m"])) * Fraction(2) ** answer["e"] == Fraction(value)


def test_json():
    good = [
        '{"a": [1, 0, 9007199254740991], "b": "x\\n\\u00e9\\ud83d\\ude00/\\/"}',
        " [] ",
        '{"__proto__": {"x": []}}',
        '"é😀"',
    ]
    answers = evaluate(
        json.dumps(good) + ".map((t) => { const out = []; "
        "all.writeCanonical(all.parse(t), (p) => out.push(p)); return out.join(''); })",
        "json.js",
    )
    assert answers == [canonical(json.loads(t)) for t in good]
    wrong = [
        "",
        "[1,]",
        "[,1]",
        "{,}",
        '{"a":1,}',
        '{"a":1 "b":2}',
        '{"a":1,"a":2}',
        "[01]",
        "[-1]",
        "[1.0]",
        "[1e2]",
        "[9007199254740992]",
    ]
    wrong += [
        "[99999999999999999]",
        "[1] 2",
        '["\\ud800"]',
        '["\\ude00\\ud83d"]',
        '["\\x"]',
        '["a\nb"]',
        '["\\u12"]',
        "[true]",
        "[null]",
        "[NaN]",
    ]
    wrong += [
        "[" * 9999 + "]" * 9999,
        '{"a":' * 9999,
        "\ufeff[]",
        "['a']",
        '["a]',
        "[1",
        '{"a"}',
        "{1:2}",
        "[1\u00a0]",
        '{"a":1,"\\u0061":2}',
    ]
    answers = evaluate(f"{json.dumps(wrong)}.map((t) => tried(() => all.parse(t)))", "json.js")
    assert [w[:20] for w, a in zip(wrong, answers, strict=True) if a != "refused"] == []


def test_canonical_strings():
    text = "".join(map(chr, range(0x100))) + "\u2028\uffff\U0001f600"
    assert evaluate(f"all.writeString({json.dumps(text)})", "json.js") == json.dumps(text)


def test_decimals_of_reals():
    cases = {
        0.0: "0",
        1.0: "1",
        0.5: "0.5",
        1500.0: "1500",
        0.00015: "0.00015",
        1.5e-5: "1.5e-5",
        1e16: "1e16",
        1e15: "1000000000000000",
    }
    cases |= {
        9999999999999998.0: "9999999999999998",
        1e23: "1e23",
        5e-324: "5e-324",
        -0.25: "-0.25",
        0.0001: "0.0001",
        1.25e300: "1.25e300",
    }
    answers = evaluate(
        f"{json.dumps([real(v) for v in cases])}.map((t) => all.printReal(all.realOrNothing(t)))",
        "numbers.js",
        "decimal.js",
    )
    assert answers == list(cases.values())


@pytest.mark.parametrize("digits", [3, 12])
def test_decimals_are_rounded_outward(digits):
    fractions = [
        Fraction(1, 3),
        Fraction(-1, 3),
        Fraction(2, 3),
        Fraction(999999999999999, 10**15),
        Fraction(10**16 - 1),
        Fraction(1, 7 * 10**30),
    ]
    fractions += [
        Fraction(12345678901234567890),
        Fraction(1, 2**1074),
        Fraction(2**1023),
        Fraction(0.1),
        Fraction(1, 2),
        Fraction(1500),
        Fraction(99995, 10**9),
    ]
    for up in (True, False):
        cases = json.dumps([[str(f.numerator), str(f.denominator)] for f in fractions])
        answers = evaluate(
            f"{cases}.map(([p, q]) => all.printRounded(BigInt(p), BigInt(q), {digits}, {json.dumps(up)}))",
            "decimal.js",
        )
        for value, text in zip(fractions, answers, strict=True):
            printed = Fraction(Decimal(text))
            assert (printed >= value) if up else (printed <= value), (value, text)
            assert abs(printed - value) <= abs(value) / 10 ** (digits - 1)
            assert ("e" in text) == (not Fraction(1, 10000) <= abs(printed) < 10**16), text
            assert "." not in text or not text.split("e")[0].endswith("0")


def test_enclosures():
    cases = [
        (1, 0),
        (1, -1074),
        (3, -2),
        (127, 0),
        (128, 0),
        (10**30, 0),
        (2**60 - 1, -60),
        (77, 0),
        (1, -50),
        (6243314768165359, -53),
        (1, -200),
    ]
    arguments = json.dumps([[str(m), e] for m, e in cases])
    answers = evaluate(
        f"{arguments}.map(([m, e]) => [all.expMinus(BigInt(m), e), all.tanh(BigInt(m), e), all.tanh(-BigInt(m), e)])",
        "enclosures.js",
    )
    with localcontext() as context:
        context.prec = 400
        for (m, e), (exp, tanh, minus) in zip(cases, answers, strict=True):
            x = Decimal(m) * Decimal(2) ** e
            small = (-2 * x).exp() if x < 1000 else Decimal(0)
            for (low, high), value in (
                (exp, (-x).exp() if x < 1000 else Decimal(0)),
                (tanh, (1 - small) / (1 + small)),
                (minus, (small - 1) / (1 + small)),
            ):
                assert int(low) <= value * 2**100 <= int(high), (m, e)
                assert int(high) - int(low) <= 2  # 1, but where the value is next to a multiple
    assert evaluate("[all.expMinus(0n, -5), all.tanh(0n, -5)]", "enclosures.js") == [
        [str(2**100)] * 2,
        ["0", "0"],
    ]


def test_semidefinite():
    cases = [
        [[1, 1], [1, 1]],
        [[1, 2], [2, 1]],
        [[0, 1], [1, 5]],
        [[0, 0, 0], [0, 2, 1], [0, 1, 1]],
        [[-1]],
        [[2, 2, 2], [2, 2, 2], [2, 2, 1]],
        [[0]],
    ]
    answers = evaluate(f"{cases}.map((a) => all.isSemidefinite(a.map((r) => r.map(BigInt))))", "kernels.js")
    assert answers == [True, False, False, True, False, False, True]


def test_numbers_in_files():
    tie = 1 + 2.0**-24
    cases = [
        "0.1",
        "1e-50",
        "+1",
        "-0",
        "16777216",
        f"{Decimal(tie)}",
        f"{Decimal(tie)}0001",
        "1.00000005960464477539062499999999",
        ".5",
        "5.",
        "1E2",
    ]
    cases += ["1e-46", "1.4e-45"]
    for kind in ("float64", "float32"):
        answers = evaluate(
            f"{json.dumps(cases)}.map((t) => all.realText(tried(() => all.parseNumber(t, '{kind}')) + 0))",
            "files.js",
        )
        for case, answer in zip(cases, answers, strict=True):
            assert Fraction(float.fromhex(answer)) == read_as(Fraction(Decimal(case)), kind), (case, kind)
    wrong = [
        "",
        "1_0",
        "0x1",
        "inf",
        "nan",
        "\uff11",
        "1e",
        "e1",
        ".",
        "--1",
        "1 ",
        " 1",
        "1,5",
        "9007199254740993",
        "1e309",
        "1" + "0" * 400,
    ]
    assert set(
        evaluate(f"{json.dumps(wrong)}.map((t) => tried(() => all.parseNumber(t, 'float64')))", "files.js")
    ) == {"refused"}
    assert (
        evaluate(
            "[tried(() => all.parseNumber('16777217', 'float32')), tried(() => all.parseNumber('3.5e38', 'float32'))]",
            "files.js",
        )
        == ["refused"] * 2
    )


def read_as(value, kind):
    """What stands for a decimal number in text: the nearest double, or the nearest single to that."""
    double = nearest(value, "float64")
    return double if kind == "float64" else nearest(double, kind)


def nearest(value, kind):
    """The nearest binary64 or binary32 number, ties to even."""
    bits, least = (53, -1074) if kind == "float64" else (24, -149)
    if value == 0:
        return value
    exponent = math.floor(math.log2(abs(value))) - bits
    while abs(value) >= Fraction(2) ** (exponent + bits):
        exponent += 1
    unit = Fraction(2) ** max(exponent, least)
    return round(value / unit) * unit


def test_csv_records():
    cases = {
        "a,b\r\n1,2\n": [["a", "b"], ["1", "2"]],
        '"a,""b""",c': [['a,"b"', "c"]],
        "a,\n,b\n\n": [["a", ""], ["", "b"]],
        "a,": [["a", ""]],
    }
    cases |= {'"a\nb",c\n': [["a\nb", "c"]], '""\n': [[""]]}
    answers = evaluate(f"{json.dumps(list(cases))}.map((t) => all.csvRecords(t, ','))", "files.js")
    assert answers == list(cases.values())
    wrong = ['a"b,c', '"a"b,c', '"a', "a\rb"]
    assert set(
        evaluate(f"{json.dumps(wrong)}.map((t) => tried(() => all.csvRecords(t, ',')))", "files.js")
    ) == {"refused"}


# ---- Certificates
