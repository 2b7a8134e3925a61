"""MkDocs calls this while it makes the site (mkdocs.yml): the order of pages, and links out of the documentation."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

_ENTRY = re.compile(r"\[([^\]]+)\]\(([^)#]+\.md)\)")
_LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)\s]+)\)")
_BEGIN = ("First report", "first-report.md")


def on_config(config: Any) -> Any:
    """The sections of docs/README.md, which lists every page, are the menu."""
    index = (Path(config["docs_dir"]) / "README.md").read_text(encoding="utf-8")
    menu: list[dict[str, Any]] = [{"Leadline": "README.md"}, {_BEGIN[0]: _BEGIN[1]}]
    for section in re.split(r"\n##+ ", index)[1:]:
        found = {page: name for name, page in reversed(_ENTRY.findall(section)) if not page.startswith("../")}
        # A decision is listed by its number: without a name here, the menu has the title of its page.
        pages = [page if name.isdecimal() else {name.replace("`", ""): page} for page, name in reversed(found.items())]
        menu.append({section.partition("\n")[0]: pages})
    config["nav"] = menu
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Of links to files beside the documentation, the words stay."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(link: re.Match[str]) -> str:
        outside = posixpath.normpath(posixpath.join(folder, link[2])).startswith("..")
        return link[1] if outside else link[0]

    return _LINK.sub(kept, markdown)
