"""The launchers: a file each, which says how it is recognised and how it gives variables to its ranks."""

from leadline.launchers.aprun import APRUN
from leadline.launchers.hydra import HYDRA
from leadline.launchers.jsrun import JSRUN
from leadline.launchers.kind import OTHER, LauncherKind
from leadline.launchers.openmpi import OPENMPI
from leadline.launchers.srun import SRUN

LAUNCHERS: tuple[LauncherKind, ...] = (HYDRA, OPENMPI, SRUN, APRUN, JSRUN)


def recognise(version_text: str, program: str) -> LauncherKind:
    """The kind of launcher, from its output for --version and from its name."""
    text = version_text.lower()
    return next((kind for kind in LAUNCHERS if kind.recognises(text, program)), OTHER)


def named(name: str) -> LauncherKind:
    return next((kind for kind in LAUNCHERS if kind.name == name), OTHER)


__all__ = ["LAUNCHERS", "OTHER", "LauncherKind", "named", "recognise"]
