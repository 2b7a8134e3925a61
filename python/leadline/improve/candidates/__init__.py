"""Kinds of settings, a file each: when the record makes it worth trying, what it sets, how that shows, and its risk.

Every module here has a function `candidates(facts, asked)`, which returns settings to try and what is not tried, with
the reason. They are found by their folder.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.text import format as fmt

FIRST = "own-settings"
OF_MESSAGES = ("protocol", "copying", "progress", "transports", "library-algorithms", "own-algorithms")  # kinds


def candidates(facts: Facts, asked: Asked) -> tuple[list[Setting], list[NotTried]]:
    """Of the kinds that are asked for; first come those that could save most, with kinds by turns. What the user has
    set goes before others that could save as much: it is the likeliest to be wrong here."""
    found: list[Setting] = []
    not_tried: list[NotTried] = []
    for name, kind in sorted(kinds().items(), key=lambda item: item[0] != FIRST):
        if asked.only and name not in asked.only:
            continue
        for each in _of_kind(name, kind, facts, asked):
            if isinstance(each, Setting):
                found.append(each)
            else:
                not_tried.append(each)
    return by_turns(found), not_tried


def _of_kind(name: str, kind: Any, facts: Facts, asked: Asked) -> Iterable[Setting | NotTried]:
    """What a replay says could save less than any gain that is looked for is not tried; of the rest, no setting can
    save more than the replay says."""
    if name not in OF_MESSAGES or facts.ideal is None:
        yield from kind.candidates(facts, asked)
    elif facts.ideal < WORTH:
        saved = fmt.percent(facts.ideal)
        yield NotTried(kind.WHAT, f"replayed without any time for messages and collectives, the run takes {saved} less")
    else:
        for each in kind.candidates(facts, asked):
            yield replace(each, share=min(each.share, facts.ideal)) if isinstance(each, Setting) else each


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
