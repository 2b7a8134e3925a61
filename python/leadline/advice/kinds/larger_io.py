"""Many small transfers of a file, each a call."""

from __future__ import annotations

from dataclasses import replace

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content

NS_PER_BYTE = 0.25  # assumed of a large transfer beside what a small one costs
MOST_BYTES = 1 << 20  # of a combined transfer


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in files.of(content, "small_io"):
        told = entry.evidence
        transfers, each = int(told["transfers"]), float(told["bytes_each"])
        # In each iteration of the main loop, a rank's transfers become one.
        together = transfers / max(entry.steps, 1) / max(entry.ranks, 1)
        together = min(together, MOST_BYTES / max(each, 1.0))
        if together < 2:
            continue
        mean_ns = entry.time_s / transfers * 1e9
        remaining = 1 / together + NS_PER_BYTE * each / mean_ns
        opening = files.kept_open(content, entry)
        verb = "Write" if told["writes"] >= told["reads"] else "Read"
        found.append(
            files.faster(
                "larger-io",
                f"{verb} {files.names(entry)} in transfers {together:,.0f} times as large",
                ("Keep the file open. " if opening else "")
                + "Collect the values in a buffer and move it in one call, or use the buffer of stdio, a file view or "
                "collective MPI-IO.",
                replace(entry, sites=(*entry.sites, *opening)),
                remaining,
                (
                    "the transfers of an iteration can be made at once",
                    f"a large transfer moves {1 / NS_PER_BYTE:.0f} GB/s beside what a small one costs",
                ),
            )
        )
    return found


KIND = Kind(id="larger-io", order=50, candidates=candidates, patterns=("small_io",))
