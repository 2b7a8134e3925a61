"""The check of what packages of Python may import, on edges made by hand; and that ours pass."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from dev import packages

ALLOWED = {"text": set(), "figures": {"text"}, "report": {"figures", "text"}}
ALL_USED = {
    "text.format": set(),
    "figures.run": {"text.format", "errors"},
    "report.page": {"figures.run", "text.format"},
    "errors": set(),
}


def test_what_is_allowed_and_used_passes() -> None:
    assert list(packages.of(ALL_USED, ALLOWED)) == []


def test_an_import_that_is_not_allowed_is_named() -> None:
    imports = {**ALL_USED, "text.screen": {"report.terminal"}, "report.terminal": set()}
    assert list(packages.of(imports, ALLOWED)) == [
        "leadline.text.screen imports leadline.report.terminal: text may use no other package"
    ]


def test_a_circle_of_modules_within_a_package_is_named() -> None:
    imports = {**ALL_USED, "report.a": {"report.b"}, "report.b": {"report.a"}}
    (line,) = packages.of(imports, ALLOWED)
    assert "circle" in line
    assert "leadline.report.a -> leadline.report.b" in line or "leadline.report.b -> leadline.report.a" in line


def test_a_list_with_a_circle_is_refused() -> None:
    allowed = {**ALLOWED, "text": {"report"}}
    assert any("the list has a circle" in line for line in packages.of(ALL_USED, allowed))


def test_a_line_that_nothing_needs_is_named() -> None:
    allowed = {**ALLOWED, "figures": {"text", "report"}}
    assert "tools/dev/packages.py: figures does not use report" in list(packages.of(ALL_USED, allowed))


def test_a_package_that_is_not_in_the_list_is_named() -> None:
    (line,) = packages.of({**ALL_USED, "advice.pack": set()}, ALLOWED)
    assert line.startswith("leadline.advice.pack: the package advice is not in the layout")


def test_imports_within_functions_and_for_types_count(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "text").mkdir()
    for name in ("figures/__init__.py", "text/__init__.py", "text/format.py", "__init__.py"):
        (tmp_path / name).touch()
    (tmp_path / "figures" / "run.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from leadline.text.format import size\n"
        "def late():\n    from leadline import text\n    from leadline.text import format\n"
    )
    assert packages.imports_of_modules(tmp_path)["figures.run"] == {"text", "text.format"}


def test_the_packages_of_leadline_pass() -> None:
    assert list(packages.violations()) == []
