"""Call paths as people read them: chains of routines, of which a report shows the innermost few."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from leadline.figures.run import Site
from leadline.symbols import Location

LONGEST_CHAIN = 4


def path_key(path: Sequence[Location]) -> tuple[str, ...]:
    """The routines of a path by their full names."""
    return tuple(location.full for location in path)


def chain_key(path: Sequence[Location]) -> tuple[str, ...]:
    """The key of a chain of routines: paths with the same innermost routines, as chain() shows them, are one chain."""
    return tuple(_innermost(path_key(path)))


def chain(path: Sequence[Location]) -> str:
    """The routines of a path, the innermost four, as "trcadv > exchange"."""
    return " > ".join(_innermost([location.routine for location in path]))


def shared_chain(sites: Sequence[Site]) -> list[str]:
    """The routines that the paths have in common, outermost first; preceded by "…" if there are outer ones."""
    paths = [site.path for site in sites]
    first = paths[0]
    common = len(first)
    for path in paths[1:]:
        ends = zip(reversed(first[len(first) - common :]), reversed(path), strict=False)
        common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0].full == pair[1].full, ends))
    routines = [location.routine for location in first[len(first) - common :]]
    return routines if all(len(path) == common for path in paths) else ["…", *routines]


def common_routines(sites: Sequence[Site]) -> list[str]:
    """The outer routines that all paths begin with, outermost first."""
    common: list[Location] = []
    for number, site in enumerate(sites):
        if number == 0:
            common = list(site.path)
        pairs = itertools.takewhile(lambda pair: pair[0].full == pair[1].full, zip(common, site.path, strict=False))
        common = [first for first, _ in pairs]
    return [location.routine for location in common]


def without_main(routines: Sequence[str]) -> list[str]:
    """The routines of a path, outermost first, without a main that only calls them."""
    return list(routines[1:] if len(routines) > 1 and routines[0] == "main" else routines)


def short_place(where: Location | None) -> str:
    """ "ocean/halo.cpp:41": enough to find the file, without its whole path; "" if unknown."""
    if where is None or not where.file:
        return ""
    return f"{'/'.join(where.file.strip('/').split('/')[-2:])}:{where.line_text}"


def _innermost(routines: Sequence[str]) -> list[str]:
    shown = without_main(routines)
    return shown if len(shown) <= LONGEST_CHAIN else ["…", *shown[-LONGEST_CHAIN:]]
