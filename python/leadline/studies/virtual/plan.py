"""The campaign of the study, as the TOML file that `leadline campaign` takes."""

from __future__ import annotations

import dataclasses
import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import UsageError
from leadline.libraries import MpiLibrary
from leadline.studies.virtual import nodes

DIRECT, LINKS = "direct", "links"
NODES = "nodes"  # the folder of the launchers
GRID, STEPS, SLEEP_NS = "41x81x64", 36, 2000
SMALL_GRID, SMALL_STEPS, SMALL_SLEEP_NS = "24x48x8", 12, 1000


@dataclass(frozen=True)
class Wanted:
    """ranks: numbers of nodes, one process on each.   virtual: the words that start {ranks} processes in the second
    environment; (): network namespaces with links of `rate`.   sleep_ns: for each point and step; 0: it computes.
    """

    library: str
    ranks: tuple[int, ...]
    repeats: int
    rate: str
    virtual: tuple[str, ...] = ()
    grid: str = GRID
    steps: int = STEPS
    sleep_ns: int = SLEEP_NS
    launches: int = 3  # of each calibration
    calibrate_s: float = 14.0

    @property
    def second(self) -> str:
        """What the second environment is, in words."""
        return shlex.join(self.virtual) if self.virtual else f"network namespaces, links of {self.rate}"

    @property
    def caution(self) -> str:
        """What is said on every figure."""
        if self.sleep_ns == 0:
            return "the program computes; processes that share cores wait for them"
        return f"the program sleeps {self.sleep_ns} ns for each point and step instead of computing"


def wanted_of(
    library: str,
    ranks: tuple[int, ...],
    repeats: int,
    rate: str,
    launcher: str | None,
    sleep_ns: int | None,
    *,
    small: bool,
) -> Wanted:
    """Raises UsageError."""
    virtual = _words(launcher) if launcher is not None else ()
    wanted = Wanted(library, ranks, repeats, nodes.checked_rate(rate), virtual)
    if small:
        sizes = {"grid": SMALL_GRID, "steps": SMALL_STEPS, "sleep_ns": SMALL_SLEEP_NS}
        wanted = dataclasses.replace(wanted, **sizes, launches=1, calibrate_s=4.0)  # type: ignore[arg-type]
    return wanted if sleep_ns is None else dataclasses.replace(wanted, sleep_ns=sleep_ns)


def _words(launcher: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(launcher))
        filled = [word.format(ranks=2) for word in words]
    except (ValueError, KeyError, IndexError) as error:
        raise UsageError(f"--virtual-launcher {launcher}: {error}") from error
    if list(words) == filled:
        raise UsageError(
            f"--virtual-launcher {launcher}: expected {{ranks}} in it, e.g. 'mpiexec -f hosts -n {{ranks}}'"
        )
    return words


def patience(kind: MpiLibrary) -> dict[str, str]:
    """Processes that wait leave their core to others, in both environments alike."""
    return next((each.variables for each in kind.waiting() if each.name == "yield"), {})


def environments(wanted: Wanted, kind: MpiLibrary) -> dict[str, dict[str, str]]:
    over = {} if wanted.virtual else kind.over_hosts.environment
    return {DIRECT: patience(kind) | dict(kind.unbound), LINKS: patience(kind) | over}


def starting(wanted: Wanted, directory: Path) -> tuple[str, ...]:
    """The launcher of the second environment, with {ranks}."""
    folder = Path(str(directory / NODES).replace("{", "{{").replace("}", "}}"))
    return wanted.virtual or (nodes.launcher(folder, "{ranks}"), "-n", "{ranks}")


def toml_of(wanted: Wanted, kind: MpiLibrary, directory: Path) -> str:
    arguments = ["--grid", wanted.grid, "--steps", str(wanted.steps)]
    arguments += ["--sleep", str(wanted.sleep_ns)] if wanted.sleep_ns else []
    out = [
        "# Made by leadline study virtual.",
        'name = "virtual"',
        f"libraries = {json.dumps([wanted.library])}",
        f"ranks = {json.dumps(list(wanted.ranks))}",
        f"repeats = {wanted.repeats}",
        "timeout = 1800",
        "time = ': ([0-9.]+) s \\('",
        "",
        "[[program]]",
        'workload = "wrf"',
        f"arguments = {json.dumps(arguments)}",
        "parts = { dynamics = 'dynamics ([0-9.]+) s', output = 'output ([0-9.]+) s' }",
    ]
    launchers = {DIRECT: (), LINKS: starting(wanted, directory)}
    for name, variables in environments(wanted, kind).items():
        out += ["", "[[setting]]", f"name = {json.dumps(name)}"]
        out += [f"launcher = {json.dumps(list(launchers[name]))}"] if launchers[name] else []
        pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in variables.items())
        out += [f"environment = {{ {pairs} }}"] if pairs else []
    return "\n".join(out) + "\n"
