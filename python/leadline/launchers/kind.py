"""Leadline's knowledge of a launcher: the protocol that each file of this folder implements."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from leadline.launchers.options import Options
from leadline.launchers.places import Placing, RankPlace

NOTHING = re.compile(r"(?!)")


class LauncherKind(ABC):
    """One launcher, in any release.

    name: as in run.json.   described: how it gives variables to its ranks, for `leadline doctor`.
    options: its own options; None if they are unknown.
    hands_on: whether it must be asked to give variables to its ranks; otherwise ranks inherit the environment.
    repeats_for_each_program: whether that must be repeated after each colon.
    title: whose launcher it is, in a message.   variables: its entry in api/launchers.toml.
    starts: the only ABI family whose programs it starts as one job; "" for any. serves: another library with which it
    does so nevertheless. counts: its options, without dashes, for the number of ranks, if it starts as many as they
    say; hosts: those after which ranks may run elsewhere; host_files: files of its installation that may name hosts,
    too. sets: its options, without dashes, that set something of the library, or a variable of the ranks; places: those
    that say on which cores ranks run.
    """

    name: str
    described: str
    options: Options | None = None
    hands_on: bool = False
    repeats_for_each_program: bool = False
    title: str = ""
    variables: str = ""
    starts: str = ""
    serves: re.Pattern[str] = NOTHING
    counts: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    host_files: tuple[str, ...] = ()
    sets: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()

    @abstractmethod
    def recognises(self, version_text: str, program: str) -> bool:
        """Whether the program of this name that says this for --version, in lower case, is one."""

    def given(self, variables: Mapping[str, str]) -> list[str]:
        """The options that give `variables` to every rank, here and on other nodes."""
        return []

    def take_preload(self, words: list[str], preload: str) -> tuple[list[str], dict[str, str]]:
        """Its own options without an LD_PRELOAD of the user's, and what that becomes with ours in front."""
        return words, {}

    def passing(self, programs: list[list[str]], variables: Mapping[str, str], preload: str) -> list[list[str]]:
        """The words of each program, with options before it that let the environment's variables through."""
        return programs

    def settings_in(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """Of the words after it, options that set something, each with its values; as far as its options are known."""
        found, at = [], 0
        while self.options is not None and at < len(words) and words[at].startswith("-"):
            count = self.options.takes(words, at)
            if count is None:
                break
            if words[at].lstrip("-").partition("=")[0] in self.sets | self.places:
                found.append(tuple(words[at : at + count]))
            at += count
        return found

    def variable_set_by(self, option: Sequence[str]) -> str:
        """The ranks' variable that an option of settings_in() sets; "" if it sets none."""
        sets = len(option) > 1 and option[0].lstrip("-") in self.sets
        return option[1].partition("=")[0] if sets else ""

    def binding(self, to: str) -> list[str]:
        """The options that bind ranks to a core each ("core") or to none ("none"); [] if none are known."""
        return []

    def placing(self, places: Sequence[RankPlace], version: str, *, moved: bool) -> Placing | None:
        """What puts each rank on its place; None if it cannot, or no way is known.

        places: by rank.   version: of the launcher.   moved: whether ranks go to another host than without it.
        """
        return None

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """The part of these variables that also goes into the launcher's own environment."""
        return {} if self.hands_on else dict(variables)


class OtherLauncher(LauncherKind):
    """An unknown launcher: its ranks inherit the environment, or are not recorded."""

    name = "other"
    described = ""

    def recognises(self, version_text: str, program: str) -> bool:
        return True


OTHER = OtherLauncher()
