"""Starts the opatm workload and takes its last line apart."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.mpi import Library

RUN_TIMEOUT_S = 300  # only against hanging, as in recorded.py
# Open MPI would pin the ranks of every job to the same first cores.
UNBOUND = {"OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_hwloc_default_binding_policy": "none"}
RESULT = re.compile(r"^opatm: (?P<run>.*): [\d.]+ s \(.*\), mass error (?P<error>\S+), checksum (?P<sum>[0-9a-f]{16})$")


@dataclass(frozen=True)
class Program:
    """A built opatm and the library it runs with."""

    library: Library
    executable: Path

    def start(
        self, ranks: int, options: Sequence[str], *, cwd: Path, wrapper: Sequence[str] = (), left_out: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        """left_out: an exchange that is not made, as in OPATM_LEAVE_OUT."""
        environment = {**os.environ, **self.library.environ, **UNBOUND}
        if left_out:
            environment["OPATM_LEAVE_OUT"] = left_out
        command = [*self.library.launch(ranks, oversubscribe=True), *wrapper, str(self.executable), *options]
        return subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_TIMEOUT_S,
            check=False,
        )


@dataclass(frozen=True)
class Result:
    run: str  # "grid 14x10x8, 7 tracers, 2 ranks in strips, 3 steps"
    mass_error: float
    checksum: str


def result_of(done: "subprocess.CompletedProcess[str]") -> Result:
    lines = done.stdout.splitlines()
    assert len(lines) == 1, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    found = RESULT.match(lines[0])
    assert found, lines[0]
    return Result(found["run"], float(found["error"]), found["sum"])


def run_opatm(program: Program, ranks: int, options: Mapping[str, object], *, cwd: Path) -> Result:
    """Runs to the end and expects success. options: by name without dashes; output goes to `out.bin` by default."""
    words = [f"--{name}={value}" for name, value in {"output": "out.bin", **options}.items()]
    done = program.start(ranks, words, cwd=cwd)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return result_of(done)
