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

DIRECT, LINKS, GUESTS = "direct", "links", "guests"
ENVIRONMENTS = DIRECT, LINKS, GUESTS
FOLDERS = {LINKS: "nodes", GUESTS: "guests"}  # of their launchers
GRID, STEPS, SLEEP_NS = "41x81x64", 36, 2000
SMALL_GRID, SMALL_STEPS, SMALL_SLEEP_NS = "24x48x8", 12, 1000


@dataclass(frozen=True)
class Wanted:
    """ranks: numbers of nodes, one process on each.   environments: the two that are compared; what the study says of
    physical nodes is held against the first, of virtual ones against the second.   rate: of their links.   virtual: the
    words that start {ranks} processes in the second; (): this machine makes it.   kernel: of guests; "": found here.
    sleep_ns: for each point and step; 0: it computes.
    """

    library: str
    ranks: tuple[int, ...]
    repeats: int
    rate: str
    virtual: tuple[str, ...] = ()
    environments: tuple[str, str] = (DIRECT, LINKS)
    kernel: str = ""
    grid: str = GRID
    steps: int = STEPS
    sleep_ns: int = SLEEP_NS
    launches: int = 3  # of each calibration
    calibrate_s: float = 14.0

    @property
    def guest_kernel(self) -> Path | None:
        return Path(self.kernel).absolute() if self.kernel else None

    @property
    def made_here(self) -> tuple[str, ...]:
        """The environments that this machine makes."""
        return self.environments[:1] if self.virtual else self.environments

    def described(self, name: str) -> str:
        """What the environment is, in words."""
        if name not in self.made_here:
            return shlex.join(self.virtual)
        return {
            DIRECT: f"{self.library} started directly on this machine",
            LINKS: f"network namespaces, links of {self.rate}",
            GUESTS: f"QEMU guests under KVM, of one processor each, links of {self.rate}",
        }[name]

    @property
    def second(self) -> str:
        return self.described(self.environments[1])

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
    environments: str = f"{DIRECT},{LINKS}",
    kernel: str = "",
) -> Wanted:
    """Raises UsageError."""
    virtual = _words(launcher) if launcher is not None else ()
    pair = _pair(environments)
    wanted = Wanted(library, ranks, repeats, nodes.checked_rate(rate), virtual, pair, kernel)
    if small:
        sizes = {"grid": SMALL_GRID, "steps": SMALL_STEPS, "sleep_ns": SMALL_SLEEP_NS}
        wanted = dataclasses.replace(wanted, **sizes, launches=1, calibrate_s=4.0)  # type: ignore[arg-type]
    return wanted if sleep_ns is None else dataclasses.replace(wanted, sleep_ns=sleep_ns)


def _pair(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not {*names} <= {*ENVIRONMENTS} or names[0] == names[1]:
        raise UsageError(f"--environments {text}: expected two of {', '.join(ENVIRONMENTS)}, e.g. {LINKS},{GUESTS}")
    return names[0], names[1]


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
    """The variables in each."""
    found = {}
    for name in wanted.environments:
        more = dict(kind.unbound) if name == DIRECT else kind.over_hosts.environment
        found[name] = patience(kind) | (more if name in wanted.made_here else {})
    return found


def starting(wanted: Wanted, name: str, directory: Path) -> tuple[str, ...]:
    """The launcher in the environment, with {ranks}; () for the library's own."""
    if name not in wanted.made_here:
        return wanted.virtual
    if name == DIRECT:
        return ()
    folder = Path(str(directory / FOLDERS[name]).replace("{", "{{").replace("}", "}}"))
    return nodes.launcher(folder, "{ranks}"), "-n", "{ranks}"


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
    for name, variables in environments(wanted, kind).items():
        launcher = starting(wanted, name, directory)
        out += ["", "[[setting]]", f"name = {json.dumps(name)}"]
        out += [f"launcher = {json.dumps(list(launcher))}"] if launcher else []
        pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in variables.items())
        out += [f"environment = {{ {pairs} }}"] if pairs else []
    return "\n".join(out) + "\n"
