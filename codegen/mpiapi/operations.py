"""The collective operations that Leadline has algorithms for, from api/operations.toml and src/collectives."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from leadline import operations
from mpiapi.data import read_toml
from mpiapi.semantics import Meaning
from mpiapi.standard import ApiError, Parameter

PREFIXES = "everybody inclusive exclusive".split()
IN_PLACE = "nobody root all of_result".split()
ARGUMENTS = "sbuf scount sdispls stype rbuf rcount rdispls rtype op root comm".split()
_WORDS = {"by": ("all", "root"), "blocks": ("one", "per_rank", "per_neighbour", "none"), "counts": ("one", "per_rank"),
          "datatypes": ("one", "per_rank")}  # fmt: skip
_KEYS = {field.name for field in fields(operations.Operation)} - {"name", "libraries"}
_ALGORITHM_KEYS = {"does", "rounds", "messages", "bytes", "source", "why", "commutative", "segments", "radix", "memory"}


@dataclass(frozen=True)
class OwnAlgorithm:
    name: str
    commutative: bool
    segments: bool
    radix: bool
    memory: bool

    @property
    def function(self) -> str:
        return re.sub(r"\W+", "_", self.name)


@dataclass(frozen=True, kw_only=True)
class Operation(operations.Operation):
    """With what the standard says of its function, and our algorithms."""

    meaning: Meaning
    nonblocking: Meaning
    persistent: Meaning | None  # since MPI 4
    algorithms: tuple[OwnAlgorithm, ...]

    @property
    def has_root(self) -> bool:
        return "root" in self.meaning.roles

    def parameter(self, role: str) -> Parameter | None:
        index = self.meaning.roles.get(role)
        return None if index is None else self.meaning.function.arguments[index]


def load_operations(api: Path, collectives: Path, meanings: list[Meaning]) -> list[Operation]:
    """In the order of the file. Raises ApiError where the data contradict themselves, MPI's or the folders."""
    by_name = {meaning.function.name: meaning for meaning in meanings}
    found = [
        _operation(name, entry, by_name, collectives) for name, entry in read_toml(api / "operations.toml").items()
    ]
    folders = {path.parent.name for path in collectives.glob("*/algorithms.toml")}
    if without := folders - {operation.folder for operation in found}:
        raise ApiError(f"operations.toml: no operation has the folder src/collectives/{min(without)}")
    return found


def _operation(name: str, entry: dict[str, Any], by_name: dict[str, Meaning], collectives: Path) -> Operation:
    def wrong(why: str) -> ApiError:
        return ApiError(f"operations.toml: [{name}] {why}")

    facts = {key: value for key, value in entry.items() if key not in operations.libraries_of(entry)}
    if unknown := set(facts) - _KEYS:
        raise wrong(f"{min(unknown)} is no such fact")
    if missing := _KEYS - {"reduces", "prefix", "parts"} - set(facts):
        raise wrong(f"has no {min(missing)}")
    meaning = by_name.get(entry["function"])
    if meaning is None or meaning.cls != "coll":
        raise wrong(f"function = {entry['function']!r} is no blocking collective")
    if entry["in_place"] not in IN_PLACE:
        raise wrong(f"in_place = {entry['in_place']!r} is no such word")
    if entry.get("prefix", "everybody") not in PREFIXES:
        raise wrong(f"prefix = {entry['prefix']!r} is no such word")
    for side in ("contributed", "received"):
        _check_side(entry[side], wrong)
    read = operations.operation_of(name, entry)
    function = entry["function"]
    operation = Operation(
        **vars(read),
        meaning=meaning,
        nonblocking=by_name["I" + function[0].lower() + function[1:]],
        persistent=by_name.get(f"{function}_init"),
        algorithms=_algorithms(collectives / read.folder),
    )
    _check(operation, wrong)
    return operation


def _check_side(entry: dict[str, str], wrong: Any) -> None:
    for key, value in entry.items():
        if value not in _WORDS.get(key, ()):
            raise wrong(f"{key} = {value!r} is no such word")


def _check(operation: Operation, wrong: Any) -> None:
    """What the function's arguments say, too."""
    roles = operation.meaning.roles
    arguments = operation.meaning.function.arguments
    if {*roles.values()} != {*range(len(arguments))} or len(arguments) not in {1, *range(5, 10)}:
        raise wrong("has arguments without a role, or more or fewer than src/collectives/words.hpp passes")
    rooted = "root" in (operation.contributed.by, operation.received.by)
    if rooted != operation.has_root:
        raise wrong("a side is the root's, if and only if the function has a root")
    if operation.reduces != ("op" in roles):
        raise wrong("reduces is true, if and only if the function takes an MPI_Op")
    if operation.prefix != "everybody" and not operation.reduces:
        raise wrong("has a prefix, but reduces nothing")
    if operation.has_data == (roles.keys() <= {"comm"}) or operation.has_data == (operation.received.blocks == "none"):
        raise wrong("blocks is none, if and only if it is so on both sides and the function takes no buffer")
    if operation.has_data and (operation.in_place == "of_result") != ("rbuf" not in roles):
        raise wrong("in_place is of_result, if and only if the function has one buffer")
    for side, own, other in ((operation.contributed, "s", "r"), (operation.received, "r", "s")):
        for what, words in (("count", side.counts), ("type", side.datatypes)):
            # A function that has it once has it for both sides.
            parameter = operation.parameter(own + what) or operation.parameter(other + what)
            if parameter is not None and parameter.array != (words == "per_rank"):
                raise wrong(f"{parameter.name} is {'an array' if parameter.array else 'no array'}: {words!r} is wrong")


def _algorithms(folder: Path) -> tuple[OwnAlgorithm, ...]:
    path = folder / "algorithms.toml"
    if not path.is_file():
        raise ApiError(f"operations.toml: there is no {path}")
    found = []
    for name, entry in read_toml(path).items():
        if not isinstance(entry, dict):
            continue  # words for the docs
        if unknown := set(entry) - _ALGORITHM_KEYS:
            raise ApiError(f"{path}: [{name}] {min(unknown)} is no such fact")
        given = (bool(entry.get(key, False)) for key in ("commutative", "segments", "radix", "memory"))
        found.append(OwnAlgorithm(name, *given))
    return tuple(found)
