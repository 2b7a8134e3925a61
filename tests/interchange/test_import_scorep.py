"""leadline import of archives in the style of Score-P: regions of the program around MPI's, requests, lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.__main__ import main
from leadline.figures.run import open_run

otf2 = pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")

STEPS, RANKS, HZ = 60, 2, 1_000_000_000


class Archive:
    """Two ranks on two hosts: main calls step (a region of the user), which calls exchange and then reduces."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.requests = 0
        with otf2.writer.open(str(path), timer_resolution=HZ) as trace:
            self._define(trace)
            for rank in range(RANKS):
                self._rank(rank)

    def _define(self, trace: Any) -> None:
        d = trace.definitions
        machine = d.system_tree_node("machine", class_name="machine")
        nodes = [d.system_tree_node(f"node{rank}", parent=machine, class_name="node") for rank in range(RANKS)]
        groups = [d.location_group(f"MPI Rank {r}", system_tree_parent=nodes[r]) for r in range(RANKS)]
        self.locations = [d.location("Master thread", group=group) for group in groups]
        self.writers = [trace.event_writer_from_location(location) for location in self.locations]
        mpi = otf2.Paradigm.MPI
        d.group("", otf2.GroupType.COMM_LOCATIONS, mpi, members=self.locations)
        ranks = d.group("", otf2.GroupType.COMM_GROUP, mpi, members=self.locations)
        self.comm = d.comm("MPI_COMM_WORLD", ranks)
        names = "Init Finalize Comm_rank Irecv Isend Waitall Allreduce Send_init Recv_init Start Wait Test".split()
        self.mpi = {name: d.region(f"MPI_{name}", source_file="MPI", paradigm=mpi) for name in names}
        compiler, user = otf2.Paradigm.COMPILER, otf2.Paradigm.USER
        self.main = d.region("main", source_file="/src/model.c", begin_line_number=10, paradigm=compiler)
        self.exchange = d.region("exchange", source_file="/src/halo.c", begin_line_number=20, paradigm=compiler)
        self.step = d.region("step", source_file="/src/model.c", begin_line_number=30, paradigm=user)

    def _rank(self, rank: int) -> None:
        self.out, self.now = self.writers[rank], 1000 * rank
        self.out.enter(self._tick(), self.main)
        self._call("Init", 100_000)
        self._call("Comm_rank")
        for init in ("Recv_init", "Send_init"):
            self._call(init)
        for number in range(STEPS):
            self.out.enter(self._tick(), self.step)
            self.out.enter(self._tick(), self.exchange)
            self._messages(1 - rank)
            self.out.leave(self._tick(), self.exchange)
            if number % 10 == 0:
                self._persistent(1 - rank)
            self._reduce()
            self.out.leave(self._tick(), self.step)
            self.now += 50_000
        self._call("Finalize", 1000)
        self.out.leave(self._tick(), self.main)

    def _tick(self, ns: int = 100) -> int:
        self.now += ns
        return self.now

    def _call(self, name: str, ns: int = 500, *events: Any) -> None:
        self.out.enter(self._tick(), self.mpi[name])
        for event in events:
            event(self._tick())
        self.out.leave(self._tick(ns), self.mpi[name])

    def _request(self) -> int:
        self.requests += 1
        return self.requests

    def _messages(self, other: int) -> None:
        receive, send, out = self._request(), self._request(), self.out
        self._call("Irecv", 200, lambda t: out.mpi_irecv_request(t, receive))
        self._call("Isend", 200, lambda t: out.mpi_isend(t, other, self.comm, 7, 4000, send))
        self._call("Test", 100, lambda t: out.mpi_request_test(t, receive))
        self._call(
            "Waitall",
            9000,
            lambda t: out.mpi_irecv(t, other, self.comm, 7, 4000, receive),
            lambda t: out.mpi_isend_complete(t, send),
        )

    def _persistent(self, other: int) -> None:
        receive, send, out = self._request(), self._request(), self.out
        self._call("Start", 200, lambda t: out.mpi_irecv_request(t, receive))
        self._call("Start", 200, lambda t: out.mpi_isend(t, other, self.comm, 9, 64, send))
        self._call("Wait", 500, lambda t: out.mpi_irecv(t, other, self.comm, 9, 64, receive))
        self._call("Wait", 500, lambda t: out.mpi_isend_complete(t, send))

    def _reduce(self) -> None:
        out = self.out
        undefined = otf2.enums.CollectiveRoot.NONE if hasattr(otf2.enums, "CollectiveRoot") else 2**32 - 1

        def end(time: int) -> None:
            out.mpi_collective_end(time, otf2.CollectiveOp.ALLREDUCE, self.comm, undefined, 8, 8)

        self._call("Allreduce", 3000, out.mpi_collective_begin, end)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scorep")
    archive = Archive(folder / "archive")
    assert main(["import", str(archive.path / "traces.otf2"), "-o", str(folder / "run")]) == 0
    return folder / "run"


@pytest.fixture
def report(imported: Path, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capfd.readouterr()
    assert main(["report", str(imported), "--json"]) == 0
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def test_calls_messages_and_bytes_are_counted(report: dict[str, Any]) -> None:
    functions = {row["function"]: row for row in report["functions"]}
    steps, starts = RANKS * STEPS, RANKS * STEPS // 10
    calls = {name: row["calls"] for name, row in functions.items()}
    assert calls == {
        **dict.fromkeys(("MPI_Init", "MPI_Finalize", "MPI_Comm_rank", "MPI_Send_init", "MPI_Recv_init"), RANKS),
        **dict.fromkeys(("MPI_Irecv", "MPI_Isend", "MPI_Test", "MPI_Waitall", "MPI_Allreduce"), steps),
        "MPI_Start": 2 * starts,
        "MPI_Wait": 2 * starts,
    }
    assert functions["MPI_Isend"]["messages"] == steps
    assert functions["MPI_Isend"]["bytes"] == 4000 * steps
    assert functions["MPI_Start"]["messages"] == starts
    assert functions["MPI_Start"]["bytes"] == 64 * starts
    assert functions["MPI_Allreduce"]["bytes"] == 8 * steps
    assert report["hosts"] == ["node0", "node1"]
    assert report["complete"]


def test_call_paths_have_the_names_and_files_of_regions(imported: Path) -> None:
    run = open_run(imported)
    paths = {(site.function, tuple(frame.routine for frame in site.path)): site for site in run.sites}
    assert ("MPI_Isend", ("main", "step", "exchange")) in paths
    assert ("MPI_Allreduce", ("main", "step")) in paths
    assert paths["MPI_Isend", ("main", "step", "exchange")].path[-1].file == "/src/halo.c"
    assert all(site.whole for site in run.sites if site.path)


def test_the_loop_of_the_program_is_found(report: dict[str, Any]) -> None:
    found = report["iterations"]
    assert found["count"] == STEPS
    assert found["routine"] == "step"  # whose call in main is always the same one
    assert found["calls_per_iteration"] == 5.4  # five, and four in every tenth step


def test_regions_of_the_user_are_named_regions(report: dict[str, Any]) -> None:
    (step,) = [row for row in report["regions"] if row["region"] == "step"]
    assert step["entries"] == RANKS * STEPS


def test_polls_are_no_events_and_nothing_is_missing(report: dict[str, Any]) -> None:
    assert [loss for loss in report["losses"] if loss["code"].startswith("imported")] == []


def test_a_loop_that_comes_round_later_holds_those_in_the_routines_it_calls(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """main: 6 times advance, which calls diffuse and project; each goes round its own calls first."""
    steps, trips = 6, 40
    with otf2.writer.open(str(tmp_path / "archive"), timer_resolution=HZ) as trace:
        d = trace.definitions
        machine = d.system_tree_node("machine", class_name="machine")
        location = d.location("thread", group=d.location_group("MPI Rank 0", system_tree_parent=machine))
        d.group("", otf2.GroupType.COMM_LOCATIONS, otf2.Paradigm.MPI, members=[location])
        names = ("main", "advance", "diffuse", "project")
        routines = {name: d.region(name, paradigm=otf2.Paradigm.COMPILER) for name in names}
        calls = [d.region(f"MPI_{name}", paradigm=otf2.Paradigm.MPI) for name in ("Barrier", "Allreduce")]
        out, now = trace.event_writer_from_location(location), 0

        def tick() -> int:
            nonlocal now
            now += 1000
            return now

        out.enter(tick(), routines["main"])
        for _ in range(steps):
            out.enter(tick(), routines["advance"])
            for name in ("diffuse", "project"):
                out.enter(tick(), routines[name])
                for call in calls * trips:
                    out.enter(tick(), call)
                    out.leave(tick(), call)
                out.leave(tick(), routines[name])
            out.leave(tick(), routines["advance"])
        out.leave(tick(), routines["main"])
    assert main(["import", str(tmp_path / "archive"), "-o", str(tmp_path / "run")]) == 0
    capfd.readouterr()
    assert main(["report", str(tmp_path / "run"), "--json"]) == 0
    report = json.loads(capfd.readouterr().out)
    loops = {loop["routine"]: loop for loop in report["loops"]}
    assert (report["iterations"]["routine"], report["iterations"]["count"]) == ("advance", steps)
    assert loops.keys() == set(names) - {"main"}
    for name in ("diffuse", "project"):
        assert loops[name]["trips"] == steps * trips
        assert loops[name]["parent"] == loops["advance"]["id"]


def _import_ranks(path: Path, calls: list[list[str]]) -> None:
    """Imports an archive with these calls of each rank, all of them in main."""
    with otf2.writer.open(str(path / "archive"), timer_resolution=HZ) as trace:
        d = trace.definitions
        machine = d.system_tree_node("machine", class_name="machine")
        ranks = range(len(calls))
        groups = [d.location_group(f"MPI Rank {rank}", system_tree_parent=machine) for rank in ranks]
        locations = [d.location("thread", group=group) for group in groups]
        d.group("", otf2.GroupType.COMM_LOCATIONS, otf2.Paradigm.MPI, members=locations)
        routine = d.region("main", source_file="/src/main.c", begin_line_number=5, paradigm=otf2.Paradigm.COMPILER)
        names = sorted({name for of_rank in calls for name in of_rank})
        regions = {name: d.region(f"MPI_{name}", paradigm=otf2.Paradigm.MPI) for name in names}
        for location, of_rank in zip(locations, calls, strict=True):
            out = trace.event_writer_from_location(location)
            times = iter(range(1000, 10**9, 1000))
            out.enter(next(times), routine)
            for name in of_rank:
                out.enter(next(times), regions[name])
                out.leave(next(times), regions[name])
            out.leave(next(times), routine)
    assert main(["import", str(path / "archive"), "-o", str(path / "run")]) == 0


ROUNDS = 8


@pytest.mark.parametrize(
    ("bodies", "loops"),
    [
        ([["Send", "Recv"], ["Recv", "Send"]], 1),  # one rank sends first, the other receives first
        ([["Send", "Recv"], ["Recv", "Send"], ["Send", "Recv"], ["Recv", "Send"]], 1),
        ([["Send"], ["Recv", "Send"], ["Recv", "Send"], ["Recv"]], 2),  # a chain; the first rank's loop is its own
        ([["Isend", "Wait"], ["Irecv", "Isend", "Wait"], ["Irecv", "Wait"]], 2),
        ([["Bcast", "Send", "Recv"], ["Bcast", "Recv", "Send"]], 1),
    ],
)
def test_ranks_that_call_in_other_orders_have_as_many_iterations(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], bodies: list[list[str]], loops: int
) -> None:
    _import_ranks(tmp_path, [["Init", *body * ROUNDS, "Barrier", "Finalize"] for body in bodies])
    capfd.readouterr()
    assert main(["report", str(tmp_path / "run"), "--json"]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["iterations"]["count"] == ROUNDS
    assert [loop["trips"] for loop in report["loops"]] == [ROUNDS] * loops
    barriers = [site for site in open_run(tmp_path / "run").sites if site.function == "MPI_Barrier"]
    assert len(barriers) == 1  # at one place on all ranks, after the loop


@pytest.mark.parametrize(
    ("before", "body", "about"),
    [(["Barrier"], ["Allreduce", "Barrier"], True), ([], ["Allreduce", "Barrier"], False)],
)
def test_a_call_before_the_loop_that_ends_its_iterations_makes_the_number_about(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], before: list[str], body: list[str], about: bool
) -> None:
    _import_ranks(tmp_path, [["Init", *before, *body * ROUNDS, "Finalize"]] * 2)
    capfd.readouterr()
    assert main(["report", str(tmp_path / "run"), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["iterations"]
    assert (found["count"], found["about"], found["at_least"]) == (ROUNDS + about, about, False)
