"""What came of an improvement, for people and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from leadline.improve import file
from leadline.improve.improving import Improved
from leadline.improve.search import Standing, State, interval_of
from leadline.improve.step import Measured
from leadline.statistics.sequential import gain_of
from leadline.text import format as fmt

SCHEMA = 1
NOISY = 0.05
HEADS = {
    State.WON: "faster",
    State.UNPROVEN: "not proven to be faster",
    State.RACING: "undecided",
    State.DROPPED: "no effect",
    State.SLOWER: "slower",
    State.FAILED: "failed",
}


def lines(found: Improved, directory: str, command: Sequence[str]) -> list[str]:
    out = [_verdict(found)]
    out += [f"  {setting.name}: {setting.what} (may go wrong: {setting.risk})" for setting in found.chosen]
    if found.chosen:
        words = shlex.join(["leadline", "apply", f"{directory}/{file.NAME}", "--", *command])
        out += ["From now on:", f"  {words}"]
    if found.phases or found.changes:
        out.append("Why, in seconds summed over ranks, in a run of each:")
        out += [f"  phase {each.what}: {each.after_s:.3g} instead of {each.before_s:.3g}" for each in found.phases]
        out += [f"  {each.what}: {each.after_s:.3g} instead of {each.before_s:.3g}" for each in found.changes]
        out.append(f"  more: leadline compare {shlex.quote(directory)}/record {shlex.quote(directory)}/better")
    out += [
        f"Measured: {found.measured.value}; {fmt.plural(found.launches, 'launch', 'launches')} in "
        f"{fmt.seconds(found.wall_s)}."
    ]
    if found.base_spread is not None and found.base_spread > NOISY:
        out.append(
            f"The unchanged program's {_quantity(found)} varies by {fmt.percent(found.base_spread)} from launch to "
            "launch: on a quieter machine, smaller gains would show."
        )
    if found.why_over:
        out.append(f"The search is not complete: {found.why_over}.")
    out += [f"Not compared, because it differs between unchanged runs: {path}" for path in found.not_comparable]
    for state, head in HEADS.items():
        standings = [each for each in found.search.standings.values() if each.state is state]
        if standings:
            out.append(f"Tried, {head}:")
            out += [
                f"  {each.name}: {found.settings[each.name].what}{_figures(each, _quantity(found))}"
                for each in standings
            ]
    if found.not_tried:
        out.append("Not tried:")
        out += [f"  {each.what}: {each.why}" for each in found.not_tried]
    return out


def _verdict(found: Improved) -> str:
    search = found.search
    unchanged = f" ({_amount(found)} unchanged)" if found.base_s else ""
    if found.chosen:
        what = f"Faster by {_range(search.fresh)} of the time of {found.measured.value}{unchanged}"
        if found.measured is Measured.ENERGY:
            what = f"{_range(search.fresh)} less of {found.measured.value}{unchanged}"
        return f"{what}, in {fmt.plural(len(search.fresh), 'pair')} of fresh launches, with:"
    if found.why_over and not search.chosen:
        return f"Nothing was proven to help so far{unchanged}."
    if search.chosen and search.confirmed is False:
        return (
            f"Nothing helps{unchanged}: {' and '.join(search.chosen)} looked faster at first, but fresh launches did "
            "not confirm it."
        )
    if search.chosen:
        return f"Nothing is proven yet{unchanged}: {' and '.join(search.chosen)} looked faster, but was not confirmed."
    if not search.standings:
        return f"Nothing to try{unchanged}: the record shows nothing that a setting could make faster."
    tried = fmt.plural(len(search.standings), "setting")
    return f"Nothing helps on this machine{unchanged}: of {tried}, none was proven to gain 1 %."


def _quantity(found: Improved) -> str:
    return "energy" if found.measured is Measured.ENERGY else "time"


def _amount(found: Improved) -> str:
    value = found.base_s or 0.0
    return f"{value:.4g} J" if found.measured is Measured.ENERGY else fmt.seconds(value)


def _range(ratios: Sequence[float]) -> str:
    low, high = interval_of(ratios) or (None, None)
    return told_range(gain_of(ratios), low, high)


def told_range(gain: float, low: float | None, high: float | None) -> str:
    """A gain with its interval, if it has one: "4 % (-1 % to 9 %)"."""
    return _signed(gain) if low is None or high is None else f"{_signed(gain)} ({_signed(low)} to {_signed(high)})"


def _signed(share: float) -> str:
    return f"-{fmt.percent(-share)}" if share < 0 else fmt.percent(share)


def _figures(each: Standing, quantity: str) -> str:
    if each.why:
        return f": {each.why}"
    if each.gain is None:
        return ""
    saved = f"{fmt.percent(abs(each.gain))} {'less' if each.gain >= 0 else 'more'} {quantity}"
    return f": {saved} in {fmt.plural(len(each.ratios), 'round')}"


def as_json(found: Improved) -> dict[str, Any]:
    search = found.search
    low, high = interval_of(search.fresh) or (None, None)
    return {
        "schema": SCHEMA,
        "measured": found.measured.name.lower(),
        "unchanged_s": found.base_s,  # joules, if energy is measured
        "unchanged_spread": found.base_spread,
        "confirmed": search.confirmed,
        "chosen": [file.as_data(setting) for setting in found.chosen],
        "gain": gain_of(search.fresh) if found.chosen else None,
        "low": low if found.chosen else None,
        "high": high if found.chosen else None,
        "phases": [vars(each) for each in found.phases],
        "changes": [vars(each) for each in found.changes],
        "fresh_ratios": search.fresh,
        "looked_faster": list(search.chosen),
        "launches": found.launches,
        "wall_s": found.wall_s,
        "why_over": found.why_over,
        "tried": [
            {
                "name": each.name,
                "what": found.settings[each.name].what,
                "state": each.state.value,
                "gain": each.gain,
                "rounds": len(each.ratios),
                "why": each.why,
            }
            for each in search.standings.values()
        ],
        "not_tried": [{"what": each.what, "why": each.why} for each in found.not_tried],
    }
