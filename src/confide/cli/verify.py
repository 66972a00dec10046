"""`confide verify PASSPORT...`: re-check releases with code that shares nothing with the code that made them.
`confide verify TABLE --schema S.toml`: without a passport, what does a table keep?"""

from pathlib import Path
from typing import Any

import click

from confide.cli.options import EXISTING, note, print_json
from confide.cli.requirement_options import asked_requirement, table_requirement_options

__all__ = ["verify"]


@click.command(
    epilog="""\b
Examples:
  confide verify people.csv.passport.json
  confide verify registry.csv --schema registry.schema.toml
"""
)
@click.argument("files", metavar="PASSPORT...|TABLE", type=EXISTING, nargs=-1, required=True)
@click.option(
    "--artefact", type=click.Path(path_type=Path), help="The released file, if it is not beside its passport."
)
@click.option("--key", type=EXISTING, help="Public key (PEM) that must have signed.")
@click.option("--schema", type=EXISTING, help="Roles of the columns of TABLE, which has no passport, as TOML.")
@table_requirement_options
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON on stdout.")
def verify(
    files: tuple[Path, ...],
    artefact: Path | None,
    key: Path | None,
    schema: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Re-check releases from their passports: file unchanged, signature, and the promise itself where it can be proved.

    With --schema, look at a TABLE that has no passport: the largest k and l, the smallest t and so on that it keeps,
    and whether it meets what --k, --l, --t and the other options ask.

    Exit status 0 if every check holds, 1 if one fails.
    """
    from confide.core.errors import InputError, UsageError

    requirement = asked_requirement(asked)
    if requirement is not None and schema is None:
        raise UsageError("a passport says itself what is promised; to ask something of a table, give its --schema")
    if len(files) > 1 and (artefact is not None or schema is not None):
        raise UsageError("--artefact and --schema go with one file; give them one at a time")
    for path in files:
        if not path.is_file():
            raise InputError("no such file", source=path)
    if schema is not None:
        if artefact is not None or key is not None:
            raise UsageError("--schema is for a table without a passport; leave out --artefact and --key")
        ok = _examine(files[0], schema, requirement, as_json=as_json)
    else:
        ok = _recheck(files, artefact, key, as_json=as_json)
    if not ok:
        raise click.exceptions.Exit(1)


def _recheck(passports: tuple[Path, ...], artefact: Path | None, key: Path | None, *, as_json: bool) -> bool:
    from confide.audit.verify import verify as check
    from confide.core.artefacts.keys import read_public_key

    trusted = read_public_key(key) if key else None
    answers = []
    for path in passports:
        outcome = check(path, artefact=artefact, key=trusted)
        answers.append((path, outcome))
        if not as_json:
            note(f"{path}: {outcome.verdict()}")
            for text in outcome.lines():
                note(f"  {text}", reword=False)
    if as_json:
        print_json([{"passport": str(path), **outcome.to_dict()} for path, outcome in answers])
    return all(outcome.ok for _, outcome in answers)


def _examine(source: Path, schema: Path, requirement: Any, *, as_json: bool) -> bool:
    from confide.audit.examination import examine
    from confide.core.tables.frames import read_table
    from confide.core.tables.schema import Schema

    found = examine(read_table(source), Schema.read(schema), requirement=requirement)
    if as_json:
        print_json({"table": str(source), **found.to_dict()})
    else:
        for text in found.lines(f"{source}:"):
            note(text, reword=False)
    return found.ok
