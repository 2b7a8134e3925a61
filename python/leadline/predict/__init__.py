"""Predicts times of a recorded run by replaying it in a network model (docs/tune/predict.md)."""

from leadline.predict.changes import (
    Algorithm,
    AnyChange,
    Balance,
    Computation,
    Distribute,
    ExchangeAll,
    Files,
    Gather,
    Join,
    Made,
    Merge,
    Nonblocking,
    NoNoise,
    Overlap,
    Pack,
    PollOnce,
    Relax,
    Without,
    is_at,
)
from leadline.predict.figures import Figures
from leadline.predict.own_network import own_network
from leadline.predict.packing import is_uncertain
from leadline.predict.placing import hosts_in
from leadline.predict.prediction import (
    PHASES,
    Change,
    Prediction,
    Replays,
    check_algorithms,
    copied_bytes_of,
    eager_bytes_of,
    predict,
    recorded_phases,
    why_spoiled,
)
from leadline.predict.recorded_network import RecordedNetwork, network_of
from leadline.predict.scaling import RanksPrediction, predict_ranks
from leadline.predict.written import write_run

__all__ = [
    "PHASES",
    "Algorithm",
    "AnyChange",
    "Balance",
    "Change",
    "Computation",
    "Distribute",
    "ExchangeAll",
    "Figures",
    "Files",
    "Gather",
    "Join",
    "Made",
    "Merge",
    "NoNoise",
    "Nonblocking",
    "Overlap",
    "Pack",
    "PollOnce",
    "Prediction",
    "RanksPrediction",
    "RecordedNetwork",
    "Relax",
    "Replays",
    "Without",
    "check_algorithms",
    "copied_bytes_of",
    "eager_bytes_of",
    "hosts_in",
    "is_at",
    "is_uncertain",
    "network_of",
    "own_network",
    "predict",
    "predict_ranks",
    "recorded_phases",
    "why_spoiled",
    "write_run",
]
