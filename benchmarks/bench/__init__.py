"""Measures what the recorder costs: time per call, memory, and the size of the trace."""
