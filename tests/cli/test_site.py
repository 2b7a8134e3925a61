"""Every job of a site recorded without being asked for, and what `leadline site` makes of it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from leadline import mpi

from .conftest import Command, Tiny, traces

JOBS = 6


def setup(leadline: Command, *more: str | Path) -> str:
    ended = leadline("site", "setup", "--runs", leadline.directory / "spool", *more)
    assert ended.code == 0, ended.everything
    return ended.out


def start(folder: Path, profile: str, library: mpi.Library, program: Path, **variables: str) -> None:
    """Once, as a user whose shell has read the profile would."""
    (folder / "profile.sh").write_text(profile)
    words = ["sh", "-c", '. ./profile.sh && exec "$@"', "sh", *map(str, library.launch(3)), str(program)]
    environ = {**os.environ, **library.environ, "USER": "ann", **variables}
    subprocess.run(words, cwd=folder, env=environ, check=True, timeout=300, capture_output=True)


def recorded(folder: Path) -> list[Path]:
    return sorted((folder / "spool" / "ann").glob("*/"))


def test_every_job_is_recorded_and_the_sums_are_its(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    profile = setup(leadline, "--as", "profile")
    for _ in range(2):
        start(leadline.directory, profile, library, tiny(library))
    runs = recorded(leadline.directory)
    assert len(runs) == 2
    assert all(len(traces(run)) == 3 for run in runs)

    kept = ("--catalogue", leadline.directory / "kept.sqlite")
    ended = leadline("site", "report", "spool", "--json", *kept)
    assert ended.code == 0, ended.everything
    answer = json.loads(ended.out)
    (row,) = answer["rows"]
    assert (row["programs"], row["runs"], answer["unread"]) == ([tiny(library).name], 2, [])
    single = [json.loads(leadline("report", run, "--json").out) for run in runs]
    assert row["time_s"] == pytest.approx(sum(report["time_s"] for report in single))
    assert row["mpi_s"] == pytest.approx(sum(report["mpi_s"] for report in single))

    # What was read outlives the runs.
    for run in runs:
        for file in run.iterdir():
            os.utime(file, (0, 0))
    ended = leadline("site", "prune", "spool", "--older-than", "30d")
    assert ended.code == 0, ended.everything
    assert "2 runs of 2" in ended.err, ended.everything
    assert recorded(leadline.directory) == runs
    ended = leadline("site", "prune", "spool", "--older-than", "30d", "--remove")
    assert ended.code == 0, ended.everything
    assert not recorded(leadline.directory), ended.everything
    assert json.loads(leadline("site", "report", "spool", "--json", *kept).out)["rows"] == answer["rows"]


def test_jobs_are_recorded_whole_or_not_at_all(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    profile = setup(leadline, "--as", "profile", "--one-in", "2")
    for _ in range(JOBS):
        start(leadline.directory, profile, library, tiny(library))
    runs = recorded(leadline.directory)
    assert len(runs) <= JOBS
    assert all(len(traces(run)) == 3 for run in runs)


def test_it_can_be_switched_off(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    switch = leadline.directory / "off"
    profile = setup(leadline, "--as", "profile", "--off", switch)
    switch.touch()
    start(leadline.directory, profile, library, tiny(library))
    assert not recorded(leadline.directory)
    # Who asks for a recording gets it.
    environ = {"LEADLINE_OFF": "1", "LEADLINE_ONE_IN": "1000000", **library.environ}
    for command in (
        ("record", "-o", "asked", "--", *library.launch(2), tiny(library)),
        ("exec", "-o", "asked-too", tiny(library)),
    ):
        ended = leadline(*command, environ=environ)
        assert ended.code == 0, ended.everything
        assert traces(leadline.directory / command[2]), ended.everything
    switch.unlink()
    start(leadline.directory, profile, library, tiny(library), LEADLINE_OFF="1")
    assert not recorded(leadline.directory)
    start(leadline.directory, profile, library, tiny(library))
    assert len(recorded(leadline.directory)) == 1


def test_the_forms_for_slurm_and_modules(leadline: Command, tmp_path: Path) -> None:
    prolog = tmp_path / "prolog.sh"
    prolog.write_text(setup(leadline, "--as", "prolog", "--one-in", "10"))
    told = leadline.plain(
        "sh", prolog, environ={"USER": "ann", "LD_PRELOAD": "theirs.so", "LEADLINE_BUDGET": "9MB"}
    ).out
    lines = told.splitlines()
    assert f"export LEADLINE_DIR={tmp_path}/spool/ann" in lines
    assert "export LEADLINE_ONE_IN=10" in lines
    assert "export LEADLINE_BUDGET=9MB" in lines
    (preload,) = (line for line in lines if line.startswith("export LD_PRELOAD=/"))
    assert preload.endswith("/libleadline.so:theirs.so")
    assert leadline.plain("sh", prolog, environ={"USER": "ann", "LEADLINE_DIR": "/own"}).out == ""
    module = setup(leadline, "--as", "module")
    assert module.startswith("#%Module")
    assert f'"{tmp_path}/spool/$::env(USER)"' in module


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "nowhere"), "no such directory"),
        (("report", ".", "--since", "soon"), "--since soon"),
        (("report", ".", "--catalogue", "file/below"), "file/below"),
        (("prune", "."), "nothing says which runs"),
        (("prune", ".", "--most", "many"), "--most many"),
        (("prune", ".", "--older-than", "30"), "--older-than 30"),
        (("setup", "--runs", "a b"), "a path for every job"),
        (("setup", "--runs", "spool", "--budget", "1"), "--budget"),
    ],
    ids=" ".join,
)
def test_mistakes_are_named(leadline: Command, words: tuple[str, ...], said: str) -> None:
    (leadline.directory / "file").touch()
    ended = leadline("site", *words)
    assert ended.code == 2, ended.everything
    assert said in ended.err, ended.everything
    assert "Traceback" not in ended.err, ended.everything
