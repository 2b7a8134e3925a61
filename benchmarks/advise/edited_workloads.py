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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from blind import WITHOUT_ADAPTERS, Trial, show

from leadline.mpi import Library, find
from leadline.workloads import Workload, build, catalog

EDITS = Path(__file__).resolve().parent / "edits"


@dataclass(frozen=True)
class Rival:
    """Another change.   options: instead of the base's.   only: files to which the edit is made; (): none."""

    options: str = ""
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forms:
    """options: of all forms.   base, changed: of one.   edit: a patch that makes the changed form; "": none.
    carries: kinds of proposals that it carries out.   rivals: other changes of the base, by what they change."""

    options: str
    base: str = ""
    changed: str = ""
    edit: str = ""
    carries: Sequence[str] = ()
    rivals: Mapping[str, Rival] = field(default_factory=dict)


FORMS = {
    "opatm": Forms(
        "--grid 64x48x16 --steps 4 --cost light",
        "--segments none",
        "--segments 1",
        carries=("pack",),
        rivals={
            "four segments": Rival("--segments 4"),
            "output gathered": Rival("--segments none --io gathered"),
        },
    ),
    "pop": Forms(
        "--grid 65x33x3 --steps 12",
        "--solver standard",
        "--solver chrongear",
        carries=("merge-later", "merge-reductions"),
    ),
    "gtc": Forms(
        "--grid 17x32x16 --particles 20000 --steps 40",
        edit="gtc.patch",
        carries=("merge-exchanges",),
        rivals={"one domain": Rival("--domains 1")},
    ),
    "vh1": Forms("--grid 32x32x32 --steps 8", edit="vh1.patch", carries=("overlap",)),
    "s3d": Forms("--grid 16x16x16 --steps 60", edit="s3d.patch", carries=("pack", "merge-exchanges")),
    "wrf": Forms(
        "--grid 21x31x8 --steps 60",
        edit="wrf.patch",
        carries=("merge-reductions", "nonblocking"),
        rivals={
            "only the broadcasts": Rival(only=("wrf/history.cpp",)),
            "only the waits": Rival(only=("wrf/exchange.cpp",)),
        },
    ),
}


def edited(workload: Workload, edit: str, directory: Path, only: Sequence[str] = ()) -> Workload:
    """The workload built from a copy of all sources to which the edit was made.   only: to these files; (): to all."""
    if not edit:
        return workload
    root, copy = catalog.sources_root(), directory / "edited" / "-".join([edit, *map(_name, only)])
    if not copy.exists():
        shutil.copytree(root, copy)
        subprocess.run(["patch", "-p1", "--quiet", "-i", str(EDITS / edit)], cwd=copy, check=True)
        for line in (EDITS / edit).read_text().splitlines() if only else ():
            file = line.removeprefix("+++ b/").strip()
            if line.startswith("+++ b/") and file not in only:
                shutil.copyfile(root / file, copy / file)

    def moved(path: Path) -> Path:
        return copy / path.relative_to(root) if path.is_relative_to(root) else path

    return dataclasses.replace(
        workload,
        sources=tuple(map(moved, workload.sources)),
        shared=tuple(map(moved, workload.shared)),
        include=tuple(map(moved, workload.include)),
    )


def _name(file: str) -> str:
    return Path(file).stem


def trial_of(name: str, forms: Forms, library: Library, directory: Path) -> Trial:
    base = catalog.find(name)
    changed = edited(base, forms.edit, directory)

    def launched(workload: Workload, options: str, folder: str) -> list[str]:
        executable = build(workload, library, directory / "built" / folder)
        return [*library.launch(2), str(executable), *forms.options.split(), *options.split()]

    def rival(of: Rival) -> list[str]:
        if not of.only:
            return launched(base, of.options, "base")
        return launched(edited(base, forms.edit, directory, of.only), forms.base, "-".join(map(_name, of.only)))

    return Trial(
        f"{library.name}-{name}",
        launched(base, forms.base, "base"),
        launched(changed, forms.changed, "changed"),
        {**library.env(), **WITHOUT_ADAPTERS},
        carries=forms.carries,
        rivals={label: rival(of) for label, of in forms.rivals.items()},
    )


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
