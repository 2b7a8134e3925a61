"""Changes to a recorded program that is replayed (docs/tune/predict.md): what they are about, by the report's names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline import _core
from leadline.errors import UsageError
from leadline.figures.run import Run, Site
from leadline.figures.steps import loops_at, split_place
from leadline.text import format as fmt


@dataclass(frozen=True)
class Pack:
    """The messages of `most` iterations of a loop to each partner become one; 0: of all. members: the loops' numbers in
    the run, if these are known; else those at `sites`.   computes: its iterations may compute what they
    exchange."""

    sites: str
    most: int = 0
    members: tuple[int, ...] = ()
    computes: bool = True


@dataclass(frozen=True)
class Computation:
    """Computation before the calls of a routine or loop is multiplied with the factor. members: the loops' numbers in
    the run, if these are known; else what is at `sites`."""

    sites: str
    factor: float
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Balance:
    """In each iteration of the main loop all ranks compute equally long; or only over all iterations."""

    each_iteration: bool = True


@dataclass(frozen=True)
class NoNoise:
    """Computation before a call takes its median over the iterations of the main loop."""


@dataclass(frozen=True)
class Without:
    """Collective calls, and calls about objects, that are not made. members: their numbers in the run, if these are
    known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()

    def sites_in(self, run: Run) -> list[int]:
        """The call sites, by number; none if they were given by a loop around them."""
        return list(self.members) or numbers_of(run, self.sites)[1]


@dataclass(frozen=True)
class Merge:
    """Exchanges in a row that have the same partners become one, with the bytes of all; so do collective calls of one
    kind. members: the calls' numbers in the run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Join:
    """Messages one after another to the same partner become one, with the bytes of all. members: the calls' numbers in
    the run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Nonblocking:
    """Blocking sends and receives of an exchange become nonblocking, with one wait at its end. members: the calls'
    numbers in the run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """Messages are nonblocking, and what ranks compute between an exchange and their next call comes before its wait.
    part: of that computation.   members: the calls' numbers in the run, if these are known; else those at `sites`.
    independent: that it needs nothing of what is received is taken for granted, so that the interval leaves it so."""

    sites: str
    part: float = 1.0
    members: tuple[int, ...] = ()
    independent: bool = False


@dataclass(frozen=True)
class Files:
    """Blocking file calls take `factor` of their time. members: their numbers in the run, if these are known; else
    those at `sites`."""

    sites: str
    factor: float
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Relax:
    """Synchronous sends become standard ones. members: their numbers in the run, if these are known; else those at
    `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Gather:
    """Messages of all ranks of a communicator to one become a gather; over a tree, a reduction. members: the calls'
    numbers in the run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Distribute:
    """Messages of one rank to all others of a communicator become a broadcast, or a scatter if their sizes differ.
    Those that others pass on, in a tree, become a broadcast.
    members: the calls' numbers in the run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class ExchangeAll:
    """Messages of all ranks of a communicator to all others become an all-to-all. members: the calls' numbers in the
    run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class ExchangeFew:
    """Those of an MPI_Alltoallv (or w) become nonblocking messages between the ranks that have data for each other.
    members: the calls' numbers in the run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class LeaveOutIdle:
    """Ranks that have no data in any of these collective calls do not make them. members: the calls' numbers in the
    run, if these are known; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class PollOnce:
    """Polls in a row that find nothing, and that no success ends, become one. members: their numbers in the run, if
    these are known, and then there need not be any; else those at `sites`."""

    sites: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Algorithm:
    """Of a collective operation; both as `leadline bench` names them. It needs a network, and is no change of calls:
    it goes into `Change.collectives`."""

    operation: str
    name: str


OfCalls = (
    Without
    | Join
    | Merge
    | Nonblocking
    | Overlap
    | Gather
    | Distribute
    | ExchangeAll
    | ExchangeFew
    | LeaveOutIdle
    | Files
    | Relax
    | PollOnce
)
AnyChange = OfCalls | Pack | Computation | Balance | NoNoise
# Computation is what it is before messages are packed and computation is spread. What overlaps comes last.
_ORDER = (
    *(
        PollOnce,
        Computation,
        NoNoise,
        Files,
        Relax,
        Without,
        Gather,
        Distribute,
        ExchangeAll,
        LeaveOutIdle,
        ExchangeFew,
    ),
    *(Pack, Join, Merge, Nonblocking, Balance, Overlap),
)


@dataclass(frozen=True)
class Made:
    """What a change did, over all ranks: the calls that it replaced, by how many, and the messages that these send."""

    change: str
    text: str
    calls_before: int
    calls_after: int
    messages_before: int
    messages_after: int


def apply(tree: _core.ReplayTree, run: Run, changes: Sequence[AnyChange]) -> list[Made]:
    """Raises UsageError if a change cannot be made, with the reason."""
    return [_apply(tree, run, change) for change in sorted(changes, key=lambda change: _ORDER.index(type(change)))]


def _apply(tree: _core.ReplayTree, run: Run, change: AnyChange) -> Made:
    try:
        match change:
            case Pack():
                name, text = "pack", f"messages in {change.sites} packed"
                text += f", {change.most:,} iterations into one" if change.most else ""
                loops, sites = list(change.members), list[int]()
                if not loops:
                    loops, sites = numbers_of(run, change.sites, outermost=True)
                done = tree.pack(loops, sites, change.most)
            case Computation():
                name = "compute"
                text = f"computation in {change.sites} takes {fmt.percent(change.factor)} of its time"
                loops, sites = list(change.members), list[int]()
                if not loops:
                    loops, sites = numbers_of(run, change.sites)
                done = tree.computation(loops, sites, change.factor)
            case Without():
                name, text = "without", f"calls in {change.sites} not made"
                done = tree.remove_calls(*_calls_of(run, change))
            case Merge():
                name, text = "merge", f"exchanges or collectives in a row in {change.sites} made one"
                done = tree.merge(*_calls_of(run, change))
            case Join():
                name, text = "join", f"messages in a row to one partner in {change.sites} made one"
                done = tree.join(*_calls_of(run, change))
            case Gather():
                name, text = "gather", f"messages in {change.sites} to one rank gathered"
                done = tree.gather(*_calls_of(run, change))
            case Distribute():
                name, text = (
                    "distribute",
                    f"messages in {change.sites} from one rank to all made a broadcast or scatter",
                )
                done = tree.distribute(*_calls_of(run, change))
            case ExchangeAll():
                name, text = "alltoall", f"messages in {change.sites} from all ranks to all made an all-to-all"
                done = tree.exchange_all(*_calls_of(run, change))
            case ExchangeFew():
                name, text = "sparse", f"all-to-alls in {change.sites} made messages between ranks that have data"
                done = tree.exchange_few(*_calls_of(run, change))
            case LeaveOutIdle():
                name, text = "without-idle", f"collectives in {change.sites} not made by ranks without data"
                done = tree.leave_out_idle(*_calls_of(run, change))
            case Nonblocking():
                name, text = "nonblocking", f"messages in {change.sites} nonblocking, with one wait for each exchange"
                done = tree.nonblocking(*_calls_of(run, change))
            case Overlap():
                name, text = "overlap", f"messages in {change.sites} waited for after the computation that follows"
                done = tree.overlap(*_calls_of(run, change), change.part)
            case Files():
                name, text = "io", f"file calls in {change.sites} take {fmt.percent(change.factor)} of their time"
                done = tree.scale_files(*_calls_of(run, change), change.factor)
            case Relax():
                name, text = "relax", f"synchronous sends in {change.sites} are standard ones"
                done = tree.relax_sends(*_calls_of(run, change))
            case PollOnce():
                name, text = "poll-once", f"polls in a row in {change.sites} that find nothing made one"
                done = tree.poll_once(*_calls_of(run, change), bool(change.members))
            case Balance():
                name, text = "balance", "computation of each iteration spread evenly over the ranks"
                done = tree.balance(change.each_iteration)
            case NoNoise():
                name, text = "noise", "computation without noise: each call's median over the iterations"
                done = tree.without_noise()
    except ValueError as error:
        where = "" if isinstance(change, Balance | NoNoise) else f" {change.sites}"
        raise UsageError(f"--{name}{where}: {error}") from error
    return Made(name, text, *done)


def _calls_of(run: Run, change: OfCalls) -> tuple[list[int], list[int]]:
    """Loops and call sites, by number."""
    return ([], list(change.members)) if change.members else numbers_of(run, change.sites)


def numbers_of(run: Run, place: str, *, outermost: bool = False) -> tuple[list[int], list[int]]:
    """The loops at FILE:LINE or ROUTINE[:LINE] by number, and, if there are none, the call sites there or below.

    outermost: only the loops that are in no other one of these.   Raises UsageError if there is nothing.
    """
    name, _ = split_place(place)
    if not name:
        raise UsageError(f"{place!r} names no loop or call", hint="FILE:LINE or ROUTINE[:LINE], as the report does")
    if loops := loops_at(run, place):
        within = run.profile.loops.within
        inner = {a for a in loops if any(a != b and within(a, b) for b in loops)} if outermost else set()
        return [loop for loop in loops if loop not in inner], []
    found = [member for site in run.sites if is_at(site, place) for member in site.members]
    if not found:
        raise UsageError(
            f"no loop or call is at {place}", hint="FILE:LINE or ROUTINE[:LINE], as the report names loops and calls"
        )
    return [], found


def is_at(site: Site, place: str) -> bool:
    """Whether the call is at FILE:LINE or ROUTINE[:LINE], or below."""
    name, line = split_place(place)
    for location in site.path:
        names = {location.routine.lower(), location.routine.rpartition("::")[2].lower()}
        if line:
            names.add(location.file.rpartition("/")[2].lower())
        if name.lower() in names and (not line or location.line == line):
            return True
    return False
