"""Sizes are read in one way, by Python and by the recorder; what is printed can be typed."""

import os
import subprocess
import sys

import pytest

from leadline.cli.import_ import _series
from leadline.errors import UsageError
from leadline.text import format as fmt
from leadline.text import sizes


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        ("0", 0),
        ("64", 64),
        ("64B", 64),
        ("64k", 64_000),
        ("64 kB", 64_000),
        ("64Ki", 65_536),
        ("64kib", 65_536),
        ("1.5MB", 1_500_000),
        ("1m", 1_000_000),
        ("1 MiB", 1 << 20),
        ("2G", 2 * 10**9),
        ("1Ti", 1 << 40),
        ("1.5", 1.5),
    ],
)
def test_a_size_is_a_number_and_a_unit(text: str, n_bytes: float) -> None:
    assert sizes.parse(text) == n_bytes


@pytest.mark.parametrize("text", ["", "k", "-1k", "1e3", "64kk", "64iB", "64 k B", "many", "1,000"])
def test_anything_else_is_none(text: str) -> None:
    assert sizes.parse(text) is None


@pytest.mark.parametrize("n_bytes", [1, 999, 1000, 1024, 64_000, 65_536, 65_537, 10**9, 1 << 30, 3 << 40])
def test_what_is_shown_as_typed_is_read_as_it_was(n_bytes: int) -> None:
    assert sizes.parse(sizes.typed(n_bytes)) == n_bytes


@pytest.mark.parametrize("n_bytes", [64_000, 1_000_000, 12_300_000, 4_000_000_000])
def test_a_size_that_was_printed_can_be_typed(n_bytes: int) -> None:
    assert sizes.parse(fmt.size(n_bytes)) == n_bytes


def test_series_of_an_import_is_a_size_or_a_number_of_calls() -> None:
    assert [_series(text) for text in ("all", "none", "1000", "8kB", "8KiB")] == [None, 0, 1000, 6400, 6553]
    for wrong in ("some", "1.5", "-1"):
        with pytest.raises(UsageError):
            _series(wrong)


def test_times_are_in_us_where_the_terminal_has_no_other_letter() -> None:
    words = [
        sys.executable,
        "-c",
        "from leadline.text.printing import guard; guard(); print('41.5 \u00b5s\u2026\u00b5')",
    ]
    for encoding, shown in (("ascii", b"41.5 us\\u2026u\n"), ("latin-1", b"41.5 \xb5s\\u2026\xb5\n")):
        environ = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        assert subprocess.run(words, env=environ, capture_output=True, check=True).stdout == shown
