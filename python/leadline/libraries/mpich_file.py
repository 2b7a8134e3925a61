"""MPICH's selection files: JSON trees. The first branch that fits a call is taken, and its leaf names an algorithm.

Two of them matter. The device's file says which composition of network and shared memory a call takes. If it names
none, the call goes to the general layer, whose file names the algorithm. A rule is therefore a branch of both: none in
the first, the algorithm in the second. A file replaces the selection built into the library. That selection is
therefore read out of the same library that will read the file, and stands, unchanged, wherever no rule fits.

MPICH does not check whether an algorithm that a file names is allowed, so restrictions are conditions here, as in its
own trees.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.json_text import parsed
from leadline.libraries.mpich_variables import algorithms
from leadline.libraries.rule import Rule, Table
from leadline.libraries.settings import MOST_BYTES, NotSet, Settings, pieces, unable
from leadline.operations import operations

DEVICE = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"
GENERAL = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
UNEVEN = (1, 8)  # bytes more that the probe sends from one side (src/probe/plan.hpp)

Tree = dict[str, Any]
_OTHERWISE = {
    "comm_size=pow2": "comm_size=any",
    "is_op_built_in=yes": "is_op_built_in=no",
    "count<pow2": "count=any",
    "is_commutative=yes": "is_commutative=no",
    "is_sendbuf_inplace=no": "is_sendbuf_inplace=yes",
}
NEEDS_SAID = {
    "comm_size=pow2": "a power-of-two number of ranks",
    "is_op_built_in=yes": "a predefined reduction operation",
    "count<pow2": "at least as many elements as ranks",
    "is_commutative=yes": "a commutative operation",
    "is_sendbuf_inplace=no": "a separate send buffer",
}


@dataclass(frozen=True)
class BuiltIn:
    """The library's own trees. device: None if it has no such layer. names: the algorithms a file can name."""

    general: Tree
    device: Tree | None
    names: frozenset[str]


@functools.lru_cache(maxsize=4)
def built_in(library: Path) -> BuiltIn | None:
    """None if the library has none that can be read, because it is older than 3.4, or not MPICH."""
    content = library.read_bytes()
    general, device = None, None
    for found in re.finditer(rb'\{\s*"collective=', content):
        text = content[found.start() : content.find(b"\0", found.start())]
        try:
            tree = parsed(text)
        except ValueError:
            continue
        if b'"composition=MPIDI_' in text:
            device = tree
        elif b'"algorithm=MPIR_' in text:
            general = tree
    names = frozenset(name.decode() for name in re.findall(rb"algorithm=(MPIR_\w+_intra_\w+)\0", content))
    whole = general is not None and all(
        "comm_type=intra" in general.get(_collective(op), {}) for op, known in algorithms().items() if known
    )
    return BuiltIn(general, device, names) if general is not None and whole else None


def settings(table: Table, own: BuiltIn) -> Settings:
    """For any number of processes: the files contain the whole table."""
    out = Settings()
    usable: list[Rule] = []
    for rule in table.rules:
        why = "" if rule.algorithm == "native" else unable(rule, algorithms()[rule.operation], "MPICH")
        if not why and rule.algorithm != "native":
            name = algorithms()[rule.operation][rule.algorithm].function
            why = "" if name in own.names else f"this MPICH release has no {name}"
            why = why or _sizes_too_many(table, rule)
        if why:
            out.not_set.append(NotSet.whole(rule, why))
        elif not _sizes_too_many(table, rule):
            usable.append(rule)
    out.kept = usable
    out.set = [rule for rule in usable if rule.algorithm != "native"]
    if out.set:
        out.files = files(Table(tuple(usable)), own, 0)
        out.files_for_more = {more: files(Table(tuple(usable)), own, more) for more in UNEVEN}
    return out


def _sizes_too_many(table: Table, rule: Rule) -> str:
    """MPICH ends the program at a condition on the size of an operation for which it defines none: why the rule cannot
    be set if the table would need one, otherwise ""."""
    if operations()[rule.operation].libraries.get("mpich", {}).get("sizes") != "any":
        return ""
    of_operation = [other for other in table.rules if other.operation == rule.operation]
    if all(other.n_bytes[0] == 0 and other.n_bytes[1] >= MOST_BYTES for other in of_operation):
        return ""
    sizes = "must cover all sizes from 0 bytes"
    return f"MPICH's files do not distinguish sizes of {rule.operation}: the rules for it {sizes}"


def files(table: Table, own: BuiltIn, more: int) -> dict[str, str]:
    """The files' texts, by variable. more: what every size in them is greater by."""
    found = {GENERAL: _text(table, own.general, more, _algorithm)}
    if own.device is not None:
        found[DEVICE] = _text(table, own.device, more, _nothing)
    return found


def needs(operation: str, algorithm: str) -> str:
    """The restriction of the library's algorithm, in words; "" if it has none."""
    conditions = algorithms()[operation][algorithm].needs
    return " and ".join(NEEDS_SAID[condition] for condition in conditions)


def _collective(operation: str) -> str:
    return f"collective={operation}"


def _text(table: Table, own: Tree, more: int, leaf: Callable[[Rule, Tree], Tree]) -> str:
    whole = dict(own)
    for operation, known in algorithms().items():
        if not known:  # no rule can change its choice, and MPICH may not distinguish its sizes
            continue
        key = _collective(operation)
        native = own.get(key, {}).get("comm_type=intra")
        if native is not None and any(rule.operation == operation for rule in table.rules):
            whole[key] = {**own[key], "comm_type=intra": _by_processes(table, operation, native, more, leaf)}
    text = json.dumps(whole, separators=(",", ":"))
    # MPICH maps the file and reads to a zero byte, which follows only where a page is not full.
    return text + ("\n" if (len(text) + 1) % 4096 else "\n\n")


def _by_processes(
    table: Table, operation: str, native: Tree, more: int, leaf: Callable[[Rule, Tree], Tree]
) -> dict[str, Tree]:
    edges = {1}
    for rule in table.rules:
        if rule.operation == operation:
            edges |= {rule.processes[0], rule.processes[1] + 1}
    starts = sorted(edge for edge in edges if edge <= MOST_BYTES)
    out: dict[str, Tree] = {}
    for index, start in enumerate(starts):
        key = f"comm_size<={starts[index + 1] - 1}" if index + 1 < len(starts) else "comm_size=any"
        out[key] = _by_bytes(table, operation, start, native, more, leaf)
    return out


def _by_bytes(
    table: Table, operation: str, processes: int, native: Tree, more: int, leaf: Callable[[Rule, Tree], Tree]
) -> Tree:
    out: dict[str, Tree] = {}
    for first, last, rule in pieces(table, operation, processes):
        if first > MOST_BYTES:
            break
        key = "avg_msg_size=any" if last is None or last + more >= MOST_BYTES else f"avg_msg_size<={last + more}"
        out[key] = native if rule is None else _guarded(rule, native, leaf)
    return out


def _guarded(rule: Rule, native: Tree, leaf: Callable[[Rule, Tree], Tree]) -> Tree:
    tree = leaf(rule, native)
    for condition in reversed(algorithms()[rule.operation][rule.algorithm].needs):
        otherwise = _OTHERWISE[condition]
        # "count<pow2" is the only condition that says where the algorithm must not be used.
        tree = (
            {condition: native, otherwise: tree} if condition == "count<pow2" else {condition: tree, otherwise: native}
        )
    return tree


def _algorithm(rule: Rule, native: Tree) -> Tree:
    return {f"algorithm={algorithms()[rule.operation][rule.algorithm].function}": {}}


def _nothing(rule: Rule, native: Tree) -> Tree:
    """A branch that is never taken, with any leaf of the library's: the device names nothing."""
    return {"is_multi_threaded=yes": {"is_multi_threaded=no": {_leaf(native): {}}}}


def _leaf(tree: Tree) -> str:
    key, below = next(iter(tree.items()))
    return _leaf(below) if below else key
