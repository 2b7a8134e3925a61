"""The tuning table: rules in order, of which the first that fits a call is taken; where none fits, the library's own.

schema = 1
[evidence]                      # what it was measured with: anything
[[rule]]
operation = "bcast"
processes = [2, 4]              # first and last
bytes = [65536, 1048576]        # of the message: count x size of the datatype
algorithm = "binary_tree_async" # or "native"
segment_bytes = 65536           # if wanted; 0: messages are not cut
radix = 2                       # if wanted
evidence = {median_ratio = 1.7, low = 1.62, high = 1.81, launches = 5}
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline import _core, own_files, toml
from leadline.errors import LeadlineError
from leadline.libraries.rule import Rule, Table
from leadline.operations import operations

SCHEMA = 1
MOST_TABLE_BYTES = 16 << 20
MOST = {"processes": 2**31 - 1, "bytes": 2**63 - 1}  # an int of C; a count of bytes of the shim
ALGORITHMS: dict[str, list[str]] = {}  # by operation, in the portfolio's order
for _operation, _name, *_ in _core.collective_algorithms():
    ALGORITHMS.setdefault(_operation, []).append(_name)
__all__ = [
    "ALGORITHMS",
    "MalformedTable",
    "Rule",
    "Table",
    "lines_for_shim",
    "merged",
    "parse",
    "read",
    "told_as",
    "write",
]
KEYS = {"operation", "processes", "bytes", "algorithm", "segment_bytes", "radix", "evidence"}


LEGEND = (
    "# median_ratio: speedup over the library default (above 1 is faster); low, high: its 95 % CI",
    "# at the weakest measured point (sizes and numbers of ranks), over `launches` launches",
)


class MalformedTable(LeadlineError):
    """A table that cannot be used. line: 1 for the first, 0 where no line is to blame."""

    exit_code = 2

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}, line {line}: {reason}" if line else f"{path}: {reason}")
        self.line = line
        self.reason = reason


def read(path: Path | str) -> Table:
    """Raises MalformedTable, naming line and reason."""
    try:
        text = own_files.read_named(Path(path), MOST_TABLE_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise MalformedTable(str(path), 0, str(reason)) from error
    return parse(text, str(path))


def parse(text: str, path: str = "the table") -> Table:
    try:
        content = toml.parsed(text)
    except ValueError as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1 if "(at end" in str(error) else 0
        reason = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise MalformedTable(path, line, f"not TOML: {reason}") from error
    lines = _Lines(text, path)
    if content.get("schema") != SCHEMA:
        given = content.get("schema")
        reason = "schema is missing" if given is None else f"unknown schema {given!r}"
        raise MalformedTable(path, lines.of("schema") or 1, f"{reason}; this version reads schema = {SCHEMA}")
    for key in content:
        if key not in {"schema", "evidence", "rule"}:
            raise MalformedTable(path, lines.of(key), f"unknown key {key!r}; available: schema, evidence, rule")
    evidence = content.get("evidence", {})
    rules = content.get("rule", [])
    if not isinstance(evidence, dict):
        raise MalformedTable(path, lines.of("evidence"), "evidence must be a TOML table")
    if not isinstance(rules, list) or any(not isinstance(rule, dict) for rule in rules):
        raise MalformedTable(path, lines.of("rule"), "rules must be written as [[rule]]")
    return Table(tuple(_rule(given, number, lines) for number, given in enumerate(rules)), evidence)


class _Lines:
    """The line numbers of the parts of the text, for messages."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self._lines = text.splitlines()
        self._starts = [i for i, line in enumerate(self._lines) if re.match(r"\s*\[\[\s*rule\s*\]\]", line)]

    def of(self, key: str) -> int:
        pattern = re.compile(rf"\s*(\[+\s*)?\"?{re.escape(key)}\"?\s*(=|\]|$)")
        return next((i + 1 for i, line in enumerate(self._lines) if pattern.match(line)), 0)

    def in_rule(self, number: int, key: str | None) -> int:
        if number >= len(self._starts):
            return self.of("rule")
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._lines)
        for i in range(start, end):
            if key is not None and re.match(rf"\s*\"?{re.escape(key)}\"?\s*[.=]", self._lines[i]):
                return i + 1
        return start + 1


def _rule(given: dict[str, Any], number: int, lines: _Lines) -> Rule:
    def wrong(key: str | None, reason: str) -> MalformedTable:
        return MalformedTable(lines.path, lines.in_rule(number, key), reason)

    for key in given:
        if key not in KEYS:
            raise wrong(key, f"unknown key {key!r}; available: {', '.join(sorted(KEYS))}")
    for key in ("operation", "processes", "bytes", "algorithm"):
        if key not in given:
            raise wrong(None, f"the rule lacks {key}")
    operation, algorithm = given["operation"], given["algorithm"]
    if not isinstance(operation, str) or operation not in ALGORITHMS:
        raise wrong("operation", f"unknown operation {operation!r}; available: {', '.join(ALGORITHMS)}")
    if algorithm not in ["native", *ALGORITHMS[operation]]:
        known = ", ".join(["native", *ALGORITHMS[operation]])
        raise wrong("algorithm", f"unknown algorithm {algorithm!r} for {operation}; available: {known}")
    processes = _range(given["processes"], "processes", 1, wrong)
    n_bytes = _range(given["bytes"], "bytes", 0, wrong)
    facts = operations()[operation]
    if facts.has_data and not facts.sizes_are_known and n_bytes != (0, MOST["bytes"]):
        raise wrong("bytes", f"ranks do not know each other's sizes of {operation}: expected [0, {MOST['bytes']}]")
    for key in ("segment_bytes", "radix"):
        value = given.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 2**31 - 1:
            raise wrong(key, f"{key} = {value!r}: expected a whole number of 0 or more")
    evidence = given.get("evidence", {})
    if not isinstance(evidence, dict):
        raise wrong("evidence", "evidence must be a TOML table")
    return Rule(
        operation, processes, n_bytes, algorithm, given.get("segment_bytes", 0), given.get("radix", 0), evidence
    )


def _range(value: Any, key: str, least: int, wrong: Any) -> tuple[int, int]:
    whole = isinstance(value, list) and len(value) == 2
    if not whole or any(isinstance(end, bool) or not isinstance(end, int) for end in value):
        raise wrong(key, f"{key} = {value!r}: expected two whole numbers, [first, last]")
    first, last = value
    if first < least or last > MOST[key]:
        raise wrong(key, f"{key} = {value!r}: expected {least} to {MOST[key]}")
    if first > last:
        raise wrong(key, f"{key} = {value!r}: the first exceeds the last")
    return first, last


def write(table: Table) -> str:
    """The table as TOML; parse() gives the same back."""
    out = [
        "# Algorithm per collective; without a matching rule, the library default. See leadline tune --help.",
        "",
    ]
    out += [f"schema = {SCHEMA}", "", "[evidence]"]
    out += [f"{_key(key)} = {_value(value)}" for key, value in table.evidence.items() if value is not None]
    for rule in table.rules:
        out += ["", "[[rule]]", f'operation = "{rule.operation}"', f"processes = {list(rule.processes)}"]
        out += [f"bytes = {list(rule.n_bytes)}", f'algorithm = "{rule.algorithm}"']
        if rule.segment_bytes:
            out.append(f"segment_bytes = {rule.segment_bytes}")
        if rule.radix:
            out.append(f"radix = {rule.radix}")
        if rule.evidence:
            out.append(f"evidence = {_value(rule.evidence)}")
    if any(rule.evidence for rule in table.rules):
        out += ["", *LEGEND]
    return "\n".join(out) + "\n"


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)


# Tells the recorder in each rank what was applied; `leadline compare` lists it.
TOLD_AS = "LEADLINE_TUNING_TABLE"


def told_as(path: Path | str, table: Table) -> str:
    """ "bcast.toml, 3 rules, 5f0c21ab": the digits are those of the rules, wherever they lie."""
    digest = hashlib.sha256(lines_for_shim(table).encode()).hexdigest()[:8]
    rules = "1 rule" if len(table.rules) == 1 else f"{len(table.rules)} rules"
    return f"{Path(path).name}, {rules}, {digest}"


def lines_for_shim(table: Table) -> str:
    """The content of the file that LEADLINE_TABLE names: a rule a line, in order."""
    out = ["# operation first_processes last_processes first_bytes last_bytes algorithm segment_bytes radix"]
    for rule in table.rules:
        numbers = [*rule.processes, *rule.n_bytes]
        out.append(f"{rule.operation} {' '.join(map(str, numbers))} {rule.algorithm} {rule.segment_bytes} {rule.radix}")
    return "\n".join(out) + "\n"


def merged(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Neighbouring rules of the same choice as one: first over bytes, then over processes. Nothing may overlap.

    The evidence of a merged rule is that of its weakest part.
    """
    by_bytes = _joined(sorted(rules, key=lambda r: (r.operation, r.processes, r.n_bytes)), _next_in_bytes)
    by_processes = _joined(sorted(by_bytes, key=lambda r: (r.operation, r.n_bytes, r.processes)), _next_in_processes)
    return tuple(sorted(by_processes, key=lambda r: (r.operation, r.processes, r.n_bytes)))


def _next_in_bytes(one: Rule, other: Rule) -> Rule | None:
    if one.processes == other.processes and one.n_bytes[1] + 1 == other.n_bytes[0]:
        return replace(one, n_bytes=(one.n_bytes[0], other.n_bytes[1]))
    return None


def _next_in_processes(one: Rule, other: Rule) -> Rule | None:
    if one.n_bytes == other.n_bytes and one.processes[1] + 1 == other.processes[0]:
        return replace(one, processes=(one.processes[0], other.processes[1]))
    return None


def _joined(rules: Sequence[Rule], join: Any) -> list[Rule]:
    out: list[Rule] = []
    for rule in rules:
        same = bool(out) and (out[-1].operation, out[-1].name) == (rule.operation, rule.name)
        both = join(out[-1], rule) if same else None
        if both is None:
            out.append(rule)
        else:
            weaker = min(out[-1].evidence, rule.evidence, key=lambda found: found.get("low", 0.0))
            out[-1] = replace(both, evidence=weaker)
    return out
