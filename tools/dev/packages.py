"""What each package of python/leadline may import. The arrows go one way, and no modules import each other in a circle.

`if TYPE_CHECKING` and imports within functions count as the others do: they hide a circle, they don't remove it.
Modules that stand beside the packages (errors, toml, ...) may be imported by all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from dev.paths import ROOT

PACKAGE = ROOT / "python" / "leadline"

# The lowest come first.
ALLOWED: dict[str, set[str]] = {
    "text": set(),
    "statistics": set(),
    "network": set(),
    "symbols": set(),
    "launchers": set(),
    "runs": {"statistics", "text"},
    "profiles": {"symbols"},
    "libraries": {"launchers"},
    "mpi": {"libraries"},
    "launch": {"launchers", "libraries", "mpi"},
    "workloads": {"mpi"},
    "figures": {"symbols", "text"},
    "findings": {"figures", "launchers", "statistics", "text"},
    "report": {"figures", "findings", "statistics", "symbols", "text"},
    "tables": {"figures", "findings", "text"},
    "compare": {"figures", "profiles", "statistics", "text"},
    "interchange": {"figures", "symbols", "text"},
    "bench": {"mpi", "runs", "statistics", "tables", "text", "workloads"},
    "tuning": {"bench", "launch", "launchers", "libraries", "mpi", "runs", "statistics", "text"},
    "studies": {"figures", "mpi", "report", "runs", "statistics", "text", "workloads"},
    "cli": {
        "bench",
        "compare",
        "figures",
        "interchange",
        "launch",
        "mpi",
        "profiles",
        "report",
        "runs",
        "studies",
        "tables",
        "text",
        "tuning",
        "workloads",
    },
}
# Parts for applications, which parts/ holds; tools/dev/layers.py says what those may import.
PARTS = {"fieldio", "segments"}


def violations() -> Iterator[str]:
    """One line for each import that is not allowed, each circle, and each line of the list that nothing needs."""
    yield from of(imports_of_modules(PACKAGE), ALLOWED)


def of(imports: Mapping[str, set[str]], allowed: Mapping[str, set[str]]) -> Iterator[str]:
    """imports: by module, the modules that it imports; "figures.run", without "leadline."."""
    if circle := _circle(allowed):
        yield f"tools/dev/packages.py: the list has a circle: {' -> '.join(circle)}"
    if circle := _circle(imports):
        yield f"modules import each other in a circle: {' -> '.join(f'leadline.{name}' for name in circle)}"
    needed: dict[str, set[str]] = {}
    for module, others in sorted(imports.items()):
        package = module.split(".")[0]
        if package not in {name.split(".")[0] for name in imports if "." in name}:
            continue  # it stands beside the packages
        if package not in allowed:
            yield f"leadline.{module}: the package {package} is not in the layout (tools/dev/packages.py)"
            continue
        for other in sorted(others):
            above = other.split(".")[0]
            if above == package or above not in allowed:
                continue
            needed.setdefault(package, set()).add(above)
            if above not in allowed[package]:
                yield f"leadline.{module} imports leadline.{other}: {package} may use {_listed(allowed[package])}"
    for package, others in allowed.items():
        for unused in sorted(others - needed.get(package, set())):
            yield f"tools/dev/packages.py: {package} does not use {unused}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "no other package"


def _circle(edges: Mapping[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def imports_of_modules(package: Path) -> dict[str, set[str]]:
    paths = {_name(path, package): path for path in sorted(package.rglob("*.py"))}
    ours = {name: path for name, path in paths.items() if name.split(".")[0] not in PARTS}
    return {
        # The package itself only offers what users import from it.
        name: set(_imported(ast.parse(path.read_text()), set(ours))) - {name}
        for name, path in ours.items()
        if name
    }


def _name(path: Path, package: Path) -> str:
    return ".".join(path.relative_to(package).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


def _imported(tree: ast.AST, modules: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            wanted = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for word in wanted:
            if not word.startswith("leadline."):
                continue
            name = word.removeprefix("leadline.")
            # The name of a module, or of something in one.
            if (found := name if name in modules else name.rpartition(".")[0]) and found in modules:
                yield found
