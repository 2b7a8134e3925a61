"""The documentation as a site: made without a warning, complete, and without anything of another host."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LOADED = re.compile(r"<(?:script|img|iframe|source|embed)\b[^>]*?\bsrc=[\"']?([^\"'\s>]+)|<link\b[^>]*>", re.IGNORECASE)
OF_STYLE = re.compile(r"url\(\s*[\"']?((?:https?:)?//[^)]*)\)|@import\s+[\"']?((?:https?:)?//[^\"';]*)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", ROOT / "mkdocs.yml", "-d", folder]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600, env=environ)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def address(page: Path) -> str:
    path = page.relative_to(DOCS).with_suffix(".html")
    return str(path.with_name("index.html") if page.name == "README.md" else path)


@pytest.mark.ci
def test_every_page_is_there_and_can_be_found(site: Path) -> None:
    pages = {address(page) for page in DOCS.rglob("*.md")}
    assert pages <= {str(path.relative_to(site)) for path in site.rglob("*.html")}
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"].partition("#")[0] or "index.html" for entry in index["docs"]}
    assert pages == found
    assert any("LD_PRELOAD" in entry["text"] for entry in index["docs"])


def test_the_menu_is_the_index(site: Path) -> None:
    text = (site / "index.html").read_text()
    menu = text.partition('data-md-component="sidebar"')[2].partition('data-md-component="content"')[0]
    for page in re.findall(r"\]\((?!\.\./)([^)#]+\.md)\)", (DOCS / "README.md").read_text()):
        assert f'href="{page.removesuffix(".md")}.html"' in menu, page


@pytest.mark.ci
def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        for found in LOADED.finditer(page.read_text()):
            tag = found[0]
            target = found[1] or (re.search(r"href=[\"']?([^\"'\s>]+)", tag) or ["", ""])[1]
            assert not target.startswith(("http:", "https:", "//")), (page.name, tag)
    for style in site.rglob("*.css"):
        assert not OF_STYLE.search(style.read_text()), style.name
