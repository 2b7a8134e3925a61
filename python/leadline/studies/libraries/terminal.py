"""The study on a terminal: messages alone, and the claims, after the campaign's table."""

from __future__ import annotations

from typing import Any

from leadline.text.screen import Line, Screen

SHOWN = (0, 8, 4096, 32768, 262144, 4194304)  # bytes


def draw(content: dict[str, Any], out: Screen) -> None:
    rows = content["messages"]["rows"]
    if rows:
        out.section("Messages alone", "median µs, one way, 2 ranks, by bytes")
        out.lines(_messages(rows))
    for name, why in content["messages"]["failed"].items():
        out.item(f"{name}: {why}")
    out.section("Best by application", "nothing is proven to be faster")
    out.lines([_winner(each) for each in content["winners"]])
    if content["by_application"]:
        out.section("OB1 against CM", "time with CM by that with OB1, 95 % CI")
        out.lines([_ways(each) for each in content["by_application"]])
    out.section("Claims of the paper", "Graham, Bosilca, Pješivac-Grbović: Open MPI on a Cray XT4")
    for each in content["claims"]:
        out.item(f"{each['claim']} ({each['published']}): {each['verdict']}. {each['why']}.")


def _winner(row: dict[str, Any]) -> str:
    name = f"{row['program']}{' ' + row['part'] if row['part'] else ''}, {row['ranks']}"
    wrong = row["wrong_by_messages"]
    said = f"; messages alone would name {', '.join(wrong)}" if wrong else ""
    return f"{name}: {', '.join(row['best'])}{said}"


def _ways(row: dict[str, Any]) -> str:
    ratio = f"{row['cm_by_ob1']:.2f}× ({row['low']:.2f} to {row['high']:.2f})"
    return f"{row['program']:6}{row['where']:10}{ratio:24}{row['verdict']}"


def _messages(rows: list[dict[str, Any]]) -> list[Line]:
    by: dict[str, dict[int, float]] = {}
    for row in rows:
        by.setdefault(row["candidate"], {})[row["bytes"]] = row["median_us"]
    width = max(map(len, by))
    lines: list[Line] = [(f"{'':{width}}" + "".join(f"{size:>9}" for size in SHOWN), "dim")]
    for name, times in by.items():
        cells = "".join(f"{times[size]:>9.4g}" if size in times else f"{'–':>9}" for size in SHOWN)
        lines.append(f"{name:{width}}{cells}")
    return lines
