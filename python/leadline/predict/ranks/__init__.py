"""Predicts a number of ranks that nobody has recorded, from runs of two or more others (docs/tune/predict.md)."""

from leadline.predict.ranks.assembling import tree_with
from leadline.predict.ranks.building import Grown
from leadline.predict.ranks.computation import Computation, computation_of
from leadline.predict.ranks.growth import Extrapolation, extrapolation_of, place_of
from leadline.predict.ranks.recorded_tree import RecordedTree, read_tree

__all__ = [
    "Computation",
    "Extrapolation",
    "Grown",
    "RecordedTree",
    "computation_of",
    "extrapolation_of",
    "place_of",
    "read_tree",
    "tree_with",
]
