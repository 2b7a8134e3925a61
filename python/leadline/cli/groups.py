"""Commands that have commands of their own."""

from __future__ import annotations

import click

from leadline.errors import UsageError


class Group(click.Group):
    """An unknown command is an error in our words, with what may have been meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            from leadline.text.suggestions import available

            typed = " ".join([*ctx.command_path.split()[1:], args[0]])
            raise UsageError(f"unknown command {typed!r}", hint=available(args[0], known))
        return super().resolve_command(ctx, args)
