"""The file system that a path of the run lies on, as this machine has it mounted now."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

MOUNTS = "/proc/self/mounts"
_OCTAL = re.compile(r"\\([0-7]{3})")


def file_system_of(path: str, mounts: str | None = None) -> str:
    """ "lustre", "ext4"; "": unknown, as for a relative path.   mounts: in the form of /proc/self/mounts; None: those
    of this machine."""
    if not path.startswith("/"):
        return ""
    if mounts is None:
        try:
            with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
                mounts = file.read()
        except OSError:
            return ""
    above = {str(parent) for parent in (PurePosixPath(path), *PurePosixPath(path).parents)}
    deepest, found = -1, ""
    for line in mounts.splitlines():
        words = line.split()
        if len(words) < 3:
            continue
        where = _OCTAL.sub(lambda match: chr(int(match[1], 8)), words[1])
        if where in above and len(where) >= deepest:  # what was mounted later hides what is there
            deepest, found = len(where), words[2]
    return found
