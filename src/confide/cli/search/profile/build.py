"""`confide search profile build`: a profile of interests from a person's own files."""

from pathlib import Path

import click

from confide.cli.options import NEW, NUMBER, SHARE, SUPPORT, note, print_json
from confide.cli.search.passphrases import new_passphrase, passphrase_option
from confide.cli.search.sources import named_sources, source_options

__all__ = ["build"]


@click.command(
    epilog="""\b
Example:
  confide search profile build --documents notes -o me.profile
"""
)
@source_options
@click.option("-o", "--output", type=NEW, required=True, help="Where the profile goes; only you can read the file.")
@click.option("--minsup", type=SUPPORT, default="5", show_default=True, help="Documents a term must be in, or a share.")
@click.option("--delta", type=NUMBER, default=0.6, show_default=True, help="Overlap that makes two terms related.")
@click.option(
    "--min-share", type=SHARE, default="0.1%", show_default=True, help="Divide an interest down to this share."
)
@click.option("--max-depth", type=int, default=8, show_default=True, help="Levels of the tree.")
@click.option("--language", "languages", multiple=True, default=("english",), show_default=True, help="Once for each.")
@click.option("--encrypt", is_flag=True, help="Encrypt the file with a passphrase.")
@click.option("--without-documents", is_flag=True, help="Keep the tree only; then no document can be forgotten later.")
@passphrase_option
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def build(
    documents: tuple[Path, ...],
    mail: tuple[Path, ...],
    history: tuple[Path, ...],
    bookmarks: tuple[Path, ...],
    output: Path,
    minsup: int | float,
    delta: float,
    min_share: float,
    max_depth: int,
    languages: tuple[str, ...],
    encrypt: bool,
    without_documents: bool,
    passphrase_file: Path | None,
    replace: bool,
) -> None:
    """Build a profile from your own files. Nothing leaves this machine, and your files are only read.

    Name each source you want in it. A file that cannot be read is passed over with a line.
    """
    from confide.core.errors import UsageError
    from confide.core.file_groups import check_outputs
    from confide.core.runtime.progress import on_terminal
    from confide.search import Profile

    sources = named_sources(documents, mail, history, bookmarks)
    if passphrase_file is not None and not encrypt:
        raise UsageError("--passphrase-file goes with --encrypt")
    check_outputs([output], inputs=[passphrase_file], replace=replace)
    passphrase = new_passphrase(passphrase_file) if encrypt else None
    with on_terminal():
        profile = Profile.build(
            sources.read(skipped=note), minsup=minsup, delta=delta, min_share=min_share, max_depth=max_depth,
            languages=languages,
        )  # fmt: skip
    (profile.without_documents() if without_documents else profile).save(output, passphrase=passphrase, replace=replace)
    note(f"{profile.n_documents:,} documents, {len(profile):,} interests; written to {output}")
    note(f"next: confide search profile show {output}")
    top = [{"interest": child.label, "support": round(child.support, 3)} for child in profile.root.children[:10]]
    print_json({"documents": profile.n_documents, "interests": len(profile), "heaviest": top})
