"""What `confide share` can be asked for: domains, train, anonymize, generate, learn."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import FileOnly, RowsOnly, TrialFiles
from confide.core.jobs.fields import setting, source
from confide.core.jobs.kinds import Kind
from confide.core.jobs.ledger_use import LedgerUse
from confide.core.jobs.records import FileReading
from confide.core.jobs.request import Request
from confide.core.jobs.table_promise import RequirementObject

if TYPE_CHECKING:
    from confide.core.requirements import Requirement

__all__ = [
    "GROUPS",
    "JOBS",
    "LearnedFiles",
    "ShareAnonymize",
    "ShareDomains",
    "ShareGenerate",
    "ShareLearn",
    "ShareTrain",
    "TreePromise",
]

_PROMISE = "What must hold"
_ABSENT = "Values that a path does not ask about."
_SEED = "Repeat a run."


class _Rows(Kind):
    """A number of rows (5000), or a multiple of the tree's records (10x, in Python 10.0)."""

    name = "rows"
    metavar = "ROWS"

    def parse(self, text: str) -> int | float:
        word = text.strip().lower()
        try:
            return float(word[:-1]) if word.endswith("x") else int(word)
        except ValueError:
            raise ValueError("is neither a number of rows (5000) nor a multiple (10x)") from None

    def check(self, value: Any) -> int | float:
        if isinstance(value, str):
            return self.parse(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("is neither a number of rows (5000) nor a multiple (10x)")
        return value

    def plain(self, value: int | float) -> int | str:
        return f"{value!r}x" if isinstance(value, float) else value


Rows = Annotated[int | float, _Rows()]


@dataclass(frozen=True, kw_only=True)
class TreePromise(Request):
    """What a published tree must keep: k, l, l with c, or k and one of these; in Python a `requirement` instead.

    >>> TreePromise(l=2, c=3, k=20).requirement_asked()
    AllOf(parts=(KAnonymity(k=20), RecursiveDiversity(c=3, l=2)))
    """

    k: int | None = setting(None, group=_PROMISE, help="k-anonymity: fewest records of a leaf.")
    l: int | None = setting(  # noqa: E741 - the paper's letter
        None, group=_PROMISE, help="Diversity: no class has more than 1/l of a leaf's records (without --c)."
    )
    c: float | None = setting(
        None, group=_PROMISE, help="With --l: recursive diversity; how far the commonest class may outweigh the rare."
    )
    requirement: Annotated[Any, RequirementObject()] = setting(
        None, in_python=True, help="The requirement as an object, in place of its numbers."
    )

    def check(self) -> None:
        super().check()
        self.requirement_asked()

    def check_delivery(self, delivery: Any) -> None:
        if delivery.output is None and not delivery.dry_run:
            raise UsageError(
                "say where the tree goes with output=, or dry_run to see what it would be like", parameter="output"
            )

    def requirement_asked(self) -> "Requirement":
        """The requirement that the settings name; k-anonymity and diversity are both kept."""
        from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity
        from confide.core.requirements.tables import TableRequirement, all_of

        if self.requirement is not None:
            for name in ("k", "l", "c"):
                if getattr(self, name) is not None:
                    what = "is part of the requirement; leave out one of them"
                    raise RequestError(name, getattr(self, name), what)
            return self.requirement
        if self.l is None and (self.k is None or self.c is not None):
            raise UsageError(
                "say what the tree promises: k=, or l=, or l= with c=, or k= with these", parameter="k", value=self.k
            )
        parts: list[TableRequirement] = [] if self.k is None else [KAnonymity(k=self.k)]
        if self.l is not None:
            diverse = SimpleDiversity(l=self.l) if self.c is None else RecursiveDiversity(c=self.c, l=self.l)
            parts.append(diverse)
        return all_of(*parts)


@dataclass(frozen=True, kw_only=True)
class ShareDomains(FileReading):
    """Draft the file that owners agree on before they learn: classes, categories, bins of numbers.

    The draft shows values of IN. Replace by public knowledge what is not known to everybody, above all the bounds of
    numbers, before you hand it to the other owners.
    """

    table: Any = source(help="The table: .csv, .parquet or .xlsx.")
    target: str = setting(option="class", metavar="COLUMN", help="The column that trees predict.")
    leave_out: tuple[str, ...] = setting(
        (), repeat=True, metavar="COLUMN", help="A column no tree may use. Once for each."
    )


@dataclass(frozen=True, kw_only=True)
class ShareTrain(TreePromise, FileReading, LedgerUse):
    """Learn a decision tree from IN that may be published: every leaf keeps the promise.

    Nothing in the tree comes from a single record: classes, categories and cuts are those of --domains. Exit status 1
    when even all records in one leaf do not keep the promise, with the largest k or l that works.
    """

    table: Any = source(help="The table: .csv, .parquet or .xlsx.")
    domains: Any = setting(metavar="FILE", help="What owners agreed on: see confide share domains.")
    method: Literal["merging", "ldm", "atp"] = setting("merging", help="merging is ours; the others are the paper's.")
    marginals: bool = setting(True, help="Publish no counts of single attributes with the tree.")
    max_depth: int | None = setting(None, ge=1, help="Levels below the root [no limit].")
    person: str | None = setting(
        None,
        group="Several releases about the same people",
        metavar="COLUMN",
        help="With a ledger: the column that says whose row it is, one row each.",
    )

    def check(self) -> None:
        super().check()
        if self.person is not None and self.used_ledger is None:
            raise RequestError("person", self.person, "goes with ledger= or after=")


@dataclass(frozen=True, kw_only=True)
class ShareAnonymize(TreePromise):
    """Prune TREE (JSON, as confide share train or DecisionTree.to_json write it) until every leaf keeps the promise.

    TREE may also be a set of disjoint rules (JSON, as RuleSet.to_json writes it): rules are merged until each keeps it.
    Rules that overlap are refused.
    """

    tree: Any = source(help="A tree or a set of rules, as JSON.", metavar="TREE")
    mode: Literal["exact", "estimated", "sound"] = setting(
        "exact", help="exact needs class counts; the others are for trees that give hit and miss only."
    )
    schema: Any = setting(None, metavar="FILE", help="Roles of the attributes: a split on a sensitive one is refused.")
    allow_sensitive: tuple[str, ...] = setting(
        (), repeat=True, metavar="NAME", help="... unless it is named here. Once for each."
    )


@dataclass(frozen=True, kw_only=True)
class ShareGenerate(Request):
    """Make rows that TREE could have been learned from, for learning other models.

    Pseudo-data carries no guarantee of its own. Publish the tree, not the rows.
    """

    tree: Any = source(help="A published tree, as JSON.", metavar="TREE")
    rows: Rows | None = setting(None, help="How many, or a multiple such as 10x [the tree's own number].")
    class_column: str = setting("class", metavar="NAME", help="The name of the class column.")
    numbers: Literal["uniform", "middle", "end"] = setting("uniform", help="Where in its interval a number lies.")
    absent: Literal["marginals", "uniform"] = setting("marginals", help=_ABSENT)
    baseline: bool = setting(False, help="Random rows labelled by the tree instead (the paper's BASEGEN).")
    seed: int | None = setting(None, ge=0, help=_SEED)

    def check(self) -> None:
        super().check()
        if self.baseline and (isinstance(self.rows, float) or (self.numbers, self.absent) != ("uniform", "marginals")):
            raise UsageError(
                "baseline= takes a number of rows, not a multiple, and neither absent= nor numbers=",
                parameter="baseline",
                value=True,
            )


@dataclass(frozen=True, kw_only=True)
class ShareLearn(FileReading):
    """Learn one model from the published trees of several owners, and try or use it.

    With --test, says how often the model is right, beside all trees voting, each tree alone and guessing the commonest
    class. With --predict, classifies records.
    """

    trees: tuple[Any, ...] = source(help="Published trees, as JSON.", metavar="TREE")
    model: Literal["tree", "naive-bayes", "conjunctive-rule"] = setting("tree", help="What is learned.")
    rows: Rows | None = setting(None, help="Pseudo-records, or a multiple such as 5x [5x if voted, else 1x].")
    labels: Literal["voted", "own"] = setting(
        "voted", help="Classes of pseudo-records: by all trees, or by their own (the paper's PGEN)."
    )
    absent: Literal["marginals", "uniform"] = setting("marginals", help=_ABSENT)
    test: Any = setting(None, metavar="FILE", help="Records with known classes to try the model on.")
    target: str | None = setting(None, option="class", metavar="COLUMN", help="Their class column.")
    predict: Any = setting(None, metavar="FILE", help="Records to classify.")
    seed: int | None = setting(None, ge=0, help=_SEED)

    def check(self) -> None:
        super().check()
        if (self.test is None) != (self.target is None):
            raise UsageError("test= and target= go together: records, and the column of their class", parameter="test")

    def check_delivery(self, delivery: Any) -> None:
        if self.test is None and self.predict is None and delivery.tree is None:
            raise UsageError("say what the model is for: test=, predict= or tree=", parameter="test")
        if (self.predict is None) != (delivery.output is None):
            raise UsageError("predict= and output= go together", parameter="predict")
        if delivery.tree is not None and self.model != "tree":
            raise RequestError("model", self.model, "cannot be written with tree=; only {} can", cure="tree")


@dataclass(frozen=True, kw_only=True)
class LearnedFiles(RowsOnly):
    """Predictions go to a file, the model to another, and how often it is right to standard output."""

    SHOWN_ANYWAY: ClassVar[bool] = True
    output: Path | None = setting(
        None, short="-o", metavar="FILE", help="Where classified records go, with their class (.csv, .parquet)."
    )
    tree: Path | None = setting(
        None, metavar="FILE", help="Write the model here as a tree (JSON).", when={"model": "tree"}
    )
    replace: bool = setting(False, help="Overwrite files that exist.")

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return self.output, self.tree


GROUPS = {"share": "Publish decision trees instead of records, and learn one model from several owners' trees."}

_LEARN = "confide share learn north.json south.json"

JOBS = (
    Job(
        name="share domains",
        request=ShareDomains,
        at="confide.share.jobs.publishing:draft_domains",
        delivery=FileOnly,
        examples=("confide share domains patients.csv --class diagnosis -o draft.toml",),
    ),
    Job(
        name="share train",
        request=ShareTrain,
        at="confide.share.jobs.publishing:train",
        delivery=TrialFiles,
        examples=("confide share train patients.csv --domains domains.toml --l 2 -o west.json --report west.html",),
    ),
    Job(
        name="share anonymize",
        request=ShareAnonymize,
        at="confide.share.jobs.publishing:anonymize",
        delivery=TrialFiles,
        examples=("confide share anonymize learned.json --k 20 -o published.json",),
    ),
    Job(
        name="share generate",
        request=ShareGenerate,
        at="confide.share.jobs.learning:generate_table",
        delivery=FileOnly,
        examples=("confide share generate north.json -o pseudo.csv --rows 5000",),
    ),
    Job(
        name="share learn",
        request=ShareLearn,
        at="confide.share.jobs.learning:learn",
        delivery=LearnedFiles,
        examples=(
            f"{_LEARN} --test held-out.csv --class diagnosis --table",
            f"{_LEARN} --rows 5x --predict new.csv -o predicted.csv",
        ),
    ),
)
