"""Whether a library took the settings of a cell: read back from its own variables (MPI_T), in ranks that are started in
the same way, before the first run with them.

Only the library's own mpiexec is asked so: under another launcher, the ranks asked would be one more job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leadline.campaign.plan import Setting
from leadline.errors import LeadlineError
from leadline.mpi import Library
from leadline.tuning.probing import ask, subject

RANKS = 2
IN_EFFECT = "in effect: the library has it"
UNBOUND, BOUND = "in effect: no rank is bound to cores", "ranks are bound all the same"
ABSENT, DIFFERS, FAILED = "the library has no such variable", "the library has", "the library does not start with it"
YES, NO = {"1", "true", "yes", "on", "enabled", "t", "y"}, {"0", "false", "no", "off", "disabled", "f", "n"}
MOST_SAID = 200


@dataclass
class Effects:
    """Each setting of each library is asked about once."""

    _known: dict[tuple[str, Setting], dict[str, str]] = field(default_factory=dict)

    def of(self, library: Library, setting: Setting, words: Sequence[str]) -> dict[str, str]:
        """By variable; {} if nothing can be asked. words: of the program."""
        key = library.name, setting
        if key not in self._known:
            self._known[key] = _asked(library, setting, words)
        return self._known[key]


def _asked(library: Library, setting: Setting, words: Sequence[str]) -> dict[str, str]:
    asked = (name for name in setting.environment if name not in library.kind.unbound)  # those are the launcher's
    owned = ((name, library.kind.control_of(name)) for name in asked)
    names = {name: own for name, own in owned if own}
    if not names or setting.launcher:
        return {}
    variables = dict(setting.environment)
    command = [*library.launch(RANKS), *setting.options, *words]
    try:
        answers = ask(subject(command, library.env()), variables, named=[*names], controls=[*names.values()])
    except LeadlineError as error:
        why = f"{FAILED}: {' '.join(str(error).split())[:MOST_SAID]}"
        return dict.fromkeys(names, why)
    found = {}
    for variable, own in names.items():
        seen = answers.controls.get(own)
        if seen is None:
            found[variable] = ABSENT
        else:
            found[variable] = IN_EFFECT if same(seen, variables[variable]) else f"{DIFFERS} {seen}"
    return found


def of_binding(library: Library, wanted: Mapping[str, str], seen: Mapping[str, str | None]) -> dict[str, str]:
    """Of variables by which the launcher binds no rank: the cores of the recorded ranks tell.   seen: in their run."""
    names = [name for name, value in library.kind.unbound.items() if wanted.get(name) == value]
    placement = seen.get("Placement")
    if placement is None:
        return {}
    return dict.fromkeys(names, UNBOUND if placement.endswith("not bound") else f"{BOUND}: {placement}")


def same(seen: str, wanted: str) -> bool:
    """Values as a library prints them: a truth, a number or a word."""
    one, other = seen.strip().lower(), wanted.strip().lower()
    if one == other or any(one in group and other in group for group in (YES, NO)):
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False
