"""What an improvement has measured so far, in its directory: a line for each launch, so that nothing is measured twice.

search.json     the command, what is compared, the candidates that are tried, and those that are not
measured.jsonl  a line for each launch: stage, round, name, seconds (null: it failed)
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.errors import UsageError
from leadline.improve.search import BASE, Stage
from leadline.json_text import parsed
from leadline.statistics.median import median

SCHEMA = 1
SEARCH, MEASURED = "search.json", "measured.jsonl"
MOST_BYTES = 64 << 20
LATE = 8  # launches


@dataclass(frozen=True)
class Finished:
    """What a search was for, and what it planned.   asked: the options that it depends on.   measured: what was
    compared.   record_wall_s: the recorded run's time.   ended_s: after which launches were ended, if they were."""

    command: tuple[str, ...]
    asked: dict[str, Any]
    plan: dict[str, Any]
    measured: str
    ranks: int
    record_wall_s: float
    ended_s: float | None


def finished(directory: Path) -> Finished:
    """The search of a directory. Raises UsageError if there is none."""
    try:
        found = parsed(own_files.read_named(directory / SEARCH, MOST_BYTES))
        if not isinstance(found, dict) or found.get("schema") != SCHEMA or not found.get("plan"):
            raise ValueError("no search of leadline improve that has begun")
        plan, ended_s = dict(found["plan"]), found["plan"].get("ended_s")
        return Finished(
            tuple(map(str, found["command"])),
            dict(found["asked"]),
            plan,
            str(plan["measured"]),
            int(plan["ranks"]),
            float(plan["record_wall_s"]),
            None if ended_s is None else float(ended_s),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise UsageError(f"{directory / SEARCH}: {what}", hint="-o DIR: that of a search") from None


class Kept:
    """The directory's content. Raises UsageError if it belongs to another command."""

    def __init__(self, directory: Path, command: Sequence[str], asked: dict[str, Any]) -> None:
        """asked: the options that the search depends on."""
        self.directory = directory
        self._same = {"schema": SCHEMA, "command": list(command), "asked": asked}
        self.plan: dict[str, Any] = {}
        self._seconds: dict[tuple[str, int, str], float | None] = {}
        self._more: list[dict[str, Any]] = []
        if (directory / SEARCH).is_file():
            self._read()
        elif any(directory.iterdir()):
            raise UsageError(f"{directory} is not empty", hint="choose a new directory with -o DIR")
        else:
            self.keep_plan({})  # from here on the directory is this search's

    def _read(self) -> None:
        try:
            found = parsed(own_files.read_named(self.directory / SEARCH, MOST_BYTES))
            if not isinstance(found, dict) or not isinstance(found.get("command"), list):
                raise ValueError("no search of leadline improve")
            if {name: found.get(name) for name in self._same} != self._same:
                raise UsageError(
                    f"{self.directory} holds another search: {' '.join(map(str, found['command']))}",
                    hint="choose another directory with -o DIR; the same command and options go on with a search",
                )
            self.plan = found.get("plan") or {}
            text = own_files.read_named(self.directory / MEASURED, MOST_BYTES).decode()
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise UsageError(f"{self.directory / SEARCH}: {error}", hint="choose a new directory with -o DIR") from None
        if text and not text.endswith("\n"):  # killed while it wrote
            with (self.directory / MEASURED).open("a") as file:
                file.write("\n")
        for line in text.splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError):  # one may be cut short
                each = parsed(line)
                self._seconds[each["stage"], each["round"], each["name"]] = each["seconds"]
                self._more.append(each)

    def keep_plan(self, plan: dict[str, Any]) -> None:
        """Replaces the file at once: whoever reads it finds the old plan or the new one."""
        self.plan = plan
        new = self.directory / f"{SEARCH}.new"
        new.write_text(json.dumps({**self._same, "plan": plan}, indent=1) + "\n")
        os.replace(new, self.directory / SEARCH)

    def has(self, stage: Stage, number: int, name: str) -> bool:
        return (stage.value, number, name) in self._seconds

    def seconds(self, stage: Stage, number: int, name: str) -> float | None:
        return self._seconds[stage.value, number, name]

    def add(self, stage: Stage, number: int, name: str, seconds: float | None, **more: Any) -> None:
        self._seconds[stage.value, number, name] = seconds
        each = {"stage": stage.value, "round": number, "name": name, "seconds": seconds, **more}
        self._more.append(each)
        with (self.directory / MEASURED).open("a") as file:
            file.write(json.dumps(each) + "\n")

    def why_failed(self, name: str) -> str:
        return next((str(each["why"]) for each in reversed(self._more) if each["name"] == name and each.get("why")), "")

    def unchanged(self) -> tuple[float | None, float | None]:
        """The median time of the unchanged program, and the median deviation from it, as a share; None if unknown."""
        found = [seconds for (_, _, name), seconds in self._seconds.items() if name == BASE and seconds is not None]
        if not found:
            return None, None
        middle = median(found)
        return middle, median(abs(seconds - middle) for seconds in found) / middle

    def typical(self, stage: Stage, name: str) -> float | None:
        """The median time in a stage; None if there is none."""
        found = [seconds for (of, _, who), seconds in self._seconds.items() if (of, who) == (stage.value, name)]
        return median([seconds for seconds in found if seconds is not None]) if any(found) else None

    @property
    def launches(self) -> int:
        return len(self._more)

    @property
    def launch_s(self) -> float:
        """What a launch takes: typically, or of late, if that is longer, because the machine got busier."""
        late = self._more[-LATE:]
        of_late = sum(float(each.get("wall_s") or 0) for each in late) / len(late) if late else 0.0
        return max(self.wall_s / self.launches, of_late) if self.launches else 0.0

    @property
    def wall_s(self) -> float:
        """Of all launches, those of earlier sessions too."""
        return sum(float(each.get("wall_s") or 0) for each in self._more)
