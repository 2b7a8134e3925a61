"""Settings of the MPI library: how long a message may be that does not wait for its receiver."""

from __future__ import annotations

from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.advice.gains import WORTH, gain_between
from leadline.figures.run import Run
from leadline.libraries import LIBRARIES
from leadline.predict import Change, Replays
from leadline.text import format as fmt
from leadline.wording.gains import gain_words

NAME = "settings.sh"
MOST_OF_BEST = 0.9  # the shortest limit that gains so much of what the best one does
WHAT = "settings of the library"


def settings(run: Run, replays: Replays) -> Artefact | NotMade:
    library = next((known for known in LIBRARIES if run.library.startswith(known.banner)), None)
    if library is None:
        return NotMade(WHAT, f"Leadline knows no setting of {run.library or 'the library'}")
    longer = [each for each in library.candidates() if (each.eager_limit or 0) > library.eager_bytes]
    if not longer:
        return NotMade(WHAT, f"Leadline knows no setting of {library.title} for how long a message may be sent at once")
    base = replays.predict(Change())
    found = []
    for each in longer:
        predicted = replays.predict(Change(eager_bytes=each.eager_limit))
        found.append((gain_between(base, predicted), each))
    best = max(gain.share for gain, _ in found)
    if best < WORTH:
        return NotMade(WHAT, f"sending longer messages at once gains less than {fmt.percent(WORTH)}")
    gain, chosen = min(
        (pair for pair in found if pair[0].share >= MOST_OF_BEST * best), key=lambda pair: pair[1].eager_limit or 0
    )
    if gain.low <= 0:
        return NotMade(WHAT, f"sending longer messages at once {gain_words(gain)}: unsure")
    lines = [
        f"# {library.title}: messages of up to {chosen.eager_limit:,} bytes do not wait for their receiver, instead of "
        f"{library.eager_bytes:,}.",
        f"# Predicted: {gain_words(gain)} of the run's time. The replay does not know what the library copies more:",
        "# leadline tune --protocol -- COMMAND measures these settings, each with proof that it took effect.",
        "#",
        f"# Use:    . ./{NAME}     in the shell or job script, before the launcher",
        f"# Check:  {library.check_of(chosen)}",
        "",
        *(f"export {name}={value}" for name, value in sorted(chosen.variables.items())),
    ]
    return Artefact(NAME, f"{chosen.what}: {gain_words(gain)}", "\n".join(lines) + "\n")
