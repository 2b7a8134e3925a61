"""A campaign on a terminal: what differs between the environments, the table, and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leadline.campaign.effects import IN_EFFECT, UNBOUND
from leadline.campaign.execution import SEEN
from leadline.campaign.words import name_of
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

MOST_ROWS = 60
MOST_DIFFERENCES = 12
WIDEST, LEAST = 34, 16  # letters of a name
WIDTH = 120  # of a terminal
BETWEEN = 18  # letters of a line for ranks, repeats and gaps
GOOD = (SEEN, IN_EFFECT, UNBOUND)


def draw(content: dict[str, Any], out: Screen) -> None:
    out.paragraph(content["verdict"], "bold")
    for note in content["notes"]:
        out.paragraph(f"{note}.", "dim")
    _environments(content["environments"], out)
    if content["paragraphs"]:
        out.section("What is proven", "5 % for any false claim in the campaign")
        for text in content["paragraphs"]:
            out.item(text)
    out.section("Times", "median, 95 % CI; × the fastest; same letter: within noise of each other")
    out.lines(table(content["cells"], MOST_ROWS if not out.complete else None, out.width))
    _scaling(content["scaling"], out)
    _settings(content["cells"], out)
    _failures(content["cells"], out)


def _environments(found: dict[str, Any], out: Screen) -> None:
    if len(found["candidates"]) < 2 and not found["differences"]:
        return
    out.section("Environments", "what differs between those compared")
    shown = found["differences"] if out.complete else found["differences"][:MOST_DIFFERENCES]
    for each in shown:
        by: dict[str, list[str]] = {}
        for candidate, value in zip(found["candidates"], each["values"], strict=True):
            by.setdefault(value, []).append(candidate)
        values = [f"{value} ({', '.join(names)})" for value, names in by.items()]
        out.item(f"{each['title']}: {'; '.join(values)}")
    if len(shown) < len(found["differences"]):
        out.item(f"{len(found['differences']) - len(shown)} more (--all)")
    if not found["differences"]:
        out.item("no difference was recorded")


def table(cells: Sequence[Mapping[str, Any]], most: int | None, width: int = WIDTH) -> list[Line]:
    """A line for each cell. Long names are cut for the figures to stay on the line, if that leaves enough of them."""
    if not cells:
        return []
    known = [cell for cell in cells if cell["median"] is not None]
    intervals = any(cell["low"] is not None for cell in cells)
    measured = max((len(figures(cell, intervals=intervals)) for cell in known), default=0)
    room = (width - measured - BETWEEN) // 2
    most_letters = min(WIDEST, max(LEAST, room))
    names = [
        [_short(name_of(cell), most_letters), str(cell["ranks"]), _short(cell["candidate"], most_letters)]
        for cell in cells
    ]
    widths = [max(map(len, column)) for column in zip(*names, ("Program", "Ranks", "Candidate"), strict=True)]
    head = f"{'Program':{widths[0]}}  {'Ranks':>{widths[1]}}  {'Candidate':{widths[2]}}"
    between = f"{'95 % CI':19}  " if intervals else ""
    lines: list[Line] = [(f"{head}  {'n':>3}  {'Median':>8}  {between}{'×':>5}", "dim")]
    for (program, ranks, candidate), cell in list(zip(names, cells, strict=True))[:most]:
        start = f"{program:{widths[0]}}  {ranks:>{widths[1]}}  {candidate:{widths[2]}}  {cell['n']:>3}"
        lines.append(f"{start}  {figures(cell, intervals=intervals)}".rstrip())
    if most is not None and len(cells) > most:
        lines.append((f"and {len(cells) - most} more (--all)", "dim"))
    return lines


def figures(cell: Mapping[str, Any], *, intervals: bool) -> str:
    """The part of a line that is measured. intervals: whether there is a column of them."""
    if cell["median"] is None:
        return f"{'–':>8}  {_short(cell['reason'], 60)}"
    between = f"{fmt.seconds(cell['low'])} – {fmt.seconds(cell['high'])}" if cell["low"] is not None else ""
    beside = f"{between:19}  " if intervals else ""
    ratio = cell["to_best"]
    times = f"{ratio['value']:.2f}×{'' if ratio['claimed'] else ' ?'}" if ratio else ""
    marks = [f"{fmt.plural(cell['outliers'], 'outlier')}"] if cell["outliers"] else []
    marks += [f"{cell['failed']} failed"] if cell["failed"] else []
    cost = cell["overhead"]
    marks += [f"recorded {fmt.change(cost['median'])}"] if cost else []
    return f"{fmt.seconds(cell['median']):>8}  {beside}{times:7} {cell['group']:3} {', '.join(marks)}".rstrip()


def _short(text: str, most: int = WIDEST) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _scaling(found: Sequence[dict[str, Any]], out: Screen) -> None:
    if not found:
        return
    out.section("Scaling", "efficiency relative to the fewest ranks")
    lines: list[Line] = []
    for curve in found if out.complete else found[:MOST_ROWS]:
        points = ", ".join(f"{p['ranks']}: {100 * p['efficiency']:.0f} %" for p in curve["points"])
        serial = curve["serial_share"]
        fitted = f"; fitted serial share {fmt.percent(serial)}" if serial is not None else ""
        lines.append(f"{_short(name_of(curve))}  {_short(curve['candidate'])}  {points} ({curve['kind']}){fitted}")
    out.lines(lines)


def _settings(cells: Sequence[Mapping[str, Any]], out: Screen) -> None:
    """Those that the ranks did not have, or the library did not take."""
    found: dict[str, set[str]] = {}
    for cell in cells:
        for name, state in cell["settings"].items():
            if state not in GOOD:
                found.setdefault(f"{name}: {state}", set()).add(str(cell["candidate"]))
    if found:
        out.section("Settings", "that may not have taken effect")
        for text, names in found.items():
            out.item(f"{text} ({', '.join(sorted(names))})")


def _failures(cells: Sequence[Mapping[str, Any]], out: Screen) -> None:
    found: dict[str, int] = {}
    for cell in cells:
        for run in cell["runs"] if not cell["part"] else ():
            if run["reason"]:
                text = f"{name_of(cell)}, {cell['ranks']} ranks, {cell['candidate']}: {run['reason']}"
                found[text] = found.get(text, 0) + 1
    if found:
        out.section("Failed runs")
        for text, count in found.items():
            out.item(f"{text} ({fmt.plural(count, 'run')})")


def draw_plan(found: dict[str, Any], out: Screen) -> None:
    """Of a dry run."""
    left, most = found["left"], "at most " if found["at_most"] else "about "
    out.paragraph(
        f"{found['name']}: {fmt.plural(len(found['cells']), 'cell')}, {fmt.plural(found['runs'], 'run')}, "
        f"{left} left: {most}{duration(found['seconds'])}, {fmt.number(found['node_hours'])} node hours",
        "bold",
    )
    names = [[_short(name_of(cell)), str(cell["ranks"]), _short(cell["candidate"])] for cell in found["cells"]]
    widths = [max(map(len, column)) for column in zip(*names, ("Program", "Ranks", "Candidate"), strict=True)]
    lines: list[Line] = [
        (f"{'Program':{widths[0]}}  {'Ranks':>{widths[1]}}  {'Candidate':{widths[2]}}  Runs  Left  Each", "dim")
    ]
    for (program, ranks, candidate), cell in zip(names, found["cells"], strict=True):
        each = fmt.seconds(cell["run_s"]) if cell["measured"] else f"≤ {duration(cell['run_s'])}"
        start = f"{program:{widths[0]}}  {ranks:>{widths[1]}}  {candidate:{widths[2]}}"
        lines.append(f"{start}  {cell['runs']:>4}  {cell['left']:>4}  {each}")
    out.lines(lines if out.complete else lines[: MOST_ROWS + 1])
    if len(lines) > MOST_ROWS + 1 and not out.complete:
        out.lines([(f"and {len(lines) - MOST_ROWS - 1} more (--all)", "dim")])
    out.paragraph(f"{_repeats(found['repeats'])}.")


def _repeats(found: dict[str, Any]) -> str:
    wanted = fmt.percent(found["difference"])
    if not found["pairs"]:
        return "Nothing is compared: each comparison needs two cells of one program, input and number of ranks"
    if found["spread"] is None:
        return f"Repeats to show a difference of {wanted}: unknown before two repeats have run"
    spread = f"times vary by {fmt.percent(found['spread'])}, {fmt.plural(found['pairs'], 'pair')}, power 80 %"
    if found["needed"] is None:
        return f"A difference of {wanted} cannot be shown with 10,000 repeats ({spread})"
    return f"Repeats to show a difference of {wanted}: {found['needed']}; planned: {found['planned']} ({spread})"


def duration(length_s: float) -> str:
    if length_s < 100:
        return f"{length_s:.0f} s"
    return f"{length_s / 60:.0f} min" if length_s < 6000 else f"{length_s / 3600:.1f} h"
