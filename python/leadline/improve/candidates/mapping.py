"""A place for each rank: by who exchanges with whom, spread over memories and caches, or on hardware threads.

On several hosts, ranks that exchange most come onto one. Within a host they share a socket, memory and caches. If there
are more cores than ranks, they can be near each other, or far from each other, which leaves each more memory bandwidth
and cache: that is what placement on NUMA nodes comes to, since Linux gives a rank memory where it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from leadline.errors import LeadlineError
from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.places import Places
from leadline.improve.setting import Setting
from leadline.launchers.places import Placing, RankPlace, for_each_host
from leadline.placing.mapping import Place, by_cores, by_threads, levels_of, mapped, spread
from leadline.placing.topology import list_of
from leadline.placing.traffic import Traffic, between
from leadline.text import format as fmt

WHAT = "places of ranks by who exchanges with whom"
NEAR = "places of ranks near each other"
SMT = "hardware threads (SMT)"
RISK = "other programs on the same cores are not evaded; another host may have other cores"
MOST_RANKS = 512
LEVELS = ("sockets", "NUMA nodes", "caches", "cores")


@dataclass(frozen=True)
class _Choice:
    name: str
    words: str
    share: float
    places: Mapping[str, Sequence[Place]]


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if asked.places is None or facts.launcher.options is None:
        yield NotTried(WHAT, "Leadline knows no option of this launcher for it")
        return
    if not 2 <= facts.ranks <= MOST_RANKS:
        yield NotTried(WHAT, f"there {'is one rank' if facts.ranks == 1 else f'are more than {MOST_RANKS} ranks'}")
        return
    try:
        places, traffic, version = asked.places()
    except LeadlineError as error:
        yield NotTried(WHAT, str(error))
        return
    if why := _why_alike(places):
        yield NotTried(WHAT, why)
        yield NotTried(SMT, "no core that ranks may use has two of them")
        return
    told: set[tuple[RankPlace, ...]] = set()
    for choice in _choices(facts, places):
        if isinstance(choice, NotTried):
            yield choice
            continue
        found = mapped(places.host_of, choice.places, traffic)
        by_rank = _by_rank(places, found)
        if by_rank in told or _is_now(places, by_rank):
            continue
        told.add(by_rank)
        yield _setting(facts, places, choice, found, traffic, version)


def _why_alike(places: Places) -> str:
    """Why any place is as good as any other."""
    shared = {levels_of(core)[:-1] for cores in places.cores.values() for core in cores}
    threads = any(len(core.threads) > 1 for cores in places.cores.values() for core in cores)
    if len(places.hosts) > 1 or len(shared) > 1 or threads:
        return ""
    return "all cores are alike: of one host, socket, NUMA node and cache, one hardware thread each"


def _choices(facts: Facts, places: Places) -> Iterator[_Choice | NotTried]:
    counts = {host: places.host_of.count(host) for host in places.hosts}
    cores = {host: places.cores.get(host, ()) for host in places.hosts}
    communicating = facts.messages + facts.collective_share
    has_threads = any(len(core.threads) > 1 for its in cores.values() for core in its)
    if all(len(cores[host]) >= count for host, count in counts.items()):
        width = max(1, min(facts.threads, *(len(cores[host]) // count for host, count in counts.items())))
        all_places = {host: by_cores(cores[host], width) for host in counts}
        near = {host: its[: counts[host]] for host, its in all_places.items()}
        far = {host: spread(its, counts[host]) for host, its in all_places.items()}
        if communicating < WORTH:
            yield NotTried(NEAR, f"messages and collectives take {fmt.percent(communicating)} of the time")
        else:
            yield _Choice("placed-near", "each rank on a core, near those it exchanges with", communicating, near)
        yield _Choice("placed-spread", "each rank on a core, spread over sockets, NUMA nodes and caches", 1.0, far)
        if has_threads and facts.threads == 1 and communicating >= WORTH:
            pairs = {host: by_threads(cores[host])[: counts[host]] for host in counts}
            yield _Choice("placed-siblings", "ranks that exchange share a core", communicating, pairs)
        elif not has_threads:
            yield NotTried(SMT, "no core that ranks may use has two of them")
    elif has_threads and all(len(by_threads(cores[host])) >= count for host, count in counts.items()):
        threads = {host: spread(by_threads(cores[host]), counts[host]) for host in counts}
        yield _Choice("placed-threads", "each rank on a hardware thread", 1.0, threads)
    else:
        yield NotTried(WHAT, "a host has more ranks than hardware threads that they may use")


def _by_rank(places: Places, found: Sequence[tuple[str, Place]]) -> tuple[RankPlace, ...]:
    number = {host: at for at, host in enumerate(places.hosts)}
    return tuple(RankPlace(number[host], at.cpus, at.cores, at.threads, at.whole) for host, at in found)


def _is_now(places: Places, by_rank: Sequence[RankPlace]) -> bool:
    hosts = places.hosts
    return all(
        (hosts[place.host], place.cpus) == now
        for place, now in zip(by_rank, zip(places.host_of, places.cpus_of, strict=True), strict=True)
    )


def _setting(
    facts: Facts,
    places: Places,
    choice: _Choice,
    found: Sequence[tuple[str, Place]],
    traffic: Traffic,
    version: str,
) -> Setting | NotTried:
    by_rank = _by_rank(places, found)
    what = f"{choice.words}{_saved(places, choice, found, traffic)}"
    told = _told(facts, by_rank, version, moved=tuple(host for host, _ in found) != places.host_of)
    if told is None:
        return NotTried(
            what, "no option of this launcher is known for it, or it takes the same places on all hosts only"
        )
    return Setting(
        choice.name,
        "binding",
        what,
        RISK,
        choice.share,
        variables=told.variables,
        files=told.files,
        options=told.options,
        option_files=told.option_files,
        # The user's own would place ranks, too.
        without_options=tuple(each for each in facts.set_options if facts.places(each)),
        places=tuple(f"{place.host}:{list_of(place.cpus)}" for place in by_rank),
        hosts=places.hosts,
    )


def _told(facts: Facts, by_rank: Sequence[RankPlace], version: str, *, moved: bool) -> Placing | None:
    """Options of the launcher or variables of the library, whichever binds."""
    lists = for_each_host(by_rank)
    if facts.library is not None and not moved and lists is not None and (own := facts.library.placing(lists)):
        return Placing(variables=own)
    if facts.library is not None and facts.library.binding("core"):
        return None
    return facts.launcher.placing(by_rank, version, moved=moved)


def _saved(places: Places, choice: _Choice, found: Sequence[tuple[str, Place]], traffic: Traffic) -> str:
    """Bytes between the largest parts that there are several of, and how many they are if ranks come in their order."""
    iterators = {host: iter(choice.places[host]) for host in places.hosts}
    plain = [(host, next(iterators[host])) for host in places.host_of]
    parts = [("hosts", [host for host, _ in plain], [host for host, _ in found])]
    for depth, name in enumerate(LEVELS, 1):
        parts.append((name, *([(host, at.levels[:depth]) for host, at in each] for each in (plain, found))))  # type: ignore[arg-type]
    for name, before, after in parts:
        if len(set(after)) > 1 and (moved := between(before, traffic)):
            return f": {fmt.size(between(after, traffic))} between {name}, not {fmt.size(moved)}"
    return ""
