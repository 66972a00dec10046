"""What `confide collect` asks for: a request for each command. Help and forms import this alone, so it is light."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from confide.collect.jobs.service_requests import CollectedFiles, CollectSend, CollectServe, CollectSurvey
from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import AnswerAndPage, DocumentOnly, ReleaseFiles, StudyFiles
from confide.core.jobs.fields import READING, setting, source
from confide.core.jobs.kinds import Edge, Share, Support
from confide.core.jobs.records import EngineReading, FileReading, TransactionsSource

__all__ = [
    "GROUPS",
    "JOBS",
    "CollectMine",
    "CollectPerturb",
    "CollectPlan",
    "CollectPrivacy",
    "CollectSend",
    "CollectServe",
    "CollectSurvey",
    "CollectedFiles",
]


@dataclass(frozen=True, kw_only=True)
class CollectPlan(FileReading):
    """Choose a scheme and its parameters for a promise.

    Give the promise as --rho1 and --rho2, as --gamma or as --epsilon; emask takes goals instead. The plan goes to
    stdout as JSON, the scheme file to -o. It lists the values of fields, or items: declare them by --values and
    --bins, or take them from --sample, which makes them public. Exit status 1 when the promise, or a --hard goal,
    cannot be met, with the nearest setting that works. Goals that are not hard are wishes: a plan that misses some says
    so and ends with 0.
    """

    scheme: Literal["gamma-diagonal", "matrix", "mask", "cut-and-paste", "emask"] | None = setting(
        None, help="Which scheme to plan [gamma-diagonal; emask if --avg-support is given]."
    )
    rho1: Share | None = setting(None, group="Promise", help="A property of at most this prior (5%) ...")
    rho2: Share | None = setting(None, group="Promise", help="... never gets a posterior above this (50%).")
    gamma: float | None = setting(None, group="Promise", help="The same bound as a ratio of likelihoods [19].")
    epsilon: float | None = setting(
        None, group="Promise", help="The same bound as ln(gamma), as in differential privacy."
    )
    records: int | None = setting(None, ge=1, group="Promise", help="How many records will be collected.")
    people: int | None = setting(
        None, ge=1, group="Wanted", help="People who will answer: plan who is asked for which fields."
    )
    within: tuple[float, ...] | None = setting(
        None,
        group="Wanted",
        metavar="POINTS,...",
        help="How near supports of single values, pairs, ... must come (95%), such as 2,3.",
    )
    sample: Any = setting(
        None, group="Data", metavar="FILE", help="Sample records: supports, values and items are taken from it."
    )
    describe: Any = setting(
        None, group="Data", metavar="FILE", help="Say which scheme fits this file, and plan nothing."
    )
    support: Share | None = setting(None, group="Data", help="With --describe: support of interest [0.02].")
    columns: tuple[str, ...] | None = setting(
        None, group="Data", metavar="NAME,...", help="Columns of a table to ask for [all]."
    )
    bins: dict[str, tuple[Edge, ...]] | None = setting(
        None, group="Data", metavar="NAME=EDGES", help="Cut a numeric column, such as age=35,55."
    )
    values: dict[str, tuple[str, ...]] | None = setting(
        None, group="Data", metavar="NAME=VALUES", help="Declare a field's values: sex=female,male."
    )
    survey: Path | None = setting(
        None, group="Data", metavar="SURVEY.toml", help="A survey: fields and values are those of its questions."
    )
    kind: Literal["table", "transactions"] | None = setting(
        None, group="Data", help="What the file is, where it does not say."
    )
    fields: int | None = setting(None, ge=1, group="Data", help="mask, cut-and-paste: number of fields.")
    max_length: int | None = setting(None, ge=1, group="Data", help="Items of the longest true record.")
    K: int | None = setting(
        None, ge=1, short="-K", option="cut", group="Data", help="cut-and-paste: K [the best for triples]."
    )
    avg_support: Share | None = setting(None, group="emask", help="Mean share of records that hold an item.")
    max_support: Share | None = setting(None, group="emask", help="Share of records with the commonest item.")
    breach: Share | None = setting(None, group="emask", help="Goal for 1 - basic privacy [0.06].")
    error: Share | None = setting(None, group="emask", help="Goal for relative support error [0.03].")
    slowdown: float | None = setting(None, group="emask", help="Goal for sent / true items [5].")
    visible: Share | None = setting(None, group="emask", help="Bound on Pr(true 1 | 1 sent), an average [0.2].")
    worst_visible: Share | None = setting(None, group="emask", help="The same bound for the commonest item [none].")
    absent: float | None = setting(
        None, group="emask", help="Bound on the odds that an item not sent is not held either [100]."
    )
    hard: tuple[Literal["breach", "error", "slowdown"], ...] = setting(
        (), repeat=True, group="emask", help="A goal to keep."
    )

    @property
    def name(self) -> str:
        """Of the scheme to plan."""
        return self.scheme or ("emask" if self.avg_support is not None else "gamma-diagonal")

    def check(self) -> None:
        super().check()
        for name, values in (self.values or {}).items():
            if len(values) < 2 or not all(values):
                given = f"{name}={','.join(values)}"
                raise RequestError("values", given, "is no choice: give two values or more, such as yes,no")
        if self.describe is None and self.support is not None:
            raise UsageError(
                "support= goes with describe=; a plan does not use support=", parameter="support", value=self.support
            )
        if self.describe is not None and self.sample is not None:
            raise UsageError(
                "describe= says which scheme fits; plan it with sample= afterwards",
                parameter="describe",
                value=self.describe,
            )
        if self.survey is not None and (self.values or self.bins or self.sample is not None):
            raise UsageError(
                "survey= brings fields and values of its own; leave out values=, bins= and sample=",
                parameter="survey",
                value=self.survey,
            )

    def check_delivery(self, delivery: Any) -> None:
        if self.describe is not None and delivery.output is not None:
            raise UsageError(
                "describe= says which scheme fits; plan it with sample= and output= afterwards",
                parameter="describe",
                value=self.describe,
            )


@dataclass(frozen=True, kw_only=True)
class CollectPerturb(TransactionsSource):
    """Perturb every record of IN by a scheme, so that a released record shifts anyone's odds by at most its gamma.

    IN holds baskets for a scheme over items, and a table with the scheme's columns for one over fields. What is
    released is drawn exactly, from the operating system's randomness, and shuffled. One perturbed record per person:
    drawing again from the same truth reveals as much again.
    """

    scheme: Any = setting(metavar="FILE", help="Scheme file (see confide collect plan).")
    columns: tuple[str, ...] | None = setting(
        None, metavar="NAME,...", help="Take only these columns of the table: the scheme's."
    )
    max_length: int | None = setting(None, ge=1, help="Longest record there may be, where the scheme does not say it.")
    labels_from_data: bool = setting(
        False,
        help="Take items and longest record from IN if nobody declared them: the passport then makes them public.",
    )
    keep_order: bool = setting(False, help="Do not shuffle: row i of the release is then row i of IN.")
    seed: int | None = setting(None, ge=0, help="Repeatable draws, for experiments: they protect nobody.")

    def check_delivery(self, delivery: Any) -> None:
        if self.seed is not None and (delivery.report or delivery.owner_report or delivery.sign):
            raise UsageError("a seeded draw is not released: leave out report=, owner_report= and sign=, or seed=")


@dataclass(frozen=True, kw_only=True)
class CollectMine(EngineReading):
    """Find the itemsets, or rules, that hold in enough of the *true* records behind PERTURBED.

    PERTURBED is a file of perturbed records (baskets for a scheme over items, a table for one over fields) or a
    collector's store (FILE.duckdb, postgresql://...). Supports are estimates; each has its standard error and two
    intervals: low to high holds for a set named beforehand, selected_low to selected_high for what is shown because it
    was found. Of rules, the confidence has them. -o writes .parquet, .jsonl or .csv.
    """

    perturbed: Any = source(help="Perturbed records, or a collector's store.", metavar="PERTURBED")
    scheme: Any = setting(None, metavar="FILE", help="The scheme they were perturbed by; a store knows its own.")
    min_support: Support = setting(short="-s", help="Fewest true records: a count (5), a share (0.01) or 1%.")
    max_length: int | None = setting(None, ge=1, help="Only sets of at most this many items.")
    keep_near: float = setting(0.0, ge=0, metavar="Z", help="Keep sets Z standard errors below, too.")
    consistent: bool = setting(False, help="Let no set's estimate exceed that of a part of it.")
    population: bool = setting(
        False, help="Errors and intervals for the population the people were drawn from, not for these people."
    )
    confidence: Share = setting(0.95, ge=0, le=1, help="Of the intervals low to high.")
    min_confidence: Share | None = setting(None, option="rules", help="Give rules of at least this confidence.")
    top: int | None = setting(
        None, ge=1, help="Only the surest: the largest selected_low (of rules confidence_selected_low)."
    )
    record_length: int | None = setting(None, ge=1, help="Items in each true record (Cut-and-Paste without fields).")
    survey: Path | None = setting(
        None, metavar="SURVEY.toml", help="The survey, for the page: questions and answers in its words."
    )
    format: Literal["dat", "basket", "long", "jsonl", "parquet"] | None = setting(
        None, group=READING, help="Format of a file of transactions, where its name does not say it."
    )


@dataclass(frozen=True, kw_only=True)
class CollectPrivacy(FileReading):
    """Say how much the scheme in SCHEME protects: gamma, epsilon, posteriors, and with --data two averages.

    The first hold for everybody, whatever is known about them. The averages, basic and reinterrogation privacy, are
    over people and guarantee nothing.
    """

    scheme: Any = source(help="Scheme file (see confide collect plan).", metavar="SCHEME")
    priors: tuple[Share, ...] = setting(
        (), option="prior", repeat=True, help="Priors to bound the posterior of [1% 5% 10% 25% 50%]."
    )
    max_length: int | None = setting(None, ge=1, help="Items of the longest true record.")
    data: Any = setting(
        None, metavar="FILE", help="True records, for the averages that need them (an owner's simulation)."
    )
    min_support: Support | None = setting(None, help="With --data: itemsets the attacker knows, such as 1%.")
    columns: tuple[str, ...] | None = setting(
        None, metavar="NAME,...", help="Columns of a table, where it has more than the scheme's fields."
    )
    seed: int | None = setting(None, ge=0, help="Repeat the same simulation.")

    def check(self) -> None:
        super().check()
        if self.min_support is not None and self.data is None:
            raise UsageError("min_support goes with data: reinterrogation needs the true records")


GROUPS = {"collect": "Collect records that people perturb on their own devices, and mine them."}

JOBS = (
    Job(
        name="collect plan",
        request=CollectPlan,
        at="confide.collect.jobs.plan:plan",
        delivery=StudyFiles,
        stray="{}: say what the file is for: --sample {} to plan for records like these, or --describe {} to compare "
        "schemes for them",
        examples=(
            "confide collect plan --describe registry.csv --columns sex,income,diagnosis",
            "confide collect plan --scheme emask --avg-support 0.01 --records 1000000 --report plan.html",
            "confide collect plan --sample registry.csv --columns age,sex,income --bins age=35,55,75 -o planned.json",
            "confide collect plan --values sex=female,male --values smokes=no,yes --bins age=35,55 -o declared.json",
            "confide collect plan --values sex=female,male --values smokes=no,yes --bins age=35,55 --within 2,3",
            "confide collect plan --rho1 5% --rho2 50%",
        ),
    ),
    Job(
        name="collect perturb",
        request=CollectPerturb,
        at="confide.collect.jobs.perturb:perturb",
        delivery=ReleaseFiles,
        examples=(
            "confide collect perturb answers.csv --scheme answers.scheme.json -o noisy.csv",
            "confide collect perturb registry.csv --columns age,sex,income --scheme answers.scheme.json -o noisy.csv",
            "confide collect perturb baskets.csv --scheme baskets.scheme.json --max-length 30 -o a.dat --report a.html",
        ),
    ),
    Job(
        name="collect mine",
        request=CollectMine,
        at="confide.collect.jobs.mine:mine",
        delivery=AnswerAndPage,
        examples=(
            "confide collect mine received.csv --scheme answers.scheme.json --min-support 20% --table",
            "confide collect mine received.csv --scheme answers.scheme.json -s 5% --rules 0.4 -o rules.csv",
            "confide collect mine received.csv --scheme answers.scheme.json -s 20% --table --report results.html",
        ),
    ),
    Job(
        name="collect privacy",
        request=CollectPrivacy,
        at="confide.collect.jobs.privacy:privacy",
        delivery=DocumentOnly,
        examples=(
            "confide collect privacy baskets.scheme.json --data baskets.csv --min-support 2% --seed 1",
            "confide collect privacy answers.scheme.json --prior 0.05",
        ),
    ),
    Job(
        name="collect serve",
        request=CollectServe,
        at="confide.collect.jobs.serve:serve",
        delivery=CollectedFiles,
        live=True,
        remote=True,
        examples=("confide collect serve answers.scheme.json --store answers.duckdb --port 0",),
    ),
    Job(
        name="collect survey",
        request=CollectSurvey,
        at="confide.collect.jobs.serve:survey",
        delivery=DocumentOnly,
        remote=True,
        examples=("confide collect survey answers.duckdb --within 2,3",),
    ),
    Job(
        name="collect send",
        request=CollectSend,
        at="confide.collect.jobs.send:send",
        delivery=DocumentOnly,
        live=True,
        remote=True,
        examples=(
            "confide collect send answer.json --scheme answers.scheme.json --keep kept.json --dry-run",
            "confide collect send https://answers.example.org/ answer.json --keep kept.json",
        ),
    ),
)
