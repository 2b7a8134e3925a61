"""Misleading unwind tables, code without any, the program's own stacks: the program ends as it would without us."""

import os
import random
from pathlib import Path

import pytest
from elf_sections import sections

from .building import Builder
from .libraries import Library, find, quiet_environment
from .reading import calls_by_rank, report_of
from .running import Outcome, run, run_mpi

CASES = ("rules", "jit", "fibers", "shortened", "aligned")
# LEADLINE_DAMAGED=160 tries as many as the trial of which this is what was left to continuous integration.
DAMAGED = int(os.environ.get("LEADLINE_DAMAGED", "12"))


@pytest.mark.parametrize("case", CASES)
def test_odd_frames_do_not_harm_the_program(
    case: str, one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    program = [builder.c(library, "odd_frames.c"), case]
    plain = run_mpi(library, 1, program, cwd=tmp_path)
    recorded = run_mpi(library, 1, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert (recorded.returncode, recorded.stdout) == (plain.returncode, plain.stdout), recorded.stderr
    assert plain.returncode == 0
    barriers = int(plain.stdout.split()[0])
    assert barriers > 0
    assert calls_by_rank(tmp_path / "run")[0]["MPI_Barrier"] == barriers
    paths = [
        [frame["routine"] for frame in site["frames"]]
        for site in report_of(tmp_path / "run")["sites"]
        if site["function"] == "MPI_Barrier"
    ]
    if case == "aligned":  # the frame's address is an expression
        assert paths == [["main", "calls_aligned", "aligned", "meet"]]
    elif case in {"fibers", "shortened"}:
        routine = "in_fiber" if case == "fibers" else "in_short_fiber"
        assert {tuple(path[-2:]) for path in paths} == {(routine, "meet")}
    else:
        assert {path[-1] for path in paths} == {"meet"}


def test_loops_that_generated_code_calls_are_reported(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """Guile, LuaJIT and Julia compile what calls the program's loops: no module holds such a frame."""
    program = [builder.c(one_of_each_family, "odd_frames.c"), "jit loop"]
    outcome = run_mpi(one_of_each_family, 1, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert outcome.returncode == 0, outcome.stderr
    loops = {loop["routine"]: loop for loop in report_of(tmp_path / "run")["loops"]}
    assert loops["steps"]["trips_of_all_ranks"] == 3 * 40


def damaged(executable: bytes, seed: int) -> bytes:
    """A copy with some bytes of its unwind tables changed, mostly of those that rules and searches are made of."""
    chance = random.Random(seed)
    copy = bytearray(executable)
    name = chance.choice([".eh_frame", ".eh_frame", ".eh_frame_hdr"])
    offset, length = sections(executable)[name]
    for _ in range(chance.choice([1, 2, 8, 64])):
        at = offset + chance.randrange(length)
        copy[at] = chance.choice([0, 0x7F, 0xFF, chance.randrange(256), copy[at] ^ 1 << chance.randrange(8)])
    return bytes(copy)


def alone(library: Library, program: Path, directory: Path, recorder: Path | None = None) -> Outcome:
    """Without mpiexec, which takes longer than the program."""
    environment = quiet_environment(library)
    if recorder is not None:
        environment |= {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(directory / "run")}
    return run([str(program), "3"], environment=environment, cwd=directory, timeout_s=60)


@pytest.mark.parametrize(
    ("family", "seed"),
    [*[("mpich", seed) for seed in (*range(DAMAGED), 41)], *[("openmpi", seed) for seed in range(2)]],
)
def test_damaged_unwind_tables_do_not_harm_the_program(
    family: str, seed: int, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = find(family) or find(f"debian-{family}")
    if library is None:
        pytest.skip(f"no MPI library of the ABI family {family} is installed")
    whole = builder.c(library, "call_paths.c", "-O2", "-fomit-frame-pointer")
    program = tmp_path / "damaged"
    program.write_bytes(damaged(whole.read_bytes(), seed))
    program.chmod(0o755)
    plain = alone(library, program, tmp_path)
    recorded = alone(library, program, tmp_path, recorder)
    assert (recorded.returncode, recorded.stdout) == (plain.returncode, plain.stdout), recorded.stderr
    assert plain.returncode == 0
    counts = calls_by_rank(tmp_path / "run")[0]
    assert counts["MPI_Finalize"] == 1
