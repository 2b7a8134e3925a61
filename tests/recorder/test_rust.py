"""MPI called by Rust, also from a callback that C calls: every call is recorded, and its path leads to main."""

import shutil
import subprocess
from pathlib import Path

import pytest

from .building import PROGRAMS
from .libraries import Library, quiet_environment
from .reading import report_of
from .running import run


def rustc() -> str:
    """The compiler, unless it is a stub without one."""
    found = shutil.which("rustc")
    works = found and subprocess.run([found, "--version"], capture_output=True, check=False, timeout=60).returncode == 0
    if not found or not works:
        pytest.skip("no Rust compiler: install rustc")
    return found


def test_calls_and_callbacks_of_rust(one_of_each_family: Library, recorder: Path, tmp_path: Path) -> None:
    library = one_of_each_family
    compiler = rustc()
    (mpi,) = sorted(library.libdir.glob("libmpi*.so.[0-9]*"), key=lambda path: len(path.name))[:1]
    callbacks, program = tmp_path / "callbacks.o", tmp_path / "callbacks"
    compile_c = [str(library.mpicc), "-O1", "-c", str(PROGRAMS / "callbacks.c"), "-o", str(callbacks)]
    words = [compiler, "-O", "-g", str(PROGRAMS / "callbacks.rs"), "-o", str(program)]
    for linked in (callbacks, mpi, f"-Wl,-rpath,{library.libdir}"):
        words += ["-C", f"link-arg={linked}"]
    for command in (compile_c, words):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
    (tmp_path / "run").mkdir()
    environment = {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(tmp_path / "run")}
    outcome = run([str(program)], environment={**quiet_environment(library), **environment}, cwd=tmp_path, timeout_s=60)
    assert (outcome.returncode, outcome.stdout) == (0, "1 2\n"), outcome.stderr
    sites = [site for site in report_of(tmp_path / "run")["sites"] if site["function"] == "MPI_Barrier"]
    assert sorted(site["calls"] for site in sites) == [1, 5]
    for site in sites:
        routines = [frame["routine"] for frame in site["frames"]]
        assert (routines[0], routines[-1]) == ("main", "meet")
