"""Calls of tests/programs/ignored.c, generated from the data of which arguments MPI ignores when.

Every function of which some argument is ignored in some calls is called with rubbish there, in each of its forms.
"""

import sys
from pathlib import Path

API = Path(__file__).resolve().parents[2] / "api"
sys.path.insert(0, str(API.parent / "codegen"))

import kept_builds  # noqa: E402

from mpiapi.semantics import COLLECTIVE_CLASSES, Meaning, blocking_form, load_meanings  # noqa: E402
from mpiapi.standard import load_functions  # noqa: E402

from .building import Builder  # noqa: E402
from .libraries import Library  # noqa: E402

# What the libraries themselves look at, and end the program for.
AT_IDLE_BROADCAST = {"MPI_Bcast between groups", "MPI_Ibcast between groups"}
AT_IDLE_REDUCTION = {"MPI_Reduce between groups", "MPI_Ireduce between groups"}
LOOKED_AT = {
    "mpich": AT_IDLE_BROADCAST,
    "mpich-abi": AT_IDLE_BROADCAST,
    "mpich@3.4.3": {
        *AT_IDLE_BROADCAST,
        *AT_IDLE_REDUCTION,
        "MPI_Iscatterv plain",
        "MPI_Iscatterv in place",
        "MPI_Iscatterv between groups",
        "MPI_Reduce plain",
    },
    "openmpi": {
        *AT_IDLE_BROADCAST,
        *AT_IDLE_REDUCTION,
        "MPI_Alltoall_init in place",
        "MPI_Ialltoall in place",
    },
}

# What an argument is where it counts. Two integers go to and from each process.
VALUES = {
    "sendbuf": "(s.sends || !in_place_is_the_senders) ? (void*)out : MPI_IN_PLACE",
    "recvbuf": "(s.receives || in_place_is_the_senders) ? (void*)in : MPI_IN_PLACE",
    "buffer": "s.at_root ? out : in",
    "count": "unit", "sendcount": "unit", "recvcount": "unit", "sendcounts": "counts", "recvcounts": "counts",
    "sdispls": "places", "rdispls": "places", "displs": "places",
    "datatype": "MPI_INT", "sendtype": "MPI_INT", "recvtype": "MPI_INT", "sendtypes": "types", "recvtypes": "types",
    "op": "MPI_SUM", "root": "s.root", "comm": "s.comm", "info": "MPI_INFO_NULL", "request": "&request",
    "origin_addr": "out", "origin_count": "unit", "origin_datatype": "MPI_INT",
    "result_addr": "in", "result_count": "unit", "result_datatype": "MPI_INT",
    "target_rank": "rank", "target_disp": "unit", "target_count": "unit", "target_datatype": "MPI_INT", "win": "window",
}  # fmt: skip
BY_BYTES = {"sdispls": "byte_places", "rdispls": "byte_places"}  # of Alltoallw
ADDRESSES = {"BUFFER", "STRING"}
# Functions with ignored arguments that are called by hand elsewhere: in ignored.c, ignored_processes.c.
BY_HAND = {
    "Intercomm_create", "Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect",
    "Intercomm_create_from_groups",
}  # fmt: skip
ROOTED = ("Gather", "Gatherv", "Scatter", "Scatterv")


def meanings() -> list[Meaning]:
    """The functions of which some argument is ignored in some calls."""
    return [meaning for meaning in load_meanings(API, load_functions(API)) if meaning.needs]


def name_of(meaning: Meaning) -> str:
    return blocking_form(meaning.function.name) if meaning.cls in COLLECTIVE_CLASSES else meaning.function.name


def _argument(meaning: Meaning, index: int) -> str:
    parameter = meaning.function.arguments[index]
    value = VALUES[parameter.name]
    if "lltoallw" in meaning.function.name:
        value = BY_BYTES.get(parameter.name, value)
    if "accumulate" in meaning.function.name or meaning.function.name == "Fetch_and_op":
        value = "MPI_NO_OP" if parameter.name == "op" else value
    words = meaning.needs.get(index)
    if not words:
        return value
    counts = " && ".join(f"s.{word}" for word in words)
    if parameter.kind == "DATATYPE" and not parameter.array:
        return f"HANDLE({counts}, MPI_Datatype, {value})"
    if parameter.kind == "OPERATION":
        return f"HANDLE({counts}, MPI_Op, {value})"
    if parameter.array or parameter.kind in ADDRESSES:
        return f"ADDRESS({counts}, {value})"
    return f"NUMBER({counts}, {value})"


def _call(meaning: Meaning) -> str:
    function = meaning.function
    arguments = ", ".join(_argument(meaning, i) for i in range(len(function.arguments)))
    senders = "0" if "catter" in function.name else "1"
    ending = "" if "request" not in meaning.roles else f"  complete({int(meaning.cls == 'coll_init')});\n"
    if meaning.cls in ("rma", "rma_request"):
        ending += "  MPI_Win_flush(rank, window);\n"
    return (
        f"static void call_{function.name}(struct situation s, const char* where) {{\n"
        f"  const int in_place_is_the_senders = {senders};\n  (void)in_place_is_the_senders;\n"
        f'  if (!prepare("MPI_{function.name}", where)) return;\n'
        f"  MPI_{function.name}({arguments});\n{ending}"
        "  check_call();\n}\n"
    )


def _group(name: str, calls: list[Meaning], root_only: bool = False) -> str:
    lines = [f"static void {name}(struct situation s, const char* where) {{"]
    for meaning in calls:
        # Only the root of these may work in place.
        at = "rooted" if root_only and name_of(meaning) in ROOTED else "s"
        lines.append(f"  call_{meaning.function.name}({at}, where);")
    if root_only:
        lines.insert(1, "  struct situation rooted = s;\n  rooted.sends = rooted.receives = !s.at_root;")
    return "\n".join([*lines, "}\n"])


def calls_by_situation(persistent: bool) -> dict[str, list[Meaning]]:
    """The calls in the situations of ignored.c. persistent: also those that MPI 4 added."""
    known = [m for m in meanings() if persistent or m.cls != "coll_init"]
    collectives = [m for m in known if m.cls in COLLECTIVE_CLASSES]
    in_place = [m for m in collectives if any({"sends", "receives"} & set(words) for words in m.needs.values())]
    rooted = [m for m in collectives if "root" in m.roles]
    # Between groups there are no persistent ones: several libraries cannot.
    return {
        "plain": collectives,
        "in place": in_place,
        "between groups": [m for m in rooted if m.cls != "coll_init"],
        "fetched": [m for m in known if m.cls in ("rma", "rma_request")],
    }


def header(persistent: bool) -> str:
    """ignored_calls.h."""
    situations = calls_by_situation(persistent)
    called = {m.function.name: m for calls in situations.values() for m in calls}
    return "\n".join(
        [
            *(_call(meaning) for meaning in called.values()),
            _group("call_all", situations["plain"]),
            _group("call_all_in_place", situations["in place"], root_only=True),
            _group("call_all_between_groups", situations["between groups"]),
            _group("fetch_all", situations["fetched"]),
        ]
    )


def has_persistent(name: str) -> bool:
    """Whether the library of that name, one of LOOKED_AT, has persistent collectives."""
    return name != "mpich@3.4.3"


def build(builder: Builder, library: Library, name: str) -> Path:
    """The program, with the calls that the library has."""
    calls = header(has_persistent(name))
    name = "ignored_calls.h"
    folder = kept_builds.kept_folder("ignored-calls", [calls], lambda place: place.joinpath(name).write_text(calls))
    return builder.c(library, "ignored.c", f"-I{folder}")
