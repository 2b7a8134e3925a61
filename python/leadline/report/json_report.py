"""The report as data, for scripts. Schema "leadline.report/2": fields are added, never renamed or removed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from leadline import __version__
from leadline.figures.content import Content
from leadline.figures.ending import ended_in_call
from leadline.figures.json_entries import rank_id
from leadline.figures.programs import programs_of
from leadline.figures.run import Run
from leadline.figures.time_parts import TimePart
from leadline.findings import FAILS, Contradiction, caveat_of
from leadline.findings.finding import Finding
from leadline.report.one_sided import kinds_of_operations
from leadline.report.sections import figures_of, listed
from leadline.report.sums import contradictions
from leadline.report.verdict import verdict_sentences

SCHEMA = "leadline.report/2"
PARTS_OF_TIME = {
    "computation": "computation",
    "waiting": "waiting",
    "transfer": "transfer",
    "mpi": "MPI",
    "files": "files",
    "own": "overhead",
    "startup": "start-up",
}


def data_of(content: Content, findings: Sequence[Finding]) -> dict[str, Any]:
    """Every figure of the run. Times in seconds, sizes in bytes; min and max are over ranks."""
    sentences = verdict_sentences(content, findings)
    report = {
        "schema": SCHEMA,
        "leadline": __version__,
        **_about(content.run),
        "verdict": " ".join(sentences),
        "verdict_sentences": sentences,
        "conditions": [{"code": f.id, "message": f.text, **f.evidence} for f in findings if f.in_verdict],
        "findings": [finding.as_data() for finding in findings],
        "findings_caveat": caveat_of(findings),
        "ended_at_start": _ended_at_start(content),
        **_times(content),
        "totals": _totals(content),
        **figures_of(content),
    }
    if os.environ.get(FAILS) and (wrong := contradictions(report)):
        raise Contradiction("; ".join(wrong))
    return {**report, "sections": listed(report)}


def _about(run: Run) -> dict[str, Any]:
    description = run.description
    return {
        "run": str(run.path),
        "command": description.get("command"),
        "predicted": description.get("predicted") if run.predicted else None,
        "start": description.get("start"),
        "exit_code": description.get("exit_code"),
        "program": next((p.program for p in run.processes if p.program), ""),
        "programs": [
            {"name": path.rsplit("/", 1)[-1], "path": path, "arguments": arguments}
            for path, arguments in programs_of(run)
        ],
        "ranks": run.ranks,
        "ranks_recorded": len(run.processes),
        "worlds": len(run.worlds),
        "hosts": sorted({process.host for process in run.processes}),
        "job": description.get("job", {}).get("name"),
        "other_jobs": [str(path) for path in run.others],
        "library": run.library,
        "family": next((p.family for p in run.processes if p.family), ""),
        "complete": run.complete and not ended_in_call(run),
        "command_duration_s": description.get("duration_s"),
    }


def _ended_at_start(content: Content) -> dict[str, Any] | None:
    ended = content.ended_at_start
    if not ended:
        return None
    return {
        "all_ranks": ended.all_ranks,
        "in_init": [rank_id(label) for label in ended.in_init],
        "after_init": [rank_id(label) for label in ended.after_init],
        "aborted": [rank_id(label) for label in ended.aborted],
    }


def _times(content: Content) -> dict[str, Any]:
    """Durations and shares are withheld if the run ended at its start."""
    withheld = content.ended_at_start.all_ranks
    return {
        "duration_s": None if withheld else content.run.duration_s,
        "mpi_share": None if withheld else content.mpi_share,
        "mpi_s": content.mpi_s,
        "io_s": content.io_s,
        "own_between_s": content.own_between_s,
        "time_s": content.time_s,
        "startup_s": content.startup_s,
        "time_of": content.time_of,
        "time_parts": [] if withheld else [_part(part) for part in content.time_parts],
        "computation_s": sum(rank.computation_s for rank in content.ranks),
    }


def _part(part: TimePart) -> dict[str, Any]:
    return {"kind": part.kind, "name": PARTS_OF_TIME[part.kind], "time_s": part.time_s, "share": part.share}


def _totals(content: Content) -> dict[str, Any]:
    return {
        "calls": content.calls,
        "messages": content.messages,
        "message_bytes": content.message_bytes,
        "collective_calls": sum(rank.collectives for rank in content.ranks),
        "refused_calls": content.delivery.refused,
        "cancelled_sends": content.delivery.cancelled_sends,
        "cancelled_receives": content.delivery.cancelled_receives,
        "messages_never_received": content.delivery.never_received,
        "messages_from_nobody": content.delivery.from_nobody,
        "collective_bytes": sum(rank.contributed for rank in content.ranks),
        "collective_bytes_received": sum(rank.collected for rank in content.ranks),
        "local_calls": sum(entry.calls for entry in content.functions if entry.local),
        "one_sided_operations": content.operations,
        **{kind.name: kind.operations for kind in kinds_of_operations(content)},
        "bytes_put": content.bytes_put,
        "bytes_got": content.bytes_got,
    }
