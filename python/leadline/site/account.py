"""What one run adds to a site's answer. All times are sums over ranks: rank-seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError
from leadline.figures.run import open_run
from leadline.report import Report
from leadline.text import format as fmt

MOST_SAID = 300


@dataclass(frozen=True)
class Cost:
    """A finding of the run. kind: its id, with the pattern's name where the finding is one.   lost_s: what it costs
    beyond what other findings account for."""

    kind: str
    text: str
    lost_s: float


@dataclass(frozen=True)
class Account:
    """why: why the run cannot be read; all figures are 0 then.   why_not_counted: why its times say nothing of the
    program, so that no loss is taken from it.   started_unix: seconds."""

    program: str = "?"
    library: str = "?"
    started_unix: float = 0.0
    ranks: int = 0
    hosts: int = 0
    elapsed_s: float = 0.0
    time_s: float = 0.0
    computation_s: float = 0.0
    mpi_s: float = 0.0
    waiting_s: float = 0.0
    io_s: float = 0.0
    own_s: float = 0.0
    why: str = ""
    why_not_counted: str = ""
    costs: tuple[Cost, ...] = ()

    @property
    def lost_s(self) -> float:
        return sum(cost.lost_s for cost in self.costs)


def account_of(path: Path, stamp: int) -> Account:
    """Never raises: a run that cannot be read says why. stamp: when its traces were written last, in ns."""
    try:
        report = Report(open_run(path))
        data = report.data
        counts = report.says_what_changes_gain
    except (LeadlineError, OSError) as error:
        return Account(why=_one_line(error), started_unix=stamp / 1e9)
    except Exception as error:  # one run among thousands must not end the answer about all others
        return Account(why=f"Leadline failed: {type(error).__name__}: {_one_line(error)}", started_unix=stamp / 1e9)
    return _account(data, stamp, counts)


def _account(data: dict[str, Any], stamp: int, counts: bool) -> Account:
    parts = {part["kind"]: float(part["time_s"]) for part in data["time_parts"]}
    findings = [finding for finding in data["findings"] if (finding["cost_s"] or 0.0) > 0.0]
    programs = [program["name"] for program in data["programs"]]
    return Account(
        program=" + ".join(programs) or "?",
        library=fmt.library(data["library"] or "?"),
        started_unix=_unix(data["start"]) or stamp / 1e9 - (data["duration_s"] or 0.0),
        ranks=data["ranks"],
        hosts=len(data["hosts"]),
        elapsed_s=data["duration_s"] or 0.0,
        time_s=data["time_s"],
        computation_s=data["computation_s"],
        mpi_s=data["mpi_s"],
        waiting_s=parts.get("waiting", 0.0),
        io_s=data["io_s"],
        own_s=data["own_between_s"],
        why_not_counted="" if counts else _why_not_counted(data),
        costs=tuple(Cost(_kind(each), each["text"], each["cost_s"]) for each in findings) if counts else (),
    )


def _why_not_counted(data: dict[str, Any]) -> str:
    conditions = data["conditions"]
    return conditions[0]["code"] if conditions else "incomplete"


def _kind(finding: dict[str, Any]) -> str:
    pattern = finding["evidence"].get("pattern")
    return f"{finding['id']}: {pattern}" if isinstance(pattern, str) else str(finding["id"])


def _unix(text: str | None) -> float | None:
    """Of a time as run.json has it."""
    for form in ("%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S"):
        try:
            return datetime.strptime(text or "", form).timestamp()
        except ValueError:
            continue
    return None


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:MOST_SAID]
