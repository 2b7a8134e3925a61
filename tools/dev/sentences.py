"""./dev sentences: every sentence that Leadline can print, file by file, for somebody to read aloud.

It reads sources and runs nothing, so it cannot see
- what a sentence looks like when its parts are put together: `{name}` stands for a value, and {a | b} for a choice;
- text of one word, which is as often a key or an option as a title;
- words that come from elsewhere: the measured program, the operating system, click's own messages.
It also lists a few strings that no user reads, because a string does not say where it goes.
`--comments` lists comments and docstrings instead.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dev.native_text import native_text
from dev.paths import ROOT

PRINTS = ("python/leadline", "src", "parts", "workloads", "api")
NATIVE = {".cpp", ".hpp", ".c", ".h", ".js", ".f90"}
IN_TABLES = re.compile(r'^\s*(?:title|name|meaning|what|help|hint|text)\s*=\s*"([^"]*)"', re.MULTILINE)
PHRASE = re.compile(r"[A-Za-z}][\w'’,.;:)}-]*\s+[\w'({-]*[A-Za-z{]")
NOT_A_PHRASE = re.compile(r"^[\s\w]*[=<>&|]{2}|^#include|\\[dwsb(]|^<[a-z]|^[-\w.]+ \{\w*\}$|^[MCD] ")


class Text(NamedTuple):
    line: int
    text: str
    comment: bool


def sentences(arguments: list[str]) -> int:
    """Print the list. Words that do not begin with `-` restrict it to the files whose path contains one of them."""
    comments = "--comments" in arguments
    parts = [word for word in arguments if not word.startswith("-")]
    unknown = [word for word in arguments if word.startswith("-") and word != "--comments"]
    if unknown:
        print(f"dev: sentences has no option {unknown[0]}", file=sys.stderr)
        return 2
    count = 0
    for path in sources():
        name = str(path.relative_to(ROOT))
        found = [t for t in texts(path) if t.comment == comments and (comments or reads_as_words(t.text))]
        if not found or (parts and not any(part in name for part in parts)):
            continue
        print(f"\n{name}")
        for text in found:
            print(f"  {text.line:4}  {' '.join(text.text.split())}")
        count += len(found)
    print(f"\n{count} {'comments' if comments else 'sentences and phrases'}")
    return 0


def sources() -> list[Path]:
    found = [path for top in PRINTS for path in sorted((ROOT / top).rglob("*")) if path.is_file()]
    return [p for p in found if p.suffix in {*NATIVE, ".py", ".toml"} and "from_npm" not in p.parts]


def reads_as_words(text: str) -> bool:
    return bool(PHRASE.search(text)) and not NOT_A_PHRASE.search(text)


def texts(path: Path) -> list[Text]:
    """The strings and the comments of a file, in order."""
    source = path.read_text()
    if path.suffix == ".py":
        return sorted([*_python_strings(ast.parse(source)), *_python_comments(source)])
    if path.suffix == ".toml":
        lines = ((source.count("\n", 0, match.start()) + 1, match[1]) for match in IN_TABLES.finditer(source))
        return [Text(line, text, comment=False) for line, text in lines]
    return [Text(*found) for found in native_text(source, path.suffix)]


def _python_strings(tree: ast.Module) -> Iterator[Text]:
    docstrings = dict(_docstrings(tree))
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if node in inside or not isinstance(node, ast.JoinedStr | ast.Constant):
            continue
        if isinstance(node, ast.JoinedStr):
            inside.update(ast.walk(node))
            yield Text(node.lineno, written(node), comment=False)
        elif isinstance(node.value, str):
            yield Text(node.lineno, node.value, comment=not docstrings.get(node, True))


def _docstrings(tree: ast.Module) -> Iterator[tuple[ast.Constant, bool]]:
    """Each docstring, and whether it is printed: that of a click command is its help."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            decorators = [] if isinstance(node, ast.Module) else map(ast.unparse, node.decorator_list)
            yield first.value, any(".command(" in name or ".group(" in name for name in decorators)


def written(node: ast.AST) -> str:
    """An expression as the list shows it: text as it is, a choice of texts as {a | b}, anything else as {code}."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(map(written, node.values))
    value = node.value if isinstance(node, ast.FormattedValue) else node
    if isinstance(value, ast.IfExp):
        return "{" + " | ".join(written(each).strip("{}") for each in (value.body, value.orelse)) + "}"
    return "{" + ast.unparse(value) + "}"


def _python_comments(source: str) -> Iterable[Text]:
    block: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("# ")
        follows = bool(block) and line == block[-1][0] + 1 and not token.line[: token.start[1]].strip()
        if block and not follows:
            yield Text(block[0][0], " ".join(part for _, part in block), comment=True)
            block = []
        block.append((line, text))
    if block:
        yield Text(block[0][0], " ".join(part for _, part in block), comment=True)
