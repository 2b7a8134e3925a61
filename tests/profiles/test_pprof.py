"""What TAU's pprof printed of a folder of ours: the same figures, as far as its digits go."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.profiles import Profile, UnreadableProfile, cut_counts, read

DATA = Path(__file__).parent / "data"
TABLE = """Reading Profile files in profile.*

NODE 0;CONTEXT 0;THREAD 0:
---------------------------------------------------------------------------------------
%Time    Exclusive    Inclusive       #Call      #Subrs  Inclusive Name
              msec   total msec                          usec/call
---------------------------------------------------------------------------------------
100.0  1:00:00.250  1:01:02.003           1           4 3662003456 .TAU application
  1.0        2,500        2,500      100001           0          7 MPI_Send()
  1.0     1:30.125     1:30.125 1.79768E+06           0         50 MPI_Wait()
"""


def by_rank(profile: Profile) -> dict[tuple[str, int | None], tuple[float, float]]:
    return {(row.function, row.rank): (row.calls, row.exclusive_s) for row in profile.rows}


def test_the_text_agrees_with_the_folder_it_was_made_from() -> None:
    folder, text = read(DATA / "tau"), read(DATA / "pprof.txt")
    assert (text.format, text.ranks) == ("pprof text", folder.ranks)
    known = by_rank(folder)
    for row in text.rows:
        calls, exclusive_s = known[row.function, row.rank]
        assert row.calls == calls
        assert abs(row.exclusive_s - exclusive_s) <= row.time_error_s + 1e-9, row
    sites = {(site.function, site.path): site for site in folder.sites}
    assert {(site.function, site.path) for site in text.sites} == set(sites)
    for site in text.sites:
        same = sites[site.function, site.path]
        assert site.calls == same.calls
        assert abs(site.time_s - same.time_s) <= site.time_error_s + 1e-9, site


def test_the_summary_of_all_ranks_is_enough() -> None:
    """pprof -s -p."""
    folder, text = read(DATA / "tau"), read(DATA / "pprof-s-p.txt")
    assert text.ranks == folder.ranks
    for row in text.rows:
        assert row.rank is None
        assert row.calls == folder.calls(row.function)
        assert abs(row.exclusive_s - folder.exclusive_s(row.function)) <= row.time_error_s + 1e-9, row


def test_times_of_minutes_and_hours_and_rounded_counts_are_read(tmp_path: Path) -> None:
    file = tmp_path / "pprof.txt"
    file.write_text("some other output of the job\n" + TABLE)
    rows = {row.function: row for row in read(file).rows}
    assert rows[".TAU application"].exclusive_s == pytest.approx(3600.25, abs=1e-3)
    assert rows[".TAU application"].inclusive_s == pytest.approx(3662.003456, abs=1e-3)
    assert rows["MPI_Send"].exclusive_s == pytest.approx(2.5, abs=1e-3)
    assert (rows["MPI_Wait"].calls, rows["MPI_Wait"].calls_error) == (1_797_680, 5)
    assert [cut.function for cut in cut_counts(read(file))] == []  # 25 µs per call
    file.write_text(TABLE.replace("2,500", "  500"))
    assert [cut.function for cut in cut_counts(read(file))] == ["MPI_Send"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Inclusive Name", "Count/Call Name", "values of a hardware counter"),
        ("  1.0        2,500        2,500", "  1.0        2,500", "expected a pprof row"),
        ("2,500        2,500", "2x500        2,500", "line 9: '2x500' is not"),
        ("      100001", "         nan", "line 9: 'nan' is not"),
    ],
)
def test_damage_is_one_clear_message(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "pprof.txt"
    file.write_text(TABLE.replace(old, new, 1))
    with pytest.raises(UnreadableProfile, match=message):
        read(file)


def test_a_summary_that_does_not_say_how_many_ranks_is_refused(tmp_path: Path) -> None:
    text = (DATA / "pprof-s-p.txt").read_text()
    file = tmp_path / "pprof.txt"
    file.write_text(text.replace(".TAU application\n", "main\n"))
    with pytest.raises(UnreadableProfile, match="run pprof without -s"):
        read(file)
    file.write_text(text[text.index("FUNCTION SUMMARY (mean)") :])
    with pytest.raises(UnreadableProfile, match="mean"):
        read(file)
