"""Builds benchmarks/programs with a library's compiler and runs it, recorded or not."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import MeasurementFailed
from leadline.mpi import Library
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

SOURCES = Path(__file__).resolve().parents[1] / "programs"
TIMEOUT_S = 1800
# Rules for much larger messages than are sent, and one for a broadcast of 8 bytes by the library's own algorithm: what
# that takes longer is the shim's.
SHIM_TABLE = """bcast 2 64 8 8 split_native 0 1
bcast 2 64 1048576 1073741824 linear 0 0
reduce 2 64 1048576 1073741824 linear 0 0
allreduce 2 64 1048576 1073741824 linear 0 0
"""


@dataclass(frozen=True)
class Result:
    """The output of one launch. Times: a list per rank, of nanoseconds per call in each block."""

    calls: int
    wall_ns: list[list[float]]
    cpu_ns: list[list[float]]
    peak_kb: list[int]  # per rank, only where asked for
    trace_bytes: int  # of the run directory, all ranks


@dataclass(frozen=True)
class Program:
    library: Library
    path: Path
    recorder: Path
    ranks: int = 2
    shim: Path | None = None  # measured instead of the recorder, with SHIM_TABLE

    @classmethod
    def build(cls, library: Library, recorder: Path, folder: Path, ranks: int = 2) -> Program:
        """Compile it unless it is there. Raises MeasurementFailed if the compiler fails."""
        sources = sorted(SOURCES.glob("*.c"))
        text = b"".join(path.read_bytes() for path in sorted(SOURCES.iterdir()) if path.is_file())
        digest = hashlib.sha256(text + str(library.mpicc).encode()).hexdigest()[:10]
        path = folder / f"bench-{library.name}-{digest}"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            command = [str(library.mpicc), "-O2", "-std=gnu11", "-Wall", "-Wextra", *map(str, sources), "-o", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, env=library.env(), check=False)
            if done.returncode != 0:
                raise MeasurementFailed(
                    f"the benchmarks could not be compiled with {library.mpicc}: {done.stderr.strip()}"
                )
        return cls(library, path, recorder, ranks)

    def run(self, case: str, *options: str, recorded: bool) -> Result:
        """One launch. Raises MeasurementFailed if it fails or prints no result."""
        with tempfile.TemporaryDirectory(prefix="leadline-bench-") as run_directory:
            environ = [f"LEADLINE_DIR={run_directory}", f"LD_PRELOAD={self.recorder}"] if recorded else []
            if recorded and self.shim:
                table = Path(run_directory) / "table"
                table.write_text(SHIM_TABLE)
                environ = [f"LEADLINE_TABLE={table}", f"LEADLINE_SHIM_REPORT={run_directory}"]
                environ.append(f"LD_PRELOAD={self.shim}")
            command = (*self.library.launch(self.ranks), "env", *environ, str(self.path), case, *options)
            done = execute(Launch(" ".join(command), command, self.library.env(), limit_s=TIMEOUT_S)).required()
            found = _objects(done.output)
            if not any("case" in item for item in found):
                raise MeasurementFailed(f"{done.launch.label} printed no times: {done.errors.strip()[-500:]}")
            traces = list(Path(run_directory).iterdir())
            if recorded and not self.shim and len([path for path in traces if path.suffix == ".trace"]) != self.ranks:
                raise MeasurementFailed(f"{done.launch.label} left no trace: {done.errors.strip()[-500:]}")
            times = next(item for item in found if "case" in item)
            return Result(
                calls=times["calls"],
                wall_ns=times["wall_ns"],
                cpu_ns=times["cpu_ns"],
                peak_kb=[item["peak_kb"] for item in found if "peak_kb" in item],
                trace_bytes=sum(path.stat().st_size for path in traces),
            )


def _objects(output: str) -> list[dict[str, Any]]:
    """The lines that are JSON objects; launchers and libraries may print others."""
    found = []
    for line in output.splitlines():
        if line.startswith("{"):
            found.append(json.loads(line))
    return found
