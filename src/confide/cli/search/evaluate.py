"""`confide search evaluate`: when does a profile help, by queries that were judged?"""

from pathlib import Path
from typing import Any, cast

import click

from confide.cli.options import EXISTING, NEW, SHARE, form_options, note, print_rows
from confide.cli.search.passphrases import open_profile, passphrase_option

__all__ = ["evaluate"]


class _Shares(click.ParamType[tuple[float, ...]]):
    """Shares with commas between them."""

    name = "shares"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(SHARE.convert(text.strip(), param, ctx) for text in str(value).split(","))


class _Lengths(click.ParamType[tuple[int, ...]]):
    """Numbers of terms with commas between them, and `whole`."""

    name = "lengths"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        found = []
        for text in str(value).split(","):
            word = text.strip()
            if word != "whole" and not (word.isdigit() and 1 <= int(word) <= 100):
                self.fail(f"{word!r} is not a number of terms; give for example 1,2,3,whole", param, ctx)
            found.append(0 if word == "whole" else int(word))
        return tuple(dict.fromkeys(found))


@click.command(
    epilog="""\b
Example:
  confide search evaluate judged.jsonl --engine notes.sqlite --profile my.profile --min-detail 0,2%,10% --table
"""
)
@click.argument("judgments", metavar="JUDGMENTS", type=EXISTING)
@click.option(
    "--profile",
    "profiles",
    type=EXISTING,
    multiple=True,
    required=True,
    help="A profile; once for each, such as one from mail and one from documents.",
)
@click.option("--engine", metavar="ADDRESS|FILE", required=True, help="Asked again, once for each query.")
@click.option("--alpha", type=_Shares(), default="0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1", help="[0 to 1 by 0.1]")
@click.option("--min-detail", type=_Shares(), default="0", show_default=True, help="One or several.")
@click.option("--terms", type=_Lengths(), default="whole", show_default=True, help="Cut queries to so many terms.")
@click.option("--scoring", type=click.Choice(["normalised", "raw"]), multiple=True, default=("normalised",))
@click.option("--cuts", type=click.IntRange(1, 100), default=1, show_default=True, help="How often each cut is drawn.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Other cuts.")
@click.option("--top", type=click.IntRange(1, 1000), default=50, show_default=True, help="Results that are ordered.")
@click.option("--report", type=NEW, help="Write a page with charts here.")
@click.option("--replace", is_flag=True, help="Overwrite a file that exists.")
@passphrase_option
@form_options
def evaluate(
    judgments: Path,
    profiles: tuple[Path, ...],
    engine: str,
    alpha: tuple[float, ...],
    min_detail: tuple[float, ...],
    terms: tuple[int, ...],
    scoring: tuple[str, ...],
    cuts: int,
    seed: int,
    top: int,
    report: Path | None,
    replace: bool,
    passphrase_file: Path | None,
    form: str,
) -> None:
    """Order judged results by each profile, alpha and minDetail, and say how near the top the relevant ones come.

    JUDGMENTS is what the page of confide search serve keeps with --judgments. The engine gets the queries again, and
    nothing of any profile. Give somebody else's profile too, as a control: a gain that it shares is not yours.
    """
    from confide.core.file_groups import check_outputs
    from confide.core.runtime.progress import on_terminal
    from confide.search import Evaluation, open_engine, read_judgments
    from confide.search import evaluate as run
    from confide.search.evaluation.study import best_trials, study_of
    from confide.search.wrapper.scoring import Scoring

    check_outputs([report], inputs=[judgments, *profiles], replace=replace)
    judged = read_judgments(judgments)
    asked = Evaluation(
        alphas=alpha, min_details=min_detail, terms=terms, cuts=cuts, seed=seed, top=top,
        scorings=cast(tuple[Scoring, ...], scoring),
    )  # fmt: skip
    named = {path.name: open_profile(path, passphrase_file)[0] for path in profiles}
    with on_terminal():
        trials = run(judged, named, open_engine(engine), asked=asked)
    if report is not None:
        from confide import report as pages

        study = study_of(trials, name=judgments.name)
        pages.write_study(report, study.title, **study.shown(), replace=replace)
        note(f"the page is in {report}; your interests are behind it: keep it")
    if form == "table":
        shown = ("profile", "terms", "alpha", "exp_ratio", "precision", "gain", "error")
        rows = [
            {name: one.terms or "whole" if name == "terms" else getattr(one, name) for name in shown}
            for one in best_trials(trials)
        ]
        print_rows([{n: round(v, 4) if isinstance(v, float) else v for n, v in row.items()} for row in rows], form=form)
        note("the best setting of each; without --table all are listed")
        return
    print_rows([one.to_dict() for one in trials], form=form)
