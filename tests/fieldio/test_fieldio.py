"""Field I/O: random fields value by value in all ways, wrong use, the root's memory, and libraries that do not fit."""

from pathlib import Path

import pytest
import tiers
from cli.other_users import OTHERS, others_file
from recorder.running import Outcome

from .building import need, run

ALL = tiers.everything()
FIELDS = 500 if ALL else 40
PARALLEL = "debian-openmpi"  # the only library here that there is a PnetCDF for
# Who writes, who reads: each library reads what the other wrote.
PAIRS = [
    ("gathered", "gathered"),
    ("serial", "serial"),
    ("parallel", "parallel"),
    ("parallel", "serial"),
    ("gathered", "parallel"),
]

# What the last rank or all do wrong, and what every rank must say; where the ways differ, of NetCDF and of PnetCDF.
WRONG = {
    "outside": "rank 2, dimension 0: block of 3 points starting at 7, but the field has 9",
    "whole": "rank 2, dimension 1: the field has 5 points, but 4 on rank 0",
    "halo": "rank 2, dimension 0: 3 points and a halo of 2 do not fit an array of 5 at offset 1",
    "overlap": "wrong.nc: the blocks of ranks 1 and 2 overlap in 4 points",
    "missing": "wrong.nc: 4 points of the field belong to no block",
    "dimensions": "rank 2: a field needs 1 to 6 dimensions, sizes and a block",
    "ways": "wrong.nc: rank 2 opens it with options that differ from rank 0's",
    "no file": "none.nc: ",
    "no netcdf": "text.nc: NetCDF: Unknown file format",
    "read only": "/sys/wrong.nc: ",
    "twice": "wrong.nc: variable field: NetCDF: String match to name in use",
    "name": "wrong.nc: variable salt: NetCDF: Variable not found",
    "shape": "wrong.nc: variable field: expected shape 9x5, got 9x4",
    "put": "wrong.nc: writing: NetCDF: Index exceeds dimension bound",
}
ONE_READER = {"limit": "wrong.nc: the memory limit of 8 bytes is too small for one point per rank"}
ALL_READ = {"hints": "hints: expected name=value;name=value, got 'cb_nodes:2'"}


def library_of(way: str) -> str:
    return PARALLEL if "parallel" in way else "openmpi"


@pytest.mark.ci(written="gathered", read="gathered")
@pytest.mark.parametrize("ranks", [1, 3, 5] if ALL else [3])
@pytest.mark.parametrize(("written", "read"), PAIRS)
def test_random_fields_come_back(written: str, read: str, ranks: int, tmp_path: Path) -> None:
    name = library_of(written + read)
    need(name, written, tmp_path)
    need(name, read, tmp_path)
    done = run(name, ranks, ["random", "1", str(FIELDS), written, read], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.lines == [f"{FIELDS} fields on {ranks} ranks, 0 wrong"], done.stderr


@pytest.mark.ci("intel")
@pytest.mark.parametrize("name", ["mpich", "intel"])
def test_without_a_pnetcdf_that_fits_one_rank_reads_and_writes(name: str, tmp_path: Path) -> None:
    need(name, "gathered", tmp_path)
    said = run(name, 2, ["has"], cwd=tmp_path)
    if "rank 0: parallel" in said.lines:
        pytest.skip("there is a PnetCDF for it")
    assert all("cannot use PnetCDF: " in line for line in said.lines), said.stdout
    done = run(name, 2, ["random", "2", "20", "auto", "auto"], cwd=tmp_path)
    assert done.lines == ["20 fields on 2 ranks, 0 wrong"], done.stderr
    refused = run(name, 2, ["wrong", "parallel", "right"], cwd=tmp_path)
    assert [line.partition("wrong.nc: ")[0] for line in refused.lines] == [
        f"rank {rank}: right: code 1: " for rank in range(2)
    ]


def test_libraries_can_be_named(tmp_path: Path) -> None:
    need("openmpi", "gathered", tmp_path)
    nowhere = {"LEADLINE_NETCDF": "/none.so", "LEADLINE_PNETCDF": "/none.so"}
    (tmp_path / "text.so").write_text("no library")
    for way, library_name in (("gathered", "NetCDF"), ("parallel", "PnetCDF")):
        done = run("openmpi", 2, ["wrong", way, "right"], cwd=tmp_path, environment=nowhere)
        assert all(
            f"wrong.nc: cannot use {library_name}: " in line and "not found; set LEADLINE_" in line
            for line in done.lines
        ), done.stdout
        text = {name: str(tmp_path / "text.so") for name in nowhere}
        done = run("openmpi", 2, ["wrong", way, "right"], cwd=tmp_path, environment=text)
        assert all("not a shared library for this architecture" in line for line in done.lines), done.stdout
        assert len(done.lines) == 2


@pytest.mark.parametrize("way", ["gathered", "serial", "parallel"])
def test_what_is_wrong_is_said_on_every_rank(way: str, tmp_path: Path) -> None:
    name = library_of(way)
    need(name, way, tmp_path)
    (tmp_path / "text.nc").write_text("x" * 9000)
    cases = {**WRONG, **(ALL_READ if way == "parallel" else ONE_READER)}
    done = run(name, 3, ["wrong", way, *cases, "right"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for kind, said in cases.items():
        found = [line for line in done.lines if f": {kind}: " in line]
        texts = {line.partition(f": {kind}: ")[2] for line in found}
        assert len(found) == 3, (kind, found)
        assert len(texts) == 1, texts
        assert texts.pop().startswith(f"code 1: {said}"), found
    assert [line for line in done.lines if ": right: " in line] == [
        f"rank {rank}: right: code 0: " for rank in range(3)
    ]


@pytest.mark.parametrize("way", ["gathered", "serial"])
def test_the_root_holds_no_more_than_the_limit(way: str, tmp_path: Path) -> None:
    """Of a field of 64 MiB that others hold, written and read, with 4 MiB."""
    need("openmpi", way, tmp_path)
    done = run("openmpi", 3, ["memory", way, "64", "4"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    words = done.lines[0].split()
    counted = dict(zip(words[::2], map(int, words[1::2]), strict=True))  # KiB
    assert counted["wrong"] == 0
    assert counted["field"] >= 63 << 10
    assert counted["buffer"] <= 4 << 10
    assert counted["grown"] <= (4 + 32) << 10  # of the process, the memory of MPI and NetCDF included


FIELD_BYTES = 64 * 128 * 8  # of the test program, on two ranks
SETS = 7


def chosen_of(done: Outcome) -> str:
    """What all ranks say."""
    (said,) = {line.partition(": code ")[2] for line in done.lines if line.startswith("rank ")}
    return said


def test_hints_are_tried_and_one_set_chosen(tmp_path: Path) -> None:
    need(PARALLEL, "parallel", tmp_path)
    done = run(PARALLEL, 2, ["hints", "3", "60"], cwd=tmp_path)
    sets = [line.removeprefix("set ").removesuffix(": took time") for line in done.lines if line.startswith("set ")]
    assert len(sets) == SETS, done.stdout + done.stderr
    assert chosen_of(done).removeprefix("0: ") in sets
    assert f"rounds 3 kept 0 written {(1 + 3 * SETS) * FIELD_BYTES}" in done.lines
    assert [path for path in tmp_path.iterdir() if "hints" in path.name] == []


def test_trying_hints_ends_at_the_limit(tmp_path: Path) -> None:
    """After a single file, and then the usual set is used."""
    need(PARALLEL, "parallel", tmp_path)
    done = run(PARALLEL, 2, ["hints", "3", "1e-9", "kept"], cwd=tmp_path)
    assert f"rounds 0 kept 0 written {FIELD_BYTES}" in done.lines, done.stdout + done.stderr
    assert chosen_of(done) == "0: nc_header_read_chunk_size=16384"
    assert not (tmp_path / "kept").exists()


def test_a_choice_of_hints_is_kept_for_fields_cut_alike(tmp_path: Path) -> None:
    need(PARALLEL, "parallel", tmp_path)
    first = run(PARALLEL, 2, ["hints", "3", "60", "kept"], cwd=tmp_path)
    (line,) = (tmp_path / "kept").read_text().splitlines()
    alike, _, hints = line.rpartition(" | ")
    assert chosen_of(first) == f"0: {hints}", first.stdout + first.stderr
    with (tmp_path / "kept").open("a") as file:
        file.write(f"{alike} | nc_header_read_chunk_size=16384;cb_nodes=2\n{alike} | cb_nodes=77\n")
    again = run(PARALLEL, 2, ["hints", "3", "60", "kept"], cwd=tmp_path)
    assert chosen_of(again) == "0: nc_header_read_chunk_size=16384;cb_nodes=2"
    assert "rounds 0 kept 1 written 0" in again.lines
    other = run(PARALLEL, 1, ["hints", "3", "60", "kept"], cwd=tmp_path)
    assert "rounds 3 kept 0" in other.stdout
    assert len((tmp_path / "kept").read_text().splitlines()) == 4


@pytest.fixture(scope="module")
def choices(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a run of two ranks keeps."""
    place = tmp_path_factory.mktemp("choices")
    need(PARALLEL, "parallel", place)
    run(PARALLEL, 2, ["hints", "3", "60", "good"], cwd=place)
    return (place / "good").read_bytes()


@pytest.mark.parametrize("kind", OTHERS)
def test_choices_that_others_can_change_are_neither_taken_nor_added_to(
    kind: str, choices: bytes, tmp_path: Path
) -> None:
    held = others_file(kind, tmp_path / "kept", choices)
    done = run(PARALLEL, 2, ["hints", "3", "60", "kept"], cwd=tmp_path)
    assert f"leadline_fieldio: ignored the selected hints in kept: {OTHERS[kind]}" in done.stderr
    assert "rounds 3 kept 0" in done.stdout
    assert chosen_of(done).startswith("1: kept: cannot save the selected hints: ")
    if held is not None:
        assert held.read_bytes() == choices


def test_a_choice_of_hints_that_cannot_be_kept_is_an_error_on_all_ranks(tmp_path: Path) -> None:
    need(PARALLEL, "parallel", tmp_path)
    done = run(PARALLEL, 2, ["hints", "3", "60", "no/such/folder"], cwd=tmp_path)
    assert chosen_of(done) == "1: no/such/folder: cannot save the selected hints"
