"""A run that `leadline predict -o` wrote: nothing in it was measured."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule
from leadline.text import format as fmt
from leadline.text.visible import in_shell

LARGE_ERROR = 0.10  # as leadline.predict has it, which this must not import


def facts(content: Content) -> Fact | None:
    if not content.run.predicted:
        return None
    given = content.run.description.get("predicted")
    told = given if isinstance(given, dict) else {}
    options = told.get("options")
    words = [word for word in options if isinstance(word, str)] if isinstance(options, list) else []
    source = told.get("from")
    evidence: Evidence = {
        "from": source if isinstance(source, str) else None,
        "options": words,
        "seconds": _number(told.get("seconds")),
        "low": _number(told.get("low")),
        "high": _number(told.get("high")),
        "base_seconds": _number(told.get("base_seconds")),
        "error_of_base": _largest(told.get("error_of_base")),
    }
    return Fact(evidence)


def _largest(errors: object) -> float | None:
    """Of the unchanged run's replay against the recording: as a whole, or in its main loop."""
    if not isinstance(errors, dict):
        return None
    known = [error for part in ("whole", "loop") if (error := _number(errors.get(part))) is not None]
    return max(known, key=abs, default=None)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def sentence(content: Content, found: Evidence) -> str:
    said = "Predicted, not measured"
    seconds, low, high = found["seconds"], found["low"], found["high"]
    if seconds is not None and low is not None and high is not None:
        said += f": {fmt.seconds(seconds)} ({fmt.seconds(low)} to {fmt.seconds(high)})"
    if found["options"]:
        said += f", with {' '.join(map(in_shell, found['options']))}"
    if found["from"]:
        said += f", from the run {found['from'].rstrip('/').rpartition('/')[2]}"
    error = found["error_of_base"]
    if error is not None and abs(error) > LARGE_ERROR:
        return f"{said}. The replay of the unchanged run is off by {fmt.percent(abs(error))}: do not rely on it."
    return said + "."


RULE = Rule(
    id="predicted",
    order=0,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    in_verdict=True,
)
