"""A published study read again: `leadline bench --study wrf`.

G. Díaz López de la Llave recorded WRF's case em_b_wave with TAU on physical and on virtual nodes, one process on each.
His tables for 2, 4 and 8 nodes come with Leadline. He concludes that calls other than MPI_Wait behave alike on both;
disagreements() lists where his own tables show otherwise.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import MissingPrerequisite, UsageError
from leadline.profiles.profile import Profile, cut_counts
from leadline.profiles.tau_columns import APPLICATION, read

PUBLISHED = Path(__file__).parent / "published"
SIDES = {"P": "physical", "V": "virtual"}
SIZES = {"A": 2, "B": 4, "C": 8}
WAIT = "MPI_Wait"
SUFFIXES = (".png", ".svg")
FACTOR = 2.0  # between the sides' times of a call, from which on they are said to differ
LEAST_SHARE = 0.01  # of MPI's time on one side, below which a call does not matter

Tables = dict[tuple[str, int], Profile]


@dataclass(frozen=True)
class Disagreement:
    """A call, not MPI_Wait, that one side takes FACTOR times as long for. share: of MPI's time, the greater of both."""

    function: str
    nodes: int
    physical_us: float
    virtual_us: float
    share: float

    @property
    def ratio(self) -> float:
        """How many times as long a call takes on the slower side."""
        return max(self.physical_us / self.virtual_us, self.virtual_us / self.physical_us)

    @property
    def slower(self) -> str:
        return "physical" if self.physical_us > self.virtual_us else "virtual"


def tables() -> Tables:
    """By side ("physical", "virtual") and nodes."""
    return {
        (side, nodes): read(PUBLISHED / f"{mark}-{letter}.csv")
        for mark, side in SIDES.items()
        for letter, nodes in SIZES.items()
    }


def sizes(found: Tables) -> list[int]:
    """Numbers of nodes that both sides have, ascending."""
    return sorted({nodes for _, nodes in found if all((side, nodes) in found for side in SIDES.values())})


def disagreements(found: Tables) -> list[Disagreement]:
    """Where "the other calls behave alike" does not hold, the largest ratio first."""
    result = []
    for nodes in sizes(found):
        physical, virtual = found["physical", nodes], found["virtual", nodes]
        for function in physical.mpi_functions:
            times = physical.us_per_call(function), virtual.us_per_call(function)
            share = max(side.exclusive_s(function) / side.mpi_s for side in (physical, virtual))
            if function == WAIT or share < LEAST_SHARE or not times[0] or not times[1]:
                continue
            each = Disagreement(function, nodes, times[0], times[1], share)
            if each.ratio >= FACTOR:
                result.append(each)
    return sorted(result, key=lambda each: -each.ratio)


def figures(found: Tables) -> Iterator[dict[str, Any]]:
    """Of each table: seconds per rank of the application, of MPI, of MPI_Wait, and of the other MPI calls."""
    for (side, nodes), profile in found.items():
        wait_s = profile.exclusive_s(WAIT)
        yield {
            "side": side,
            "nodes": nodes,
            "application_s": profile.exclusive_s(APPLICATION) / profile.ranks,
            "mpi_s": profile.mpi_s / profile.ranks,
            "wait_s": wait_s / profile.ranks,
            "other_mpi_s": (profile.mpi_s - wait_s) / profile.ranks,
        }


def document(found: Tables) -> dict[str, Any]:
    cuts = {key: list(cut_counts(profile)) for key, profile in found.items()}
    return {
        "schema": 1,
        "study": "wrf",
        "figures": list(figures(found)),
        "disagreements": [{**vars(each), "ratio": each.ratio, "slower": each.slower} for each in disagreements(found)],
        "cut_counts": [
            {"side": side, "nodes": nodes, **vars(cut)} for (side, nodes), each in cuts.items() for cut in each
        ],
    }


def text(found: Tables) -> str:
    lines = ["WRF em_b_wave (TAU), one rank per node: seconds per rank", ""]
    lines.append(f"{'':9}{'nodes':>6}{'application':>13}{'MPI':>9}{'MPI_Wait':>10}{'other MPI':>11}")
    for row in figures(found):
        lines.append(
            f"{row['side']:9}{row['nodes']:>6}{row['application_s']:>13.1f}{row['mpi_s']:>9.1f}"
            f"{row['wait_s']:>10.1f}{row['other_mpi_s']:>11.1f}"
        )
    lines += [
        "",
        (
            "The study concludes that, apart from MPI_Wait, calls take the same time "
            "on physical and virtual nodes. Its tables contradict that:"
        ),
    ]
    lines += [
        f"  {each.function} on {each.nodes} nodes: {each.physical_us:,.0f} µs per call physical, "
        f"{each.virtual_us:,.0f} µs virtual ({each.ratio:.1f}×)"
        for each in disagreements(found)
    ] or ["  nowhere"]
    lines += [
        "",
        "Undercounted (TAU throttles functions after 100,000 calls shorter than 10 µs):",
    ]
    for (side, nodes), profile in found.items():
        cuts = ", ".join(
            f"{cut.function} ({cut.calls:,.0f} on {cut.ranks} of {profile.ranks} ranks)" for cut in cut_counts(profile)
        )
        lines.append(f"  {side}, {nodes} nodes: {cuts or 'none'}")
    return "\n".join(lines)


TITLE = "WRF em_b_wave, one rank per node: seconds per rank, physical and virtual"


def draw(found: Tables, path: Path, title: str = TITLE, names: Mapping[str, str] | None = None) -> None:
    """The study's three figures side by side. names: of the sides, by SIDES; None: as they are.

    Raises UsageError, or MissingPrerequisite without matplotlib.
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(f"{path}: use a file name ending in {' or '.join(SUFFIXES)}")
    try:
        figure_type = importlib.import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise MissingPrerequisite("figures need matplotlib", hint="pip install 'leadline[figures]'") from error
    rows = list(figures(found))
    drawing = figure_type(figsize=(15, 4.8), layout="constrained")
    drawing.suptitle(title)
    panels = drawing.subplots(1, 3, sharey=True)
    panels[0].set_ylabel("seconds per rank")
    sides = names or {side: side for side in SIDES.values()}
    _bars(panels[0], rows, sides, "MPI and application", {"application_s": "application", "mpi_s": "MPI"})
    _bars(panels[1], rows, sides, WAIT, {"wait_s": WAIT})
    _bars(panels[2], rows, sides, f"{WAIT} and other MPI calls", {"wait_s": WAIT, "other_mpi_s": "other MPI calls"})
    try:
        drawing.savefig(path, dpi=120)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _bars(panel: Any, rows: list[dict[str, Any]], sides: Mapping[str, str], title: str, values: dict[str, str]) -> None:
    """For each number of nodes, the bars of the physical side (filled), then those of the virtual one (hatched)."""
    colors = {"application_s": "#5a646e", "mpi_s": "#0072b2", "wait_s": "#d55e00", "other_mpi_s": "#009e73"}
    counts = sorted({row["nodes"] for row in rows})
    most = max((row[value] for row in rows for value in values), default=0.0)
    width = 0.76 / (2 * len(values))
    for number, (side, name_of_side) in enumerate(sides.items()):
        middle = (number - 0.5) * (width * len(values) + 0.06)
        for index, (value, name) in enumerate(values.items()):
            heights = {row["nodes"]: row[value] for row in rows if row["side"] == side}
            at = [counts.index(nodes) + middle + (index - (len(values) - 1) / 2) * width for nodes in sorted(heights)]
            fill = {"color": colors[value]}
            if side == "virtual":
                fill = {"facecolor": "white", "edgecolor": colors[value], "hatch": "///"}
            label = f"{name}, {name_of_side}"
            drawn = panel.bar(at, [heights[nodes] for nodes in sorted(heights)], width * 0.92, label=label, **fill)
            form = "%.0f" if most >= 100 else "%.3f" if most < 10 else "%.1f"
            panel.bar_label(drawn, fmt=form, fontsize=8, padding=2, rotation=90 if len(values) > 1 else 0)
    panel.margins(y=0.15)  # for the figures above the bars
    panel.set_xticks(range(len(counts)), [f"{nodes} nodes" for nodes in counts])
    panel.tick_params(axis="x", length=0)
    panel.spines[["top", "right"]].set_visible(False)
    panel.set_title(title, fontsize=11)
    panel.legend(fontsize=8, frameon=False, loc="upper left")
