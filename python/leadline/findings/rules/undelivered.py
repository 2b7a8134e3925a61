"""Messages that were never received, and requests that were cancelled."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    delivery = content.delivery
    cancelled = delivery.cancelled_sends + delivery.cancelled_receives
    if not delivery.never_received and not cancelled:
        return None
    return Fact(
        {
            "never_received": delivery.never_received,
            "cancelled_sends": delivery.cancelled_sends,
            "cancelled_receives": delivery.cancelled_receives,
        }
    )


def sentence(content: Content, found: Evidence) -> str:
    parts = []
    if found["never_received"]:
        parts.append(f"{fmt.plural(found['never_received'], 'message was', 'messages were')} sent but never received")
    if found["cancelled_sends"]:
        parts.append(f"{fmt.plural(found['cancelled_sends'], 'send was', 'sends were')} cancelled")
    if found["cancelled_receives"]:
        parts.append(f"{fmt.plural(found['cancelled_receives'], 'receive was', 'receives were')} cancelled")
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


RULE = Rule(
    id="undelivered",
    order=265,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
)
