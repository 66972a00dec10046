"""`confide share experiment`: how good models learned from published trees would be, on a table of one's own."""

from pathlib import Path
from typing import Any

import click

from confide.cli.options import EXISTING, NEW, form_options, note, print_rows, text_options

__all__ = ["experiment"]

_MOST_OWNERS = 1000


class _Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them; whole ones also as a range, 1-10."""

    name = "numbers"

    def __init__(self, *, whole: bool) -> None:
        self.whole = whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        found: list[float] = []
        for text in str(value).split(","):
            first, dash, last = text.strip().partition("-")
            try:
                if self.whole and dash:
                    if int(last) - int(first) > _MOST_OWNERS:
                        self.fail(f"{text.strip()!r} is a long range; give at most {_MOST_OWNERS} numbers", param, ctx)
                    found.extend(range(int(first), int(last) + 1))
                else:
                    found.append(int(text) if self.whole else float(text))
            except ValueError:
                example = "1,2,5 or 1-10" if self.whole else "5,10,20"
                self.fail(f"{text.strip()!r} is not a number; give numbers such as {example}", param, ctx)
        return tuple(dict.fromkeys(found))


WHOLE, ANY = _Numbers(whole=True), _Numbers(whole=False)


@click.command(
    epilog="""\b
Examples:
  confide share experiment patients.csv --domains domains.toml --owners 2,5 --runs 2 --passes 1 --table
  confide share experiment patients.csv --domains domains.toml --l 2,3 --owners 3 --runs 2 --report study.html
  confide share experiment patients.csv --domains domains.toml --l 2 --c 3 --owners 1 --runs 2 --tables --table
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option("--domains", "domains_file", type=EXISTING, required=True, help="See confide share domains.")
@click.option("--k", type=WHOLE, help="k-anonymity: one or several, such as 5,10,20.")
@click.option("--l", "l", type=WHOLE, help="Diversity: one or several, such as 2,3,4.")
@click.option("--c", type=ANY, help="With --l: recursive diversity, each c with each l.")
@click.option("--owners", type=WHOLE, default="1-10", show_default=True, help="How many owners, each in turn.")
@click.option("--method", "methods", multiple=True, help="Only these methods. Once for each. [all that fit]")
@click.option("--tables", is_flag=True, help="Try OPTI and LDD, too, which publish tables; slower.")
@click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="Parts of IN.")
@click.option("--runs", type=click.IntRange(1), help="How many of them serve as the test [all]; fewer is faster.")
@click.option("--passes", type=click.IntRange(1), default=5, show_default=True, help="Times pseudo-data is made anew.")
@click.option(
    "--model", type=click.Choice(["tree", "naive-bayes", "conjunctive-rule"]), default="tree", show_default=True
)
@click.option("--rows", type=float, help="Pseudo-records, as a multiple of the records [each method's own default].")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Other folds and draws.")
@click.option("--report", type=NEW, help="Write a page with charts here.")
@click.option("--replace", is_flag=True, help="Overwrite a file that exists.")
@text_options
@form_options
def experiment(
    source: Path,
    domains_file: Path,
    k: tuple[int, ...] | None,
    l: tuple[int, ...] | None,  # noqa: E741 - the paper's letter
    c: tuple[float, ...] | None,
    owners: tuple[int, ...],
    methods: tuple[str, ...],
    tables: bool,
    folds: int,
    runs: int | None,
    passes: int,
    model: str,
    rows: float | None,
    seed: int,
    report: Path | None,
    replace: bool,
    form: str,
) -> None:
    """Deal the records of IN to owners, publish their trees, learn from those, and say how often each model is right.

    Without --k and --l the trees promise nothing: this compares ways to learn from them (PGEN, BASEGEN, BAGGING, ours).
    With them it compares ways to publish (ATP, LDM, ours; with --tables, or by name, OPTI and LDD). BASIS is the tree
    of all records, pooled. Nothing here is released; the page is for the owner of IN.
    """
    from confide.cli.share.table_methods import NAMES, table_methods
    from confide.core.file_groups import check_outputs
    from confide.core.runtime.progress import on_terminal
    from confide.core.tables.frames import read_table
    from confide.share.domains import Domains
    from confide.share.experiment.runs import Experiment, requirements_of, run_experiment
    from confide.share.experiment.study import notes_of, study_of, summary

    check_outputs([report], inputs=[source, domains_file], replace=replace)
    of_tables = NAMES if tables else tuple(name for name in NAMES if name in methods)
    domains = Domains.read(domains_file)
    asked = Experiment(
        requirements=requirements_of(k=k or (), l=l or (), c=c or ()),
        owners=owners,
        methods=tuple(name for name in methods if name not in NAMES) if methods else None,
        tables=table_methods(domains, of_tables),
        folds=folds,
        runs=runs,
        passes=passes,
        model=model,
        rows=rows,
        seed=seed,
    )
    table = read_table(source)
    with on_terminal():
        outcomes = run_experiment(table, domains, asked)
    if report is not None:
        from confide import report as pages

        study = study_of(asked, outcomes, name=source.name, records=table.num_rows)
        pages.write_study(report, study.title, **study.shown(), replace=replace)
        note(f"the page is in {report}; it is about true records: keep it")
    rows_found = summary(outcomes)
    for text in notes_of(rows_found):
        note(text)
    if form == "table":
        shown = ("requirement", "owners", "method", "accuracy", "spread")
        rows_found = [{name: "" if row[name] is None else row[name] for name in shown} for row in rows_found]
    print_rows(rows_found, form=form, title="How often each is right")
