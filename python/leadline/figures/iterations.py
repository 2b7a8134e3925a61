"""The iterations of the run's main loop, as far as they were recorded."""

from __future__ import annotations

from dataclasses import dataclass

from leadline import _core
from leadline.figures.control import RegionEntry
from leadline.figures.loops import NamedLoop, lumps_steps, main_loop
from leadline.figures.run import Run, Site
from leadline.figures.steps import find_step


@dataclass(frozen=True)
class Iterations:
    """The recorded facts about the main loop.

    loop: the loop of the program's source; None if call paths do not show it and repeating calls were taken for one.
    anchor: in that case, the call site with which an iteration begins (or ends).
    """

    run: Run
    found: _core.RunIterations
    loop: NamedLoop | None
    anchor: Site | None
    region: RegionEntry | None = None  # whose entries are the iterations, where a person said so

    @property
    def time(self) -> _core.RunTime:
        return self.run.profile.time()

    @property
    def lumped(self) -> bool:
        """An iteration may well be several steps: nothing is said of a step then."""
        return self.loop is not None and lumps_steps(self.run, self.loop.number)

    @property
    def timed(self) -> bool:
        return bool(self.found.strip)

    @property
    def timed_iterations(self) -> int:
        """How many have a time, on the rank that timed most. None has that the recorder saw before it knew the loop."""
        return sum(part.timed for part in self.found.strip)

    @property
    def mpi_calls(self) -> float | None:
        """In an iteration: the mean over the ranks of each rank's mean. Of repeated calls that are no loop of the
        source, it is known only where no file calls are among them."""
        if self.loop is None:
            return self.found.calls if self.timed and not self.run.file_sites else None
        cells = self.run.profile.loops.all[self.loop.number].cells
        means = [cell.calls / (cell.repeats + cell.entries) for cell in cells if cell.repeats + cell.entries]
        return sum(means) / len(means) if means else None

    @property
    def average_s(self) -> float | None:
        """Mean over ranks of all iterations, timed or not; None where their number is not known exactly."""
        if self.loop is None or self.loop.lumps:
            return None
        return self.run.profile.loops.mean_ns(self.loop.number) * 1e-9 or None

    @property
    def timed_are_unlike(self) -> bool:
        """The mean of the iterations that were timed is not half of the average of all, or more than twice as much."""
        average_s, mean_s = self.average_s, self.found.mean_ns * 1e-9
        missed = self.timed and self.timed_iterations < self.found.count
        return missed and average_s is not None and not average_s / 2 <= mean_s <= 2 * average_s

    @property
    def longest_ns(self) -> float:
        """On any rank. Times in the strip are rounded, those of outliers are not."""
        return max([self.found.max_ns, *(outlier.time_ns for outlier in self.found.outliers)])


def iterations(run: Run) -> Iterations | None:
    """None where no loop was found; the profile knows why."""
    step = find_step(run, run.step) if run.step else None
    found = run.profile.iterations(step.number if isinstance(step, NamedLoop) else 0)
    if isinstance(step, RegionEntry):
        return Iterations(run, found, None, None, step)
    if not found.found:
        return None
    loop = step or main_loop(run, found)
    sites = () if loop is not None else (*run.sites, *run.file_sites)
    return Iterations(run, found, loop, next((site for site in sites if found.site in site.members), None))
