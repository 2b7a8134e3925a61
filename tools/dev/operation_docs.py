"""The parts of docs/ that are made from api/operations.toml and src/collectives/*/algorithms.toml."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

from dev.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path.insert(0, str(ROOT / "python"))

from leadline.libraries import LIBRARIES
from leadline.operations import Operation, operations

BEGIN = "<!-- Made from api/operations.toml and src/collectives by ./dev lint --fix. -->\n"
END = "<!-- The end of what is made. -->\n"
WIDTH = 120
FIGURES = ("rounds", "messages", "bytes")


def outdated(*, fix: bool) -> list[str]:
    """A line for each page whose part is not as the data have it; with `fix` it is written."""
    found = []
    for name, text in (("tune/collectives.md", portfolio()), ("tune/tuning.md", libraries())):
        page = ROOT / "docs" / name
        is_ = page.read_text()
        before, _, rest = is_.partition(BEGIN)
        should_be = before + BEGIN + text + END + rest.partition(END)[2]
        if is_ != should_be and fix:
            page.write_text(should_be)
        elif is_ != should_be:
            found.append(f"docs/{name} is not what api/operations.toml and src/collectives say: ./dev lint --fix")
    return found


def portfolio() -> str:
    """A section for each operation: its algorithms, and why they are there."""
    return "".join(_section(operation) for operation in operations().values()) + "\n"


def _section(operation: Operation) -> str:
    data = tomllib.loads((ROOT / "src" / "collectives" / operation.folder / "algorithms.toml").read_text())
    algorithms = {name: entry for name, entry in data.items() if isinstance(entry, dict)}
    figures = [figure for figure in FIGURES if any(figure in entry for entry in algorithms.values())]
    lines = ["", f"## {operation.folder.capitalize().replace('_', ' ')}"]
    lines += [*_wrapped(data["intro"]), ""] if "intro" in data else [""]
    head = ["name", "algorithm", *figures, "source"]
    lines += [_row(head), _row(["---"] * len(head)).replace(" ", "")]
    for name, entry in algorithms.items():
        lines.append(_row([_name(name, entry), entry["does"], *(entry.get(f, "") for f in figures), entry["source"]]))
    lines += ["", *_wrapped(data["notes"])] if "notes" in data else []
    lines += ["", "Why it is here:", ""]
    for name, entry in algorithms.items():
        lines += _wrapped(f"* `{name}`: {entry['why']}", "  ")
    return "\n".join(lines) + "\n"


def _name(name: str, entry: dict[str, Any]) -> str:
    parameters = [word for word in ("segment", "radix") if entry.get("segments" if word == "segment" else word)]
    shown = f"`{name}`" + (f" ({', '.join(parameters)})" if parameters else "")
    return f"{shown}, commutative" if entry.get("commutative") else shown


def libraries() -> str:
    """Each library's name or number of the algorithms that it has, too."""
    lines = ["", _row(["operation", "ours", *(library.title for library in LIBRARIES)])]
    lines.append("|---" * (2 + len(LIBRARIES)) + "|")
    for operation in operations().values():
        known = [library.algorithms[operation.name] for library in LIBRARIES]
        for name in dict.fromkeys(name for entries in known for name in entries):
            settings = [entries[name].setting if name in entries else "–" for entries in known]
            lines.append(_row([f"`{operation.name}`", f"`{name}`", *settings]))
    return "\n".join(lines) + "\n\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
