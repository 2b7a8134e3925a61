"""Lines never end between a number and its unit."""

from leadline.text.wrapping import together, wrapped


def test_a_number_and_its_unit_stay_together() -> None:
    assert wrapped("it takes 2.5 ms", 13) == ["it takes", "2.5 ms"]
    assert wrapped("files <0.1 % now", 10) == ["files", "<0.1 % now"]
    assert wrapped("of 86.4 kB each", 8) == ["of", "86.4 kB", "each"]
    assert wrapped("in 3 × 12.9 s", 6) == ["in 3 ×", "12.9 s"]


def test_other_words_part_as_usual() -> None:
    assert wrapped("of 51 sends", 5) == ["of 51", "sends"]
    assert wrapped("51 steps", 6) == ["51", "steps"]
    assert wrapped("a 2 a b", 5, "- ", "  ") == ["- a 2", "  a b"]


def test_what_is_together_stays_so() -> None:
    assert wrapped("  ".join(map(together, ["# computation 2 %", "= waiting 98 %"])), 20) == [
        "# computation 2 %",
        "= waiting 98 %",
    ]
