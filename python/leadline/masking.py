"""Hides what looks like a secret in command lines and settings. src/recorder/job/masking.cpp does the same in ranks.

A word is a secret if its name says so: --password=X, --password X, env DB_TOKEN=X, -genv API_KEY X; and so is the user
in a URL, https://user:password@host.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

MASK = "***"
# A part of a name: "db-password", "DB_PASSWORD", "dbPassword". A key is one only at the end: --key, API_KEY.
PARTS = frozenset(
    "password passwords passwd passphrase passcode pwd secret secrets token credential credentials bearer "
    "authorization apikey apitoken authtoken accesskey privatekey secretkey".split()
)
LAST_PARTS = frozenset(("key", "auth", "pass", "pw"))
NO_SECRETS = frozenset(("PWD", "OLDPWD"))
# Words of launchers after which come a name and its value, as two words.
NAMES_FOLLOW = frozenset("-env -genv --env --genv -mca --mca -gmca --gmca -setenv".split())
_NAME = re.compile(r"-{0,2}[A-Za-z_][A-Za-z0-9_.-]*")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s?#,]+@")
_SPACES = re.compile(r"(\s+)")


def is_secret(name: str) -> bool:
    """Whether the name of an option, a variable or a setting is that of a secret."""
    if name in NO_SECRETS:
        return False
    parts = [part for part in re.split(r"[^a-z0-9]+", _apart(name).lower()) if part]
    if any(part in PARTS for part in parts) or (parts and parts[-1] in LAST_PARTS):
        return True
    return any(one + other in PARTS for one, other in itertools.pairwise(parts))


def masked_value(name: str, value: str) -> str:
    """The value of a setting, masked if it is a secret."""
    return MASK if value and is_secret(name) else _without_users(value)


def masked_words(words: Sequence[str]) -> list[str]:
    """A command line; also within a word that is one itself, as in sh -c '…'."""
    found = []
    state = _Words()
    for word in words:
        found.append("".join(piece if piece.isspace() else state.masked(piece) for piece in _SPACES.split(word)))
    return found


class _Words:
    """Goes from word to word, and knows from those before whether the next one is a secret."""

    def __init__(self) -> None:
        self._hidden = False  # the next word
        self._name_follows = False

    def masked(self, word: str) -> str:
        if not word:
            return word
        hidden, name_follows = self._hidden, self._name_follows
        self._hidden = self._name_follows = False
        if word.lower() == "bearer" or (hidden and word.lower() == "basic"):  # Authorization: Bearer X
            self._hidden = True
            return word
        if hidden and not word.startswith("-"):
            return MASK
        name, equals, value = word.partition("=")
        bare = name.rstrip(":") if not equals else name
        if not _NAME.fullmatch(bare) or not is_secret(bare.lstrip("-")):
            self._name_follows = word in NAMES_FOLLOW
            return _without_users(word)
        if equals:
            return f"{name}={MASK}" if value else word
        self._hidden = name.startswith("-") or name_follows or name.endswith(":")
        return word


def _apart(name: str) -> str:
    """dbPassword -> db-Password."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)


def _without_users(text: str) -> str:
    return _URL.sub(rf"\1{MASK}@", text)
