"""The functions of MPI: pympistandard's data of the standard, corrected and completed by api/overrides.toml."""

from __future__ import annotations

import importlib.resources
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpiapi.data import read_toml

PYMPISTANDARD_VERSION = "0.2.0"


class ApiError(Exception):
    """The data in api/ contradicts itself or the standard's."""


@dataclass(frozen=True)
class Parameter:
    """One C parameter: `kind` as in pympistandard ("COMMUNICATOR", ...), `direction` "in", "out" or "inout".

    pointer: whether it is passed as a pointer, where that does not follow from direction and array.
    root_only: whether the standard's data say that it counts at the root only.
    """

    name: str
    kind: str
    direction: str
    array: bool = False
    large_only: bool = False
    pointer: bool | None = None
    root_only: bool = False


@dataclass(frozen=True)
class Function:
    """A C function of MPI; `name` without MPI_, `parameters` with those that only the large-count form has."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    large: bool

    @property
    def arguments(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if not p.large_only)

    @property
    def large_arguments(self) -> tuple[Parameter, ...]:
        return self.parameters


def _parameter(entry: dict[str, Any]) -> Parameter:
    return Parameter(
        name=entry["name"],
        kind=entry["kind"],
        direction=entry["param_direction"],
        array=entry["length"] is not None,
        large_only=entry["large_only"],
        pointer=entry["pointer"],
        root_only=entry["root_only"],
    )


def _function(entry: dict[str, Any]) -> Function:
    parameters = tuple(_parameter(p) for p in entry["parameters"] if "c_parameter" not in p["suppress"].split())
    # pympistandard calls a kind POLY... if the _c form widens it.
    large = any(p.kind.startswith("POLY") or p.large_only for p in parameters)
    return Function(entry["name"].removeprefix("MPI_"), entry["return_kind"], parameters, large)


def _parse_parameter(text: str) -> Parameter:
    name, kind, direction = text.split(":")
    return Parameter(name, kind, direction.removesuffix("[]"), direction.endswith("[]"))


def _standard() -> dict[str, Function]:
    raw = importlib.resources.files("pympistandard").joinpath("data/apis.json").read_text(encoding="utf-8")
    functions = {}
    for entry in json.loads(raw).values():
        attributes = entry["attributes"]
        if attributes["callback"] or attributes["predefined_function"] or not attributes["c_expressible"]:
            continue
        function = _function(entry)
        functions[function.name] = function
    return functions


def load_functions(api: Path) -> list[Function]:
    """All C functions, sorted by name. Raises ApiError if an override does not fit the standard's data."""
    overrides = read_toml(api / "overrides.toml")
    functions = _standard()
    for name, parameters in overrides.get("functions", {}).items():
        if name in functions:
            raise ApiError(f"overrides.toml: {name} is in the standard's data")
        functions[name] = Function(name, "ERROR_CODE", tuple(map(_parse_parameter, parameters)), large=False)
    return [functions[name] for name in sorted(functions)]
