"""Indented JSON is what Python's own writer makes of the same content."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from leadline.text.json_text import json_text

LETTERS = ["a", ",", " ", ":", "\n", '"', "\\", "\x7f", "\x1b", "é", "€", "\U0001f600", "[", "]", "{", "}", ", "]
NUMBERS = [0, -1, 10**25, 2.5, 1.0, -0.0, 1e300, float("nan"), float("inf"), -float("inf"), True, False, None]


def drawn(r: random.Random, depth: int = 0) -> Any:
    choice = r.randrange(6 if depth < 5 else 2)
    if choice == 0:
        return r.choice(NUMBERS)
    if choice == 1:
        return text(r)
    if choice == 2:
        return [r.choice(NUMBERS) for _ in range(r.randrange(6))]
    if choice == 3:
        return tuple(drawn(r, depth + 1) for _ in range(r.randrange(4)))
    if choice == 4:
        return [drawn(r, depth + 1) for _ in range(r.randrange(5))]
    keys = [text(r) if r.random() < 0.8 else r.choice(NUMBERS) for _ in range(r.randrange(6))]
    return {key: drawn(r, depth + 1) for key in keys}


def text(r: random.Random) -> str:
    return "".join(r.choice(LETTERS) for _ in range(r.randrange(6)))


@pytest.mark.parametrize("seed", range(4))
def test_indented_text_is_that_of_json(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(1000):
        content = drawn(r)
        for indent in (0, 1, 2):
            assert json_text(content, indent) == json.dumps(content, indent=indent)


def test_bytes_of_names_are_shown_and_what_json_lacks_is_refused() -> None:
    assert json_text({"\udcff": ["\udcfe"]}, 1) == '{\n "\\\\xff": [\n  "\\\\xfe"\n ]\n}'
    with pytest.raises(TypeError):
        json_text({"a": [object()]}, 1)
    with pytest.raises(TypeError):
        json_text({b"a": 1}, 1)
