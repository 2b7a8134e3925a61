"""The tables of docs/how-it-works/testing.md: what each folder tests (folders.toml), and what only the larger tiers
run, made from the marks of the tests.

python tests/testing_page.py writes them; tests/test_tiers.py compares them.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "how-it-works" / "testing.md"
FOLDERS = "tests/folders.toml"
MARKS = "the marks"
END = "<!-- Until here. -->\n"


def folder_table() -> str:
    rows = [f"| {what['folders']} | {what['tests']} |\n" for what in _rows_of_folders()]
    return "| folder | what is tested |\n|---|---|\n" + "".join(rows)


def _rows_of_folders() -> Iterable[dict[str, str]]:
    for row in tomllib.loads((TESTS / "folders.toml").read_text())["row"]:
        yield {"folders": ", ".join(f"`tests/{name}`" for name in row["folders"]), "tests": row["tests"]}


def folders() -> list[str]:
    """Those that the table names."""
    return [name for row in tomllib.loads((TESTS / "folders.toml").read_text())["row"] for name in row["folders"]]


def tier_table(tiers: Mapping[pytest.Item, str], of_fixtures: pytest.Mark) -> str:
    """tiers: the smallest tier of each collected test.   of_fixtures: the mark of whose tests the page has the rule."""
    functions: dict[str, dict[str, list[pytest.Item]]] = {}
    for item, tier in tiers.items():
        if tier == "ci" and list(item.iter_markers("ci")) == [of_fixtures]:
            continue
        name = item.nodeid.partition("[")[0].removeprefix("tests/")
        functions.setdefault(name, {}).setdefault(tier, []).append(item)
    rows = []
    for name, by_tier in sorted(functions.items()):
        if "ci" in by_tier or "full" in by_tier:
            rows.append(f"| `{name}` | {_share(by_tier, 'ci')} | {_share(by_tier, 'full')} |\n")
    return "| test | `--ci` and `--all` | only `--all` |\n|---|---|---|\n" + "".join(rows)


def _share(by_tier: Mapping[str, list[pytest.Item]], tier: str) -> str:
    """Which of a function's tests begin in the tier."""
    if tier not in by_tier:
        return ""
    if len(by_tier) == 1:
        return "all"
    if not {"fast", "normal"} & set(by_tier) and tier == "ci":
        return "all others"
    return "; ".join(_conditions(by_tier[tier], tier))


def _conditions(items: list[pytest.Item], tier: str) -> list[str]:
    """What the marks say of parameters, in the order of the source; the parameters' names where each has its own."""
    found: dict[str, None] = {}
    for item in items:
        marks = [mark for mark in reversed(list(item.iter_markers(tier))) if mark.args or mark.kwargs]
        for mark in marks:
            named = [f"{key} {value}" for key, value in mark.kwargs.items()]
            found[" and ".join(named) or ", ".join(map(str, mark.args))] = None
        if not marks:
            found[item.nodeid.partition("[")[2].removesuffix("]")] = None
    return list(found)


def in_page(made_from: str) -> str:
    return PAGE.read_text().partition(_begin(made_from))[2].partition(END)[0].strip() + "\n"


def _begin(made_from: str) -> str:
    return f"<!-- From here on: made from {made_from} by tests/testing_page.py. -->\n"


class _Collected:
    table = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        import tiers

        self.table = session.config.stash[tiers.TIER_TABLE]


def write() -> None:
    collected = _Collected()
    with contextlib.redirect_stdout(io.StringIO()):
        code = pytest.main(["--collect-only", "-qq"], plugins=[collected])
    if code != pytest.ExitCode.OK:
        raise SystemExit("some file of tests cannot be imported: pytest --collect-only says which")
    for made_from, table in ((FOLDERS, folder_table()), (MARKS, collected.table)):
        before, begin, rest = PAGE.read_text().partition(_begin(made_from))
        PAGE.write_text(f"{before}{begin}\n{table}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    write()
