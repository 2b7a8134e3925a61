"""The meaning of every function, from api/semantics.toml: its class, the bytes of collectives, its argument roles
and when an argument means something."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mpiapi.classes import Classes, load_classes
from mpiapi.data import read_toml
from mpiapi.roles import roles_of
from mpiapi.significance import check_lines, needs_of
from mpiapi.standard import ApiError, Function

BYTE_RULES = "zero s r s_times_p r_times_p sum_s sum_r sum_sw sum_rw r_own".split()
BYTE_WHENS = "always root_only nonroot_only".split()
PEERS = "group own_group neighbours".split()
COLLECTIVE_CLASSES = ("coll", "icoll", "coll_init")


@dataclass(frozen=True)
class Bytes:
    """The number of bytes on one side of a collective: see the head of api/semantics.toml."""

    rule: str = "zero"
    when: str = "always"

    @classmethod
    def parse(cls, text: str) -> Bytes:
        rule, _, when = text.partition(" ")
        if rule not in BYTE_RULES or (when and when not in BYTE_WHENS):
            raise ApiError(f"semantics.toml: [bytes] {text!r} is no byte rule")
        return cls(rule, when or "always")


@dataclass(frozen=True)
class Meaning:
    function: Function
    cls: str
    roles: dict[str, int]
    contributed: Bytes
    received: Bytes
    needs: dict[int, tuple[str, ...]]  # argument index -> conditions, of arguments that are ignored in some calls
    moves: tuple[str, ...]  # which way its data goes
    peers: str  # of a collective: whom its counts are for


def blocking_form(name: str) -> str:
    """The collective that `name` is a form of: Ibcast and Bcast_init are Bcast."""
    name = name.removesuffix("_init")
    return name[1:].capitalize() if name.startswith("I") else name


def load_meanings(api: Path, functions: list[Function]) -> list[Meaning]:
    """One Meaning per function, in order. Raises ApiError if a function has no class, or two, or lacks bytes."""
    return load_semantics(api, functions)[0]


def load_semantics(api: Path, functions: list[Function]) -> tuple[list[Meaning], Classes]:
    """The same, and the classes. Raises ApiError if data are missing, or describe something unknown."""
    data = read_toml(api / "semantics.toml")
    classes = _classes(data["class"], {f.name for f in functions}, list(data["classes"]))
    facts = load_classes(data, classes)
    check_lines(data["significant"], {_line(name, cls) for name, cls in classes.items()}, list(data["classes"]))
    meanings = []
    for function in functions:
        cls = classes[function.name]
        contributed = received = Bytes()
        peers = PEERS[0]
        if cls in COLLECTIVE_CLASSES:
            rule = data["bytes"].get(_line(function.name, cls))
            if rule is None:
                raise ApiError(f"semantics.toml: [bytes] has no line for {function.name}")
            contributed, received = Bytes.parse(rule["contributed"]), Bytes.parse(rule["received"])
            peers = rule.get("peers", peers)
            if peers not in PEERS:
                raise ApiError(f"semantics.toml: [bytes] {function.name}: peers = {peers!r} is no such word")
        moves = facts.moves_of(function.name, cls)
        roles = roles_of(function, cls, moves, data["roles"].get(function.name, {}))
        needs = needs_of(function, cls, roles, data["significant"], _line(function.name, cls))
        meanings.append(Meaning(function, cls, roles, contributed, received, needs, moves, peers))
    return meanings, facts


def _line(name: str, cls: str) -> str:
    """The name of its lines in the data: the three forms of a collective share theirs."""
    return blocking_form(name) if cls in COLLECTIVE_CLASSES else name


def _classes(table: dict[str, list[str]], known: set[str], there: list[str]) -> dict[str, str]:
    classes: dict[str, str] = {}
    for cls, names in table.items():
        if cls not in there:
            raise ApiError(f"semantics.toml: there is no class {cls}")
        for name in names:
            if name not in known:
                raise ApiError(f"semantics.toml: there is no function {name} ({cls})")
            if name in classes:
                raise ApiError(f"semantics.toml: {name} is both {classes[name]} and {cls}")
            classes[name] = cls
    if missing := known - set(classes):
        raise ApiError(f"semantics.toml: no class for {', '.join(sorted(missing))}")
    return classes
