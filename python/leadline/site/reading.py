"""Brings a catalogue up to date: reads the runs that are new or were written again, several at a time."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from leadline import cores
from leadline.site.account import Account, account_of
from leadline.site.catalogue import Catalogue, users
from leadline.site.discovery import Place

ENDED = "Leadline ended while it read this run; please report it"


def bring_up_to_date(catalogue: Catalogue, places: Sequence[Place], progress: Callable[[int, int], None]) -> None:
    """progress: told how many runs of how many are read. An interrupted call loses at most what was being read."""
    known = catalogue.stamps()
    new = [place for place in places if known.get(str(place.path)) != place.stamp]
    names = users(new)
    for done, (place, account) in enumerate(_accounts(new), 1):
        catalogue.put(place, names[place.user], account)
        progress(done, len(new))


def _accounts(places: Sequence[Place]) -> Iterator[tuple[Place, Account]]:
    if not places:
        return
    # A worker that dies takes the others with it: what they read is then read again, one run at a time.
    for place in (yield from _by_workers(places, min(cores.number(), len(places)))):
        for each in (yield from _by_workers([place], 1)):
            yield each, Account(why=ENDED, started_unix=each.stamp / 1e9)


def _by_workers(places: Sequence[Place], workers: int) -> Generator[tuple[Place, Account], None, list[Place]]:
    """Returns those that no worker has read."""
    suspects: list[Place] = []
    # Not by "spawn", which would look for modules in the working directory first.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        futures: dict[Future[Account], Place] = {}
        for place in places:
            try:
                futures[pool.submit(account_of, place.path, place.stamp)] = place
            except BrokenProcessPool:
                suspects.append(place)
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:
                suspects.append(futures[future])
    return suspects
