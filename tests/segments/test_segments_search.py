"""Which forms `auto` tries, where the time of each is given."""

from pathlib import Path

import pytest
from recorder.running import run_mpi

from .building import ROOT, built, library

PROGRAM = ROOT / "tests" / "programs" / "segments_search.c"


def _search(fields: int, strided: bool, each: float, shared: float, tmp_path: Path) -> tuple[list[str], float]:
    """The forms tried after the first, and the time of the fastest over that of the fastest there is."""
    chosen = library("openmpi")
    words = [built(chosen, program=PROGRAM), *map(str, (fields, int(strided), each, shared))]
    done = run_mpi(chosen, 1, words, cwd=tmp_path)
    *tried, last = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    found, least = last.removeprefix("found ").split(" of ")
    return [line.removeprefix("tried ") for line in tried], float(found) / float(least)


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize(("each", "shared"), [(1, 0), (0, 1), (1, 4), (1, 100), (1, 900), (1, 2000)])
def test_a_form_near_the_fastest_is_found(each: float, shared: float, strided: bool, tmp_path: Path) -> None:
    tried, behind = _search(51, strided, each, shared, tmp_path)
    assert len(set(tried)) == len(tried)
    # Halved and doubled numbers of segments lie at most a factor of the square root of 2 from the best one.
    assert behind <= (2**0.5 + 0.5**0.5) / 2 + 1e-9


def test_short_exchanges_end_the_search_at_once(tmp_path: Path) -> None:
    assert _search(51, True, 1, 0, tmp_path)[0] == ["1 datatype", "51 packed", "51 datatype", "2 packed"]


def test_faces_of_one_piece_are_not_tried_twice_as_messages_of_their_own(tmp_path: Path) -> None:
    assert _search(51, False, 1, 0, tmp_path)[0] == ["1 datatype", "51 packed", "2 packed"]


def test_one_field_has_two_forms(tmp_path: Path) -> None:
    assert _search(1, True, 1, 0, tmp_path)[0] == ["1 datatype"]
