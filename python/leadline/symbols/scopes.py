"""Which scopes of C++ names are classes, found from a module's symbols if there is no debug information.

A mangled name does not say whether "ocean" in "ocean::advance" is a namespace or a class. The module's other names do:
only classes have constructors, destructors and const member functions, and are types of parameters.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

CLASS, NAMESPACE, NOTHING = range(3)  # what a module's symbols say of a scope
MOST_MENTIONS = 10_000
MOST_OF_UNUSED_CLASS = 3  # routines of a class that is never constructed, passed on, or const
_SPECIAL_MEMBER = re.compile(r"[CD][0-5]")
_OF_NESTED_CLASS = re.compile(r"\d+[A-Za-z_]\w*?[CD][0-5]E")
_LENGTH = re.compile(r"\d+")
_BEFORE_TYPE = re.compile(r"[PROKI]$")


class Scopes:
    """Asks the C++ symbols of one module. names: gives its functions' linker names; called when first needed."""

    def __init__(self, names: Callable[[], Iterable[str]] = lambda: ()) -> None:
        self.names_ = names
        self.known_: dict[str, bool] = {}

    def is_class(self, scope: str) -> bool:
        """Whether a scope, one component of a demangled name, is a class.

        If no symbol decides, it is a class if it begins with a capital letter and has few routines.
        """
        if "<" in scope:
            return True
        if not re.fullmatch(r"[A-Za-z_]\w*", scope):  # "(anonymous namespace)", "step(int)"
            return False
        if scope not in self.known_:
            told = self._told(f"{len(scope)}{scope}")
            self.known_[scope] = told == CLASS or (told == NOTHING and scope[0].isupper())
        return self.known_[scope]

    def _told(self, mangled: str) -> int:
        holds_classes = False
        routines = 0
        mentions = re.finditer(rf"(?<!\d){re.escape(mangled)}", self._text)
        for _, mention in zip(range(MOST_MENTIONS), mentions, strict=False):
            begin = self._text.rfind("\n", 0, mention.start()) + 1
            end = self._text.find("\n", mention.end())
            symbol = self._text[begin:end]
            starts, own_end = _components(symbol)
            at, rest = mention.start() - begin, symbol[mention.end() - begin :]
            if at in starts:
                innermost = at == _innermost(symbol, starts, own_end)
                if _SPECIAL_MEMBER.match(rest) or (innermost and symbol.startswith("_ZNK")):
                    return CLASS
                routines += innermost
                holds_classes = holds_classes or _OF_NESTED_CLASS.match(rest) is not None
            elif at >= own_end and (rest.startswith("E") or _BEFORE_TYPE.search(symbol[own_end:at])):
                return CLASS
        return NAMESPACE if holds_classes or routines > MOST_OF_UNUSED_CLASS else NOTHING

    @functools.cached_property
    def _text(self) -> str:
        return "".join(f"{name}\n" for name in self.names_() if name.startswith("_Z"))


def _components(symbol: str) -> tuple[list[int], int]:
    """Where the components of the name itself begin in a mangled symbol, and where they end."""
    at = 3 if symbol.startswith("_ZN") else 2
    if symbol.startswith("K", at):
        at += 1
    starts = []
    while match := _LENGTH.match(symbol, at):
        starts.append(at)
        at = match.end() + int(match[0])
    return starts, at


def _innermost(symbol: str, starts: list[int], own_end: int) -> int:
    """The beginning of the scope of a nested name's routine; -1 if template arguments hide it."""
    after = symbol[own_end : own_end + 1]
    if after == "E" and len(starts) > 1:
        return starts[-2]
    return starts[-1] if after.islower() and starts else -1  # an operator: "eq"
