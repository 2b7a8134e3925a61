"""Routine names as people write them: C++, Fortran compilers' and Cython's manglings undone."""

from __future__ import annotations

import re

from leadline import _core

LONGEST_TEMPLATE_ARGUMENTS = 40

_CLONE = re.compile(r"\.(constprop|isra|part|cold|lto_priv|llvm|localalias|clone|\d)[.\w]*$")
_OPENMP = re.compile(r"[._](_)?omp_(fn|outlined|cpyfn)(_debug__|_)?[._\d]*$|\.extracted[.\w]*$")
_GFORTRAN_MODULE = re.compile(r"^__(?P<module>\w+?)_MOD_(?P<name>\w+)$")
_INTEL_MODULE = re.compile(r"^(?P<module>\w+?)_mp_(?P<name>\w+?)_?$")
_FLANG = re.compile(r"^_Q(?P<scopes>(?:[MSF][a-z0-9_]+)*?)P(?P<name>[a-z0-9_]+)$")
_CYTHON = re.compile(r"^__pyx_(?:pw|pf|f|fuse_\d+_+pyx_pw)_(?P<path>\d.*)$")


def readable(symbol: str) -> tuple[str, str]:
    """The name of a linker symbol: (short, full), e.g. ("halo", "exchange_mod::halo").

    A C++ symbol does not tell namespaces from classes, so both names are the qualified one.
    """
    openmp = _OPENMP.search(symbol)
    if openmp:
        short, full = readable(symbol[: openmp.start()])
        return f"{short} [omp]", f"{full} [omp]"
    if symbol.startswith("_Z"):
        name = shorten_templates(_core.demangle_short(symbol))
        return name, name
    symbol = _CLONE.sub("", symbol)
    for pattern in (_GFORTRAN_MODULE, _INTEL_MODULE):
        match = pattern.match(symbol)
        if match:
            return match["name"], f"{match['module']}::{match['name']}"
    match = _FLANG.match(symbol)
    if match:
        scopes = [scope[1:] for scope in re.findall(r"[MSF][a-z0-9_]+", match["scopes"])]
        return match["name"], "::".join([*scopes, match["name"]])
    match = _CYTHON.match(symbol)
    if match:
        name = _cython_name(match["path"])
        return name, name
    # Fortran's external procedures; MAIN__ is gfortran's name of the main program.
    if symbol.endswith("_") and symbol != "MAIN__" and symbol.strip("_"):
        symbol = symbol.rstrip("_")
    return symbol, symbol


def from_debug_information(name: str, linkage_name: str | None, is_member: bool) -> tuple[str, str]:
    """The name of a routine with debug information: (short, full).

    Namespaces and Fortran modules are left out of the short name, the class of a member function is kept.
    """
    openmp = _OPENMP.search(name)
    if openmp:
        name = name[: openmp.start()]
    name = _CLONE.sub("", name)
    full = readable(linkage_name)[1] if linkage_name else name
    parts = split_scopes(full)
    short = name
    if name == "operator()" and len(parts) >= 3 and parts[-2].startswith(("{lambda", "$_")):
        short = f"{without_parameters(parts[-3])}::{{lambda}}"
    elif linkage_name and linkage_name.startswith("_Z"):
        short = "::".join(parts[-2:] if is_member else parts[-1:])
    if openmp:
        return f"{short} [omp]", f"{full} [omp]"
    return shorten_templates(short), shorten_templates(full)


def split_scopes(name: str) -> list[str]:
    """Scopes of a qualified name: "a::b<c::d>::e" -> ["a", "b<c::d>", "e"]."""
    parts, depth, begin, i = [], 0, 0, 0
    while i < len(name):
        if name.startswith("operator", i) and (i == 0 or name[i - 1] == ":") and depth == 0:
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
    """Of "main(int, char**)" "main"; "(anonymous namespace)" stays."""
    return part if part.startswith("(") else part.split("(", 1)[0]


def shorten_templates(name: str) -> str:
    """Of "f<a long list of arguments>" "f<…>"."""
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
    """Of "6mpi4py_3MPI_4Comm_23Send" "mpi4py.MPI.Comm.Send": lengths, then an index before the last name."""
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
