"""Every case of cases.py with every library on one to three nodes: as many ranks are recorded as were started, and no
two jobs in one run. Results are kept in build/tests/jobs-cases.jsonl; case_table.py makes docs/jobs-cases.md of them.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline import mpi

from . import case_runs
from .case_runs import Try
from .cases import CASES, Case
from .conftest import Programs
from .slurm import Slurm

pytestmark = pytest.mark.full

LIBRARIES = ("mpich@4.1.3", "mpich", "debian-openmpi", "openmpi")
NODES = (1, 2, 3)
RESULTS = Path(__file__).resolve().parents[2] / "build" / "tests" / "jobs-cases.jsonl"

_numbers = itertools.count()


def note(case: Case, library: str, nodes: int, result: str) -> None:
    """The last line of a case counts; several sessions may write at once."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("a") as out:
        out.write(json.dumps([case.id, library, nodes, result]) + "\n")


@pytest.fixture(scope="module")
def tries(
    cluster: Slurm, programs: Programs, request: pytest.FixtureRequest
) -> Callable[[Case, str, int], tuple[Try, int]]:
    folder = cluster.shared / "cases"
    folder.mkdir()

    def begin(case: Case, library: str, nodes: int, *, plain: bool = False) -> tuple[Try, int]:
        one = Try(case, programs(mpi.find(library)), nodes, folder / str(next(_numbers)), plain)
        job = case_runs.start(cluster, one)
        if not case.waits:
            case_runs.befall(cluster, one, job)
        return one, job

    early: dict[tuple[str, str, int], tuple[Try, int]] = {}

    def submit_those_that_wait() -> None:
        for item in request.session.items:
            if item.path == request.path and item.callspec.params["case"].waits:
                case, library, nodes = (item.callspec.params[name] for name in ("case", "name", "nodes"))
                early[case.id, library, nodes] = begin(case, library, nodes)
        for one, job in early.values():
            case_runs.befall(cluster, one, job)

    def tried(case: Case, library: str, nodes: int, *, plain: bool) -> tuple[Try, int]:
        if case.waits and not early:
            submit_those_that_wait()
        return early[case.id, library, nodes] if case.waits else begin(case, library, nodes, plain=plain)

    return tried


@pytest.mark.parametrize("nodes", NODES)
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("case", sorted(CASES, key=lambda case: case.waits), ids=lambda case: case.id)
def test_every_rank_that_is_started_is_recorded_in_a_run_of_its_job(
    cluster: Slurm, tries: Callable[..., tuple[Try, int]], case: Case, name: str, nodes: int
) -> None:
    if name not in {library.name for library in mpi.available()} and "@" not in name:
        pytest.skip(f"the MPI library {name} is not installed")
    fails_alone = [why for begin, why in case.native.items() if name.startswith(begin)]
    note(case, name, nodes, "failed")
    one, job = tries(case, name, nodes, plain=bool(fails_alone))
    case_runs.finish(cluster, one, job)
    problem = case_runs.problem_of_job(one)
    if fails_alone:
        assert problem, "it runs here: what cases.py says is no longer true"
        note(case, name, nodes, f"alone: {fails_alone[0]}")
        return
    assert not problem, problem
    problem = case_runs.problem_of_record(cluster, one)
    assert not problem, problem
    note(case, name, nodes, "native" if case.apply == "native" else f"{sum(one.worlds)} of {sum(one.worlds)}")
