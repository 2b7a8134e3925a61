"""What each package of python/leadline may import. The arrows go one way, and no modules import each other in a circle.

`if TYPE_CHECKING` and imports within functions count as the others do: they hide a circle, they don't remove it.
Modules that stand beside the packages (errors, toml, ...) may be imported by all; they are a list, too, so that a new
one has a reason. No package is more than a quarter of the lines: it would be several.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from dev.paths import ROOT

PACKAGE = ROOT / "python" / "leadline"

# The lowest come first. "package.module": of that package only this module. Figures are values: all they need of `text`
# is how the ranks of a loss are listed and how a shell takes a path. Sentences are made above them, in `wording` or
# where they are shown.
ALLOWED: dict[str, set[str]] = {
    "text": set(),
    "statistics": set(),
    "network": set(),
    "symbols": set(),
    "launchers": set(),
    "runs": {"statistics", "text"},
    "profiles": {"symbols"},
    "libraries": {"launchers"},
    "mpi": {"launchers", "libraries", "text"},
    "launch": {"launchers", "libraries", "mpi", "text"},
    "workloads": {"mpi"},
    "figures": {"symbols", "text.ranks", "text.visible"},
    "placing": {"figures"},
    "wording": {"figures", "text"},
    "findings": {"figures", "launchers", "statistics", "text", "wording"},
    "tables": {"advice", "figures", "findings", "text", "wording"},
    "compare": {"figures", "findings", "profiles", "statistics", "text", "wording"},
    "interchange": {"figures", "symbols", "text"},
    "predict": {"figures", "findings", "libraries", "network", "statistics", "text"},
    "advice": {"figures", "findings", "libraries", "placing", "predict", "text", "wording"},
    "report": {"advice", "figures", "findings", "statistics", "symbols", "text", "wording"},
    "anonymise": {"figures", "report", "symbols"},
    "site": {"figures", "report", "text"},
    "bench": {"mpi", "runs", "statistics", "tables", "text", "workloads"},
    "tuning": {"bench", "launch", "launchers", "libraries", "mpi", "runs", "statistics", "text"},
    "improve": {
        "figures",
        "launch",
        "launchers",
        "libraries",
        "mpi",
        "placing",
        "runs",
        "statistics",
        "text",
        "tuning",
    },
    "calibration": {"bench", "launch", "mpi", "network", "runs", "statistics", "tuning"},
    "campaign": {
        "compare",
        "figures",
        "launch",
        "launchers",
        "libraries",
        "mpi",
        "runs",
        "statistics",
        "symbols",
        "tables",
        "text",
        "tuning",
        "workloads",
    },
    "studies": {
        "bench",
        "calibration",
        "campaign",
        "figures",
        "libraries",
        "mpi",
        "network",
        "predict",
        "profiles",
        "report",
        "runs",
        "statistics",
        "text",
        "workloads",
    },
    "cli": {
        "advice",
        "anonymise",
        "bench",
        "calibration",
        "campaign",
        "compare",
        "figures",
        "improve",
        "interchange",
        "launch",
        "mpi",
        "network",
        "predict",
        "profiles",
        "report",
        "runs",
        "site",
        "studies",
        "tables",
        "text",
        "tuning",
        "wording",
        "workloads",
    },
}
# Modules beside the packages, each with the modules and packages that it may import.
MODULES: dict[str, set[str]] = {
    "__main__": {"cli", "errors", "isolated", "text"},
    "api_data": {"errors"},
    "compiled_in": {"errors"},
    "cores": set(),
    "errors": set(),
    "isolated": set(),
    "json_text": set(),
    "masking": set(),
    "nodes": {"own_files"},
    "operations": {"api_data"},
    "own_files": set(),
    "owners": set(),
    "regions": set(),
    "registry": set(),
    "plots": {"errors"},
    "run_directory": {"errors", "masking", "own_files", "owners", "text"},
    "sampling": set(),
    "shared_object": {"compiled_in", "errors", "user_cache"},
    "toml": {"errors", "own_files"},
    "user_cache": {"errors", "owners"},
}
MOST_OF_ALL = 0.25  # of the lines, in one package
# Parts for applications, which parts/ holds; tools/dev/layers.py says what those may import.
PARTS = {"fieldio", "segments"}


def violations() -> Iterator[str]:
    """One line for each import that is not allowed, each circle, and each line of the list that nothing needs."""
    yield from of(imports_of_modules(PACKAGE), ALLOWED, MODULES)
    yield from too_large(lines_of_packages(PACKAGE))


def of(
    imports: Mapping[str, set[str]], allowed: Mapping[str, set[str]], beside: Mapping[str, set[str]]
) -> Iterator[str]:
    """imports: by module, the modules that it imports; "figures.run", without "leadline."."""
    if circle := _circle(allowed):
        yield f"tools/dev/packages.py: the list has a circle: {' -> '.join(circle)}"
    if circle := _circle(imports):
        yield f"modules import each other in a circle: {' -> '.join(f'leadline.{name}' for name in circle)}"
    needed: dict[str, set[str]] = {}
    packages = {name.split(".")[0] for name in imports if "." in name}
    yield from _of_modules({name: imports[name] for name in sorted(imports) if name not in packages | {""}}, beside)
    for module, others in sorted(imports.items()):
        package = module.split(".")[0]
        if package not in packages:
            continue
        if package not in allowed:
            yield f"leadline.{module}: the package {package} is not in the layout (tools/dev/packages.py)"
            continue
        for other in sorted(others):
            above = other.split(".")[0]
            if above == package or above not in allowed:
                continue
            needed.setdefault(package, set()).add(other if other in allowed[package] else above)
            if not {above, other} & allowed[package]:
                yield f"leadline.{module} imports leadline.{other}: {package} may use {_listed(allowed[package])}"
    for package, others in allowed.items():
        for unused in sorted(others - needed.get(package, set())):
            yield f"tools/dev/packages.py: {package} does not use {unused}"


def _of_modules(imports: Mapping[str, set[str]], beside: Mapping[str, set[str]]) -> Iterator[str]:
    """Of the modules that stand beside the packages."""
    for module, others in imports.items():
        if "." in module:
            continue
        if module not in beside:
            yield f"leadline.{module} stands beside the packages and is not in MODULES (tools/dev/packages.py)"
            continue
        needed = {other.split(".")[0] for other in others}
        for other in sorted(needed - beside[module]):
            yield f"leadline.{module} imports leadline.{other}: it may use {_listed(beside[module], 'nothing else')}"
        for unused in sorted(beside[module] - needed):
            yield f"tools/dev/packages.py: {module} does not use {unused}"
    for gone in sorted(beside.keys() - imports.keys()):
        yield f"tools/dev/packages.py: there is no module {gone}"


def too_large(lines: Mapping[str, int]) -> Iterator[str]:
    """lines: by package."""
    everything = sum(lines.values())
    for package, count in lines.items():
        if count > MOST_OF_ALL * everything:
            yield (
                f"leadline.{package} has {count:,} of {everything:,} lines, more than {MOST_OF_ALL:.0%}: "
                "divide it into packages of one purpose each"
            )


def lines_of_packages(package: Path) -> dict[str, int]:
    lines: dict[str, int] = {}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).parts[0]
        if name not in PARTS:
            lines[name] = lines.get(name, 0) + len(path.read_text().splitlines())
    return lines


def _listed(names: Iterable[str], nothing: str = "no other package") -> str:
    return ", ".join(sorted(names)) or nothing


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
