"""Settings of the MPI library: a thread of each rank by which messages go on while the program computes."""

from __future__ import annotations

from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.advice.gains import WORTH, gain_between
from leadline.figures.content import Content
from leadline.libraries import LIBRARIES
from leadline.predict import Change, Replays
from leadline.text import format as fmt
from leadline.wording.gains import gain_words

NAME = "progress.sh"
WHAT = "progress thread"


def progress(content: Content, replays: Replays) -> Artefact | NotMade:
    """The thread needs a core, which the replay takes for granted."""
    run = content.run
    library = next((known for known in LIBRARIES if run.library.startswith(known.banner)), None)
    settings = library.progress() if library is not None else []
    if library is None or not settings:
        name = run.library.partition(",")[0] or "the library" if library is None else library.title
        return NotMade(WHAT, f"Leadline knows no setting of {name}")
    full = [use for use in content.host_uses if use.threads + use.ranks > use.cores]
    if full:
        use = full[0]
        return NotMade(
            WHAT,
            f"{fmt.plural(use.ranks, 'thread')} more would have no core each on {use.host}, where "
            f"{fmt.plural(use.threads, 'thread')} had {use.cores:g}",
        )
    gain = gain_between(replays.predict(Change()), replays.predict(Change(progress=True)))
    if gain.share < WORTH:
        return NotMade(WHAT, f"messages that move while ranks compute gain less than {fmt.percent(WORTH)}")
    if gain.low <= 0:
        return NotMade(WHAT, f"messages that move while ranks compute {gain_words(gain)}: unsure")
    chosen = settings[0]
    lines = [
        f"# {library.title}: {chosen.what}. It needs a core for each rank.",
        f"# Predicted, without what the thread itself takes: {gain_words(gain)} of the run's time. Calls take longer,",
        "# since they lock: leadline improve -- COMMAND tries it.",
        "#",
        f"# Use:    . ./{NAME}     in the shell or job script, before the launcher",
        f"# Check:  {library.check_of(chosen) or 'each rank has a thread more in /proc/PID/task'}",
        "",
        *(f"export {name}={value}" for name, value in sorted(chosen.variables.items())),
    ]
    return Artefact(NAME, f"{chosen.what}: {gain_words(gain)}", "\n".join(lines) + "\n")
