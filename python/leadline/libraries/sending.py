"""Settings of how messages are sent, of which `leadline tune --protocol` tries one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Candidate:
    """variables: for every rank. control: the MPI_T variable that shows it, and its value.

    control_elsewhere: what other releases call that variable, and its value there.
    needs: why the library may not start with it, in words.   device: the file below /dev without which it does
    nothing; "" if it needs none.
    eager_limit: the longest message, in bytes, that is then sent before it is received.
    """

    name: str
    what: str
    variables: dict[str, str] = field(hash=False)
    control: tuple[str, str] | None = None
    eager_limit: int | None = None
    control_elsewhere: tuple[tuple[str, str], ...] = ()
    needs: str = ""
    device: str = ""


DEFAULT = Candidate("default", "unchanged", {})
