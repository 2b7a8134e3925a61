"""Reads and writes the file of a network's parameters. docs/tune/network.md describes it.

Its figures are found by their paths, as in "link.node.piece.0.gap_ns".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline import _core, own_files, owners, toml
from leadline.errors import LeadlineError
from leadline.network import topology

_PRESETS = Path(__file__).parent / "presets"
SCHEMA = 1
MOST_FILE_BYTES = 1 << 20
MOST_PIECES = 64
MOST_NS = 1e15  # eleven days: more is a mistake in the unit
MOST_BYTES = 2**63 - 1
GENERAL = (
    "reduce_per_byte_ns",
    "copy_per_byte_ns",
    "copy_2_mib_per_byte_ns",
    "copy_8_mib_per_byte_ns",
    "copy_uncached_per_byte_ns",
    "copy_strided_per_byte_ns",
    "copy_strided_uncached_per_byte_ns",
    "flag_ns",
    "call_ns",
)
PORT = ("gap_ns", "per_byte_ns")
PIECE = ("latency_ns", "overhead_ns", "overhead_per_byte_ns", "gap_ns", "per_byte_ns")
RECEIVE = ("receive_overhead_ns", "receive_overhead_per_byte_ns")  # missing: as the sender's


class MalformedNetwork(LeadlineError):
    """A file of a network that cannot be used. The message names the file, the figure and the reason."""

    exit_code = 2


@dataclass(frozen=True)
class Origin:
    """Where a figure comes from, and when it was found; "" where that is not said."""

    source: str = ""
    date: str = ""


@dataclass
class Described:
    """A network with the origins of its figures. origin: of all figures that are not in `origins`, which has paths.

    intervals: lowest and highest value, by the path of the figure; a figure without one has none.
    """

    network: _core.Network
    origin: Origin = Origin()
    origins: dict[str, Origin] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)

    def origin_of(self, path: str) -> Origin:
        return self.origins.get(path, self.origin)


def read(path: Path | str) -> Described:
    """Raises MalformedNetwork, also for a file that others can change: its figures decide what is advised."""
    path = Path(path)
    try:
        if path.exists() and (unsafe := owners.why_not_obeyed(path)):
            raise MalformedNetwork(f"{path} is not used: {unsafe}", hint="check it, then use a copy that you own")
        text = own_files.read_named(path, MOST_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a text file"
        raise MalformedNetwork(f"{path}: {why}") from error
    return parse(text, str(path))


def named(name: str) -> Described:
    """The network of a file, or the preset of that name. Raises MalformedNetwork."""
    if Path(name).exists() or "/" in name or name.endswith(".toml"):
        return read(name)
    if name not in (known := presets()):
        raise MalformedNetwork(f"{name}: neither a file nor a preset", hint=f"presets: {', '.join(known)}")
    return parse((_PRESETS / f"{name}.toml").read_text(), f"the preset {name}")


def presets() -> list[str]:
    return sorted(path.stem for path in _PRESETS.glob("*.toml"))


def parse(text: str, path: str = "the network") -> Described:
    """The network in a file's text. Raises MalformedNetwork."""
    try:
        content = toml.parsed(text)
    except ValueError as error:  # of a number of too many digits, too
        raise MalformedNetwork(f"{path}: not TOML: {error}") from error
    return _Reader(path).network(content)


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.origins: dict[str, Origin] = {}
        self.intervals: dict[str, tuple[float, float]] = {}

    def network(self, content: dict[str, Any]) -> Described:
        if content.get("schema") != SCHEMA:
            raise self.wrong("schema", f"is {content.get('schema')!r}; this version reads schema = {SCHEMA}")
        self.check_keys("", content, {"schema", "source", "date", "port", "topology", "link", *GENERAL})
        network = _core.Network()
        for key in GENERAL:
            setattr(network, key, self.ns("", content, key))
        port = self.table("port", content.get("port", {}))
        self.check_keys("port.", port, set(PORT))
        ports = _core.NetworkPort()
        for key in PORT:
            setattr(ports, key, self.ns("port.", port, key))
        network.port = ports
        if "topology" in content:
            network.topology = self.topology(self.table("topology", content["topology"]))
        links = self.table("link", content.get("link", {}))
        if not links:
            raise self.wrong("link", "is missing: at least one link is required")
        self.check_keys("link.", links, set(_core.network_distances))
        for name, given in links.items():
            network.set(name, self.link(f"link.{name}", self.table(f"link.{name}", given)))
        return Described(network, self.origin("", content), self.origins, self.intervals)

    def topology(self, given: dict[str, Any]) -> _core.NetworkTopology:
        try:
            found = topology.made(given)
        except ValueError as error:
            raise MalformedNetwork(f"{self.path}: topology.{error}") from error
        for key in topology.TIMES:
            setattr(found, key, self.ns("topology.", given, key))
        return found

    def link(self, path: str, given: dict[str, Any]) -> _core.NetworkLink:
        self.check_keys(f"{path}.", given, {"eager_bytes", "copied_bytes", "handshake_ns", "progresses", "piece"})
        link = _core.NetworkLink()
        if "eager_bytes" in given:
            link.eager_bytes = self.n_bytes(f"{path}.", given, "eager_bytes")
        if "copied_bytes" in given:
            link.copied_bytes = self.n_bytes(f"{path}.", given, "copied_bytes")
        if "handshake_ns" in given:
            link.handshake_ns = self.ns(f"{path}.", given, "handshake_ns")
        if not isinstance(progresses := given.get("progresses", False), bool):
            raise self.wrong(f"{path}.progresses:", f"expected true or false, got {_short(progresses)}")
        link.progresses = progresses
        pieces = given.get("piece")
        if not isinstance(pieces, list) or not 1 <= len(pieces) <= MOST_PIECES:
            raise self.wrong(f"{path}.piece", f"must have 1 to {MOST_PIECES} tables")
        found = [self.piece(f"{path}.piece.{number}", each) for number, each in enumerate(pieces)]
        if found[0].from_bytes != 0:
            raise self.wrong(f"{path}.piece.0.from_bytes", "must start at 0 bytes")
        for number in range(1, len(found)):
            if found[number].from_bytes <= found[number - 1].from_bytes:
                raise self.wrong(f"{path}.piece.{number}.from_bytes", "must be larger than the previous piece's")
        link.pieces = found
        return link

    def piece(self, path: str, given: Any) -> _core.NetworkPiece:
        table = self.table(path, given)
        self.check_keys(f"{path}.", table, {"from_bytes", *PIECE, *RECEIVE})
        piece = _core.NetworkPiece()
        piece.from_bytes = self.n_bytes(f"{path}.", table, "from_bytes") if "from_bytes" in table else 0
        for key in PIECE:
            setattr(piece, key, self.ns(f"{path}.", table, key))
        if any(key in table for key in RECEIVE):
            for key in RECEIVE:
                setattr(piece, key, self.ns(f"{path}.", table, key))
        return piece

    def figure(self, path: str, given: Any) -> Any:
        """The number of `12`, or of `{value = 12, low = 11, high = 13, source = "...", date = "..."}` with its interval
        and origin."""
        if not isinstance(given, dict):
            return given
        self.check_keys(f"{path}.", given, {"value", "low", "high", "source", "date"})
        value = given.get("value")
        if "low" in given or "high" in given:
            ends: list[Any] = [given.get("low"), value, given.get("high")]
            if not all(map(_is_number, ends)) or not 0 <= ends[0] <= ends[1] <= ends[2] <= MOST_BYTES:
                raise self.wrong(f"{path}:", "expected low, value and high, in this order")
            self.intervals[path] = (float(ends[0]), float(ends[2]))
        if "source" in given or "date" in given or path not in self.intervals:
            self.origins[path] = self.origin(f"{path}.", given)
        return value

    def origin(self, at: str, given: dict[str, Any]) -> Origin:
        words = []
        for key in ("source", "date"):
            value = given.get(key, "")
            word = value if isinstance(value, str) else str(value) if key == "date" else None
            if word is None:
                raise self.wrong(f"{at}{key}", "must be a string")
            words.append(word)
        return Origin(*words)

    def ns(self, at: str, given: dict[str, Any], key: str) -> float:
        value = self.figure(f"{at}{key}", given.get(key, 0))
        if (
            not _is_number(value) or not 0 <= value <= MOST_NS
        ):  # nan is neither; an integer may be too large for a float
            raise self.wrong(f"{at}{key}:", f"expected a time in ns, got {_short(value)}")
        return float(value)

    def n_bytes(self, at: str, given: dict[str, Any], key: str) -> int:
        value = self.figure(f"{at}{key}", given[key])
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_BYTES:
            raise self.wrong(f"{at}{key}:", f"expected a number of bytes, got {_short(value)}")
        return value

    def table(self, path: str, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise self.wrong(path, "must be a TOML table")
        return given

    def check_keys(self, at: str, given: dict[str, Any], known: set[str]) -> None:
        for key in given:
            if key not in known:
                raise self.wrong(f"{at}{_short(key)}", f"unknown; available: {', '.join(sorted(known))}")

    def wrong(self, figure: str, why: str) -> MalformedNetwork:
        return MalformedNetwork(f"{self.path}: {figure} {why}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def write(described: Described) -> str:
    """The file's text; parse() gives the same back."""
    network = described.network
    out = [f"schema = {SCHEMA}"]
    out += [f"{key} = {json.dumps(word)}" for key, word in vars(described.origin).items() if word]
    out += _lines(described, "", network, GENERAL)
    port = _lines(described, "port.", network.port, PORT)
    out += ["", "[port]", *port] if port else []
    if shape := list(topology.lines(network.topology)):
        out += ["", "[topology]", *shape, *_lines(described, "topology.", network.topology, topology.TIMES)]
    for name in _core.network_distances:
        link = network.own(name)
        if link.pieces:
            out += _link(described, f"link.{name}", link)
    return "\n".join(out) + "\n"


def _link(described: Described, path: str, link: _core.NetworkLink) -> Iterator[str]:
    yield from ("", f"[{path}]")
    if link.eager_bytes < MOST_BYTES:
        yield _line(described, f"{path}.eager_bytes", link.eager_bytes)
    if link.copied_bytes < MOST_BYTES:
        yield _line(described, f"{path}.copied_bytes", link.copied_bytes)
    if link.handshake_ns >= 0:
        yield _line(described, f"{path}.handshake_ns", link.handshake_ns)
    if link.progresses:
        yield "progresses = true"
    for number, piece in enumerate(link.pieces):
        yield from ("", f"[[{path}.piece]]")
        yield _line(described, f"{path}.piece.{number}.from_bytes", piece.from_bytes)
        yield from _lines(described, f"{path}.piece.{number}.", piece, PIECE)
        if piece.receive_overhead_ns >= 0:
            yield from (_line(described, f"{path}.piece.{number}.{key}", getattr(piece, key)) for key in RECEIVE)


def _lines(described: Described, at: str, of: Any, keys: tuple[str, ...]) -> list[str]:
    """Those that are not 0, which is what a missing one means."""
    return [
        _line(described, f"{at}{key}", getattr(of, key))
        for key in keys
        if getattr(of, key) or f"{at}{key}" in described.origins or f"{at}{key}" in described.intervals
    ]


def _line(described: Described, path: str, value: float) -> str:
    origin, interval = described.origins.get(path), described.intervals.get(path)
    text = repr(value)
    if origin is not None or interval is not None:
        said = [f"{key} = {end!r}" for key, end in zip(("low", "high"), interval or (), strict=False)]
        said += [f"{key} = {json.dumps(word)}" for key, word in vars(origin or Origin("", "")).items() if word]
        text = "{" + ", ".join([f"value = {text}", *said]) + "}"
    return f"{path.rpartition('.')[2]} = {text}"
