"""One campaign: its file, its directory, and what is done with them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from leadline import own_files, run_directory
from leadline.campaign import dry, files, leftovers, reading, results
from leadline.campaign.execution import Execution, Job, jobs_of
from leadline.campaign.journal import FILE as JOURNAL
from leadline.campaign.journal import Journal, locked
from leadline.campaign.live import Live
from leadline.campaign.machines.machine import located
from leadline.campaign.plan import Cell, Plan
from leadline.campaign.programs import kind_of
from leadline.errors import NoSuchRun, UsageError
from leadline.runs.runner import Finished
from leadline.text import format as fmt

ORIGIN = "origin.json"  # of the file that was given: its folder, where relative paths begin, and its name


@dataclass
class Campaign:
    """kinds: of the libraries, as an earlier call found them: they need not be here to see its results."""

    plan: Plan
    directory: Path
    file: Path
    kinds: dict[str, str] = field(default_factory=dict)

    @cached_property
    def journal(self) -> Journal:
        """Read when it is needed: kept results are shown without it."""
        return Journal(self.directory)

    @staticmethod
    def of_file(file: Path, output: Path | None, parent: Path) -> Campaign:
        """Raises UsageError."""
        plan = reading.read(file)
        return Campaign(plan, (output or parent / run_directory.stem(plan.name)).absolute(), file)

    @staticmethod
    def of_directory(directory: Path) -> Campaign:
        """Of an earlier call. Raises UsageError."""
        copy = directory / files.COPY
        if not copy.is_file():
            raise NoSuchRun(
                f"{directory} is no campaign: it has no {files.COPY}", hint="leadline campaign FILE.toml begins one"
            )
        origin = run_directory.read_json(directory / ORIGIN)
        plan = reading.read(copy, Path(str(origin.get("folder", directory))), str(origin.get("name", directory.name)))
        kinds = origin.get("kinds")
        return Campaign(plan, directory.absolute(), copy, kinds if isinstance(kinds, dict) else {})

    @cached_property
    def cells(self) -> list[Cell]:
        names = [located(name, self.plan.machines)[1] for name in self.plan.libraries]
        self.kinds = {name: self.kinds.get(name) or kind_of(name) for name in names}
        found = self.plan.cells(self.kinds.__getitem__)
        if not found:
            raise UsageError(f"{self.file}: no cell is left: the excludes and settings leave nothing to run")
        return found

    def dry(self, difference: float | None) -> dict[str, Any]:
        plan = self.plan if difference is None else dataclasses.replace(self.plan, difference=difference)
        return dry.plan_of(plan, self.cells, self.journal)

    def run(self, say: Callable[[str], None], limit_s: float | None, *, retry_failed: bool) -> Finished[Job]:
        """All runs that are not finished."""
        cells = self.cells  # errors come before anything is made
        run_directory.make(self.directory)
        run_directory.refuse_if_others_write(self.directory, shared=False)
        if any(self.directory.iterdir()) and not (self.directory / files.COPY).exists():
            raise UsageError(f"{self.directory} is not empty", hint="choose a new directory with -o DIR")
        with locked(self.directory) as token:
            self.__dict__["journal"] = Journal(self.directory)  # another process may have added to it
            self.journal.drop_incomplete_line()
            self._keep_file()
            ended = leftovers.end(token)
            if ended:
                say(f"ended {fmt.plural(ended, 'process', 'processes')} of an earlier call that was killed")
            done = len(self.journal.rows)
            if done:
                say(f"resuming {self.plan.name}: {fmt.plural(done, 'run')} finished before")
            with Live(jobs_of(self.plan, cells), cells, self.journal, say) as live:
                execution = Execution(self.plan, self.journal, token, live.note, live.before, retry_failed)
                return execution.run(cells, limit_s)

    def _keep_file(self) -> None:
        origin = json.dumps({"folder": os.path.abspath(self.file.parent), "name": self.plan.name, "kinds": self.kinds})
        for name, text in ((ORIGIN, f"{origin}\n"), (files.COPY, self.file.read_text())):
            with own_files.replacing(self.directory / name, errors="surrogateescape") as out:
                out.write(text)

    def results(self) -> dict[str, Any]:
        """Kept ones, if they are of just these runs."""
        stamp = self._stamp()
        kept = files.kept_results(self.directory, stamp)
        if kept is not None:
            return kept
        found = results.document(self.plan, self.cells, self.journal)
        if self.directory.is_dir() and os.access(self.directory, os.W_OK) and self.journal.rows:
            files.write(self.directory, found, self.journal.environments, stamp)
        return found

    def _stamp(self) -> list[Any]:
        file = self.directory / JOURNAL
        status = file.stat() if file.exists() else None
        cells = [cell.id for cell in self.cells]
        return [status and status.st_size, status and status.st_mtime_ns, self.plan.repeats, hash_of(cells)]

    def for_page(self, found: dict[str, Any], page: Path) -> dict[str, Any]:
        """The results, with a link from each run to its report, relative to the page."""
        cells = []
        for cell in found["cells"]:
            runs = []
            for run in cell["runs"]:
                name = files.run_directory_of(cell, run)
                report = self.directory / name / "report.html"
                link = os.path.relpath(report, page.absolute().parent) if name and report.is_file() else ""
                runs.append({**run, "report": link})
            cells.append({**cell, "runs": runs})
        return {**found, "cells": cells, "directory": str(self.directory)}


def hash_of(words: list[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()
