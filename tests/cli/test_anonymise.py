"""leadline anonymise: a copy of a run without names of people, machines, places and programs, and with its figures."""

import getpass
import json
import os
import re
import shutil
import socket
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import leadline as leadline_package
from leadline import mpi
from leadline.anonymise import trace_file
from leadline.anonymise.payloads import Malformed
from leadline.anonymise.pseudonyms import Pseudonyms
from leadline.symbols import Location

from .conftest import Command

HEADERS = Path(leadline_package.__file__).parent / "include"
SOURCE = Path(__file__).parents[1] / "programs" / "named.c"
PROGRAM_NAMES = ("private_communicator", "private_type", "private_region", "private_argument", "private_value")
SETTINGS = "settings"  # of the MPI library: they are left out, and with Intel MPI some ranks have their own
SIZES_OF_FILES = {"trace", "trace_bytes"}  # of the run itself
SOURCE_NAMES = ("private_routine", "private_source")


ENDINGS = Path(__file__).parents[1] / "programs" / "endings.c"


def record(leadline: Command, library: mpi.Library, more: dict[str, str] | None = None) -> Path:
    folder = leadline.directory / "private_folder"
    folder.mkdir()
    source = folder / "private_source.c"
    shutil.copy(SOURCE, source)
    program = folder / "private_program"
    leadline.plain(library.mpicc, "-g", f"-I{HEADERS}", source, "-o", program, environ=library.env())
    environ = {"MPIR_CVAR_PRIVATE": "private_value", "OMPI_MCA_private": "private_value"}
    words = [*library.launch(2), program, folder / "private_argument.nc"]
    ended = leadline("run", "-o", "run", "--", *words, environ={**library.env(), **environ, **(more or {})})
    assert ended.code == 0, ended.everything
    return leadline.directory / "run"


def record_killed(leadline: Command, library: mpi.Library) -> Path:
    """Both ranks kill themselves."""
    folder = leadline.directory / "private_folder"
    folder.mkdir()
    program = folder / "private_program"
    leadline.plain(library.mpicc, "-g", ENDINGS, "-o", program, environ=library.env())
    ended = leadline("run", "-o", "run", "--", *library.launch(2), program, "all-killed", "300", environ=library.env())
    assert ended.code != 0, ended.everything
    run = leadline.directory / "run"
    assert len([*run.glob("*.live")]) == 2, sorted(path.name for path in run.iterdir())
    return run


def contents(directory: Path) -> Iterator[tuple[Path, bytes]]:
    """Names and bytes of the files, and what packed chunks hold."""
    for path in directory.iterdir():
        data = path.read_bytes()
        yield path, path.name.encode() + data
        at = 16
        while data[:8] == b"LEADLINE" and at + 16 <= len(data):
            _, kind, size, _ = struct.unpack_from("<4sIII", data, at)
            if kind >> 30 & 1:
                yield path, b"".join(inflated(data[at + 16 : at + 16 + size]))
            at += 16 + size


def inflated(payload: bytes) -> Iterator[bytes]:
    """From wherever a stream may begin behind its two sizes: which of them is right need not be known here."""
    for begin in range(2, 8):
        try:
            yield zlib.decompressobj(-15).decompress(payload[begin:])
        except zlib.error:
            continue


def private(directory: Path) -> set[str]:
    """What nobody should find: of this machine, this user and this run."""
    parts = {part for part in directory.parts if len(part) > 3 and part not in ("anonymous",)}
    found = {*PROGRAM_NAMES, "private_folder", "private_program", socket.gethostname(), os.uname().nodename}
    found |= {getpass.getuser(), str(Path.home()), str(directory), str(Path.cwd()), sys.prefix, os.uname().release}
    # Shorter ones, such as a host called vm, are among the bytes of figures by chance.
    return {word for word in found | parts if len(word) > 3}


def found_in(directory: Path, words: set[str]) -> dict[str, str]:
    """The words that stand alone in the bytes, and where."""
    return {
        word: path.name
        for path, data in contents(directory)
        for word in words
        if re.search(rb"(?<![A-Za-z0-9])" + re.escape(word.encode()) + rb"(?![A-Za-z0-9])", data)
    }


def numbers(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every number of a JSON object that is a figure, with the name of its member."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in SIZES_OF_FILES and name != SETTINGS:
                yield from numbers(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from numbers(each, key)
    elif isinstance(value, int | float):
        yield key, value


def figures(leadline: Command, run: str) -> list[tuple[str, Any]]:
    ended = leadline("report", run, "--json")
    assert ended.code == 0, ended.everything
    return sorted(numbers(json.loads(ended.out)), key=repr)


def test_nothing_private_is_left_and_the_figures_stay(leadline: Command, library: mpi.Library) -> None:
    run = record(leadline, library)
    words = private(run)
    assert set(PROGRAM_NAMES) - {"private_communicator", "private_type"} <= set(found_in(run, words))
    ended = leadline("anonymise", run, "-o", "new")
    assert ended.code == 0, ended.everything
    new = leadline.directory / "new"
    assert found_in(new, words | set(SOURCE_NAMES)) == {}
    assert b"private" not in b"".join(data for _, data in contents(new))
    shutil.rmtree(leadline.directory / "private_folder")  # nobody who gets the copy has the program
    assert figures(leadline, "new") == figures(leadline, "run")
    assert leadline("report", "new", "--html").code == 0


def test_killed_ranks_become_traces_that_say_so(leadline: Command, library: mpi.Library) -> None:
    run = record_killed(leadline, library)
    words = private(run)
    assert {"private_folder", "private_program"} <= set(found_in(run, words))
    ended = leadline("anonymise", run, "-o", "new")
    assert ended.code == 0, ended.everything
    new = leadline.directory / "new"
    assert len([*new.glob("rank-0000[01]-host1-*.trace")]) == 2
    assert [*new.glob("*.live"), *new.glob("*.part")] == []
    assert found_in(new, words) == {}
    shutil.rmtree(leadline.directory / "private_folder")
    assert figures(leadline, "new") == figures(leadline, "run")
    report = json.loads(leadline("report", "new", "--json").out)
    assert not report["complete"]
    assert [loss["code"] for loss in report["losses"]].count("process-ended-early") == 2


def test_traces_of_a_node_stay_in_one_file(leadline: Command, mpich: mpi.Library) -> None:
    run = record(leadline, mpich, {"LEADLINE_TRACE_FILES": "node"})
    assert len([*run.glob("*.traces")]) == 1
    assert leadline("anonymise", run, "-o", "new").code == 0
    new = leadline.directory / "new"
    assert [path.name for path in new.glob("*.trace*")] == ["host1-00000001.traces"]
    assert found_in(new, private(run) | set(SOURCE_NAMES)) == {}
    assert figures(leadline, "new") == figures(leadline, "run")


def test_source_stays_if_asked_for_without_its_folder(leadline: Command, mpich: mpi.Library) -> None:
    run = record(leadline, mpich)
    assert leadline("anonymise", run, "-o", "new", "--keep-source").code == 0
    found = found_in(leadline.directory / "new", private(run) | set(SOURCE_NAMES))
    assert found.keys() == set(SOURCE_NAMES)


def test_a_copy_that_fails_leaves_nothing(leadline: Command, mpich: mpi.Library) -> None:
    run = record(leadline, mpich)
    (run / "host-1.live").write_bytes(b"")
    ended = leadline("anonymise", run, "-o", "new")
    assert ended.code in (2, 4), ended.everything
    assert not (leadline.directory / "new").exists()


def test_equal_names_get_equal_pseudonyms() -> None:
    names = Pseudonyms()
    assert [names.of("host", name) for name in ("b", "a", "b", "")] == ["host1", "host2", "host1", ""]
    assert names.source("/home/ann/in.c") == "/anonymous/file1.c"
    assert names.source("/home/ann/in.ann") == "/anonymous/file2"
    assert names.module("/home/ann/bin/python3.11") == "/anonymous/module1/python3.11"
    assert names.module("/home/ann/model") == "/anonymous/module2"
    assert names.library("Open MPI v4.1.4, package: Open MPI ann@host Distribution, ident: 4.1.4") == (
        "Open MPI v4.1.4, ident: 4.1.4"
    )
    one = Location("f", "a::f", "/m", "/home/ann/f.cpp", 3)
    other = Location("f", "b::f", "/m", "/home/ann/f.cpp", 3)
    assert names.location(one) == names.location(one) != names.location(other)
    assert names.location(one).routine == names.location(other).routine
    assert names.location(Location("main", "main", "/m")).full == "main"


def test_files_stay_the_families_that_they_were() -> None:
    """The report takes files whose names differ in numbers only as one family."""
    paths = [f"/home/ann{n % 3}/{stem}{n}.nc" for n in range(40) for stem in ("out.", "in-", f"{'x' * n}y")]
    paths += [f"/home/ann/{'z' * n}" for n in range(30)]
    names = Pseudonyms()
    named = {path: names.opened(path) for path in paths}
    assert len(set(named.values())) == len(set(paths))
    assert names.opened("") == ""

    def families(pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
        found: dict[str, set[str]] = {}
        for path, name in pairs:
            found.setdefault(re.sub("[0-9]+", "#", name), set()).add(path)
        return {frozenset(each) for each in found.values()}

    assert families(named.items()) == families(zip(paths, paths, strict=True))


@pytest.mark.parametrize("data", [b"", b"LEADLINE", b"LEADLINE" + struct.pack("<II", 9, 0)])
def test_what_is_no_trace_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        trace_file.rewritten(data, Pseudonyms())


def test_unknown_chunks_are_left_out() -> None:
    """A later version may put anything into them."""
    head = b"LEADLINE" + struct.pack("<II", 3, 0)
    unknown = trace_file._chunk(99, b"private")
    settings = trace_file._chunk(24, b"\x07private\x07private")
    end = trace_file._chunk(11, b"\x01")
    assert trace_file.rewritten(head + unknown + settings + end, Pseudonyms()) == head + end
