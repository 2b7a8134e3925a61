"""The network for a change that needs one where none is given: a calibration beside the run, or what the run shows."""

from __future__ import annotations

from dataclasses import dataclass

from leadline import _core
from leadline.figures.run import Run
from leadline.network import read
from leadline.predict.prediction import copied_bytes_of, eager_bytes_of
from leadline.predict.recorded_network import network_of

FILE = "network.toml"
REDUCE_NS, COPY_NS = 0.1, 0.05  # per byte, assumed: a run does not show them


@dataclass(frozen=True)
class OwnNetwork:
    """sentence: where it comes from."""

    network: _core.Network
    sentence: str


def own_network(run: Run) -> OwnNetwork:
    """Raises UsageError if there is none, MalformedNetwork for a file that cannot be used."""
    for path in (run.path / FILE, run.path.parent / FILE):
        described = read(path) if path.exists() else None
        if described is not None and run.library.partition(",")[0] in described.origin.source:
            return OwnNetwork(described.network, f"The network is that of {path}: {described.origin.source}.")
    found = network_of(run, eager_bytes_of(run), copied_bytes_of(run))
    network = found.described.network
    network.reduce_per_byte_ns, network.copy_per_byte_ns = REDUCE_NS, COPY_NS
    return OwnNetwork(
        network,
        f"The network is what {sum(found.messages.values()):,} messages of the run show, with a reduction of "
        f"{REDUCE_NS} and a copy of {COPY_NS} ns a byte (assumed): of other sizes than the run's it is a guess. Both "
        "the run as it is and the change are replayed in it.",
    )
