"""Routines, files and lines of the addresses in a trace."""

from leadline.symbols.location import Location, ModuleProblem
from leadline.symbols.resolve import Symbolizer, call_path, reaches_start

__all__ = ["Location", "ModuleProblem", "Symbolizer", "call_path", "reaches_start"]
