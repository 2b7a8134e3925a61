"""Of programs drawn at random with one planted fault each: what their calls alone tell, however long these take. Gains
are looked at by hand: benchmarks/advise/random_faults.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.libraries import find

from leadline.advice.advise import candidates_of
from leadline.figures.content import Content
from leadline.figures.run import open_run

from .suite import programs
from .suite.random_program import FAULTS, drawn

RANKS = 2
STEPS = 60
BY_TIMES = {"uneven", "chain", "synchronous", "output"}  # that are found by how long something takes


def proposed(seed: int, form: int, directory: Path) -> dict[str, set[str]]:
    """Kinds of candidates, with the routines of their calls."""
    library, recorder = find("mpich") or find("openmpi"), running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    program, built = drawn(seed), directory / "drawn"
    source = directory / "drawn.c"
    source.write_text(program.text)
    words = [str(library.mpicc), "-O1", "-g", "-Wall", "-Wextra", "-Wno-unused-result", f"-I{programs.HERE}"]
    subprocess.run([*words, str(source), "-o", str(built)], check=True, env=library.env())
    words = [str(built), program.case, str(form), str(STEPS)]
    programs.run(library, RANKS, words, directory / f"{form}", recorder)
    found = dict[str, set[str]]()
    for each in candidates_of(Content(open_run(directory / f"{form}" / "run"))):
        found.setdefault(each.kind, set()).update(site.routine for site in each.sites)
    return found


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.ci) for seed in range(2, 2 * len(FAULTS)))])
def test_a_planted_fault_is_a_candidate_and_its_mended_form_is_none(seed: int, tmp_path: Path) -> None:
    program = drawn(seed)
    if program.fault.name in BY_TIMES:
        pytest.skip("this fault shows in times only")
    before, after = proposed(seed, 0, tmp_path), proposed(seed, 1, tmp_path)
    assert {*program.fault.kinds} & {*before}
    assert not {*program.fault.kinds} & {*after}


def test_a_seed_makes_the_same_program_again() -> None:
    for seed in range(3 * len(FAULTS)):
        assert drawn(seed) == drawn(seed)
    assert len({drawn(seed).text for seed in range(100)}) == 100
