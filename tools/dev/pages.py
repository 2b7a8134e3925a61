"""Checks of the pages: every link leads somewhere, every page is in the index and says first what it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r'<a id="([^"]+)"></a>')
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
NOT_PROSE = ("    ", "|", "#", "```", "- ", "* ", ">", "!")


def broken_links(page: Path) -> Iterator[str]:
    """Targets that are no file, or no heading of the file."""
    for target, anchor in LINK.findall(CODE.sub("", page.read_text())):
        if "://" in target or target.startswith("mailto:"):
            continue
        file = page.parent / target if target else page
        if not file.exists():
            yield f"no such file: {target}"
        elif anchor and file.suffix == ".md" and anchor[1:] not in anchors(file.read_text()):
            yield f"no such heading: {target}{anchor}"


def anchors(text: str) -> set[str]:
    """The names by which GitHub links to the headings of a page, and those that it gives to places."""
    found: set[str] = set(NAMED.findall(text))
    for heading in HEADING.findall(re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = 0
        while (name if not again else f"{name}-{again}") in found:
            again += 1
        found.add(name if not again else f"{name}-{again}")
    return found


def opens_with_a_sentence(text: str) -> bool:
    """Whether prose of one paragraph follows the title, before any code, table or list."""
    title, _, rest = text.partition("\n\n")
    return title.startswith("# ") and bool(rest.strip()) and not rest.startswith(NOT_PROSE)


def outside_the_index(docs: Path) -> list[str]:
    """Pages that docs/README.md does not name, and numbers that the decisions leave out."""
    named = {target for target, _ in LINK.findall((docs / "README.md").read_text())}
    pages = [path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md")) if path.name != "README.md"]
    missing = [f"docs/{page} is not in docs/README.md" for page in pages if page not in named]
    numbers = sorted(int(path.name[:4]) for path in (docs / "decisions").glob("[0-9]*.md"))
    if numbers != list(range(1, len(numbers) + 1)):
        missing.append(f"docs/decisions: the numbers {numbers} have a hole or come twice")
    return missing
