"""A stand-in for OpenPBS's commands: qsub, qstat and qdel, as far as campaigns use them. It is no PBS.

A job starts at once on this machine, with few variables as PBS has it, and is ended at its walltime. Each command is
noted, so that queries can be counted. What it prints is written after the manuals of OpenPBS.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

SCRIPT = r"""#!@python@
import os, pathlib, signal, subprocess, sys, time
folder, me, words = pathlib.Path("@folder@"), pathlib.Path(sys.argv[0]).name, sys.argv[1:]
with open(folder / "commands", "a") as log:
    log.write(f"{time.time()} {' '.join([me, *words])}\n")

def pid_of(job):
    try:
        pid = int((folder / job).read_text())
        return pid if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z" else 0
    except OSError:
        return 0

def end(pid):
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            return
        time.sleep(0.5)

if me == "qsub":
    given = {}
    while words[0].startswith("-"):
        given.setdefault(words.pop(0), []).append(words.pop(0))
    if "full" in given.get("-q", []):
        sys.exit("qsub: would exceed queue's per-user limit")
    hours, minutes, seconds = (int(part) for part in given["-l"][0].removeprefix("walltime=").split(":"))
    job = f"{1 + len(list(folder.glob('*.stand-in')))}.stand-in"
    env = {"HOME": "/", "PATH": "/usr/bin:/bin", "PBS_JOBID": job}
    (folder / job).touch()
    if os.fork() == 0:
        os.setsid()
        with open(given["-o"][0], "w") as log:
            process = subprocess.Popen(
                ["/bin/sh", *words], env=env, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
        (folder / job).write_text(str(process.pid))
        for number in (0, 1, 2):
            os.close(number)
        try:
            process.wait(3600 * hours + 60 * minutes + seconds)
        except subprocess.TimeoutExpired:
            end(process.pid)
        os._exit(0)
    while not (folder / job).read_text():
        time.sleep(0.01)
    print(job)
elif me == "qstat":
    if not (folder / words[0]).exists():
        sys.exit(f"qstat: Unknown Job Id {words[0]}")
    if not pid_of(words[0]):
        sys.exit(f"qstat: {words[0]} Job has finished, use -x or -H to obtain historical job information")
    print("Job id            Name             User              Time Use S Queue")
    print("----------------  ---------------- ----------------  -------- - -----")
    print(f"{words[0]}        leadline         someone           00:00:00 R workq")
elif pid_of(words[0]):
    end(pid_of(words[0]))
"""


class Pbs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "spool"
        self.commands = folder / "commands"
        self.folder.mkdir()
        self.commands.mkdir()
        text = SCRIPT.replace("@python@", sys.executable).replace("@folder@", str(self.folder))
        for name in ("qsub", "qstat", "qdel"):
            (self.commands / name).write_text(text)
            (self.commands / name).chmod(0o755)

    def environment(self) -> dict[str, str]:
        """It has a cache of its own: the time of the last query is in it."""
        path = f"{self.commands}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(self.folder.parent / "cache")}

    def told(self, command: str) -> list[Sequence[str]]:
        """The times and words of each call of it."""
        log = self.folder / "commands"
        lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
        return [line for line in lines if line[1] == command]

    def jobs(self) -> list[str]:
        return sorted(each.name for each in self.folder.glob("*.stand-in"))

    def running(self) -> list[int]:
        """First processes of jobs that are not over."""
        pids = [int(each.read_text() or 0) for each in self.folder.glob("*.stand-in")]
        return [pid for pid in pids if pid and Path(f"/proc/{pid}").exists()]
