"""What the native launcher of ranks (src/exec) knows of the command line, from the Python that defines it."""

from __future__ import annotations

from leadline.cli.recorder_settings import (
    BARE_LEAST,
    MOST_SAMPLES_PER_S,
    SAMPLES_PER_S,
    SERIES_WORDS,
    SETTINGS,
)
from leadline.launch.wrappers import WRAPPERS
from mpiapi.classes import HEAD


def exec_tables_header() -> str:
    """exec_tables.hpp: the recorder's options, and the commands that run another command."""
    kinds = list(dict.fromkeys(setting.kind for setting in SETTINGS))
    settings = [f'    {{"{s.flag}", "{s.variable}", Kind::{s.kind}, {s.least}}},' for s in SETTINGS]
    wrappers = [
        f'    {{"{name}", "{" ".join(sorted(w.options_with_value))}", {w.positional}, {str(w.assignments).lower()}}},'
        for name, w in WRAPPERS.items()
    ]
    words = ", ".join(f'"{word}"' for word in SERIES_WORDS)
    return "\n".join(
        [
            HEAD,
            "// From python/leadline/cli/recorder_settings.py and python/leadline/launch/wrappers.py.",
            "#pragma once\n",
            "namespace leadline::exec {\n",
            f"enum class Kind {{ {', '.join(kinds)} }};\n",
            "// The smallest useful size is in bytes.",
            "struct Setting {",
            "  const char *flag, *variable;",
            "  Kind kind;",
            "  double least;",
            "};",
            "inline constexpr Setting settings[] = {",
            *settings,
            "};\n",
            f"inline constexpr double bare_least = {BARE_LEAST};",
            f'inline constexpr const char* samples_per_s = "{SAMPLES_PER_S}";',
            f"inline constexpr long most_samples_per_s = {MOST_SAMPLES_PER_S};",
            f"inline constexpr const char* series_words[] = {{{words}}};\n",
            "struct Wrapper {",
            "  const char *name, *options_with_value;",
            "  int positional;",
            "  bool assignments;",
            "};",
            "inline constexpr Wrapper wrappers[] = {",
            *wrappers,
            "};\n",
            "}  // namespace leadline::exec\n",
        ]
    )
