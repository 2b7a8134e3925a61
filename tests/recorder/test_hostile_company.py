"""Not alone in the process: other tools before and behind us, other mallocs, plug-ins that come and go."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from . import hostile
from .building import PROGRAMS, Builder
from .hostile import Fake
from .libraries import Library
from .oracle import read_totals
from .reading import calls_by_rank, functions_of, open_processes, report_of
from .running import run, run_mpi

STEPS = 1000


@pytest.fixture(scope="session")
def fake() -> Fake:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    return hostile.build()


def shared(name: str) -> Path:
    """A library of the system's by name."""
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        if line.strip().startswith(f"{name} "):
            return Path(line.rpartition("=> ")[2].strip())
    pytest.skip(f"{name} is not installed")


@pytest.mark.parametrize("name", ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"])
@pytest.mark.parametrize("how", ["eight", "spawned"])
def test_another_malloc_is_preloaded(name: str, how: str, fake: Fake, recorder: Path, tmp_path: Path) -> None:
    with_malloc = Fake(fake.program, fake.library, (shared(name),))
    with_malloc.both(how, STEPS, recorder, tmp_path, with_file=how == "spawned")
    (calls,) = calls_by_rank(tmp_path / "run").values()
    assert calls["MPI_Send"] == STEPS * (8 if how == "eight" else 5)
    assert report_of(tmp_path / "run")["complete"]


def test_a_program_has_a_malloc_of_its_own(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    program = tmp_path / "own"
    sources = [PROGRAMS / "hostile.c", PROGRAMS / "own_malloc.c"]
    words = ["cc", "-std=gnu11", "-O1", "-fno-builtin", "-DFAKE", "-pthread", *sources, "-o", program, fake.library]
    subprocess.run(words, check=True, timeout=120)
    Fake(program, fake.library).both("eight", STEPS, recorder, tmp_path)
    (calls,) = calls_by_rank(tmp_path / "run").values()
    assert calls["MPI_Send"] == 8 * STEPS


def test_plug_ins_that_take_each_others_place_keep_their_names(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    """Two that look alike: what was learnt of the one's addresses must not be said of the other."""
    program = tmp_path / "plugins"
    compiler = ["cc", "-std=gnu11", "-O1", "-g"]
    subprocess.run([*compiler, PROGRAMS / "plugins.c", "-o", program, fake.library], check=True, timeout=120)
    for name in ("alpha", "beta"):
        words = [*compiler, "-fPIC", "-shared", f"-DNAME={name}", PROGRAMS / "plugin.c", "-o", tmp_path / f"{name}.so"]
        subprocess.run(words, check=True, timeout=120)
    (tmp_path / "run").mkdir()
    order = ["alpha", "beta", "beta", "alpha", "beta"]
    outcome = run(
        [str(program), "50", *[f"./{name}.so" for name in order]],
        environment={
            "LD_LIBRARY_PATH": str(fake.library.parent),
            "LEADLINE_DIR": str(tmp_path / "run"),
            "LD_PRELOAD": str(recorder),
        },
        cwd=tmp_path,
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
    found: Counter[str] = Counter()
    for site in report_of(tmp_path / "run")["sites"]:
        if site["function"] == "MPI_Send":
            for frame in site["path"]:
                if frame.startswith(("alpha_", "beta_")):
                    found[frame.split()[0]] += site["calls"]
    assert found == {"alpha_sends": 100, "alpha_asks": 100, "beta_sends": 150, "beta_asks": 150}


def test_a_tool_preloaded_before_us_and_we_see_the_same(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """The program's calls go to the tool, its calls of PMPI_x come to us."""
    library = one_of_each_family
    tool = builder.tool(library, "plainlog.c")
    (tmp_path / "run").mkdir()
    outcome = run_mpi(
        library,
        2,
        [builder.c(library, "random_program.c"), "5", "mixed", "100"],
        cwd=tmp_path,
        preload=[tool, recorder],
        environment={"PLAINLOG_DIR": str(tmp_path), "LEADLINE_DIR": str(tmp_path / "run")},
    )
    assert outcome.returncode == 0, outcome.stderr
    for rank, process in open_processes(tmp_path / "run").items():
        counted, logged = functions_of(process), read_totals(tmp_path / f"{rank}.log")
        for name in ("MPI_Init", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Finalize"):
            assert counted.get(name, 0) == logged.get(name, 0), name


def test_tools_before_and_behind_us_at_once(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    tool = builder.tool(library, "plainlog.c")
    link = [f"-L{tool.parent}", f"-l:{tool.name}", f"-Wl,-rpath,{tool.parent}", "-Wl,--no-as-needed"]
    counting = builder.tool(library, "counting_tool.c")
    words: list[str | Path] = [builder.c(library, "random_program.c", *link), "5", "mixed", "100"]
    for name in ("plain", "recorded", "run"):
        (tmp_path / name).mkdir()
    logs = {name: {"PLAINLOG_DIR": str(tmp_path / name)} for name in ("plain", "recorded")}
    plain = run_mpi(library, 2, words, cwd=tmp_path, preload=[counting], environment=logs["plain"])
    environment = {**logs["recorded"], "LEADLINE_DIR": str(tmp_path / "run")}
    recorded = run_mpi(library, 2, words, cwd=tmp_path, preload=[counting, recorder], environment=environment)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    sends = {int(line.rpartition(" ")[2]) for line in recorded.lines if line.startswith("counting tool")}
    for rank, process in open_processes(tmp_path / "run").items():
        # What the first tool calls as PMPI_x never reached the second one, without us neither.
        assert read_totals(tmp_path / "recorded" / f"{rank}.log") == read_totals(tmp_path / "plain" / f"{rank}.log")
        counted = functions_of(process)
        assert counted.get("MPI_Isend", 0) in sends
        assert counted["MPI_Finalize"] == 1
