"""TAU's columns as CSV, summed over the ranks: as the published tables of WRF have them."""

from __future__ import annotations

import csv
from pathlib import Path

from leadline.profiles import tau
from leadline.profiles.profile import Profile, Row, UnreadableProfile, number, rounding, text_lines

APPLICATION = ".TAU"
COLUMNS = ["percent_time", "exclusive_ms", "inclusive_ms", "calls", "subroutines", "inclusive_us_per_call", "name"]


def read(path: Path) -> Profile:
    """The application's row has a call for each rank. Raises UnreadableProfile."""
    lines = csv.reader(text_lines(path), strict=True)
    rows = []
    try:
        if (header := next(lines, [])) != COLUMNS:
            raise UnreadableProfile(
                f"{path}, line 1: the columns are {','.join(header)[:80]!r}, not {','.join(COLUMNS)}"
            )
        for cells in lines:
            place = f"{path}, line {lines.line_num}"
            if len(cells) != len(COLUMNS):
                raise UnreadableProfile(f"{place}: expected {len(COLUMNS)} columns, got {len(cells)}")
            exclusive_ms, inclusive_ms, calls = (number(cells[column], place) for column in (1, 2, 3))
            error = rounding(cells[3])
            rows.append(Row(cells[6], None, calls, inclusive_ms * 1e-3, exclusive_ms * 1e-3, error))
    except csv.Error as error:
        raise UnreadableProfile(f"{path}, line {lines.line_num}: {error}") from error
    ranks = [row.calls for row in rows if row.function == APPLICATION]
    if len(ranks) != 1:
        raise UnreadableProfile(f"{path}: expected one row {APPLICATION}, got {len(ranks)}")
    if not 1 <= ranks[0] <= 1e9:
        raise UnreadableProfile(
            f"{path}: row {APPLICATION}: expected its calls to be the number of ranks, got {ranks[0]:g}"
        )
    application, in_mpi = tau.spans(rows)
    return Profile(str(path), "TAU columns", int(ranks[0]), tuple(rows), application_s=application, in_mpi_s=in_mpi)
