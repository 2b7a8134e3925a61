"""Routines, files and lines of the addresses in a trace."""

from leadline.symbols.resolve import Location, ModuleProblem, Symbolizer, call_path, reaches_start

__all__ = ["Location", "ModuleProblem", "Symbolizer", "call_path", "reaches_start"]
