"""Programs that check which MPI library is there do not see a preloaded recorder; with a library, their calls reach it.

src/host/exports.hpp explains how. The tests compare the same program with and without the recorder preloaded.
"""

import os
import subprocess
from pathlib import Path

import kept_builds
import pytest

from mpiapi.standard import Function

from .real_libraries import RealLibrary

ROOT = Path(__file__).resolve().parents[2]
# Read before the tests' environment is cleaned.
RECORDER = Path(os.environ.get("LEADLINE_TEST_RECORDER", ROOT / "python" / "leadline" / "lib" / "libleadline.so"))

# Prints a name in each line: whether a weak reference to it is null, or in which file the function lies.
REPORT = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
DECLARATIONS
static void report(const char* name, void* address) {
  Dl_info info;
  if (address == 0) printf("%s absent\\n", name);
  else if (dladdr(address, &info) == 0) printf("%s nowhere\\n", name);
  else printf("%s %s\\n", name, strrchr(info.dli_fname, '/') + 1);
}
void report_all(void) {
REPORTS
}
"""
MAIN = """
int main(void) {
  report_all();
  return 0;
}
"""
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  void* module = dlopen(argv[1], argv[2][0] == 'n' ? RTLD_NOW : RTLD_LAZY);
  if (module == 0) return puts(dlerror()), 1;
  ((void (*)(void))dlsym(module, "report_all"))();
  return 0;
}
"""
ASKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#pragma weak MPI_Initialized
extern int MPI_Initialized(int*);
int main(void) {
  void* found = dlsym(RTLD_DEFAULT, "MPI_Get_version");
  printf("%d %d %d\\n", found != 0, dlerror() != 0, MPI_Initialized != 0);
  return 0;
}
"""


@pytest.fixture(scope="module")
def recorder() -> Path:
    if not RECORDER.exists():
        pytest.skip("the recorder is not built: ./dev setup")
    return RECORDER


@pytest.fixture(scope="module")
def names(functions: list[Function]) -> list[str]:
    plain = [f"MPI_{f.name}" for f in functions] + [f"MPI_{f.name}_c" for f in functions if f.large]
    return plain + [f"P{name}" for name in plain]


def _built(name: str, text: str, *words: str, needs: Path | None = None) -> Path:
    """What these words make of the source.   needs: a library that it is linked with."""

    def make(target: Path) -> None:
        command = [*words, "-x", "c", "-", "-o", str(target)]
        if needs is not None:
            command += ["-x", "none", *_linked(needs)]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr

    identity = "" if needs is None else f"{needs} {needs.stat().st_mtime_ns}"
    return kept_builds.kept(name, [*words, text, identity], make)


def _report(names: list[str]) -> str:
    declarations = "".join(f"#pragma weak {name}\nextern int {name}();\n" for name in names)
    reports = "".join(f'  report("{name}", (void*)&{name});\n' for name in names)
    return REPORT.replace("DECLARATIONS", declarations).replace("REPORTS", reports)


def _linked(library: Path) -> list[str]:
    return ["-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{library.parent}", "-ldl"]


def _printed(program: list[str], recorder: Path | None, binding: str) -> dict[str, str]:
    """Name -> file, or "absent". The program may not say anything on stderr."""
    env = {**os.environ}
    if recorder is not None:
        env["LD_PRELOAD"] = str(recorder)
    if binding == "now":
        env["LD_BIND_NOW"] = "1"
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60, env=env)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def _same_but_recorded(program: list[str], recorder: Path, binding: str) -> None:
    without = _printed(program, None, binding)
    recorded = _printed(program, recorder, binding)
    absent = {name for name, file in without.items() if file == "absent"}
    assert {name for name, file in recorded.items() if file == "absent"} == absent
    assert {file for name, file in recorded.items() if name not in absent} == {recorder.name}


@pytest.mark.parametrize("binding", ["lazy", "now"])
def test_a_program_without_mpi_sees_none(recorder: Path, binding: str) -> None:
    program = _built("asks", ASKS, "cc")
    env = {**os.environ, "LD_PRELOAD": str(recorder), **({"LD_BIND_NOW": "1"} if binding == "now" else {})}
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=60, env=env)
    # Not found by dlsym, which says so, and not by a weak reference.
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 1 0\n", "")


@pytest.mark.parametrize("binding", ["lazy", "now"])
@pytest.mark.parametrize("flags", ["-Wl,-z,lazy", "-Wl,-z,now"])
def test_a_linked_program_sees_what_its_library_has(
    real: RealLibrary, recorder: Path, names: list[str], flags: str, binding: str
) -> None:
    program = _built("linked", _report(names) + MAIN, "cc", "-w", flags, needs=real.file)
    _same_but_recorded([str(program)], recorder, binding)


@pytest.mark.parametrize("binding", ["lazy", "now"])
def test_a_module_loaded_late_sees_what_its_library_has(
    real: RealLibrary, recorder: Path, names: list[str], binding: str
) -> None:
    module = _built("module", _report(names), "cc", "-w", "-fPIC", "-shared", needs=real.file)
    program = _built("loader", LOADER, "cc")
    _same_but_recorded([str(program), str(module), binding], recorder, "lazy")
