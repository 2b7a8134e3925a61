"""File I/O of the ranks: bytes, calls, offsets and attribution are exact."""

from pathlib import Path
from typing import Any

import pytest

from .building import PROGRAMS, Builder
from .libraries import Library
from .mpi4py_programs import python_command
from .reading import report_of
from .running import Outcome, run_mpi

BLOCK, BLOCKS = 1000, 40


def ranks_of(library: Library) -> int:
    return 3 if library.kind.shares_cores else 2


class Recorded:
    """A run of files.c and what the report says of its files."""

    def __init__(self, outcome: Outcome, run: Path, data: Path) -> None:
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr
        self.outcome = outcome
        self.run = run
        self.report = report_of(run)
        self.io = self.report["io"]
        self.data = data
        assert self.report["complete"], self.report["losses"]

    def file(self, name: str) -> dict[str, Any]:
        found = [file for file in self.io["files"] if file["file"] == str(self.data / name)]
        assert len(found) == 1, [file["file"] for file in self.io["files"]]
        entry = found[0]
        assert isinstance(entry, dict)
        return entry

    def mpi(self, name: str) -> dict[str, Any]:
        (found,) = [file for file in self.io["mpi_io"]["files"] if file["file"] == str(self.data / name)]
        assert isinstance(found, dict)
        return found

    def of_program(self) -> list[dict[str, Any]]:
        """The files in the directory the program was given."""
        return [file for file in self.io["files"] if file["file"].startswith(str(self.data))]


@pytest.fixture
def record(builder: Builder, recorder: Path, tmp_path: Path) -> Any:
    def run(library: Library, how: str, steps: int = 3, preload: tuple[Path, ...] = (), first: bool = True) -> Recorded:
        data = tmp_path / "data"
        directory = tmp_path / f"run-{how}-{steps}"
        libraries = [recorder, *preload] if first else [*preload, recorder]
        program = [builder.c(library, "files.c"), how, data, str(steps)]
        return record_program(library, program, tmp_path, libraries, directory)

    return run


def record_program(
    library: Library,
    program: list[str | Path],
    tmp_path: Path,
    preload: list[Path],
    directory: Path | None = None,
    environment: dict[str, str] | None = None,
) -> Recorded:
    """Its files are in tmp_path/data, which is made here."""
    data = tmp_path / "data"
    directory = directory or tmp_path / "run"
    for made in (data, directory):
        made.mkdir(exist_ok=True)
    outcome = run_mpi(
        library,
        ranks_of(library),
        program,
        cwd=tmp_path,
        preload=preload,
        environment={"LEADLINE_DIR": str(directory), **(environment or {})},
    )
    return Recorded(outcome, directory, data.resolve())


def moved(entry: dict[str, Any]) -> tuple[int, int]:
    return entry["bytes_read"], entry["bytes_written"]


def test_ranks_that_all_read_one_whole_file(library: Library, record: Any) -> None:
    ranks = ranks_of(library)
    size = ranks * BLOCKS * BLOCK
    recorded = record(library, "whole")
    file = recorded.file("input")
    assert (file["ranks"], file["opens"], moved(file)) == (ranks, ranks + 1, (ranks * size, size))
    assert (file["reads"], file["writes"]) == (ranks * (ranks * BLOCKS + 1), ranks * BLOCKS)
    assert (file["size_bytes"], file["access"], file["mpi_io"]) == (size, "sequential", False)
    for rank in file["by_rank"]:
        assert (rank["fraction_read"], rank["access"], rank["bytes_read"]) == (1.0, "sequential", size)
        assert rank["bytes_written"] == (size if rank["rank"] == 0 else 0)
    assert len(recorded.of_program()) == 1
    # The same by function and by call site: nothing lies outside of MPI_Init and MPI_Finalize.
    calls = {entry["function"]: entry["calls"] for entry in recorded.io["functions"]}
    assert (calls["read"], calls["write"]) == (file["reads"], file["writes"])
    (site,) = [site for site in recorded.io["sites"] if site["function"] == "read"]
    assert (site["routine"], site["bytes_received"], site["calls"]) == ("whole", ranks * size, file["reads"])
    assert recorded.io["mpi_io"] is None
    assert recorded.io["outside"]["bytes_written"] == 0


def test_ranks_that_read_slices(one_of_each_family: Library, record: Any) -> None:
    library = one_of_each_family
    ranks = ranks_of(library)
    file = record(library, "slices").file("input")
    assert moved(file) == (ranks * BLOCKS * BLOCK, ranks * BLOCKS * BLOCK)
    for rank in file["by_rank"]:
        assert rank["fraction_read"] == pytest.approx(1 / ranks)
        assert (rank["bytes_read"], rank["access"]) == (BLOCKS * BLOCK, "sequential")


def test_output_through_rank_0(one_of_each_family: Library, record: Any) -> None:
    library = one_of_each_family
    recorded = record(library, "gather")
    file = recorded.file("output")
    (rank,) = file["by_rank"]
    assert (rank["rank"], moved(rank), file["writes"]) == (0, (0, ranks_of(library) * BLOCK), 1)
    # open, writev, fsync and close
    assert (rank["calls"], file["size_bytes"]) == (4, ranks_of(library) * BLOCK)


def test_collective_mpi_io_and_the_calls_beneath_it(library: Library, record: Any) -> None:
    steps, ranks = 5, ranks_of(library)
    total = steps * ranks * BLOCK
    recorded = record(library, "collective", steps)
    file = recorded.file("shared")
    # MPI_File_open, write_at_all, sync, read_at_all and close; what is beneath is not among them.
    assert (file["mpi_io"], file["ranks"], moved(file)) == (True, ranks, (total, total))
    assert [rank["calls"] for rank in file["by_rank"]] == [2 + 3 * steps] * ranks
    for rank in file["by_rank"]:
        assert moved(rank) == (steps * BLOCK, steps * BLOCK)
        assert rank["fraction_read"] == pytest.approx(1 / ranks)
    mpi = recorded.mpi("shared")
    assert (moved(mpi), mpi["view"]) == ((total, total), False)
    assert moved(mpi["beneath"]) == (total, total)
    assert len(recorded.of_program()) == 1
    names = {entry["function"] for entry in recorded.io["functions"]}
    assert not names & {"pread", "pwrite", "preadv", "pwritev", "read", "write"}


def test_mpi_io_through_a_view(library: Library, record: Any) -> None:
    ranks = ranks_of(library)
    total = ranks * 8 * 5 * 8
    recorded = record(library, "view")
    mpi = recorded.mpi("matrix")
    assert (moved(mpi), mpi["view"]) == ((total, total), True)
    assert mpi["beneath"]["bytes_written"] == total
    assert recorded.file("matrix")["size_bytes"] == total
    for rank in recorded.file("matrix")["by_rank"]:
        assert (moved(rank), rank["fraction_read"]) == ((total // ranks, total // ranks), None)


def test_streams_of_libc(one_of_each_family: Library, record: Any) -> None:
    library = one_of_each_family
    recorded = record(library, "stdio")
    text = 100 * 15 + 11 + 51
    for rank in range(ranks_of(library)):
        file = recorded.file(f"text-{rank}")
        assert file["size_bytes"] == text
        # Three lines, then the end of the file after a seek.
        assert moved(file) == (3 * 15 + 62, text)
        assert moved(recorded.file(f"binary-{rank}")) == (BLOCK, BLOCK)
        assert recorded.file(f"binary-{rank}")["by_rank"][0]["fraction_read"] == 1.0
    calls = {entry["function"]: entry["calls"] for entry in recorded.io["functions"]}
    ranks = ranks_of(library)
    assert (calls["fprintf"], calls["fgets"], calls["getline"], calls["fscanf"]) == (100 * ranks, ranks, ranks, ranks)


def test_wide_characters(one_of_each_family: Library, record: Any) -> None:
    recorded = record(one_of_each_family, "wide")
    for rank in range(ranks_of(one_of_each_family)):
        assert moved(recorded.file(f"wide-{rank}")) == (14, 14)
        assert recorded.file(f"wide-{rank}")["size_bytes"] == 14
    ranks = ranks_of(one_of_each_family)
    calls = {entry["function"]: entry["calls"] for entry in recorded.io["functions"]}
    assert {name: calls[name] // ranks for name in ("fprintf", "fputs", "fputc", "fscanf", "fgets", "fgetc")} == {
        "fprintf": 1,
        "fputs": 1,
        "fputc": 1,
        "fscanf": 1,
        "fgets": 2,
        "fgetc": 2,
    }


def test_splice(one_of_each_family: Library, record: Any) -> None:
    recorded = record(one_of_each_family, "spliced")
    for rank in range(ranks_of(one_of_each_family)):
        assert moved(recorded.file(f"spliced-{rank}")) == (300, 700)


def test_a_log_that_all_ranks_append_to(one_of_each_family: Library, record: Any) -> None:
    """What the other ranks wrote in between is not this one's."""
    recorded = record(one_of_each_family, "log")
    file = recorded.file("log")
    ranks = ranks_of(one_of_each_family)
    assert file["size_bytes"] == 3 * ranks * 15
    assert moved(file) == (0, 3 * ranks * 15)
    assert [rank["bytes_written"] for rank in file["by_rank"]] == [3 * 15] * ranks


def test_a_loop_of_steps_with_io_stays_constant(one_of_each_family: Library, record: Any) -> None:
    library = one_of_each_family
    sizes = {}
    for steps in (40, 400):
        recorded = record(library, "steps", steps)
        sizes[steps] = sum(path.stat().st_size for path in recorded.run.glob("shared-*.structure"))
        log = recorded.file("log-0")
        assert (log["writes"], moved(log), log["access"]) == (steps, (0, 100 * steps), "sequential")
        assert log["size_bytes"] == 100 * (40 if steps == 40 else 440)
        step = recorded.file(f"step-1-{steps - 1:06d}")
        assert (step["opens"], step["writes"], moved(step)) == (1, 2, (0, BLOCK + 10))
        calls = {entry["function"]: entry["calls"] for entry in recorded.io["functions"]}
        assert calls["write"] == 3 * steps * ranks_of(library)
    assert 0 < sizes[400] < sizes[40] + 100


def test_records_dealt_out_to_the_ranks(one_of_each_family: Library, record: Any) -> None:
    library = one_of_each_family
    file = record(library, "strided").file("input")
    for rank in file["by_rank"]:
        assert rank["bytes_read"] == 2 * BLOCKS * BLOCK
        assert rank["fraction_read"] == pytest.approx(1 / ranks_of(library))
    assert file["by_rank"][1]["access"] == "strided"


def test_what_is_a_file_and_what_is_not(one_of_each_family: Library, record: Any) -> None:
    library = one_of_each_family
    recorded = record(library, "kinds")
    files = recorded.of_program()
    assert len(files) == ranks_of(library)
    assert not [file["file"] for file in recorded.io["files"] if file["file"].startswith(("/proc", "/dev", "/sys"))]
    for file in files:
        # pwrite 300, write 100, write 50 through a copy, pwritev 100; preadv 100, read 250 to the end
        assert moved(file) == (350, 550)
        assert (file["opens"], file["size_bytes"]) == (1, 4096)
        assert file["by_rank"][0]["fraction_read"] is None  # it was mapped
    assert any("mmap" in reason for reason in recorded.io["not_seen"])


def test_before_init_and_after_finalize(one_of_each_family: Library, record: Any) -> None:
    recorded = record(one_of_each_family, "outside")
    ranks = ranks_of(one_of_each_family)
    for name in ("before", "after"):
        assert moved(recorded.file(name)) == (0, 500 * ranks)
        assert recorded.file(name)["size_bytes"] == 500
    assert recorded.io["outside"]["bytes_written"] == 1000 * ranks
    assert not [entry for entry in recorded.io["functions"] if entry["function"] == "fwrite"]
    assert any("before MPI_Init" in reason for reason in recorded.io["not_seen"])


@pytest.mark.parametrize("first", [True, False])
def test_chained_with_another_preload_that_wraps_file_io(
    first: bool, one_of_each_family: Library, record: Any, builder: Builder
) -> None:
    library = one_of_each_family
    tool = builder.tool(library, "io_tool.c", "-ldl")
    recorded = record(library, "chained", preload=(tool,), first=first)
    said = [line for line in recorded.outcome.stderr.splitlines() if line.startswith("tool:")]
    assert said == ["tool: opened 1, 7 writes of 700 bytes, streams 300 bytes"] * ranks_of(library)
    for rank in range(ranks_of(library)):
        assert moved(recorded.file(f"tool-output-{rank}")) == (0, 700)
        assert moved(recorded.file(f"stream-{rank}")) == (0, 300)


def test_a_preload_that_is_passed_by_is_named(one_of_each_family: Library, record: Any, builder: Builder) -> None:
    tool = builder.tool(one_of_each_family, "io_tool.c", "-DWRAPS_FPRINTF", "-ldl")
    recorded = record(one_of_each_family, "chained", preload=(tool,))
    assert (
        f"preload {tool} before Leadline: loaded after it, that library misses calls to fprintf"
        in recorded.outcome.stderr
    )
    recorded = record(one_of_each_family, "stdio", preload=(tool,), first=False)
    assert "leadline:" not in recorded.outcome.stderr
    assert recorded.file("text-0")["bytes_written"] == 100 * 15 + 11 + 51


def test_fortran(fortran_library: Library, builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library, values = fortran_library, 8 * 4000
    program = [builder.fortran(library, "files.F90", "-fno-inline"), tmp_path / "data"]
    recorded = record_program(library, program, tmp_path, [recorder])
    assert len(recorded.of_program()) == 4 * ranks_of(library)
    for rank in range(ranks_of(library)):
        stream = recorded.file(f"stream-{rank}")
        assert (stream["bytes_written"], stream["size_bytes"]) == (10 * values, 10 * values)
        assert values <= stream["bytes_read"] <= 2 * values
        direct = recorded.file(f"direct-{rank}")
        assert moved(direct) == (0, 25 * values)
        records = recorded.file(f"records-{rank}")
        assert records["size_bytes"] == values + 8  # a length before it and one behind it
        assert records["bytes_written"] >= values + 8
        text = recorded.file(f"text-{rank}")
        assert moved(text) == (9000, 9000)
        assert text["by_rank"][0]["fraction_read"] == 1.0
    routines = {site["routine"] for site in recorded.io["sites"] if site["function"] == "write"}
    assert routines == {"write_stream", "write_direct", "write_records", "write_text"}


@pytest.mark.ci("openmpi")
def test_python(one_of_each_family: Library, recorder: Path, tmp_path: Path) -> None:
    library, ranks = one_of_each_family, ranks_of(one_of_each_family)
    command, environment = python_command(library, tmp_path)
    program: list[str | Path] = [*command, PROGRAMS / "files.py", tmp_path / "data"]
    recorded = record_program(library, program, tmp_path, [recorder], environment=environment)
    assert recorded.file("python-0")["ranks"] == ranks
    for rank in range(ranks):
        file = recorded.file(f"python-{rank}")
        assert moved(file) == (1_000_000 + (100_000 * ranks if rank == 0 else 0), 1_000_000)
        own = [each for each in file["by_rank"] if each["rank"] == rank]
        assert own[0]["fraction_read"] == 1.0
    assert [each["fraction_read"] for each in recorded.file("python-0")["by_rank"]][1:] == [0.1] * (ranks - 1)
    assert moved(recorded.mpi("together")) == (0, 3000 * ranks)
    assert moved(recorded.mpi("together")["beneath"]) == (0, 3000 * ranks)
    # What the interpreter read before it came to MPI.
    assert recorded.io["outside"]["bytes_read"] > 100_000


def test_threads_signals_and_children(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library, ranks = one_of_each_family, ranks_of(one_of_each_family)
    program: list[str | Path] = [builder.c(library, "files_hostile.c", "-pthread"), tmp_path / "data"]
    (tmp_path / "data").mkdir()
    plain = run_mpi(library, ranks, program, cwd=tmp_path)
    recorded = record_program(library, program, tmp_path, [recorder])
    assert (recorded.outcome.lines, recorded.outcome.stderr) == (plain.lines, plain.stderr)
    for rank in range(ranks):
        for thread in range(4):
            assert moved(recorded.file(f"thread{thread}-{rank}")) == (0, 500 * 64)
        assert moved(recorded.file(f"parent-{rank}")) == (0, 11)
        for i in range(7):
            file = recorded.file(f"storm{i}-{rank}")
            assert file["bytes_written"] == 64 * len(range(i, 300, 7))
            assert file["opens"] == len(range(i, 300, 7))


def test_without_a_directory_file_io_is_as_ever(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    data = tmp_path / "data"
    data.mkdir()
    for how in ("stdio", "kinds", "collective"):
        program: list[str | Path] = [builder.c(library, "files.c"), how, data]
        outcome = run_mpi(library, ranks_of(library), program, cwd=tmp_path, preload=[recorder])
        assert (outcome.returncode, outcome.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
