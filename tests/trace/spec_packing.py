"""Bits by their probability, and packed payloads, written from docs/reference/format.md alone."""

from __future__ import annotations

import zlib
from collections import defaultdict


class Model:
    def __init__(self) -> None:
        self.p = 32768
        self.seen = 0

    def take(self, bit: int) -> None:
        self.p += ((65535 if bit else 0) - self.p) * (65536 // (self.seen + 2)) >> 16
        self.seen = min(self.seen + 1, 40)


class Coded:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 4
        self.code = int.from_bytes(data[:4].ljust(4, b"\0"), "big")
        self.range = 0xFFFFFFFF

    def bit(self, p: int) -> int:
        ones = (self.range >> 12) * min(max(p >> 4, 16), 4080)
        bit = int(self.code < ones)
        if bit:
            self.range = ones
        else:
            self.code -= ones
            self.range -= ones
        while self.range < 1 << 24:
            self.range <<= 8
            self.code = self.code << 8 | (self.data[self.at] if self.at < len(self.data) else 0)
            self.at += 1
        return bit

    def plain(self, n: int) -> int:
        value = 0
        for _ in range(n):
            value = value << 1 | self.bit(32768)
        return value


def deflated(data: bytes, size: int) -> bytes:
    return zlib.decompressobj(-15).decompress(data, size)


def modelled(data: bytes, size: int) -> bytes:
    bits = 8
    while bits < 16 and size >> (bits - 2):
        bits += 1
    alone: dict[int, Model] = defaultdict(Model)
    trees: dict[tuple[int, int], Model] = defaultdict(Model)
    coded = Coded(data)
    found = bytearray()
    while len(found) < size:
        node = 1
        for i in range(8):
            inner = node if i < 4 else (node & ((1 << (i - 4)) - 1)) | 1 << (i - 4)
            if i % 4 == 0:
                tables = [table(found, order, node, bits) for order in (1, 2, 3)]
            models = [trees[t, inner] for t in tables]
            p = alone[node].p
            for m in models:
                trust = (0, 58, 115, 173, 230)[min(m.seen, 4)]
                p += (m.p - p) * trust >> 8
            bit = coded.bit(p)
            for m in (alone[node], *models):
                m.take(bit)
            node = node << 1 | bit
        found.append(node & 0xFF)
    return bytes(found)


def table(found: bytearray, order: int, node: int, bits: int) -> int:
    context = int.from_bytes(found[-order:], "big") if found else 0
    mixed = (context + order * 0x1000193 + node * 0x85EBCA6B) * 0x9E3779B1 & 0xFFFFFFFF
    return mixed >> (32 - bits)
