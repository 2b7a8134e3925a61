"""Most of many messages are small."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.size_classes import histogram
from leadline.findings.finding import Evidence, Fact, Rule, at_least, at_most
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    classes = histogram(content.sizes)
    if not classes or not content.messages:
        return None
    most = max(classes, key=lambda each: each["messages"])
    volume = content.message_bytes
    return Fact(
        {
            "from_bytes": most["from"],
            "below_bytes": most["to"],
            "messages": most["messages"],
            "messages_in_all": content.messages,
            "share": most["messages"] / content.messages,
            "share_of_bytes": most["bytes"] / volume if volume else 0.0,
        }
    )


def sentence(content: Content, found: Evidence) -> str:
    below = found["below_bytes"]
    size = "0 bytes" if below == 1 else f"{found['from_bytes']:,} to {below - 1:,} bytes"
    if found["messages"] == found["messages_in_all"]:
        return f"All {fmt.plural(found['messages'], 'message')} are {size} long."
    return (
        f"{fmt.percent(found['share'])} of the messages ({fmt.percent(found['share_of_bytes'])} of the bytes) are "
        f"{size} "
        f"long: {found['messages']:,} of {found['messages_in_all']:,}."
    )


RULE = Rule(
    id="small-messages",
    order=270,
    severity="notice",
    section="sizes",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.5), "below_bytes": at_most(4096), "messages_in_all": at_least(1000)},
)
