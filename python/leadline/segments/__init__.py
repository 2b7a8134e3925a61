"""Packed exchanges: what many fields send to the same neighbours, in as few messages as pay (docs/segments.md)."""
