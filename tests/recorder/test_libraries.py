"""Releases of MPI libraries beyond the newest ones, which all other tests use: each is recorded right.

./dev test --all tries every release there is, and ./dev test --libraries writes what it found to
docs/reference/libraries.md; otherwise a few stand for the rest.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiers

from leadline.mpi import DEBIAN, all_releases, find, install

from .building import Builder
from .library_checks import CHECKS, Bench, LibraryFails
from .library_table import Row, write

WRITES = os.environ.get("LEADLINE_TEST_LIBRARIES") == "all"
ALL = WRITES or tiers.everything()
# The oldest of MPICH and Intel's, and both libraries of the standard ABI.
A_FEW = ("mpich@3.4.3", "intel@2018.0.3", "mpich-abi", "intel-abi")
NAMES = [*(release.name for release in all_releases()), *DEBIAN] if ALL else A_FEW


@pytest.fixture(scope="module")
def rows() -> Iterator[list[Row]]:
    made: list[Row] = []
    yield made
    if WRITES:
        write(made, NAMES)


@pytest.mark.ci("intel@2018.0.3", "mpich-abi")
@pytest.mark.parametrize("name", NAMES)
def test_a_release_is_recorded_right(
    name: str, rows: list[Row], builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    from leadline.errors import LeadlineError

    try:
        library = install(name) if ALL and name not in DEBIAN else find(name)
    except LeadlineError as error:
        pytest.skip(str(error))
    bench = Bench(library, builder, recorder, tmp_path)
    row = Row(name)
    rows.append(row)
    wrong = []
    for what, check in CHECKS.items():
        try:
            row.cells[what] = check(bench)
        except LibraryFails as failure:
            row.cells[what] = "fails"
            row.notes.append(f"{what}: {failure}")
        except AssertionError as error:
            row.cells[what] = "**wrong**"
            wrong.append(f"{what}: {error}")
    row.runs = row.cells["order"] == "exact"
    assert not wrong, "\n\n".join(wrong)
    assert ALL or row.runs, row.notes
