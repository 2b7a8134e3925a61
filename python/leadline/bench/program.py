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
        f"cannot find the sources of leadline bench in {package}/share/bench",
        hint="build the source tree (./dev build) or reinstall Leadline",
    )


def generated_headers() -> list[Path]:
    """Those that the build made from api/ (api/operations.toml). Raises MissingPrerequisite if there are none."""
    folder = Path(__file__).resolve().parents[1] / "share" / "include" / "leadline"
    found = sorted(folder.glob("*"))
    if not found:
        raise MissingPrerequisite(
            f"{folder} has no header files (mpi.h)", hint="build the source tree (./dev build) or reinstall Leadline"
        )
    return found


def executable(library: Library) -> Path:
    """The program for `library`. Raises MissingPrerequisite if it cannot be built."""
    root = sources_root()
    sources = tuple(source for folder in FOLDERS for source in sorted((root / folder).rglob("*.cpp")))
    headers = generated_headers()
    program = Workload(
        name="leadline_bench",
        folder=root,
        summary="",
        language="c++",
        sources=sources,
        include=(root, headers[0].parents[1]),
        flags=("-O2", "-g1", "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"),
        shared=tuple(source for source in sources if root / "bench" not in source.parents),
        headers=tuple(headers),
        merged=True,  # most of its fifty sources take longer to read the standard library than for themselves
    )
    return build(program, library, default_folder().with_name("bench"))
