"""What runs were made with: library, settings, machine, placement, program. Listed before any figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from leadline.figures.job import bindings
from leadline.figures.programs import names_of, programs_of
from leadline.figures.run import Run
from leadline.text import format as fmt
from leadline.wording.jobs import cores_words

# In this order; settings by their own names come after "Provider".
UNKNOWN = "not recorded"
OURS = "Leadline"
PREDICTED = "not recorded: predicted by Leadline"
TITLES = {"LEADLINE_TUNING_TABLE": "Tuning table"}  # of `leadline apply`


@dataclass(frozen=True)
class Difference:
    """One thing that differs. values: by group, "not recorded" where it is unknown; unknown: in some groups it is
    not, so that there may be no difference."""

    title: str
    values: tuple[str, ...]
    unknown: bool = False


def environment_of(run: Run) -> dict[str, str | None]:
    machine = run.description.get("machine")
    machine = machine if isinstance(machine, dict) else {}
    launcher = run.description.get("launcher")
    launcher = launcher if isinstance(launcher, dict) else {}
    version = " ".join(str(launcher[key]) for key in ("kind", "version") if launcher.get(key))
    programs = programs_of(run)
    found: dict[str, str | None] = {
        "Recorded with": PREDICTED if run.predicted else OURS,
        "MPI library": fmt.library(run.library) or None,
        "Library build": _build(run.library),
        "Launcher": version or None,
        "Ranks": str(run.ranks),
        "Program": " + ".join(names_of(run)) or None,
        "Program build": _build_id(run, programs[0][0] if programs else ""),
        "Arguments": " ".join(programs[0][1]) if len(programs) == 1 else None,
    }
    found |= _settings(run)
    found |= {
        title: str(machine[key]) if machine.get(key) not in (None, "") else None
        for title, key in (
            ("CPU", "cpu"),
            ("Cores", "cores"),
            ("Kernel", "kernel"),
            ("Virtualisation", "virtualisation"),
            ("Governor", "governor"),
        )
    }
    if machine:
        found["Container"] = str(machine.get("container") or "none")
        threads = machine.get("threads")
        if isinstance(threads, dict):
            found |= {str(name): str(value) for name, value in sorted(threads.items())}
    found["Hosts"] = ", ".join(sorted({p.host for p in run.processes if p.host})) or None
    found["Placement"] = _placement(run)
    return found


def _build(library: str) -> str | None:
    """What the library reports about its build, besides its version."""
    return " ".join(library.split()) or None


def _build_id(run: Run, program: str) -> str | None:
    """Of the program's file. A command names it as it likes (./app, or app on PATH), the recorder by its whole path."""
    name = PurePath(program).name
    return next((m.build_id[:12] for m in run.profile.modules if PurePath(m.path).name == name and m.build_id), None)


def _settings(run: Run) -> dict[str, str | None]:
    """Of the library and its providers, as most ranks have them."""
    names: dict[str, Counter[str]] = {}
    for process in run.processes:
        for setting in process.settings:
            names.setdefault(TITLES.get(setting.name, setting.name), Counter())[setting.value] += 1
    return {name: values.most_common(1)[0][0] for name, values in sorted(names.items())}


def _placement(run: Run) -> str | None:
    """ "2 ranks per host, not bound" or the cores of each; None if it was not recorded."""
    found = bindings(run)
    if not found or not any(binding.cores for binding in found):
        return None
    per_host = Counter(binding.host for binding in found for _ in binding.labels)
    counts = "/".join(map(str, sorted(set(per_host.values()))))
    bound = sorted({cores_words(binding.cores) for binding in found if binding.is_bound})
    where = f"bound to cores {'; '.join(bound[:4])}{' …' if len(bound) > 4 else ''}" if bound else "not bound"
    return f"{counts} {'ranks' if counts != '1' else 'rank'} per host, {where}"


def differences(environments: Sequence[Sequence[Mapping[str, str | None]]]) -> list[Difference]:
    """environments: by group, those of its runs. Repeats that differ among themselves are shown with both values."""
    titles: dict[str, None] = {}
    for group in environments:
        for one in group:
            titles |= dict.fromkeys(one)
    # A setting that is not there is not set, if we recorded; a fact that is not there was not recorded.
    found = []
    for title in titles:
        is_setting = "_" in title or title in TITLES.values()
        known = [[one.get(title) or _missing(one, is_setting) for one in group] for group in environments]
        words = tuple(" | ".join(dict.fromkeys(values)) for values in known)
        same_inside = all(len(set(values)) == 1 for values in known)
        if len(set(words)) > 1 or not same_inside:
            found.append(Difference(title, words, UNKNOWN in words))
    by_title = {each.title: each for each in found}
    if "MPI library" in by_title and "Library build" in by_title:  # the version says it
        found.remove(by_title["Library build"])
    return sorted(found, key=lambda each: each.unknown)


def _missing(environment: Mapping[str, str | None], is_setting: bool) -> str:
    ours = environment.get("Recorded with", OURS) in (OURS, PREDICTED)
    return "not set" if is_setting and ours else UNKNOWN
