"""Refuses options and arguments that are given as "", as by an unset variable of a shell: "" would be taken for "."."""

from __future__ import annotations

from collections.abc import Sequence

import click

from leadline.errors import UsageError


def refuse_empty(command: click.Command, name: str, args: Sequence[str], parent: click.Context) -> None:
    """args: what follows the command's name. Words of a program that is started may be empty.

    Raises UsageError that names the option or argument.
    """
    if "" not in args:
        return
    context = command.context_class(command, info_name=name, parent=parent, **command.context_settings)
    try:
        given, rest, _ = command.make_parser(context).parse_args(list(args))
    except click.ClickException:
        return  # the command says what is wrong
    for parameter in command.get_params(context):
        value = given.get(parameter.name or "")
        values = value if isinstance(value, (list, tuple)) else [value]
        if "" in values and parameter.type is not click.UNPROCESSED:
            label = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.make_metavar(context)
            raise UsageError(
                f"{label}: empty; is a variable of the shell not set?", hint="give a value, or leave it out"
            )
    if isinstance(command, click.Group) and rest and (found := command.get_command(context, rest[0])) is not None:
        refuse_empty(found, rest[0], rest[1:], context)
