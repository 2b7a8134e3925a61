"""TAU's profiles read: values, what is refused, and damaged bytes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from leadline.errors import LeadlineError, UsageError
from leadline.profiles import UnreadableProfile, cut_counts, read
from leadline.profiles.virtual_clusters import PUBLISHED

HEAD = "percent_time,exclusive_ms,inclusive_ms,calls,subroutines,inclusive_us_per_call,name\n"
RANK = """3 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata></metadata>
".TAU application" 1 4 500000.000 2000000.000 0 GROUP="TAU_DEFAULT"
"MPI_Send()" {calls} 0 {us} {us} 0 GROUP="MPI"
".TAU application => MPI_Send()" {calls} 0 {us} {us} 0 GROUP="TAU_CALLPATH|MPI"
0 aggregates
0 userevents
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "tau"
    path.mkdir()
    (path / "profile.0.0.0").write_text(RANK.format(calls=100_001, us=300_000))
    (path / "profile.10.0.0").write_text(RANK.format(calls=7, us=1_500_000))
    return path


def test_a_folder_has_rows_by_rank_and_call_paths_count_once(folder: Path) -> None:
    profile = read(folder)
    assert (profile.ranks, profile.calls("MPI_Send")) == (2, 100_008)
    assert profile.mpi_s == pytest.approx(1.8)
    assert [row.rank for row in profile.rows if row.function == "MPI_Send"] == [0, 10]
    assert [(cut.function, cut.ranks, cut.calls) for cut in cut_counts(profile)] == [("MPI_Send", 1, 100_001)]


def test_a_function_that_tau_marks_is_cut_whatever_its_count(folder: Path) -> None:
    file = folder / "profile.10.0.0"
    file.write_text(file.read_text().replace('"MPI_Send()"', '"MPI_Send() [THROTTLED]"'))
    assert read(folder).calls("MPI_Send") == 100_008
    assert [cut.calls for cut in cut_counts(read(folder))] == [100_001, 7]


@pytest.mark.parametrize(("calls", "cut"), [(200_002, True), (200_000, False), (100_001, True), (300_003, False)])
def test_sums_are_cut_if_they_are_that_of_at_most_all_ranks(tmp_path: Path, calls: int, cut: bool) -> None:
    file = tmp_path / "p.csv"
    file.write_text(f"{HEAD}100,1,2,2,0,0,.TAU\n1,50,50,{calls},0,0,MPI_Comm_rank\n")
    assert bool(list(cut_counts(read(file)))) is cut


def test_rounded_counts_say_how_far_they_may_be_off() -> None:
    (wait,) = [row for row in read(PUBLISHED / "P-C.csv").rows if row.function == "MPI_Wait"]
    assert (wait.calls, wait.calls_error) == (1_797_680, 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the columns"),
        ("a,b\n", "line 1: the columns"),
        (HEAD, "expected one row .TAU, got 0"),
        (HEAD + 2 * "100,1,2,2,0,0,.TAU\n", "expected one row .TAU, got 2"),
        (HEAD + "100,1,2,0,0,0,.TAU\n", "row .TAU: expected its calls to be the number of ranks, got 0"),
        (HEAD + "1,2\n", "line 2: expected 7 columns, got 2"),
        (HEAD + "100,1,nan,2,0,0,.TAU\n", "line 2: 'nan' is not"),
        (HEAD + "100,1,-1,2,0,0,.TAU\n", "line 2: '-1' is not"),
        (HEAD + '100,"1,2,2,0,0,.TAU\n', "unexpected end"),
    ],
)
def test_damaged_columns_are_one_clear_message(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "p.csv"
    file.write_text(text)
    with pytest.raises(UnreadableProfile, match=message):
        read(file)


def test_what_is_no_profile_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or directory"):
        read(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableProfile, match="not a TAU profile directory"):
        read(tmp_path / "empty")
    file = folder / "profile.0.0.0"
    file.write_text(file.read_text().replace("MULTI_TIME", "MULTI_PAPI_FP_OPS"))
    with pytest.raises(UnreadableProfile, match="PAPI_FP_OPS, not times"):
        read(folder)
    file.write_text("\n".join(RANK.splitlines()[:3]))
    with pytest.raises(UnreadableProfile, match="1 of 3 timers"):
        read(folder)


def test_random_damage_is_read_or_refused(folder: Path, tmp_path: Path) -> None:
    """Any exception but ours, from a changed byte or a cut, fails."""
    chance = random.Random(15)
    columns = tmp_path / "p.csv"
    refused = 0
    for target, path in ((columns, columns), (folder / "profile.0.0.0", folder)):
        whole = (PUBLISHED / "P-C.csv").read_bytes() if target is columns else target.read_bytes()
        for _ in range(400):
            damaged = bytearray(whole[: chance.choice((len(whole), chance.randrange(len(whole))))])
            for _ in range(chance.randrange(1, 4) if damaged else 0):
                damaged[chance.randrange(len(damaged))] = chance.choice((0, 10, 34, 44, 45, 57, 101, 255))
            target.write_bytes(damaged)
            try:
                list(cut_counts(read(path)))
            except LeadlineError:
                refused += 1
    assert refused > 100
