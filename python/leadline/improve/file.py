"""improve.toml: the settings that were proven to help a program, with what they gained, for `leadline apply`.

schema = 1
kind = "improve"
[evidence]                      # what was measured, where: anything
[[setting]]
name = "protocol-eager-65536"
kind = "protocol"
what = "OB1, eager up to 65536 bytes within a node"
variables = {OMPI_MCA_pml = "ob1"}
files = {}                      # contents, by the variable that is to name the file
without = []                    # variables that are taken away
options = []                    # of the launcher
without_options = []            # of the launcher, each with its values, that are taken away
table = ""                      # rules of collectives, as `leadline tune` writes them
option_files = {}               # contents, by the word that stands for the file's path in options
places = []                     # by rank, "HOST:CPUS", where it then runs
hosts = []                      # names of the hosts that places number
controls = {}                   # values that the library's own variables then have
hints = {}                      # that MPI-IO then says it uses for a file
memory = ""                     # "heap", "large pages": where a long block of malloc then comes from
by_shim = false                 # whether Leadline's algorithms serve them
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leadline import own_files, toml
from leadline.errors import UsageError
from leadline.improve.setting import Setting
from leadline.tuning import table as tables

SCHEMA = 1
KIND = "improve"
NAME = "improve.toml"
MOST_BYTES = 16 << 20


def as_data(setting: Setting) -> dict[str, Any]:
    """As plain data; from_data() gives the same back, without what only proofs need."""
    return {
        "name": setting.name,
        "kind": setting.kind,
        "what": setting.what,
        "risk": setting.risk,
        "share": setting.share,
        "variables": dict(setting.variables),
        "files": dict(setting.files),
        "without": list(setting.without),
        "options": list(setting.options),
        "without_options": [list(option) for option in setting.without_options],
        "table": "" if setting.table is None else tables.write(setting.table),
        "option_files": dict(setting.option_files),
        "places": list(setting.places),
        "hosts": list(setting.hosts),
        "controls": dict(setting.controls),
        "hints": dict(setting.hints),
        "memory": setting.memory,
        "by_shim": setting.by_shim,
    }


def from_data(given: Mapping[str, Any], where: str) -> Setting:
    """Raises UsageError."""
    try:
        text = str(given.get("table", ""))
        return Setting(
            name=str(given["name"]),
            kind=str(given["kind"]),
            what=str(given.get("what", "")),
            risk=str(given.get("risk", "")),
            share=float(given.get("share", 0.0)),
            variables={str(name): str(value) for name, value in dict(given.get("variables", {})).items()},
            files={str(name): str(value) for name, value in dict(given.get("files", {})).items()},
            without=tuple(str(name) for name in given.get("without", ())),
            options=tuple(str(word) for word in given.get("options", ())),
            without_options=tuple(tuple(map(str, option)) for option in given.get("without_options", ())),
            table=tables.parse(text, where) if text else None,
            option_files={str(name): str(value) for name, value in dict(given.get("option_files", {})).items()},
            places=tuple(str(each) for each in given.get("places", ())),
            hosts=tuple(str(each) for each in given.get("hosts", ())),
            controls={str(name): str(value) for name, value in dict(given.get("controls", {})).items()},
            hints={str(name): str(value) for name, value in dict(given.get("hints", {})).items()},
            memory=str(given.get("memory", "")),
            by_shim=bool(given.get("by_shim", False)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"{where}: a setting lacks {error}" if isinstance(error, KeyError) else f"{where}: {error}"
        ) from error


def write(path: Path, settings: Sequence[Setting], evidence: Mapping[str, Any]) -> None:
    out = ["# Settings that made a program faster. Use: leadline apply THIS_FILE -- COMMAND", ""]
    out += [f"schema = {SCHEMA}", f'kind = "{KIND}"', "", "[evidence]"]
    out += [f"{key} = {_value(value)}" for key, value in evidence.items() if value is not None]
    for setting in settings:
        out += ["", "[[setting]]", *(f"{key} = {_value(value)}" for key, value in as_data(setting).items())]
    path.write_text("\n".join(out) + "\n")


def is_one(path: Path) -> bool:
    """Whether a file is of this kind, rather than a tuning table, as far as it can be read."""
    try:
        return toml.parsed(own_files.read_named(path, MOST_BYTES).decode()).get("kind") == KIND
    except (OSError, ValueError):
        return False


def read(path: Path) -> tuple[list[Setting], dict[str, Any]]:
    """Settings and evidence. Raises UsageError."""
    content = toml.load(path)
    if content.get("kind") != KIND or content.get("schema") != SCHEMA:
        raise UsageError(f"{path}: no file of leadline improve that this version reads (schema = {SCHEMA})")
    given = content.get("setting", [])
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise UsageError(f"{path}: settings must be written as [[setting]]")
    evidence = content.get("evidence", {})
    return [from_data(each, str(path)) for each in given], evidence if isinstance(evidence, dict) else {}


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(name))} = {_value(each)}" for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=True) if isinstance(value, str) else repr(value)
