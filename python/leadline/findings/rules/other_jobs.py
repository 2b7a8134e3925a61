"""Other jobs were recorded in the same directory."""

from __future__ import annotations

import os
from pathlib import Path

from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.findings.finding import Evidence, Fact, Rule, at_least
from leadline.text import format as fmt

MOST_NAMED = 3


def facts(content: Content) -> Fact | None:
    directories = [str(path) for path in content.run.others]
    return Fact({"directories": directories, "jobs": len(directories)})


def sentence(content: Content, found: Evidence) -> str:
    names = [_relative(content.run, path) for path in content.run.others]
    shown = ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
    jobs = fmt.plural(found["jobs"], "other job", "other jobs")
    return f"This directory also contains {jobs}: {shown}. Report each separately."


def _relative(run: Run, path: Path) -> str:
    return os.path.relpath(path, run.path if run.path in path.parents else run.path.parent)


RULE = Rule(
    id="other-jobs",
    order=70,
    severity="notice",
    section="missing",
    facts=facts,
    sentence=sentence,
    threshold={"jobs": at_least(1)},
    in_verdict=True,
)
