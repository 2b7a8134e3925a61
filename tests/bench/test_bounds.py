"""Lower bounds by hand, for a network of 1 µs, 1 ns a byte, and 2 ns a byte of a sum."""

import pytest

from leadline.bench.bounds import Network, as_dict, bound_us, fit


def network() -> Network:
    found = fit([(0, 1000), (1 << 20, 1000 + (1 << 20))], [(4096, 8192)])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("operation", "n_bytes", "processes", "bound"),
    [
        ("p2p", 0, 2, 1.0),
        ("p2p", 1000, 2, 2.0),
        ("bcast", 8, 8, 3.0),  # three rounds
        ("bcast", 8, 9, 4.0),
        ("bcast", 100_000, 8, 101.0),  # one message with the data itself
        ("reduce", 100_000, 4, 150.0),  # three quarters of it are to be summed by each
        ("allreduce", 100_000, 2, 101.0),
        ("allreduce", 8, 5, 3.0),
        ("allreduce", 8, 1, 0.0),
        ("bcast", 0, 8, 0.0),
    ],
)
def test_bounds_by_hand(operation: str, n_bytes: int, processes: int, bound: float) -> None:
    assert bound_us(operation, n_bytes, processes, network()) == pytest.approx(bound)


def test_the_network_is_the_most_favourable_that_was_measured() -> None:
    messages = [(0, 1100), (8, 1000), (65536, 66536), (1 << 20, (2 << 20) + 1000)]
    found = fit(messages, [(4096, 8192), (65536, 65536)])
    assert found is not None
    assert list(as_dict(found).values()) == pytest.approx([1.0, 0.001, 0.001])


def test_no_network_without_messages() -> None:
    assert fit([], []) is None
    assert fit([(8, 1000)], []) is None
