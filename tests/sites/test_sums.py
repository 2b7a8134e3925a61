"""A site's answer from accounts that are known: sums, order, what is not judged, what the catalogue keeps."""

import os
import sqlite3
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from leadline.errors import UsageError
from leadline.site import catalogue, reading
from leadline.site.account import Account, Cost
from leadline.site.catalogue import Entry
from leadline.site.discovery import Place, runs_beneath
from leadline.site.ranking import ranked
from leadline.site.show import show
from leadline.text.screen import Screen


def account(program: str, time_s: float, *costs: tuple[str, float], spoiled: str = "", started: float = 0.0) -> Account:
    return Account(
        program=program,
        library="MPICH 5.0.2",
        started_unix=started,
        ranks=2,
        time_s=time_s,
        computation_s=time_s / 2,
        mpi_s=time_s / 4,
        waiting_s=time_s / 8,
        io_s=time_s / 4,
        why_not_counted=spoiled,
        costs=tuple(Cost(kind, f"{kind} of {program}", lost_s) for kind, lost_s in costs),
    )


ENTRIES = [
    Entry("/r/1", "ann", 10, account("ocean", 100.0, ("wait", 5.0), ("pattern: packing", 20.0))),
    Entry("/r/2", "bob", 20, account("ocean", 300.0, ("wait", 7.0))),
    Entry("/r/3", "bob", 30, account("wind", 1000.0, ("imbalance", 40.0))),
    Entry("/r/4", "eve", 40, account("sea", 5000.0, spoiled="oversubscribed")),
    Entry("/r/5", "eve", 50, Account(why="damaged")),
]


def test_sums_by_program() -> None:
    found = ranked(ENTRIES, "program")
    assert [(row.name, row.runs, row.time_s, row.lost_s) for row in found.rows] == [
        ("wind", 1, 1000.0, 40.0),
        ("ocean", 2, 400.0, 32.0),
        ("sea", 1, 5000.0, 0.0),
    ]
    assert found.rows[1].kinds == {"wait": 12.0, "pattern: packing": 20.0}
    assert found.rows[1].example == ("/r/1", 25.0, "pattern: packing of ocean")
    assert (found.total.runs, found.total.time_s, found.total.counted_s) == (4, 6400.0, 1400.0)
    assert found.total.lost_s == sum(row.lost_s for row in found.rows) == 72.0
    assert found.not_counted == {"oversubscribed": 1}
    assert [entry.path for entry in found.unread] == ["/r/5"]


def test_why_runs_are_not_judged_is_said_in_words() -> None:
    written = StringIO()
    show(Screen(Console(file=written, width=200)), ranked(ENTRIES, "program"), 0)
    text = " ".join(written.getvalue().split())
    assert "1.8 h of all ranks, MPI 25 % (known waiting 12 %), files 25 %." in text
    assert "What 1 run lost is unknown: more threads than cores (1)." in text


def test_sums_by_user_and_library() -> None:
    assert {row.name: row.lost_s for row in ranked(ENTRIES, "user").rows} == {"ann": 25.0, "bob": 47.0, "eve": 0.0}
    assert [(row.name, row.runs) for row in ranked(ENTRIES, "library").rows] == [("MPICH 5.0.2", 4)]


def test_sums_by_finding_count_a_run_once_for_each() -> None:
    rows = ranked(ENTRIES, "finding").rows
    assert [(row.name, row.runs, row.lost_s) for row in rows] == [
        ("imbalance", 1, 40.0),
        ("pattern: packing", 1, 20.0),
        ("wait", 2, 12.0),
    ]
    assert rows[2].example == ("/r/2", 7.0, "wait of ocean")


def test_a_catalogue_gives_back_what_was_put_and_replaces_it(tmp_path: Path) -> None:
    file = tmp_path / "new" / "sites.sqlite"
    with catalogue.opened(file) as kept:
        for entry in ENTRIES:
            kept.put(Place(Path(entry.path), 7, 0, entry.trace_bytes), entry.user, entry.account)
    with catalogue.opened(file) as kept:
        assert kept.entries() == ENTRIES
        assert set(kept.stamps().values()) == {7}
        again = account("ocean", 1.0, ("wait", 0.5), started=50.0)
        kept.put(Place(Path("/r/1"), 8, 0, 11), "ann", again)
        assert kept.entries(since_unix=50.0) == [Entry("/r/1", "ann", 11, again)]
        assert kept.stamps()["/r/1"] == 8


def test_files_that_are_no_catalogue_are_refused_and_stay_as_they_are(tmp_path: Path) -> None:
    text, other, open_to_all = tmp_path / "text", tmp_path / "other", tmp_path / "open"
    text.write_text("not a data base, and long enough to be looked at" * 100)
    with sqlite3.connect(other) as connection:
        connection.execute("create table mine (x)")
    connection.close()
    with catalogue.opened(open_to_all):
        pass
    open_to_all.chmod(0o666)
    for file in (text, other, open_to_all, tmp_path):
        before = file.read_bytes() if file.is_file() else b""
        with pytest.raises(UsageError, match=str(file)), catalogue.opened(file):
            pass
        assert (file.read_bytes() if file.is_file() else b"") == before


def test_runs_are_found_without_following_links(tmp_path: Path) -> None:
    for name in ("ann/one", "bob/deep/two", "away/three"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "rank-00000-h-1.trace").write_bytes(b"12345")
    (tmp_path / "ann" / "notes").mkdir()
    (tmp_path / "bob" / "link").symlink_to(tmp_path / "away")
    found = runs_beneath([tmp_path / "ann", tmp_path / "bob", tmp_path / "bob" / "deep"])
    assert [str(place.path.relative_to(tmp_path)) for place in found.places] == ["ann/one", "bob/deep/two"]
    assert [place.n_bytes for place in found.places] == [5, 5]
    assert found.places[0].user == os.getuid()


def _dies_at_two(path: Path, stamp: int) -> Account:
    if path.name == "2":
        os._exit(11)
    return account(path.name, 1.0)


def test_a_run_that_ends_the_reader_costs_no_other_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "account_of", _dies_at_two)
    places = [Place(Path(f"/r/{number}"), 1, os.getuid(), 0) for number in range(5)]
    told: list[tuple[int, int]] = []
    with catalogue.opened(tmp_path / "c") as kept:
        reading.bring_up_to_date(kept, places, lambda done, of: told.append((done, of)))
        found = {entry.path: entry.account for entry in kept.entries()}
        assert [path for path, each in found.items() if each.why] == ["/r/2"]
        assert found["/r/2"].why == reading.ENDED
        assert [found[f"/r/{number}"].program for number in (0, 1, 3, 4)] == ["0", "1", "3", "4"]
        reading.bring_up_to_date(kept, places, lambda *_: pytest.fail("it is read already"))
    assert told == [(number, 5) for number in range(1, 6)]
