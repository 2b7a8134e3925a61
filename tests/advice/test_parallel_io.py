"""What all ranks take for what one of them wrote or read, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from leadline.advice import files
from leadline.advice.kinds import parallel_io
from leadline.errors import UsageError
from leadline.figures.files import FileCounts
from leadline.predict import Files

SITE = SimpleNamespace(
    routine="save", members=(7, 8), path=[SimpleNamespace(routine="save", file="/home/me/save.c", line=12)]
)


def content(hosts: str, *together: FileCounts) -> Any:
    """A rank on each host; `together`: what each rank did with another file by MPI_File_*."""
    ranks = [SimpleNamespace(host=host) for host in hosts]
    of_ranks = [SimpleNamespace(process=process, mpi=counts) for process, counts in enumerate(together)]
    other = [SimpleNamespace(ranks=of_ranks)] if together else []
    run = SimpleNamespace(processes=ranks)
    return SimpleNamespace(ranks=ranks, run=run, files=SimpleNamespace(files=other), sites=[])


def entry(name: str, seconds: float) -> Any:
    evidence = {"bytes_written" if name == "write_by_one" else "bytes_read": 1_000_000}
    return SimpleNamespace(name=name, evidence=evidence, time_s=seconds, sites=[SITE])


def share(found: tuple[float, str] | None) -> float | None:
    return found and found[0]


def test_on_one_host_writers_take_turns_and_readers_do_not() -> None:
    assert share(parallel_io.remaining(content("aaaa"), entry("write_by_one", 1.0))) == 1
    assert share(parallel_io.remaining(content("aaaa"), entry("read_by_one", 1.0))) == 0.25


def test_on_several_hosts_it_is_known_from_another_file() -> None:
    assert parallel_io.remaining(content("ab"), entry("write_by_one", 1.0)) is None
    # Both write 8 MB in 2 s at most: 4 MB/s. 1 MB took half a second and takes a quarter.
    written = [FileCounts(writes=4, bytes_written=4_000_000, time_s=each) for each in (1.5, 2.0)]
    assert share(parallel_io.remaining(content("ab", *written), entry("write_by_one", 0.5))) == pytest.approx(0.5)
    assert parallel_io.remaining(content("ab", *written), entry("read_by_one", 0.5)) is None
    # Not if one host wrote it, nor if it was read as well: its time is that of both.
    assert parallel_io.remaining(content("ab", written[0]), entry("write_by_one", 0.5)) is None
    both = [FileCounts(reads=1, writes=4, bytes_written=4_000_000, time_s=1.0)] * 2
    assert parallel_io.remaining(content("ab", *both), entry("write_by_one", 0.5)) is None


def test_the_calls_at_a_place_share_it_or_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"write_by_one": [entry("write_by_one", 1.0)], "read_by_one": []}
    monkeypatch.setattr(files, "of", lambda _, name: found[name])
    for place in ("save", "save:12", "save.c:12"):
        assert parallel_io.made_collective(content("aa"), place)[0] == [Files(place, 1.0, (7, 8))]
    for place in ("save:13", "load"):
        with pytest.raises(UsageError, match="no rank there writes or reads a file for all"):
            parallel_io.made_collective(content("aa"), place)
    with pytest.raises(UsageError, match="what ranks on several hosts write or read together is unknown"):
        parallel_io.made_collective(content("ab"), "save")
