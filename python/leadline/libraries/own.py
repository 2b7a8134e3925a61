"""A library's own algorithms that are the same as ours, from api/operations.toml."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from leadline.libraries.settings import Own
from leadline.operations import operations

Algorithms = Mapping[str, Mapping[str, Own]]


@functools.cache
def own_algorithms(library: str, form: str) -> Algorithms:
    """By operation, then by our name.

    form: the names of the library's routines, of {function} or {operation}, {layer} and {routine}.
    """
    found: dict[str, dict[str, Own]] = {}
    for name, operation in operations().items():
        known = operation.libraries.get(library, {}).get("algorithms", {})
        found[name] = {
            ours: Own(
                entry.get("setting", entry["routine"]),
                form.format(
                    function=operation.function,
                    operation=name,
                    layer=entry.get("layer", "intra"),
                    routine=entry["routine"],
                ),
                entry.get("segments", False),
                tuple(entry.get("needs", ())),
            )
            for ours, entry in known.items()
        }
    return found


def functions() -> str:
    """The operations' functions, as alternatives in a regular expression."""
    return "|".join(operation.function for operation in operations().values())
