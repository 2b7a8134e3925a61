"""Settings of the library in the user's environment, among the launcher's options and in the user's file: whether it is
faster without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from leadline.errors import LeadlineError
from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.libraries.settings_file import SettingsFile

WHAT = "without a setting of your own"
RISK = "the library may then use a transport that this machine lacks; it was set for a reason"
MOST = 6
MOST_SAVED = 1.0  # of the time: they may be about anything, such as where ranks run


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    given, options = list(facts.set_variables), [option for option in facts.set_options if len(option) > 1]
    words = [" ".join(option) for option in options]
    file = facts.settings_file
    if not given and not options and file is None:
        yield NotTried(WHAT, "none is set")
        return
    if len(given) + len(options) > 1:
        what = f"without {', '.join([*given, *words])}"
        yield Setting("own-none", "own", what, RISK, MOST_SAVED, without=tuple(given), without_options=tuple(options))
    share = facts.mpi if len(given) + len(options) > 1 else MOST_SAVED
    for option, told in zip(options[:MOST], words, strict=False):
        name = f"without-{option[0].lstrip('-') if facts.places(option) else option[1].partition('=')[0]}"
        yield Setting(name, f"own-{name}", f"without {told}", RISK, share, without_options=(option,))
    for name in given[:MOST]:
        told = f"without {name}={facts.set_variables[name]}"
        yield Setting(f"without-{name}", f"own-{name}", told, RISK, share, without=(name,))
    if len(given) > MOST:
        yield NotTried(WHAT, f"{', '.join(given[MOST:])}: only together with the others")
    yield from _of_the_file(facts, asked)


def _of_the_file(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    """All of it, then each setting, but those that the library may need to start. The environment goes before the file,
    so it is given what the library has without the file."""
    file, library = facts.settings_file, facts.library
    if file is None or library is None or asked.defaults is None:
        return
    names = [name for name in file.settings if not library.starts_by.fullmatch(f"{file.prefix}{name}")]
    names = [name for name in names if f"{file.prefix}{name}" not in facts.set_variables]
    try:
        found = asked.defaults(names) if names else {}
    except LeadlineError as error:
        yield NotTried(WHAT, f"those in {file.path}: {error}")
        return
    defaults = {name: value for name in names if (value := found.get(name)) not in (None, file.settings[name])}
    if len(defaults) > 1:
        yield _default(file, "own-file", f"without the settings in {file.path}", defaults, MOST_SAVED)
    share = facts.mpi if len(defaults) > 1 else MOST_SAVED
    for name, value in list(defaults.items())[:MOST]:
        told = f"without {name} = {file.settings[name]} in {file.path}"
        yield _default(file, f"without-{name}-in-file", told, {name: value}, share)
    if len(defaults) > MOST:
        yield NotTried(WHAT, f"{', '.join([*defaults][MOST:])} in {file.path}: only together with the others")
    if others := [name for name in names if name not in defaults]:
        yield NotTried(WHAT, f"{', '.join(others)} in {file.path}: the library has no value that would undo it")


def _default(file: SettingsFile, name: str, what: str, values: Mapping[str, str], share: float) -> Setting:
    variables = {f"{file.prefix}{each}": value for each, value in values.items()}
    return Setting(name, f"own-{name}", what, RISK, share, variables=variables, controls=values)
