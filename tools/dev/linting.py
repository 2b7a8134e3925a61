"""./dev lint: formatting, types, spelling, layers, phrases, width of prose, links, and what is made from declarations.

Every tool is a pinned wheel in .venv; Biome, for JavaScript, is a pinned package of npm.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dev import operation_docs, prose
from dev.english import to_avoid
from dev.environment import tool
from dev.layers import violations
from dev.pages import broken_links, outside_the_index
from dev.paths import CMAKE_BUILD, ROOT
from dev.scripts import lint_scripts
from dev.tables import outdated

NATIVE = {".cpp", ".hpp", ".h", ".c"}
NOT_OURS = {".git", ".venv", ".mpi", "build", "leadline-runs"}
PLACED = ROOT / "python" / "leadline" / "share"  # what the build has put there


def files(suffixes: set[str]) -> list[Path]:
    """The checkout's files with one of these suffixes, without what was built or installed."""
    found = []
    for top in sorted(ROOT.iterdir()):
        if top.name in NOT_OURS:
            continue
        inside = [top] if top.is_file() else sorted(top.rglob("*"))
        ours = (path for path in inside if PLACED not in path.parents)
        found += [path for path in ours if path.suffix in suffixes and path.is_file()]
    return found


def lint(*, fix: bool, tidy: bool = False) -> int:
    native = files(NATIVE)
    python = ["python", "parts", "tools", "codegen", "tests", "benchmarks"]
    python = [name for name in python if (ROOT / name).exists()]
    results = {
        "clang-format": _run("clang-format", *(["-i"] if fix else ["--dry-run", "--Werror"]), *native) if native else 0,
        "ruff check": _run("ruff", "check", *(["--fix"] if fix else []), *python),
        "ruff format": _run("ruff", "format", *([] if fix else ["--check"]), *python),
        "mypy": _run("mypy"),
        "biome": lint_scripts(fix=fix),
        "codespell": _run("codespell", *(["-w"] if fix else [])),
        "layers": _report("layers", violations()),
        "tables": _report("tables", [*outdated(fix=fix), *operation_docs.outdated(fix=fix)]),
        "english": _report("english", to_avoid()),
        "prose": _report("prose", prose.outdated(fix=fix)),
        "links": check_links(),
    }
    if tidy:
        results["clang-tidy"] = _tidy()
    failed = [name for name, code in results.items() if code]
    print("lint: " + (", ".join(failed) + " failed" if failed else "all clean"))
    return 1 if failed else 0


def _tidy() -> int:
    """Takes minutes on two cores, so it runs only on request. It needs a build, which says how each file is
    compiled."""
    sources = [path for path in files({".cpp"}) if path.is_relative_to(ROOT / "src")]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return max(pool.map(lambda path: _run("clang-tidy", "--quiet", "-p", CMAKE_BUILD, path), sources), default=0)


def check_links() -> int:
    broken = [f"{page.relative_to(ROOT)}: {problem}" for page in files({".md"}) for problem in broken_links(page)]
    return _report("links", [*broken, *outside_the_index(ROOT / "docs")])


def _run(name: str, *arguments: str | Path) -> int:
    return subprocess.run([tool(name), *arguments], cwd=ROOT, check=False).returncode


def _report(name: str, lines: Sequence[str]) -> int:
    for line in lines:
        print(f"{name}: {line}")
    return 1 if lines else 0
