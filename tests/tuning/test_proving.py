"""Where a rule took effect, and where not: the two are never said of one size."""

from __future__ import annotations

from leadline.tuning.proving import Proof
from leadline.tuning.table import Rule

RULE = Rule("bcast", (2, 8), (1024, 65536), "binomial")


def proof(**tried: dict[int, bool]) -> Proof:
    """tried: by number of ranks, as in n4, whether each size went as set."""
    seen = [
        {"bytes": size, "processes": int(count[1:]), "routine": "", "as_set": as_set}
        for count, sizes in tried.items()
        for size, as_set in sizes.items()
    ]
    return Proof(RULE, "because", tuple(seen))


def ranges(found: Proof, *, as_set: bool) -> list[tuple[list[int], list[int]]]:
    return [(each["processes"], each["bytes"]) for each in found.ranges(as_set=as_set)]


def test_all_or_nothing_is_the_rules_range() -> None:
    everything = proof(n4={1024: True, 8192: True, 65536: True})
    assert ranges(everything, as_set=True) == [([2, 8], [1024, 65536])]
    nothing = proof(n4={1024: False, 65536: False})
    assert ranges(nothing, as_set=False) == [([2, 8], [1024, 65536])]
    assert ranges(Proof(RULE, "the job is too small", ()), as_set=False) == [([2, 8], [1024, 65536])]


def test_one_end_without_effect_is_taken_from_what_is_applied() -> None:
    found = proof(n4={1024: True, 8192: True, 65536: False})
    assert ranges(found, as_set=True) == [([2, 8], [1024, 8192])]
    assert ranges(found, as_set=False) == [([2, 8], [65536, 65536])]


def test_a_middle_without_effect_leaves_two_pieces() -> None:
    found = proof(n2={1024: True, 8192: False, 65536: True}, n8={1024: True, 8192: False, 65536: True})
    assert ranges(found, as_set=True) == [([2, 8], [1024, 1024]), ([2, 8], [65536, 65536])]
    assert ranges(found, as_set=False) == [([2, 8], [8192, 8192])]


def test_numbers_of_ranks_that_differ_are_told_apart() -> None:
    found = proof(n2={1024: True, 65536: True}, n8={1024: True, 65536: False})
    assert ranges(found, as_set=True) == [([2, 2], [1024, 65536]), ([8, 8], [1024, 1024])]
    assert ranges(found, as_set=False) == [([8, 8], [65536, 65536])]
