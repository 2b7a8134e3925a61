"""Files that carry out what needs no edit of the program: settings, rank files, hints."""

from __future__ import annotations

from leadline import predict
from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.advice.artefacts.hints import hints
from leadline.advice.artefacts.placement import placement
from leadline.advice.artefacts.settings import WHAT, settings
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run


def artefacts_of(run: Run) -> tuple[list[Artefact], list[NotMade]]:
    found: list[Artefact | NotMade] = [_settings(run), hints(Content(run))]
    placed = placement(run)
    found += [placed] if isinstance(placed, NotMade) else placed
    return [each for each in found if isinstance(each, Artefact)], [each for each in found if isinstance(each, NotMade)]


def _settings(run: Run) -> Artefact | NotMade:
    if reason := predict.why_spoiled(run):
        return NotMade(WHAT, reason)
    try:
        replays = predict.Replays(run)
        if not replays.replayable:
            return NotMade(WHAT, "the replay of the unchanged run is off by more than 10 %")
        return settings(run, replays)
    except UsageError as error:
        return NotMade(WHAT, f"it cannot be replayed: {error}")


__all__ = ["Artefact", "NotMade", "artefacts_of"]
