"""A compiler launcher that reuses objects that ./dev has built instead of compiling the same again.

The whole command must be the same, except the paths of the build's own folder and of nanobind. Generated sources are
compared byte for byte, and an object counts only if it is newer than everything it was made from.
"""

from __future__ import annotations

import filecmp
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ELSEWHERE = re.compile(r"[^\s\"=]*/site-packages/nanobind/")


def key(command: Sequence[str], build: Path) -> str:
    """The key of a compiler's command that runs in `build`."""
    kept = [os.path.realpath(shutil.which(command[0]) or command[0])]  # c++ and g++ are one
    words = iter(command[1:])
    for word in words:
        if word in ("-o", "-MF", "-MT"):
            next(words)
        elif word not in ("-MD", "-Werror"):  # the latter changes no object
            word = word.removeprefix("-I").removeprefix("-isystem") if "nanobind" in word else word
            kept.append(ELSEWHERE.sub("NANOBIND/", f"{word}/").removesuffix("/").replace(str(build), "BUILD"))
    return " ".join(kept)


def reusable(build: Path, ninja: str) -> dict[str, str]:
    """Key to object, of what is up to date in a folder that CMake and Ninja have built."""
    fresh = _up_to_date(build, ninja)
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        command = shlex.split(entry["command"])
        target = command[command.index("-o") + 1]
        if target in fresh:
            compiler = next(place for place, word in enumerate(command) if not word.endswith("ccache"))
            found[key(command[compiler:], build)] = str(build / target)
    return found


def _up_to_date(build: Path, ninja: str) -> set[str]:
    listing = subprocess.run([ninja, "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    fresh = set()
    for block in listing.split("\n\n"):
        head, _, rest = block.partition("\n")
        target, valid = head.partition(": #deps")[0], head.endswith("(VALID)")
        made_from = [build / line.strip() for line in rest.splitlines() if line.strip()]
        if valid and (build / target).exists():
            made = (build / target).stat().st_mtime_ns
            if all(path.exists() and path.stat().st_mtime_ns <= made for path in made_from):
                fresh.add(target)
    return fresh


def main() -> None:
    """reused_objects.py TABLE BUILT COMPILER... : TABLE has what reusable() found in BUILT."""
    table, built, *command = sys.argv[1:]
    here, there = Path.cwd(), Path(built)
    found = json.loads(Path(table).read_text()).get(key(command, here))
    places = [folder / "generated" / "leadline" for folder in (here, there)]
    names = [path.name for path in places[0].glob("*")]  # none as yet: then what is compiled needs none
    if found and filecmp.cmpfiles(*places, names, shallow=False)[0] == names:
        shutil.copyfile(found, command[command.index("-o") + 1])
    else:
        os.execvp(command[0], command)


if __name__ == "__main__":
    main()
