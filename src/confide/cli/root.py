"""The root of the command: names and one line each; nothing heavy is imported here."""

import click

from confide import __version__
from confide.cli.lazy import LazyGroup
from confide.core.stages import STAGES

__all__ = ["COMMANDS", "confide"]

COMMANDS = {
    "demo": ("confide.cli.demo:demo", "Run every stage on invented data and write reports."),
    "sample": ("confide.cli.sample:sample", "Write invented data to try things on."),
    **{stage.command.word: (stage.command.at, stage.command.help) for stage in STAGES.values() if stage.command},
    "run": ("confide.cli.derived.run:run_request", "Run a request that --save-request wrote."),
    "verify": ("confide.cli.verify:verify", "Re-check releases from their passports."),
    "report": ("confide.cli.report:report", "Write the page of a release again, from its passport."),
    "attack": ("confide.cli.attack:attack", "Play the attacker against a file."),
    "passport": ("confide.cli.passport:passport", "Make keys, sign and show passports."),
    "compile": (
        "confide.cli.kernels.compile:compile_kernels",
        "Compile every kernel now, not when first needed.",
    ),
}

EPILOG = """\b
Example:
  confide demo
"""


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="confide")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but warnings and errors.")
def confide(quiet: bool) -> None:
    """Mine and share data about people in confidence.

    Every release keeps a stated promise and carries a passport that others can re-check. Data goes to stdout or to
    -o FILE, words to stderr. Exit status: 0 done; 1 the promise cannot be kept or a check failed; 2 wrong use or bad
    input; 3 a site or server cannot be reached.
    """
