"""The pages: links lead somewhere, and each page says first what it is for and for whom."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from dev import pages
from dev.paths import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"])
OPENED = [page for page in PAGES if page.is_relative_to(DOCS) and "decisions" not in page.parts]


def test_every_link_of_every_page_leads_to_a_file_and_heading() -> None:
    broken = {str(page.relative_to(ROOT)): list(pages.broken_links(page)) for page in PAGES}
    assert len(broken) > 40
    assert {page: links for page, links in broken.items() if links} == {}


def test_every_page_is_in_the_index() -> None:
    assert pages.outside_the_index(DOCS) == []


def test_a_page_opens_with_what_it_is_for() -> None:
    assert [str(page.relative_to(ROOT)) for page in OPENED if not pages.opens_with_a_sentence(page.read_text())] == []


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("[a](b.md)", None),
        ("[a](b.md#two-words)", None),
        ("[a](b.md#code-and-dots)", None),
        ("[a](b.md#again-1)", None),
        ("[a](#here)", None),
        ("[a](https://example.org/none#x)", None),
        ("`[a](none.md)`", None),
        ("[a](none.md)", "no such file: none.md"),
        ("[a](b.md#none)", "no such heading: b.md#none"),
        ("[a](b.md#in-a-fence)", "no such heading: b.md#in-a-fence"),
        ("[a](#none)", "no such heading: #none"),
    ],
)
def test_a_broken_link_is_found(link: str, problem: str | None, tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(
        "# B\n\n## Two words\n\n## `Code` and. dots\n\n## Again\n\n## Again\n\n```\n# In a fence\n```\n"
    )
    (tmp_path / "a.md").write_text(f"# A\n\n## Here\n\n{link}\n")
    assert list(pages.broken_links(tmp_path / "a.md")) == ([problem] if problem else [])


@pytest.mark.parametrize("text", ["# A\n\n    code\n", "# A\n\n| a |\n", "# A\n\n- a\n", "# A\n\n## B\n", "# A\n"])
def test_a_page_that_opens_otherwise_is_found(text: str) -> None:
    assert not pages.opens_with_a_sentence(text)
    assert pages.opens_with_a_sentence(text.replace("# A\n", "# A\n\nFor readers.\n", 1))
