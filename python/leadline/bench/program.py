"""The measuring program: C++ with mpi.h, built with the library's own compiler when it is first needed."""

from __future__ import annotations

from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.mpi import Library
from leadline.workloads import Workload, build
from leadline.workloads.building import default_folder

FOLDERS = ("bench", "collectives", "network")


def sources_root() -> Path:
    """The folder of bench/, collectives/ and network/: what came with an installed package, or a source tree's src/."""
    package = Path(__file__).resolve().parents[1]
    for root in (package / "share" / "bench", package.parents[1] / "src"):
        if (root / FOLDERS[0]).is_dir():
            return root
    raise MissingPrerequisite(
        f"the sources of leadline bench are not at {package}/share/bench", hint="install leadline again"
    )


def executable(library: Library) -> Path:
    """The program for `library`. Raises MissingPrerequisite if it cannot be built."""
    root = sources_root()
    sources = tuple(source for folder in FOLDERS for source in sorted((root / folder).glob("*.cpp")))
    program = Workload(
        name="leadline_bench",
        folder=root,
        summary="",
        language="c++",
        sources=sources,
        include=(root,),
        flags=("-O2", "-g1", "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"),
        shared=tuple(source for source in sources if source.parent.name != "bench"),
    )
    return build(program, library, default_folder().with_name("bench"))
