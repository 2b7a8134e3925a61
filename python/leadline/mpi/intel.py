"""What Intel MPI needs that others do not: where its parts are in each release, and its environment on one machine."""

from __future__ import annotations

from pathlib import Path

from leadline.mpi.releases import ABI_SINCE, Release, version_numbers

INSTALLED_IN = b"I_MPI_SUBSTITUTE_INSTALLDIR"

WRAPPER = """#!/bin/sh
exec {compiler} "$@" -I'{include}' -DMPICH_SKIP_MPICXX -L'{lib}' -Wl,-rpath,'{lib}' -lmpi
"""


def root_of(prefix: Path) -> Path:
    """What I_MPI_ROOT is to name: the environment's folder, but in 2019 Update 4 one inside its packages."""
    return next(iter(sorted(prefix.glob("lib/python3*/site-packages/intellibs"))), prefix)


def environ_of(root: Path, release: Release) -> dict[str, str]:
    """For mpiexec and the ranks: its own libfabric and providers, over the loop-back interface of this machine."""
    provider = "sockets" if version_numbers(release.version) == (2019, 0) else "tcp"
    interface = f"FI_{provider.upper()}_IFACE"
    environ = {"I_MPI_ROOT": str(root), "FI_PROVIDER": provider, interface: "lo", "I_MPI_SPAWN": "1"}
    if version_numbers(release.version) < (2019,):  # before libfabric
        environ = {"I_MPI_ROOT": str(root), "I_MPI_FABRICS": "shm"}
    libraries = [root / "lib"]
    if (root / "lib" / "libfabric").is_dir():
        libraries.append(root / "lib" / "libfabric")
        environ["FI_PROVIDER_PATH"] = str(root / "lib" / "libfabric" / "prov")
    environ["LD_LIBRARY_PATH"] = ":".join(str(path) for path in libraries)
    return environ


def complete(prefix: Path, release: Release, headers: Path) -> None:
    """After the installation: programs executable and told where they are, and the compilers that are wanting.

    headers: the include folder of a release that has one.
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
        if version_numbers(release.version) >= ABI_SINCE["intel"]:
            _script(root / "bin" / f"{tool}_abi", f"#!/bin/sh\nexec '{root}/bin/{tool}' -mpi-abi \"$@\"\n")


def _set_root(path: Path, root: Path) -> None:
    """The compiler scripts name a folder that installers put in; pip does not."""
    content = path.read_bytes()
    if content.startswith(b"#!") and INSTALLED_IN in content:
        path.write_bytes(content.replace(INSTALLED_IN, str(root).encode()))


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
