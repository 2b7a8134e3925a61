"""Messages were received that no recorded call sent: calls bypass the recorder."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    messages = content.delivery.from_nobody
    return Fact({"messages": messages}) if messages else None


def sentence(content: Content, found: Evidence) -> str:
    messages = fmt.plural(found["messages"], "message has", "messages have")
    return (
        f"At least {messages} no recorded send: some calls bypass Leadline (through RTLD_DEEPBIND, dlmopen or dlvsym). "
        "Figures are too low. To record these calls, use dlopen without RTLD_DEEPBIND, and dlsym instead "
        "of dlvsym."
    )


RULE = Rule(
    id="unseen-calls",
    order=12,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    in_verdict=True,
)
