"""Predicts times of a recorded run by replaying it in a network model (docs/tune/predict.md)."""

from leadline.predict.changes import (
    AnyChange,
    Balance,
    Computation,
    Files,
    Gather,
    Made,
    Merge,
    Nonblocking,
    NoNoise,
    Overlap,
    Pack,
    Relax,
    Without,
)
from leadline.predict.packing import is_uncertain
from leadline.predict.prediction import (
    PHASES,
    Change,
    Figures,
    Prediction,
    Replays,
    predict,
    recorded_phases,
    why_spoiled,
)

__all__ = [
    "PHASES",
    "AnyChange",
    "Balance",
    "Change",
    "Computation",
    "Figures",
    "Files",
    "Gather",
    "Made",
    "Merge",
    "NoNoise",
    "Nonblocking",
    "Overlap",
    "Pack",
    "Prediction",
    "Relax",
    "Replays",
    "Without",
    "is_uncertain",
    "predict",
    "recorded_phases",
    "why_spoiled",
]
