"""Mistakes that people make, each typed in a real terminal: what is said before, while and after."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import kept_builds
import pytest

from leadline import mpi

from .conftest import TINY, Command, Tiny
from .terminal import Shown, in_terminal

COLUMNS = 76
RANDOM = Path(__file__).parents[1] / "programs" / "random_program.c"
OPEN_MPI = ("--oversubscribe",)


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    return Typed(tmp_path)


class Typed:
    """Types `leadline …` in a terminal, in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __call__(self, *words: str | Path, environ: dict[str, str] | None = None, interrupt_at: str = "") -> Shown:
        return self.plain(*Command.words, *words, environ=environ, interrupt_at=interrupt_at)

    def plain(self, *words: str | Path, environ: dict[str, str] | None = None, interrupt_at: str = "") -> Shown:
        shown = in_terminal(words, self.directory, columns=COLUMNS, environ=environ, interrupt_at=interrupt_at)
        assert "Traceback" not in shown.text, shown.text
        return shown


def mpiexec(library: mpi.Library, ranks: int = 2) -> list[str]:
    """With no more words than a person types."""
    words = [str(library.mpiexec), "-n", str(ranks)]
    return [*words, *OPEN_MPI] if library.name == "openmpi" else words


@pytest.mark.parametrize("launches", ["mpich", "openmpi"])
def test_another_librarys_launcher(
    launches: str, mpich: mpi.Library, openmpi: mpi.Library, tiny: Tiny, typed: Typed
) -> None:
    launcher, library = (mpich, openmpi) if launches == "mpich" else (openmpi, mpich)
    theirs, ours = ("MPICH or Intel MPI", "Open MPI") if launches == "mpich" else ("Open MPI", "MPICH")
    command = [*mpiexec(launcher), str(tiny(library))]
    foreseen = f"{launcher.mpiexec} belongs to {theirs}, but {tiny(library).name} uses {ours} ("
    instead = f"start it with {Path(library.mpiexec)}"
    doctor = typed("doctor", "--", *command)
    assert doctor.code == 3, doctor.text  # the lines of its table are folded wherever they are full
    packed = "".join(doctor.text.split())
    assert "".join(foreseen.split()) in packed
    assert "".join(instead.split()) in packed
    run = typed("run", "--", *command, environ=launcher.env())
    assert f"warning: {foreseen}" in run.flat, run.text
    assert instead in run.flat
    assert run.flat.index("warning:") < run.flat.index("recording to")
    said = [
        f"2 processes ran separately, each as rank 0 of 1: they were launched by the mpiexec of {theirs}",
        f"2 ranks could not connect as one job: they were launched by the mpiexec of {theirs}",
    ]
    assert any(words in run.flat for words in said), run.text
    assert f"but the program uses {ours}" in run.flat


def test_the_right_launcher_is_not_complained_about(library: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    doctor = typed("doctor", "--", *mpiexec(library, 1), str(tiny(library)))
    assert doctor.code == 0, doctor.text
    assert "belongs to" not in doctor.flat


@pytest.mark.parametrize("command", ["run", "record", "apply"])
def test_leadline_started_by_the_launcher(command: str, mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    words = [command, "table.toml"] if command == "apply" else [command]
    around = f"leadline {command}{' TABLE' if command == 'apply' else ''} -- mpiexec -n 2"
    done = typed.plain(*mpiexec(mpich), *Command.words, *words, str(tiny(mpich)))
    assert done.code == 2, done.text
    assert done.flat.count("once per rank, and each would record its rank as a separate run") == 1
    assert f"mpiexec started `leadline {command}` 2 times" in done.flat
    assert around in done.flat
    assert ("leadline exec" in done.flat) == (command != "apply")
    assert "ranks=" not in done.flat
    assert list(typed.directory.iterdir()) == []


def test_a_launcher_that_starts_one_process_is_no_mistake(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    done = typed.plain(*mpiexec(mpich, 1), *Command.words, "record", "-o", "run", "--", str(tiny(mpich)))
    assert done.code == 0, done.text
    assert "ranks=1" in done.flat


def test_more_ranks_than_cores(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    cores = len(os.sched_getaffinity(0))
    doctor = typed("doctor", "--", *mpiexec(mpich, cores + 1), str(tiny(mpich)))
    assert doctor.code == 0, doctor.text
    assert f"{cores + 1} ranks on {cores} core" in doctor.flat
    waiting = "all times will include waiting for a core"
    assert waiting in doctor.flat
    assert waiting not in typed("doctor", "--", *mpiexec(mpich, cores), str(tiny(mpich))).flat
    elsewhere = [*mpiexec(mpich, cores + 1), "-hosts", "a,b", str(tiny(mpich))]
    assert waiting not in typed("doctor", "--", *elsewhere).flat


def test_a_program_that_loads_two_mpi_libraries(
    mpich: mpi.Library, openmpi: mpi.Library, tiny: Tiny, typed: Typed
) -> None:
    (typed.directory / "empty.c").write_text("int main(void) { return 0; }")
    program = typed.directory / "both"
    files = [(mpich, "libmpi.so.12"), (openmpi, "libmpi.so.40")]
    libraries = [next(Path(library.mpiexec).parents[1].glob(f"lib/{name}")) for library, name in files]
    options = ["-Wl,--no-as-needed", *(f"-Wl,-rpath,{file.parent}" for file in libraries)]
    subprocess.run(["gcc", "empty.c", *options, *libraries, "-o", program], cwd=typed.directory, check=True)
    doctor = typed("doctor", "--", program)
    assert doctor.code == 3, doctor.text
    assert "both loads two MPI libraries:" in doctor.flat


def test_a_library_that_takes_the_place_of_the_one_linked(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    program, other = tiny(mpich), typed.directory / "other"
    linked = next(Path(mpich.mpiexec).parents[1].glob("lib/libmpi.so.12"))
    other.mkdir()
    shutil.copy(linked, other / "libmpi.so.12")
    environ = {"LD_LIBRARY_PATH": f"{other}:{linked.parent}"}
    doctor = typed("doctor", "--", *mpiexec(mpich), program, environ=environ)
    assert doctor.code == 0, doctor.text
    packed = "".join(doctor.text.split())
    assert f"butLD_LIBRARY_PATHselectsMPICH({other}/libmpi.so.12),whichiswhatwillbemeasured" in packed
    run = typed("record", "--", *mpiexec(mpich), program, environ=environ)
    assert f"warning: {program.name} was linked against MPICH (" in run.flat
    same = {"LD_LIBRARY_PATH": str(linked.parent)}
    assert "was linked against" not in typed("doctor", "--", *mpiexec(mpich), program, environ=same).flat
    bare = typed.directory / "bare"  # that it was linked for what the system has, nothing says
    subprocess.run(["gcc", "-xc", "-", "-xnone", linked, "-o", bare], input="int main() { }", text=True, check=True)
    assert "was linked against" not in typed("doctor", "--", bare, environ=environ).flat


def test_a_library_that_is_not_found(mpich: mpi.Library, typed: Typed) -> None:
    """Built where another module was loaded: the loader does not find that MPI library here."""
    folder, name = typed.directory / "elsewhere", "libmpi_gnu_00.so.12"
    folder.mkdir()
    (folder / "libmpi.c").write_text("int MPI_Init(int* argc, char*** argv) { return !argc || !argv; }")
    (folder / "app.c").write_text("int MPI_Init(int*, char***);\nint main(void) { return MPI_Init(0, 0); }")
    subprocess.run(["gcc", "libmpi.c", "-shared", f"-Wl,-soname,{name}", "-o", name], cwd=folder, check=True)
    subprocess.run(["gcc", "app.c", name, "-o", "app"], cwd=folder, check=True)
    (folder / name).unlink()
    run = typed("run", "--", *mpiexec(mpich, 1), folder / "app")
    assert "warning: app was built for MPICH (and Intel MPI, Cray MPICH, MVAPICH), but" in run.flat, run.text
    assert f"the loader cannot find {name}" in run.flat
    assert run.flat.count("load the module it was built with") == 1, run.text
    doctor = typed("doctor", "--", *mpiexec(mpich, 1), folder / "app")
    assert doctor.code == 3
    assert doctor.flat.count("not found") == 1, doctor.text


@pytest.mark.parametrize("size", ["64", "65536", "999999"])
def test_a_size_without_a_unit(size: str, typed: Typed) -> None:
    done = typed("run", "--budget", size, "--", "touch", "started")
    assert done.code == 2
    assert f"--budget {size} has no unit" in done.flat
    assert not (typed.directory / "started").exists()


def test_a_budget_that_ran_out_leads_the_verdict(mpich: mpi.Library, typed: Typed) -> None:
    def compile_to(program: Path) -> None:
        words = [mpich.mpicc, "-O1", RANDOM, "-o", program]
        subprocess.run(words, check=True, env=mpich.env(), timeout=120)

    sources = [RANDOM.read_text(), RANDOM.with_name("random_leaves.h").read_text(), kept_builds.identity(mpich)]
    program = kept_builds.kept("random-program", sources, compile_to)
    done = typed("run", "-o", "run", "--budget", "64kB", "--", program, "3", "structureless", "30000")
    assert done.code == 0, done.text
    report = typed("report", "run")
    assert report.flat.startswith("The trace size limit of 64.0 kB per rank (--budget) was reached on 1 rank: "), (
        report.text
    )
    assert "Record again with --budget 1MB." in report.flat


def test_an_interrupted_run_is_called_that(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    done = typed("run", "-o", "run", "--", *mpiexec(mpich), str(tiny(mpich)), "sleep", interrupt_at="ranks=2")
    assert "The run was interrupted (Ctrl-C) after" in done.flat, done.text
    assert "All figures end there." in done.flat
    assert "Incomplete" not in done.flat
    assert "The run was interrupted (Ctrl-C) after" in typed("report", "run").flat


def test_a_time_limit_is_called_that(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    """`timeout` around us sends SIGTERM, as batch systems do. The test sends it once the program runs."""
    script = typed.directory / "limited.py"
    script.write_text(LIMITED)
    done = typed.plain(sys.executable, script, *Command.words, "run", "--", *mpiexec(mpich), str(tiny(mpich)), "sleep")
    assert "SIGTERM ended the run (time limit or cancelled job) after" in done.flat, done.text
    assert "Incomplete" not in done.flat


@pytest.mark.parametrize("minutes_ago", [1, -60])
def test_the_end_of_a_batch_jobs_time_is_called_that(
    minutes_ago: int, mpich: mpi.Library, tiny: Tiny, typed: Typed
) -> None:
    """Nothing but the clock says so, where the batch system kills the ranks and us alike."""
    environ = {"SLURM_JOB_ID": "7", "SLURM_JOB_END_TIME": str(int(time.time()) - 60 * minutes_ago)}
    done = typed("run", "--", *mpiexec(mpich), tiny(mpich), "abort", environ=environ)
    reached = "The job reached its time limit after"
    assert (reached in done.flat) == (minutes_ago > 0), done.text
    assert ("called MPI_Abort in main" in done.flat) == (minutes_ago < 0)


LIMITED = """
import subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
for line in process.stdout:
    print(line)
    if line.startswith("ranks="):
        process.terminate()
sys.exit(process.wait())
"""


def test_a_run_that_still_goes_on_is_called_that(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    command = [*Command.words, "record", "-o", "run", "--", *mpiexec(mpich), str(tiny(mpich)), "sleep"]
    with subprocess.Popen(
        command, cwd=typed.directory, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        while not running.stdout.readline().startswith("ranks="):
            pass
        report = typed("report", "run")
        running.terminate()
    assert "The run is still going after" in report.flat, report.text
    assert "these are the figures so far." in report.flat
    assert "Incomplete" not in report.flat


def test_a_program_that_aborts_is_called_that(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    done = typed("run", "--", *mpiexec(mpich), str(tiny(mpich)), "abort")
    # One rank may end the other before it comes to its call. The exit code is 9, unless Hydra died of SIGPIPE
    # (tests/mpi_facts.py).
    called = r"Rank [01](?: and 1 other)? called MPI_Abort in main \(exit code "
    assert re.search(called, done.flat), done.text
    assert not re.search("interrupted|Incomplete", done.flat), done.text


def test_a_program_without_debug_information(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    advice = "has no debug information: call sites lack file and line. Compile with -g."
    done = typed("run", "-o", "run", "--", str(tiny(mpich)))
    assert done.flat.count(f"{tiny(mpich).name} {advice}") == 1, done.text
    assert typed("report", "run").flat.count(advice) == 1

    def compile_to(program: Path) -> None:
        words = [mpich.mpicc, "-g", "-x", "c", "-", "-o", program]
        subprocess.run(words, input=TINY, text=True, check=True, env=mpich.env(), timeout=120)

    with_lines = kept_builds.kept("tiny-with-lines", [TINY, kept_builds.identity(mpich)], compile_to)
    assert advice not in typed("run", "--", str(with_lines)).flat


TABLE = """schema = 1
[evidence]
library = "{library}"
version = "{version}"
[[rule]]
operation = "allreduce"
processes = [1, 4]
bytes = [4, 64]
algorithm = "recursive_doubling"
"""


def test_a_table_that_is_missing_or_malformed(typed: Typed) -> None:
    done = typed("apply", "nosuch.toml", "--", "touch", "started")
    assert done.code == 2
    assert "program not started: table nosuch.toml does not exist" in done.flat
    (typed.directory / "bad.toml").write_text(TABLE.replace("allreduce", "everything"))
    done = typed("apply", "bad.toml", "--", "touch", "started")
    assert done.code == 2
    assert "bad.toml, line 6: unknown operation 'everything'; available: " in done.flat
    assert not (typed.directory / "started").exists()


@pytest.mark.parametrize(
    ("library", "version", "said"),
    [
        ("openmpi", "Open MPI v5.0.11", "the table was made for Open MPI, but the program uses MPICH:"),
        ("mpich", "MPICH Version: 1.2.3", "the table was made for MPICH 1.2.3, but the program uses MPICH "),
        ("mpich", "", ""),
        ("unheard-of", "7", ""),
    ],
)
def test_a_table_for_another_library(
    library: str, version: str, said: str, mpich: mpi.Library, tiny: Tiny, typed: Typed
) -> None:
    (typed.directory / "table.toml").write_text(TABLE.format(library=library, version=version))
    words = ["apply", "table.toml", "--json", "--", *mpiexec(mpich), str(tiny(mpich))]
    done = typed(*words)
    assert done.code == 0, done.text
    before, _, after = done.flat.partition("ranks=2")
    assert ("warning:" in before) == ("warning:" in after) == bool(said)
    assert said in before
    assert said in after


def test_a_table_made_here_is_no_mistake(mpich: mpi.Library, tiny: Tiny, typed: Typed) -> None:
    from leadline.tuning.made_for import version_of, warnings_about
    from leadline.tuning.table import parse

    program = tiny(mpich)
    file = next(Path(mpich.mpiexec).parents[1].glob("lib/libmpi.so.12")).resolve()
    version = version_of(file, os.environ)
    assert version.startswith("MPICH")
    table = parse(TABLE.format(library="mpich", version=version.replace("\t", " ")))
    assert warnings_about(table, [*mpiexec(mpich), str(program)]) == []
