"""`confide collect perturb`: perturb a file of true records by a scheme, and release the result."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import EXISTING, input_options, note, print_json, read_transactions
from confide.cli.release_files import ReleaseFiles, release_options

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme
    from confide.core.randomness import Randomness
    from confide.core.release import Release

__all__ = ["perturb"]


@click.command(
    epilog="""\b
Examples:
  confide collect perturb answers.csv --scheme answers.scheme.json -o noisy.csv
  confide collect perturb baskets.csv --scheme baskets.scheme.json -o noisy.dat --max-length 30 --report noisy.html
"""
)
@input_options
@click.option("--scheme", "scheme_file", type=EXISTING, required=True, help="Scheme file (see confide collect plan).")
@release_options()
@click.option(
    "--max-length",
    type=click.IntRange(min=1),
    help="Longest record there may be, where the scheme does not say it [the longest in IN].",
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="Repeatable draws, for experiments: protects nobody, so no passport."
)
def perturb(
    source: Path,
    scheme_file: Path,
    output: Path | None,
    max_length: int | None,
    seed: int | None,
    report: Path | None,
    owner_report: Path | None,
    sign: Path | None,
    replace: bool,
    file_format: str | None,
    id_column: str | None,
    item_column: str | None,
) -> None:
    """Perturb every record of IN by a scheme, so that no property of a person can be told beyond the scheme's gamma.

    IN holds baskets for a scheme over items, and a table with the scheme's columns for one over fields. What leaves is
    drawn exactly, from the operating system's randomness. One perturbed record per person: drawing again from the same
    truth gives away as much again.
    """
    from confide.collect.release import release_perturbed
    from confide.collect.schemes.scheme import read_scheme
    from confide.core.errors import UsageError
    from confide.core.randomness import Randomness
    from confide.core.runtime.progress import on_terminal

    if seed is not None and (report or owner_report or sign):
        raise UsageError("a seeded draw is no release: leave out --report, --owner-report and --sign, or --seed")
    if output is None:
        raise UsageError("say where the perturbed records go with -o FILE")
    files = ReleaseFiles.checked(
        output,
        report=report,
        owner_report=owner_report,
        sign=sign,
        replace=replace,
        inputs=[source, scheme_file],
    )
    scheme, records = _read(source, read_scheme(scheme_file), max_length, file_format, id_column, item_column)
    if seed is not None:
        _experiment(scheme, records, Randomness.seeded(seed), output, replace=replace)
        return
    with on_terminal():
        release = release_perturbed(scheme, records)
    files.hand_out(release)
    _tell(release)


def _read(
    source: Path,
    scheme: "Scheme",
    max_length: int | None,
    file_format: str | None,
    id_column: str | None,
    item_column: str | None,
) -> tuple["Scheme", Any]:
    """The records of IN in the form the scheme takes, and the scheme bound to what it leaves open."""
    from dataclasses import replace

    from confide.cli.collect.files import warn_of_lengths
    from confide.collect.schemes.item_scheme import ItemScheme
    from confide.core.errors import InputError, UsageError
    from confide.core.tables.frames import read_table

    if not isinstance(scheme, ItemScheme) or scheme.fields is not None:
        if max_length is not None or file_format or id_column or item_column:
            raise UsageError("a scheme over fields reads a table: leave out --max-length, --format, --id and --item")
        table = read_table(source)
        if table.num_rows == 0:
            raise InputError("holds no records", source=source)
        note(f"read {source}: {table.num_rows:,} records, {table.num_columns} fields")
        return scheme, table
    records = read_transactions(source, file_format=file_format, id_column=id_column, item_column=item_column)
    if max_length is not None and scheme.max_length is not None and max_length != scheme.max_length:
        raise UsageError(f"the scheme itself says max_length={scheme.max_length}; leave out --max-length")
    if scheme.max_length is None:
        if max_length is None:
            max_length = max(1, int(records.lengths.max()))
            note(f"warning: gamma is stated for {max_length} items, as the longest record of IN has; say --max-length")
        scheme = (
            replace(scheme, max_length=max_length) if scheme.items else scheme.for_items(records.labels, max_length)
        )
        note(f"so bound, the scheme has the sha256 {scheme.fingerprint[:16]}..., not that of the scheme file")
    warn_of_lengths(scheme, records)
    return scheme, records


def _experiment(scheme: "Scheme", records: Any, randomness: "Randomness", output: Path, *, replace: bool) -> None:
    """Write what a seed draws, without a promise: who knows the seed draws it again and reads the truth back."""
    from confide.core.artefacts import save

    perturbed = scheme.perturb(records, randomness=randomness)
    save(perturbed, output, replace=replace)
    note("warning: drawn from a seed, so it protects nobody and gets no passport; leave out --seed for people's data")
    note(f"written to {output}")
    print_json({"scheme": scheme.kind, "records": len(perturbed), "randomness": randomness.describe()})


def _tell(release: "Release[Any]") -> None:
    from confide.collect.release import weaknesses
    from confide.collect.schemes.scheme import read_scheme

    requirement = release.requirement
    note(requirement.promise())
    for text in weaknesses(read_scheme(release.passport.context["scheme"])):
        note(f"warning: {text}")
    print_json(
        {
            "scheme": release.passport.algorithm,
            "requirement": requirement.to_dict(),
            "parameters": dict(release.passport.parameters),
            "loss": dict(release.loss),
            "randomness": dict(release.passport.randomness),
        }
    )
