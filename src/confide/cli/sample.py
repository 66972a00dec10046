"""`confide sample baskets|quest|people|documents|chain`: invented data, the same on every machine for the same seed."""

from pathlib import Path

import click

from confide.cli.options import NEW, note

__all__ = ["sample"]

_SEED = click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Which invention.")
_REPLACE = click.option("--replace", is_flag=True, help="Overwrite files that exist.")
_OUTPUT = click.option("-o", "--output", type=NEW, required=True, help="Where to write.")


@click.group(
    epilog="""\b
Example:
  confide sample baskets -o baskets.csv
"""
)
def sample() -> None:
    """Write invented data to try things on. Nobody in it exists."""


@sample.command(
    epilog="""\b
Example:
  confide sample baskets -o baskets.csv --records 5000
"""
)
@_OUTPUT
@click.option("--records", type=click.IntRange(1, 10_000_000), default=2000, show_default=True)
@_SEED
@_REPLACE
def baskets(output: Path, records: int, seed: int, replace: bool) -> None:
    """A shop's baskets, with private items marked by the prefix `s:` (.dat, .csv, .jsonl, .parquet)."""
    from confide.core.samples.baskets import baskets as invent

    made = invent(records, seed=seed)
    made.write(output, replace=replace)
    note(f"{len(made):,} baskets over {made.n_items:,} items written to {output}")


@sample.command(
    epilog="""\b
Example:
  confide sample quest T10I4D10K -o T10I4D10K.dat
"""
)
@click.argument("name")
@_OUTPUT
@_SEED
@_REPLACE
def quest(name: str, output: Path, seed: int, replace: bool) -> None:
    """Baskets of the IBM Quest generator; NAME such as T10I4D100K says length, pattern length and number.

    Without a suffix, -o names a new folder of Parquet files: as many baskets as the disk holds.
    """
    from confide.core.samples.quest import quest as invent
    from confide.core.samples.quest import write_quest

    if not output.suffix:
        note(f"{write_quest(name, output, seed=seed):,} baskets written to the folder {output}")
        return
    made = invent(name, seed=seed)
    made.write(output, replace=replace)
    note(f"{len(made):,} baskets over {made.n_items:,} items written to {output}")


@sample.command(
    epilog="""\b
Example:
  confide sample people -o people.csv --rows 500
"""
)
@_OUTPUT
@click.option("--rows", type=click.IntRange(1, 10_000_000), default=1000, show_default=True)
@_SEED
@_REPLACE
def people(output: Path, rows: int, seed: int, replace: bool) -> None:
    """A registry of invented people (.csv, .parquet), its schema and hierarchies beside it."""
    from confide.core.samples.people_files import write_people

    made = write_people(output, rows, seed=seed, replace=replace)
    note(f"{rows:,} people written to {output}, their schema to {made}")


@sample.command(
    epilog="""\b
Example:
  confide sample documents notes
"""
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--texts", type=click.IntRange(1, 100_000), default=300, show_default=True)
@_SEED
@_REPLACE
def documents(folder: Path, texts: int, seed: int, replace: bool) -> None:
    """Notes of an invented person, a text file each, in DIR: to build a profile from."""
    from confide.core.files import write_text
    from confide.core.samples.documents import documents as invent

    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(invent(texts, seed=seed)):
        write_text(folder / f"note-{number:05}.txt", text + "\n", replace=replace)
    note(f"{texts:,} notes written to {folder}")


@sample.command(
    epilog="""\b
Example:
  confide sample chain trial --tables 3 --rows 200
"""
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--tables", type=click.IntRange(2, 100), default=2, show_default=True, help="Tables T1, T2, ... of a chain."
)
@click.option("--rows", type=click.IntRange(2, 10_000_000), default=200, show_default=True, help="Records of each.")
@click.option("--depth", type=click.IntRange(min=1), default=4, show_default=True, help="Of the tree to grow.")
@click.option("--port", type=click.IntRange(1, 65000), default=7001, show_default=True, help="First port of the sites.")
@_SEED
@_REPLACE
def chain(folder: Path, tables: int, rows: int, depth: int, port: int, seed: int, replace: bool) -> None:
    """Tables that join in a chain, each with its site.toml, and a join.toml: a trial of confide join, in DIR.

    Certificates are expected in DIR/keys, from confide join keys. ids.csv names some joined records by row number;
    T1-held-out.csv and so on hold other records, to try a tree on.
    """
    from confide.core.files import write_text
    from confide.core.samples.chain import chain_tables
    from confide.core.samples.chain_sites import chain_files
    from confide.core.tables.frames import write_table

    made = chain_tables(tables, rows=rows, seed=seed)
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in made.tables.items():
        write_table(table, folder / f"{name}.csv", replace=replace)
    for name, table in chain_tables(tables, rows=rows, seed=seed + 1).tables.items():  # independent of the others
        write_table(table, folder / f"{name}-held-out.csv", replace=replace)
    for name, text in chain_files(made, depth=depth, port=port, held_out=True).items():
        write_text(folder / name, text, replace=replace)
    names = " ".join(f"--site {name}" for name in made.tables)
    note(f"{tables} tables of {rows:,} records and their configurations written to {folder}")
    note(f"next: confide join keys {folder / 'keys'} {names} --coordinator registry")
