"""leadline compare with other tools' profiles: beside one another, and beside recordings of ours."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from leadline.__main__ import main
from leadline.compare import Comparison, Group, Subject, compare
from leadline.compare.from_profile import open_profile, subject_of
from leadline.compare.subject import Part
from leadline.compare.words import verdict
from leadline.profiles import Profile, read
from leadline.profiles.virtual_clusters import PUBLISHED

DATA = Path(__file__).parent / "data"


def pair(a: Subject, b: Subject) -> Comparison:
    return compare([Group("a", [a]), Group("b", [b])])


def recording(profile: Profile) -> Subject:
    """The run that TAU's folder was exported from, with what only we record."""
    found = subject_of(profile, "run")
    loop = [replace(part, in_loop=True, messages=9, n_bytes=99) for part in found.sites]
    local = Part(("MPI_Comm_rank", "main", "0"), "MPI_Comm_rank in main", 2, local=True)
    return replace(
        found,
        sites=[*loop, local],
        functions=[
            replace(part, key=(part.key[0], where), calls=part.calls / 2, in_loop=bool(where))
            for part in found.functions
            for where in ("loop", "")
        ],
        iterations=6,
        iteration_s=[0.1] * 6,
        environment={"MPI library": "MPICH 4.0.2", "MPIR_CVAR_X": "1", "Recorded with": "Leadline"},
        tool="Leadline",
        kind=None,
        has_structure=True,
    )


def test_what_a_profile_does_not_have_is_said_and_not_compared() -> None:
    comparison = pair(recording(read(DATA / "tau")), open_profile(DATA / "tau"))
    assert comparison.limits[0].startswith(
        "A TAU profile directory: whole-run times and counts only (no iterations, loops"
    )
    (found,) = comparison.pairs
    assert {metric.level for metric in found.metrics} == {"run", "computation", "rank", "function", "site"}
    assert not any(metric.per_iteration for metric in found.metrics if metric.level != "rank")
    assert found.causes == []  # neither messages, nor local functions, nor the split between loop and rest
    assert "one run each. Same call counts wherever both have the call. To compare times, record" in verdict(comparison)
    settings = {each.title: each.values for each in comparison.differences}
    assert settings["MPIR_CVAR_X"] == ("1", "not recorded")
    assert settings["Recorded with"] == ("Leadline", "TAU profile by leadline 0.1.0")


def test_recordings_alone_are_compared_as_they_are() -> None:
    run = recording(read(DATA / "tau"))
    comparison = pair(run, run)
    assert comparison.limits == []
    assert comparison.groups[0].first is run


@pytest.mark.parametrize("name", ["mpip.txt", "mpip-e.txt", "mpip-k0.txt", "mpip-c.txt", "pprof.txt", "pprof-s-p.txt"])
def test_the_same_program_has_the_same_calls_whatever_counted_them(name: str) -> None:
    comparison = pair(recording(read(DATA / "tau")), open_profile(DATA / name))
    assert comparison.pairs[0].causes == []
    functions = [metric.key[0] for metric in comparison.pairs[0].metrics if metric.level == "function"]
    assert {"MPI_Wait", "MPI_Isend", "MPI_Reduce"} <= set(functions)


def test_call_sites_are_compared_as_deeply_as_both_know_them() -> None:
    comparison = pair(open_profile(DATA / "tau"), open_profile(DATA / "mpip.txt"))
    assert any("by the innermost 2 routines, because" in text for text in comparison.limits)
    sites = {metric.key for metric in comparison.pairs[0].metrics if metric.level == "site"}
    assert ("MPI_Recv", "opatm::Output::write", "opatm::Output::collect", "") in sites


def test_one_more_field_is_more_calls_in_a_profile() -> None:
    comparison = pair(open_profile(DATA / "mpip.txt"), open_profile(DATA / "mpip-addresses.txt"))
    assert ", one run each: not proven. 50 % more calls (576 → 864) at MPI_Wait, MPI_" in verdict(comparison)
    assert any("Compared by function: " in text for text in comparison.limits)
    (cause,) = comparison.pairs[0].causes
    assert {change.where for change in cause.changes} == {
        *("MPI_Wait", "MPI_Isend", "MPI_Irecv", "MPI_Send", "MPI_Recv")
    }


def test_rounded_and_cut_counts_claim_nothing() -> None:
    """The WRF study's tables round MPI_Wait's calls, and throttling cut MPI_Cart_shift's."""
    a = open_profile(PUBLISHED / "P-C.csv")
    (wait,) = (part for part in a.functions if part.key[0] == "MPI_Wait")
    slightly = [replace(part, calls=part.calls + 8) if part is wait else part for part in a.functions]
    assert pair(a, replace(a, functions=slightly)).pairs[0].causes == []
    clearly = [replace(part, calls=part.calls + 20) if part is wait else part for part in a.functions]
    assert len(pair(a, replace(a, functions=clearly)).pairs[0].causes) == 1
    uncounted = [replace(part, calls=0, calls_error=float("inf")) if part is wait else part for part in a.functions]
    assert pair(a, replace(a, functions=uncounted)).pairs[0].causes == []
    comparison = pair(a, open_profile(PUBLISHED / "V-C.csv"))
    assert any("Omitted: MPI_Cart_coords, MPI_Cart_shift" in text for text in comparison.limits)
    assert not any("MPI_Cart_shift" in metric.key for metric in comparison.pairs[0].metrics)


def test_the_studys_tables_scale_as_their_times_say() -> None:
    groups = [Group(f"P-{letter}", [open_profile(PUBLISHED / f"P-{letter}.csv")]) for letter in "ABC"]
    scaling = compare(groups).scaling
    assert scaling is not None
    assert [point.ranks for point in scaling.curves[0].points] == [2, 4, 8]
    run = read(PUBLISHED / "P-C.csv")
    startup_s = run.exclusive_s("MPI_Init") + run.exclusive_s("MPI_Finalize")
    assert scaling.curves[0].points[2].time_s == pytest.approx((3833.212 - startup_s) / 8, rel=1e-4)


def test_the_command_takes_profiles_and_says_what_is_neither(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["compare", str(DATA / "mpip.txt"), str(DATA / "tau"), str(DATA / "pprof.txt"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [group["runs"][0]["tool"] for group in found["groups"]] == [
        "mpiP 3.5.0",
        "TAU profile by leadline 0.1.0",
        "TAU",
    ]
    assert found["limits"]
    assert found["groups"][0]["runs"][0]["io_s"] is None
    (tmp_path / "notes.txt").write_text("no profile\n")
    assert main(["compare", str(DATA / "mpip.txt"), str(tmp_path / "notes.txt")]) == 4
    assert "neither a run nor a supported profile" in capsys.readouterr().err
