"""The variables of launchers and batch systems: api/launchers.toml and the C++ of launchers.hpp."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from leadline.launchers.variables import BatchVariables, LauncherVariables
from mpiapi.classes import HEAD
from mpiapi.data import read_toml
from mpiapi.standard import ApiError


def _variables(of: type, *others: str) -> dict[str, bool]:
    """By key: whether an entry must have it."""
    texts = [field for field in fields(of) if field.default is MISSING or isinstance(field.default, str)]
    return {field.name: field.default is MISSING for field in texts if field.name not in others}


def _facts(of: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(of) if isinstance(field.default, bool))


LAUNCHER_VARIABLES = _variables(LauncherVariables, "command", "source")
LAUNCHER_FACTS = _facts(LauncherVariables)
BATCH_VARIABLES = _variables(BatchVariables, "title", "source")
BATCH_FACTS = _facts(BatchVariables)
Entries = dict[str, dict[str, Any]]


def load_launchers(api: Path) -> tuple[Entries, Entries]:
    """Launchers and batch systems, by name, in the order of the file. Raises ApiError where an entry is wrong."""
    data = read_toml(api / "launchers.toml")
    if unknown := set(data) - {"launcher", "batch"}:
        raise ApiError(f"launchers.toml: [{min(unknown)}] is neither a launcher nor a batch system")
    for kind, word, variables, facts in (
        ("launcher", "command", LAUNCHER_VARIABLES, LAUNCHER_FACTS),
        ("batch", "title", BATCH_VARIABLES, BATCH_FACTS),
    ):
        for name, entry in data[kind].items():
            _check(f"launchers.toml: [{kind}.{name}]", entry, word, variables, facts)
    return data["launcher"], data["batch"]


def _check(where: str, entry: dict[str, Any], word: str, variables: dict[str, bool], facts: tuple[str, ...]) -> None:
    texts = {word, "source", *variables}
    if unknown := set(entry) - texts - set(facts):
        raise ApiError(f"{where} {min(unknown)} is no such fact")
    if missing := {word, "source", *(key for key, needed in variables.items() if needed)} - set(entry):
        raise ApiError(f"{where} has no {min(missing)}")
    for key, value in entry.items():
        if not isinstance(value, str if key in texts else bool) or value == "":
            raise ApiError(f"{where} {key} = {value!r} is wrong")


def _text(value: str | None) -> str:
    return "nullptr" if value is None else f'"{value}"'


def _table(what: str, name: str, first: str, variables: dict[str, bool], facts: tuple[str, ...], all_: Entries) -> str:
    lines = [f"struct {what} {{", f"  const char *{', *'.join((first, *variables))};",
             f"  bool {', '.join(facts)};", "};", f"inline constexpr {what} {name}[] = {{"]  # fmt: skip
    for key, entry in all_.items():
        words = [_text(key), *(_text(entry.get(variable)) for variable in variables)]
        words += ["true" if entry.get(fact) else "false" for fact in facts]
        lines.append(f"    {{{', '.join(words)}}},")
    return "\n".join([*lines, "};\n"])


def launchers_header(launchers: Entries, batch: Entries) -> str:
    """launchers.hpp: the names of the variables, nullptr where there is none."""
    return "\n".join(
        [
            HEAD,
            "#pragma once\n",
            "namespace leadline::host {\n",
            _table("LauncherVariables", "launchers", "name", LAUNCHER_VARIABLES, LAUNCHER_FACTS, launchers),
            _table("BatchVariables", "batch_systems", "system", BATCH_VARIABLES, BATCH_FACTS, batch),
            "}  // namespace leadline::host\n",
        ]
    )
