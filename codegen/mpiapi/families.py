"""The ABI families of MPI libraries: api/abi/*.toml and the C++ of families.hpp."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpiapi.classes import HEAD
from mpiapi.data import read_toml
from mpiapi.standard import ApiError

FAMILIES = ("mpich", "openmpi", "mpi5")
MAX_LIBRARIES = 8  # src/host/family.hpp
HANDLES = "comm request datatype message win file group op info errhandler session".split()
STATUS_FIELDS = "size source tag error count".split()
COUNT_CODES = ("two_words", "one_word", "ask")
# Handles and addresses, in the order of struct Family; member = name in lower case.
CONSTANTS = (
    "COMM_NULL COMM_WORLD COMM_SELF REQUEST_NULL DATATYPE_NULL BYTE MESSAGE_NULL MESSAGE_NO_PROC WIN_NULL FILE_NULL "
    "GROUP_NULL GROUP_EMPTY INFO_NULL OP_NULL STATUS_IGNORE STATUSES_IGNORE BOTTOM IN_PLACE UNWEIGHTED WEIGHTS_EMPTY"
).split()
# Predefined operations: one array of struct Family, in this order.
OPS = "MAX MIN SUM PROD LAND BAND LOR BOR LXOR BXOR MINLOC MAXLOC REPLACE NO_OP".split()
INTEGERS = (
    "PROC_NULL ANY_SOURCE ANY_TAG ROOT UNDEFINED SUCCESS ERR_TRUNCATE ERR_OTHER ERR_PENDING ERR_IN_STATUS "
    "THREAD_SINGLE THREAD_MULTIPLE TAG_UB UNIVERSE_SIZE APPNUM WTIME_IS_GLOBAL CART GRAPH DIST_GRAPH "
    "ORDER_FORTRAN"
).split()
COMBINERS = (
    "NAMED DUP CONTIGUOUS VECTOR HVECTOR INDEXED HINDEXED INDEXED_BLOCK HINDEXED_BLOCK STRUCT SUBARRAY DARRAY F90_REAL "
    "F90_COMPLEX F90_INTEGER RESIZED"
).split()
_MEMBER = {"CART": "topo_cart", "GRAPH": "topo_graph", "DIST_GRAPH": "topo_dist_graph", "STRUCT": "structure"}


@dataclass(frozen=True)
class Constant:
    """kind "value", "address_of" or "content_of"; value is the C value modulo 2^64, symbol the exported name."""

    kind: str
    value: int = 0
    symbol: str | None = None

    @classmethod
    def parse(cls, entry: Any) -> Constant:
        if isinstance(entry, int):
            return cls("value", entry % 2**64)
        for kind in ("address_of", "content_of"):
            if kind in entry:
                return cls(kind, symbol=entry[kind])
        raise ApiError(f"api/abi: {entry!r} is neither a number, address_of nor content_of")

    def cpp(self) -> str:
        symbol = f'"{self.symbol}"' if self.symbol else "nullptr"
        return f"{{Constant::Kind::{self.kind}, {self.value:#x}, {symbol}}}"


@dataclass(frozen=True)
class Family:
    name: str
    libraries: tuple[str, ...]
    handle_bytes: dict[str, int]
    status: dict[str, Any]
    constants: dict[str, Constant]  # CONSTANTS and OPS
    integers: dict[str, int]
    finished_request: Constant
    finished_mask: int


def load_families(api: Path) -> list[Family]:
    """Raises ApiError if a member of struct Family is missing, or an entry is not a member."""
    unlisted = {path.stem for path in (api / "abi").glob("*.toml")} - set(FAMILIES)
    if unlisted:
        raise ApiError(f"api/abi: {', '.join(sorted(unlisted))} is not in FAMILIES of codegen/mpiapi/families.py")
    return [_family(name, read_toml(api / "abi" / f"{name}.toml")) for name in FAMILIES]


def _family(name: str, data: dict[str, Any]) -> Family:
    integers = [*INTEGERS, *(f"COMBINER_{c}" for c in COMBINERS)]
    _same(name, "handle_bytes", data["handle_bytes"], HANDLES)
    _same(name, "status", data["status"], [*STATUS_FIELDS, "count_code"])
    _same(name, "constants", data["constants"], [*CONSTANTS, *OPS, *integers])
    if data["status"]["count_code"] not in COUNT_CODES or len(data["libraries"]) > MAX_LIBRARIES:
        raise ApiError(f"api/abi/{name}.toml: unknown count_code, or more than {MAX_LIBRARIES} libraries")
    finished = dict(data.get("finished_request", {}))
    mask = finished.pop("mask", 0)
    return Family(
        name=data["name"],
        libraries=tuple(data["libraries"]),
        handle_bytes=data["handle_bytes"],
        status=data["status"],
        constants={key: Constant.parse(data["constants"][key]) for key in (*CONSTANTS, *OPS)},
        integers={key: data["constants"][key] for key in integers},
        finished_request=Constant.parse(finished.get("value", finished)) if finished else Constant("none"),
        finished_mask=mask,
    )


def _same(name: str, table: str, found: dict[str, Any], expected: list[str]) -> None:
    if difference := set(found) ^ set(expected):
        raise ApiError(f"api/abi/{name}.toml: [{table}] has too much or too little: {', '.join(sorted(difference))}")


def families_header(families: list[Family]) -> str:
    """families.hpp: one constexpr Family each, and the table of them."""
    lines = [HEAD, "#pragma once\n", '#include "host/family.hpp"\n', "namespace leadline::host {\n"]
    op_names = ", ".join(f'"MPI_{op}"' for op in OPS)
    lines += [f"inline constexpr const char* op_names[Family::op_count] = {{{op_names}}};\n"]
    lines += [_definition(family) for family in families]
    names = ", ".join(f"&{family.name}_family" for family in families)
    lines += [f"inline constexpr int family_count = {len(families)};",
              f"inline constexpr const Family* families[family_count] = {{{names}}};\n",
              "}  // namespace leadline::host\n"]  # fmt: skip
    return "\n".join(lines)


def _definition(family: Family) -> str:
    libraries = ", ".join(f'"{library}"' for library in family.libraries)
    handles = ", ".join(f".{handle} = {family.handle_bytes[handle]}" for handle in HANDLES)
    status = ", ".join(f".{field} = {family.status[field]}" for field in STATUS_FIELDS)
    ops = ", ".join(family.constants[op].cpp() for op in OPS)
    combiners = ", ".join(f".{_member(c)} = {family.integers[f'COMBINER_{c}']}" for c in COMBINERS)
    members = [
        f'.name = "{family.name}"',
        f".libraries = {{{libraries}}}",
        f".handle_bytes = {{{handles}}}",
        f".status = {{{status}, .count_code = CountCode::{family.status['count_code']}}}",
        *(f".{_member(key)} = {family.constants[key].cpp()}" for key in CONSTANTS),
        f".ops = {{{ops}}}",
        f".finished_request = {family.finished_request.cpp()}",
        f".finished_mask = {family.finished_mask:#x}",
        *(f".{_member(key)} = {family.integers[key]}" for key in INTEGERS),
        f".combiners = {{{combiners}}}",
    ]
    body = "".join(f"    {member},\n" for member in members)
    return f"inline constexpr Family {family.name}_family = {{\n{body}}};\n"


def _member(constant: str) -> str:
    return _MEMBER.get(constant, constant.lower())
