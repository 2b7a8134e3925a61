"""Circles: of headers and sources that include each other, of folders of src/, and of C files that call each other.

A *unit* is a header with the source of the same name. Units that need each other can only be read, tested and moved
together, and so can folders. The compiler does not mind: the circle goes through the sources. Parts for applications
share few headers, so for them it is the calls that count: which file defines a function that another one calls.
"""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from dev.paths import ROOT

Edges = Mapping[str, Collection[str]]

SUFFIXES = {".cpp", ".hpp", ".c", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FUNCTION = re.compile(r"^(?!static\b|typedef\b|#)[A-Za-z_][\w \t*]*?[ *](\w+)\([^;{]*\)\s*\{", re.MULTILINE)
WORD = re.compile(r"\b\w+\b")


def violations() -> Iterator[str]:
    """One line for each circle in src/, parts/ and workloads/."""
    source = _texts(ROOT / "src")
    units = includes(source)
    for circle in circles(units):
        yield f"src: headers and sources include each other in a circle: {' -> '.join(circle)}"
    for circle in circles(between_folders(units)):
        yield f"src: folders include each other in a circle: {' -> '.join(circle)}"
    for folder in sorted(path for name in ("parts", "workloads") for path in (ROOT / name).iterdir() if path.is_dir()):
        texts = _texts(folder)
        where = folder.relative_to(ROOT)
        for circle in circles(includes(texts)):
            yield f"{where}: headers and sources include each other in a circle: {' -> '.join(circle)}"
        for circle in circles(calls(texts)):
            yield f"{where}: files call each other in a circle: {' -> '.join(circle)}"


def includes(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """By unit, the other units that it includes.   texts: by path below the folder that includes are relative to."""
    edges: dict[str, set[str]] = {_unit(path): set() for path in texts}
    for path, text in texts.items():
        for name in INCLUDE.findall(text):
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            found = next((each for each in (beside, name) if each in texts), None)
            if found and _unit(found) != _unit(path):
                edges[_unit(path)].add(_unit(found))
    return edges


def between_folders(units: Edges) -> dict[str, set[str]]:
    """By folder, the other folders that its units include. A folder within another one is a folder of its own."""
    edges: dict[str, set[str]] = {}
    for unit, others in units.items():
        folder = posixpath.dirname(unit)
        edges.setdefault(folder, set()).update(posixpath.dirname(other) for other in others)
        edges[folder].discard(folder)
    return edges


def calls(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """By C file, the other files that define functions which it names."""
    code = {path: COMMENT.sub("", text) for path, text in texts.items() if path.endswith(".c")}
    defined = {name: path for path, text in code.items() for name in FUNCTION.findall(text)}
    return {
        path: {defined[name] for name in WORD.findall(text) if name in defined} - {path} for path, text in code.items()
    }


def circles(edges: Edges) -> Iterator[list[str]]:
    """A shortest circle of each set of nodes that can all be reached from each other, its first node once more at the
    end."""
    reached = {node: _reachable(node, edges) for node in edges}
    done: set[str] = set()
    for node in sorted(edges):
        if node in done or node not in reached[node]:
            continue
        together = {other for other in reached[node] if node in reached.get(other, ())}
        done |= together
        yield min((_shortest(each, edges, together) for each in sorted(together)), key=len)


def _reachable(start: str, edges: Edges) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = set(edges.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def _shortest(start: str, edges: Edges, within: Collection[str]) -> list[str]:
    ways = deque([[start]])
    seen: set[str] = set()
    while ways:
        way = ways.popleft()
        for following in sorted(set(edges.get(way[-1], ())) & set(within)):
            if following == start:
                return [*way, start]
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    raise ValueError(f"{start} is in no circle")


def _unit(path: str) -> str:
    return posixpath.splitext(path)[0]


def _texts(folder: Path) -> dict[str, str]:
    found: Iterable[Path] = (path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES)
    return {path.relative_to(folder).as_posix(): path.read_text(errors="replace") for path in found}
