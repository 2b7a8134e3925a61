"""Live memory was on a network file system, although the user did not ask for that."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule, at_least
from leadline.text import format as fmt

_NOT_ON_THE_NODE = {
    "no-local-directory": "neither /dev/shm nor the temporary directories are on the node itself",
    "too-little-room": "less than 256 MiB is free in /dev/shm and the node's temporary directories",
    "not-permitted": "no directory can be created in /dev/shm or the node's temporary directories",
}


def facts(content: Content) -> Fact | None:
    places = [process.conditions for process in content.run.processes]
    remote = [p for p in places if p.remote and p.live_kind == "run" and p.live_reason in _NOT_ON_THE_NODE]
    if not remote:
        return None
    return Fact({"ranks": len(remote), "file_system": remote[0].file_system, "reason": remote[0].live_reason})


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"{fmt.plural(found['ranks'], 'rank')} recorded to {found['file_system']} during the run, which may have "
        f"slowed "
        f"the program: {_NOT_ON_THE_NODE[found['reason']]}. Give a node-local directory with --live DIR."
    )


RULE = Rule(
    id="live-memory-remote",
    order=60,
    severity="warning",
    section="itself",
    facts=facts,
    sentence=sentence,
    threshold={"ranks": at_least(1)},
    in_verdict=True,
)
