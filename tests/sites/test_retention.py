"""Which runs go, and what their removal leaves alone."""

import os
import time
from pathlib import Path

import pytest

from leadline.site import retention
from leadline.site.discovery import Place, runs_beneath

DAY_S = 24 * 3600.0
NOW_S = time.time()


def place(number: int, days: float, n_bytes: int = 100) -> Place:
    return Place(Path(f"/r/{number}"), int((NOW_S - days * DAY_S) * 1e9), 0, n_bytes)


PLACES = [place(0, 40), place(1, 0.5), place(2, 10, 500), place(3, 20)]


@pytest.mark.parametrize(
    ("older_days", "most", "gone"),
    [(30, None, [0]), (15, None, [0, 3]), (None, 800, []), (None, 700, [0]), (None, 650, [0, 3]), (None, 0, [0, 3, 2])],
)
def test_the_oldest_go_first_and_the_newest_stay(older_days: float | None, most: float | None, gone: list[int]) -> None:
    age_s = older_days * DAY_S if older_days is not None else None
    chosen = retention.due(PLACES, older_than_s=age_s, most_bytes=most, now_s=NOW_S)
    assert [int(each.path.name) for each in chosen] == gone


def make(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_bytes(b"1234567890")


def test_only_what_leadline_wrote_is_removed(tmp_path: Path) -> None:
    ours = (
        "rank-00000-h-1.trace",
        "run.json",
        "job.json",
        "symbols.json",
        "report.html",
        ".rank-3",
        "shared-1.structure",
    )
    make(tmp_path / "whole", *ours)
    make(tmp_path / "with-notes", "rank-00000-h-1.trace", "results.nc")
    make(tmp_path / "elsewhere", "precious.trace")
    make(tmp_path / "linked", "rank-00000-h-1.trace")
    (tmp_path / "linked" / "other.trace").symlink_to(tmp_path / "elsewhere" / "precious.trace")
    places = [each for each in runs_beneath([tmp_path]).places if each.path.name != "elsewhere"]
    removed = retention.remove(places)
    assert removed.runs == 2
    assert not (tmp_path / "whole").exists()
    assert os.listdir(tmp_path / "with-notes") == ["results.nc"]
    assert removed.kept == {tmp_path / "with-notes": "it also holds results.nc"}
    assert (tmp_path / "elsewhere" / "precious.trace").read_bytes() == b"1234567890"


def test_a_link_in_place_of_a_run_is_not_followed(tmp_path: Path) -> None:
    make(tmp_path / "run", "rank-00000-h-1.trace")
    make(tmp_path / "precious", "rank-00000-h-1.trace")
    (found,) = (each for each in runs_beneath([tmp_path]).places if each.path.name == "run")
    (tmp_path / "run").rename(tmp_path / "moved")
    (tmp_path / "run").symlink_to(tmp_path / "precious")
    removed = retention.remove([found])
    assert removed.runs == 0
    assert found.path in removed.kept
    assert (tmp_path / "precious" / "rank-00000-h-1.trace").exists()
