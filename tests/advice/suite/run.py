"""By hand: records the suite and prints its table.

python -m advice.suite.run DIRECTORY [LIBRARY[,…] [RANKS[,…] [CASE[,…]]]], in tests/, with Leadline set up. What is in
DIRECTORY is not recorded again, but judged again. Where other processes had taken the cores, it is recorded again, up
to TRIES times (3; 0: never). With TABLE in the environment, rows are those of docs/tune/advise-suite.md; with NICE,
programs come before others on the machine (as root).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from conftest import PATIENT, WITHOUT_ADAPTERS
from recorder import running

from leadline.errors import LeadlineError
from leadline.figures.content import Content
from leadline.figures.run import open_run
from leadline.findings import findings_of
from leadline.mpi import find

from . import judge, programs
from .cases import CASES, Case
from .judge import Verdict

FORMS = ("fault", "mended")


TRIES = int(os.environ.get("TRIES", "3"))


def recorded(case: Case, form: int, library: str, ranks: int, directory: Path) -> float:
    """Seconds of the case."""
    there = directory / "seconds"
    for _ in range(TRIES):
        if there.exists() and not judge.cores_taken(findings_of(Content(open_run(directory / "run")))):
            break
        shutil.rmtree(directory, ignore_errors=True)
        found, recorder = find(library), running.find_recorder()
        words = [str(programs.build(found, case.program)), case.name, str(form), str(case.steps_on(ranks))]
        prefix = ["nice", "-n", "-20"] if "NICE" in os.environ else []
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(str(programs.run(found, ranks, words, directory, recorder, prefix)))
    return float(there.read_text())


def main() -> None:
    os.environ.update(WITHOUT_ADAPTERS)
    directory = Path(sys.argv[1]).resolve()
    libraries = sys.argv[2].split(",") if len(sys.argv) > 2 else ["mpich", "openmpi"]
    sizes = [int(word) for word in sys.argv[3].split(",")] if len(sys.argv) > 3 else [2, 4, 8]
    names = sys.argv[4].split(",") if len(sys.argv) > 4 else [case.name for case in CASES]
    cores = len(os.sched_getaffinity(0))
    for library in libraries:
        for ranks in sizes:
            # A rank of MPICH that waits would keep its core from the rank it waits for.
            os.environ.update(PATIENT if ranks > cores else {})
            rows = []
            for case in (case for case in CASES if case.name in names):
                row = _row(case, library, ranks, directory / library / str(ranks))
                rows.append(row)
                print(markdown(row) if "TABLE" in os.environ else line_of(case, ranks, row), flush=True)
            print(f"{library}, {ranks} ranks: {sums(rows, ranks)}", flush=True)


Row = tuple[Case, list[Verdict], list[float], float]


def _row(case: Case, library: str, ranks: int, directory: Path) -> Row:
    verdicts, seconds = [], []
    for form in range(1 if case.healthy else 2):
        where = directory / case.name / FORMS[form]
        seconds.append(recorded(case, form, library, ranks, where))
        try:
            verdict = judge.judged(case, open_run(where / "run"), ranks, mended=form == 1, proposals=form == 0)
        except (LeadlineError, AssertionError) as error:
            verdict = Verdict("none", None, "", "", "", [], [], [], f"{type(error).__name__}: {error}")
        (where / "verdict.json").write_text(json.dumps(verdict.as_data(), indent=1))
        verdicts.append(verdict)
    whole_s = open_run(directory / case.name / FORMS[0] / "run").duration_s
    return case, verdicts, seconds, (seconds[0] - seconds[-1]) / whole_s if whole_s > 0 else 0.0


def line_of(case: Case, ranks: int, row: Row) -> str:
    _, verdicts, seconds, measured = row
    first = verdicts[0]
    said = ", ".join(f"{name} {share:.0%}" for name, share in first.said[:3])
    gains = ", ".join(f"{kind} {gain:.0%} ({low:.0%}..{high:.0%})" for kind, gain, low, high in first.proposals[:2])
    good = judge.is_silent(first) if case.healthy else judge.names_the_fault(case, first, ranks, measured)
    right = (
        not any(gain > judge.LITTLE for _, gain, *_ in first.proposals)
        if case.healthy
        else judge.proposes_right(case, first, ranks, measured)
    )
    mended = f" -> {seconds[1]:.3f}" if len(seconds) > 1 else ""
    loops = "/".join(verdict.loop for verdict in verdicts)
    lost = "; ".join(f"{v.trips} at {v.place}" for v in verdicts if v.loop not in ("right",))
    taken = " CORES TAKEN" if any(verdict.taken for verdict in verdicts) else " SHARED" if first.shared else ""
    return (
        f"{case.name:24} {loops:14} {'ok ' if good else 'NO '} {said or '-':50} {'ok ' if right else 'NO '} "
        f"{gains or '-':34} {seconds[0]:.3f}{mended} s {lost} {first.note}{taken}"
    )


def markdown(row: Row) -> str:
    """A row of the documentation's table."""
    case, verdicts, _, measured = row
    first = verdicts[0]
    gains = "; ".join(
        f"`{kind}` {gain:.0%} ({low:.0%} to {high:.0%})".replace("%", " %")
        for kind, gain, low, high in first.proposals[:1]
    )
    said = f"`{first.first}`" if first.first else "–"
    loops = {verdict.loop for verdict in verdicts}
    mended = f"{measured:.0%}".replace("%", " %") if not case.healthy else "–"
    loop = "right" if loops == {"right"} else "wrong" if "wrong" in loops else "none"
    return f"| `{case.name}` | {case.fault or 'healthy'} | {loop} | {said} | {gains or '–'} | {mended} |"


def sums(rows: list[Row], ranks: int) -> str:
    verdicts = [verdict for _, all_forms, _, _ in rows for verdict in all_forms]
    taken = [row for row in rows if any(form.taken for form in row[1])]
    shared = [row for row in rows if row not in taken and row[1][0].shared]
    rows = [row for row in rows if row not in taken and row not in shared]
    faults = [(case, forms[0], gain) for case, forms, _, gain in rows if not case.healthy and ranks >= case.from_ranks]
    healthy = [forms[0] for case, forms, _, _ in rows if case.healthy]
    loops = sum(verdict.loop == "right" for verdict in verdicts)
    told = sum(verdict.loop in ("at least", "part") for verdict in verdicts)
    named = sum(judge.names_the_fault(case, verdict, ranks, gain) for case, verdict, gain in faults)
    cheap = sum(gain < judge.LITTLE for _, _, gain in faults)
    proposed = sum(judge.proposes_right(case, verdict, ranks, gain) for case, verdict, gain in faults)
    silent = sum(judge.is_silent(verdict) for verdict in healthy)
    quiet = sum(not any(gain > judge.LITTLE for _, gain, *_ in verdict.proposals) for verdict in healthy)
    gains = [(v.proposals[0], measured) for _, v, measured in faults if v.proposals]
    within = sum(low <= measured <= high for (_, _, low, high), measured in gains)
    close = sum(abs(gain - measured) <= judge.CLOSE for (_, gain, *_), measured in gains)
    signs = sum(measured > -judge.NOISE for _, measured in gains)
    return (
        f"main loop right {loops}, at least or part {told}, of {len(verdicts)}; "
        f"first statement {named} of {len(faults)}, of which {cheap} cost less than {judge.LITTLE:.0%}; "
        f"first proposal {proposed} of {len(faults)}; "
        f"of {len(gains)} gains, in the interval {within}, within {judge.CLOSE:.0%} {close}, sign {signs}; "
        f"healthy: silent {silent}, no proposal {quiet} of {len(healthy)}; "
        f"only the loop is judged where cores were taken, {len(taken)}, or ranks share them, {len(shared)}"
    )


if __name__ == "__main__":
    main()
