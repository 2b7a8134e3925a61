"""Numbers as people read them. Sizes are in units of 1000, as networks' are."""

from __future__ import annotations

_SIZES = ("B", "kB", "MB", "GB", "TB", "PB")


def size(n_bytes: float) -> str:
    """1234567 -> "1.23 MB"; below 10 kB exact: "1,024 B"."""
    if abs(n_bytes) < 10_000:
        return f"{n_bytes:,.0f} B"
    value = float(n_bytes)
    for unit in _SIZES:
        if abs(value) < 999.5 or unit == _SIZES[-1]:
            return f"{_three_digits(value)} {unit}"
        value /= 1000
    raise AssertionError


def seconds(value: float) -> str:
    """0.00123 -> "1.23 ms"."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if abs(value) * factor >= 0.9995:
            return f"{_three_digits(value * factor)} {unit}"
    return f"{value * 1e9:.0f} ns"


def count(value: float) -> str:
    """1234567 -> "1,234,567"; medians may be halves."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def short_count(value: float) -> str:
    """At most six characters: 1,234 / 252.9k / 4.09M."""
    if abs(value) < 10_000:
        return count(value)
    for factor, unit in ((1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")):
        if abs(value) < 999.5 * factor or unit == "T":
            return f"{_three_digits(value / factor)}{unit}"
    raise AssertionError


def percent(fraction: float) -> str:
    """0.416 -> "42 %", 0.034 -> "3.4 %", 0.0004 -> "<0.1 %"."""
    value = fraction * 100
    if value == 0:
        return "0 %"
    if value < 0.1:
        return "<0.1 %"
    return f"{value:.1f} %" if value < 9.95 else f"{value:.0f} %"


def times(ratio: float) -> str:
    """3.74 -> "3.74 times", 258.3 -> "258 times"."""
    return f"{_three_digits(ratio)} times"


def power(value: int) -> str:
    """4096 -> "4 Ki": the powers of two that bound the classes of message sizes."""
    for unit, shift in (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if value >= 1 << shift:
            return f"{value >> shift:,} {unit}"
    return str(value)


def library(said: str) -> str:
    """A library's description of itself, shortened: "MPICH Version:\t4.0.2" -> "MPICH 4.0.2"."""
    return " ".join(said.split(",")[0].replace("Version:", " ").split())


def number(value: float) -> str:
    """At most two decimals: 8 -> "8", 176.5 -> "176.5", 0.0333 -> "0.03"."""
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plural_of(value: float, singular: str) -> str:
    """ "0.5 calls", "1 call"."""
    return f"{number(value)} {singular if value == 1 else singular + 's'}"


def change(ratio: float) -> str:
    """1.104 -> "+10.4 %", 0.97 -> "-3.0 %", 3.5 -> "3.50 times"."""
    if ratio >= 2:
        return times(ratio)
    return f"{(ratio - 1) * 100:+.1f} %"


def plural(number: int, singular: str, several: str | None = None) -> str:
    """(1, "rank") -> "1 rank"; (3, "rank") -> "3 ranks"."""
    return f"{number:,} {singular if number == 1 else several or singular + 's'}"


def _three_digits(value: float) -> str:
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}"


def ranges(numbers: list[int], most: int = 6) -> str:
    """[0, 1, 2, 7] -> "0-2, 7"; of many ranges the first ones."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in found[:most]]
    return ", ".join(shown) + (
        f" and {len(numbers) - sum(b - a + 1 for a, b in found[:most])} more" if found[most:] else ""
    )
