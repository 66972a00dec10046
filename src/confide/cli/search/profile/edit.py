"""`confide search profile edit`: hide, show, rename or delete branches, forget documents."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, NEW, note
from confide.cli.search.passphrases import new_passphrase, open_profile, passphrase_option

__all__ = ["edit"]


@click.command(
    epilog="""\b
Example:
  confide search profile edit my.profile --hide illness --rename sport training --replace
"""
)
@click.argument("source", metavar="PROFILE", type=EXISTING)
@click.option("--hide", metavar="BRANCH", multiple=True, help="Never let this branch leave the machine.")
@click.option("--show", "shown", metavar="BRANCH", multiple=True, help="Take back --hide.")
@click.option("--rename", metavar="BRANCH NAME", nargs=2, multiple=True, help="Call a branch otherwise, for you only.")
@click.option("--delete", metavar="BRANCH", multiple=True, help="Take a branch out of the profile.")
@click.option("--forget", metavar="NAME", multiple=True, help="Build again without the document of this name.")
@click.option("-o", "--output", type=NEW, help="Where the changed profile goes [PROFILE itself, with --replace].")
@click.option("--encrypt", is_flag=True, help="Encrypt the file with a new passphrase.")
@passphrase_option
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def edit(
    source: Path,
    hide: tuple[str, ...],
    shown: tuple[str, ...],
    rename: tuple[tuple[str, str], ...],
    delete: tuple[str, ...],
    forget: tuple[str, ...],
    output: Path | None,
    encrypt: bool,
    passphrase_file: Path | None,
    replace: bool,
) -> None:
    """Change a profile. A branch is a word ('soccer') or a path ('sports > soccer').

    Changes are made in this order: forget, delete, rename, show, hide. An encrypted profile stays encrypted.
    """
    from confide.core.errors import UsageError
    from confide.core.files import check_new

    if not (hide or shown or rename or delete or forget or encrypt):
        raise UsageError("say what to change: --hide, --show, --rename, --delete, --forget or --encrypt")
    target = output or source
    check_new(target, replace=replace)
    profile, passphrase = open_profile(source, None if encrypt and passphrase_file else passphrase_file)
    profile = profile.changed(forget=forget, delete=delete, rename=rename, show=shown, hide=hide)
    if encrypt:
        passphrase = new_passphrase(passphrase_file)
    profile.save(target, passphrase=passphrase, replace=replace)
    note(f"{profile.n_documents:,} documents, {len(profile):,} interests; written to {target}")
