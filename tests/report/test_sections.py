"""A section is one file: the terminal, JSON and the page find it there, and what is forgotten is an error."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from rich.console import Console

from leadline.registry import parts_of
from leadline.report import Report, to_json
from leadline.report.page import document
from leadline.report.page.drawings import drawings_in
from leadline.report.section import Section
from leadline.report.sections import SECTIONS, figures_of, listed


def nothing(*_: Any) -> dict[str, Any]:
    return {}


SCRIPTS = Path(document.__file__).parent / "script" / "sections"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.id)
def test_a_section_is_in_every_output_or_says_why_not(section: Section, strip_run: Any) -> None:
    assert all(len(reason) > 20 for reason in section.elsewhere.values())
    assert ("json" in section.elsewhere) == (section.figures is None)
    assert ("terminal" in section.elsewhere) == (section.draw is None)
    assert ("page" in section.elsewhere) != (section.id in drawings_in(SCRIPTS, SECTIONS))
    if section.figures is not None:
        assert to_json(strip_run).keys() >= section.figures(_content(strip_run)).keys()


def _content(run: Any) -> Any:
    from leadline.figures.content import Content

    return Content(run)


def test_all_outputs_have_the_sections_in_one_order(strip_run: Any) -> None:
    report = to_json(strip_run)
    assert report["sections"] == listed(report)
    ids = [section["id"] for section in report["sections"]]
    assert ids == [section.id for section in SECTIONS if section.id in ids]
    assert {"ranks", "functions", "calls", "routines", "sizes", "matrix", "missing", "itself"} <= set(ids)
    assert not {"iterations", "regions", "one-sided"} & set(ids)
    out = io.StringIO()
    Report(strip_run).print(Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    named = ["MPI functions", "Call sites", "Routines", "Message sizes", "Communication matrix", "Leadline itself"]
    at = [next(n for n, line in enumerate(lines) if line.startswith(name)) for name in named]
    assert at == sorted(at)


OTHER_HEADINGS = {"missing": "Not recorded", "functions": "MPI functions"}  # the first of several


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.id)
def test_a_section_that_is_asked_for_is_named_as_in_the_page(section: Section, strip_run: Any) -> None:
    """If it has nothing, or is elsewhere, it says so."""
    out = io.StringIO()
    Report(strip_run).print_sections(Console(file=out, width=80), [section.id])
    assert out.getvalue().strip().startswith(OTHER_HEADINGS.get(section.id, section.title))


def test_a_section_without_a_part_for_an_output_must_say_why() -> None:
    with pytest.raises(ValueError, match="section new: either a part for json or a reason why it has none"):
        Section(id="new", title="New", order=1, draw=lambda content, out: None)
    with pytest.raises(ValueError, match="part for terminal"):
        Section(id="new", title="New", order=1, figures=lambda content: {})
    with pytest.raises(ValueError, match="part for terminal"):
        Section(id="new", title="New", order=1, figures=nothing, draw=print, elsewhere={"terminal": "too wide for it"})


def test_a_section_without_a_drawing_for_the_page_is_an_error(tmp_path: Path) -> None:
    new = Section(id="brand-new", title="New", order=1, figures=nothing, draw=print)
    with pytest.raises(ValueError, match=r"missing drawing .*/brand_new\.js"):
        drawings_in(tmp_path, (new,))
    (tmp_path / "brand_new.js").touch()
    assert drawings_in(tmp_path, (new,)) == {"brand-new": tmp_path / "brand_new.js"}
    (tmp_path / "old.js").touch()
    with pytest.raises(ValueError, match=r"old\.js belongs to no section"):
        drawings_in(tmp_path, (new,))


def test_two_sections_with_one_field_are_an_error(monkeypatch: pytest.MonkeyPatch, strip_run: Any) -> None:
    package = importlib.import_module("leadline.report.sections")
    again = Section(id="again", title="Again", order=1, figures=lambda content: {"matrix": []}, draw=print)
    monkeypatch.setattr(package, "SECTIONS", (*SECTIONS, again))
    with pytest.raises(ValueError, match="section again: matrix is of another section, too"):
        figures_of(_content(strip_run))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """package(name=source, ...): a package with these modules, where Section is imported."""

    def make(**modules: str) -> ModuleType:
        folder = tmp_path / "made_sections"
        folder.mkdir()
        (folder / "__init__.py").touch()
        for name, source in modules.items():
            (folder / f"{name}.py").write_text(f"from leadline.report.section import Section\n{source}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        for name in [name for name in sys.modules if name.startswith("made_sections")]:
            del sys.modules[name]
        return importlib.import_module("made_sections")

    return make


def made(name: str, order: int) -> str:
    return f"SECTION = Section(id={name!r}, title='', order={order}, figures=dict, draw=print)"


def test_every_file_of_the_folder_is_a_section_in_its_order(package: Callable[..., ModuleType]) -> None:
    found = parts_of(package(one=made("one", 20), the_other=made("the-other", 10)), "SECTION", Section)
    assert [section.id for section in found] == ["the-other", "one"]


@pytest.mark.parametrize(
    ("modules", "error", "says"),
    [
        ({"one": "section = 1"}, TypeError, "made_sections.one has no SECTION"),
        ({"one": made("two", 10)}, ValueError, "its SECTION is called two"),
        ({"one": made("one", 10), "two": made("two", 10)}, ValueError, "two and one both have order 10"),
    ],
)
def test_a_file_that_is_no_section_is_an_error(
    modules: dict[str, str], error: type[Exception], says: str, package: Callable[..., ModuleType]
) -> None:
    made_package = package(**modules)
    with pytest.raises(error, match=says):
        parts_of(made_package, "SECTION", Section)
