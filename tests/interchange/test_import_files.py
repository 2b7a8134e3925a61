"""leadline import of file operations in the style of Score-P: POSIX, ISO C and MPI-IO."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.__main__ import main

otf2 = pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")

UNKNOWN = 2**64 - 1
READ, WRITE, FLUSH = otf2.enums.IoOperationMode.READ, otf2.enums.IoOperationMode.WRITE, otf2.enums.IoOperationMode.FLUSH
BLOCKING, LATER = otf2.enums.IoOperationFlag.NONE, otf2.enums.IoOperationFlag.NON_BLOCKING


class Archive:
    """One rank: each call is a region, with the records of what it does to files in it."""

    def __init__(self, path: Path) -> None:
        with otf2.writer.open(str(path), timer_resolution=1_000_000_000) as trace:
            self.defs = d = trace.definitions
            self.machine = machine = d.system_tree_node("machine", class_name="machine")
            location = d.location("thread", group=d.location_group("MPI Rank 0", system_tree_parent=machine))
            d.group("", otf2.GroupType.COMM_LOCATIONS, otf2.Paradigm.MPI, members=[location])
            group = d.group("", otf2.GroupType.COMM_GROUP, otf2.Paradigm.MPI, members=[location])
            self.comm = d.comm("MPI_COMM_WORLD", group)
            self.out, self.now = trace.event_writer_from_location(location), 0
            self.regions: dict[str, Any] = {}
            posix, iso_c, mpi_io = (
                d.io_paradigm(name, name, kind, flags)
                for name, kind, flags in (
                    ("POSIX", otf2.enums.IoParadigmClass.SERIAL, otf2.enums.IoParadigmFlag.OS),
                    ("ISOC", otf2.enums.IoParadigmClass.SERIAL, otf2.enums.IoParadigmFlag.NONE),
                    ("MPI-IO", otf2.enums.IoParadigmClass.PARALLEL, otf2.enums.IoParadigmFlag.NONE),
                )
            )
            self.call("MPI_Init")
            self.posix(self.handle("/data/input", posix))
            self.iso_c(self.handle("/data/log", iso_c), self.handle("/data/log", posix))
            self.mpi_io(self.handle("/data/shared", mpi_io, self.comm), self.handle("/data/shared", posix))
            self.call("MPI_Finalize")

    def handle(self, name: str, paradigm: Any, comm: Any = None) -> Any:
        file = self.defs.io_regular_file(name, scope=self.machine)
        return self.defs.io_handle("", file, paradigm, comm=comm)

    def tick(self) -> int:
        self.now += 1000
        return self.now

    def call(self, name: str, *events: Any) -> None:
        mpi = name.startswith("MPI_")
        if name not in self.regions:
            paradigm = otf2.Paradigm.MPI if mpi else otf2.Paradigm.UNKNOWN
            role = otf2.RegionRole.FUNCTION if mpi else otf2.RegionRole.FILE_IO
            self.regions[name] = self.defs.region(name, paradigm=paradigm, region_role=role)
        self.out.enter(self.tick(), self.regions[name])
        for event, *arguments in events:
            event(self.tick(), *arguments)
        self.out.leave(self.tick(), self.regions[name])

    def begin(self, handle: Any, mode: Any, flags: Any, asked: int, number: int) -> Any:
        return (self.out.io_operation_begin, handle, mode, flags, asked, number)

    def done(self, handle: Any, moved: int, number: int) -> Any:
        return (self.out.io_operation_complete, handle, moved, number)

    def opened(self, handle: Any, mode: Any, creation: Any) -> Any:
        return (self.out.io_create_handle, handle, mode, creation, otf2.enums.IoStatusFlag.NONE)

    def posix(self, h: Any) -> None:
        self.call("open64", self.opened(h, otf2.enums.IoAccessMode.READ_ONLY, otf2.enums.IoCreationFlag.NONE))
        self.call("read", self.begin(h, READ, BLOCKING, 4096, 1), self.done(h, 100, 1))  # fewer than asked for
        self.call("lseek", (self.out.io_seek, h, 50, otf2.enums.IoSeekOption.FROM_CURRENT, 150))
        self.call("pread", self.begin(h, READ, BLOCKING, 30, 1), self.done(h, 30, 1))
        self.call("close", (self.out.io_destroy_handle, h))

    def iso_c(self, h: Any, descriptor: Any) -> None:
        """Score-P opens and closes the descriptor in the same calls."""
        opened = (otf2.enums.IoAccessMode.WRITE_ONLY, otf2.enums.IoCreationFlag.CREATE)
        self.call("fopen", self.opened(descriptor, *opened), self.opened(h, *opened))
        self.call("fprintf", self.begin(h, WRITE, BLOCKING, UNKNOWN, 2), self.done(h, 17, 2))
        self.call("fflush", self.begin(h, FLUSH, BLOCKING, UNKNOWN, 2), self.done(h, UNKNOWN, 2))
        self.call("fclose", (self.out.io_destroy_handle, descriptor), (self.out.io_destroy_handle, h))

    def mpi_io(self, h: Any, beneath: Any) -> None:
        """What the MPI library calls is recorded, too."""
        collective = otf2.enums.IoOperationFlag.COLLECTIVE
        opened = (otf2.enums.IoAccessMode.READ_WRITE, otf2.enums.IoCreationFlag.CREATE)
        self.call("MPI_File_open", self.opened(beneath, *opened), self.opened(h, *opened))
        within = [self.begin(beneath, WRITE, BLOCKING, 4096, 1), self.done(beneath, 4096, 1)]
        self.call("MPI_File_write_at", self.begin(h, WRITE, BLOCKING, 800, 1), *within, self.done(h, 800, 1))
        self.call("MPI_File_read_all", self.begin(h, READ, collective, 500, 2), self.done(h, 400, 2))
        self.call("MPI_File_iwrite", self.begin(h, WRITE, LATER, 64, 3), (self.out.io_operation_issued, h, 3))
        self.call("MPI_Test", (self.out.io_operation_test, h, 3))
        self.call("MPI_Wait", self.done(h, 64, 3))
        self.call("MPI_File_read_all_begin", self.begin(h, READ, LATER, 32, 4), (self.out.io_operation_issued, h, 4))
        self.call("MPI_File_read_all_end", self.done(h, 32, 4))
        self.call("MPI_File_close", (self.out.io_destroy_handle, h))


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    Archive(folder / "archive")
    assert main(["import", str(folder / "archive"), "-o", str(folder / "run")]) == 0
    return folder / "run"


def test_files_have_their_operations_and_bytes(imported: Path, tmp_path: Path) -> None:
    assert main(["report", str(imported), "--table", "io", "--csv", str(tmp_path / "io.csv")]) == 0
    kept = "layer opens closes reads writes others bytes_read bytes_written".split()
    with (tmp_path / "io.csv").open(newline="") as rows:
        found = {row["file"]: tuple(row[name] for name in kept) for row in csv.DictReader(rows)}
    assert found == {
        "/data/input": ("program", "1", "1", "2", "0", "1", "130", "0"),
        "/data/log": ("program", "1", "1", "0", "1", "1", "0", "17"),
        # The begin of a split collective is a call that reads, and its end has the bytes.
        "/data/shared": ("mpi-io", "1", "1", "3", "2", "0", "432", "864"),
    }


def test_nothing_is_missing_and_the_wait_is_for_the_write(imported: Path, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    assert main(["report", str(imported), "--json"]) == 0
    report = json.loads(capfd.readouterr().out)
    codes = {loss["code"] for loss in report["losses"]}
    assert codes <= {"imported-without-paths"}
    functions = {row["function"]: row["calls"] for row in report["functions"]}
    assert functions["MPI_Wait"] == functions["MPI_File_iwrite"] == 1


def test_what_is_imported_is_exported_again(imported: Path, tmp_path: Path) -> None:
    assert main(["export", "otf2", str(imported), "-o", str(tmp_path / "again")]) == 0
    records: list[tuple[str, ...]] = []
    with otf2.reader.open(str(tmp_path / "again" / "traces.otf2")) as trace:
        for _, event in trace.events:
            kind = type(event).__name__
            if kind == "IoOperationComplete":
                records.append((event.handle.file.name, str(event.bytes_result)))
            elif kind == "IoCreateHandle":
                records.append((event.handle.file.name, str(event.mode), str(event.creation_flags)))
            elif kind == "IoSeek":
                records.append((event.handle.file.name, str(event.offset_request)))
    unknown = str(UNKNOWN)
    assert records == [
        ("/data/input", "IoAccessMode.READ_ONLY", "IoCreationFlag.NONE"),
        ("/data/input", "100"),
        ("/data/input", "50"),
        ("/data/input", "30"),
        ("/data/log", "IoAccessMode.WRITE_ONLY", "IoCreationFlag.CREATE"),
        ("/data/log", "17"),
        ("/data/log", unknown),
        ("/data/shared", "IoAccessMode.READ_WRITE", "IoCreationFlag.CREATE"),
        ("/data/shared", "800"),
        ("/data/shared", "400"),
        ("/data/shared", "64"),  # of a nonblocking write
        ("/data/shared", "32"),  # of a split read
    ]
