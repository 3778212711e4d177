"""Groups of commands that are imported only when they are called, so that ``--help`` is fast."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of commands with their lines of help; a command is imported when it is called.

    The command ``name`` is the attribute ``command`` of the module ``package.name_``, with hyphens
    as underscores; or of the module that ``groups`` has for it.
    """

    def __init__(
        self, *arguments: Any, package: str, helps: Mapping[str, str],
        groups: Mapping[str, str] | None = None, **others: Any,
    ) -> None:  # fmt: skip
        super().__init__(*arguments, **others)
        self._package = package
        self._helps = helps
        self._groups = groups or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._helps)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._helps:
            return None
        own = f"{self._package}.{cmd_name.replace('-', '_')}_"
        module = importlib.import_module(self._groups.get(cmd_name, own))
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._helps.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._helps and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], self._helps, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            ctx.fail(f"There is no command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)
