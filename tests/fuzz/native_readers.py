"""Readers that are not Leadline's commands alone: the recorder's reader of unwind tables, the fields of applications,
and OTF2's library. Each reads in a process of its own, which may not end by a signal.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import kept_builds
from elf_sections import sections

from leadline import mpi
from leadline.compiled_in import sources
from leadline.figures.run import open_run
from leadline.interchange import Selection, exporter
from leadline.interchange.importing import import_archive

from .mutation import INTERESTING, damaged

HERE = Path(__file__).parent
SRC = HERE.parents[1] / "src"
UNWINDER = [
    *(SRC / "recorder" / "call_paths" / f"{name}.cpp" for name in ("frame_entry", "frame_rules", "frame_expression")),
    SRC / "recorder" / "call_paths" / "table_reader.cpp",
    SRC / "host" / "readable_memory.cpp",
]
HANGS_S = 100  # of which ten may be of processor time
HEADER_BYTES = 0x120  # of the file of fields.c
NETCDF_BYTES = 1 << 29  # some damaged sizes make nc_open take 16 GiB by itself: then it is given no more than this
NC_ENOMEM = -61


def missing(needs: str) -> str:
    """What a reader's samples need and is not here; ""."""
    if needs == "otf2":
        return "" if importlib.util.find_spec("otf2") else "the package otf2 is not installed: ./dev setup"
    if needs == "netcdf":
        here = ctypes.util.find_library("netcdf") and any(library.name == "mpich" for library in mpi.available())
        return "" if here else "NetCDF, or the MPI library mpich, is not here"
    return ""


def _ran(words: Sequence[str | Path], environ: dict[str, str] | None = None, most_bytes: int | None = None) -> None:
    limit = [] if most_bytes is None else ["prlimit", f"--data={most_bytes}"]
    command = [*limit, *map(str, words)]
    done = subprocess.run(command, env=environ, capture_output=True, check=False, timeout=HANGS_S)
    assert done.returncode == 0, (done.returncode, done.stderr.decode(errors="replace")[-300:])


def unwind_tables(program: bytes, folder: Path, random: Random) -> None:
    def compile_to(target: Path) -> None:
        words = ["g++", "-std=c++20", "-O1", "-g", "-fno-exceptions", "-fno-rtti", f"-I{SRC}"]
        subprocess.run([*words, HERE / "unwind_tables.cpp", *UNWINDER, "-o", target], check=True)

    headers = [file.with_suffix(".hpp") for file in UNWINDER if file.with_suffix(".hpp").exists()]
    reader = kept_builds.kept("unwind-tables", [HERE / "unwind_tables.cpp", *UNWINDER, *headers], compile_to)
    data = bytearray(program)
    found = sections(program)
    for _ in range(random.choice((1, 2, 8, 64))):
        begin, size = found[random.choice((".eh_frame", ".eh_frame", ".eh_frame_hdr"))]
        at = begin + random.randrange(size)
        if random.random() < 0.5:
            data[at] = random.choice((0, 0x7F, 0x80, 0xFF, random.randrange(256), data[at] ^ 1 << random.randrange(8)))
        else:
            piece = struct.pack("<Q", random.choice(INTERESTING))[: random.choice((2, 4, 8))]
            piece = piece[: begin + size - at]
            data[at : at + len(piece)] = piece
    (folder / "program").write_bytes(data)
    _ran([reader, folder / "program"])


def netcdf(folder: Path, random: Random) -> None:
    """A file of fields whose header is damaged, read by a program that expects others."""
    library = next(found for found in mpi.available() if found.name == "mpich")
    part = sources("fieldio")

    def compile_to(target: Path) -> None:
        words = [library.mpicc, "-g", "-O1", f"-I{part}", HERE / "fields.c", *sorted(part.glob("[a-z]*.c"))]
        subprocess.run([*words, "-ldl", "-o", target], check=True, env=library.env())

    made_of = [HERE / "fields.c", *sorted(part.glob("*.[ch]")), kept_builds.identity(library)]
    reader = kept_builds.kept("fuzzed-fields", made_of, compile_to)
    good = folder / "good.nc"
    _ran([reader, "make", good], library.env())
    data = good.read_bytes()
    header = bytearray(data[:HEADER_BYTES])
    for _ in range(random.randint(1, 3)):
        at = 4 * random.randrange(len(header) // 4)
        header[at : at + 4] = struct.pack(">I", random.choice(INTERESTING) & 0xFFFFFFFF)
    if random.random() < 0.5:
        header = bytearray(damaged(bytes(header), random))
    bad = folder / "bad.nc"
    bad.write_bytes(bytes(header) + data[HEADER_BYTES:])
    alone = _opened_by_netcdf(bad)
    if alone is None:
        return  # no caller of it is at fault
    _ran([reader, bad], library.env(), NETCDF_BYTES if alone == NC_ENOMEM else None)


def _opened_by_netcdf(path: Path) -> int | None:
    """What nc_open says within NETCDF_BYTES of memory; None if it crashes or does not end."""
    opening = (
        "import ctypes, resource, sys; resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[3]),) * 2);"
        "print(ctypes.CDLL(sys.argv[1]).nc_open(sys.argv[2].encode(), 0, ctypes.byref(ctypes.c_int())))"
    )
    name = str(ctypes.util.find_library("netcdf"))
    words = [sys.executable, "-c", opening, name, str(path), str(NETCDF_BYTES)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=HANGS_S)
    except subprocess.TimeoutExpired:
        return None
    assert done.returncode <= 0, done.stderr
    return int(done.stdout) if done.returncode == 0 else None


def imported(corpus: Path, folder: Path, random: Random) -> Path:
    """Raises what an import does."""
    run = corpus / random.choice(("exported", "features", "files"))

    def export_to(target: Path) -> None:
        found = open_run(run)
        exporter("otf2")(Selection(found, tuple(found.order)), target / "archive")

    good = kept_builds.kept_folder(f"fuzzed-otf2-{run.name}", sorted(run.iterdir()), export_to)
    archive = Path(shutil.copytree(good / "archive", folder / "archive"))
    path = random.choice(sorted(file for file in archive.rglob("*") if file.is_file()))
    path.write_bytes(damaged(path.read_bytes(), random))
    (folder / "run").mkdir()
    import_archive(archive, folder / "run", None)
    return folder / "run"
