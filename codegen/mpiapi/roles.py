"""Which argument of a function plays which role: read off parameter names and kinds, given the function's class."""

from __future__ import annotations

from mpiapi.standard import ApiError, Function, Parameter

ROLES = (
    "sbuf scount sdispls stype dest stag rbuf rcount rdispls rtype source rtag comm request requests nrequests status "
    "statuses root op flag index indices outcount newcomm newtype win file message offset target partitions partition"
).split()

# Parameter names that mean one thing wherever they occur.
_BY_NAME = {
    "sendbuf": "sbuf", "sendcount": "scount", "sendcounts": "scount", "sdispls": "sdispls",
    "sendtype": "stype", "sendtypes": "stype", "dest": "dest", "sendtag": "stag",
    "recvbuf": "rbuf", "recvcount": "rcount", "recvcounts": "rcount", "rdispls": "rdispls",
    "recvtype": "rtype", "recvtypes": "rtype", "source": "source", "recvtag": "rtag",
    "request": "request", "array_of_requests": "requests", "status": "status", "array_of_statuses": "statuses",
    "root": "root", "op": "op", "flag": "flag", "index": "index", "array_of_indices": "indices",
    "win": "win", "fh": "file", "message": "message", "offset": "offset", "target_rank": "target",
    "partitions": "partitions", "partition": "partition", "result_addr": "rbuf", "result_count": "rcount",
    "result_datatype": "rtype", "newtype": "newtype",
}  # fmt: skip

# Parameters whose side depends on whether the function sends or receives.
_ONE_SIDE = {
    "buf": "buf", "buffer": "buf", "count": "count", "datatype": "type", "tag": "tag",
    "origin_addr": "buf", "origin_count": "count", "origin_datatype": "type",
}  # fmt: skip

_PROBING = {"probe", "iprobe", "mprobe", "improbe"}
_COMPLETING_MANY = {"waitall", "waitany", "waitsome", "testall", "testany", "testsome", "startall"}
# The roles that are useful for a function that is only counted; its buffers and counts say nothing about communication.
_LOCAL_ROLES = {"comm", "newcomm", "newtype", "win", "file", "request", "requests", "status", "statuses", "flag",
                "index", "indices", "outcount"}  # fmt: skip


def _receives(cls: str, moves: tuple[str, ...]) -> bool:
    """Whether the call fills the buffer of a function with one buffer: a function that puts and gets has two."""
    return cls in _PROBING or set(moves) in ({"receives"}, {"gets"}, {"reads"})


def _communicator_role(function: Function, parameter: Parameter) -> str | None:
    if parameter.kind != "COMMUNICATOR":
        return None
    if parameter.direction == "out":
        return "newcomm"
    # The first communicator is the one the call is on: Intercomm_create has a peer communicator as well.
    first = next(p for p in function.arguments if p.kind == "COMMUNICATOR" and p.direction != "out")
    return "comm" if parameter is first else None


def _role(function: Function, cls: str, moves: tuple[str, ...], parameter: Parameter) -> str | None:
    name = parameter.name
    if role := _communicator_role(function, parameter):
        return role
    if cls in _COMPLETING_MANY:
        if name in ("count", "incount"):
            return "nrequests"
        if name == "outcount":
            return "outcount"
    if name == "displs":
        return "rdispls"
    if name == "datatype" and cls == "type_free":
        return "newtype"
    if name == "status" and parameter.kind != "STATUS":
        return None
    if name in _ONE_SIDE:
        return ("r" if _receives(cls, moves) else "s") + _ONE_SIDE[name]
    return _BY_NAME.get(name)


def _type_maker_role(parameter: Parameter) -> str | None:
    return {"count": "scount", "oldtype": "stype", "newtype": "newtype"}.get(parameter.name)


def roles_of(function: Function, cls: str, moves: tuple[str, ...], overrides: dict[str, str]) -> dict[str, int]:
    """Role -> argument index. Raises ApiError on a double role.

    moves: which way its data goes.   overrides: role -> parameter name, "" for none.
    """
    makes_type = any(p.name == "newtype" for p in function.arguments)
    found: dict[str, int] = {}
    for position, parameter in enumerate(function.arguments):
        role = _type_maker_role(parameter) if makes_type else _role(function, cls, moves, parameter)
        if role is None or (cls == "local" and not makes_type and role not in _LOCAL_ROLES):
            continue
        if role in overrides:
            continue
        if role in found:
            raise ApiError(f"{function.name}: arguments {found[role]} and {position} would both be {role}")
        found[role] = position
    positions = {p.name: i for i, p in enumerate(function.arguments)}
    for role, name in overrides.items():
        if role not in ROLES or (name and name not in positions):
            raise ApiError(f"semantics.toml: [roles] {function.name}: {role} = {name!r} names no role or no parameter")
        if name:
            found[role] = positions[name]
    return found
