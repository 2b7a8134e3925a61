"""Reads an archive in a process of its own: python -m leadline.interchange.importing.reader < ORDER (JSON).

OTF2's library may crash or hang on a damaged archive. The answer, one JSON object, goes to standard output; what the
library writes there goes to standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from typing import Any

from leadline import _core
from leadline.interchange.otf2 import libraries

# Room for the tables of as many threads as a process may have, most of which is never touched; for OTF2's own tables.
TABLES_BYTES = 6 << 30
BYTES_PER_BYTE = 8


def main() -> int:
    """Exit code 0, whatever the answer."""
    order = json.load(sys.stdin)
    answer_to = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, order["cpu_s"])
    _limit(resource.RLIMIT_AS, TABLES_BYTES + BYTES_PER_BYTE * order["bytes"])
    with open(answer_to, "w") as out:
        json.dump(_answer(order), out)
    return 0


def _answer(order: dict[str, Any]) -> dict[str, Any]:
    try:
        return _core.import_otf2(
            libraries(),
            order["anchor"],
            order["directory"],
            order["module"],
            order["build"],
            order["bytes"],
            order["series"],
        )
    except ImportError as error:
        return {"missing_library": str(error)}
    except MemoryError:
        return {"error": "it requests more memory than an archive of this size needs"}
    except ValueError as error:
        return {"error": str(error)}


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(what, (most, hard))


if __name__ == "__main__":
    sys.exit(main())
