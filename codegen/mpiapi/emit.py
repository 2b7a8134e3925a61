"""Writes the C++ of functions, wrappers and symbol names."""

from __future__ import annotations

from mpiapi.classes import HEAD, moves_cpp
from mpiapi.roles import ROLES
from mpiapi.semantics import Bytes, Meaning
from mpiapi.standard import Function

# The first version of src/recorder/wrappers/exports.map; dlsym does not find x@V, only x@@V (src/host/exports.hpp).
SYMBOL_VERSION = "LEADLINE_1"
_RETURNS_DOUBLE = ("WALL_TIME", "TICK_RESOLUTION")
# The arguments that a variadic function may have been passed in registers beside its named one.
_VARIADIC_WORDS = 5


def functions_header(meanings: list[Meaning]) -> str:
    """functions.hpp: enum Fn and the traits of each function."""
    lines = [HEAD, "#pragma once\n", "#include <cstdint>\n", '#include "host/traits.hpp"\n',
             "namespace leadline::host {\n", "enum class Fn : uint16_t {"]  # fmt: skip
    lines += [f"  {m.function.name}," for m in meanings]
    lines += ["};\n", f"inline constexpr int function_count = {len(meanings)};\n",
              "inline constexpr Traits traits[function_count] = {"]  # fmt: skip
    lines += [f"    {_traits(m)}," for m in meanings]
    lines += ["};\n", "}  // namespace leadline::host\n"]
    return "\n".join(lines)


def _bytes(value: Bytes) -> str:
    return f"{{ByteRule::{value.rule}, ByteWhen::{value.when}}}"


def _needs(meaning: Meaning) -> str:
    """The conditions of each argument, up to the last that is ignored in some calls."""
    masks = []
    for index in range(max(meaning.needs, default=-1) + 1):
        words = meaning.needs.get(index, ())
        masks.append(" | ".join(f"needs::{word}" for word in words) or "0")
    return ", ".join(masks)


def _traits(meaning: Meaning) -> str:
    roles = ", ".join(f".{role} = {meaning.roles[role]}" for role in ROLES if role in meaning.roles)
    return (
        f'{{"MPI_{meaning.function.name}", CallClass::{meaning.cls}, {len(meaning.function.arguments)}, '
        f"{{{roles}}}, {_bytes(meaning.contributed)}, {_bytes(meaning.received)}, Peers::{meaning.peers}, "
        f"{{{_needs(meaning)}}}, {moves_cpp(meaning.moves)}}}"
    )


def symbols_header(functions: list[Function]) -> str:
    """symbols.hpp: the names of each function; nullptr if it has no large-count form."""
    lines = [HEAD, "#pragma once\n", '#include "leadline/functions.hpp"\n', "namespace leadline::host {\n",
             "// MPI_x, PMPI_x, MPI_x_c, PMPI_x_c",
             "inline constexpr const char* symbol_names[function_count][4] = {"]  # fmt: skip
    for f in functions:
        large = f'"MPI_{f.name}_c", "PMPI_{f.name}_c"' if f.large else "nullptr, nullptr"
        lines.append(f'    {{"MPI_{f.name}", "PMPI_{f.name}", {large}}},')
    lines += ["};\n", "}  // namespace leadline::host\n"]
    return "\n".join(lines)


def _wrapper(function: Function, words: int, prefix: str, suffix: str, name: str) -> str:
    parameters = ", ".join(f"Word a{i}" for i in range(words))
    arguments = "".join(f", a{i}" for i in range(words))
    returns, call = ("double", "call_double") if function.returns in _RETURNS_DOUBLE else ("Word", "call")
    symbol = f"{prefix}{function.name}{suffix}"
    return (
        f'extern "C" LEADLINE_EXPORT {returns} leadline_{symbol}({parameters}) {{\n'
        f"  return {call}<Fn::{function.name}, Name::{name}>(LEADLINE_CALLER{arguments});\n"
        "}\n"
        f'__asm__(".symver leadline_{symbol}, {symbol}@{SYMBOL_VERSION}");\n'
    )


def _words(function: Function) -> int:
    if any(p.kind == "VARARGS" for p in function.arguments):
        return len(function.arguments) - 1 + _VARIADIC_WORDS
    return len(function.arguments)


_WRAPPERS_BEGIN = """#include "leadline/functions.hpp"
#include "recorder/wrappers/call.hpp"

using leadline::recorder::call;
using leadline::recorder::call_double;
using leadline::recorder::Fn;
using leadline::recorder::Name;
using leadline::recorder::Word;
"""


def wrappers(functions: list[Function]) -> str:
    """wrappers.cpp: MPI_x and PMPI_x of every function."""
    lines = [HEAD, _WRAPPERS_BEGIN]
    for f in functions:
        lines.append(_wrapper(f, _words(f), "MPI_", "", "mpi"))
        lines.append(_wrapper(f, _words(f), "PMPI_", "", "pmpi"))
    return "\n".join(lines)


def large_count_wrappers(functions: list[Function]) -> str:
    """wrappers_c.cpp: MPI_x_c and PMPI_x_c of the functions that have a large-count form."""
    lines = [HEAD, _WRAPPERS_BEGIN]
    for f in functions:
        if f.large:
            lines.append(_wrapper(f, len(f.large_arguments), "MPI_", "_c", "mpi_c"))
            lines.append(_wrapper(f, len(f.large_arguments), "PMPI_", "_c", "pmpi_c"))
    return "\n".join(lines)
