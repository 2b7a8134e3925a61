"""The opatm workload: the same result however the sea is cut, nothing lost, and a file anyone can read."""

import math
from pathlib import Path

import pytest

from .output_file import OutputFile, checksum, read_output
from .running import Program, Result, run_opatm

# 7 tracers: a whole chain and one that lacks its last member. 14 x 10 points divide by few of the numbers of ranks.
SMALL = {"grid": "14x10x8", "tracers": 7, "steps": 3}


@pytest.fixture(scope="module")
def reference(any_program: Program, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return run_opatm(any_program, 1, SMALL, cwd=tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="module")
def two_outputs(any_program: Program, tmp_path_factory: pytest.TempPathFactory) -> OutputFile:
    folder = tmp_path_factory.mktemp("two-outputs")
    run_opatm(any_program, 2, {"grid": "9x7x5", "tracers": 5, "steps": 50}, cwd=folder)
    return read_output(folder / "out.bin")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("ranks", "decomposition", "described"),
    [
        (2, "strips", "2 ranks in strips"),
        (3, "strips", "3 ranks in strips"),
        (4, "strips", "4 ranks in strips"),
        (14, "strips", "14 ranks in strips"),
        (4, "strips:1,7,4,2", "4 ranks in strips"),
        (4, "2d", "4 ranks in 2 x 2 blocks"),
        (9, "2d", "9 ranks in 3 x 3 blocks"),
    ],
)
def test_result_is_the_same_however_the_sea_is_cut(
    openmpi: Program, reference: Result, tmp_path: Path, ranks: int, decomposition: str, described: str
) -> None:
    result = run_opatm(openmpi, ranks, {**SMALL, "decomp": decomposition}, cwd=tmp_path)
    assert described in result.run
    assert result.checksum == reference.checksum
    assert result.mass_error == reference.mass_error


@pytest.mark.parametrize(("ranks", "decomposition"), [(1, "strips"), (2, "strips:11,3"), (3, "strips"), (4, "2d")])
def test_result_is_the_same_with_the_other_library(
    mpich: Program, reference: Result, tmp_path: Path, ranks: int, decomposition: str
) -> None:
    assert run_opatm(mpich, ranks, {**SMALL, "decomp": decomposition}, cwd=tmp_path).checksum == reference.checksum


def test_the_checksum_is_that_of_the_file(any_program: Program, reference: Result, tmp_path: Path) -> None:
    result = run_opatm(any_program, 2, SMALL, cwd=tmp_path)
    assert checksum(tmp_path / "out.bin") == result.checksum == reference.checksum


@pytest.mark.parametrize("tracers", [1, 2, 3, 4, 6])
def test_mass_is_conserved_whatever_the_last_chain_lacks(any_program: Program, tmp_path: Path, tracers: int) -> None:
    options = {"grid": "20x12x9", "tracers": tracers, "steps": 30}
    assert run_opatm(any_program, 2, options, cwd=tmp_path).mass_error < 1e-13


def test_the_light_reactor_computes_something_else_and_writes_as_much(
    any_program: Program, reference: Result, tmp_path: Path
) -> None:
    sizes = set()
    for cost in ("full", "light"):
        result = run_opatm(any_program, 2, {**SMALL, "cost": cost, "output": cost}, cwd=tmp_path)
        assert (result.checksum == reference.checksum) == (cost == "full")
        sizes.add((tmp_path / cost).stat().st_size)
    assert len(sizes) == 1


def test_output_comes_every_48th_step_and_at_the_end(two_outputs: OutputFile) -> None:
    assert list(two_outputs.outputs) == [48, 50]


def test_a_chain_keeps_its_total_while_its_members_change(two_outputs: OutputFile) -> None:
    early, late = two_outputs.outputs.values()
    totals = [[math.fsum(tracer.profiles["inventory"]) for tracer in output] for output in (early, late)]
    for before, after in zip(*totals, strict=True):
        assert before == pytest.approx(after, rel=0.1)
    for before, after in zip(totals[0][:4], totals[1][:4], strict=True):
        assert before != pytest.approx(after, rel=1e-6)
    assert sum(totals[0][:4]) == pytest.approx(sum(totals[1][:4]), rel=1e-13)
    assert totals[0][4] == pytest.approx(totals[1][4], rel=1e-13)  # a nutrient without a chain


def test_profiles_agree_with_the_maps(two_outputs: OutputFile) -> None:
    nx, ny, nz = two_outputs.nx, two_outputs.ny, two_outputs.nz
    for tracer in two_outputs.outputs[50]:
        concentration = tracer.maps["concentration"]
        assert sum(tracer.histogram) == len(concentration)
        for k in range(nz):
            level = [concentration[(x * nz + k) * ny + y] for x in range(nx) for y in range(ny)]
            assert tracer.profiles["minimum"][k] == min(level)
            assert tracer.profiles["maximum"][k] == max(level)
            # The levels' thickness is not in the file, but two inventories of one level share it.
            mean = [tracer.maps["mean"][(x * nz + k) * ny + y] for x in range(nx) for y in range(ny)]
            ratio = tracer.profiles["inventory"][k] / tracer.profiles["mean_inventory"][k]
            assert ratio == pytest.approx(math.fsum(level) / math.fsum(mean), rel=1e-12)


def test_fronts_are_the_gradient_across_the_cuts_too(two_outputs: OutputFile) -> None:
    nx, ny, nz = two_outputs.nx, two_outputs.ny, two_outputs.nz
    for tracer in two_outputs.outputs[48]:
        values = tracer.maps["concentration"]

        def at(x: int, k: int, y: int, values: "object" = values) -> float:
            return values[(min(max(x, 0), nx - 1) * nz + k) * ny + min(max(y, 0), ny - 1)]  # type: ignore[index]

        for x in range(nx):
            for k in range(nz):
                for y in range(ny):
                    in_x = (at(x + 1, k, y) - at(x - 1, k, y)) / 24.0
                    in_y = (at(x, k, y + 1) - at(x, k, y - 1)) / 24.0
                    strength = tracer.maps["front_strength"][(x * nz + k) * ny + y]
                    assert strength == pytest.approx(math.hypot(in_x, in_y), rel=1e-12, abs=1e-15)
