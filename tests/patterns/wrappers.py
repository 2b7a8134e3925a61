"""Functions of the program's own around MPI: in many programs each MPI call goes through one."""

from __future__ import annotations

import re

_MESSAGE = ["int", "MPI_Datatype", "int", "int", "MPI_Comm"]
_WINDOW = ["int", "MPI_Datatype", "int", "MPI_Aint", "int", "MPI_Datatype"]
_C = {
    "Send": ["const void*", *_MESSAGE],
    "Recv": ["void*", *_MESSAGE, "MPI_Status*"],
    "Isend": ["const void*", *_MESSAGE, "MPI_Request*"],
    "Irecv": ["void*", *_MESSAGE, "MPI_Request*"],
    "Sendrecv": ["const void*", *_MESSAGE[:-1], "void*", *_MESSAGE, "MPI_Status*"],
    "Wait": ["MPI_Request*", "MPI_Status*"],
    "Waitall": ["int", "MPI_Request*", "MPI_Status*"],
    "Test": ["MPI_Request*", "int*", "MPI_Status*"],
    "Startall": ["int", "MPI_Request*"],
    "Barrier": ["MPI_Comm"],
    "Allreduce": ["const void*", "void*", "int", "MPI_Datatype", "MPI_Op", "MPI_Comm"],
    "Iallreduce": ["const void*", "void*", "int", "MPI_Datatype", "MPI_Op", "MPI_Comm", "MPI_Request*"],
    "Put": ["const void*", *_WINDOW, "MPI_Win"],
    "Get": ["void*", *_WINDOW, "MPI_Win"],
    "Accumulate": ["const void*", *_WINDOW, "MPI_Op", "MPI_Win"],
    "Win_fence": ["int", "MPI_Win"],
    "Win_flush_all": ["MPI_Win"],
    "Gather": ["const void*", "int", "MPI_Datatype", "void*", "int", "MPI_Datatype", "int", "MPI_Comm"],
}


def wrapped(body: str) -> str:
    """The C or Fortran text with its communication going through these functions."""
    return re.sub(rf"\bMPI_({'|'.join(_C)})\(", r"own_\1(", body)


def c_declarations() -> str:
    return "".join(f"int own_{name}({', '.join(types)});\n" for name, types in _C.items())


def c_functions(*, counting: bool) -> str:
    """counting: something is left to do after the call, so that the compiler cannot make a jump of it."""
    parts = ["#include <mpi.h>\nint own_calls;\n"]
    for name, types in _C.items():
        names = [f"a{i}" for i in range(len(types))]
        parameters = ", ".join(f"{kind} {own}" for kind, own in zip(types, names, strict=True))
        call = f"MPI_{name}({', '.join(names)})"
        rest = f"int code = {call};\n  ++own_calls;\n  return code;" if counting else f"return {call};"
        parts.append(f"__attribute__((noinline)) int own_{name}({parameters}) {{\n  {rest}\n}}\n")
    return "".join(parts)


_F = {
    "Send": ["buffer", "count", "datatype", "partner", "tag", "comm"],
    "Recv": ["buffer", "count", "datatype", "partner", "tag", "comm", "status"],
    "Isend": ["buffer", "count", "datatype", "partner", "tag", "comm", "request"],
    "Irecv": ["buffer", "count", "datatype", "partner", "tag", "comm", "request"],
    "Sendrecv": [
        *["buffer", "count", "datatype", "partner", "tag"],
        *["buffer2", "count2", "datatype2", "partner2", "tag2", "comm", "status"],
    ],
    "Waitall": ["count", "requests", "statuses"],
    "Wait": ["request", "status"],
    "Iallreduce": ["buffer", "buffer2", "count", "datatype", "operation", "comm", "request"],
}


def fortran_module(*, f08: bool) -> str:
    def kind(handle: str) -> str:
        return f"type(MPI_{handle})" if f08 else "integer"

    declared = {
        "buffer": "double precision :: buffer(*)",
        "datatype": f"{kind('Datatype')} :: datatype",
        "comm": f"{kind('Comm')} :: comm",
        "request": f"{kind('Request')} :: request",
        "requests": f"{kind('Request')} :: requests(*)",
        "operation": f"{kind('Op')} :: operation",
        "status": "type(MPI_Status) :: status" if f08 else "integer :: status(MPI_STATUS_SIZE)",
        "statuses": "type(MPI_Status) :: statuses(*)" if f08 else "integer :: statuses(MPI_STATUS_SIZE, *)",
    }
    parts = [
        f"module layer\n  use {'mpi_f08' if f08 else 'mpi'}\n  implicit none\n  integer :: own_calls = 0\ncontains\n"
    ]
    for name, arguments in _F.items():
        lines = [f"  subroutine own_{name}({', '.join(arguments)}, ierr)", "    integer :: ierr"]
        for argument in arguments:
            base = argument.rstrip("2")
            lines.append(f"    {declared.get(base, f'integer :: {base}').replace(f':: {base}', f':: {argument}')}")
        lines.append(f"    call MPI_{name}({', '.join(arguments)}, ierr)")
        lines += ["    own_calls = own_calls + 1", "  end subroutine\n"]
        parts.append("\n".join(lines))
    return "".join(parts) + "end module\n"
