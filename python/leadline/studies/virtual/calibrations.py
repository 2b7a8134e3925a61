"""What messages cost in each environment, as `leadline calibrate` measures it between two of its nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from leadline import _core, own_files
from leadline import network as networks
from leadline.calibration import calibration_of, launch_all, why_too_noisy
from leadline.errors import LeadlineError, MeasurementFailed
from leadline.mpi import Library
from leadline.studies.virtual.plan import Wanted, environments, starting

PAIR = 2


@dataclass
class Measured:
    """networks: by environment, those that are known.   notes: where each is from, or why it is not known."""

    networks: dict[str, _core.Network] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def measured(
    wanted: Wanted,
    library: Library,
    directory: Path,
    progress: Callable[[str], None],
) -> Measured:
    """What an earlier call has measured is not repeated."""
    found = Measured()
    for name, variables in environments(wanted, library.kind).items():
        file = directory / f"network-{name}.toml"
        try:
            if not file.exists():
                progress(f"calibrating: {name}")
                words = [word.format(ranks=PAIR) for word in _launcher(wanted, library, directory, name)]
                effort = wanted.launches, wanted.calibrate_s
                launches = launch_all(
                    words, library, launches=effort[0], seconds=effort[1], environ=variables, folder=directory
                )
                if why := why_too_noisy(launches):
                    raise MeasurementFailed(why)
                with own_files.replacing(file) as out:
                    out.write(networks.write(calibration_of(launches).described))
            found.networks[name] = networks.read(file).network
            found.notes.append(f"The network of {name} was measured between two nodes: {file.name}.")
        except LeadlineError as error:
            found.notes.append(
                f"The network of {name} could not be measured, so the difference is not taken apart ({error}). Repeat "
                "the command with -o when the machine is idle: only that is made up for."
            )
    return found


def _launcher(wanted: Wanted, library: Library, directory: Path, name: str) -> tuple[str, ...]:
    return starting(wanted, name, directory) or tuple(library.launch(PAIR))
