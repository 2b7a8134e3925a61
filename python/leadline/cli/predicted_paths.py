"""What `leadline predict --tolerance` and `--longest-path` add to the output."""

from __future__ import annotations

from typing import Any

from leadline.text import format as fmt


def tolerance_data(found: Any) -> dict[str, Any]:
    return {
        "tolerated": [{"longer": longer, "latency": added} for longer, added in found.longer],
        "slope": found.slope,
        "slope_grows_at": found.bends_s,
    }


def tolerance_lines(found: Any) -> list[str]:
    known = [(longer, added) for longer, added in found.longer if added is not None]
    if not known:
        return ["The run does not become 1 % longer, however much later its messages arrive."]
    (first, added), *others = known
    line = f"The run takes {fmt.percent(first)} longer once each message arrives {fmt.seconds(added)} later"
    words = [f"{fmt.percent(longer)} once {fmt.seconds(more)} later" for longer, more in others]
    lines = [f"{', '.join([line, *words])}."]
    if found.bends_s is not None:
        lines.append(f"From {fmt.seconds(found.bends_s)} on, it grows faster with each further delay.")
    return lines


def path_data(found: Any) -> list[dict[str, Any]]:
    return [{"where": one.where, "share": one.share} for one in found]


def path_lines(found: Any) -> list[str]:
    if not found:
        return ["No computation is on the longest path."]
    words = [f"{fmt.percent(one.share)} before {one.where}" for one in found]
    return [f"Computation on the longest path, of the run's time: {', '.join(words)}."]
