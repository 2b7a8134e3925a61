"""Steps of the main loop call by call, for the page and the terminal.

lanes (which ranks) ─► reading (their calls) ─► steps (which iterations) ─► marks, or tiles where they are many
                       waiting (its part of them)                           text (for the terminal)
"""

from leadline.figures.timeline.reading import Absent, StepTimeline, absent
from leadline.figures.timeline.steps import Step, representative_steps

__all__ = ["Absent", "Step", "StepTimeline", "absent", "representative_steps"]
