"""run.json, job.json and symbols.json of a run with other names in them. What is not listed here is left out."""

from __future__ import annotations

import re
from typing import Any

from leadline.anonymise.pseudonyms import FOLDER, Pseudonyms
from leadline.figures.programs import programs_of
from leadline.figures.run import Run
from leadline.run_directory import SCHEMA, well_formed
from leadline.symbols import Location
from leadline.symbols.cache import SymbolCache

_OF_RUN = ("exit_code", "duration_s", "signalled_s", "end_unix_ns")
_WORDS_OF_RUN = ("leadline", "state", "start")
_OF_MACHINE = ("cores", "cpu", "architecture", "virtualisation", "container", "governor")
_OF_BATCH = ("system", "restarts", "end_time", "nodes")
_WORD = re.compile(r"[A-Za-z0-9_.:+-]{1,40}")


def run_json(found: dict[str, Any], run: Run, names: Pseudonyms) -> dict[str, Any]:
    """found: as run.json has it. The command is only the names of the programs, without launcher and arguments."""
    found = well_formed(found)
    kept: dict[str, Any] = {
        "schema": SCHEMA,
        "command": [names.of("program", path) for path, _ in programs_of(run)],
        "directory": FOLDER,
    }
    kept |= {key: found[key] for key in _WORDS_OF_RUN if _is_word(found.get(key))}
    kept |= {key: found[key] for key in _OF_RUN if isinstance(found.get(key), int | float)}
    if "host" in found:
        kept["host"] = names.of("host", found["host"])
    if "signals" in found:
        kept["signals"] = [word for word in found["signals"] if _is_word(word)]
    if "launcher" in found:
        kept["launcher"] = _words(found["launcher"], ("kind", "version"))
    if "machine" in found:
        machine = found["machine"]
        kept["machine"] = {key: machine.get(key) for key in _OF_MACHINE if isinstance(machine.get(key), str | int)}
    return kept


def job_json(found: dict[str, Any], names: Pseudonyms) -> dict[str, Any]:
    found = well_formed(found)
    kept: dict[str, Any] = {
        key: names.of("job", found[key]) for key in ("job", "name") if isinstance(found.get(key), str)
    }
    if isinstance(found.get("ranks"), int):
        kept["ranks"] = found["ranks"]
    if "host" in found:
        kept["host"] = names.of("host", found["host"])
    batch = found.get("batch")
    if isinstance(batch, dict) and batch.get("id"):
        kept["batch"] = {"id": names.of("job", batch["id"])}
        kept["batch"] |= {key: batch[key] for key in _OF_BATCH if key == "system" or batch.get(key, "x").isdecimal()}
        kept["batch"] = {key: value for key, value in kept["batch"].items() if _is_word(value)}
    return kept


def fill_symbols(cache: SymbolCache, run: Run, names: Pseudonyms) -> None:
    """Every address that the run's report has looked up. Those of binaries that could not be read stay unknown."""
    ids = {module.path: module.build_id for module in run.profile.modules}
    for (path, build_id, offset), frames in run.places.looked_up():
        if path in ids:
            named = tuple(_known(names.location(frame), frame, names) for frame in frames)
            cache.put(names.module(path), names.build_id(path, build_id), offset, named)


def _known(named: Location, was: Location, names: Pseudonyms) -> Location:
    """A routine that had no name gets one from its address, as it was shown."""
    if was.resolved:
        return named
    address = was.routine.rpartition("+")[2]
    shown = f"{names.module(was.module).rpartition('/')[2]}+{address}"
    return Location(shown, shown, named.module)


def _words(found: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: found[key] for key in keys if _is_word(found.get(key))}


def _is_word(value: object) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None
