"""The `confide` command: derived from jobs, each imported only when it is called. In dependency order:

lazy_group     a click group that imports a command when it is used
options        output that all commands share
endings        errors in the command's words; Ctrl-C
release_files  writing a release, its passport and its pages
derived        commands derived from jobs; confide run
jobs           jobs of no stage, or of several: attack, report, passport, sample, demo, compile
kernels        compile all kernels now
demos          the parts of the demo, one per stage
root           the command itself
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

__all__ = ["main"]

_COMPLETION = "_CONFIDE_COMPLETE"


def main() -> None:
    """Run the command; an error that is not our bug ends as one line on stderr and an exit code."""
    from confide.cli.endings.interrupts import INTERRUPTED, answering_interrupts, leave

    with answering_interrupts():
        try:
            sys.exit(_run())
        except KeyboardInterrupt:  # also while modules are still being imported
            _say(INTERRUPTED)
            leave()


def _run() -> int:
    import os

    import click

    from confide.cli.root import confide
    from confide.core.errors import ConfideError

    if _COMPLETION in os.environ:  # a shell asks what may follow
        from click.shell_completion import shell_complete

        return shell_complete(confide, {}, "confide", _COMPLETION, os.environ[_COMPLETION])
    try:
        # Not click's own `main`: it ends with 1 when a reader leaves (`| head`), which here means a broken promise.
        with confide.make_context("confide", sys.argv[1:]) as context:
            confide.invoke(context)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as left:
        return left.exit_code
    except ConfideError as error:
        from confide.cli.endings.wording import for_the_command

        _say(f"confide: {for_the_command(str(error), sys.argv[1:])}")
        return error.exit_code
    except (click.exceptions.Abort, EOFError):
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except BrokenPipeError:
        _drop_stdout()
        return 0
    except MemoryError:
        from confide.cli.endings.wording import out_of_memory

        _say(f"confide: {out_of_memory(sys.argv[1:])}")
        return 2
    except OSError as error:  # stdout, as a rule: files are handled where they are read
        _drop_stdout()
        what = "cannot write the output" if error.filename is None else error.filename
        _say(f"confide: {what}: {error.strerror or error}")
        return 2


def _drop_stdout() -> None:
    """Whoever read our output has left, or it cannot be written; Python would complain again when it closes stdout."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _show(error: "click.ClickException") -> None:
    from confide.core.runtime.terminal import safe_text

    context = getattr(error, "ctx", None)
    if context is not None:
        print(context.get_usage(), file=sys.stderr)
    print(f"confide: {safe_text(error.format_message())}", file=sys.stderr)
    if context is not None and context.command.get_help_option(context) is not None:
        print(f"Try '{context.command_path} --help'.", file=sys.stderr)


def _say(line: str) -> None:
    from confide.core.runtime.terminal import safe_text

    print(safe_text(" ".join(line.split("\n"))), file=sys.stderr)
