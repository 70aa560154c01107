"""The part of the checker that a proof of the usual kinds rests on is short enough to be read in one sitting."""

import ast
import io
import tokenize
from pathlib import Path

import separatrix.checker

FOLDER = Path(separatrix.checker.__file__).parent
#: What decides every claim about hyperplanes, and what says in words what was decided.
KERNEL, WORDS = ("numbers.py", "data.py", "linear.py"), ("statement.py",)
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    """How many lines have code: not those that are blank, a comment, or part of a docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node):
            doc = node.body[0]
            lines.difference_update(range(doc.lineno, (doc.end_lineno or doc.lineno) + 1))
    return len(lines)


def test_lines_are_counted_as_code_is_read():
    head = '"""Doc\n\nstring."""\n\n# comment\nx = (\n    1,  # one\n\n    2,\n)\n\n\n'
    text = head + 'def f():\n    """Doc."""\n    return x\n'
    assert code_lines(text) == 6


def counted(names):
    return {name: code_lines((FOLDER / name).read_text(encoding="utf-8")) for name in names}


def test_the_kernel_of_trust_is_short(capsys):
    kernel, words = counted(KERNEL), counted(WORDS)
    everything = sum(counted(path.name for path in FOLDER.glob("*.py")).values())
    with capsys.disabled():
        print(
            f"\nkernel of trust: {sum(kernel.values())} lines of code {kernel}, its words: {sum(words.values())}, "
            f"all of the checker: {everything}"
        )
    assert sum(kernel.values()) <= 300, kernel
    assert sum(words.values()) <= 100, words


def test_the_kernel_of_trust_imports_only_itself_and_the_standard_library():
    for name in KERNEL + WORDS:
        for node in ast.walk(ast.parse((FOLDER / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("separatrix"):
                assert f"{str(node.module).removeprefix('separatrix.checker.')}.py" in KERNEL + WORDS
