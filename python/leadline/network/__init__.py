"""The parameters of a network model, and the file that holds them (docs/tune/network.md)."""

from leadline.network.file import Described, MalformedNetwork, Origin, parse, read, write

__all__ = ["Described", "MalformedNetwork", "Origin", "parse", "read", "write"]
