"""leadline import of our own export: every call of random programs comes back, with its time."""

from __future__ import annotations

import csv
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from random_program_kinds import PROFILES

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")

from leadline import _core
from leadline.__main__ import main
from leadline.figures.run import open_run
from leadline.report import to_json

from .conftest import RANKS, STEPS, Record

# Import keeps times to a tick, those beyond a quarter of a millisecond to four millionths (series_state.hpp). What that
# took from some, longer ones are given back, up to an eightieth: begins stay right (encode_series.cpp).
TICK_S, FINEST, GIVEN_BACK = 2e-9, 5e-6, 1 / 80


@dataclass(frozen=True)
class Call:
    """A call without its times, and its times in seconds since the first one of the run."""

    what: tuple[object, ...]
    begin_s: float
    end_s: float


def calls_of(directory: Path) -> dict[int, list[Call]]:
    """By rank."""
    run = open_run(directory)
    profile = run.profile
    functions = [profile.functions[function].name for function, _, _ in profile.sites()]
    found: dict[int, list[Call]] = {}
    for index in run.order:
        calls = found.setdefault(run.processes[index].rank, [])

        def take(columns: dict[str, object], calls: list[Call] = calls) -> None:
            c = {name: list(values) for name, values in columns.items()}  # type: ignore[call-overload]
            for i, site in enumerate(c["site"]):
                message = (c["partner"][i], c["tag"][i]) if c["has_message"][i] else None
                numbers = (c["polls"][i], c["calls"][i], c["messages_sent"][i], c["messages_received"][i])
                what = (c["thread"][i], functions[site], *numbers, c["bytes_sent"][i], c["bytes_received"][i], message)
                calls.append(Call(what, c["begin_s"][i], c["end_s"][i]))

        trace = _core.open_process(run.processes[index].file)
        _core.visit_rows(profile, trace, index, 0, None, 1 << 16, take)
    first = min(call.begin_s for calls in found.values() for call in calls)
    return {
        rank: [Call(call.what, call.begin_s - first, call.end_s - first) for call in calls]
        for rank, calls in found.items()
    }


def differences(recorded: dict[int, list[Call]], imported: dict[int, list[Call]]) -> list[str]:
    """What the import changed: one line for each call."""
    assert recorded.keys() == imported.keys()
    found = []
    for rank, calls in recorded.items():
        assert len(calls) == len(imported[rank])
        for was, now in zip(calls, imported[rank], strict=True):
            if was.what != now.what:
                found.append(f"rank {rank}: {was.what} became {now.what}")
            assert not math.isnan(now.begin_s)
            if abs(was.begin_s - now.begin_s) > 100 * TICK_S + 2 * FINEST * max(was.begin_s, 0.1):
                found.append(f"rank {rank}: {was.what} at {was.begin_s} s came to {now.begin_s} s")
            took, takes = was.end_s - was.begin_s, now.end_s - now.begin_s
            if abs(took - takes) > 2 * TICK_S + GIVEN_BACK * took:
                found.append(f"rank {rank}: {was.what} took {took} s, and now {takes} s")
    return found


@pytest.fixture
def round_trip(record: Record, tmp_path: Path) -> Callable[..., list[str]]:
    """round_trip(PROGRAM, ARGUMENT...): record, export, import; what that changed."""

    def run(program: str, *arguments: str) -> list[str]:
        recorded = record(program, *arguments)
        assert main(["export", "otf2", str(recorded), "-o", str(tmp_path / "archive")]) == 0
        assert main(["import", str(tmp_path / "archive"), "-o", str(tmp_path / "imported")]) == 0
        return differences(calls_of(recorded), calls_of(tmp_path / "imported"))

    return run


def files_of(run: Path, table: Path) -> Counter[tuple[str, ...]]:
    """What the ranks did with each file."""
    assert main(["report", str(run), "--table", "io", "--csv", str(table)]) == 0
    kept = "file rank layer opens closes reads writes others bytes_read bytes_written".split()
    with table.open(newline="") as rows:
        return Counter(
            tuple(row[name] for name in kept)
            for row in csv.DictReader(rows)
            if row["layer"] in ("program", "mpi-io")
        )  # fmt: skip


@pytest.mark.parametrize("profile", ["mixed", "polling", "wild"])
def test_random_programs_come_back_whole(profile: str, round_trip: Callable[..., list[str]]) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    changed = round_trip("random_program.c", str(seed), profile, "120")
    assert not changed, f"seed {seed}: {len(changed)}: {changed[:3]}"


@pytest.mark.full
@pytest.mark.parametrize("profile", PROFILES)
def test_long_random_programs_come_back_whole(profile: str, round_trip: Callable[..., list[str]]) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    changed = round_trip("random_program.c", str(seed), profile, "3000")
    assert not changed, f"seed {seed}: {len(changed)}: {changed[:3]}"


# The first seed has a split read of nothing.
@pytest.mark.parametrize("seed", [223699276, random.SystemRandom().randrange(1 << 30)], ids=["split", "drawn"])
def test_operations_on_files_come_back(seed: int, round_trip: Callable[..., list[str]], tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    changed = round_trip("random_files.c", str(seed), str(files), "400")
    assert not changed, f"seed {seed}: {len(changed)}: {changed[:3]}"
    was, now = (files_of(tmp_path / run, tmp_path / f"{run}.csv") for run in ("run", "imported"))
    assert len({file for file, *_ in was}) > RANKS
    assert was == now, f"seed {seed}: {(was - now, now - was)}"


@pytest.mark.parametrize("program", ["one_sided.c", "epochs.c"])
def test_one_sided_operations_come_back(program: str, round_trip: Callable[..., list[str]]) -> None:
    assert not round_trip(program)


def test_every_analysis_works_on_an_imported_run(
    whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    archive, imported = tmp_path / "archive", tmp_path / "imported"
    assert main(["export", "otf2", str(whole), "-o", str(archive)]) == 0
    assert main(["import", str(archive / "traces.otf2"), "-o", str(imported)]) == 0
    for words in (
        ["report", str(imported), "--all"],
        ["report", str(imported), "--json"],
        ["report", str(imported), "--html", str(tmp_path / "page.html")],
        ["timeline", str(imported)],
        ["compare", str(imported), str(imported)],
        ["export", "perfetto", str(imported), "-o", str(tmp_path / "out.perfetto")],
        ["export", "otf2", str(imported), "-o", str(tmp_path / "again")],
        ["export", "callgrind", str(imported), "-o", str(tmp_path / "out.callgrind")],
        ["export", "simgrid", str(imported), "-o", str(tmp_path / "actions")],
    ):
        capfd.readouterr()
        assert main(words) == 0, (words, capfd.readouterr().err)
    was, now = open_run(whole), open_run(imported)
    assert was.worlds[0].size == now.worlds[0].size
    assert _counts(was) == _counts(now)


def test_call_sites_and_the_steps_come_back(whole: Path, tmp_path: Path) -> None:
    archive, imported = tmp_path / "archive", tmp_path / "imported"
    assert main(["export", "otf2", str(whole), "-o", str(archive)]) == 0
    assert main(["import", str(archive), "-o", str(imported)]) == 0
    was, now = (
        {(site.function, *(place.full for place in site.path)) for site in open_run(run).sites if not site.local}
        for run in (whole, imported)
    )
    assert was == now
    assert any("exchange" in site for site in now)
    report = to_json(open_run(imported))
    # Without machine code, the loop of main's steps is that of what main calls in them.
    assert report["iterations"]["count"] == STEPS


def _counts(run: object) -> Counter[str]:
    profile = run.profile  # type: ignore[attr-defined]
    local = _core.CALL_CLASSES
    found: Counter[str] = Counter()
    for index, process in enumerate(profile.processes):
        trace = _core.open_process(process.file)

        def take(columns: dict[str, object]) -> None:
            for site, calls in zip(columns["site"], columns["calls"], strict=True):  # type: ignore[call-overload]
                function = profile.functions[profile.sites()[site][0]]
                if local[function.cls].category != "local":
                    found[function.name] += calls

        _core.visit_rows(profile, trace, index, 0, None, 1 << 16, take)
    return found


def test_nothing_is_overwritten(whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    archive = tmp_path / "archive"
    assert main(["export", "otf2", str(whole), "-o", str(archive)]) == 0
    there = tmp_path / "there"
    there.mkdir()
    assert main(["import", str(archive), "-o", str(there)]) == 2
    assert "already exists; choose a new directory" in capfd.readouterr().err
    assert not list(there.iterdir())
