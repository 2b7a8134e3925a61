"""Predictions that are written as runs: what other commands read of them, and that all of it is marked."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline import _core
from leadline import predict as predicting
from leadline.__main__ import main
from leadline.cli.run_argument import run_or_newest
from leadline.errors import UsageError
from leadline.figures.run import Run, open_run
from leadline.predict import (
    Change,
    Computation,
    Gather,
    Merge,
    Nonblocking,
    Overlap,
    Pack,
    Replays,
    Without,
    write_run,
)

from .predicted_runs import FIELDS, STEPS, record


def written(run: Run, directory: Path, change: Change) -> Run:
    replays = Replays(run)
    write_run(replays, change, replays.predict(change), directory / "predicted", ["--some"])
    return open_run(directory / "predicted")


def sizes_of(part: Any) -> tuple[int, int, int]:
    return part.posted_bytes, part.out_bytes, part.in_bytes


def calls_of(run: Run, rank: int) -> list[tuple[Any, ...]]:
    """All that a trace has of each call of a rank, without its times."""
    process = run.trace(run.worlds[0].processes[rank])
    names = [function.name for function in process.functions]
    found = []
    for call in process.calls(0):
        if call.nothing:
            continue
        parts = [
            (part.peer, part.tag, part.identity, part.moves, *sizes_of(part), part.maker_age, part.maker_site)
            for part in call.parts
        ]
        one = (names[call.function], call.site, call.identity, call.tag, call.count, call.datatype, tuple(parts))
        found += [one] * call.times
    return found


def sent(run: Run) -> int:
    return sum(edge.messages for edge in run.profile.edges())


def loops_of(run: Run) -> list[tuple[Any, ...]]:
    """Of each loop with calls: its header's address, and by rank how often it repeated and was entered."""
    return sorted(
        (loop.header[-1], [(cell.process, cell.repeats, cell.entries) for cell in loop.cells if cell.calls])
        for loop in run.profile.loops.all
        if any(cell.calls for cell in loop.cells)
    )


@pytest.mark.parametrize("program", ["run", "fields", "rows"])
def test_an_unchanged_run_has_the_same_calls_and_loops(
    program: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    recorded = request.getfixturevalue(program)
    found = written(recorded, tmp_path, Change())
    for rank in (0, 1):
        assert calls_of(found, rank) == calls_of(recorded, rank)
    assert found.complete
    assert found.library == recorded.library
    assert {site.routine for site in found.sites} == {site.routine for site in recorded.sites}
    assert loops_of(found) == loops_of(recorded)
    seconds = Replays(recorded).seconds(Change())
    assert found.duration_s == pytest.approx(seconds, rel=0.01)


def test_steps_come_over_and_over(fields: Run, tmp_path: Path) -> None:
    found = written(fields, tmp_path, Change(steps=3 * STEPS))
    assert sent(found) == 3 * STEPS * 2 * FIELDS


def test_a_last_step_unlike_all_others_comes_at_the_end_only(tmp_path: Path) -> None:
    recorded = record(tmp_path, "results.c")
    change = Change(steps=3 * STEPS)
    found = written(recorded, tmp_path, change)
    for rank in (0, 1):
        before, after = calls_of(recorded, rank), calls_of(found, rank)
        first = next(i for i, (name, *_) in enumerate(before) if name == "MPI_Sendrecv")
        usual = before[first : first + 2]
        assert after == [*before[:first], *usual * (2 * STEPS), *before[first:]]
    assert found.duration_s == pytest.approx(Replays(recorded).seconds(change), rel=0.01)


def test_messages_that_differ_from_step_to_step(tmp_path: Path) -> None:
    recorded = record(tmp_path, "varying.c")
    found = written(recorded, tmp_path, Change())
    for rank in (0, 1):
        assert calls_of(found, rank) == calls_of(recorded, rank)


def test_packed_messages_are_fewer_and_longer(fields: Run, tmp_path: Path) -> None:
    found = written(fields, tmp_path, Change(program=(Pack("exchange_fields"),)))
    assert sent(found) == STEPS * 2
    for rank in (0, 1):
        of = Counter(name for name, *_ in calls_of(found, rank))
        assert of["MPI_Isend"] == of["MPI_Irecv"] == of["MPI_Waitall"] == STEPS
        completed = [parts for name, *_, parts in calls_of(found, rank) if name == "MPI_Waitall"]
        assert all(sorted(part[6] for part in parts) == [0, FIELDS * 800] for parts in completed)
    (_, steps), (_, of_fields) = loops_of(found)
    assert [repeats + entries for _, repeats, entries in steps] == [STEPS, STEPS]
    assert of_fields == [(0, 0, STEPS), (1, 0, STEPS)]  # one iteration each


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Merge("swap_two"), {"MPI_Isend": STEPS, "MPI_Irecv": STEPS}),
        (Merge("sum_two"), {"MPI_Allreduce": STEPS}),
        (Nonblocking("shift"), {"MPI_Waitall": STEPS}),
        (Overlap("shift"), {"MPI_Waitall": STEPS}),
        (Gather("collect"), {"MPI_Gather": STEPS}),
    ],
)
def test_changes_are_written_as_they_are_replayed(
    rows: Run, tmp_path: Path, change: Any, expected: dict[str, int]
) -> None:
    replays = Replays(rows)
    wanted = Change(program=(change,))
    prediction = replays.predict(wanted)
    write_run(replays, wanted, prediction, tmp_path / "predicted")
    found = open_run(tmp_path / "predicted")
    assert sent(found) == prediction.predicted.messages
    for name, calls in expected.items():
        assert sum(Counter(each for each, *_ in calls_of(found, rank))[name] for rank in (0, 1)) >= calls
    assert not [loss for loss in found.losses if not loss.code.startswith("predicted-")]


def test_calls_left_out_are_not_written(run: Run, tmp_path: Path) -> None:
    sums = tuple(member for site in run.sites if site.function == "MPI_Allreduce" for member in site.members)
    found = written(run, tmp_path, Change(program=(Without("the sum", sums),)))
    assert "MPI_Allreduce" not in {name for name, *_ in calls_of(found, 0)}


def test_everything_says_that_it_is_predicted(
    fields: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)  # whatever else the machine does
    target = tmp_path / "predicted"
    assert main(["predict", str(fields.path), "--pack", "exchange_fields", "-o", str(target)]) == 0
    assert f"{target}: a predicted run, " in capsys.readouterr().err
    assert main(["report", str(target), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"].startswith("Predicted, not measured: ")
    assert "with --pack exchange_fields, from the run run." in report["verdict"]
    told = report["predicted"]
    assert told["low"] <= told["seconds"] <= told["high"]
    assert told["options"] == ["--pack", "exchange_fields"]
    assert report["conditions"][0]["code"] == "predicted"
    assert main(["report", str(target)]) == 0
    assert capsys.readouterr().out.lstrip().startswith("Predicted, not measured: ")
    assert main(["report", str(target), "--html", str(tmp_path / "page.html")]) == 0
    assert re.search("<title>[^<]*, predicted – Leadline</title>", (tmp_path / "page.html").read_text())
    capsys.readouterr()
    assert main(["export", "perfetto", str(target), "-o", str(tmp_path / "out.perfetto")]) == 0
    assert "the run is predicted, not measured" in capsys.readouterr().err
    assert main(["report", str(fields.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["predicted"] is None


def files_of(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    return {each.name: each.read_bytes() for each in files}


@pytest.mark.parametrize("name", ["callgrind", "goal", "otf2", "parquet", "perfetto", "simgrid", "tau"])
def test_each_exported_format_is_marked(name: str, fields: Run, tmp_path: Path) -> None:
    from leadline.errors import MissingPrerequisite
    from leadline.interchange import Selection, exporter

    found = written(fields, tmp_path, Change())
    for run, number in ((found, 1), (fields, 0)):
        target = tmp_path / f"out{number}"
        try:
            exporter(name)(Selection(run, tuple(run.order)), target)
        except MissingPrerequisite as error:
            pytest.skip(str(error))
        everything = b"\n".join([*files_of(target).values(), *(each.encode() for each in files_of(target))])
        mark = b"predicted-rank-0.txt" if name == "simgrid" else b"predicted, not measured"
        assert (mark in everything) == bool(number)


def test_without_a_directory_it_is_the_newest_recorded_run(
    fields: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    parent = tmp_path / "leadline-runs"
    parent.mkdir()
    written(fields, parent, Change()).path.rename(parent / "mine")
    with pytest.raises(UsageError, match="all runs in leadline-runs are predictions"):
        run_or_newest(None)
    (parent / "recorded").symlink_to(fields.path)
    os.utime(parent / "mine", ns=(2**62, 2**62))
    assert run_or_newest(None) == Path("leadline-runs/recorded")
    assert "leadline-runs/mine is newer, but a prediction" in capsys.readouterr().err
    assert run_or_newest("leadline-runs/mine") == Path("leadline-runs/mine")
    os.utime(parent / "mine", ns=(0, 0))
    assert run_or_newest(None) == Path("leadline-runs/recorded")
    assert not capsys.readouterr().err


def test_compared_with_the_recorded_run_it_names_the_change(
    fields: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(fields, tmp_path, Change(program=(Pack("exchange_fields"),)))
    assert main(["compare", str(fields.path), str(tmp_path / "predicted"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"].startswith("B is predicted, not measured. ")
    (told,) = found["groups"][1]["runs"]
    assert any("Predicted, not measured" in each for each in told["notes"])
    assert [run["predicted"] for group in found["groups"] for run in group["runs"]] == [False, True]
    assert f"the loop in exchange_fields: {FIELDS} → 1 iterations" in json.dumps(found["pairs"], ensure_ascii=False)


def test_what_cannot_be_written_is_refused(fields: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    replays = Replays(fields)
    found = replays.predict(Change())
    with pytest.raises(UsageError, match="already exists"):
        write_run(replays, Change(), found, tmp_path / "there")
    with pytest.raises(UsageError, match="cannot create"):
        write_run(replays, Change(), found, tmp_path / "not" / "there")
    monkeypatch.setattr(_core, "MOST_PREDICTED_CALLS", 10)
    with pytest.raises(UsageError, match="at most 10 can be written"):
        write_run(replays, Change(), found, tmp_path / "much")
    assert not (tmp_path / "much").exists()


def test_nothing_is_predicted_from_a_prediction(fields: Run, tmp_path: Path) -> None:
    found = written(fields, tmp_path, Change(program=(Computation("main", 0.5),)))
    assert found.predicted
    with pytest.raises(UsageError, match="itself a prediction"):
        Replays(found)


def test_a_description_that_others_wrote_breaks_nothing(
    fields: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(fields, tmp_path, Change())
    description = tmp_path / "predicted" / "run.json"
    for told in (None, 7, {"seconds": "soon", "options": 3, "from": []}):
        description.write_text(json.dumps({"state": "predicted", "predicted": told}))
        assert main(["report", str(tmp_path / "predicted"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["verdict"].startswith("Predicted, not measured. ")
