"""The `confide` command: one file per command, thin, each imported only when it is called. In dependency order:

lazy            a click group that imports a command when it is used
options         options and output that all commands share
release_files   writing a release, its passport and its pages
mine            mine itemsets | mine rules
collect         collect plan | perturb | mine | privacy | serve | send
publish         publish transactions
join            join check | keys | site | train | predict | simulate
verify          re-check releases from their passports
attack          what an attacker could do with a file
passport        keys, signing, showing
sample          invented data to try things on
kernels         compile all kernels now
demos           the parts of the demo, one per stage
demo            every stage on invented data, with reports
root            the command itself
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command; an error that is not our bug ends as one line on stderr and an exit code."""
    try:
        sys.exit(_run())
    except KeyboardInterrupt:  # also while modules are still being imported
        _say("confide: interrupted; no file was left half-written")
        sys.exit(130)


def _run() -> int:
    import click

    from confide.cli.root import confide
    from confide.core.errors import ConfideError

    try:
        # click hands the status of ctx.exit() back as the result; commands themselves return nothing.
        status = confide.main(standalone_mode=False)
        return status if isinstance(status, int) else 0
    except ConfideError as error:
        _say(f"confide: {error}")
        return error.exit_code
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain again when it closes stdout.
        sys.stdout = None
        return 0
    except MemoryError:
        _say("confide: not enough memory for this input; try a higher --min-support or a smaller file")
        return 2


def _say(line: str) -> None:
    print(" ".join(line.split("\n")), file=sys.stderr)
