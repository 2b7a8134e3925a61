"""The identity of a job, from the variables and the process that started it, as real launchers set them.

The launchers are scripts with their names here; tests/jobs has real ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEP = {
    "SLURM_JOB_ID": "12",
    "SLURM_STEP_ID": "3",
    "SLURM_PROCID": "0",
    "SLURM_STEP_NUM_TASKS": "4",
    "SLURM_STEP_LAUNCHER_PORT": "4711",
}
BATCH = {"SLURM_JOB_ID": "12", "SLURM_PROCID": "0"}
HYDRA = {"PMI_RANK": "0", "PMI_SIZE": "4", "MPI_LOCALNRANKS": "2"}
PRRTE = {"PMIX_NAMESPACE": "prterun-login-88@1", "PMIX_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4"}
ORTE = {
    "PMIX_NAMESPACE": "73400321",
    "PMIX_RANK": "0",
    "OMPI_MCA_orte_hnp_uri": "73400320.0;tcp://10.0.0.1:45661",
    "OMPI_MCA_orte_precondition_transports": "07f4a7ac0709297c-fc86bf9f3e8b0ef7",
}


@dataclass(frozen=True)
class Job:
    name: str
    identity: str
    words: frozenset[str]


Find = Callable[..., Job]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("identity") / "identity"
    sources = [ROOT / "tests" / "programs" / "job_identity.cpp"]
    sources += [ROOT / "src" / part for part in (
        "recorder/job/job.cpp", "recorder/job/ancestors.cpp", "recorder/job/launcher_facts.cpp", "host/own_file.cpp",
    )]  # fmt: skip
    subprocess.run([sys.executable, ROOT / "codegen" / "generate.py", "--out", built.parent], check=True, timeout=120)
    includes = ["-I", ROOT / "src", "-I", built.parent]
    words = ["g++", "-std=c++20", "-fno-exceptions", *includes, *sources, "-o", built]
    subprocess.run(list(map(str, words)), check=True, timeout=120)
    return built


@pytest.fixture
def find(program: Path, tmp_path: Path) -> Find:
    def found(environ: dict[str, str], starter: str = "", *arguments: str) -> Job:
        words = [str(program)]
        if starter:
            script = tmp_path / starter
            script.write_text(f"#!/bin/sh\n{program}\nexit $?\n")
            script.chmod(0o755)
            words = [str(script), *arguments]
        text = subprocess.run(
            words, env={"PATH": os.environ["PATH"], **environ}, capture_output=True, text=True, check=True, timeout=60
        ).stdout
        name, identity, said = text.splitlines()
        return Job(name, identity, frozenset(said.split()) - {"-"})

    return found


def test_a_step_is_a_job(find: Find) -> None:
    job = find(STEP, "slurmstepd", "[12.3]")
    assert job == Job("slurm-12.3", "slurm-12.3 4711", frozenset({"unique"}))
    assert find({**STEP, "SLURM_RESTART_COUNT": "1"}, "slurmstepd").name == "slurm-12-again1.3"
    assert find({**STEP, "SLURM_STEP_ID": "4"}, "slurmstepd").identity != job.identity


def test_the_parts_of_a_heterogeneous_step_are_one_job(find: Find) -> None:
    one, other = ({**STEP, "SLURM_HET_SIZE": "2", "SLURM_STEP_LAUNCHER_PORT": port} for port in ("1", "2"))
    assert find(one, "slurmstepd", "[12.3]") == find(other, "slurmstepd", "[13.3]")


def test_what_a_batch_script_starts_directly_is_a_job_each(find: Find) -> None:
    one, other = (find(BATCH, "slurmstepd", "[12.batch]") for _ in range(2))
    assert one.words == other.words == {"alone", "unique"}
    assert one.identity != other.identity


def test_what_is_started_in_a_shell_of_a_step_is_a_job_each(find: Find) -> None:
    assert "alone" in find({**STEP, "SLURM_STEP_NUM_TASKS": "1"}, "slurmstepd", "[12.3]").words


def test_mpiexec_in_a_batch_job_is_not_the_batch_job(find: Find) -> None:
    jobs = [find({**BATCH, **HYDRA}, "hydra_pmi_proxy", "--control-port", f"node1:{port}") for port in (41, 42)]
    assert [job.name for job in jobs] == ["hydra-node1_41", "hydra-node1_42"]
    # A remote proxy was started by a step, whose variables its ranks have.
    assert find({**STEP, **HYDRA}, "hydra_pmi_proxy", "--control-port", "node1:41").identity == jobs[0].identity
    assert not jobs[0].words  # the port comes again: ranks leave their numbers


def test_on_one_host_mpiexec_itself_is_the_job(find: Find) -> None:
    here = {**HYDRA, "MPI_LOCALNRANKS": "4"}
    one, other = (find(here, "hydra_pmi_proxy", "--control-port", "node1:41") for _ in range(2))
    assert one.words == {"unique"}
    assert one.identity != other.identity


def test_open_mpi_s_jobs(find: Find) -> None:
    first = find({**BATCH, **PRRTE}, "prterun")
    assert first.name == "prterun-login-88"
    assert find({**STEP, **PRRTE}, "prted").identity == first.identity
    assert "spawned" in find({**PRRTE, "PMIX_NAMESPACE": "prterun-login-88@2"}, "prted").words
    # Of a machine that stays there, every program is a job.
    names = {find({**PRRTE, "PMIX_NAMESPACE": f"prte-login-9@{n}"}, "prted").name for n in (1, 2)}
    assert len(names) == 2

    old = find(ORTE, "orted")
    assert (old.name, old.words) == ("openmpi-1120", {"unique"})
    assert "spawned" in find({**ORTE, "PMIX_NAMESPACE": "73400322"}, "orted").words
    other = {**ORTE, "OMPI_MCA_orte_precondition_transports": "0-0"}
    assert find(other, "orted").identity != old.identity


def test_of_a_launcher_that_is_not_known_the_batch_job_is_all_there_is(find: Find) -> None:
    job = find({"MV2_COMM_WORLD_RANK": "1", "PBS_JOBID": "345.server"})
    assert job == Job("job-345.server", "job-345.server", frozenset())
    assert "alone" in find({"PBS_JOBID": "345.server"}).words


def test_what_a_step_spawns_is_of_its_job(find: Find) -> None:
    """As Slurm's PMI-2 sets it in the step for spawned programs, which may spawn again."""
    parent = find(STEP, "slurmstepd", "slurmstepd: [12.3]")
    spawned = {**STEP, "SLURM_STEP_ID": "4", "PMI_RANK": "0", "PMI_SPAWNED": "1"}
    for sequence in ("1", "2-1"):
        job = find({**spawned, "PMI_JOBID": f"12.3-{sequence}"}, "slurmstepd", "slurmstepd: [12.4]")
        assert job.name == parent.name == "slurm-12.3"
        assert "spawned" in job.words
    assert "spawned" not in parent.words


def test_a_launcher_that_starts_ranks_on_its_own_host_only_is_told_apart_by_its_process(find: Find) -> None:
    gforker = {"PMI_RANK": "0", "PMI_SIZE": "2", "SLURM_JOB_ID": "12"}
    first, second = (find(gforker, "mpiexec.gforker") for _ in range(2))
    assert first.identity != second.identity
    assert "unique" in first.words
    assert first.name.startswith("mpiexec-")
