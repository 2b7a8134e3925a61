"""What an improvement is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import UsageError
from leadline.improve.energy import Meter, meter
from leadline.improve.kept import finished
from leadline.improve.stopping import shortened


@dataclass(frozen=True)
class Wanted:
    """for_s: for everything.   pattern: of --time.   iterations: they, or nothing.   compared: files of results.
    only: kinds of candidates; () for all.   stop_after: iterations of the main loop, after which a launch is ended.
    steps_option: of the program, in place of its own, in every launch.   ranks: other numbers of them to try.
    meter: of the energy that is to become less; None: the time is."""

    command: tuple[str, ...]
    directory: Path
    for_s: float
    pattern: str | None = None
    iterations: bool = False
    reorder: bool = False
    compared: tuple[Path, ...] = ()
    only: tuple[str, ...] = ()
    stop_after: int | None = None
    steps_option: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    meter: Meter | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def same(self) -> dict[str, Any]:
        """What a search that is gone on with must have in common."""
        return {
            "pattern": self.pattern,
            "iterations": self.iterations,
            "reorder": self.reorder,
            "only": list(self.only),
            "compared": list(map(str, self.compared)),
            "stop_after": self.stop_after,
            "steps_option": list(self.steps_option),
            "ranks": list(self.ranks),
            **({"goal": "energy"} if self.meter is not None else {}),
        }

    @classmethod
    def of_search(cls, directory: Path, for_s: float) -> Wanted:
        """What the search of a directory was for. Raises UsageError."""
        search = finished(directory)
        found = meter() if search.asked.get("goal") == "energy" else None
        if isinstance(found, str):
            raise UsageError(f"it was measured by its energy: {found}")
        asked = search.asked
        try:
            return cls(
                search.command,
                directory,
                for_s,
                pattern=asked["pattern"],
                iterations=asked["iterations"],
                reorder=asked["reorder"],
                compared=tuple(map(Path, asked["compared"])),
                only=tuple(asked["only"]),
                stop_after=asked["stop_after"],
                steps_option=tuple(asked["steps_option"]),
                ranks=tuple(asked["ranks"]),
                meter=found,
            )
        except (KeyError, TypeError) as error:
            raise UsageError(f"{directory}: the search does not say what it was asked, such as {error}") from None

    @property
    def only_iterations(self) -> bool:
        return self.iterations or self.stop_after is not None

    @property
    def launched(self) -> tuple[str, ...]:
        """The command as it is tried."""
        return shortened(self.command, self.steps_option, self.environ.get("PATH"))
