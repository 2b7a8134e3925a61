"""Checks the arrows of the layout: which folder may include which. Circles: circles.py; Python: packages.py.

trace <- recording <- recorder     host <- recorder     host, collectives <- shim
trace <- structure <- calls <- analysis <- replay <- bindings <- python   recording, replay <- interchange <- bindings
The recorder takes what writes; trace/reading and recording/reading are for what comes after it.
What differs between MPI libraries, or between launchers, stands in a file for each, behind a protocol: elsewhere in
Python nothing is compared with the name of one, and no table has their names as keys.
Above src/structure the calls of a thread are walked by src/calls alone.
mpi.h only in workloads, tests, bench and parts; nanobind only in bindings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from dev import circles, packages
from dev.paths import ROOT

# The siblings that each folder of src/ may include; "leadline/" is generated code.
ALLOWED: dict[str, set[str]] = {
    "code": {"code"},
    "trace": {"trace", "leadline"},
    "recording": {"recording", "trace", "code", "leadline"},
    "host": {"host", "leadline"},
    "recorder": {"recorder", "recording", "host", "trace", "code", "leadline"},
    "structure": {"structure", "trace", "leadline"},
    "calls": {"calls", "structure", "trace", "leadline"},
    "analysis": {"analysis", "calls", "structure", "trace", "leadline"},
    "interchange": {"interchange", "replay", "recording", "analysis", "calls", "structure", "trace", "leadline"},
    "replay": {"replay", "analysis", "calls", "structure", "trace", "collectives", "network", "leadline"},
    "network": {"network"},
    "collectives": {"collectives", "network", "leadline"},
    "shim": {"shim", "host", "collectives", "leadline"},
    "bench": {"bench", "collectives", "network", "leadline"},
    "probe": {"probe", "host", "collectives", "network", "leadline"},
    "exec": {"exec", "host", "leadline"},
    "bindings": {
        "bindings",
        "replay",
        "interchange",
        "analysis",
        "calls",
        "structure",
        "recording/reading",
        "trace",
        "collectives",
        "network",
        "leadline",
    },
}
MPI_HEADER_ALLOWED = {"bench"}
# What the Python of parts/ may import. Their C includes its own headers only: users compile it with their programs.
PARTS_MAY_IMPORT = {"errors", "shared_object"}
READING = re.compile(r"^(trace|recording)/reading/")
READERS = {"structure", "calls", "analysis", "interchange", "replay", "bindings"}
WALKS = re.compile(r"\btrace::(?:Walker|SeriesWalk)\b")
MAY_WALK = {"trace", "recording", "structure", "calls"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
IMPORT = re.compile(r"^\s*(?:from|import)\s+(leadline(?:\.\w+)*)(?:\s+import\s+\(?([\w, ]+))?", re.MULTILINE)

# Code about one library or launcher by name belongs in these.
NAMED = ("python/leadline/libraries", "python/leadline/launchers")


def violations() -> list[str]:
    """One line for each include or import against an arrow or in a circle, and for each comparison with a library's
    name."""
    return [
        *_native_violations(),
        *_parts_violations(),
        *circles.violations(),
        *packages.violations(),
        *_name_violations(),
    ]


def _native_violations() -> Iterator[str]:
    source = ROOT / "src"
    siblings = {folder.name for folder in source.iterdir() if folder.is_dir()} if source.exists() else set()
    for folder in sorted(siblings):
        allowed = ALLOWED.get(folder)
        if allowed is None:
            yield f"src/{folder}: not in the layout (tools/dev/layers.py)"
            continue
        for path in sorted((source / folder).rglob("*")):
            if path.suffix in {".cpp", ".hpp", ".h", ".c", ".inc"}:
                yield from _of_file(path, folder, allowed, siblings)


def _of_file(path: Path, folder: str, allowed: set[str], siblings: set[str]) -> Iterator[str]:
    name = path.relative_to(ROOT)
    text = path.read_text(errors="replace")
    if folder not in MAY_WALK and WALKS.search(text):
        yield f"{name}: walks the calls of a thread; src/calls does that for all"
    for _, header in INCLUDE.findall(text):
        top = header.split("/")[0]
        if header == "mpi.h" and folder not in MPI_HEADER_ALLOWED:
            yield f"{name}: includes mpi.h; the families are data here"
        if top == "nanobind" and folder != "bindings":
            yield f"{name}: includes {header}; nanobind belongs in src/bindings"
        reads = folder in READERS or "/reading/" in name.as_posix()
        if READING.match(header) and not reads:
            yield f"{name}: includes {header}; what records doesn't read"
        parts = {top, header, header.rpartition("/")[0]}
        if "/" in header and top in siblings | {"leadline"} and not parts & allowed:
            yield f"{name}: includes {header}; src/{folder} may use {', '.join(sorted(allowed))}"


def _parts_violations() -> Iterator[str]:
    for folder in sorted((ROOT / "parts").iterdir()):
        for path in sorted(folder.glob("*.[ch]")):
            for quote, header in INCLUDE.findall(path.read_text()):
                if quote == '"' and not (folder / header).is_file():
                    yield f"{path.relative_to(ROOT)}: includes {header}; a part uses headers of its own folder"
        for path in sorted(folder.glob("*.py")):
            for module, names in IMPORT.findall(path.read_text()):
                words = module.split(".")
                imported = {words[1]} if len(words) > 1 else {name.strip() for name in names.split(",")}
                for bad in sorted(imported - PARTS_MAY_IMPORT - {folder.name}):
                    yield f"{path.relative_to(ROOT)}: a part may not import leadline.{bad}"


def _name_violations() -> Iterator[str]:
    names = {str(value) for folder in NAMED for file in (ROOT / folder).glob("*.py") for value in _titles(file)}
    for top in ("python", "tools", "benchmarks"):
        for path in sorted((ROOT / top).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(NAMED):
                for line, found in names_compared(path.read_text(), names):
                    yield f"{name}, line {line}: decides by the name {found!r}; that belongs in {' or '.join(NAMED)}"


def _titles(file: Path) -> Iterator[str]:
    """The name and the title that the classes of a library's or launcher's file have."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ClassDef):
            for fact in node.body:
                if isinstance(fact, ast.Assign) and isinstance(fact.value, ast.Constant):
                    targets = {target.id for target in fact.targets if isinstance(target, ast.Name)}
                    if targets & {"name", "title"}:
                        yield str(fact.value.value)


def names_compared(text: str, names: set[str]) -> Iterator[tuple[int, str]]:
    """Line and name of comparisons with one of the names, and of dictionaries that have one as a key."""
    if not any(quote + name + quote in text for name in names for quote in "\"'"):
        return  # most files: parsing is what takes time
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            parts = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "startswith":
            parts = list(node.args)
        else:
            continue
        for part in parts:
            if isinstance(part, ast.Constant) and part.value in names:
                yield part.lineno, str(part.value)
