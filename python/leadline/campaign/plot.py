"""The results of a campaign as an image: a panel for each program, part and input, with a line for each candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leadline.campaign.words import name_of
from leadline.errors import UsageError
from leadline.plots import COLORS, DASHES, check_form, image_of, matplotlib, style

MOST_PANELS = 24
COLUMNS = 3


def write_plot(content: Mapping[str, Any], path: Path) -> None:
    """content: as the campaign's JSON has it. Raises UsageError, and MissingPrerequisite without matplotlib."""
    check_form(path)
    drawn = image(content, path.suffix.removeprefix("."))
    try:
        path.write_bytes(drawn)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def image(content: Mapping[str, Any], form: str) -> bytes:
    """Medians with their intervals by number of ranks, from zero on.   form: "svg", "png" or "pdf"."""
    panels: dict[str, list[Mapping[str, Any]]] = {}
    for cell in content["cells"]:
        panels.setdefault(name_of(cell), []).append(cell)
    shown = dict(list(panels.items())[:MOST_PANELS])
    columns = max(1, min(COLUMNS, len(shown)))
    rows = max(1, -(-len(shown) // columns))
    drawing = matplotlib("figure").Figure(figsize=(1.5 + 3.4 * columns, 0.8 + 2.7 * rows), layout="constrained")
    omitted = len(panels) - len(shown)
    more = f" ({omitted} more panels omitted)" if omitted else ""
    drawing.suptitle(f"{content['name']}: median, 95 % interval{more}", fontsize=11, parse_math=False)
    candidates = list(dict.fromkeys(str(cell["candidate"]) for cells in shown.values() for cell in cells))
    handles: dict[str, Any] = {}
    for place, (title, cells) in enumerate(shown.items(), 1):
        panel = drawing.add_subplot(rows, columns, place)
        panel.set_title(title, fontsize=9, parse_math=False)
        handles |= _draw(panel, cells, candidates)
    if handles:
        legend = drawing.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=8
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    return image_of(drawing, form)


def _draw(panel: Any, cells: Sequence[Mapping[str, Any]], candidates: Sequence[str]) -> dict[str, Any]:
    """Returns the lines by candidate."""
    style(panel)
    panel.set_xlabel("ranks", fontsize=8)
    panel.set_ylabel("s", fontsize=8)
    panel.tick_params(labelsize=8)
    lines: dict[str, Any] = {}
    counts = sorted({int(cell["ranks"]) for cell in cells})
    for index, name in enumerate(candidates):
        own = [cell for cell in cells if cell["candidate"] == name and cell["median"] is not None]
        own.sort(key=lambda cell: int(cell["ranks"]))
        if not own:
            continue
        # Beside one another where they have the same number of ranks.
        xs = [
            counts.index(int(cell["ranks"])) + (index - (len(candidates) - 1) / 2) * 0.2 / len(candidates)
            for cell in own
        ]
        color, dash = COLORS[index % len(COLORS)], DASHES[index // len(COLORS) % len(DASHES)]
        (lines[name],) = panel.plot(xs, [cell["median"] for cell in own], dash, color=color, marker="o", markersize=3.5)
        for x, cell in zip(xs, own, strict=True):
            if cell["low"] is not None and cell["high"] is not None:
                panel.plot([x, x], [cell["low"], cell["high"]], color=color, linewidth=4, alpha=0.3)
    if not lines:
        panel.text(0.5, 0.5, "no run succeeded", transform=panel.transAxes, ha="center", fontsize=8)
    panel.set_xticks(range(len(counts)), [str(count) for count in counts])
    panel.set_xlim(-0.5, len(counts) - 0.5)
    panel.set_ylim(bottom=0)
    return lines
