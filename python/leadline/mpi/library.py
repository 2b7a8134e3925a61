"""An installed MPI library: its tools, and how to start a program with it."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from leadline.libraries import MpiLibrary


@dataclass(frozen=True)
class Library:
    """An MPI library on this machine.

    name: as for --mpi, with the release unless it is the default one.   kind: the library.   family: the ABI family of
    the programs it builds.   environ: variables for everything that is launched.
    """

    name: str
    kind: MpiLibrary
    family: str
    mpicc: Path
    mpicxx: Path
    mpifort: Path | None
    mpiexec: Path
    libdir: Path
    environ: dict[str, str] = field(default_factory=dict, hash=False)

    @functools.cached_property
    def version(self) -> str:
        """The version that `mpiexec --version` prints; "" if it prints none."""
        try:
            done = subprocess.run(
                [self.mpiexec, "--version"],
                capture_output=True,
                text=True,
                errors="surrogateescape",
                check=False,
                timeout=30,
                env=self.env(),
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        found = re.search(r"\d+\.\d+(?:\.\d+)?\w*", done.stdout + done.stderr)
        return found.group() if found else ""

    def env(self) -> dict[str, str]:
        """This process' environment with `environ` added: what to pass to subprocess."""
        joined = {**os.environ, **self.environ}
        if theirs := os.environ.get("LD_LIBRARY_PATH"):
            joined["LD_LIBRARY_PATH"] = f"{self.environ.get('LD_LIBRARY_PATH', '')}:{theirs}".lstrip(":")
        return joined

    def launch(self, n_ranks: int, *, oversubscribe: bool | None = None) -> list[str]:
        """The words to put before a program to run it on `n_ranks` ranks.

        oversubscribe: whether ranks may share a core; by default, if there are fewer cores than ranks.
        """
        words = [str(self.mpiexec)]
        if oversubscribe is None:
            oversubscribe = n_ranks > len(os.sched_getaffinity(0))
        if oversubscribe:
            words += self.kind.oversubscribing()
        return [*words, "-n", str(n_ranks)]
