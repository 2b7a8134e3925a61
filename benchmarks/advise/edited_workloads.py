"""python benchmarks/advise/edited_workloads.py [--mpi NAME]... [--rounds N] [--only NAME,...] DIR

Blind trials (blind.py) of the six workloads, on two ranks: what is proposed first, and what the program gains when
somebody carries it out. opatm and pop have both forms as options. The other edits are in edits/, one patch each, made
from the text of the proposal; where nothing was proposed, of the usual suspect.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from blind import WITHOUT_ADAPTERS, Trial, show

from leadline.mpi import Library, find
from leadline.workloads import Workload, build, catalog

EDITS = Path(__file__).resolve().parent / "edits"


@dataclass(frozen=True)
class Forms:
    """options: of both forms.   base, changed: of one.   edit: a patch that makes the changed form; "": none."""

    options: str
    base: str = ""
    changed: str = ""
    edit: str = ""


FORMS = {
    "opatm": Forms("--grid 64x48x16 --steps 4 --cost light", "--segments none", "--segments 1"),
    "pop": Forms("--grid 65x33x3 --steps 12", "--solver standard", "--solver chrongear"),
    "gtc": Forms("--grid 17x32x16 --particles 20000 --steps 40", edit="gtc.patch"),
    "vh1": Forms("--grid 32x32x32 --steps 8", edit="vh1.patch"),
    "s3d": Forms("--grid 16x16x16 --steps 60", edit="s3d.patch"),
    "wrf": Forms("--grid 21x31x8 --steps 60", edit="wrf.patch"),
}


def edited(workload: Workload, edit: str, directory: Path) -> Workload:
    """The workload built from a copy of all sources to which the edit was made."""
    if not edit:
        return workload
    root, copy = catalog.sources_root(), directory / "edited" / edit
    if not copy.exists():
        shutil.copytree(root, copy)
        subprocess.run(["patch", "-p1", "--quiet", "-i", str(EDITS / edit)], cwd=copy, check=True)

    def moved(path: Path) -> Path:
        return copy / path.relative_to(root) if path.is_relative_to(root) else path

    return dataclasses.replace(
        workload,
        sources=tuple(map(moved, workload.sources)),
        shared=tuple(map(moved, workload.shared)),
        include=tuple(map(moved, workload.include)),
    )


def trial_of(name: str, forms: Forms, library: Library, directory: Path) -> Trial:
    base = catalog.find(name)
    changed = edited(base, forms.edit, directory)

    def launched(workload: Workload, options: str, folder: str) -> list[str]:
        executable = build(workload, library, directory / "built" / folder)
        return [*library.launch(2), str(executable), *forms.options.split(), *options.split()]

    words = launched(base, forms.base, "base")
    changed_words = launched(changed, forms.changed, "changed")
    return Trial(f"{library.name}-{name}", words, changed_words, {**library.env(), **WITHOUT_ADAPTERS})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("directory", type=Path, help="for programs, recordings and results; new")
    parser.add_argument("--mpi", action="append", default=[], help="MPI libraries; default: mpich, openmpi")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default=",".join(FORMS))
    arguments = parser.parse_args()
    directory = arguments.directory.resolve()
    directory.mkdir(parents=True)
    libraries = [find(name) for name in arguments.mpi or ["mpich", "openmpi"]]
    names = arguments.only.split(",")
    trials = (trial_of(name, FORMS[name], each, directory) for name in names for each in libraries)
    show(trials, arguments.rounds, directory)


if __name__ == "__main__":
    main()
