"""Makes docs/jobs-cases.md of what test_cases.py found (build/tests/jobs-cases.jsonl)."""

from __future__ import annotations

import json
from pathlib import Path

from cases import CASES, Case

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "tests" / "jobs-cases.jsonl"
PAGE = ROOT / "docs" / "jobs-cases.md"
LIBRARIES = {
    "mpich@4.1.3": "MPICH 4.1",
    "mpich": "MPICH 5.0",
    "debian-openmpi": "Open MPI 4.1",
    "openmpi": "Open MPI 5.0",
}
NODES = (1, 2, 3)
Results = dict[tuple[str, str, int], str]

HEAD = """\
# Every way to start a job that was tried

Made by these, under a real Slurm 22.05 on three hosts in namespaces (`srun --mpi=pmi2` with MPICH,
`--mpi=pmix` with Open MPI; the lines themselves are in `tests/jobs/cases.py`):

    LEADLINE_TIER=full .venv/bin/python -m pytest tests/jobs/test_cases.py
    .venv/bin/python tests/jobs/case_table.py

A cell has the number of ranks that were recorded on one, two and three nodes. It is the number that the program's own
output shows as started; every rank is there once, and each job has a run of its own. For `apply` it is the ranks that
carried out the table's rule; "native": all ran natively, as they should, and the reason given was the true one.
Letters are explained below: the line fails without Leadline too, or is recorded otherwise; the test makes sure
that this is still so. "?": not run. "failed": it did.

"""


def cell(case: Case, library: str, found: Results, notes: dict[str, str]) -> str:
    words = []
    for nodes in NODES:
        result = found.get((case.id, library, nodes), "?")
        if result.startswith(("alone: ", "limit: ")):
            why = result.replace("alone: ", "fails alone: ").replace("limit: ", "recorded otherwise: ")
            words.append(notes.setdefault(why, chr(ord("a") + len(notes))))
        else:
            words.append(result.partition(" of ")[0])
    return words[0] if len(set(words)) == 1 and not words[0].isdigit() else ", ".join(words)


def page(found: Results) -> str:
    notes: dict[str, str] = {}
    lines = ["| case | " + " | ".join(LIBRARIES.values()) + " |", "|---" * (len(LIBRARIES) + 1) + "|"]
    for case in CASES:
        cells = [cell(case, library, found, notes) for library in LIBRARIES]
        place = "" if case.place in case.name or case.place == "plain" else f" ({case.place})"
        lines.append(f"| {case.group}: {case.name}{place} | " + " | ".join(cells) + " |")
    told = [f"* {letter}: {why}" for why, letter in notes.items()]
    return HEAD + "\n".join([*lines, "", *told]) + "\n"


if __name__ == "__main__":
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    PAGE.write_text(page({(case, library, nodes): result for case, library, nodes, result in lines}))
