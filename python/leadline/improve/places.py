"""Where a command's ranks run, and the hardware of their hosts: asked of a shell in the program's place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from leadline.errors import LeadlineError
from leadline.improve.setting import Setting, command_with, laid_out, variables_of
from leadline.launch.launcher import find_launcher, with_program
from leadline.launchers.variables import launcher_variables
from leadline.placing.topology import SCRIPT, Core, cores_of, cpus_of
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.tuning.shared import shared_folder, unseen

ASK_S = 60.0
PLACE = re.compile(r"place (\d+) (\S+) (\S+)")


class NoPlaces(LeadlineError):
    """The ranks did not say where they run; the message says why."""


@dataclass(frozen=True)
class Places:
    """host_of, cpus_of: by rank; the CPUs that it may use.   cores: of each host, of which its ranks may use any."""

    host_of: tuple[str, ...]
    cpus_of: tuple[tuple[int, ...], ...]
    cores: Mapping[str, tuple[Core, ...]] = field(default_factory=dict, hash=False)

    @property
    def hosts(self) -> tuple[str, ...]:
        """In the order in which ranks begin to be on them."""
        return tuple(dict.fromkeys(self.host_of))


def places_of(command: Sequence[str], environ: Mapping[str, str], settings: Sequence[Setting] = ()) -> Places:
    """Raises NoPlaces, CannotStart."""
    with shared_folder("places") as folder:
        chosen = [laid_out(setting, folder) for setting in settings]
        words, left = command_with(command, environ, chosen, variables_of(chosen, folder))
        launcher = find_launcher(words, left.get("PATH"))
        if launcher is None:
            raise NoPlaces("the command has no launcher")
        before, rest = words[: launcher.index + 1], words[launcher.index + 1 :]
        asking = ["/bin/sh", "-c", _script(), "sh", str(folder)]
        argv = (*before, *with_program(rest, asking, launcher.kind))
        ended = execute(Launch("the ranks' places", argv, left, limit_s=ASK_S, merged=True))
        if not ended.ok:
            said = next((line for line in ended.lines() if line.strip("- ")), ended.explained)
            raise NoPlaces(f"the launcher starts no ranks: {said}")
        texts = [path.read_text(errors="replace") for path in sorted(folder.glob("said.*"))]
        return said_places(texts, unseen(folder))


def on_these_hosts(setting: Setting, command: Sequence[str], environ: Mapping[str, str]) -> Setting:
    """A setting with places, for the hosts on which the command's ranks are now. Raises NoPlaces."""
    now = places_of(command, environ)
    if len(now.host_of) != len(setting.places):
        raise NoPlaces(f"it has places for {len(setting.places)} ranks, and {len(now.host_of)} start")
    if len(now.hosts) != len(setting.hosts):
        raise NoPlaces(f"it has places on {len(setting.hosts)} hosts, and the ranks are on {len(now.hosts)}")
    return replace(setting, hosts=now.hosts)


def _script() -> str:
    """What each rank runs: it writes a file into the folder that it is given."""
    known = [of for of in launcher_variables().values() if of.rank and of.local_rank]
    ranks = "".join(
        f'{"el" if at else ""}if [ -n "${of.rank}" ]; then rank=${of.rank}; local=${of.local_rank}\n'
        for at, of in enumerate(known)
    )
    return f"""{ranks}fi
[ -n "$rank" ] || exit 0
{{ echo "place $rank $(uname -n) $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
[ "${{local:-0}}" = 0 ] && ( {SCRIPT} )
}} > "$1/said.$rank"
exit 0
"""


def said_places(texts: Sequence[str], unseen: str) -> Places:
    """From what each rank wrote. Raises NoPlaces: with `unseen`, if ranks are missing."""
    host_of: dict[int, str] = {}
    cpus: dict[int, tuple[int, ...]] = {}
    cores: dict[str, tuple[Core, ...]] = {}
    for text in texts:
        first, *lines = text.splitlines() or [""]
        found = PLACE.fullmatch(first.strip())
        if found is None:
            continue
        rank, host = int(found[1]), found[2]
        host_of[rank], cpus[rank] = host, tuple(cpus_of(found[3]))
        if its := cores_of(lines):
            cores[host] = its
    if not host_of or sorted(host_of) != list(range(len(host_of))) or not all(cpus.values()):
        raise NoPlaces(f"not all ranks said where they run: {unseen}")
    allowed = {
        host: frozenset(cpu for rank, its in host_of.items() if its == host for cpu in cpus[rank])
        for host in set(host_of.values())
    }
    usable = {host: tuple(_within(core, allowed[host]) for core in its) for host, its in cores.items()}
    return Places(
        tuple(host_of[rank] for rank in range(len(host_of))),
        tuple(cpus[rank] for rank in range(len(host_of))),
        {host: tuple(core for core in its if core.threads) for host, its in usable.items()},
    )


def _within(core: Core, allowed: frozenset[int]) -> Core:
    """Without threads that no rank may use."""
    kept = [(cpu, at) for cpu, at in zip(core.threads, core.thread_numbers, strict=True) if cpu in allowed]
    return replace(core, threads=tuple(cpu for cpu, _ in kept), thread_numbers=tuple(at for _, at in kept))
