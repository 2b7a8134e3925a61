"""What a replay of the record says: how much settings of messages and collectives could save at most.

In the replay they take no time, and no send waits for its receiver; what is left is computation, files, and waiting
for ranks that compute for longer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from leadline.isolated import module_command
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

ALL_EAGER = str(2**62)  # bytes
FAR_OFF = 0.1  # of the recorded time: a replay of the unchanged run that is off by so much says nothing


def most_saved(directory: Path, environ: Mapping[str, str], limit_s: float) -> float | None:
    """A share of the run's time, with what the replay of the unchanged run is off by; None if nothing can be said,
    or not within the limit."""
    words = module_command("leadline", "predict", "--ideal", "--eager", ALL_EAGER, "--json", str(directory))
    environ = {name: value for name, value in environ.items() if not name.startswith("LEADLINE_")}
    found = execute(Launch("replay", tuple(words), environ, limit_s=limit_s))
    if not found.ok:
        return None
    try:
        said = json.loads(found.output)
        before, after = said["base"]["seconds"], said["predicted"]["seconds"]
        error = abs(said["error_of_base"]["whole"])
        return None if error > FAR_OFF else max(1 - after / before, 0.0) + error
    except (ValueError, KeyError, TypeError, ZeroDivisionError):
        return None
