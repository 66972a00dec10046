"""`confide share learn`: a global model from several owners' trees."""

from pathlib import Path
from typing import cast

import click

from confide.cli.options import EXISTING, NEW, form_options, note, print_rows, text_options
from confide.cli.share.generate import ROWS

__all__ = ["learn"]


@click.command(
    epilog="""\b
Examples:
  confide share learn north.json south.json --test held-out.csv --class diagnosis --table
  confide share learn north.json south.json --rows 5x --predict new.csv -o predicted.csv
"""
)
@click.argument("sources", metavar="TREE...", type=EXISTING, nargs=-1, required=True)
@click.option(
    "--model", type=click.Choice(["tree", "naive-bayes", "conjunctive-rule"]), default="tree", show_default=True
)
@click.option("--rows", type=ROWS, help="Pseudo-records, or a multiple such as 5x [5x if voted, else 1x].")
@click.option(
    "--labels", type=click.Choice(["voted", "own"]), default="voted", show_default=True,
    help="Classes of pseudo-records: by all trees, or by their own (the paper's PGEN).",
)  # fmt: skip
@click.option(
    "--absent", type=click.Choice(["marginals", "uniform"]), default="marginals", show_default=True,
    help="Values that a path does not ask about.",
)  # fmt: skip
@click.option("--test", type=EXISTING, help="Records with known classes to try the model on.")
@click.option("--class", "target", metavar="COLUMN", help="Their class column.")
@click.option("--predict", type=EXISTING, help="Records to classify.")
@click.option("-o", "--output", type=NEW, help="Where they go, with their class (.csv, .parquet).")
@click.option("--tree", "tree_file", type=NEW, help="Write the model here as a tree (JSON); for --model tree.")
@click.option("--seed", type=click.IntRange(min=0), help="Repeat a run.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
@text_options
@form_options
def learn(
    sources: tuple[Path, ...],
    model: str,
    rows: int | float | None,
    labels: str,
    absent: str,
    test: Path | None,
    target: str | None,
    predict: Path | None,
    output: Path | None,
    tree_file: Path | None,
    seed: int | None,
    replace: bool,
    form: str,
) -> None:
    """Learn one model from the published trees of several owners, and try or use it.

    With --test, says how often the model is right, beside all trees voting and each tree alone. With --predict,
    classifies records.
    """
    from confide.core.errors import UsageError
    from confide.core.file_groups import check_outputs
    from confide.core.files import write_text
    from confide.core.tables.frames import read_table, write_table
    from confide.core.tables.sources import load_table
    from confide.share.generation.pseudo_data import Absent
    from confide.share.global_model import Labels
    from confide.share.tasks.learn import TREE_CAVEAT, LearningRequest, check_target, predicted, tried
    from confide.share.tasks.learn import learn as learn_model
    from confide.share.tasks.trees import checked_trees

    if test is None and predict is None and tree_file is None:
        raise UsageError("say what the model is for: --test FILE, --predict FILE or --tree FILE")
    if (test is None) != (target is None):
        raise UsageError("--test FILE and --class COLUMN go together")
    if (predict is None) != (output is None):
        raise UsageError("--predict FILE and -o FILE go together")
    if tree_file is not None and model != "tree":
        raise UsageError("only --model tree can be written with --tree")
    check_outputs([output, tree_file], inputs=[*sources, test, predict], replace=replace)
    request = LearningRequest(
        model=model, rows=rows, labels=cast(Labels, labels), absent=cast(Absent, absent), seed=seed
    )
    known = None if test is None or target is None else load_table(file=test, text=[target])
    if known is not None and target is not None:
        check_target(known, target)
    new = None if predict is None else read_table(predict)
    read = checked_trees(sources)
    for text in read.notes:
        note(text)
    learned = learn_model(read.trees, request)
    for text in learned.notes:
        note(text)
    if known is not None and target is not None:
        trial = tried(learned, known, target=target)
        note(f"tried on {trial.records:,} records")
        print_rows(trial.rows(), form=form, title="How often each is right")
    if new is not None and output is not None:
        write_table(predicted(learned, new), output, replace=replace)
        note(f"written to {output}")
    if tree_file is not None:
        write_text(tree_file, learned.model.tree_.to_json(indent=2) + "\n", replace=replace)
        note(f"the tree is in {tree_file}; {TREE_CAVEAT}")
