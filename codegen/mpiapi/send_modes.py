"""The modes of the calls that send: [send_modes] of api/semantics.toml."""

from __future__ import annotations

from mpiapi.classes import HEAD
from mpiapi.semantics import Meaning
from mpiapi.standard import ApiError

SEND_MODES = "standard buffered synchronous ready".split()


def load_send_modes(table: dict[str, list[str]], meanings: list[Meaning]) -> dict[str, str]:
    """Function -> mode, of those that are not of the standard mode. Raises ApiError if the table is wrong."""
    sending = {m.function.name for m in meanings if m.cls in ("send", "isend", "send_init")}
    modes: dict[str, str] = {}
    for mode, functions in table.items():
        if mode not in SEND_MODES:
            raise ApiError(f"semantics.toml: [send_modes] {mode} is no such word")
        for function in functions:
            if function not in sending:
                raise ApiError(f"semantics.toml: [send_modes] {function} does not send, or there is no such function")
            if function in modes:
                raise ApiError(f"semantics.toml: [send_modes] {function} is both {modes[function]} and {mode}")
            modes[function] = mode
    return dict(sorted(modes.items()))


def send_modes_header(modes: dict[str, str]) -> str:
    """send_modes.hpp: enum SendMode, and the table of the functions that are not of the standard mode."""
    lines = [HEAD, "// The head of api/semantics.toml says what every word means.", "#pragma once\n",
             "#include <cstdint>\n", "namespace leadline::trace {\n", "enum class SendMode : uint8_t {"]  # fmt: skip
    lines += [f"  {mode}," for mode in SEND_MODES]
    lines += ["};\n", "struct FunctionMode {\n  const char* name;\n  SendMode mode;\n};",
              f"inline constexpr FunctionMode function_modes[{len(modes)}] = {{"]  # fmt: skip
    lines += [f'    {{"MPI_{function}", SendMode::{mode}}},' for function, mode in modes.items()]
    lines += ["};\n", "}  // namespace leadline::trace\n"]
    return "\n".join(lines)
