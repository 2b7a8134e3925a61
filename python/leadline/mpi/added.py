"""Libraries that the user has given a name: `leadline mpi add`. Kept in the user's settings, beside config.toml.

[libraries]
site = "/opt/mpich/bin/mpiexec"
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from leadline import own_files, owners, toml
from leadline.errors import UsageError

FILE = "mpi.toml"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,40}")


def file() -> Path | None:
    """None where the user has no home."""
    base, home = os.environ.get("XDG_CONFIG_HOME"), os.environ.get("HOME")
    if not base and not home:
        return None
    return (Path(base) if base else Path(home or "") / ".config") / "leadline" / FILE


def all_added() -> dict[str, Path]:
    """By name. A file that others can change is not obeyed: it names programs to start."""
    path = file()
    if path is None or not path.is_file() or owners.why_not_obeyed(path):
        return {}
    found = toml.load(path).get("libraries")
    if not isinstance(found, dict):
        return {}
    return {name: Path(each) for name, each in found.items() if NAME.fullmatch(name) and isinstance(each, str)}


def add(name: str, mpiexec: Path) -> Path:
    """Returns the file. Raises UsageError."""
    if NAME.fullmatch(name) is None:
        raise UsageError(f"--name {name}: expected letters, digits, dots, - and _, with a letter first")
    return _write({**all_added(), name: mpiexec})


def remove(name: str) -> Path:
    """Raises UsageError if there is no such name."""
    known = all_added()
    if known.pop(name, None) is None:
        raise UsageError(f"unknown MPI library {name!r}", hint=f"added: {', '.join(known) or 'none'}")
    return _write(known)


def _write(known: dict[str, Path]) -> Path:
    path = file()
    if path is None:
        raise UsageError("cannot keep the name: neither HOME nor XDG_CONFIG_HOME is set")
    lines = [f"{json.dumps(name)} = {_quoted(str(each))}\n" for name, each in sorted(known.items())]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with own_files.replacing(path) as out:
            out.write("".join(["# Made by leadline mpi add.\n[libraries]\n", *lines]))
    except (OSError, UnicodeError) as error:
        raise UsageError(f"cannot write {path}: {error}") from error
    return path


def _quoted(word: str) -> str:
    """JSON's strings are TOML's, except for DEL and characters beyond 16 bits."""
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")
