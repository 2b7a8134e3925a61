"""MPI called by Go, also from a callback that C calls: every call is recorded, and the program ends as alone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .building import PROGRAMS
from .libraries import Library, quiet_environment
from .reading import calls_by_rank, report_of
from .running import run


def go() -> str:
    """The tool, unless it is missing."""
    found = shutil.which("go")
    if not found:
        pytest.skip("no Go compiler: install golang")
    return found


@pytest.mark.full
def test_calls_and_callbacks_of_go(one_of_each_family: Library, recorder: Path, tmp_path: Path) -> None:
    library = one_of_each_family
    tool, sources = go(), tmp_path / "sources"
    sources.mkdir()
    for name in ("callbacks.go", "callbacks.c"):
        shutil.copy(PROGRAMS / name, sources)
    (sources / "go.mod").write_text("module callbacks\n")
    program = tmp_path / "callbacks"
    environment = {
        **os.environ,
        "CC": str(library.mpicc),
        "CGO_ENABLED": "1",
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
        "CGO_LDFLAGS": f"-Wl,-rpath,{library.libdir}",
    }
    words = [tool, "build", "-o", str(program), "."]
    done = subprocess.run(words, cwd=sources, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    (tmp_path / "run").mkdir()
    preloaded = {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(tmp_path / "run")}
    outcome = run([str(program)], environment={**quiet_environment(library), **preloaded}, cwd=tmp_path, timeout_s=60)
    assert (outcome.returncode, outcome.stdout) == (0, "1 2\n"), outcome.stderr
    assert calls_by_rank(tmp_path / "run") == {0: {"MPI_Init": 1, "MPI_Barrier": 6, "MPI_Finalize": 1}}
    sites = [site for site in report_of(tmp_path / "run")["sites"] if site["function"] == "MPI_Barrier"]
    # Go has no unwind tables: a path begins where its code calls C.
    routines = {site["frames"][-1]["routine"] for site in sites}
    assert all(routine.endswith("meet") for routine in routines), routines
