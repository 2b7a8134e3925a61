"""Which algorithm a collective should use: found by measuring, kept in a table, applied to unmodified programs.

docs/tune/tuning.md describes the table, what `leadline tune` measures, and how `leadline apply` proves what it did.
"""
