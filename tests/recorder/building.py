"""Compiles the programs of tests/programs, each once per library and set of options."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import kept_builds

from .libraries import Library

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
COMPILE_TIMEOUT_S = 120


class Builder:
    """Builds programs that are not built yet; repeated requests cost nothing. See kept_builds.py."""

    def c(self, library: Library, source: str, *options: str) -> Path:
        """A program from C; `source` is a name in tests/programs."""
        return self._compile(library, [str(library.mpicc), "-O2", "-std=gnu11", "-Wall"], [source], options)

    def c_with(self, library: Library, *sources: str) -> Path:
        """A program from several files of C."""
        return self._compile(library, [str(library.mpicc), "-O2", "-std=gnu11", "-Wall"], sources, ())

    def cxx(self, library: Library, source: str, *options: str) -> Path:
        """A program from C++, also when the source is C that compiles as C++."""
        language = ["-x", "c++"] if source.endswith(".c") else []
        # MPICH's and Open MPI's retired C++ classes would add a library of their own.
        skip = ["-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX"]
        return self._compile(
            library, [str(library.mpicxx), "-O2", "-std=c++17", "-Wall", *skip, *language], [source], options
        )

    def cxx_with_bindings(self, library: Library, source: str) -> Path:
        """A program from C++ that uses MPI's retired classes."""
        return self._compile(library, [str(library.mpicxx), "-O2", "-std=c++14", "-Wall"], [source], ())

    def fortran(self, library: Library, source: str, *options: str) -> Path:
        """A program from Fortran; the library must have a Fortran compiler wrapper."""
        assert library.mpifort is not None
        command = [str(library.mpifort), "-O2", "-cpp", "-fallow-argument-mismatch", "-ffree-line-length-none"]
        return self._compile(library, command, [source], options)

    def tool(self, library: Library, source: str, *options: str) -> Path:
        """A shared library that defines MPI functions, as profiling tools do."""
        return self._compile(
            library, [str(library.mpicc), "-O2", "-Wall", "-shared", "-fPIC"], [source], options, suffix=".so"
        )

    def _compile(
        self, library: Library, command: Sequence[str], sources: Sequence[str], options: Sequence[str], suffix: str = ""
    ) -> Path:
        arguments = [*command, *[str(PROGRAMS / source) for source in sources], *options]
        # A program's other files begin as it does: traffic.c includes traffic_groups.h.
        parts = [part for source in sources for part in sorted(PROGRAMS.glob(f"{re.split('[_.]', source)[0]}*"))]

        def compile_to(target: Path) -> None:
            with tempfile.TemporaryDirectory() as modules:
                extra = [f"-J{modules}"] if sources[0].endswith(".F90") else []
                done = subprocess.run(
                    [*arguments, *extra, "-o", str(target), "-lm"],
                    cwd=modules,
                    capture_output=True,
                    text=True,
                    timeout=COMPILE_TIMEOUT_S,
                    check=False,
                )
            assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stderr}"

        included = [Path(word[2:]) for word in options if word.startswith("-I")]
        parts += [header for folder in included for header in sorted(folder.iterdir())]
        name = f"{Path(sources[0]).stem}-{library.name}"
        return kept_builds.kept(name, [kept_builds.identity(library), *arguments, *parts], compile_to, suffix)
