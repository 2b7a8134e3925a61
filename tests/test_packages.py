"""The check of what packages of Python may import, on edges made by hand; and that ours pass."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from dev import packages

ALLOWED = {"text": set(), "figures": {"text"}, "report": {"figures", "text"}}
MODULES: dict[str, set[str]] = {"errors": set()}
ALL_USED: dict[str, set[str]] = {
    "text.format": set(),
    "figures.run": {"text.format", "errors"},
    "report.page": {"figures.run", "text.format"},
    "errors": set(),
}


def test_what_is_allowed_and_used_passes() -> None:
    assert list(packages.of(ALL_USED, ALLOWED, MODULES)) == []


def test_an_import_that_is_not_allowed_is_named() -> None:
    imports = {**ALL_USED, "text.screen": {"report.terminal"}, "report.terminal": set()}
    assert list(packages.of(imports, ALLOWED, MODULES)) == [
        "leadline.text.screen imports leadline.report.terminal: text may use no other package"
    ]


def test_a_circle_of_modules_within_a_package_is_named() -> None:
    imports = {**ALL_USED, "report.a": {"report.b"}, "report.b": {"report.a"}}
    (line,) = packages.of(imports, ALLOWED, MODULES)
    assert "circle" in line
    assert "leadline.report.a -> leadline.report.b" in line or "leadline.report.b -> leadline.report.a" in line


def test_a_list_with_a_circle_is_refused() -> None:
    allowed = {**ALLOWED, "text": {"report"}}
    assert any("the list has a circle" in line for line in packages.of(ALL_USED, allowed, MODULES))


def test_a_line_that_nothing_needs_is_named() -> None:
    allowed = {**ALLOWED, "figures": {"text", "report"}}
    assert "tools/dev/packages.py: figures does not use report" in list(packages.of(ALL_USED, allowed, MODULES))


def test_a_package_that_is_not_in_the_list_is_named() -> None:
    (line,) = packages.of({**ALL_USED, "advice.pack": set()}, ALLOWED, MODULES)
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


def test_a_module_beside_the_packages_that_is_not_in_the_list_is_named() -> None:
    (line,) = packages.of({**ALL_USED, "helpers": set()}, ALLOWED, MODULES)
    assert line == "leadline.helpers stands beside the packages and is not in MODULES (tools/dev/packages.py)"


def test_a_module_beside_the_packages_imports_what_its_line_says_and_no_more() -> None:
    imports = {**ALL_USED, "errors": {"text.format"}}
    assert list(packages.of(imports, ALLOWED, MODULES)) == [
        "leadline.errors imports leadline.text: it may use nothing else"
    ]
    allowed = {"errors": {"text"}}
    assert list(packages.of(ALL_USED, ALLOWED, allowed)) == ["tools/dev/packages.py: errors does not use text"]
    assert list(packages.of(imports, ALLOWED, allowed)) == []


def test_a_module_that_is_gone_is_named() -> None:
    modules = {**MODULES, "helpers": set()}
    assert list(packages.of(ALL_USED, ALLOWED, modules)) == ["tools/dev/packages.py: there is no module helpers"]


def test_a_package_of_more_than_a_quarter_of_the_lines_is_named() -> None:
    even = dict.fromkeys("abcd", 250)
    assert list(packages.too_large(even)) == []
    (line,) = packages.too_large({**even, "a": 251})
    assert line.startswith("leadline.a has 251 of 1,001 lines, more than 25%")


def test_the_packages_of_leadline_pass() -> None:
    assert list(packages.violations()) == []
