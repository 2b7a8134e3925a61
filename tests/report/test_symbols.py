"""Frames become routines, files and lines, for programs compiled in the ways people compile them."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.symbols import Location, Symbolizer, call_path, elf
from leadline.symbols.cache import SymbolCache
from leadline.symbols.location import STATEMENT
from leadline.symbols.names import from_debug_information, readable, shorten_templates

PROGRAMS = Path(__file__).resolve().parent / "programs"

Frames = list[tuple[str, str, int]]


def compiler(name: str, package: str) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"needs {name} (Debian: apt install {package})")
    return name


def build(folder: Path, source: str, *flags: str, driver: str = "g++") -> Path:
    program = folder / "program"
    capture = folder / "capture.o"
    subprocess.run(["gcc", "-O2", "-c", str(PROGRAMS / "capture.c"), "-o", str(capture)], check=True)
    command = [driver, "-O2", "-fomit-frame-pointer", *flags, str(PROGRAMS / source), str(capture), "-o", str(program)]
    subprocess.run([*command, "-ldl"], check=True)
    return program


def captured(program: Path, command: Sequence[str] = ()) -> list[Frames]:
    """The frames of each call of capture, innermost first: (module, build id, offset)."""
    out = subprocess.run(list(command) or [str(program)], capture_output=True, text=True, check=True).stdout
    calls: list[Frames] = [[]]
    for line in out.splitlines():
        if line == "--":
            calls.append([])
            continue
        module, offset = line.split()
        path = program if module == "program" else Path(module)
        calls[-1].append((str(path), elf.build_id(elf.open_elf(path)), int(offset, 16)))
    return calls[:-1]


def paths(
    program: Path, symbolizer: Symbolizer | None = None, command: Sequence[str] = ()
) -> list[tuple[Location, ...]]:
    symbolizer = symbolizer or Symbolizer()
    return [call_path([symbolizer.resolve(*frame) for frame in frames]) for frames in captured(program, command)]


def as_text(path: tuple[Location, ...]) -> str:
    return " > ".join(f"{location.routine}:{location.line}" for location in path)


@pytest.mark.parametrize("flags", ["-g", "-gdwarf-4", "-g -gz", "-g -ffunction-sections -Wl,--gc-sections"])
@pytest.mark.parametrize("driver", ["g++", "clang++"])
def test_inlined_routines_are_frames_of_their_own(tmp_path: Path, flags: str, driver: str) -> None:
    compiler(driver, "g++" if driver == "g++" else "clang")
    found = [as_text(path) for path in paths(build(tmp_path, "halo.cpp", *flags.split(), driver=driver))]
    assert found[:2] == ["main:30 > advect:10 > exchange:6", "main:31 > diffuse:15 > exchange:6"]
    assert "main:37 > Halo::update<double>:22" in found
    assert sum(text.startswith("main:37 > main::{lambda}:34") for text in found) == 1


def test_full_names_and_files_are_kept(tmp_path: Path) -> None:
    advect = paths(build(tmp_path, "halo.cpp", "-g"))[0]
    assert [location.full for location in advect][:2] == ["main", "ocean::advect"]
    assert advect[-1].file == str(PROGRAMS / "halo.cpp")
    assert advect[-1].place() == "halo.cpp:6"


def test_minimal_debug_information_is_enough_for_the_path(tmp_path: Path) -> None:
    assert as_text(paths(build(tmp_path, "halo.cpp", "-g1"))[0]) == "main:30 > advect:10 > exchange:6"


def test_without_debug_information_symbols_name_the_routines(tmp_path: Path) -> None:
    path = paths(build(tmp_path, "halo.cpp"))[0]
    assert [location.routine for location in path] == ["main", "advect"]
    assert path[-1].file == ""
    assert path[-1].place().startswith("+0x")


def test_a_stripped_program_keeps_what_it_exports(tmp_path: Path) -> None:
    program = build(tmp_path, "halo.cpp", "-rdynamic")
    subprocess.run(["strip", str(program)], check=True)
    assert [location.routine for location in paths(program)[0]][-1] == "advect"


def test_a_stripped_program_shows_module_and_offset(tmp_path: Path) -> None:
    program = build(tmp_path, "halo.cpp")
    subprocess.run(["strip", str(program)], check=True)
    symbolizer = Symbolizer()
    innermost = paths(program, symbolizer)[0][-1]
    assert innermost.routine.startswith("program+0x")
    assert not innermost.resolved
    assert symbolizer.problems() == []


@pytest.mark.parametrize("folder", [".", ".debug"])
def test_separate_debug_files_are_found(tmp_path: Path, folder: str) -> None:
    program = build(tmp_path, "halo.cpp", "-g")
    debug = tmp_path / folder / "program.debug"
    debug.parent.mkdir(exist_ok=True)
    subprocess.run(["objcopy", "--only-keep-debug", str(program), str(debug)], check=True)
    subprocess.run(["strip", str(program)], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", str(program)], check=True)
    assert as_text(paths(program)[0]) == "main:30 > advect:10 > exchange:6"
    # One of another build is not used.
    debug.write_bytes(debug.read_bytes() + b"x")
    assert paths(program)[0][-1].file == ""


def test_a_binary_that_changed_is_not_believed(tmp_path: Path) -> None:
    program = build(tmp_path, "halo.cpp", "-g")
    symbolizer = Symbolizer()
    location = symbolizer.resolve(str(program), "ab" * 20, 0x1234)[0]
    assert location.routine == "program+0x1234"
    assert [problem.code for problem in symbolizer.problems()] == ["binary-changed"]
    assert str(program) in symbolizer.problems()[0].message


def test_without_a_build_id_a_newer_binary_is_not_believed(tmp_path: Path) -> None:
    program = build(tmp_path, "halo.cpp", "-g", "-Wl,--build-id=none")
    module, build_id, offset = captured(program)[0][0]
    assert build_id == ""
    written = program.stat().st_mtime_ns
    assert Symbolizer().resolve(module, "", offset, written + 1)[0].routine == "exchange"
    assert not Symbolizer().resolve(module, "", offset, written - 1)[0].resolved


@pytest.mark.parametrize(
    ("content", "code"), [(None, "binary-missing"), (b"#!/bin/sh\n", "binary-unreadable"), (b"", "binary-unreadable")]
)
def test_binaries_that_cannot_be_read_are_named(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "app"
    if content is not None:
        path.write_bytes(content)
    symbolizer = Symbolizer()
    assert symbolizer.resolve(str(path), "ab", 0x10)[0].routine == "app+0x10"
    assert [problem.code for problem in symbolizer.problems()] == [code]


def test_damaged_binaries_do_no_harm(tmp_path: Path) -> None:
    program = build(tmp_path, "halo.cpp", "-g")
    _, build_id, offset = captured(program)[0][0]
    whole = program.read_bytes()
    damaged = tmp_path / "damaged"
    for step in range(1, 24):
        cut = len(whole) * step // 24
        damaged.write_bytes(whole[:cut])
        assert Symbolizer().resolve(str(damaged), build_id, offset)
        flipped = bytearray(whole)
        for at in range(cut, min(cut + 64, len(whole))):
            flipped[at] ^= 0x5A
        damaged.write_bytes(bytes(flipped))
        assert Symbolizer().resolve(str(damaged), build_id, offset)


def test_fortran_names_are_as_written(tmp_path: Path) -> None:
    driver = compiler("gfortran", "gfortran")
    first, second = paths(build(tmp_path, "ocean.f90", "-g", "-fno-inline", driver=driver))
    assert as_text(first).startswith("ocean:18 > advect:12 > exchange:5")
    assert first[2].full == "halo::exchange"
    assert as_text(second).startswith("ocean:19 > inner:24")


def test_fortran_names_without_debug_information(tmp_path: Path) -> None:
    driver = compiler("gfortran", "gfortran")
    first, second = paths(build(tmp_path, "ocean.f90", "-fno-inline", driver=driver))
    assert [location.routine for location in first][:3] == ["main program", "advect", "exchange"]
    assert [location.routine for location in second][:2] == ["main program", "inner"]


@pytest.mark.parametrize(
    ("module", "routine"),
    [
        ("/usr/bin/python3.11", "(Python)"),
        ("/usr/lib/libpython3.12.so.1.0", "(Python)"),
        ("/opt/env/bin/python", "(Python)"),
        ("/usr/lib/libguile-3.0.so.1.5.0", "(Guile)"),
        ("/opt/julia/lib/libjulia-internal.so.1.10", "(Julia)"),
        ("/usr/lib/R/lib/libR.so", "(R)"),
        ("/usr/lib/liboctinterp.so.10", "(Octave)"),
        ("/usr/bin/octave-cli-8.4.0", "(Octave)"),
        ("/usr/bin/perl5.36.0", "(Perl)"),
        ("/opt/lib/libluascatter.so", "libluascatter.so+0x10"),
        ("/lib/x86_64-linux-gnu/libc.so.6", "(system)"),
        ("/lib/x86_64-linux-gnu/libgomp.so.1", "(system)"),
        ("/opt/python_model.so", "python_model.so+0x10"),
        ("/opt/libcore.so", "libcore.so+0x10"),
    ],
)
def test_interpreter_and_system_are_not_the_program(module: str, routine: str) -> None:
    assert Symbolizer().resolve(module, "ab", 0x10)[0].routine == routine


def test_the_interpreter_is_one_frame() -> None:
    def frame(name: str) -> tuple[Location, ...]:
        return (Location(name, name, "/m"),)

    path = call_path([frame("mpi4py.MPI.Comm.Send"), *[frame("(Python)")] * 3, frame("(system)")])
    assert [location.routine for location in path] == ["(Python)", "mpi4py.MPI.Comm.Send"]


def test_known_addresses_survive_the_binary(tmp_path: Path) -> None:
    program = build(tmp_path, "halo.cpp", "-g")
    frame = captured(program)[0][0]
    cache = SymbolCache(tmp_path)
    cache.put(*frame, Symbolizer().resolve(*frame))
    cache.save()
    again = SymbolCache(tmp_path).get(*frame)
    assert again is not None
    assert [location.routine for location in again] == ["exchange", "advect"]
    (tmp_path / "symbols.json").write_text('{"schema": "leadline.symbols/1", "modules": [{"path": 3}]}')
    assert SymbolCache(tmp_path).get(*frame) is None


@pytest.mark.parametrize(
    ("symbol", "short", "full"),
    [
        ("trcadv_", "trcadv", "trcadv"),
        ("__halo_mod_MOD_exchange", "exchange", "halo_mod::exchange"),
        ("halo_mp_exchange_", "exchange", "halo::exchange"),
        ("_QMhaloPexchange", "exchange", "halo::exchange"),
        ("_QPtrcadv", "trcadv", "trcadv"),
        ("inner.0", "inner", "inner"),
        ("exchange.constprop.0", "exchange", "exchange"),
        ("exchange.part.0.isra.0", "exchange", "exchange"),
        ("step._omp_fn.3", "step [omp]", "step [omp]"),
        ("_ZN5ocean4stepEv._omp_fn.0", "step [omp]", "ocean::step [omp]"),
        ("__pyx_pw_6mpi4py_3MPI_4Comm_23Send", "mpi4py.MPI.Comm.Send", "mpi4py.MPI.Comm.Send"),
        ("main", "main", "main"),
        ("_ZN5ocean6advectEi", "advect", "ocean::advect"),
    ],
)
def test_linker_names(symbol: str, short: str, full: str) -> None:
    assert readable(symbol) == (short, full)


def test_namespaces_are_left_out_and_classes_kept() -> None:
    assert from_debug_information("update", "_ZN5ocean4Halo6updateEv", True) == ("Halo::update", "ocean::Halo::update")
    assert from_debug_information("advect", "_ZN5ocean6advectEi", False) == ("advect", "ocean::advect")
    assert from_debug_information("exchange", "__halo_MOD_exchange", False) == ("exchange", "halo::exchange")


def test_long_template_arguments_are_shortened() -> None:
    assert shorten_templates("f<int>") == "f<int>"
    assert shorten_templates(f"f<{'x' * 60}>::g<int>") == "f<…>::g<int>"


def test_a_statement_has_its_own_line_where_its_instruction_sets_a_variable_of_another(tmp_path: Path) -> None:
    # As compilers describe a variable's next value, which is set at the end of a loop's statement: code of both lines.
    source = tmp_path / "steps.s"
    source.write_text(
        '.file 1 "steps.c"\n.globl step\n.type step, @function\nstep:\n.cfi_startproc\n'
        ".loc 1 42 1 is_stmt 1\nnop\n.loc 1 67 1 is_stmt 1\nnop\n.loc 1 42 1 is_stmt 0\nnop\n"
        ".loc 1 70 1 is_stmt 1\nret\n.cfi_endproc\n.size step, .-step\n"
    )
    library = tmp_path / "steps.so"
    subprocess.run(["gcc", "-g", "-shared", "-nostdlib", str(source), "-o", str(library)], check=True)
    module = (str(library), elf.build_id(elf.open_elf(library)))
    symbols = subprocess.run(["nm", str(library)], capture_output=True, text=True, check=True).stdout.splitlines()
    begin = next(int(line.split()[0], 16) for line in symbols if line.endswith(" step"))

    def lines(of: int) -> list[int]:
        return [Symbolizer().resolve(*module, begin + instruction + 1 + of)[0].line for instruction in range(4)]

    assert lines(0) == [42, 67, 42, 70]
    assert lines(STATEMENT) == [42, 67, 67, 70]
