"""A shell's completion of our commands and options: click makes the script, which asks `leadline` at each tab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath

from click.shell_completion import get_completion_class

from leadline.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_LEADLINE_COMPLETE"


def script(shell: str) -> str:
    from leadline.cli.command import leadline

    kind = get_completion_class(shell)
    assert kind is not None  # SHELLS are those that click knows
    return kind(leadline, {}, "leadline", VARIABLE).source().strip() + "\n"


def install(environ: Mapping[str, str]) -> list[str]:
    """Write the script where the user's shell looks for it. Returns what to say. Raises UsageError."""
    shell = PurePath(environ.get("SHELL", "")).name
    home = environ.get("HOME", "")
    if shell not in SHELLS or not home:
        what = f"no completion for {shell}" if shell else "cannot tell your shell from $SHELL"
        raise UsageError(what, hint="leadline config --completion bash (or zsh, fish) prints the script")
    path = _place(shell, environ, Path(home))
    if path.exists() and VARIABLE not in path.read_text(errors="replace"):
        raise UsageError(
            f"{path} exists and was not written by Leadline",
            hint=f"leadline config --completion {shell} prints the script",
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script(shell))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return [f"wrote {path}", _next_step(shell, path)]


def _place(shell: str, environ: Mapping[str, str], home: Path) -> Path:
    if shell == "bash":
        data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        return data / "bash-completion" / "completions" / "leadline"
    if shell == "fish":
        return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "completions" / "leadline.fish"
    return home / ".zfunc" / "_leadline"


def _next_step(shell: str, path: Path) -> str:
    if shell == "zsh":
        return "in ~/.zshrc, before compinit: fpath+=~/.zfunc; then start a new shell"
    if shell == "bash":
        return f"new shells use it if bash-completion is installed; otherwise add to ~/.bashrc: . {path}"
    return "takes effect in new shells"
