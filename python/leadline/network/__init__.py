"""The parameters of a network model, and the file that holds them (docs/tune/network.md)."""

from leadline.network.file import Described, MalformedNetwork, Origin, named, parse, presets, read, write

__all__ = ["Described", "MalformedNetwork", "Origin", "named", "parse", "presets", "read", "write"]
