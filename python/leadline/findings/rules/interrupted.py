"""A person, or a time limit, ended the run."""

from __future__ import annotations

from leadline.figures import cut_short
from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    found = content.interruption
    return None if found is None else Fact({"cause": found.cause, "after_s": found.after_s})


def sentence(content: Content, found: Evidence) -> str:
    cause = found["cause"]
    if cause == cut_short.TIMEOUT:
        what = "`timeout` ended the run"
    elif cause == cut_short.JOB_LIMIT:
        what = "The job reached its time limit"
    elif cause == "SIGINT":
        what = f"The run was interrupted ({cut_short.SENDERS[cause]})"
    else:
        what = f"{cause} ended the run ({cut_short.SENDERS[cause]})"
    when = f" after {fmt.seconds(found['after_s'])}" if found["after_s"] is not None else ""
    return f"{what}{when}. All figures end there."


RULE = Rule(
    id="interrupted",
    order=6,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    in_verdict=True,
)
