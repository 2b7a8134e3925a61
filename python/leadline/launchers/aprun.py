"""ALPS' aprun."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.launchers.kind import LauncherKind
from leadline.launchers.options import Options

OPTIONS = Options(
    values=frozenset("n N d cc e F j L m M p P r S sl sn t w environment-override pes pes-per-node depth".split()),
    flags=frozenset("B a b C D q R ss T v V h version help bypass-app-transfer quiet strict-memory".split()),
)


class Aprun(LauncherKind):
    name = "aprun"
    described = "ALPS: -e passes LD_PRELOAD to the ranks"
    options = OPTIONS
    hands_on = True

    def recognises(self, version_text: str, program: str) -> bool:
        return program == "aprun"

    def given(self, variables: Mapping[str, str]) -> list[str]:
        return [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]


APRUN = Aprun()
