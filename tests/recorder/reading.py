"""The one place that knows the reader's Python interface: recorded calls in the words of the plain log."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Classes of functions, as the trace names them (src/trace/call_class.hpp).
MESSAGES = {"send", "isend", "recv", "irecv", "mrecv", "imrecv", "send_init", "recv_init"}
PROBES = {"probe", "iprobe", "mprobe", "improbe"}
ONE_REQUEST = {"wait", "waitany", "test", "testany", "start", "request_free", "cancel"}
REQUEST_LISTS = {"waitall", "waitsome", "testall", "testsome"}
COLLECTIVES = {"coll", "icoll"}
MAKERS = {"isend", "irecv", "imrecv", "isendrecv", "icoll", "comm_icreate", "rma_request", "file_iio"}
CREATORS = {"send_init", "recv_init", "coll_init", "psend_init", "precv_init"}


def core() -> Any:
    return pytest.importorskip("leadline._core", reason="the reader is not built: ./dev setup")


def open_processes(directory: Path) -> dict[int, Any]:
    """The traces of a run by rank."""
    processes = [core().open_process(path) for path in core().trace_files(str(directory))]
    for process in processes:
        differences = {process.tree_difference(thread) for thread in range(process.threads)}
        assert differences <= {""}, f"the loop tree of rank {process.rank}: {differences}"
    assert len({process.rank for process in processes}) == len(processes)
    return {process.rank: process for process in processes}


def functions_of(process: Any) -> dict[str, int]:
    """Calls per function of one trace, over its threads."""
    names = [function.name for function in process.functions]
    calls: Counter[str] = Counter()
    for thread in range(process.threads):
        sites = process.sites(thread)
        for tally in process.tallies(thread):
            calls[names[sites[tally.key.site].function]] += tally.times
        for local in process.locals(thread):
            calls[names[local.function]] += local.calls
    return {name: number for name, number in calls.items() if number}


def failed_polls_of(process: Any) -> dict[str, int]:
    """Polls that found or completed nothing, per function."""
    names = [function.name for function in process.functions]
    polls: Counter[str] = Counter()
    for thread in range(process.threads):
        sites = process.sites(thread)
        for tally in process.tallies(thread):
            if tally.key.comm & core().FLAG_NOTHING:
                polls[names[sites[tally.key.site].function]] += tally.times
    return dict(polls)


def calls_by_rank(directory: Path) -> dict[int, dict[str, int]]:
    """Calls per function of every rank."""
    return {rank: functions_of(process) for rank, process in open_processes(directory).items()}


def report_of(directory: Path) -> dict[str, Any]:
    """The output of `leadline report DIR --json`."""
    open_run_ = pytest.importorskip("leadline.figures.run", reason="the reader is not built: ./dev setup").open_run
    from leadline.report import to_json

    report = to_json(open_run_(directory))
    assert isinstance(report, dict)
    return report


def losses_of(process: Any) -> list[str]:
    """The losses of one trace, in words."""
    return [f"{loss.code} ({loss.amount}): {loss.message}" for loss in process.losses]


def posted_bytes(message: dict[str, Any]) -> int:
    """Bytes as the trace counts them: nothing goes to MPI_PROC_NULL."""
    return 0 if message["peer"] == "null" else message["count"] * message["size"]


class Recorded:
    """The calls of one thread in order, each a dictionary with the keys of the plain log.

    What a completion says of its request is looked up at the call its link names, so the link is tested with it.
    """

    def __init__(self, process: Any, thread: int = 0) -> None:
        self.core = core()
        self.special_peers = {self.core.PEER_NONE: "none", self.core.PEER_NULL: "null", self.core.PEER_ANY: "any"}
        self.process = process
        self.thread = thread
        # Each access of these makes new lists.
        functions = process.functions
        self.sites = [functions[site.function] for site in process.sites(thread)]
        self.own_ranks = [comm.rank for comm in process.communicators]
        self.type_sizes = [datatype.size for datatype in process.datatypes]
        self.requests: list[dict[str, Any]] = []  # in the order they were made; a start makes one
        self.persistent: list[dict[str, Any]] = []  # in the order they were created

    def function_at(self, site: int) -> Any:
        return self.sites[site]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for call in self.process.calls(self.thread):
            function = self.function_at(call.site)
            fields = {"function": function.name, "times": call.times, **self._fields(call, function.cls)}
            if function.cls in MAKERS:
                self.requests.append({**fields, "maker": function.name})
            elif function.cls in CREATORS:
                self.persistent.append({**fields, "maker": function.name})
            yield fields

    def _fields(self, call: Any, cls: str) -> dict[str, Any]:
        if call.nothing:
            return {"nothing": 1}
        fields: dict[str, Any] = {"comm": call.comm}
        if cls in MESSAGES:
            fields |= {"count": call.count, "size": call.datatype_bytes, **self._partner(call), "bytes": call.value}
        elif cls in PROBES:
            fields |= {**self._partner(call), "bytes": call.value}
        elif cls in {"sendrecv", "sendrecv_replace"}:
            fields |= {"count": call.count, "size": call.datatype_bytes, **self._partner(call)}
            fields |= self._receiving_half(call)
        elif cls in ONE_REQUEST:
            fields |= self._one_request(call, cls)
        elif cls in REQUEST_LISTS:
            fields |= self._request_list(call)
        elif cls == "startall":
            fields |= self._start_list(call)
        elif cls in COLLECTIVES:
            (part,) = call.parts
            fields |= {"root": call.peer, "gives": part.out_bytes, "gets": part.in_bytes}
        elif cls in {"comm_create", "comm_icreate"}:
            fields["made"] = call.made
        elif cls in {"rma", "rma_request", "file_io", "file_iio"}:
            fields["moved"] = call.value if call.value >= 0 else call.count * call.datatype_bytes
        return fields

    def _partner(self, call: Any) -> dict[str, Any]:
        return {"peer": self._peer(call.peer, self.own_ranks[call.comm]), "tag": self._tag(call.tag)}

    def _peer(self, peer: int, own_rank: int) -> Any:
        return self.special_peers.get(peer, peer - own_rank)

    def _tag(self, tag: int) -> Any:
        return "any" if tag == self.core.TAG_ANY else tag

    def _receiving_half(self, call: Any) -> dict[str, Any]:
        _, half = call.parts
        return {
            "rcount": half.count,
            "rsize": self.type_sizes[half.datatype],
            "source": self._peer(half.peer, self.own_ranks[half.comm]),
            "rtag": self._tag(half.tag),
            "bytes": call.value,
        }

    def _linked(self, made: list[dict[str, Any]], done: Any) -> dict[str, Any]:
        """The call that the link of a completed or started request leads to; the site it names must be that of the
        call."""
        assert 1 <= done.maker_age <= len(made), f"age {done.maker_age} of {len(made)}"
        maker = made[-done.maker_age]
        assert maker["maker"] == self.function_at(done.maker_site).name
        fields = {key: maker[key] for key in ("maker", "count", "size", "peer", "tag", "comm") if key in maker}
        return {**fields, "made": maker["maker"], "age": done.maker_age}

    def _one_request(self, call: Any, cls: str) -> dict[str, Any]:
        if not call.parts:
            return {"null": 1}
        (done,) = call.parts
        if cls == "start":
            started = self._linked(self.persistent, done)
            self.requests.append(started)
            return started
        name = self.function_at(done.maker_site).name
        if cls in {"request_free", "cancel"}:
            return {"made": name, "age": done.maker_age}
        linked = self._linked(self.requests, done)
        known = {"count": call.count, "size": call.datatype_bytes, **self._partner(call)} if "peer" in linked else {}
        fields = {**linked, **known, "bytes": call.value}
        for key in ("count", "size", "comm"):
            assert fields.get(key) == linked.get(key), f"{key} of a completion and of its maker"
        if call.flags & self.core.FLAG_CANCELLED:
            fields["cancelled"] = 1
        return fields

    def _request_list(self, call: Any) -> dict[str, Any]:
        parts = []
        for done in call.parts:
            assert done.maker_number == len(self.requests) - done.maker_age + 1
            part = {**self._linked(self.requests, done), "bytes": done.in_bytes if "receives" in done.moves else 0}
            if "peer" in part:
                assert done.comm == part["comm"], "each request of a list has its own communicator"
                partner = self._partner(done)
                if "any" not in (part["peer"], part["tag"]):
                    assert partner == {key: part[key] for key in ("peer", "tag")}
                part |= partner
            if "size" in part:
                assert done.posted_bytes == posted_bytes(part)
            parts.append(part)
        return {"requests": call.count, "done": len(parts), "parts": parts}

    def _start_list(self, call: Any) -> dict[str, Any]:
        parts = [self._linked(self.persistent, started) for started in call.parts]
        for started, part in zip(call.parts, parts, strict=True):
            assert started.posted_bytes == posted_bytes(part)
        self.requests += parts
        return {"requests": call.count, "parts": parts}
