"""The table of the tests that only the full tier runs, in docs/how-it-works/testing.md, made from their marks.

python tests/full_tier.py writes it; tests/test_tiers.py compares it with the marks.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-it-works" / "testing.md"
BEGINS = "<!-- From here on: made from the marks by tests/full_tier.py. -->\n"
ENDS = "<!-- Until here. -->\n"
HEAD = "| test | what only the full tier runs |\n|---|---|\n"


def table(left_out: Iterable[pytest.Item], names_that_stay: set[str]) -> str:
    """left_out: the tests of the full tier only.   names_that_stay: functions with tests in other tiers, too."""
    found: dict[str, list[pytest.Item]] = {}
    for item in left_out:
        found.setdefault(item.nodeid.partition("[")[0].removeprefix("tests/"), []).append(item)
    rows = []
    for name, items in sorted(found.items()):
        what = "all" if f"tests/{name}" not in names_that_stay else "; ".join(conditions(items))
        rows.append(f"| `{name}` | {what} |\n")
    return HEAD + "".join(rows)


def conditions(items: list[pytest.Item]) -> list[str]:
    """What the marks say of parameters, in the order of the source; the parameters' names where each has its own."""
    found: dict[str, None] = {}
    for item in items:
        marks = [mark for mark in reversed(list(item.iter_markers("full"))) if mark.args or mark.kwargs]
        for mark in marks:
            named = [f"{key} {value}" for key, value in mark.kwargs.items()]
            found[" and ".join(named) or ", ".join(map(str, mark.args))] = None
        if not marks:
            found[item.nodeid.partition("[")[2].removesuffix("]")] = None
    return list(found)


def in_page() -> str:
    return PAGE.read_text().partition(BEGINS)[2].partition(ENDS)[0].strip() + "\n"


class _Collected:
    text = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        import tiers

        self.text = session.config.stash[tiers.FULL_TABLE]


def write() -> None:
    collected = _Collected()
    with contextlib.redirect_stdout(io.StringIO()):
        code = pytest.main(["--collect-only", "-qq"], plugins=[collected])
    if code != pytest.ExitCode.OK:
        raise SystemExit("some file of tests cannot be imported: pytest --collect-only says which")
    before, _, rest = PAGE.read_text().partition(BEGINS)
    PAGE.write_text(f"{before}{BEGINS}\n{collected.text}\n{ENDS}{rest.partition(ENDS)[2]}")


if __name__ == "__main__":
    write()
