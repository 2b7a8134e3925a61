"""A process that copies to a machine, runs a script there, and brings back what it left: `carry.py TASK.json`.

It tries again while there is no connection, for as long as the task says. Its exit code is 0 once that is done; the
program's own is in what came back. Everything goes through ssh's standard input and output, so that the machine needs
no other server. With this process, ssh and so the run end.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from leadline.campaign.machines import ssh
from leadline.campaign.machines.packing import unpacked
from leadline.campaign.machines.script import BEAT_S, RUN, VARIABLE
from leadline.errors import LeadlineError, MeasurementFailed

LONGEST_WAIT_S = 30.0
MOST_STARTS = 4  # of one run, whose connection is lost each time
AGAIN = (4, 9)  # the scripts' exit codes for a connection that was lost, and for an archive that is damaged


@dataclass(frozen=True)
class Task:
    """hosts: the first one runs the script, the others also get the archives, and their traces come back.

    base: the campaign's folder there.   archives: files, with the folder below base that each becomes.
    script: ""; nothing is run.   into: what came back, which must not be there.   clear: base is removed.
    patience_s: for a connection.
    """

    hosts: Sequence[str]
    base: str
    mark: str
    config: str = ""
    archives: Sequence[tuple[str, str]] = ()
    script: str = ""
    into: str = ""
    clear: bool = False
    patience_s: float = 0.0

    def text(self) -> str:
        return json.dumps(asdict(self))


class Lost(MeasurementFailed):
    """again: whether a later attempt may find a connection."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again


def main(file: str) -> int:
    task = Task(**json.loads(Path(file).read_text()))
    try:
        _done(task)
    except LeadlineError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _done(task: Task) -> None:
    for host in task.hosts if task.clear else ():
        _patiently(task, lambda host=host: _asked(task, host, f"rm -rf {task.base}"))
    for host in task.hosts:
        for archive, folder in task.archives:
            _patiently(task, lambda host=host, file=Path(archive), folder=folder: _sent(task, host, file, folder))
    if task.script:
        for host in task.hosts[1:]:
            _patiently(task, lambda host=host: _asked(task, host, _others(task, "rm -rf runs && mkdir -p runs")))
        with tempfile.TemporaryDirectory(dir=Path(task.into).parent, prefix=".back-") as folder:
            _fetched(task, Path(folder))


def _fetched(task: Task, folder: Path) -> None:
    archive = folder / "back.tar.gz"
    _patiently(task, lambda: _run(task, archive), MOST_STARTS)
    unpacked(archive, folder / "back")
    for number, host in enumerate(task.hosts[1:]):
        other = folder / f"{number}.tar.gz"
        _patiently(
            task, lambda host=host, other=other: _asked(task, host, _others(task, "tar -cf - runs | gzip -1"), other)
        )
        unpacked(other, folder / f"{number}")
        for file in sorted((folder / f"{number}").rglob("*")):
            if file.is_file():
                with contextlib.suppress(FileExistsError):
                    (folder / "back" / RUN / file.name).hardlink_to(file)
    (folder / "back").rename(task.into)


def _others(task: Task, then: str) -> str:
    """On another host than the first: ranks that a launcher left there are ended."""
    kill = (
        f'for all in $(grep -ls "{VARIABLE}={task.mark}" /proc/[0-9]*/environ); '
        "do all=${all%/environ}; kill -9 ${all#/proc/}; done"
    )
    return f"cd {task.base} && {{ {kill}; true; }} && {then}"


def _patiently(task: Task, attempt: Any, most: int = 1 << 30) -> None:
    """attempt() raises Lost if there is no connection, or none any more."""
    wait_s, since = 0.5, time.monotonic()
    while True:
        begin = time.monotonic()
        try:
            attempt()
            return
        except Lost as lost:
            most -= 1
            now = time.monotonic()
            if now - begin > LONGEST_WAIT_S:  # there was one
                wait_s, since = 0.5, now
            if not lost.again or not most or now - since + wait_s > task.patience_s:
                raise
            time.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)


def _sent(task: Task, host: str, archive: Path, folder: str) -> None:
    """What is there already of it stays: a lost connection costs only what was on its way."""
    place, part = f"{task.base}/{folder}", f"{task.base}/{folder}.part"
    above = place.rpartition("/")[0]
    size = archive.stat().st_size
    said = _asked(
        task, host, f"mkdir -p {above} && if test -d {place}; then echo whole; else wc -c < {part} || echo 0; fi"
    )
    there = (said.split() or ["0"])[0]
    if there == "whole":
        return
    known = int(there) if there.isdecimal() and int(there) <= size else 0
    with open(archive, "rb") as content:
        content.seek(known)
        _ssh(task, host, f"cat {'>>' if known else '>'} {part}", given=content)
    _asked(
        task,
        host,
        f"{{ gzip -t {part} || {{ rm -f {part}; exit 9; }}; }} && rm -rf {place}.new && mkdir {place}.new && "
        f"gzip -dc {part} | tar -xf - -C {place}.new && mv {place}.new {place} && rm -f {part}",
    )


def _run(task: Task, archive: Path) -> None:
    content = task.script.encode(errors="surrogateescape")
    name = f"{task.base}/start.sh"
    take = f"dd bs=1 count={len(content)} of={name} 2> /dev/null && exec /bin/sh {name}"
    with archive.open("wb") as out:
        _ssh(task, task.hosts[0], take, script=content, out=out)


def _asked(task: Task, host: str, script: str, place: Path | None = None) -> str:
    """What it prints, or "" if that goes to a file."""
    with tempfile.TemporaryFile() if place is None else place.open("wb") as out:
        _ssh(task, host, script, out=out)
        if place is not None:
            return ""
        out.seek(0)
        return out.read(1 << 16).decode(errors="replace")


def _ssh(
    task: Task,
    host: str,
    command: str,
    *,
    given: IO[bytes] | int = subprocess.DEVNULL,
    script: bytes = b"",
    out: IO[bytes] | int = subprocess.DEVNULL,
) -> None:
    """script: goes first, and a line every few seconds behind it. Raises Lost, or MeasurementFailed if the command
    failed there."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            ssh.words(host, task.config, command),
            stdin=subprocess.PIPE if script else given,
            stdout=out,
            stderr=errors,
        )
        if script:
            threading.Thread(target=_beat, args=(process, script), daemon=True).start()
        code = process.wait()
        errors.seek(0)
        said = errors.read(1 << 16).decode(errors="replace")
    if code == ssh.LOST or code < 0:
        why, again = ssh.explained(said, host)
        raise Lost(why, again=again)
    if code != 0:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        raise Lost(f"{host}: {lines[-1] if lines else f'exit code {code}'}", again=code in AGAIN)


def _beat(process: subprocess.Popen[bytes], script: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(script)
        process.stdin.flush()
        while process.poll() is None:
            time.sleep(BEAT_S)
            process.stdin.write(b"\n")
            process.stdin.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
