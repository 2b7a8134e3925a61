"""Makes docs/reference/jobs-cases.md from the results of test_cases.py (build/tests/jobs-cases.jsonl)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cases import CASES, Case

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "tests" / "jobs-cases.jsonl"
PAGE = ROOT / "docs" / "reference" / "jobs-cases.md"
LIBRARIES = {
    "mpich@4.1.3": "MPICH 4.1",
    "mpich": "MPICH 5.0",
    "debian-openmpi": "Open MPI 4.1",
    "openmpi": "Open MPI 5.0",
}
NODES = (1, 2, 3)
Results = dict[tuple[str, str, int], str]

HEAD = """\
# Ways to start a job

Which launchers were tried under Slurm and ssh, and what is recorded with each: for users whose way to start a job is
unusual.

These commands made the table under a real Slurm 22.05 on three hosts in namespaces (`srun --mpi=pmi2` with MPICH,
`--mpi=pmix` with Open MPI). The command lines of the cases are in `tests/jobs/cases.py`.

    LEADLINE_TIER=full .venv/bin/python -m pytest tests/jobs/test_cases.py
    .venv/bin/python tests/jobs/case_table.py

*Ranks* has the number of ranks that were recorded on one, two and three nodes, with MPICH 4.1 and 5.0, and Open MPI 4.1
and 5.0 (*except* names those with another result). It equals the number that the program's own output shows as started;
every rank was recorded once, and each job has its own run. For `apply`, it is the number of ranks that used the table's
rule; "native" means that all ran natively, as they should, with the true reason reported. A letter refers to the list
below. "?" means not run.

"""


def cell(case: Case, library: str, found: Results, notes: dict[str, str]) -> str:
    words = []
    for nodes in NODES:
        result = found.get((case.id, library, nodes), "?")
        if result.startswith(("alone: ", "limit: ")):
            why = result.replace("alone: ", "fails without Leadline: ").replace("limit: ", "recorded differently: ")
            words.append(notes.setdefault(why, chr(ord("a") + len(notes))))
        else:
            words.append(result.partition(" of ")[0])
    return words[0] if len(set(words)) == 1 and not words[0].isdigit() else ", ".join(words)


def page(found: Results) -> str:
    notes: dict[str, str] = {}
    rows = []
    for case in CASES:
        cells = [cell(case, library, found, notes) for library in LIBRARIES]
        place = "" if case.place in case.name or case.place == "plain" else f" ({case.place})"
        rows.append((case.group, case.name + place, cells))
    legend = [f"* {letter}: {why}" for why, letter in notes.items()]
    return HEAD + "\n".join([*table(rows), "", *legend]) + "\n"


def table(rows: Sequence[tuple[str, str, Sequence[str]]]) -> list[str]:
    """rows: group, case, a cell for each library. Cases of a group with the same results are one line."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for group, name, cells in rows:
        alike.setdefault((group, tuple(cells)), []).append(name)
    lines = ["| group | cases | ranks | except |", "|---" * 4 + "|"]
    for (group, cells), names in alike.items():
        usual = Counter(cells).most_common(1)[0][0]
        others = [f"{title}: {each}" for title, each in zip(LIBRARIES.values(), cells, strict=True) if each != usual]
        lines.append(f"| {group} | {'; '.join(names)} | {usual} | {'; '.join(others)} |")
    return lines


if __name__ == "__main__":
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    PAGE.write_text(page({(case, library, nodes): result for case, library, nodes, result in lines}))
