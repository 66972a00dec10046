"""A click group that knows its commands by name and imports one only when it is used or asked for its own help."""

from importlib import import_module

import click

__all__ = ["LazyGroup", "quiet_option"]


def quiet_option() -> click.Option:
    """`-q` for a group or command below the root, where people type it too: the root alone lists it."""

    def silence(context: click.Context, option: click.Parameter, quiet: bool) -> None:
        if quiet:
            context.find_root().params["quiet"] = True

    names = ["-q", "--quiet"]
    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, hidden=True, callback=silence)


class LazyGroup(click.Group):
    """`commands_at` maps a name to ("module:attribute", one line of help)."""

    def __init__(self, *args: object, commands_at: dict[str, tuple[str, str]], **options: object):
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self.commands_at = commands_at
        if not any("-q" in parameter.opts for parameter in self.params):
            self.params.append(quiet_option())

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_at:
            return None
        module, _, name = self.commands_at[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with a guess at what was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.commands_at, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}; did you mean {near[0]!r}?", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.commands_at.items()])
