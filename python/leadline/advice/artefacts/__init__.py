"""Files that carry out what needs no edit of the program: settings, rank files, hints."""

from __future__ import annotations

from leadline import predict
from leadline.advice.artefacts import progress, settings
from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.advice.artefacts.hints import hints
from leadline.advice.artefacts.placement import placement
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run


def artefacts_of(run: Run) -> tuple[list[Artefact], list[NotMade]]:
    content = Content(run)
    found: list[Artefact | NotMade] = [*_replayed(content), hints(content)]
    placed = placement(run)
    found += [placed] if isinstance(placed, NotMade) else placed
    return [each for each in found if isinstance(each, Artefact)], [each for each in found if isinstance(each, NotMade)]


def _replayed(content: Content) -> list[Artefact | NotMade]:
    """Those whose gain is known."""
    run = content.run

    def none(reason: str) -> list[Artefact | NotMade]:
        return [NotMade(settings.WHAT, reason), NotMade(progress.WHAT, reason)]

    if reason := predict.why_spoiled(run):
        return none(reason)
    try:
        replays = predict.Replays(run)
        if not replays.replayable:
            return none("the replay of the unchanged run is off by more than 10 %")
        return [settings.settings(run, replays), progress.progress(content, replays)]
    except UsageError as error:
        return none(f"it cannot be replayed: {error}")


__all__ = ["Artefact", "NotMade", "artefacts_of"]
