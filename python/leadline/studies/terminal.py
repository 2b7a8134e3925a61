"""The study on a terminal."""

from __future__ import annotations

from typing import Any

from leadline.studies.figures import words_of
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

MOST_FINDINGS = 6


def draw(found: dict[str, Any], out: Screen) -> None:
    few, many = found["ranks"]
    rounds = fmt.plural(found["rounds"], "repeat")
    out.paragraph(found["verdict"], "bold")
    out.lines([f"{' '.join(found['program'])} · {few} and {many} ranks · {rounds} · results bit-identical"])
    for note in found["notes"]:
        out.paragraph(f"{note}.", "dim")
    out.section("Findings in the first run")
    for text in found["findings"][:MOST_FINDINGS]:
        out.item(text)
    out.section("Time by phase", "seconds (MPI in brackets), before → after, medians")
    out.lines(_phases(found))
    out.section("Communication by routine", "MPI time, mean over ranks; × original")
    out.lines(_routines(found))
    if found["files"]:
        out.section("Files", "program's clock; reads of the input by all ranks; × original")
        out.lines(_files(found["files"]))
    out.section("Segments", f"main loop with {few} ranks")
    out.lines(_segments(found["segments"]))
    out.section("Comparison with the papers")
    out.lines(_side_by_side(found["side_by_side"]))
    out.paragraph(f"Runs: {found['runs']}. Compare any two with leadline compare.", "dim")


def _phases(found: dict[str, Any]) -> list[Line]:
    lines: list[Line] = []
    heading = f"{'':24}" + "".join(f"{str(ranks) + ' ranks':>26}" for ranks in found["ranks"])
    lines.append((heading, "dim"))
    for row in found["phases"]:
        cells = ""
        for here in row["here"]:
            before = f"{_number(here['before_s'])} ({_number(here['before_mpi_s'])})"
            after = f"{_number(here['after_s'])} ({_number(here['after_mpi_s'])})"
            cells += f"{before + ' → ' + after:>26}"
        lines.append(f"{row['title']:24}{cells}")
    return lines


def _number(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 100 else f"{seconds:.0f}"


def _routines(found: dict[str, Any]) -> list[Line]:
    lines: list[Line] = [(f"{'Routine':9}{'Ranks':>5}  {'Messages':>9}  {'MPI':>8}  Form", "dim")]
    for row in found["routines"]:
        for form in row["forms"]:
            if form["form"] != "before" and form["messages"] == row["forms"][0]["messages"]:
                continue  # not changed by this form
            words = "" if form["ratio"] is None else f": {words_of(form['ratio'])}"
            lines.append(
                f"{row['routine']:9}{row['ranks']:>5}  {form['messages']:>9,}  {fmt.seconds(form['mpi_s']):>8}  "
                f"{form['title']}{words}"
            )
    return lines


def _files(rows: list[dict[str, Any]]) -> list[Line]:
    lines: list[Line] = [(f"{'Ranks':>5}  {'Input':>8}  {'Read':>6}  {'Output':>8}  Form: input; output", "dim")]
    for row in rows:
        ratios = [words_of(row[name]) for name in ("read_ratio", "write_ratio") if row[name] is not None]
        lines.append(
            f"{row['ranks']:>5}  {fmt.seconds(row['read_s']):>8}  {row['read_times']:>4.1f} ×  "
            f"{fmt.seconds(row['write_s']):>8}  {row['title']}"
        )
        lines += [f"{'':35}{words}" for words in ratios]
    return lines


def _segments(found: dict[str, Any]) -> list[Line]:
    lines: list[Line] = [(f"{'Segments':>8}  {'Main loop':>9}  {'MPI':>8}  {'Messages':>9}  vs original", "dim")]
    for row in found["rows"]:
        best = "  ← fastest" if row["segments"] == found["best"] else ""
        lines.append(
            f"{row['segments']:>8}  {fmt.seconds(row['loop_s']):>9}  {fmt.seconds(row['mpi_s']):>8}  "
            f"{row['messages']:>9,}  {words_of(row['ratio'])}{best}"
        )
    lines.append(f"{'none':>8}  {fmt.seconds(found['none_s']):>9}")
    lines.append(f"{'auto':>8}  {fmt.seconds(found['auto_s']):>9}  with the other changes")
    return lines


def _side_by_side(rows: list[dict[str, Any]]) -> list[Line]:
    lines: list[Line] = []
    for row in rows:
        here = row["here"] if isinstance(row["here"], str) else words_of(row["here"])
        lines += [f"{row['what']}", f"  papers  {row['published']}", f"  here    {here}"]
    return lines
