"""Requirements of Intel MPI only: the places of its parts in each release, and its environment on one machine."""

from __future__ import annotations

import shutil
from pathlib import Path

from leadline.libraries.library import Tools, version_numbers

INSTALLED_IN = b"I_MPI_SUBSTITUTE_INSTALLDIR"

WRAPPER = """#!/bin/sh
exec {compiler} "$@" -I'{include}' -DMPICH_SKIP_MPICXX -L'{lib}' -Wl,-rpath,'{lib}' -lmpi
"""


def root_of(prefix: Path) -> Path:
    """The directory for I_MPI_ROOT: the environment's folder, or in 2019 Update 4 one inside its packages."""
    return next(iter(sorted(prefix.glob("lib/python3*/site-packages/intellibs"))), prefix)


def tools(prefix: Path, version: str, *, abi: bool) -> Tools:
    root = root_of(prefix)
    binaries = root / "bin"
    suffix = "_abi" if abi else ""
    # Module files for gfortran, of `use mpi` only, are there since 2021.17.
    modules = root / "include" / "gfortran"
    return Tools(
        mpicc=binaries / f"mpigcc{suffix}",
        mpicxx=binaries / f"mpigxx{suffix}",
        mpifort=binaries / "mpif90" if modules.exists() and not abi and shutil.which("gfortran") else None,
        mpiexec=binaries / "mpiexec.hydra",
        libdir=root / "lib",
        environ=environ_of(root, version),
    )


def environ_of(root: Path, version: str) -> dict[str, str]:
    """For mpiexec and the ranks: its own libfabric and providers, over this machine's loop-back interface."""
    provider = "sockets" if version_numbers(version) == (2019, 0) else "tcp"
    interface = f"FI_{provider.upper()}_IFACE"
    environ = {"I_MPI_ROOT": str(root), "FI_PROVIDER": provider, interface: "lo", "I_MPI_SPAWN": "1"}
    if version_numbers(version) < (2019,):  # before libfabric
        environ = {"I_MPI_ROOT": str(root), "I_MPI_FABRICS": "shm"}
    libraries = [root / "lib"]
    if (root / "lib" / "libfabric").is_dir():
        libraries.append(root / "lib" / "libfabric")
        environ["FI_PROVIDER_PATH"] = str(root / "lib" / "libfabric" / "prov")
    environ["LD_LIBRARY_PATH"] = ":".join(str(path) for path in libraries)
    return environ


def complete(prefix: Path, headers: Path, *, abi: bool) -> None:
    """Completes an installation: makes programs executable and sets their paths, and adds missing compilers.

    headers: the include folder of a release that has one.   abi: whether there is a library of the standard ABI.
    """
    root = root_of(prefix)
    for path in (root / "bin").iterdir():
        if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o755)  # the wheels of 2018 forgot
            _set_root(path, root)
    modules = root / "include" / "mpi" / "gfortran"  # where its mpif90 does not look for them
    if modules.is_dir() and not (root / "include" / "gfortran").exists():
        (root / "include" / "gfortran").symlink_to(modules)
    for tool, compiler in (("mpigcc", "gcc"), ("mpigxx", "g++")):
        if not (root / "bin" / tool).exists():
            _script(root / "bin" / tool, WRAPPER.format(compiler=compiler, include=headers, lib=root / "lib"))
        if abi:
            _script(root / "bin" / f"{tool}_abi", f"#!/bin/sh\nexec '{root}/bin/{tool}' -mpi-abi \"$@\"\n")


def _set_root(path: Path, root: Path) -> None:
    """The compiler scripts name a folder that installers put in; pip does not."""
    content = path.read_bytes()
    if content.startswith(b"#!") and INSTALLED_IN in content:
        path.write_bytes(content.replace(INSTALLED_IN, str(root).encode()))


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
