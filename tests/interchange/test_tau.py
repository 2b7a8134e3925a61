"""leadline export tau: profile folders, read back by a parser of the format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from leadline.figures.run import open_run
from leadline.profiles import read as read_profile

from .conftest import RANKS, STEPS, Export


@dataclass(frozen=True)
class Timer:
    calls: int
    subroutines: int
    exclusive_us: float
    inclusive_us: float
    group: str


class Profile:
    """One file profile.N.0.0: its timers and user events by name."""

    def __init__(self, file: Path) -> None:
        lines = file.read_text().splitlines()
        count = int(lines[0].removesuffix(" templated_functions_MULTI_TIME"))
        assert lines[1].startswith("# Name Calls Subrs Excl Incl ProfileCalls # <metadata>")
        self.timers: dict[str, Timer] = {}
        for line in lines[2 : 2 + count]:
            found = re.fullmatch(r'"([^"]+)" (\d+) (\d+) ([\d.]+) ([\d.]+) 0 GROUP="([^"]+)"', line)
            assert found, line
            name, calls, subroutines, exclusive, inclusive, group = found.groups()
            self.timers[name] = Timer(int(calls), int(subroutines), float(exclusive), float(inclusive), group)
        assert len(self.timers) == count
        assert lines[2 + count] == "0 aggregates"
        events = int(lines[3 + count].removesuffix(" userevents"))
        rows = lines[len(lines) - events :] if events else []
        self.events = {name: [float(v) for v in rest.split()] for _, name, rest in (row.split('"') for row in rows)}


def profiles(folder: Path) -> dict[int, Profile]:
    return {int(file.name.split(".")[1]): Profile(file) for file in folder.iterdir()}


def test_every_rank_has_its_calls_and_times(whole: Path, export: Export) -> None:
    found = profiles(export("tau", whole).path)
    assert sorted(found) == list(range(RANKS))
    run = open_run(whole)
    for index, process in enumerate(run.processes):
        timers = found[process.rank].timers
        flat = {name: t for name, t in timers.items() if t.group == "MPI"}
        assert sum(t.calls for t in flat.values()) == process.total.calls
        assert timers["MPI_Isend()"].calls == STEPS
        assert ("MPI_Send()" in timers) == (process.rank == 0)
        application = timers[".TAU application"]
        assert abs(application.inclusive_us - process.duration_ns * 1e-3) < 0.01
        own = sum(t.exclusive_us for t in flat.values())
        assert abs(application.exclusive_us + own - application.inclusive_us) < 0.1, index
        path = ".TAU application => main => step => exchange => MPI_Waitall()"
        assert timers[path].calls == timers["MPI_Waitall()"].calls == STEPS
        assert timers["exchange"].subroutines == 3 * STEPS


def test_our_reader_of_profiles_finds_every_call(whole: Path, export: Export) -> None:
    profile = read_profile(export("tau", whole).path)
    run = open_run(whole)
    assert profile.ranks == RANKS
    assert sum(profile.calls(name) for name in profile.mpi_functions) == sum(p.total.calls for p in run.processes)
    assert profile.calls("MPI_Isend") == RANKS * STEPS
    applications_s = sum(row.inclusive_s for row in profile.rows if row.function == ".TAU application")
    assert abs(applications_s - sum(p.duration_ns for p in run.processes) * 1e-9) < 1e-6


def test_sizes_of_messages_are_events(whole: Path, export: Export) -> None:
    found = profiles(export("tau", whole).path)
    # number, most, least, mean, sum of squares
    assert found[0].events["Message size sent to all nodes"] == [2 * STEPS, 100, 64, 82, STEPS * (100**2 + 64**2)]
    assert found[2].events["Message size sent to all nodes"] == [STEPS, 300, 300, 300, STEPS * 300**2]


def test_only_the_window_of_iterations_and_ranks_is_exported(whole: Path, export: Export) -> None:
    exported = export("tau", whole, "--iterations", "10:12", "--ranks", "1")
    found = profiles(exported.path)
    assert sorted(found) == [1]
    assert {name: t.calls for name, t in found[1].timers.items() if t.group == "MPI"} == {
        "MPI_Irecv()": 2,
        "MPI_Isend()": 2,
        "MPI_Waitall()": 2,
        "MPI_Recv()": 2,
        "MPI_Allreduce()": 2,
    }
    assert "the rest of the run has none" in exported.err
