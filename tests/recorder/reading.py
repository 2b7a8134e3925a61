"""The one place that knows the reader's Python interface: recorded calls in the words of the plain log."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SENDS = {"send", "isend", "irecv", "imrecv", "send_init", "recv_init"}
RECEIVES = {"recv", "mrecv"}
PROBES = {"probe", "iprobe", "mprobe", "improbe"}
ONE_REQUEST = {"wait", "waitany", "test", "testany"}
REQUEST_LISTS = {"waitall", "waitsome", "testall", "testsome"}
COLLECTIVES = {"coll", "icoll"}


def open_run(directory: Path) -> Any:
    """The recorded run; skips the test where the reader is not built."""
    module = pytest.importorskip("leadline.run", reason="the reader is not built: ./dev setup")
    return module.open_run(directory)


def core() -> Any:
    return pytest.importorskip("leadline._core", reason="the reader is not built: ./dev setup")


def open_processes(directory: Path) -> dict[int, Any]:
    """The traces of a run by rank."""
    processes = [core().open_process(path) for path in core().trace_files(str(directory))]
    assert len({process.rank for process in processes}) == len(processes)
    return {process.rank: process for process in processes}


def functions_of(process: Any) -> dict[str, int]:
    """Calls per function of one process of a run, functions that were never called left out."""
    return {name: calls for name, calls in process.functions().items() if calls}


def calls_by_rank(directory: Path) -> dict[int, dict[str, int]]:
    """Calls per function of every rank."""
    return {process.rank: functions_of(process) for process in open_run(directory).processes}


def losses_of(process: Any) -> list[str]:
    """The losses of one trace, in words."""
    return [f"{loss.code} ({loss.amount}): {loss.message}" for loss in process.losses]


class Recorded:
    """The calls of one thread in order, each a dictionary with the keys of the plain log."""

    def __init__(self, process: Any, thread: int = 0) -> None:
        self.core = core()
        self.process = process
        self.thread = thread
        self.sites = process.sites(thread)

    def function_at(self, site: int) -> Any:
        return self.process.functions[self.sites[site].function]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for call in self.process.calls(self.thread):
            function = self.function_at(call.site)
            yield {"function": function.name, "times": call.times, **self._fields(call, function.cls)}

    def _fields(self, call: Any, cls: str) -> dict[str, Any]:
        fields: dict[str, Any] = {"comm": call.comm}
        if cls in SENDS | RECEIVES:
            fields |= {"count": call.count, "size": call.datatype_bytes, **self._partner(call), "bytes": call.value}
        elif cls in PROBES:
            fields |= {**self._partner(call), "bytes": call.value}
        elif cls in {"sendrecv", "sendrecv_replace"}:
            fields |= {"count": call.count, "size": call.datatype_bytes, **self._partner(call)}
            fields |= self._receiving_half(call)
        elif cls in ONE_REQUEST | {"start", "request_free", "cancel"}:
            fields |= self._one_request(call, cls)
        elif cls in REQUEST_LISTS | {"startall"}:
            fields |= self._request_list(call, cls)
        elif cls in COLLECTIVES:
            fields |= {"root": call.peer, "gives": call.words[0], "gets": call.words[1]}
        elif cls == "comm_create":
            fields["made"] = call.extra
        elif cls in {"rma", "rma_request", "file_io", "file_iio"}:
            fields["moved"] = call.value
        if call.nothing:
            fields["nothing"] = 1
        return fields

    def _partner(self, call: Any) -> dict[str, Any]:
        rank = self.process.communicators[call.comm].rank
        return {"peer": self._peer(call.peer, rank), "tag": self._tag(call.tag)}

    def _peer(self, peer: int, own_rank: int) -> Any:
        special = {self.core.PEER_NONE: "none", self.core.PEER_NULL: "null", self.core.PEER_ANY: "any"}
        return special.get(peer, peer - own_rank)

    def _tag(self, tag: int) -> Any:
        return "any" if tag == self.core.TAG_ANY else tag

    def _receiving_half(self, call: Any) -> dict[str, Any]:
        if len(call.words) < 4:
            return {}
        count, kind, source, tag = call.words[:4]
        return {
            "rcount": count,
            "rsize": self.process.datatypes[kind].size,
            "source": self._peer(source, 0),
            "rtag": self._tag(tag),
            "bytes": call.value,
        }

    def _one_request(self, call: Any, cls: str) -> dict[str, Any]:
        if not call.completed:
            return {} if call.nothing else {"null": 1}
        (done,) = call.completed
        fields = {"made": self.function_at(done.site).name, "age": done.age}
        fields |= {"count": call.count, "size": call.datatype_bytes, **self._partner(call), "bytes": call.value}
        if call.flags & self.core.FLAG_CANCELLED:
            fields["cancelled"] = 1
        return fields

    def _request_list(self, call: Any, cls: str) -> dict[str, Any]:
        parts = []
        for place, done in enumerate(call.completed):
            words = call.words[1 + 4 * place : 5 + 4 * place]
            part = {"made": self.function_at(done.site).name, "age": done.age}
            posted, packed = (words[1], words[2]) if cls == "startall" else (words[3], words[2])
            peer, tag = packed >> 32, packed & 0xFFFFFFFF
            part |= {"posted": posted, "peer": self._peer(peer, 0), "tag": self._tag(tag - (1 << 32) * (tag >> 31))}
            if cls != "startall":
                part["bytes"] = done.bytes
            parts.append(part)
        return {"requests": call.count, "done": len(parts), "parts": parts}
