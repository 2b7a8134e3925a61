"""Writes the C++ of the collective operations: their facts, the table of algorithms, and calls of their functions."""

from __future__ import annotations

from leadline.operations import Side
from mpiapi.classes import HEAD
from mpiapi.emit import SYMBOL_VERSION
from mpiapi.operations import ARGUMENTS, Operation
from mpiapi.semantics import Meaning

# How the bench passes an argument of each role (src/bench/native_call.hpp): one count, or counts by rank.
_PASSED = {"sbuf": "c.from", "scount": "c.from_count", "stype": "c.from_type", "sdispls": "c.from_places",
           "rbuf": "c.to", "rcount": "c.to_count", "rtype": "c.to_type", "rdispls": "c.to_places",
           "op": "c.op", "root": "c.root", "comm": "c.comm"}  # fmt: skip
_PASSED_BY_RANK = {"scount": "c.from_counts", "stype": "c.from_types", "rcount": "c.to_counts", "rtype": "c.to_types"}
_ADDRESSES = ("DISPLACEMENT",)  # places that are MPI_Aints


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _side(side: Side) -> str:
    words = (
        side.by == "root",
        side.blocks in ("per_rank", "per_neighbour"),
        side.counts == "per_rank",
        side.datatypes == "per_rank",
    )
    return "{" + ", ".join(map(_bool, words)) + "}"


def _facts(o: Operation) -> str:
    arguments = ", ".join(str(o.meaning.roles.get(role, -1)) for role in ARGUMENTS)
    return (
        f'    {{"{o.name}", "MPI_{o.meaning.function.name}", {_side(o.contributed)}, {_side(o.received)}, '
        f"{_bool(o.has_data)}, {_bool(o.reduces)}, {_bool(o.has_root)}, {_bool(o.for_neighbours)}, "
        f"Prefix::{o.prefix}, InPlace::{o.in_place}, "
        f"{{{len(o.meaning.function.arguments)}, {arguments}}}}},"
    )


def operations_header(operations: list[Operation]) -> str:
    """operations.hpp: enum Operation, and the facts of each."""
    lines = [HEAD, "#pragma once\n", "#include <cstdint>\n", '#include "collectives/operation.hpp"\n',
             "namespace leadline::collectives {\n", "enum class Operation : uint8_t {"]  # fmt: skip
    lines += [f"  {o.folder}," for o in operations]
    lines += ["};\n", f"inline constexpr int operation_count = {len(operations)};",
              "inline constexpr OperationFacts facts_of_operations[operation_count] = {"]  # fmt: skip
    lines += [_facts(o) for o in operations]
    lines += ["};",
              "constexpr const OperationFacts& facts_of(Operation o) {",
              "  return facts_of_operations[static_cast<int>(o)];\n}\n",
              "}  // namespace leadline::collectives\n"]  # fmt: skip
    return "\n".join(lines)


def algorithms_header(operations: list[Operation]) -> str:
    """algorithms.hpp: the builders of all algorithms, and their table."""
    lines = [HEAD, "#pragma once\n", '#include "collectives/algorithm.hpp"\n', "namespace leadline::collectives {\n"]
    for o in operations:
        lines += [f"namespace {o.folder} {{"]
        lines += [f"bool {a.function}(const Problem& problem, Schedule* schedule);" for a in o.algorithms]
        lines += [f"}}  // namespace {o.folder}\n"]
    lines += ["inline constexpr Algorithm portfolio[] = {"]
    for o in operations:
        for a in o.algorithms:
            words = ", ".join(map(_bool, (a.commutative, a.segments, a.radix, a.memory)))
            lines.append(f'    {{Operation::{o.folder}, "{a.name}", {words}, {o.folder}::{a.function}}},')
    lines += ["};\n", "}  // namespace leadline::collectives\n"]
    return "\n".join(lines)


def native_calls(operations: list[Operation]) -> str:
    """native_calls.inc: the library's own function of an operation, for code that has mpi.h."""
    lines = [HEAD, "switch (operation) {"]
    for o in operations:
        passed = []
        for index in range(len(o.meaning.function.arguments)):
            role = next(role for role in ARGUMENTS if o.meaning.roles.get(role) == index)
            parameter = o.parameter(role)
            by_rank = parameter is not None and parameter.array and role in _PASSED_BY_RANK
            word = _PASSED_BY_RANK[role] if by_rank else _PASSED[role]
            if role.endswith("displs") and parameter is not None and parameter.kind in _ADDRESSES:
                word += "_in_memory"
            # With one buffer it is the result's.
            passed.append(word.replace("c.from", "c.to") if o.in_place == "of_result" else word)
        lines += [f"  case Operation::{o.folder}:",
                  f"    return MPI_{o.meaning.function.name}({', '.join(passed)});"]  # fmt: skip
    lines += ["}\n"]
    return "\n".join(lines)


def _symbols(meaning: Meaning) -> list[tuple[str, str]]:
    """Symbol and the name's kind, as Name in src/host has it."""
    function = meaning.function
    names = [(f"MPI_{function.name}", "mpi"), (f"PMPI_{function.name}", "pmpi")]
    return names + [(f"{symbol}_c", f"{kind}_c") for symbol, kind in names] if function.large else names


def _forms(o: Operation) -> list[tuple[Meaning, str]]:
    """The function and what the shim calls for it, without the name's kind: those that it leaves alone are counted."""
    operation = f"Operation::{o.folder}"
    found = [(o.meaning, f"collective<{operation}")]
    for meaning, form in ((o.nonblocking, "nonblocking"), (o.persistent, "persistent")):
        if meaning is not None:
            found.append((meaning, f"left_alone<{operation}, Fn::{meaning.function.name}, Reason::{form}"))
    return found


def shim_header(operations: list[Operation]) -> str:
    """shim_collectives.hpp: the functions of the operations, and all their names."""
    lines = [HEAD, "#pragma once\n", '#include "leadline/functions.hpp"\n', '#include "leadline/operations.hpp"\n',
             "namespace leadline::shim {\n",
             "inline constexpr host::Fn function_of_operation[collectives::operation_count] = {"]  # fmt: skip
    lines += [f"    host::Fn::{o.meaning.function.name}," for o in operations]
    lines += ["};\n", "inline constexpr const char* names_of_operations[] = {"]
    lines += [f'    "{symbol}",' for o in operations for meaning, _ in _forms(o) for symbol, _ in _symbols(meaning)]
    lines += ["};\n", "}  // namespace leadline::shim\n"]
    return "\n".join(lines)


def shim_wrappers(operations: list[Operation]) -> str:
    """shim_wrappers.inc: a function for each name of the operations' functions, in all their forms."""
    lines = [HEAD]
    forms = [form for o in operations for form in _forms(o)]
    for meaning, called in forms:
        for symbol, kind in _symbols(meaning):
            words = [f"a{i}" for i in range(len(meaning.function.arguments))]
            parameters = ", ".join(f"Word {word}" for word in words)
            lines.append(
                f'extern "C" LEADLINE_EXPORT Word leadline_shim_{symbol}({parameters}) {{\n'
                f"  return shim::{called}, Name::{kind}>({', '.join(words)});\n"
                "}\n"
                f'__asm__(".symver leadline_shim_{symbol}, {symbol}@{SYMBOL_VERSION}");\n'
            )
    return "\n".join(lines)
