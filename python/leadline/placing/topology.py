"""The cores of a host, and what they share: hardware threads, caches, memory, sockets.

Source: Linux, Documentation/ABI/stable/sysfs-devices-system-cpu.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Prints a line for each CPU, `cpu NUMBER SOCKET SIBLINGS SHARES_L3 NUMA`, with - for what the system does not say.
SCRIPT = """
cd /sys/devices/system/cpu && for cpu in cpu[0-9]*; do
  socket=-; siblings=-; cache=-; memory=-
  { read -r socket <$cpu/topology/physical_package_id; read -r siblings <$cpu/topology/thread_siblings_list
    read -r cache <$cpu/cache/index3/shared_cpu_list; } 2>/dev/null
  for node in $cpu/node[0-9]*; do [ -d "$node" ] && memory=${node##*/node}; done
  echo "cpu ${cpu#cpu} ${socket:--} ${siblings:--} ${cache:--} ${memory:--}"
done
"""


@dataclass(frozen=True)
class Core:
    """threads: its CPUs, as the system numbers them.   number: its own, counted as hwloc does, in the tree of what they
    share.   thread_numbers: those of its threads, counted so.   socket, memory, complex: numbers that cores which share
    them have in common: of a NUMA node, of a third-level cache."""

    threads: tuple[int, ...]
    number: int
    thread_numbers: tuple[int, ...]
    socket: int = 0
    memory: int = 0
    complex: int = 0


def cores_of(lines: Iterable[str]) -> tuple[Core, ...]:
    """The cores of a host from what SCRIPT prints there; other lines are left out. In the order of their numbers."""
    found: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for line in lines:
        words = line.split()
        if len(words) != 6 or words[0] != "cpu" or not words[1].isdecimal():
            continue
        threads = tuple(cpus_of(words[3])) or (int(words[1]),)
        found[threads] = _number(words[2]), _number(words[5]), min(cpus_of(words[4]), default=-1)

    # As hwloc orders them: by the lowest CPU of each that they share, the larger ones first.
    def lowest(level: int) -> dict[tuple[int, ...], int]:
        lows: dict[tuple[int, ...], int] = {}
        for threads, of in found.items():
            key = of[: level + 1]
            lows[key] = min(lows.get(key, threads[0]), threads[0])
        return lows

    lows = [lowest(level) for level in range(3)]
    ordered = sorted(found, key=lambda threads: (*(lows[n][found[threads][: n + 1]] for n in range(3)), threads[0]))
    cores, thread = [], 0
    for number, threads in enumerate(ordered):
        socket, memory, cache = found[threads]
        cores.append(Core(threads, number, tuple(range(thread, thread + len(threads))), socket, memory, cache))
        thread += len(threads)
    return tuple(cores)


def cpus_of(text: str) -> list[int]:
    """The numbers in a list of the system's, "0-3,8"; [] if it is none."""
    found: list[int] = []
    for piece in text.split(","):
        first, _, last = piece.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return []
        found += range(int(first), int(last or first) + 1)
    return found


def list_of(cpus: Sequence[int]) -> str:
    """As the system writes it, "0-3,8"."""
    pieces: list[list[int]] = []
    for cpu in sorted(cpus):
        if pieces and pieces[-1][1] == cpu - 1:
            pieces[-1][1] = cpu
        else:
            pieces.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in pieces)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else -1
