"""When an argument of a function means something: [significant] of api/semantics.toml."""

from __future__ import annotations

from typing import Any

from mpiapi.standard import ApiError, Function

# In the order of the bits of host::Needs (src/host/significance.hpp).
CONDITIONS = "at_root names_root not_idle sends receives operates".split()
# The roles that each condition is read from. Intercomm_create_from_groups has a leader, but no communicator in which
# that is a rank.
_READ_FROM = {"at_root": ("root",), "names_root": ("root",), "not_idle": ("root",), "sends": ("sbuf",),
              "receives": ("rbuf",), "operates": ("op",)}  # fmt: skip
_WITHOUT_ROLES = ("Intercomm_create_from_groups",)


def needs_of(
    function: Function, cls: str, roles: dict[str, int], table: dict[str, Any], line: str
) -> dict[int, tuple[str, ...]]:
    """Argument index -> conditions, for the arguments that are ignored in some calls.

    table: [significant].   line: the name under which the function stands there. Raises ApiError if there is nothing
    about the function, or something that does not fit it.
    """
    if cls in table["everywhere"]:
        if line in table:
            raise ApiError(f"semantics.toml: [significant] {line} has a line, but {cls} is in `everywhere`")
        return {}
    if line not in table:
        raise ApiError(f"semantics.toml: [significant] does not say which arguments of {function.name} count when")
    positions = {p.name: i for i, p in enumerate(function.arguments)}
    needs = {}
    for argument, text in table[line].items():
        words = tuple(text.split())
        if argument not in positions:
            raise ApiError(f"semantics.toml: [significant] {function.name} has no argument {argument}")
        for word in words:
            if word not in CONDITIONS:
                raise ApiError(f"semantics.toml: [significant] {function.name}: {word!r} is no condition")
            missing = [role for role in _READ_FROM[word] if role not in roles]
            if missing and function.name not in _WITHOUT_ROLES:
                raise ApiError(f"semantics.toml: [significant] {function.name}: {word} needs the role {missing[0]}")
        needs[positions[argument]] = words
    return needs


def check_lines(table: dict[str, Any], known: set[str], classes: tuple[str, ...] | list[str]) -> None:
    """Raises ApiError if [significant] has a line or a class that is not used.

    known: the names under which functions stand there.
    """
    for cls in table["everywhere"]:
        if cls not in classes:
            raise ApiError(f"semantics.toml: [significant] there is no class {cls}")
    if unknown := set(table) - {"everywhere"} - known:
        raise ApiError(f"semantics.toml: [significant] there is no function {', '.join(sorted(unknown))}")
