"""Every wrapper against the prototypes in the real mpi.h files, and against what the real libraries export.

Arguments pass through the recorder as machine words. That is right as long as each is one integer or pointer of at most
eight bytes and there are as many as the wrapper has; roles are right as long as each is of the kind the data say.
"""

import re
import subprocess
from pathlib import Path

from mpiapi.families import Family
from mpiapi.standard import Function, Parameter

from .real_libraries import RealLibrary

HANDLES = {
    "COMMUNICATOR": "comm", "REQUEST": "request", "DATATYPE": "datatype", "MESSAGE": "message", "WINDOW": "win",
    "FILE": "file", "GROUP": "group", "OPERATION": "op", "INFO": "info", "ERRHANDLER": "errhandler",
    "SESSION": "session",
}  # fmt: skip
# Pointers by nature, whatever the direction.
POINTERS = set(
    "BUFFER C_BUFFER C_BUFFER2 STRING STRING_ARRAY STRING_2DARRAY FUNCTION POLYFUNCTION EXTRA_STATE EXTRA_STATE2 "
    "ATTRIBUTE_VAL ATTRIBUTE_VAL_10 STATUS F08_STATUS F90_STATUS ARGUMENT_LIST LOGICAL_VOID CVAR PVAR PVAR_SESSION "
    "TOOLS_ENUM TOOL_MPI_OBJ EVENT_REGISTRATION EVENT_INSTANCE EVENT_CB_FUNCTION EVENT_DROP_CB_FUNCTION "
    "EVENT_FREE_CB_FUNCTION".split()
)
# MPI_Aint, MPI_Count or MPI_Offset in every form.
EIGHT_BYTES = set(
    "OFFSET DISPLACEMENT DISPLACEMENT_NNI RMA_DISPLACEMENT_NNI XFER_NUM_ELEM XFER_NUM_ELEM_NNI NUM_BYTES WINDOW_SIZE "
    "WIN_ATTACH_SIZE ALLOC_MEM_NUM_BYTES LOCATION_SMALL POLYDISPLACEMENT_AINT_COUNT POLYDTYPE_STRIDE_BYTES "
    "POLYDTYPE_PACK_SIZE POLYDISPOFFSET POLYLOCATION".split()
)
DOUBLES = {"WALL_TIME", "TICK_RESOLUTION"}

# Exported, but no functions of the C interface: constants of functions' types and what Fortran modules bind to.
NOT_C_FUNCTIONS = re.compile(r"MPI_([A-Z0-9_]+|T_PVAR_ALL_HANDLES|\w+_(F90|FN|FN_NULL))")

CHECK = """
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <type_traits>
// p: pointer, d: double, 4 and 8: integer of that many bytes, ?: anything that does not fit a word.
template <class T> constexpr char code() {
  if (std::is_pointer_v<T>) return 'p';
  if (std::is_same_v<T, double>) return 'd';
  if (std::is_integral_v<T> || std::is_enum_v<T>) return sizeof(T) == 4 ? '4' : sizeof(T) == 8 ? '8' : '?';
  return '?';
}
template <char... expected> struct Expected {
  template <class R, class... A> static constexpr bool fits(R (*)(A...)) {
    if constexpr (sizeof...(A) + 1 != sizeof...(expected)) return false;
    else return code<R>() == first && same<A...>();
  }
  template <class R, class... A> static constexpr bool fits(R (*)(A..., ...)) {
    return code<R>() == first && same<A...>();
  }
  static constexpr char all[] = {expected...};
  static constexpr char first = all[0];
  template <class... A> static constexpr bool same() {
    constexpr char found[] = {first, code<A>()...};
    for (unsigned i = 0; i < sizeof(found); ++i) if (found[i] != all[i]) return false;
    return true;
  }
};
"""


def _code(parameter: Parameter, family: Family, large: bool) -> str:
    kind = parameter.kind
    by_pointer = parameter.direction != "in" if parameter.pointer is None else parameter.pointer
    if by_pointer or parameter.array or kind in POINTERS:
        return "p"
    if kind in HANDLES:
        return "4" if family.handle_bytes[HANDLES[kind]] == 4 else "p"
    return "8" if kind in EIGHT_BYTES or (large and kind.startswith("POLY")) else "4"


def _return_code(function: Function, family: Family) -> str:
    if function.returns in DOUBLES:
        return "d"
    return _code(Parameter("", function.returns, "in"), family, large=False)


def _check(function: Function, family: Family, large: bool) -> str:
    parameters = function.large_arguments if large else function.arguments
    named = [p for p in parameters if p.kind != "VARARGS"]
    codes = [_return_code(function, family), *(_code(p, family, large) for p in named)]
    symbol = f"MPI_{function.name}{'_c' if large else ''}"
    letters = ", ".join(f"'{c}'" for c in codes)
    return f'static_assert(Expected<{letters}>::fits(&{symbol}), "{symbol} is not {"".join(codes)}");'


def _declared(real: RealLibrary, folder: Path) -> set[str]:
    source = folder / "declared.c"
    source.write_text("#include <mpi.h>\n")
    done = real.compile(source, "-E")
    assert done.returncode == 0, done.stderr
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", done.stdout)
    return set(re.findall(r"^\s*(?:extern\s+)?(?:int|double|MPI_\w+)\s+(MPI_\w+)\s*\(", text, re.MULTILINE))


def test_wrappers_fit_the_prototypes(
    real: RealLibrary, functions: list[Function], families: dict[str, Family], tmp_path: Path
) -> None:
    declared = _declared(real, tmp_path)
    family = families[real.family]
    checks = [_check(f, family, False) for f in functions if f"MPI_{f.name}" in declared]
    checks += [_check(f, family, True) for f in functions if f.large and f"MPI_{f.name}_c" in declared]
    assert len(checks) >= 400
    source = tmp_path / "prototypes.cpp"
    source.write_text(CHECK + "\n".join(checks) + "\n")
    done = real.compile(source, "-x", "c++", "-std=c++20", "-fsyntax-only")
    wrong = re.findall(r"static assertion failed: (.*)", done.stderr)
    assert done.returncode == 0, "\n".join(wrong) or done.stderr


def test_every_declared_function_has_a_wrapper(real: RealLibrary, functions: list[Function], tmp_path: Path) -> None:
    wrapped = _wrapped(functions)
    unknown = {name for name in _declared(real, tmp_path) - wrapped if not NOT_C_FUNCTIONS.fullmatch(name)}
    assert not unknown


def test_every_exported_function_has_a_wrapper(real: RealLibrary, functions: list[Function]) -> None:
    exported = _exported(real)
    assert len(exported) >= 800
    wrapped = _wrapped(functions)
    unknown = {name for name in exported - wrapped if not NOT_C_FUNCTIONS.fullmatch(name.removeprefix("P"))}
    assert not unknown


def _wrapped(functions: list[Function]) -> set[str]:
    names = {f"MPI_{f.name}" for f in functions} | {f"MPI_{f.name}_c" for f in functions if f.large}
    return names | {f"P{name}" for name in names}


def _exported(real: RealLibrary) -> set[str]:
    words = ["nm", "-D", "--defined-only", str(real.file)]
    listing = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
    return set(re.findall(r" [TW] (P?MPI_\w+)$", listing, re.MULTILINE))
