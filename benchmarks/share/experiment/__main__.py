"""python -m benchmarks.share.experiment IN --domains FILE: section 7 of the paper, redone on a table of one's own.

    python -m benchmarks.share.experiment patients.csv --domains domains.toml --owners 2,5 --runs 2 --passes 1 --table
    python -m benchmarks.share.experiment patients.csv --domains domains.toml --l 2,3 --owners 3 --report study.html
    python -m benchmarks.share.experiment patients.csv --domains domains.toml --l 2 --c 3 --owners 1 --runs 2 --tables

Deals the records of IN to owners, publishes their trees, learns from those, and says how often each model is right.
Without --k and --l the trees promise nothing: this compares ways to learn from them (PGEN, BASEGEN, BAGGING, ours).
With them it compares ways to publish (ATP, LDM, ours; with --tables, or by name, OPTI and LDD). BASIS is the tree of
all records, pooled. Nothing here is released; the page is for the owner of IN.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.share.experiment.runs import MODELS, Experiment, requirements_of, run_experiment
from benchmarks.share.experiment.study import notes_of, study_of, summary
from benchmarks.share.experiment.table_methods import NAMES, table_methods
from confide import report as pages
from confide.cli.options import print_rows
from confide.core.errors import ConfideError
from confide.core.file_groups import check_outputs
from confide.core.runtime.progress import on_terminal
from confide.core.tables.frames import read_table
from confide.share.domains import Domains

__all__ = ["main", "parse_whole_numbers"]

_MOST_OWNERS = 1000
_SHOWN = ("requirement", "owners", "method", "accuracy", "spread")


def parse_whole_numbers(text: str) -> tuple[int, ...]:
    """Numbers with commas between them, and ranges.

    >>> parse_whole_numbers("1,3-5")
    (1, 3, 4, 5)
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if dash and int(last) - int(first) > _MOST_OWNERS:
            raise argparse.ArgumentTypeError(f"{part!r} is a long range; give at most {_MOST_OWNERS} numbers")
        numbers += range(int(first), int(last) + 1) if dash else [int(part)]
    return tuple(dict.fromkeys(numbers))


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(dict.fromkeys(float(part) for part in text.split(",")))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.share.experiment",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole: Callable[[str], Any] = parse_whole_numbers
    parser.add_argument("table", metavar="IN", type=Path, help="records with their classes: .csv, .parquet, .xlsx")
    parser.add_argument("--domains", type=Path, required=True, help="see confide share domains")
    parser.add_argument("--k", type=whole, default=(), help="k-anonymity: one or several, such as 5,10,20")
    parser.add_argument("--l", type=whole, default=(), help="diversity: one or several, such as 2,3,4")
    parser.add_argument("--c", type=_numbers, default=(), help="with --l: recursive diversity, each c with each l")
    parser.add_argument("--owners", type=whole, default="1-10", help="how many owners, each in turn [1-10]")
    parser.add_argument("--method", action="append", default=[], help="only these methods, once for each [all]")
    parser.add_argument("--tables", action="store_true", help="try OPTI and LDD, too, which publish tables; slower")
    parser.add_argument("--folds", type=int, default=10, help="parts of IN [10]")
    parser.add_argument("--runs", type=int, help="how many of them serve as the test [all]")
    parser.add_argument("--passes", type=int, default=5, help="times pseudo-data is made anew [5]")
    parser.add_argument("--model", choices=MODELS, default="tree", help="what is learned from it [tree]")
    parser.add_argument("--rows", type=float, help="pseudo-records, as a multiple of the records [by method]")
    parser.add_argument("--seed", type=int, default=0, help="other folds and draws [0]")
    parser.add_argument("--report", type=Path, help="write a page with charts here")
    parser.add_argument("--replace", action="store_true", help="overwrite a page that exists")
    forms = parser.add_mutually_exclusive_group()
    for form in ("json", "csv", "table"):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, default="json")
    return parser


def _run(given: argparse.Namespace) -> None:
    check_outputs([given.report], inputs=[given.table, given.domains], replace=given.replace)
    of_tables = NAMES if given.tables else tuple(name for name in NAMES if name in given.method)
    domains = Domains.read(given.domains)
    experiment = Experiment(
        requirements=requirements_of(k=given.k, l=given.l, c=given.c),
        owners=given.owners,
        methods=tuple(name for name in given.method if name not in NAMES) if given.method else None,
        tables=table_methods(domains, of_tables),
        folds=given.folds,
        runs=given.runs,
        passes=given.passes,
        model=given.model,
        rows=given.rows,
        seed=given.seed,
    )
    table = read_table(given.table)
    with on_terminal():
        outcomes = run_experiment(table, domains, experiment)
    if given.report is not None:
        study = study_of(experiment, outcomes, name=given.table.name, records=table.num_rows)
        pages.write_study(given.report, study.title, **study.shown(), replace=given.replace)
        print(f"the page is in {given.report}; it is about true records: keep it", file=sys.stderr)
    rows = summary(outcomes)
    for text in notes_of(rows):
        print(text, file=sys.stderr)
    if given.form == "table":
        rows = [{name: "" if row[name] is None else row[name] for name in _SHOWN} for row in rows]
    print_rows(rows, form=given.form, title="How often each is right")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment that the words ask for; give the exit status, as `confide` does."""
    try:
        _run(_parser().parse_args(arguments))
    except ConfideError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
