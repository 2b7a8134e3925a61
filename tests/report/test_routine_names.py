"""Routines have the names and lines people wrote, however the compiler mangled, inlined, split or outlined them."""

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.symbols import Location, elf
from leadline.symbols.cache import SymbolCache
from leadline.symbols.names import from_debug_information, readable, split_scopes
from leadline.symbols.scopes import Scopes

from .test_symbols import PROGRAMS, build, captured, compiler, paths

SCOPES = [
    "halo",
    "hidden",
    "advance",
    "spread<double>",
    "grid::grid",
    "grid::exchange",
    "grid::barrier",
    "grid::operator==",
    "each::{lambda}",
    "grid::each",
    "Halo<int>::update",
]


def routines(path: tuple[Location, ...]) -> list[str]:
    return [location.routine for location in path if location.routine != "capture"]


@pytest.mark.parametrize("flags", ["-O0 -g", "-O2 -g", "-O2 -g1", "-O0", "-O2"])
@pytest.mark.parametrize("driver", ["g++", "clang++"])
def test_names_are_the_same_with_and_without_debug_information(tmp_path: Path, driver: str, flags: str) -> None:
    compiler(driver, "g++" if driver == "g++" else "clang")
    found = paths(build(tmp_path, "scopes.cpp", *flags.split(), driver=driver))
    assert [routines(path)[-1] for path in found] == SCOPES


@pytest.mark.parametrize("flags", ["-O0", "-O2", "-O3 -flto", "-O2 -gdwarf-4"])
def test_calls_on_the_first_line_of_a_fortran_routine_are_near_the_next(tmp_path: Path, flags: str) -> None:
    driver = compiler("gfortran", "gfortran")
    # gfortran gives the calls in lines 51, 53, 16 and 26 the first line of their routine.
    program = build(tmp_path, "model.f90", "-g", "-fopenmp", *flags.split(), driver=driver)
    first, second, before_loop, *in_loop, inner, _ = paths(program)
    assert [location.full for location in first[:2]] == ["model", "kernels::exchange"]
    for path, depth, after in ((first, 0, 54), (second, 0, 54), (before_loop, 1, 17), (inner, 2, 27)):
        where = path[depth]
        assert not where.exact
        assert where.line in (after, 0)
        assert where.place() == (f"model.f90:~{after}" if where.line else "model.f90:?")
        assert path[depth + 1].place() == "model.f90:6"
    assert first != second  # two calls, whatever their lines look like
    assert [path[1].place() for path in in_loop] == ["model.f90:19", "model.f90:19"]
    assert in_loop[0] == in_loop[1]
    assert inner[2].full == "kernels::advance::inner"


def test_near_lines_survive_in_the_cache(tmp_path: Path) -> None:
    near = Location("exchange", "halo::exchange", "/opt/ocean", "/src/halo.f90", 41, exact=False, apart=0x77)
    cache = SymbolCache(tmp_path)
    cache.put("/opt/ocean", "ab", 16, (near,))
    cache.save()
    assert SymbolCache(tmp_path).get("/opt/ocean", "ab", 16) == (near,)


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_parallel_regions_of_fortran_have_their_lines(tmp_path: Path, level: str) -> None:
    driver = compiler("gfortran", "gfortran")
    region = paths(build(tmp_path, "model.f90", "-g", "-fopenmp", level, driver=driver))[-1]
    assert ("region [omp]", "model.f90:37") in [(where.routine, where.place()) for where in region]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("debug", ["-g", "-g0"])
def test_parallel_regions_of_member_functions_have_their_lines(tmp_path: Path, level: str, debug: str) -> None:
    path = paths(build(tmp_path, "region.cpp", level, debug, "-fopenmp"))[0]
    region = next(where for where in path if where.routine == "Field::sum [omp]")
    assert region.full == "ocean::Field::sum [omp]"
    assert region.file == "" if debug == "-g0" else region.place() == "region.cpp:10"


def test_routines_of_a_library_opened_at_run_time_are_known(tmp_path: Path) -> None:
    library = tmp_path / "plugin.so"
    program = tmp_path / "program"
    capture = tmp_path / "capture.o"
    (tmp_path / "host.c").write_text(
        "#include <dlfcn.h>\n"
        "int main(int n, char** v) { ((void (*)(void))dlsym(dlopen(v[0 * n + 1], RTLD_NOW), "
        '"_ZN5ocean7advanceEv"))(); return 0; }\n'
    )
    (tmp_path / "plugin.cpp").write_text(
        'extern "C" void capture();\nnamespace ocean { void advance() {\n  capture();\n  asm volatile(""); } }\n'
    )
    run = [str(program), str(library)]
    subprocess.run(["gcc", "-O2", "-c", str(PROGRAMS / "capture.c"), "-o", str(capture)], check=True)
    subprocess.run(
        ["g++", "-g", "-O2", "-shared", "-fPIC", str(tmp_path / "plugin.cpp"), "-o", str(library)], check=True
    )
    subprocess.run(
        ["gcc", "-O2", "-rdynamic", str(tmp_path / "host.c"), str(capture), "-ldl", "-o", str(program)], check=True
    )
    assert [(w.routine, w.place()) for w in paths(program, command=run)[0]][1] == ("advance", "plugin.cpp:3")


@pytest.mark.parametrize("flags", ["-no-pie", "-gz=zlib-gnu", "-gdwarf-4 -fdebug-types-section", "-flto"])
def test_lines_are_found_however_the_program_was_linked(tmp_path: Path, flags: str) -> None:
    found = paths(build(tmp_path, "halo.cpp", "-g", *flags.split()))[0]
    assert [where.place() for where in found] == ["halo.cpp:30", "halo.cpp:10", "halo.cpp:6"]


def test_debug_files_are_found_by_build_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = build(tmp_path, "halo.cpp", "-g", "-Wl,--build-id")
    build_id = elf.build_id(elf.open_elf(program))
    debug = tmp_path / "debug" / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    debug.parent.mkdir(parents=True)
    subprocess.run(["objcopy", "--only-keep-debug", str(program), str(debug)], check=True)
    subprocess.run(["strip", str(program)], check=True)
    monkeypatch.setattr(elf, "DEBUG_DIRECTORY", tmp_path / "debug")
    assert paths(program)[0][-1].place() == "halo.cpp:6"


def test_no_routine_is_invented_for_a_stripped_program(tmp_path: Path) -> None:
    program = build(tmp_path, "bare.c", "-rdynamic", driver="gcc")
    assert routines(paths(program)[0]) == ["main", "hidden"]
    subprocess.run(["strip", str(program)], check=True)
    assert len(captured(program)[0]) >= 2
    assert [where.routine.partition("+")[0] for where in paths(program)[0]] == ["main", "program"]


@pytest.mark.parametrize(
    ("symbol", "short", "full"),
    [
        ("_ZN5ocean4HaloIiE6updateEv", "Halo<int>::update", "ocean::Halo<int>::update"),
        ("_ZN5ocean4HaloC1Ev", "Halo::Halo", "ocean::Halo::Halo"),
        ("_ZN5ocean4haloD2Ev", "halo::~halo", "ocean::halo::~halo"),
        ("_ZN5ocean12_GLOBAL__N_14sendEi", "send", "ocean::(anonymous namespace)::send"),
        ("_ZN5ocean4stepEv.constprop.0", "step", "ocean::step"),
        ("_ZN5ocean4stepEv.part.0.isra.0", "step", "ocean::step"),
        ("_ZN5ocean4stepEv.cold", "step", "ocean::step"),
        ("_Z4joinB5cxx11i", "join", "join"),
        ("main.cold", "main", "main"),
        ("MAIN__", "main program", "MAIN__"),
        ("MAIN__._omp_fn.0", "main program [omp]", "MAIN__ [omp]"),
        ("__kernels_MOD_exchange.constprop.0", "exchange", "kernels::exchange"),
        ("__kernels_MOD_region._omp_fn.1", "region [omp]", "kernels::region [omp]"),
        ("__kernels_NMOD_exchange", "exchange", "kernels::exchange"),
        ("kernels_MP_exchange", "exchange", "kernels::exchange"),
        ("exchange$kernels_", "exchange", "kernels::exchange"),
        ("kernels_mp_advance_IP_inner_", "inner", "kernels::advance::inner"),
        ("MAIN___IP_inner_", "inner", "inner"),
        ("_QMkernelsFadvancePinner", "inner", "kernels::advance::inner"),
        ("_QFPinner", "inner", "inner"),
        ("_QQmain", "main program", "_QQmain"),
        ("_QMkernelsPregion..omp_par", "region [omp]", "kernels::region [omp]"),
        (".omp_outlined.", "(OpenMP region)", "(OpenMP region)"),
        ("_Z4stepv.omp_outlined", "step [omp]", "step [omp]"),
    ],
)
def test_manglings_are_undone(symbol: str, short: str, full: str) -> None:
    assert readable(symbol) == (short, full)


def test_classes_are_told_from_namespaces_by_other_symbols() -> None:
    def is_class(scope: str, *symbols: str) -> bool:
        return Scopes(lambda: symbols).is_class(scope)

    assert is_class("halo", "_ZN5ocean4haloC2Ei")
    assert is_class("halo", "_ZN5ocean4haloD1Ev")
    assert is_class("halo", "_ZNK5ocean4halo4sizeEv")
    assert is_class("halo", "_ZN5ocean4stepERNS_4haloE")
    assert is_class("halo", "_Z4stepPK4halo")
    assert is_class("halo", "_ZN5ocean4sendISt6vectorINS_4haloESaIS2_EEEEvT_")
    assert not is_class("halo", "_ZN5ocean4halo4sizeEv")
    assert not is_class("ocean", "_ZN5ocean4haloC2Ei", "_ZNK5ocean4halo4sizeEv", "_ZNK5ocean4haloeqERKS0_")
    assert not is_class("Ocean", "_ZN5Ocean4haloC2Ei")
    assert is_class("Halo", "_ZN4Halo4sendEv")  # nothing else tells: by its capital
    assert not is_class("Para", "_ZN4Para4sendEv", "_ZN4Para4recvEv", "_ZN4Para4initEv", "_ZN4Para5finalEv")
    assert not is_class("halo", "_ZN6myhalo4haloEv", "_Z14haloE1v")
    assert not is_class("(anonymous namespace)")


def test_static_member_functions_keep_their_class() -> None:
    assert from_debug_information("barrier", "_ZN5ocean4grid7barrierEv", True)[0] == "grid::barrier"


def test_operators_are_not_scopes() -> None:
    assert split_scopes("ocean::grid::operator==") == ["ocean", "grid", "operator=="]
    assert split_scopes("operators::apply") == ["operators", "apply"]
