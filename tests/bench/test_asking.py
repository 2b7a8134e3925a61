"""The possible requests, and those that are refused in one line."""

import pytest

from leadline.bench.asking import Algorithm, Candidate, candidates_for, netpipe_sizes, parse_size, sizes_for
from leadline.errors import UsageError

KNOWN = [
    Algorithm("bcast", "binomial", False, False, False),
    Algorithm("bcast", "chain", False, True, False),
    Algorithm("bcast", "knomial", False, False, True),
    Algorithm("allreduce", "ring", True, False, False),
    Algorithm("allreduce", "two_level", True, False, False),
    Algorithm("allreduce", "two_level:over=chain", True, True, False),
]


@pytest.mark.parametrize(
    ("word", "size"),
    [
        ("0", 0),
        ("8", 8),
        ("64k", 64_000),
        ("64Ki", 65536),
        ("1M", 1_000_000),
        ("2KiB", 2048),
        ("1g", 10**9),
        ("1.5k", 1500),
    ],
)
def test_sizes(word: str, size: int) -> None:
    assert parse_size(word) == size


@pytest.mark.parametrize("word", ["", "-1", "8x", "1.5", "0.0001k", "many", "3g", "k", "1 i", "8BB"])
def test_what_is_no_size(word: str) -> None:
    with pytest.raises(UsageError):
        parse_size(word)


def test_sums_are_of_whole_doubles() -> None:
    assert sizes_for("bcast", ["10", 8]) == [8, 10]
    with pytest.raises(UsageError, match="not a multiple of 8"):
        sizes_for("allreduce", ["10"])


def test_netpipe_sizes_are_perturbed() -> None:
    sizes = netpipe_sizes(100)
    assert sizes[:8] == [1, 2, 3, 4, 5, 6, 8, 9]
    assert {61, 64, 67, 93, 96, 99} <= set(sizes)
    assert sizes[-1] == 100
    assert sizes == sorted(set(sizes))


def test_the_base_is_always_the_first() -> None:
    assert [str(c) for c in candidates_for("bcast", "all", KNOWN)] == ["native", "binomial", "chain", "knomial"]
    assert [str(c) for c in candidates_for("allreduce", "ring,native", KNOWN)] == ["native", "ring"]
    assert [str(c) for c in candidates_for("p2p", "sendrecv", KNOWN)] == ["blocking", "sendrecv"]
    assert "bcast" not in [str(c) for c in candidates_for("latency", None, KNOWN)]
    assert [str(c) for c in candidates_for("netpipe", None, KNOWN)] == ["blocking"]


def test_parameters() -> None:
    found = candidates_for("bcast", ["chain:segment=64Ki", "knomial:radix=4"], KNOWN)
    assert found == [Candidate("native"), Candidate("chain", 65536), Candidate("knomial", 0, 4)]
    assert str(found[1]) == "chain:segment=65536"
    assert candidates_for("bcast", [str(c) for c in found], KNOWN) == found


def test_names_may_contain_a_colon() -> None:
    found = candidates_for("allreduce", "two_level,two_level:over=chain,two_level:over=chain:segment=8Ki", KNOWN)
    assert [str(c) for c in found[1:]] == ["two_level", "two_level:over=chain", "two_level:over=chain:segment=8192"]
    with pytest.raises(UsageError, match="has no parameter"):
        candidates_for("allreduce", "two_level:over=nobody", KNOWN)


@pytest.mark.parametrize(
    "word", ["ring", "binomial:segment=8", "chain:radix=2", "knomial:radix=1", "chain:segment=x", "native:segment=8"]
)
def test_what_is_no_candidate(word: str) -> None:
    with pytest.raises(UsageError):
        candidates_for("bcast", word, KNOWN)


def test_asked_for_none_only_the_base_is_measured() -> None:
    assert candidates_for("bcast", [], KNOWN) == [Candidate("native")]
    assert candidates_for("p2p", [], KNOWN) == [Candidate("blocking")]
