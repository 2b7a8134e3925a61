"""Compares recorded runs: environments first, then structure, which is exact, then times with intervals."""

from leadline.compare.comparison import Comparison, Pair, compare
from leadline.compare.subject import Group, Subject

__all__ = ["Comparison", "Group", "Pair", "Subject", "compare"]
