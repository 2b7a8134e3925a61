"""The study on a terminal: what is compared, tables per call, figures, claims, and the difference taken apart."""

from __future__ import annotations

from typing import Any

from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

MOST_CALLS = 8


def draw(content: dict[str, Any], out: Screen) -> None:
    for note in content["remarks"]:
        out.paragraph(note, "dim")
    for nodes in sorted({table["nodes"] for table in content["tables"]}):
        for table in content["tables"]:
            if table["nodes"] == nodes:
                out.section(
                    f"{nodes} nodes, {content['sides'][table['side']]}", "sums over nodes, medians; last: by node"
                )
                out.paragraph(content["caution"], "dim")
                out.lines(_calls(table["rows"]))
    out.section("The study's three figures", "seconds per process")
    out.paragraph(content["caution"], "dim")
    out.lines(_figures(content["figures"], "here", content["sides"]))
    out.section("The same of the study", "WRF on his clusters")
    out.lines(_figures(content["published"], "paper", {}))
    if content["drawn"]:
        out.paragraph(f"drawn: {content['drawn']}", "dim")
    if content["apart"]:
        first = content["sides"]["physical"]
        out.section(f"Virtual - {first}, taken apart", "by replays; range: order of exchange")
        out.lines(_apart(content["apart"], first))
    out.section("Conclusions of the study", "G. Díaz López de la Llave: WRF on physical and virtual clusters")
    for each in content["claims"]:
        out.item(f"{each['claim']} ({each['published']}): {each['verdict']}. {each['why']}.")


def _calls(rows: list[dict[str, Any]]) -> list[Line]:
    lines: list[Line] = [(f"{'':18}{'time':>9}{'share':>8}{'calls':>12}{'µs/call':>11}{'on a node':>21}", "dim")]
    for row in rows[:MOST_CALLS]:
        application = row["us_per_call"] is None
        calls, each = ("", "") if application else (f"{row['calls']:,.0f}", f"{row['us_per_call']:,.1f}")
        spread = f"{fmt.seconds(row['node_least_s'])} to {fmt.seconds(row['node_most_s'])}"
        lines.append(
            f"{'application' if application else row['function']:18}{fmt.seconds(row['seconds']):>9}"
            f"{100 * row['share']:>6.1f} %{calls:>12}{each:>11}{spread:>21}"
        )
    return lines


def _figures(rows: list[dict[str, Any]], where: str, names: dict[str, str]) -> list[Line]:
    lines: list[Line] = [
        (f"{where:10}{'nodes':>6}{'application':>13}{'MPI':>10}{'MPI_Wait':>10}{'other MPI':>11}", "dim")
    ]
    for row in sorted(rows, key=lambda each: (each["nodes"], each["side"])):
        cells = f"{row['application_s']:>13.3g}{row['mpi_s']:>10.3g}{row['wait_s']:>10.3g}{row['other_mpi_s']:>11.3g}"
        lines.append(f"{names.get(row['side'], row['side']):10}{row['nodes']:>6}{cells}")
    return lines


def _apart(found: list[dict[str, Any]], first: str) -> list[Line]:
    lines: list[Line] = []
    for each in found:
        measured, replayed = each["measured_s"], each["replayed_s"]
        lines.append(
            f"{each['nodes']} nodes: {fmt.seconds(measured[0])} {first}, {fmt.seconds(measured[1])} virtual "
            f"(replayed: {fmt.seconds(replayed[0])}, {fmt.seconds(replayed[1])}); difference "
            f"{_signed(each['difference_s'])}"
        )
        for part in each["parts"]:
            known = part["low"] != part["high"]
            between = f"  ({_signed(part['low'])} to {_signed(part['high'])})" if known else ""
            lines.append(f"  {part['name']:45}{_signed(part['seconds']):>10}{between}")
    return lines


def _signed(seconds: float) -> str:
    return f"{'-' if seconds < 0 else '+'}{fmt.seconds(abs(seconds))}"
