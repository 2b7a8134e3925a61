"""Routine names as people write them: C++, Fortran compilers' and Cython's manglings undone."""

from __future__ import annotations

import re

from leadline import _core
from leadline.symbols.scopes import Scopes

LONGEST_TEMPLATE_ARGUMENTS = 40

# Names that compilers give to a Fortran main program; the program's own name is in the debug information only.
FORTRAN_MAIN = frozenset({"MAIN__", "MAIN_", "_QQmain"})
MAIN_PROGRAM = "main program"

_CLONE = re.compile(r"\.(constprop|isra|part|cold|lto_priv|llvm|localalias|clone|\d)[.\w]*$")
_OPENMP = re.compile(r"[._](_)?omp_(fn|outlined|cpyfn)(_debug__|_)?[._\d]*$|\.\.omp_par[.\d]*$|\.extracted[.\w]*$")
_MODULE_PROCEDURES = (
    re.compile(r"^__(?P<module>\w+?(?:\.\w+)?)_(?:MOD|NMOD)_(?P<name>\w+)$"),  # gfortran, IBM XL
    re.compile(r"^(?P<module>\w+?)_(?:mp|MP)_(?P<name>\w+?)_?$"),  # Intel, NAG
    re.compile(r"^(?P<name>\w+)\$(?P<module>\w+?)_$"),  # Cray
)
_INTEL_INTERNAL = re.compile(r"^(?P<host>\w+?)_IP_(?P<name>\w+?)_?$")
_FLANG = re.compile(r"^_Q(?P<scopes>(?:[MSF][a-z0-9_]*)*?)P(?P<name>[a-z0-9_]+)$")
_CYTHON = re.compile(r"^__pyx_(?:pw|pf|f|fuse_\d+_+pyx_pw)_(?P<path>\d.*)$")
_OPERATOR = re.compile(r"operator(?!\w)")
_ABI_TAG = re.compile(r"\[abi:\w+\]")
_NOTHING_KNOWN = Scopes()


def readable(symbol: str, scopes: Scopes | None = None) -> tuple[str, str]:
    """The name of a linker symbol: (short, full), e.g. ("exchange", "halo::exchange").

    scopes: distinguishes the classes of C++ names from namespaces, which the short name leaves out.
    """
    openmp = _OPENMP.search(symbol)
    if openmp:
        return outlined(*readable(symbol[: openmp.start()], scopes))
    if symbol.startswith("_Z"):
        full = _ABI_TAG.sub("", _core.demangle_short(symbol))
        return shorten_templates(_short(full, scopes or _NOTHING_KNOWN)), shorten_templates(full)
    if symbol in FORTRAN_MAIN:
        return MAIN_PROGRAM, symbol
    symbol = _CLONE.sub("", symbol)
    match = _INTEL_INTERNAL.match(symbol)
    if match:
        hosts = [host for host in match["host"].split("_mp_") if host not in FORTRAN_MAIN]
        return match["name"], "::".join([*hosts, match["name"]])
    for pattern in _MODULE_PROCEDURES:
        match = pattern.match(symbol)
        if match:
            return match["name"], f"{match['module']}::{match['name']}"
    match = _FLANG.match(symbol)
    if match:
        inside = [scope[1:] for scope in re.findall(r"[MSF][a-z0-9_]*", match["scopes"])]
        return match["name"], "::".join([*filter(None, inside), match["name"]])
    match = _CYTHON.match(symbol)
    if match:
        name = _cython_name(match["path"])
        return name, name
    # Fortran's external procedures.
    if symbol.endswith("_") and symbol.strip("_"):
        symbol = symbol.rstrip("_")
    return symbol, symbol


def from_debug_information(
    name: str, linkage_name: str | None, is_member: bool | None, scopes: Scopes | None = None
) -> tuple[str, str]:
    """The name of a routine with debug information: (short, full).

    is_member: of a class; None if the debug information does not say (-g1), though symbols may. The short name leaves
    out namespaces and Fortran modules, and keeps the class of a member function.
    """
    openmp = _OPENMP.search(name)
    if name in FORTRAN_MAIN:
        return MAIN_PROGRAM, name
    if openmp:
        return outlined(*readable(without_outlining(linkage_name or name), scopes))
    name = _CLONE.sub("", name)
    full = readable(linkage_name, scopes)[1] if linkage_name else name
    if not linkage_name or not linkage_name.startswith("_Z"):
        return name, full
    parts = split_scopes(full)
    if is_member is None or _is_lambda(parts):
        short = _short(full, scopes or _NOTHING_KNOWN)
    else:
        short = "::".join(parts[-2:] if is_member else parts[-1:])
    return shorten_templates(short), shorten_templates(full)


def _short(full: str, scopes: Scopes) -> str:
    """The name without namespaces, with the class of a member function; a lambda's is that of its routine."""
    parts = split_scopes(full)
    if _is_lambda(parts):
        return f"{without_parameters(parts[-3])}::{{lambda}}"
    if len(parts) < 2:
        return full
    scope, name = parts[-2:]
    of_class = name.startswith(("~", "operator()")) or name == scope.partition("<")[0] or scopes.is_class(scope)
    return f"{scope}::{name}" if of_class else name


def _is_lambda(parts: list[str]) -> bool:
    return len(parts) >= 3 and parts[-1].startswith("operator()") and parts[-2].startswith(("{lambda", "$_"))


def outlined(short: str, full: str) -> tuple[str, str]:
    """A parallel region that the compiler made a routine of; some do not say of which routine it is a part."""
    return (f"{short} [omp]", f"{full} [omp]") if short else ("(OpenMP region)", "(OpenMP region)")


def is_outlined(name: str) -> bool:
    """Whether the compiler made this routine of a parallel region."""
    return _OPENMP.search(name) is not None


def without_outlining(symbol: str) -> str:
    """The linker name of the routine that a parallel region is a part of."""
    openmp = _OPENMP.search(symbol)
    return symbol[: openmp.start()] if openmp else symbol


def written(symbol: str) -> str:
    """A routine's name alone, as its source has it: of "_ZN5ocean4sendIiEEvT_" "send"."""
    return split_scopes(readable(symbol)[1])[-1].partition("<")[0]


def split_scopes(name: str) -> list[str]:
    """Scopes of a qualified name: "a::b<c::d>::e" -> ["a", "b<c::d>", "e"]."""
    parts, depth, begin, i = [], 0, 0, 0
    while i < len(name):
        if depth == 0 and (i == 0 or name[i - 1] == ":") and _OPERATOR.match(name, i):
            break
        if name[i] in "<({":
            depth += 1
        elif name[i] in ">)}":
            depth -= 1
        elif depth == 0 and name.startswith("::", i):
            parts.append(name[begin:i])
            begin = i = i + 2
            continue
        i += 1
    return [*parts, name[begin:]]


def without_parameters(part: str) -> str:
    """ "main(int, char**)" -> "main"; "(anonymous namespace)" stays."""
    return part if part.startswith("(") else part.split("(", 1)[0]


def shorten_templates(name: str) -> str:
    """ "f<a long list of arguments>" -> "f<…>"."""
    begin = name.find("<")
    if begin <= 0 or "operator" in name:
        return name
    depth = 0
    for i in range(begin, len(name)):
        depth += {"<": 1, ">": -1}.get(name[i], 0)
        if depth == 0:
            if i - begin <= LONGEST_TEMPLATE_ARGUMENTS:
                return name[: i + 1] + shorten_templates(name[i + 1 :])
            return f"{name[:begin]}<…>{shorten_templates(name[i + 1 :])}"
    return name


def _cython_name(path: str) -> str:
    """ "6mpi4py_3MPI_4Comm_23Send" -> "mpi4py.MPI.Comm.Send": lengths, then an index before the last name."""
    parts = []
    while True:
        match = re.match(r"(\d+)", path)
        if not match:
            break
        length = int(match[1])
        name = path[match.end() : match.end() + length]
        rest = path[match.end() + length :]
        if len(name) != length or not rest.startswith("_"):
            break
        parts.append(name)
        path = rest[1:]
    return ".".join([*parts, path.lstrip("0123456789")])
