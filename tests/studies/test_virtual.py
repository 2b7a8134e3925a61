"""leadline study virtual: tables by call of small runs, its nodes, and what is said to claims, from made-up times."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi, network, workloads
from leadline.campaign.reading import read
from leadline.errors import MeasurementFailed, UsageError
from leadline.figures.run import open_run
from leadline.profiles.profile import Profile, Row
from leadline.profiles.tau_columns import APPLICATION
from leadline.studies.libraries.claims import HOLDS, NOT, UNKNOWN
from leadline.studies.virtual import apart, claims, guests, nodes, study, tables
from leadline.studies.virtual.plan import DIRECT, LINKS, environments, patience, toml_of, wanted_of

FAMILIES = pytest.mark.parametrize("library", ["mpich", "openmpi"])


def installed(name: str) -> mpi.Library:
    if name not in {each.name for each in mpi.available()}:
        pytest.skip(f"the MPI library {name} is not installed")
    return mpi.find(name)


@FAMILIES
def test_both_environments_differ_only_in_where_messages_go(library: str, tmp_path: Path) -> None:
    kind = installed(library).kind
    wanted = wanted_of(library, (2, 4), 3, "100mbit", None, None, small=True)
    file = tmp_path / "campaign.toml"
    file.write_text(toml_of(wanted, kind, tmp_path / "{a}"))
    cells = read(file).cells(str)
    assert {(cell.ranks, cell.setting.name) for cell in cells} == {(n, s) for n in (2, 4) for s in (DIRECT, LINKS)}
    (links,) = {cell.setting.launcher for cell in cells if cell.setting.name == LINKS}
    assert [word.format(ranks=4) for word in links] == [str(tmp_path / "{a}" / "nodes" / "mpiexec-4"), "-n", "4"]
    found = environments(wanted, kind)
    waiting = next(each.variables for each in kind.waiting() if each.name == "yield")
    assert all(waiting.items() <= variables.items() for variables in found.values())
    assert "--sleep" in cells[0].program.arguments
    assert "sleeps 1000 ns" in wanted.caution


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="expected bits per second"):
        wanted_of("mpich", (2,), 3, "1gbit; reboot", None, None, small=True)
    with pytest.raises(UsageError, match=r"expected \{ranks\}"):
        wanted_of("mpich", (2,), 3, "1gbit", "mpiexec -n 2", None, small=True)
    assert wanted_of("mpich", (2,), 3, "1gbit", "mpiexec -n {ranks}", 0, small=False).sleep_ns == 0


def test_what_is_missing_for_guests_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wanted = wanted_of("mpich", (2,), 3, "1gbit", None, None, small=True)
    monkeypatch.setattr(guests, "KVM", tmp_path / "kvm")
    assert any("not among the environments: there is no KVM here" in note for note in study.on_environments(wanted))
    (tmp_path / "kvm").touch()
    monkeypatch.setattr(guests, "CPUINFO", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text("flags : fpu pvm\n")
    assert any("neither vmx nor svm" in note for note in study.on_environments(wanted))
    (tmp_path / "cpuinfo").write_text("flags : fpu svm\n")
    monkeypatch.setattr(guests.shutil, "which", lambda *_, **__: None)
    asked = wanted_of("mpich", (2,), 3, "1gbit", None, None, small=True, environments="links,guests")
    for each, said in ((wanted, "not among the environments"), (asked, "cannot be made")):
        (note,) = (note for note in study.on_environments(each) if "QEMU guests" in note and said in note)
        assert "qemu-system-x86_64, " in note
        assert "apt-get install qemu-system-x86 " in note
    own = wanted_of("mpich", (2,), 3, "1gbit", "mpiexec -f guests -n {ranks}", None, small=True)
    assert not any("QEMU" in note for note in study.on_environments(own))


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = installed(request.param)
    out = tmp_path_factory.mktemp("virtual") / "run"
    wrf = workloads.build(workloads.find("wrf"), library)
    words = [*library.launch(2), str(wrf), "--grid", "14x16x4", "--steps", "6", "--sleep", "100"]
    command = [sys.executable, "-m", "leadline", "run", "--quiet", "-o", str(out), "--", *words]
    subprocess.run(command, env=library.env(), check=True, timeout=300, capture_output=True)
    return out


def test_calls_are_counted_on_each_node(recorded: Path) -> None:
    """23 exchanges a step and one at the start, of one message to each neighbour: on two processes, one."""
    profile = tables.profile_of(open_run(recorded))
    exchanges = 6 * 23 + 1
    for rank in (0, 1):
        calls = {row.function: row.calls for row in profile.rows if row.rank == rank}
        assert calls["MPI_Isend"] == calls["MPI_Irecv"] == exchanges
        assert calls["MPI_Wait"] == 2 * exchanges
        assert not {*tables.LEFT_OUT} & {*calls}
    rows = tables.rows_of(profile)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert all(row["node_least_s"] <= row["node_most_s"] for row in rows)
    assert tables.whole_s(profile) <= sum(row["seconds"] for row in rows)


def test_parts_add_up_to_the_difference(recorded: Path) -> None:
    """The same recording in both environments: nothing is of computation, and all of it of the networks."""
    slow, fast = (network.named(name).network for name in ("gigabit", "x12core"))
    run = open_run(recorded)
    alone_s = tables.whole_s(tables.profile_of(run))
    found = apart.taken_apart(2, [run, run], [alone_s] * 2, (100.0, 101.0), [fast, slow])
    assert sum(part.seconds for part in found.parts) == pytest.approx(found.difference_s)
    by = {part.name: part for part in found.parts}
    assert by["computation"].seconds + by[apart.JITTER].seconds == pytest.approx(0, abs=1e-9)
    assert by["latency"].seconds > 0
    assert by["latency"].low <= by["latency"].seconds <= by["latency"].high
    replayed = found.replayed_s[1] - found.replayed_s[0]
    assert by[apart.REST].seconds == pytest.approx(1.0 - replayed)
    with pytest.raises(MeasurementFailed, match="slower than the run's"):
        apart.taken_apart(2, [run, run], [alone_s] * 2, (1e-6, 1e-6), [fast, slow])


def test_the_start_of_mpi_is_no_part_of_what_is_taken_apart(recorded: Path) -> None:
    """A network that costs next to nothing: what is left is no more than the program took, in which all waiting is."""
    run = open_run(recorded)
    alone_s = tables.whole_s(tables.profile_of(run))
    fast = network.named("x12core").network
    found = apart.taken_apart(2, [run, run], [alone_s] * 2, (alone_s, alone_s), [fast, fast])
    assert found.replayed_s[0] == found.replayed_s[1] <= alone_s * (1 + apart.FAR_OFF)


def test_a_mixture_of_a_network_with_itself_is_that_network() -> None:
    net = network.named("gigabit").network
    link, same = apart.only_link(net), apart.only_link(apart.mixed(net, net))
    assert same.eager_bytes == link.eager_bytes
    for n_bytes in (0, 1, 1000, 100_000, 10_000_000):
        pieces = [[each for each in one.pieces if each.from_bytes <= n_bytes][-1] for one in (link, same)]
        assert pieces[0].message_ns(n_bytes) == pytest.approx(pieces[1].message_ns(n_bytes))


def test_contributions_of_factors_by_hand() -> None:
    def product(state: tuple[int, ...]) -> float:
        return (1 + state[0]) * (1 + 2 * state[1]) + 10 * state[2]

    found = apart.shares(product)
    assert [each[0] for each in found] == pytest.approx([2.0, 3.0, 10.0])  # 1 or 3; 2 or 4; always 10
    assert found[0][1:] == (1.0, 3.0)
    assert found[2][1:] == (10.0, 10.0)


def made(factors: dict[tuple[str, str, int], float], repeats: int = 6) -> dict[tuple[str, int], list[Profile]]:
    """Profiles on 2 and 8 nodes. factors: by function, side and nodes; 1 second on each node for those not named."""
    chance = random.Random(1)

    def profile(side: str, count: int) -> Profile:
        rows = [
            Row(name, rank, 10.0, time_s, time_s)
            for name in (APPLICATION, "MPI_Wait", "MPI_Bcast")
            for rank in range(count)
            for time_s in [factors.get((name, side, count), 1.0) * math.exp(chance.gauss(0, 0.01))]
        ]
        return Profile("", "recorded", count, tuple(rows))

    return {(s, n): [profile(s, n) for _ in range(repeats)] for s in ("physical", "virtual") for n in (2, 8)}


def judged(factors: dict[tuple[str, str, int], float]) -> list[str]:
    repeats = made(factors)
    typical = {key: tables.typical(profiles) for key, profiles in repeats.items()}
    return [each.verdict for each in claims.verdicts(repeats, typical)]


def test_claims_that_hold_and_one_that_does_not() -> None:
    factors = {("MPI_Wait", "virtual", n): 3.0 + n for n in (2, 8)}
    factors |= {("MPI_Bcast", side, n): 0.5 for side in ("physical", "virtual") for n in (2, 8)}
    factors["MPI_Bcast", "physical", 8] = 2.5
    factors["MPI_Wait", "physical", 8] = 3.0
    found = judged(factors)
    assert found == [HOLDS, HOLDS, NOT, HOLDS, HOLDS, NOT]  # on 8 nodes MPI grew more on the physical side: 3.7 and 2.1


def test_claims_that_do_not_hold() -> None:
    factors = {(APPLICATION, "virtual", n): 1.5 for n in (2, 8)}
    factors |= {("MPI_Wait", "virtual", n): 0.3 for n in (2, 8)}
    factors |= {("MPI_Bcast", "physical", n): 1.2 for n in (2, 8)}
    factors |= {("MPI_Wait", "physical", n): 0.9 for n in (2, 8)}
    assert judged(factors) == [NOT, NOT, UNKNOWN, NOT, NOT, UNKNOWN]


def test_the_published_tables_contradict_that_mpi_scales_worse() -> None:
    repeats = made({})
    typical = {key: tables.typical(profiles) for key, profiles in repeats.items()}
    scaling, others = (claims.verdicts(repeats, typical)[i] for i in (2, 5))
    assert "physical 8.92×, virtual 5.23×" in scaling.published
    assert "MPI_Gatherv on 8 nodes 11.3×" in others.published


@FAMILIES
def test_processes_run_on_their_nodes(library: str, tmp_path: Path) -> None:
    if why := nodes.why_impossible():
        pytest.skip(f"nodes cannot be made here: {why}")
    found = installed(library)
    env = {**found.env(), **found.kind.over_hosts.environment, **patience(found.kind)}
    wrf = workloads.build(workloads.find("wrf"), found)
    with nodes.made([2, 3], "1gbit", found, tmp_path / "nodes"):
        words = [nodes.launcher(tmp_path / "nodes", 3), "-n", "3", str(wrf), "--grid", "11x13x3", "--steps", "1"]
        command = [sys.executable, "-m", "leadline", "run", "--quiet", "-o", str(tmp_path / "run"), "--", *words]
        subprocess.run(command, env=env, check=True, timeout=300, capture_output=True)
        pids = [line.split()[1] for line in (tmp_path / "nodes" / nodes.PIDS).read_text().splitlines()]
    assert sorted(each.host for each in open_run(tmp_path / "run").processes) == ["node1", "node2", "node3"]
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.ci
@FAMILIES
def test_the_study_runs_and_resumes(library: str, tmp_path: Path) -> None:
    if why := nodes.why_impossible():
        pytest.skip(f"nodes cannot be made here: {why}")
    installed(library)
    words = [
        "study",
        "virtual",
        "--mpi",
        library,
        "-n",
        "2,3",
        "--repeats",
        "2",
        "--small",
        "-o",
        str(tmp_path / "out"),
    ]
    first = run(words)
    assert first["runs"] == {"planned": 8, "finished": 8, "failed": 0}
    assert {(table["side"], table["nodes"]) for table in first["tables"]} == {
        (side, n) for side in ("physical", "virtual") for n in (2, 3)
    }
    assert len(first["claims"]) == 6
    assert any("as many MPI_Irecv as MPI_Isend" in note for note in first["remarks"])
    before = (tmp_path / "out" / "journal.jsonl").read_bytes()
    assert run(words)["tables"] == first["tables"]
    assert (tmp_path / "out" / "journal.jsonl").read_bytes() == before
    hosts = open_run(next((tmp_path / "out" / "runs").glob("wrf-3-*-links-*-1"))).processes
    assert {process.host for process in hosts} == {"node1", "node2", "node3"}


def run(words: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "leadline", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False, env=dict(os.environ))
    assert done.stdout, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]
