"""What a job runs: `worker.py FOLDER SECONDS once|many`. It takes runs from its folder until it is told to stop, has
had the one that it is for, or has waited for a while."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.campaign import conditions
from leadline.campaign.batch import files
from leadline.campaign.batch.system import SYSTEMS
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

IDLE_S = 120.0
LOOK_S = 0.2


@dataclass
class Worker:
    """limit_s: of the job."""

    folder: Path
    limit_s: float
    once: bool

    def work(self) -> None:
        begin = last = time.monotonic()
        taken = 0
        while not (self.folder / files.STOP).exists() and time.monotonic() - last < IDLE_S:
            for file in sorted(self.folder.glob(f"*{files.TASK}")):
                limit_s = float(json.loads(file.read_text())["limit_s"])
                if taken and time.monotonic() - begin + limit_s > self.limit_s:
                    return  # another job has time for it
                if files.moved(file, file.with_suffix(files.TAKEN)):
                    taken += 1
                    self._run(file.with_suffix(files.TAKEN))
                    last = time.monotonic()
                    if self.once:
                        return
            time.sleep(LOOK_S)

    def _run(self, file: Path) -> None:
        task = json.loads(file.read_text())
        if task["fresh"]:  # of a run that was interrupted
            shutil.rmtree(task["fresh"], ignore_errors=True)
        before = conditions.Busy.now()
        env = {**os.environ, **task["environment"]}
        done = execute(Launch(file.stem, tuple(task["words"]), env, Path(task["directory"]), task["limit_s"]))
        found: dict[str, Any] = {
            "ending": done.ending.value,
            "output": done.output,
            "errors": done.errors,
            "exit_code": done.exit_code,
            "signal": done.signal,
            "limit_s": done.limit_s,
            "error": done.error,
            "begin_unix_ns": done.begin_unix_ns,
            "wall_s": done.wall_s,
            "cpu_s": done.cpu_s,
            "peak_kb": done.peak_kb,
        }
        told = {"load": before.load, "stolen": conditions.Busy.now().stolen_since(before)}
        files.write(file.with_suffix(files.DONE), {"outcome": found, "told": told, "host": conditions.of_machine()})
        file.unlink(missing_ok=True)


def main(folder: Path, limit_s: float, often: str) -> None:
    ids = [os.environ[each.variable] for each in SYSTEMS.values() if os.environ.get(each.variable)]
    if ids and not (folder / files.ID).exists():
        (folder / files.ID).write_text(ids[0])
    try:
        Worker(folder, limit_s, often == "once").work()
    finally:
        (folder / files.ENDED).touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
