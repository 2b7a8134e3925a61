"""Kinds of settings, a file each: when the record makes it worth trying, what it sets, how that shows, and its risk.

Every module here has a function `candidates(facts, asked)`, which returns settings to try and what is not tried, with
the reason. They are found by their folder.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

FIRST = "own-settings"


def candidates(facts: Facts, asked: Asked) -> tuple[list[Setting], list[NotTried]]:
    """Of the kinds that are asked for; first come those that could save most, with kinds by turns. What the user has
    set goes before others that could save as much: it is the likeliest to be wrong here."""
    found: list[Setting] = []
    not_tried: list[NotTried] = []
    for name, kind in sorted(kinds().items(), key=lambda item: item[0] != FIRST):
        for each in kind.candidates(facts, asked) if not asked.only or name in asked.only else ():
            if isinstance(each, Setting):
                found.append(each)
            else:
                not_tried.append(each)
    return by_turns(found), not_tried


def by_turns(settings: Sequence[Setting]) -> list[Setting]:
    """However many of them there is time for, those of a kind are as many as what it could save asks for: seats by
    d'Hondt's rule. Ten protocols would else leave no time for an algorithm that could save nearly as much."""
    seats: dict[str, int] = {}
    found: list[tuple[float, Setting]] = []
    for setting in sorted(settings, key=lambda each: -each.share):
        seats[setting.kind] = seats.get(setting.kind, 0) + 1
        found.append((setting.share / seats[setting.kind], setting))
    return [setting for _, setting in sorted(found, key=lambda each: -each[0])]


def kinds() -> dict[str, Any]:
    """The modules, by the name of the kind: "own-settings"."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    found = {name.replace("_", "-"): importlib.import_module(f"{__name__}.{name}") for name in names}
    return {name: module for name, module in found.items() if hasattr(module, "candidates")}


__all__ = ["Asked", "NotTried", "candidates", "kinds"]
