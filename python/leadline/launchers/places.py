"""Where each rank is to run, and what a launcher needs to be told for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

RANK_FILE = "{rankfile}"  # in options, for the file's path


@dataclass(frozen=True)
class RankPlace:
    """host: in the order in which ranks begin to be on them.   cpus: as the system numbers them.   cores, threads: as
    hwloc numbers cores and hardware threads.   whole: whether it has all threads of its cores."""

    host: int
    cpus: tuple[int, ...]
    cores: tuple[int, ...]
    threads: tuple[int, ...]
    whole: bool = True


@dataclass(frozen=True)
class Placing:
    """options: of the launcher, in which a word of option_files stands for the path of a file with this text.
    variables: of the launcher and the ranks.   files: contents, by the variable that is to name the file.
    In texts, {host0} stands for the name of the first host."""

    options: tuple[str, ...] = ()
    option_files: Mapping[str, str] = field(default_factory=dict, hash=False)
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    files: Mapping[str, str] = field(default_factory=dict, hash=False)


def for_each_host(places: Sequence[RankPlace]) -> list[tuple[int, ...]] | None:
    """The CPUs of the first rank of each host, of the second one, and so on; None if they are not the same on all."""
    hosts: dict[int, list[tuple[int, ...]]] = {}
    for place in places:
        hosts.setdefault(place.host, []).append(place.cpus)
    found: list[tuple[int, ...]] = []
    for row in zip_longest(*hosts.values()):
        cpus = {each for each in row if each is not None}
        if len(cpus) != 1:
            return None
        found += cpus
    return found


def host_name(number: int) -> str:
    """What stands for a host in the text of a file."""
    return f"{{host{number}}}"
