"""The file of a network: what is written is read again, figures keep their origins, and bad files are refused."""

import random
from pathlib import Path

import pytest

from leadline import _core
from leadline.errors import LeadlineError
from leadline.network import Described, MalformedNetwork, Origin, named, parse, presets, read, write
from leadline.network.file import GENERAL, PIECE, RECEIVE
from leadline.network.topology import TIMES

TEXT = """
schema = 1
source = "leadline calibrate, Open MPI 5.0.11"
date = 2026-11-25
reduce_per_byte_ns = 0.2
call_ns = {value = 40, source = "datasheet", date = "2025"}

[port]
gap_ns = 100
per_byte_ns = 0.08

[topology]
kind = "fat_tree"
nodes_per_switch = 2
switches = [4, 3]
uplinks = [1, 2]
hop_ns = {value = 130, source = "datasheet", date = "2020"}
per_byte_ns = 0.04

[link.node]
eager_bytes = 4096
copied_bytes = 256
handshake_ns = 900
progresses = true

[[link.node.piece]]
latency_ns = 200
gap_ns = 50

[[link.node.piece]]
from_bytes = 8192
latency_ns = 250
overhead_ns = {value = 30.5}
overhead_per_byte_ns = 0.01
receive_overhead_ns = {value = 40, low = 35, high = 50}
gap_ns = 60
per_byte_ns = 0.1

[link.other_node]
[[link.other_node.piece]]
latency_ns = 1000
"""


def figures(network: _core.Network) -> list[object]:
    links = [network.own(name) for name in _core.network_distances]
    return [
        *[getattr(network, key) for key in GENERAL],
        (network.port.gap_ns, network.port.per_byte_ns),
        *[getattr(network.topology, key) for key in ("kind", "nodes_per_switch", "switches", "uplinks", *TIMES)],
        *[(link.eager_bytes, link.copied_bytes, link.handshake_ns, link.progresses) for link in links],
        *[(p.from_bytes, *[getattr(p, key) for key in (*PIECE, *RECEIVE)]) for link in links for p in link.pieces],
    ]


def test_every_figure_is_read_with_its_origin() -> None:
    found = parse(TEXT)
    node = found.network.own("node")
    assert (node.copied_bytes, found.network.own("other_node").copied_bytes) == (256, 2**63 - 1)
    assert (node.eager_bytes, node.handshake_ns, len(node.pieces)) == (4096, 900, 2)
    assert [piece.from_bytes for piece in node.pieces] == [0, 8192]
    assert (node.pieces[1].overhead_ns, node.pieces[1].per_byte_ns) == (30.5, 0.1)
    assert found.network.own("other_node").handshake_ns < 0
    assert (node.progresses, found.network.own("other_node").progresses) == (True, False)
    assert (node.pieces[1].receive_overhead_ns, node.pieces[1].receive_overhead_per_byte_ns) == (40, 0)
    assert node.pieces[0].receive_overhead_ns < 0  # as the sender's
    assert found.intervals == {"link.node.piece.1.receive_overhead_ns": (35, 50)}
    assert found.origin_of("link.node.piece.1.receive_overhead_ns") == found.origin
    assert not found.network.own("socket").pieces
    assert found.origin == Origin("leadline calibrate, Open MPI 5.0.11", "2026-11-25")
    assert found.origin_of("call_ns") == Origin("datasheet", "2025")
    assert found.origin_of("link.node.piece.1.overhead_ns") == Origin()
    assert found.origin_of("port.gap_ns") == found.origin


def test_what_is_written_is_read_again() -> None:
    found = parse(TEXT)
    again = parse(write(found))
    assert figures(again.network) == figures(found.network)
    assert (again.origin, again.origins, again.intervals) == (found.origin, found.origins, found.intervals)
    assert write(again) == write(found)


@pytest.mark.parametrize(
    ("shape", "nodes", "links"),
    [
        ('kind = "torus"\nextents = [4, 4, 2]', 32, 3),
        ('kind = "dragonfly"\ngroups = 3\nswitches_per_group = 4\nnodes_per_switch = 2\nglobal_links = 1', 24, 1),
        ('kind = "fat_tree"\nnodes_per_switch = 16\nswitches = [8]\nuplinks = [8]', 128, 0),
    ],
)
def test_a_topology_is_read_and_written_again(shape: str, nodes: int, links: int) -> None:
    found = parse(f"schema = 1\n[topology]\n{shape}\nhop_ns = 100\n[link.node]\n[[link.node.piece]]\n")
    assert found.network.topology.nodes == nodes
    assert len(found.network.topology.route(0, 5)) == links
    again = parse(write(found)).network.topology
    assert (again.route(0, 5), again.nodes, again.hop_ns) == (found.network.topology.route(0, 5), nodes, 100)
    assert again.kind in write(found)


def test_the_parameters_of_a_message_are_those_of_its_piece() -> None:
    """By hand: 2 (o + n O) + L + g + n G; the second has a receiver of its own."""
    pieces = parse(TEXT).network.own("node").pieces
    assert pieces[0].message_ns(100) == 250
    assert pieces[1].message_ns(10_000) == pytest.approx((30.5 + 100) + 40 + 250 + 60 + 1000)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("schema = 2", "schema"),
        ("schema = 1", "link is missing"),
        ("schema = ", "not TOML"),
        ("schema = 1\nx = 1", "x unknown"),
        (TEXT.replace("link.node", "link.rack"), "link.rack unknown"),
        (
            TEXT.replace("latency_ns = 200", "latency_ns = -1"),
            "link.node.piece.0.latency_ns: expected a time in ns, got -1",
        ),
        (TEXT.replace("latency_ns = 200", "latency_ns = nan"), "nan"),
        (TEXT.replace("latency_ns = 200", "latency_ns = inf"), "inf"),
        (TEXT.replace("latency_ns = 200", "latency_ns = true"), "True"),
        (TEXT.replace("latency_ns = 200", 'latency_ns = "2 us"'), "2 us"),
        (TEXT.replace("latency_ns = 200", "latency_ns = 1e300"), "1e+300"),
        (TEXT.replace("latency_ns = 200", "latency_ns = {source = 'x'}"), "got None"),
        (TEXT.replace("latency_ns = 200", "latency_ns = {value = 1, unit = 's'}"), "unit unknown"),
        (TEXT.replace("from_bytes = 8192", "from_bytes = 0"), "must be larger than the previous piece's"),
        (TEXT.replace("gap_ns = 50", "from_bytes = 1"), "must start at 0 bytes"),
        (TEXT.replace("eager_bytes = 4096", "eager_bytes = 4096.5"), "expected a number of bytes"),
        (TEXT.replace("eager_bytes = 4096", "eager_bytes = 99999999999999999999"), "expected a number of bytes"),
        ("schema = 1\nlink = 3", "link must be a TOML table"),
        ("schema = 1\n[link.node]\npiece = [3]", "link.node.piece.0 must be a TOML table"),
        ("schema = 1\n[link.node]\npiece = []", "must have 1 to 64 tables"),
        (TEXT.replace('"fat_tree"', '"hypercube"'), "topology.kind: expected fat_tree, dragonfly, torus"),
        (TEXT.replace("uplinks = [1, 2]", ""), "topology.uplinks: expected numbers of 1 or more"),
        (
            TEXT.replace("uplinks = [1, 2]", "uplinks = [1]"),
            "a fat tree needs as many numbers in uplinks as in switches",
        ),
        (TEXT.replace("uplinks = [1, 2]", "extents = [1, 2]"), "topology.extents: not of a fat_tree"),
        (TEXT.replace("switches = [4, 3]", "switches = [4, 0]"), "topology.switches: expected numbers of 1 or more"),
        (TEXT.replace("switches = [4, 3]", "switches = [4, 3000000]"), "4,194,304 nodes at most"),
        (TEXT.replace("hop_ns = {value = 130", "hop_ns = {value = -1"), "topology.hop_ns: expected a time in ns"),
        (TEXT.replace("schema = 1", "schema = 1\nx = " + "[" * 5000), "not TOML"),
        (TEXT.replace("schema = 1", "schema = 1\n" + "a." * 100_000 + "a = 1"), "not TOML"),
    ],
)
def test_a_bad_file_is_refused_and_the_figure_named(text: str, says: str) -> None:
    with pytest.raises(MalformedNetwork, match="the network: ") as refused:
        parse(text)
    assert says in str(refused.value)


def test_no_damage_gets_past_the_reader() -> None:
    chance = random.Random(28)
    for _ in range(400):
        letters = list(TEXT)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(letters))
            letters[place] = chance.choice(["", chr(chance.randrange(32, 127)), "\n", letters[place] * 2])
        try:
            found = parse("".join(letters))
        except LeadlineError:
            continue
        assert isinstance(found, Described)
        assert all(number >= 0 for piece in found.network.own("node").pieces for number in figures_of(piece))


def figures_of(piece: _core.NetworkPiece) -> tuple[float, ...]:
    return piece.from_bytes, piece.latency_ns, piece.gap_ns, piece.per_byte_ns


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(MalformedNetwork, match="No such file"):
        read(tmp_path / "none.toml")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(MalformedNetwork, match="not a text file"):
        read(tmp_path / "binary")
    (tmp_path / "large").write_bytes(b" " * (2 << 20))
    with pytest.raises(MalformedNetwork, match="1 MiB"):
        read(tmp_path / "large")


def test_presets_give_the_source_of_every_figure() -> None:
    assert presets() == ["cray-xt4", "gigabit", "infiniband-hdr", "infiniband-ndr", "slingshot", "x12core"]
    for name in presets():
        described = named(name)
        assert described.origin.source
        assert all(origin.source for origin in described.origins.values())
    piece = named("x12core").network.own("node").pieces[2]
    # 10,000 doubles took 27 µs in two of three versions, and 28 in one.
    assert piece.latency_ns + piece.per_byte_ns * 80_000 == pytest.approx(27_333, rel=1e-3)
    with pytest.raises(MalformedNetwork, match="neither a file nor a preset"):
        named("carrier-pigeon")


def test_an_algorithm_takes_its_messages_one_after_another() -> None:
    link = "schema = 1\n[link.node]\n[[link.node.piece]]\nlatency_ns = 1000\n"
    for algorithm, processes, messages in (("binomial", 8, 3), ("linear", 8, 1), ("chain", 5, 4)):
        found = _core.collective_model_ns("bcast", algorithm, processes, 100, 8, 0, parse(link).network)
        assert found == messages * 1000
    for wrong in (("nonsense", "binomial", 2), ("bcast", "nonsense", 2), ("bcast", "binomial", 0)):
        with pytest.raises(ValueError, match=r"unknown|out of range"):
            _core.collective_model_ns(*wrong, 1, 8, 0, parse(link).network)


def test_what_ranks_of_a_node_do_through_memory_takes_flags_and_copies() -> None:
    link = "[link.other_node]\n[[link.other_node.piece]]\nlatency_ns = 1000\n"
    network = parse(f"schema = 1\nflag_ns = 100\ncopy_per_byte_ns = 1\nreduce_per_byte_ns = 2\n{link}").network

    def model(operation: str, algorithm: str, nodes: list[int], count: int = 1, root: int = 0, radix: int = 0) -> float:
        return _core.collective_model_ns(operation, algorithm, len(nodes), count, 8, 0, network, radix, root, nodes)

    # The root's copy, the flag, the other's copy; a barrier has nothing to copy, and each looks at two others.
    assert model("bcast", "shared", [0, 0]) == 8 + 100 + 8
    assert model("barrier", "shared", [0, 0, 0]) == 200
    assert model("allreduce", "shared", [0, 0]) == 8 + 100 + 16
    # Long ones begin when all have come, and go in rounds of 32 KiB: one here, and one flag for it.
    assert model("bcast", "shared", [0, 0], count=4096) == 100 + (32768 + 100) + 32768 + 100
    # A message between the leaders, then what the second node does.
    assert model("bcast", "two_level:within=shared", [0, 0, 1, 1]) == 1000 + 8 + 100 + 8
    assert model("bcast", "two_level:within=shared", [1, 0, 1, 0], root=3) == 1000 + 8 + 100 + 8
    assert model("barrier", "two_level:within=shared", [0, 0, 1]) == 100 + 1000
    # Two leaders a node, an element each. The second one has its sum at 248: the first put its element for that at 132,
    # when it had its own sum. It has the other node's, reduced and copied to its place, at 1272, and hands it on,
    # as the first does.
    assert model("allreduce", "two_level:lanes", [0, 1, 0, 1], count=2, radix=2) == 1496
    assert model("bcast", "shared", [0, 1]) < 0  # of one node only
    for wrong in ([0, -1], [0]):
        with pytest.raises(ValueError, match="nodes"):
            _core.collective_model_ns("bcast", "shared", 2, 1, 8, 0, network, 0, 0, wrong)
