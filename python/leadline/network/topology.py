"""The [topology] of a network's file: how its numbers become a topology, and back (docs/tune/network.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leadline import _core
from leadline.errors import UsageError

TIMES = ("hop_ns", "gap_ns", "per_byte_ns")
# By kind: what describes its shape, in the order in which it is written; True: a list.
SHAPES: dict[str, dict[str, bool]] = {
    "fat_tree": {"nodes_per_switch": False, "switches": True, "uplinks": True},
    "dragonfly": {"nodes_per_switch": False, "switches_per_group": False, "groups": False, "global_links": False},
    "torus": {"nodes_per_switch": False, "extents": True},
}
MOST_NUMBER = 1 << 40


def made(given: dict[str, Any]) -> _core.NetworkTopology:
    """Without its times.   Raises ValueError, whose message begins with the key that is wrong."""
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in SHAPES:
        raise ValueError(f"kind: expected {', '.join(SHAPES)}")
    shape = SHAPES[kind]
    for key in given:
        if key not in shape and key not in TIMES and key != "kind":
            raise ValueError(f"{key}: not of a {kind}; available: {', '.join([*shape, *TIMES])}")
    for key, is_list in shape.items():
        value = given.get(key, 1 if key == "nodes_per_switch" else None)
        numbers = value if is_list else [value]
        if not isinstance(numbers, list) or not all(map(_is_count, numbers)):
            raise ValueError(f"{key}: expected {'numbers' if is_list else 'a number'} of 1 or more")
    topology = _core.NetworkTopology()
    topology.kind = kind
    topology.nodes_per_switch = given.get("nodes_per_switch", 1)
    if kind == "dragonfly":
        topology.switches = [given["groups"], given["switches_per_group"]]
        topology.global_links = given["global_links"]
    else:
        topology.switches = given["switches" if kind == "fat_tree" else "extents"]
        topology.uplinks = given.get("uplinks", [])
    if wrong := topology.wrong:
        raise ValueError(f"kind = {kind}: {wrong}")
    return topology


def check_places(nodes: int, network: _core.Network | None) -> None:
    """Raises UsageError if the network's topology has fewer places than there are nodes."""
    if network is None or network.topology.kind == "none" or nodes <= network.topology.nodes:
        return
    raise UsageError(
        f"the network's topology has places for {network.topology.nodes:,} nodes, and the ranks are on {nodes:,}",
        hint="more switches, or nodes_per_switch, in the network's file; or fewer hosts",
    )


def lines(topology: _core.NetworkTopology) -> Iterator[str]:
    """Of the file, without its times; none if there is no topology."""
    kind = topology.kind
    if kind not in SHAPES:
        return
    yield f'kind = "{kind}"'
    known = {
        "nodes_per_switch": topology.nodes_per_switch,
        "switches": topology.switches,
        "uplinks": topology.uplinks,
        "extents": topology.switches,
        "global_links": topology.global_links,
    }
    if kind == "dragonfly":
        known["groups"], known["switches_per_group"] = topology.switches
    yield from (f"{key} = {known[key]}" for key in SHAPES[kind])


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_NUMBER
