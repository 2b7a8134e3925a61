"""What is said of a change that was asked for and leaves the predicted time as it is."""

from __future__ import annotations

from collections.abc import Sequence

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.operations import operations
from leadline.text import format as fmt


def on_collectives(run: Run, collectives: Sequence[tuple[str, str]], *, same: bool) -> list[str]:
    """A sentence for each operation with a given algorithm that changes nothing.

    same: the predicted time is that of the unchanged run.
    """
    if not collectives:
        return []
    calls: dict[str, int] = {}
    for entry in Content(run).functions:
        name = entry.name.removesuffix("_c")  # a count of 64 bits
        calls[name] = calls.get(name, 0) + entry.calls
    functions = {name: f"MPI_{operation.function}" for name, operation in operations().items()}
    called = [function for function in functions.values() if calls.get(function)]
    others = f"these can be changed: {', '.join(called)}" if called else "it calls none that can be changed"
    notes = []
    for operation, algorithm in collectives:
        function = functions[operation]
        begin = f"--collective {operation}={algorithm} changes nothing: "
        if not calls.get(function):
            notes.append(f"{begin}the run has no call of {function}; {others}.")
        elif same:
            more = [each for of, each, *_ in _core.collective_algorithms() if of == operation]
            others_there = ", ".join(each for each in more if each != algorithm)
            notes.append(
                f"{begin}the replay of the run takes that algorithm for its {fmt.plural(calls[function], 'call')} of "
                f"{function} anyway, or one that is as fast. Others: {others_there}."
            )
    return notes


def on_nothing(steps: int) -> list[str]:
    """Where nothing was asked, or what the run has anyway.   steps: that were asked for; 0: none."""
    if steps:
        return [f"--steps {steps} changes nothing: so many iterations were recorded."]
    return ["Nothing was asked that changes the run: leadline predict --help lists what can be."]
