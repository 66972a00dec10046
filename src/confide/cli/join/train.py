"""`confide join train`: the coordinator of a run."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from confide.cli.options import EXISTING, NEW, note, print_json

if TYPE_CHECKING:
    from confide.join.configuration.tasks import Trained

__all__ = ["train"]


@click.command(
    epilog="""\b
Examples:
  confide join train --config join.toml --check
  confide join train --config join.toml --with-site T1.toml --with-site T2.toml -o tree.json --report join.html
"""
)
@click.option("--config", type=EXISTING, required=True, help="join.toml of this run.")
@click.option("-o", "--output", type=NEW, help="Write the tree here, and OUT.passport.json beside it.")
@click.option("--resume", is_flag=True, help="Continue the run in the state folder after its last finished level.")
@click.option(
    "--with-site", "hosted", type=EXISTING, multiple=True, help="Also serve this site.toml, here, while training."
)
@click.option("--take-over", is_flag=True, help="End another run that the sites are busy with.")
@click.option("--check", is_flag=True, help="Read the configuration and certificates, ask nobody, and exit.")
@click.option("--report", type=NEW, help="Write a page about the run here.")
@click.option("--sign", type=EXISTING, help="Sign the passport with this private key (PEM).")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def train(
    config: Path,
    output: Path | None,
    resume: bool,
    hosted: tuple[Path, ...],
    take_over: bool,
    check: bool,
    report: Path | None,
    sign: Path | None,
    replace: bool,
) -> None:
    """Grow one decision tree over the tables of several sites.

    The tree says who splits a node, never how. The ledger in it lists what crossed between whom. Exit status 3 when a
    site does not answer, 1 when a site's policy forbids the run.
    """
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal
    from confide.join.configuration import tasks

    if check:
        for line in tasks.check_run(config):
            note(line)
        return
    if output is None:
        raise UsageError("say where the tree goes with -o FILE")
    check_free([output, report], replace=replace)
    with on_terminal():
        trained = tasks.train(config, resume=resume, take_over=take_over, with_sites=hosted)
    hand_out(trained, output=output, report=report, sign=sign, replace=replace)
    print_json(trained.summary())


def check_free(paths: list[Path | None], *, replace: bool) -> None:
    """Before the long work, see that no output exists already."""
    from confide.core.errors import UsageError
    from confide.core.release import passport_path

    given = [path for path in paths if path is not None]
    if paths[0] is not None:
        given.append(passport_path(paths[0]))
    for path in given:
        if not replace and path.exists():
            raise UsageError(f"{path} exists; say --replace to overwrite it")


def hand_out(
    trained: "Trained",
    *,
    output: Path | None,
    report: Path | None,
    sign: Path | None,
    replace: bool,
) -> None:
    """Write what was asked for, and say what the tree is like."""
    release, passport = trained.release, None
    if output is not None:
        key = None
        if sign is not None:
            from confide.cli.passport import read_private_key

            key = read_private_key(sign)
        passport = release.write(output, replace=replace, key=key)
    if report is not None:
        from confide import report as pages

        pages.write(release, report, passport=passport, replace=replace)
    for line in trained.notes:
        note(line)
    if output is not None:
        note(f"written to {output} and {output}.passport.json")
