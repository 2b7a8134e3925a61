"""Resolved addresses kept in the run's directory, so that a run stays readable when its binaries change or move."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline import own_files, owners
from leadline.symbols.location import Location

FILE_NAME = "symbols.json"
SCHEMA = "leadline.symbols/1"
MOST_BYTES = 256 << 20

_Key = tuple[str, str, int]
_MALFORMED = (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


class SymbolCache:
    """Frames by (module path, build id, offset). It has only modules with a build id; later versions of others could
    not be recognised."""

    def __init__(self, directory: Path) -> None:
        self.path_ = directory / FILE_NAME
        self.known_: dict[_Key, tuple[Location, ...]] = {}
        self.changed_ = False
        with contextlib.suppress(*_MALFORMED):
            self._load(json.loads(own_files.read(self.path_, MOST_BYTES)))

    def get(self, path: str, build_id: str, offset: int) -> tuple[Location, ...] | None:
        return self.known_.get((path, build_id, offset))

    def put(self, path: str, build_id: str, offset: int, frames: tuple[Location, ...]) -> None:
        if build_id and all(frame.resolved for frame in frames):
            self.known_[path, build_id, offset] = frames
            self.changed_ = True

    def known(self) -> Iterator[tuple[_Key, tuple[Location, ...]]]:
        yield from self.known_.items()

    def save(self) -> None:
        """Writes what is new; a directory that cannot be written is left as it is."""
        if not self.changed_:
            return
        modules: dict[tuple[str, str], dict[str, Any]] = {}
        for (path, build_id, offset), frames in sorted(self.known_.items()):
            module = modules.setdefault((path, build_id), {"path": path, "build_id": build_id, "frames": {}})
            module["frames"][f"{offset:x}"] = [_row(f) for f in frames]
        content = {"schema": SCHEMA, "modules": list(modules.values())}
        with contextlib.suppress(OSError), own_files.Directory(self.path_.parent) as directory:
            if owners.foreign_owner(directory.status()):
                return  # reading a colleague's run must not write to it
            directory.write(FILE_NAME, json.dumps(content, indent=0).encode())
            self.changed_ = False

    def _load(self, content: Any) -> None:
        if content["schema"] != SCHEMA:
            return
        for module in content["modules"]:
            path, build_id = str(module["path"]), str(module["build_id"])
            for offset, frames in module["frames"].items():
                self.known_[path, build_id, int(offset, 16)] = tuple(_location(path, *frame) for frame in frames)


def _row(frame: Location) -> list[Any]:
    row = [frame.routine, frame.full, frame.file, frame.line, frame.symbol_offset]
    return row if frame.exact else [*row, frame.apart]


def _location(
    path: str, routine: Any, full: Any, file: Any, line: Any, symbol_offset: Any, apart: Any = None
) -> Location:
    known = Location(str(routine), str(full), path, str(file), int(line), int(symbol_offset))
    return known if apart is None else replace(known, exact=False, apart=int(apart))
