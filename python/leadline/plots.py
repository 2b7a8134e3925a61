"""What all plots by matplotlib have in common: colours, and files in which nothing depends on when they were drawn."""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import Any

from leadline.errors import MissingPrerequisite, UsageError

IMAGES = (".svg", ".png", ".pdf")
# After Okabe and Ito, distinguishable with any colour vision; a second turn has dashes.
COLORS = ("#5a646e", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#7b62c4", "#3a9bd1")
DASHES = ("-", "--", ":")
# The field that says when it was drawn.
DATES = {"svg": "Date", "pdf": "CreationDate"}
# Text stays text, a $ in a name begins no formula, and the file does not depend on when it was drawn.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "leadline", "text.parse_math": False}


def matplotlib(module: str = "") -> Any:
    """Raises MissingPrerequisite without it."""
    try:
        return importlib.import_module(f"matplotlib.{module}" if module else "matplotlib")
    except ImportError as error:
        raise MissingPrerequisite("plots need matplotlib", hint="pip install 'leadline[figures]'") from error


def check_form(path: Path, forms: tuple[str, ...] = IMAGES) -> None:
    """Raises UsageError for a file name without a known format."""
    if path.suffix not in forms:
        *most, last = (f"FILE{form}" for form in forms)
        raise UsageError(f"{path}: the plot's file name must be {', '.join(most)} or {last}")


def style(panel: Any) -> None:
    panel.grid(color="#dfe2e5", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def image_of(drawing: Any, form: str) -> bytes:
    """form: "svg", "png" or "pdf"."""
    written = io.BytesIO()
    with matplotlib().rc_context(SETTINGS):
        drawing.savefig(written, format=form, dpi=120, metadata={DATES[form]: None} if form in DATES else None)
    return written.getvalue()
