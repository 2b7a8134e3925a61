"""opatm's NetCDF files: the same data and the same result whichever way they are read and written, and what is wrong
with a file in one line."""

import shutil
import struct
from pathlib import Path

import pytest

from leadline import workloads
from leadline.cli.study import GRID
from leadline.errors import LeadlineError
from leadline.mpi import find

from .classic_netcdf import read_classic
from .output_file import MAPS, PROFILES, read_output
from .recorded import record
from .running import Program, Result, run_opatm

pytestmark = pytest.mark.ci  # for changes to workloads/

NX, NY, NZ, TRACERS = 40, 24, 10, 5
POINTS = NX * NY * NZ
WAYS = ("serial", "gathered", "parallel")
# Names of what the plain file has under others.
RENAMED = {"mean": "mean_concentration", "sinking": "sinking_flux"}


def _can(program: Program, way: str, folder: Path) -> bool:
    """Whether it can write NetCDF so. Libraries are found when a file is opened, so one is written."""
    done = program.start(1, ["--grid=6x4x3", "--tracers=1", "--steps=1", f"--io={way}", "--output=x.nc"], cwd=folder)
    assert done.returncode == 0 or "cannot use NetCDF" in done.stderr or "cannot use PnetCDF" in done.stderr
    return done.returncode == 0


@pytest.fixture(scope="module")
def program(any_program: Program, tmp_path_factory: pytest.TempPathFactory) -> Program:
    if not _can(any_program, "serial", tmp_path_factory.mktemp("serial")):
        pytest.skip("the NetCDF library is not installed")
    return any_program


@pytest.fixture(scope="module")
def parallel(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """One that has PnetCDF."""
    try:
        debian = find("debian-openmpi")
    except LeadlineError:
        pytest.skip("Debian's Open MPI is not installed")
    found = Program(debian, workloads.build(workloads.find("opatm"), debian))
    if not _can(found, "parallel", tmp_path_factory.mktemp("parallel")):
        pytest.skip("PnetCDF is not installed")
    return found


def of_way(request: pytest.FixtureRequest, way: str) -> Program:
    found: Program = request.getfixturevalue("parallel" if way == "parallel" else "program")
    return found


@pytest.fixture(scope="module")
def made(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an input."""
    folder = tmp_path_factory.mktemp("made")
    options = [f"--grid={NX}x{NY}x{NZ}", f"--tracers={TRACERS}"]
    done = program.start(2, ["--make-input", "input", *options], cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder / "input"


@pytest.fixture(scope="module")
def alone(program: Program, made: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("alone")
    return run_opatm(program, 1, {"input": made, "steps": 3}, cwd=folder)


class Cells:
    """The values of forcing.nc by their place."""

    def __init__(self, path: Path) -> None:
        self.variables = read_classic(path).variables
        self.nx, self.nz, self.ny = self.variables["kind"].shape

    def at(self, name: str, x: int, k: int, y: int) -> float:
        if x >= self.nx or k >= self.nz or y >= self.ny:
            return 0.0
        return self.variables[name].values[(x * self.nz + k) * self.ny + y]  # type: ignore[no-any-return]

    def places(self) -> "list[tuple[int, int, int]]":
        return [(x, k, y) for x in range(self.nx) for k in range(self.nz) for y in range(self.ny)]


def test_the_flow_is_free_of_divergence(made: Path) -> None:
    cells = Cells(made / "forcing.nc")
    largest = max(max(map(abs, cells.variables[name].values)) for name in ("flow_east", "flow_north", "flow_down"))
    assert largest > 1e4  # m^3/s
    for x, k, y in cells.places():
        lost = (
            (cells.at("flow_east", x + 1, k, y) - cells.at("flow_east", x, k, y))
            + (cells.at("flow_north", x, k, y + 1) - cells.at("flow_north", x, k, y))
            + (cells.at("flow_down", x, k + 1, y) - cells.at("flow_down", x, k, y))
        )
        assert abs(lost) < 1e-14 * largest


def test_nothing_flows_through_land_and_every_column_has_a_bed(made: Path) -> None:
    cells = Cells(made / "forcing.nc")
    for x, k, y in cells.places():
        kind = cells.at("kind", x, k, y)
        for name, before in (("flow_east", (x - 1, k, y)), ("flow_north", (x, k, y - 1)), ("flow_down", (x, k - 1, y))):
            if kind != 2 or min(before) < 0 or cells.at("kind", *before) != 2:
                assert cells.at(name, x, k, y) == 0.0
        above = cells.at("kind", x, k - 1, y) if k > 0 else None
        assert (kind == 1) == (kind != 2 and above == 2)
    surface = [cells.at("kind", x, 0, y) for x in range(NX) for y in range(NY)]
    assert 0.4 < surface.count(2) / len(surface) < 0.8
    assert len({sum(cells.at("kind", x, k, y) == 2 for k in range(NZ)) for x in range(NX) for y in range(NY)}) > 4


@pytest.mark.parametrize("grid", ["4x4x3", "16x12x6", "90x32x8"])
def test_any_grid_gives_an_input_that_the_model_takes(program: Program, tmp_path: Path, grid: str) -> None:
    """With few levels, those at the surface are much thinner than those below."""
    assert program.start(1, ["--make-input", "input", "--tracers=1", f"--grid={grid}"], cwd=tmp_path).returncode == 0
    assert run_opatm(program, 1, {"input": "input", "steps": 1}, cwd=tmp_path).mass_error < 1e-14


def test_merging_keeps_the_fluxes_and_the_water(program: Program, made: Path, tmp_path: Path) -> None:
    options = ["--merge=no", f"--grid={2 * NX}x{2 * NY}x{NZ}", "--tracers=1"]
    assert program.start(1, ["--make-input", "fine", *options], cwd=tmp_path).returncode == 0
    coarse, fine = Cells(made / "forcing.nc"), Cells(tmp_path / "fine" / "forcing.nc")
    for x, k, y in coarse.places():
        a, b = 2 * x, 2 * y
        east = fine.at("flow_east", a, k, b) + fine.at("flow_east", a, k, b + 1)
        north = fine.at("flow_north", a, k, b) + fine.at("flow_north", a + 1, k, b)
        four = [(a, k, b), (a, k, b + 1), (a + 1, k, b), (a + 1, k, b + 1)]
        assert coarse.at("flow_east", x, k, y) == pytest.approx(east, rel=1e-12, abs=1e-9)
        assert coarse.at("flow_north", x, k, y) == pytest.approx(north, rel=1e-12, abs=1e-9)
        down = sum(fine.at("flow_down", *place) for place in four)
        assert coarse.at("flow_down", x, k, y) == pytest.approx(down, rel=1e-12, abs=1e-9)
        assert coarse.at("kind", x, k, y) == max(fine.at("kind", *place) for place in four)


def test_no_default_writes_more_than_100_mb(program: Program, tmp_path: Path) -> None:
    assert program.start(1, ["--make-input", "input"], cwd=tmp_path).returncode == 0
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in made} == {tmp_path / "input"}
    assert sum(path.stat().st_size for path in made) < 100_000_000
    # A study, with its input and one output of the default grid.
    nx, ny, nz = map(int, GRID.split("x"))
    output, state, forcing = nx * ny * nz * 51 * 32, nx * ny * nz * 51 * 8, nx * ny * nz * 49
    assert output + state + forcing < 100_000_000


def test_the_same_input_is_made_again_but_never_over_another(program: Program, made: Path, tmp_path: Path) -> None:
    options = ["--make-input", "again", f"--grid={NX}x{NY}x{NZ}", f"--tracers={TRACERS}"]
    assert program.start(1, options, cwd=tmp_path).returncode == 0
    for name in ("forcing.nc", "initial.nc"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()
    done = program.start(1, options, cwd=tmp_path)
    assert done.returncode == 2
    assert "again/forcing.nc already exists" in done.stderr


@pytest.mark.parametrize(
    ("way", "ranks", "decomposition", "segments"),
    [
        ("serial", 3, "strips", "none"),
        ("gathered", 2, "strips:33,7", "2"),
        ("gathered", 4, "2d", "none"),  # with halos in both directions, corners included
        ("parallel", 3, "strips", "1"),
        ("parallel", 6, "2d", "none"),
        ("parallel", 16, "strips", "none"),
    ],
)
def test_input_read_in_any_way_gives_the_same_result(
    request: pytest.FixtureRequest, made: Path, alone: Result, tmp_path: Path, way: str, ranks: int, decomposition: str,
    segments: str,
) -> None:  # fmt: skip
    options = {"input": made, "io": way, "decomp": decomposition, "segments": segments, "output": "out.nc"}
    result = run_opatm(of_way(request, way), ranks, {**options, "steps": 3}, cwd=tmp_path)
    assert (result.checksum, result.mass_error) == (alone.checksum, alone.mass_error)
    assert result.mass_error < 1e-14
    maps = read_classic(tmp_path / "out.nc").variables["concentration"].values
    kind = read_classic(made / "forcing.nc").variables["kind"].values
    for tracer in range(TRACERS):
        of_tracer = maps[tracer * POINTS : (tracer + 1) * POINTS]
        assert all((value == 0.0) == (what == 0) for value, what in zip(of_tracer, kind, strict=True))


@pytest.mark.parametrize("way", WAYS)
def test_the_netcdf_output_holds_what_the_plain_file_holds(
    request: pytest.FixtureRequest, program: Program, tmp_path: Path, way: str
) -> None:
    options = {"grid": "9x7x5", "tracers": 5, "steps": 50, "cost": "light"}
    plain = run_opatm(program, 2, options, cwd=tmp_path)
    result = run_opatm(of_way(request, way), 3, {**options, "io": way, "output": "out.nc"}, cwd=tmp_path)
    assert result.checksum == plain.checksum
    whole, netcdf = read_output(tmp_path / "out.bin"), read_classic(tmp_path / "out.nc")
    assert list(netcdf.variables["step"].values) == list(whole.outputs) == [48, 50]
    tracers = [tracer for output in whole.outputs.values() for tracer in output]

    def expect(name: str, shape: tuple[int, ...], pieces: "list[object]") -> None:
        variable = netcdf.variables[name]
        assert variable.shape == (2, 5, *shape)
        assert variable.values.tolist() == [value for piece in pieces for value in piece]  # type: ignore[attr-defined]

    for name in MAPS:
        expect(RENAMED.get(name, name), (9, 5, 7), [tracer.maps[name] for tracer in tracers])
    for name in PROFILES:
        expect(RENAMED.get(name, name), (5,), [tracer.profiles[name] for tracer in tracers])
    expect("blooming_cells", (5,), [tracer.blooming for tracer in tracers])
    expect("histogram", (512,), [tracer.histogram for tracer in tracers])


@pytest.mark.parametrize("way", WAYS)
def test_a_saved_state_goes_on_as_if_the_run_had_not_ended(
    request: pytest.FixtureRequest, program: Program, made: Path, tmp_path: Path, way: str
) -> None:
    chosen = of_way(request, way)
    common = {"input": made, "io": way, "cost": "light", "output": "out.nc"}
    run_opatm(chosen, 2, {**common, "steps": 2, "save": "early.nc"}, cwd=tmp_path)
    run_opatm(chosen, 3, {**common, "steps": 2, "restart": "early.nc", "save": "late.nc"}, cwd=tmp_path)
    run_opatm(program, 2, {**common, "io": "serial", "steps": 4, "save": "through.nc"}, cwd=tmp_path)
    late, through = read_classic(tmp_path / "late.nc"), read_classic(tmp_path / "through.nc")
    assert late.attributes["step"] == through.attributes["step"] == 4
    assert late.variables["concentration"] == through.variables["concentration"]


@pytest.mark.parametrize(
    ("way", "ranks"), [("serial", 2), ("serial", 4), ("gathered", 3), ("parallel", 2), ("parallel", 4)]
)
def test_all_ranks_read_the_input_once_each_or_once_in_all(
    request: pytest.FixtureRequest, made: Path, tmp_path: Path, way: str, ranks: int
) -> None:
    chosen = of_way(request, way).library
    options = {"input": made, "io": way, "steps": 1, "cost": "light"}
    run = record("opatm", chosen, ranks, options, cwd=tmp_path)
    times = ranks if way == "serial" else 1
    for file in ("forcing.nc", "initial.nc"):
        (entry,) = [entry for entry in run.report["io"]["files"] if Path(entry["file"]).name == file]
        size = (made / file).stat().st_size
        data = size - 2048  # without the header
        assert times * data <= entry["bytes_read"] <= times * (size + 32768)
        readers = {rank["rank"] for rank in entry["by_rank"] if rank["bytes_read"] > 0}
        assert readers == ({0} if way == "gathered" else set(range(ranks)))
    if way == "parallel":
        assert {Path(entry["file"]).name for entry in run.report["io"]["mpi_io"]["files"]} == {
            "forcing.nc",
            "initial.nc",
        }
        assert run.calls("MPI_File_read_at_all") > 0
    if way == "gathered":
        assert run.calls("MPI_Scatterv") == ranks * (9 + TRACERS)


def _cut(folder: Path, name: str, n_bytes: int) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-n_bytes])


def _patch(folder: Path, name: str, variable: str, value: float) -> None:
    """The middle one of the variable's values that are not zero."""
    path = folder / name
    content = path.read_bytes()
    values = read_classic(path).variables[variable].values
    others = [index for index, found in enumerate(values) if found != 0]
    middle = others[len(others) // 2]
    values.byteswap()
    at = content.index(values.tobytes()) + values.itemsize * middle
    new = struct.pack(">b" if values.itemsize == 1 else ">d", value)
    path.write_bytes(content[:at] + new + content[at + len(new) :])


WRONG = {
    "no folder": (lambda folder: shutil.rmtree(folder), [], "input/forcing.nc: "),
    "forcing cut in the middle": (lambda folder: _cut(folder, "forcing.nc", 300000), [], "forcing.nc is incomplete"),
    "state cut at the end": (lambda folder: _cut(folder, "initial.nc", 8), [], "initial.nc is incomplete"),
    "no NetCDF": (
        lambda folder: (folder / "initial.nc").write_text("x" * 9000), [], "initial.nc: NetCDF: Unknown file"),
    "another kind of file": (
        lambda folder: shutil.copy(folder / "forcing.nc", folder / "initial.nc"), [],
        "initial.nc: dimension tracer"),
    "another grid": (lambda folder: None, ["--grid=40x24x11"], "has the grid 40x24x10 instead of 40x24x11"),
    "other tracers": (lambda folder: None, ["--tracers=4"], "initial.nc has 5 tracers instead of 4"),
    "no such kind": (
        lambda folder: _patch(folder, "forcing.nc", "kind", 3), [], "forcing.nc: expected kind 0, 1 or 2 in cell"),
    "too fast": (
        lambda folder: _patch(folder, "forcing.nc", "flow_east", 1e30), [], "nc: the flow violates the CFL limit"),
    "no number": (
        lambda folder: _patch(folder, "initial.nc", "concentration", float("nan")), [], "initial.nc: tracer 2 has a"),
    "nowhere to save": (lambda folder: None, ["--save=no/x.nc", "--steps=1"], "no/x.nc: "),
    "nowhere to write": (lambda folder: None, ["--output=no/x.nc"], "no/x.nc: "),
}  # fmt: skip


@pytest.mark.full(way="serial")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_one_line_and_exit_code_2_on_every_rank(
    request: pytest.FixtureRequest, made: Path, tmp_path: Path, case: str, way: str
) -> None:
    spoil, options, reason = WRONG[case]
    shutil.copytree(made, tmp_path / "input")
    spoil(tmp_path / "input")
    done = of_way(request, way).start(
        3, ["--input", "input", "--io", way, "--cost=light", *options], cwd=tmp_path,
        wrapper=["sh", "-c", '"$@"; echo "ended with $?"', "sh"],
    )  # fmt: skip
    assert done.stdout.splitlines() == ["ended with 2"] * 3, done.stdout + done.stderr
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("opatm:")]
    assert reason in said


def test_without_pnetcdf_for_its_mpi_library_the_parallel_way_is_refused(mpich: Program, tmp_path: Path) -> None:
    if _can(mpich, "parallel", tmp_path):
        pytest.skip("there is a PnetCDF for MPICH here")
    done = mpich.start(
        2, ["--grid=6x4x3", "--io=parallel", "--output=x.nc"], cwd=tmp_path,
        wrapper=["sh", "-c", '"$@"; echo "ended with $?"', "sh"],
    )  # fmt: skip
    assert done.stdout.splitlines() == ["ended with 2"] * 2
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("opatm:")]
    assert "x.nc: cannot use PnetCDF: " in said
    assert list(tmp_path.iterdir()) == []


def test_all_ranks_write_their_maps_and_send_nothing_to_the_root(parallel: Program, made: Path, tmp_path: Path) -> None:
    ranks = 4
    options = {"input": made, "io": "parallel", "steps": 1, "cost": "light", "output": "out.nc", "save": "state.nc"}
    run = record("opatm", parallel.library, ranks, options, cwd=tmp_path)
    summaries, maps = run.traffic("MPI_Gather", "trcwri"), run.traffic("MPI_File_write_at_all", "trcwri")
    assert summaries.calls_min == summaries.calls_max == TRACERS
    assert maps.calls_min == maps.calls_max
    assert maps.calls_max >= 4 * TRACERS
    assert run.calls("MPI_Gatherv") == run.calls("MPI_Send") == run.traffic("MPI_Isend", "trcwri").calls == 0
    # What is read: between neighbours, the halos of each field, a plane of x; of the two at the surface, a row.
    halos = run.traffic("MPI_Isend", "Input::read_forcing").sizes
    states = run.traffic("MPI_Isend", "Input::read_state").sizes
    assert halos == {NZ * NY * 8: 7 * 2 * (ranks - 1), NY * 8: 2 * 2 * (ranks - 1)}
    assert states == {NZ * NY * 8: TRACERS * 2 * (ranks - 1)}
    for file, values in (("out.nc", 4 * TRACERS), ("state.nc", TRACERS)):
        (entry,) = [entry for entry in run.report["io"]["files"] if Path(entry["file"]).name == file]
        assert values * POINTS * 8 <= entry["bytes_written"] <= values * POINTS * 8 * 1.2
        assert entry["bytes_read"] == 0
