"""`confide share train`: a tree that its owner may publish."""

from pathlib import Path
from typing import cast

import click

from confide.cli.options import EXISTING, note, print_json, text_options
from confide.cli.release_files import ReleaseFiles, release_options
from confide.cli.share.promise import promise_options, promised

__all__ = ["train"]


@click.command(
    epilog="""\b
Example:
  confide share train patients.csv --domains domains.toml --l 2 -o west.json --report west.html
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@text_options
@click.option(
    "--domains", "domains_file", type=EXISTING, required=True, help="What owners agreed on: see confide share domains."
)
@release_options()
@promise_options
@click.option(
    "--method", type=click.Choice(["merging", "ldm", "atp"]), default="merging", show_default=True,
    help="merging is ours; the others are the paper's.",
)  # fmt: skip
@click.option("--no-marginals", is_flag=True, help="Publish no counts of single attributes with the tree.")
@click.option("--max-depth", type=click.IntRange(1), help="Levels below the root; default: no limit.")
@click.option("--dry-run", is_flag=True, help="Say what the tree would be like, and write nothing but reports.")
def train(
    source: Path,
    domains_file: Path,
    k: int | None,
    l: int | None,  # noqa: E741 - the paper's letter
    c: float | None,
    method: str,
    no_marginals: bool,
    max_depth: int | None,
    dry_run: bool,
    output: Path | None,
    report: Path | None,
    owner_report: Path | None,
    sign: Path | None,
    replace: bool,
) -> None:
    """Learn a decision tree from IN that may be published: every leaf keeps the promise.

    Nothing in the tree comes from a single record: classes, categories and cuts are those of --domains. Exit status 1
    when even all records in one leaf do not keep the promise, with the largest k or l that works.
    """
    from confide.core.errors import UsageError
    from confide.core.tables.frames import read_table
    from confide.share.domains import Domains
    from confide.share.tasks.train import Method, TrainingRequest
    from confide.share.tasks.train import train as train_tree

    if output is None and not dry_run:
        raise UsageError("say where the tree goes with -o FILE, or --dry-run to see what it would be like")
    files = ReleaseFiles.checked(
        None if dry_run else output, report=report, owner_report=owner_report, sign=sign, replace=replace,
        inputs=[source, domains_file],
    )  # fmt: skip
    request = TrainingRequest(
        requirement=promised(k, l, c), method=cast(Method, method), marginals=not no_marginals, max_depth=max_depth
    )
    domains = Domains.read(domains_file)
    done = train_tree(read_table(source), domains, request)
    files.hand_out(done.release)
    for text in done.notes:
        note(text)
    print_json({"requirement": request.requirement.to_dict(), "loss": dict(done.release.loss), "written": not dry_run})
