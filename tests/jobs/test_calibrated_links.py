"""leadline calibrate between two hosts whose link has a known rate."""

from __future__ import annotations

import pytest

from leadline.calibration import calibration_of, launch_all
from leadline.mpi import Library, available

from . import hosts, links

pytestmark = pytest.mark.full

RATE_BITS = 200_000_000
PAYLOAD, FRAME = 1448, 1514  # bytes of a full TCP segment with time stamps; with its headers, as tbf counts


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_the_rate_of_a_limited_link_is_found(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = next((each for each in available() if each.family == family), None)
    if library is None:
        pytest.skip(f"{family} is not installed")
    if not hosts.are_possible():
        pytest.skip("hosts cannot be made here: it needs root and virtual network cables")
    with hosts.made(2) as made:
        for node in made.nodes:
            node.run(["ip", "-6", "addr", "flush", "dev", "eth0"])
            links.limit(node, "eth0", f"{RATE_BITS}bit")
        monkeypatch.chdir(made.shared)
        found = launch(library, made, monkeypatch)
        assert found.longest_bytes["other_node"] >= 4 << 20
        assert found.bytes_per_ns["other_node"] == pytest.approx(RATE_BITS / 8e9 * PAYLOAD / FRAME, rel=0.03)


def launch(library: Library, made: hosts.Hosts, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    over_hosts = library.kind.over_hosts
    for name, value in over_hosts.environment.items():
        monkeypatch.setenv(name, value)
    start = over_hosts.words(
        script=str(links.remote_shell(made, made.shared)),
        here=made.login.address,
        hosts=[node.address for node in made.nodes],
        network=f"{hosts.NETWORK}.0/24",
    )
    inside = ["nsenter", "-t", str(made.login.process), "-u", "-n", "--", str(library.launch(2)[0])]
    return calibration_of(launch_all([*inside, *start, "-n", "2"], library, launches=1, seconds=20))
