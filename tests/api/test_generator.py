"""The generator as a program: what it writes compiles, and wrong data make it fail with a clear line."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import generate as generator
from mpiapi.standard import ApiError

ROOT = Path(__file__).resolve().parents[2]


def generate(*words: str) -> subprocess.CompletedProcess[str]:
    script = str(ROOT / "codegen" / "generate.py")
    return subprocess.run([sys.executable, script, *words], capture_output=True, text=True, check=False, timeout=120)


def changed_data(folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of api/ with one piece of one file replaced."""
    api = folder / "api"
    shutil.copytree(ROOT / "api", api)
    text = (api / file).read_text()
    assert old in text
    (api / file).write_text(text.replace(old, new, 1))
    return api


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    done = generate("--out", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.mark.parametrize(
    "header",
    [
        "call_classes.hpp",
        "send_modes.hpp",
        "exec_tables.hpp",
        "functions.hpp",
        "symbols.hpp",
        "families.hpp",
        "launchers.hpp",
        "operations.hpp",
        "algorithms.hpp",
        "shim_collectives.hpp",
    ],
)
def test_headers_compile_by_themselves(generated: Path, tmp_path: Path, header: str) -> None:
    source = tmp_path / "includes.cpp"
    source.write_text(
        f'#include "leadline/{header}"\n#include "leadline/functions.hpp"\n'
        "using namespace leadline::host;\n"
        "static_assert(traits[static_cast<int>(Fn::Send)].roles.comm == 5);\n"
        "static_assert(traits[static_cast<int>(Fn::Send)].cls == CallClass::send);\n"
    )
    words = ["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{generated}", f"-I{ROOT}/src"]
    done = subprocess.run([*words, str(source)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_output_says_what_made_it(generated: Path) -> None:
    files = sorted((generated / "leadline").iterdir())
    assert {f.name for f in files} == {
        *("call_classes.hpp", "families.hpp", "functions.hpp", "symbols.hpp", "wrappers.cpp", "wrappers_c.cpp"),
        *(
            "launchers.hpp",
            "operations.hpp",
            "algorithms.hpp",
            "native_calls.inc",
            "shim_collectives.hpp",
            "shim_wrappers.inc",
            "send_modes.hpp",
            "exec_tables.hpp",
        ),
    }
    for file in files:
        assert file.read_text().startswith("// Made by codegen/generate.py from pympistandard")


def test_every_form_of_a_name_has_a_wrapper(generated: Path) -> None:
    text = (generated / "leadline" / "wrappers.cpp").read_text()
    large = (generated / "leadline" / "wrappers_c.cpp").read_text()
    assert text.count(".symver") == 2 * 542
    assert large.count(".symver") == 2 * 159
    assert "leadline_PMPI_Send(Word a0, Word a1, Word a2, Word a3, Word a4, Word a5)" in text
    assert "double leadline_MPI_Wtime()" in text
    # A variadic function: what may be in registers beside the argument it names.
    assert "leadline_MPI_Pcontrol(Word a0, Word a1, Word a2, Word a3, Word a4, Word a5)" in text
    # The large form has two more arguments.
    assert "leadline_MPI_Type_get_contents(Word a0, Word a1, Word a2, Word a3, Word a4, Word a5, Word a6)" in text
    assert "a5, Word a6, Word a7, Word a8)" in large[large.index("leadline_MPI_Type_get_contents_c") :][:200]


def test_unchanged_files_keep_their_time(tmp_path: Path) -> None:
    generate("--out", str(tmp_path))
    before = {f.name: f.stat().st_mtime_ns for f in (tmp_path / "leadline").iterdir()}
    generate("--out", str(tmp_path))
    assert {f.name: f.stat().st_mtime_ns for f in (tmp_path / "leadline").iterdir()} == before


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("semantics.toml", '"Send", ', "", "no class for Send"),
        ("semantics.toml", 'recv = ["Recv"]', 'recv = ["Recv", "Send"]', "Send is both send and recv"),
        ("semantics.toml", 'recv = ["Recv"]', 'receive = ["Recv"]', "there is no class receive"),
        ("semantics.toml", 'abort = ["Abort"]', 'abort = ["Abort", "Abrt"]', "there is no function Abrt"),
        ("semantics.toml", "Barrier = {", "Barier = {", "no line for Barrier"),
        (
            "semantics.toml",
            'recv = { category = "point_to_point", ',
            "recv = { ",
            "recv has too much or too little: category",
        ),
        ("semantics.toml", 'event = "exchange"', 'event = "change"', "event = 'change' is no such word"),
        ("semantics.toml", 'moves = "sends receives"', 'moves = "sends gives"', "moves = 'gives' is no such word"),
        ("semantics.toml", 'gets = ["Get", "Rget", ', 'gets = ["Get", ', "which way the data of Rget goes"),
        ("semantics.toml", "synchronous = [", "patient = [", "[send_modes] patient is no such word"),
        ("semantics.toml", 'ready = ["Rsend"', 'ready = ["Recv"', "[send_modes] Recv does not send"),
        ("semantics.toml", 'ready = ["Rsend"', 'ready = ["Bsend"', "[send_modes] Bsend is both buffered and ready"),
        ("semantics.toml", 'gets = ["Get", ', 'gets = ["Get", "Send", ', "[moves] Send: its class says it"),
        ("semantics.toml", 'peers = "own_group"', 'peers = "mine"', "peers = 'mine' is no such word"),
        ("semantics.toml", '"r_own"', '"r_mine"', "'r_mine' is no byte rule"),
        ("semantics.toml", '"partition_low"', '"first"', "names no role or no parameter"),
        ("semantics.toml", "Rput = {}\n", "", "does not say which arguments of Rput count when"),
        ("semantics.toml", "Scan = {}\n", "", "does not say which arguments of Iscan count when"),
        ("semantics.toml", "Scan = {}\n", "Scan = {}\nSkan = {}\n", "there is no function Skan"),
        ("semantics.toml", '"wait", "waitall"', '"waitall"', "does not say which arguments of Wait count when"),
        ("semantics.toml", '"wait", "waitall"', '"wait", "weight"', "there is no class weight"),
        ("semantics.toml", "Rput = {}", 'Rput = { origin = "operates" }', "Rput has no argument origin"),
        ("semantics.toml", "Rput = {}", 'Rput = { origin_addr = "rubs" }', "'rubs' is no condition"),
        ("semantics.toml", "Rput = {}", 'Rput = { origin_addr = "operates" }', "operates needs the role op"),
        ("semantics.toml", "Rput = {}", "Rput = {}\nSend = {}", "Send has a line, but send is in `everywhere`"),
        ("overrides.toml", "Type_lb = ", "Type_size = ", "Type_size is in the standard's data"),
        ("operations.toml", 'function = "Bcast"', 'function = "Ibcast"', "'Ibcast' is no blocking collective"),
        ("operations.toml", 'folder = "broadcast"', 'folder = "bcast"', "src/collectives/bcast/algorithms.toml"),
        (
            "operations.toml",
            'contributed = { by = "root" }',
            'contributed = { by = "all" }',
            "only if the function has a root",
        ),
        ("operations.toml", "reduces = true", "reduces = false", "if the function takes an MPI_Op"),
        ("operations.toml", 'in_place = "of_result"', 'in_place = "all"', "if the function has one buffer"),
        ("operations.toml", 'in_place = "root"', 'in_place = "some"', "'some' is no such word"),
        ("operations.toml", 'received = { by = "all" }', 'received = { by = "most" }', "'most' is no such word"),
        (
            "operations.toml",
            'received = { by = "root" }',
            'received = { by = "root", counts = "per_rank" }',
            "count is no",
        ),
        ("abi/mpich.toml", "PROC_NULL = -1", "PROC_NIL = -1", "PROC_NIL, PROC_NULL"),
        ("abi/mpi5.toml", '"ask"', '"guess"', "unknown count_code"),
    ],
)
def test_wrong_data_are_an_error_that_names_them(tmp_path: Path, file: str, old: str, new: str, message: str) -> None:
    with pytest.raises(ApiError, match=re.escape(message)):
        generator.sources(changed_data(tmp_path, file, old, new))


def test_the_program_says_wrong_data_in_one_line_and_writes_nothing(tmp_path: Path) -> None:
    api = changed_data(tmp_path, "semantics.toml", '"Send", ', "")
    done = generate("--out", str(tmp_path / "out"), "--api", str(api))
    assert done.returncode == 1
    assert "no class for Send" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
