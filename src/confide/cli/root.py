"""The root of the command: names and one line each; nothing heavy is imported here."""

import click

from confide import __version__
from confide.cli.lazy_group import LazyGroup
from confide.core.stages import OTHER_JOBS, STAGES

__all__ = ["COMMANDS", "confide"]

COMMANDS = {
    "demo": ("", "Run every stage on invented data and write reports."),
    "studio": ("", "Open all of Confide in a browser; nothing leaves the machine."),
    "sample": ("", "Write invented data to try things on."),
    **{stage.command.word: ("", stage.command.help) for stage in STAGES.values() if stage.command},
    "run": ("confide.cli.derived.repeated_run:run_request", "Run a request that --save-request wrote."),
    "verify": ("", "Re-check releases from their passports."),
    "report": ("", "Write the page of a release again, from its passport."),
    "ledger": ("", "Keep a record of releases about the same people."),
    "attack": ("", "Play the attacker against a file."),
    "passport": ("", "Make keys, sign and show passports."),
    "compile": ("", "Compile every kernel now, not when first needed."),
}

EPILOG = """\b
Example:
  confide demo
"""


class _Root(LazyGroup):
    """The root: groups and commands of jobs are made when they are used."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS or COMMANDS[cmd_name][0]:
            return super().get_command(ctx, cmd_name)
        from confide.cli.derived.commands import command_of, group_of
        from confide.core.jobs.catalogue import jobs_of

        if cmd_name not in OTHER_JOBS:
            return group_of(cmd_name, _modules(cmd_name))
        module = OTHER_JOBS[cmd_name]
        alone = [job for job in jobs_of(module) if job.name == cmd_name]
        return command_of(alone[0]) if alone else group_of(cmd_name, [module])


def _modules(word: str) -> list[str]:
    """The modules of the jobs whose first word this is; several stages may share it."""
    words = ((stage, stage.command.word if stage.command else stage.name.split()[0]) for stage in STAGES.values())
    return [module for stage, first in words if first == word for module in stage.jobs]


@click.group(
    cls=_Root,
    commands_at=COMMANDS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="confide")
@click.option(
    "-q", "--quiet", is_flag=True, help="Say nothing on stderr but warnings and errors; also after any command."
)
def confide(quiet: bool) -> None:
    """Mine and share data about people in confidence.

    Every release keeps a stated promise and carries a passport that others can re-check. Data goes to stdout or to
    -o FILE, words to stderr. Exit status: 0 done; 1 the promise cannot be kept or a check failed; 2 wrong use or bad
    input; 3 a site or server cannot be reached; 130 interrupted by Ctrl-C, nothing half-written.
    """
