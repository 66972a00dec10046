"""`confide collect perturb`: perturb a file of true records by a scheme, and release the result."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, input_options, note, print_json
from confide.cli.release_files import ReleaseFiles, release_options

__all__ = ["perturb"]


@click.command(
    epilog="""\b
Examples:
  confide collect perturb answers.csv --scheme answers.scheme.json -o noisy.csv
  confide collect perturb registry.csv --columns age,sex,income --scheme answers.scheme.json -o noisy.csv
  confide collect perturb baskets.csv --scheme baskets.scheme.json -o noisy.dat --max-length 30 --report noisy.html
"""
)
@input_options
@click.option("--scheme", "scheme_file", type=EXISTING, required=True, help="Scheme file (see confide collect plan).")
@click.option("--columns", metavar="NAME,...", help="Take only these columns of the table: the scheme's.")
@release_options()
@click.option(
    "--max-length",
    type=click.IntRange(min=1),
    help="Longest record there may be, where the scheme does not say it.",
)
@click.option(
    "--labels-from-data",
    is_flag=True,
    help="Take items and longest record from IN if nobody declared them: the passport then makes them public.",
)
@click.option("--keep-order", is_flag=True, help="Do not shuffle: row i of the release is then row i of IN.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Repeatable draws, for experiments: they protect nobody.",
)
def perturb(
    source: Path,
    scheme_file: Path,
    columns: str | None,
    output: Path | None,
    max_length: int | None,
    labels_from_data: bool,
    keep_order: bool,
    seed: int | None,
    report: Path | None,
    owner_report: Path | None,
    sign: Path | None,
    replace: bool,
    file_format: str | None,
    id_column: str | None,
    item_column: str | None,
) -> None:
    """Perturb every record of IN by a scheme, so that a released record shifts anyone's odds by at most its gamma.

    IN holds baskets for a scheme over items, and a table with the scheme's columns for one over fields. What is
    released is drawn exactly, from the operating system's randomness, and shuffled. One perturbed record per person:
    drawing again from the same truth reveals as much again.
    """
    from confide.cli.collect.declared import parsed_columns
    from confide.collect.tasks.perturb import PerturbRequest
    from confide.collect.tasks.perturb import perturb as run
    from confide.core.artefacts import save
    from confide.core.datasets.intake import in_files
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal

    if seed is not None and (report or owner_report or sign):
        raise UsageError("a seeded draw is not released: leave out --report, --owner-report and --sign, or --seed")
    if output is None:
        raise UsageError("say where the perturbed records go with -o FILE")
    files = ReleaseFiles.checked(
        output,
        report=report,
        owner_report=owner_report,
        sign=sign,
        replace=replace,
        inputs=[source, scheme_file],
        parts=in_files(source),
    )
    request = PerturbRequest(
        scheme=scheme_file,
        records=source,
        columns=parsed_columns(columns),
        max_length=max_length,
        labels_from_data=labels_from_data,
        keep_order=keep_order,
        seed=seed,
        format=file_format,
        id=id_column,
        item=item_column,
        into=output,
    )
    with on_terminal():
        done = run(request)
    for text in done.notes:
        note(text)
    if done.release is None:
        save(done.data, output, replace=replace)
        note(f"written to {output}")
    else:
        files.hand_out(done.release)
    print_json(done.to_dict())
