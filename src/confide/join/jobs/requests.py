"""What a person can ask of `join`.

`JoinCheck` and `JoinTree` are what comes of two of these, so the names of those two end in Request.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import (
    DocumentFile,
    DocumentOnly,
    DocumentOrTables,
    PublicFiles,
    RowsOnly,
    TableFiles,
)
from confide.core.jobs.fields import setting, source
from confide.core.jobs.records import FileReading
from confide.core.jobs.request import Request

__all__ = [
    "GROUPS",
    "JOBS",
    "JoinCheckRequest",
    "JoinEvaluate",
    "JoinIntersect",
    "JoinKeys",
    "JoinPredict",
    "JoinSimulate",
    "JoinSite",
    "JoinTrain",
    "JoinTreeRequest",
    "TreeFiles",
    "SimulationFiles",
    "TableFilesSource",
]

_RUN = "join.toml of the run that made the tree."
_TREE = "The tree that join train wrote."
_TAKE_OVER = "End another run that the sites are busy with."


@dataclass(frozen=True, kw_only=True)
class TableFilesSource(FileReading):
    """A job over tables in files that one person may see."""

    sources: dict[str, Path] | None = setting(
        None, option="source", metavar="NAME=FILE", help="A table: CSV or Parquet. Once for each."
    )
    joins: tuple[str, ...] = setting(
        (),
        option="join",
        repeat=True,
        metavar="A.x=B.y",
        help="Columns that join; several with commas between them.",
    )
    target: str | None = setting(None, metavar="A.class", help="The class column.")
    types: dict[str, Literal["text", "integer", "number", "date"]] | None = setting(
        None,
        option="type",
        metavar="A.x=TYPE",
        help="The type of a CSV column, if its cells mislead: text, integer, number or date.",
    )

    def pairs(self) -> list[tuple[list[str], list[str]]]:
        """The columns that join, as `JoinGraph` takes them."""
        pairs = []
        for text in self.joins:
            left, equals, right = text.partition("=")
            if not (left and equals and right):
                raise RequestError("joins", text, "is not of the form A.x=B.y")
            pairs.append((left.split(","), right.split(",")))
        return pairs

    def check_tables(self) -> None:
        """Refuse tables without a class column, and pairs of columns that are none."""
        if self.target is None:
            raise UsageError("name the class column: target='TABLE.COLUMN'", parameter="target", value=self.target)
        self.pairs()


@dataclass(frozen=True, kw_only=True)
class JoinCheckRequest(TableFilesSource):
    """Look at tables and joins: types, shared values, dangling records, how large the join is, who could tell what.

    For someone who may see all tables, or for a trial: nothing is joined, and nothing leaves this machine. Name the
    tables by --source, --join and --target, or give the JOIN.TOML of a run if you have all its sites' configurations.
    It counts whose class, or side of a hidden split, the owner of each table could tell for certain from a neighbour's
    summaries. Exits with 2 when no tree could be grown, with 1 when that count is above what JOIN.TOML's sites allow.
    """

    config: Path | None = source(None, metavar="JOIN.TOML", help="The file of a run, with all its sites' files.")

    def check(self) -> None:
        super().check()
        if (self.config is None) == (not self.sources):
            raise UsageError("give either JOIN.TOML, or sources, joins and target")
        if self.config is None:
            self.check_tables()


@dataclass(frozen=True, kw_only=True)
class JoinTreeRequest(TableFilesSource):
    """Grow a decision tree over tables in files, without joining them; prints it as JSON.

    For someone who may see all tables: the tree names columns and values, and nothing is hidden. To let several
    organisations grow a tree without showing their tables, see confide join train.
    """

    criterion: Literal["information_gain", "gain_ratio", "gini"] = setting(
        "information_gain", help="What makes a split good."
    )
    min_leaf: int = setting(1, ge=1, help="Fewest joined records in a leaf.")
    min_branch: int = setting(2, ge=1, help="Two branches of a split have at least so many.")
    max_depth: int | None = setting(None, ge=1, help="Levels below the root; default: no limit.")
    confidence: float = setting(0.25, ge=0, help="Smaller prunes more, below 1; 0 does not prune.")
    exclude: tuple[str, ...] = setting((), repeat=True, metavar="A.x", help="A column not to split on. Once for each.")
    categorical: tuple[str, ...] = setting(
        (), repeat=True, metavar="A.x", help="A column of numbers that are only labels."
    )
    prune_on: Literal["rows", "targets"] = setting(
        "rows", help="What pruning counts: joined records, or records of the target."
    )

    def check(self) -> None:
        super().check()
        if self.confidence >= 1:
            raise RequestError("confidence", self.confidence, "is too large; use a number below 1")
        self.check_tables()


@dataclass(frozen=True, kw_only=True)
class JoinKeys(Request):
    """Make a certificate authority and a certificate for every party, in DIR.

    Each party gets ca.pem, its NAME.pem and its NAME.key, and nobody else's key. The authority's own key is not kept.
    For real use let your own authority sign certificates whose first subject alternative name is the party's name.
    It must sign only names that it has checked: a party is recognised by the name in its certificate.
    """

    folder: Path = source(metavar="DIR", help="Where the files go.")
    sites: tuple[str, ...] = setting(option="site", repeat=True, metavar="NAME", help="A site; say it for each.")
    coordinator: str | None = setting(None, metavar="NAME", help="The coordinator, if it is not one of the sites.")
    addresses: tuple[str, ...] = setting(
        (), option="address", repeat=True, metavar="HOST", help="A host or IP the certificates are good for."
    )
    days: int = setting(30, ge=1, le=3650, unit="days", help="How long they last.")


@dataclass(frozen=True, kw_only=True)
class JoinSite(Request):
    """Serve one private table until interrupted, by Arrow Flight over mutual TLS.

    The table stays here. Neighbours get counts by join values that both have; the coordinator gets class counts and
    scores. How this site splits a node is kept in its state folder; --show-splits prints it.
    """

    config: Path = setting(metavar="FILE", help="site.toml of this site.")
    check_only: bool = setting(
        False, option="check", help="Load the table and certificates, say what would be served, and exit."
    )
    show_splits: bool = setting(False, help="Print this site's own part of the last tree, and exit.")
    ledger: bool = setting(False, help="Print every message this site sent or received, and exit.")


@dataclass(frozen=True, kw_only=True)
class _Hosting(Request):
    with_sites: tuple[Path, ...] = setting(
        (),
        option="with-site",
        repeat=True,
        metavar="FILE",
        help="Also serve this site.toml, here, meanwhile. Once for each.",
    )


@dataclass(frozen=True, kw_only=True)
class JoinTrain(_Hosting):
    """Grow one decision tree over the tables of several sites.

    The tree says who splits a node, never how. The ledger in it lists what crossed between whom. Exit status 3 when a
    site does not answer, 1 when a site's policy forbids the run.
    """

    config: Path = setting(metavar="FILE", help="join.toml of this run.")
    resume: bool = setting(False, help="Continue the run in the state folder after its last finished level.")
    take_over: bool = setting(False, help=_TAKE_OVER)
    check_only: bool = setting(
        False, option="check", help="Read the configuration and certificates, ask nobody, and exit."
    )

    def check_delivery(self, delivery: Any) -> None:
        if delivery.output is None and not self.check_only:
            raise UsageError("the tree needs a file to go to; give output=FILE", parameter="output")
        if delivery.output is not None and self.check_only:
            raise UsageError("a check grows no tree; leave output away, or the check")


@dataclass(frozen=True, kw_only=True)
class TreeFiles(PublicFiles):
    """The tree of a run goes to a file; a check of the configuration needs none."""

    OUTPUT_NEEDED: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True)
class JoinSimulate(Request):
    """Run the whole protocol with all sites in this process, and print who learned what.

    Sites and coordinator exchange the same messages as in a real run, so this shows beforehand what each party would
    learn, and how much. Every site's configuration must be named in JOIN.TOML.
    """

    config: Path = source(metavar="JOIN.TOML", help="The file of the run.")


@dataclass(frozen=True, kw_only=True)
class SimulationFiles(RowsOnly, PublicFiles):
    """Who learned what goes to standard output; the tree to a file, if one is named."""

    OUTPUT_NEEDED: ClassVar[bool] = False
    SHOWN_ANYWAY: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class JoinPredict(_Hosting):
    """Classify the records of IDS.CSV, which has a column of ids for each site, named like the site.

    Prints the same lines as CSV, with two columns more: class, and sure, the share of joined records in training that
    were of this class where the record ends. Each site is sent ids of its own records and answers which way they go
    at its own nodes. Nothing else crosses.
    """

    ids: Path = source(metavar="IDS.CSV", help="A column of ids for each site.")
    config: Path = setting(metavar="FILE", help=_RUN)
    tree: Path = setting(metavar="FILE", help=_TREE)
    by: Literal["auto", "id", "row"] = setting(
        "auto", help="What cells are: values of the site's id column, or row numbers from 0. auto: ids where there are."
    )
    skip_unknown: bool = setting(False, help="Leave records that a site does not know without a class.")


@dataclass(frozen=True, kw_only=True)
class JoinEvaluate(_Hosting):
    """Say how a tree classes records it was not grown from: those of the [held_out] section of every site.

    Each record of the target counts once, with the class that most of its joined records get. The coordinator learns
    how many records of each class the tree puts in which, and nothing of any record. To the sites this is one run more.
    """

    config: Path = setting(metavar="FILE", help=_RUN)
    tree: Path = setting(metavar="FILE", help=_TREE)
    take_over: bool = setting(False, help=_TAKE_OVER)


@dataclass(frozen=True, kw_only=True)
class JoinIntersect(_Hosting):
    """Find the join values a site shares with a neighbour, or how many; outside any run, and without a coordinator.

    Neither learns the other's remaining values. Both learn how many different values each has. The shared values go to
    the file of -o, and at the neighbour to its state folder. Both policies must allow it: intersections = "size" or
    "values" (exit status 1 if one does not, 3 if the neighbour does not answer).
    """

    config: Path = setting(metavar="FILE", help="site.toml of the asking site.")
    neighbour: str = setting(option="with", metavar="NAME", help="The neighbour to ask; it must be serving.")
    size_only: bool = setting(False, help="Learn how many values both have, and not which.")

    def check_delivery(self, delivery: Any) -> None:
        from confide.core.tables.frames import format_of

        if self.size_only == (delivery.output is not None):
            raise UsageError(
                "say where the shared values go, output=FILE, or ask for their number alone, size_only=True"
            )
        if delivery.output is not None:
            format_of(delivery.output)


GROUPS = {"join": "Train one decision tree for organisations that may not pool their tables."}

_TABLES = "--source a=registry.csv --source b=registry.csv --join a.occupation=b.occupation --target a.income"
_SERVED = "--with-site T1.toml --with-site T2.toml"
_HERE = "confide.join.jobs"

JOBS: tuple[Job[Any], ...] = (
    Job(
        name="join check",
        request=JoinCheckRequest,
        at=f"{_HERE}.table_files:look_at_tables",
        delivery=DocumentOrTables,
        examples=("confide join check join.toml", f"confide join check {_TABLES}"),
    ),
    Job(
        name="join tree",
        request=JoinTreeRequest,
        at=f"{_HERE}.table_files:grow_tree",
        delivery=DocumentFile,
        examples=(f"confide join tree {_TABLES}",),
    ),
    Job(
        name="join keys",
        request=JoinKeys,
        at=f"{_HERE}.owners:make_keys",
        delivery=DocumentOnly,
        examples=("confide join keys keys --site hospital --site insurer --coordinator registry",),
        live=True,
    ),
    Job(
        name="join site",
        request=JoinSite,
        at=f"{_HERE}.owners:serve_site",
        delivery=RowsOnly,
        examples=("confide join site --config T2.toml --check", "confide join site --config T2.toml"),
        live=True,
        remote=True,
    ),
    Job(
        name="join train",
        request=JoinTrain,
        at=f"{_HERE}.training:run_train",
        delivery=TreeFiles,
        examples=(
            "confide join train --config join.toml --check",
            f"confide join train --config join.toml {_SERVED} -o tree.json --report join.html",
        ),
        live=True,
        remote=True,
    ),
    Job(
        name="join predict",
        request=JoinPredict,
        at=f"{_HERE}.predicted_classes:run_predict",
        delivery=TableFiles,
        examples=(f"confide join predict ids.csv --config join.toml --tree chain-tree.json {_SERVED}",),
        live=True,
        remote=True,
    ),
    Job(
        name="join evaluate",
        request=JoinEvaluate,
        at=f"{_HERE}.training:run_evaluate",
        delivery=RowsOnly,
        examples=(
            f"confide join evaluate --config join.toml --tree chain-tree.json {_SERVED}",
            f"confide join evaluate --config join.toml --tree chain-tree.json {_SERVED} --table",
        ),
        live=True,
        remote=True,
    ),
    Job(
        name="join intersect",
        request=JoinIntersect,
        at=f"{_HERE}.owners:run_intersect",
        delivery=DocumentFile,
        examples=(
            "confide join intersect --config T1.toml --with T2 --with-site T2.toml --size-only",
            "confide join intersect --config T1.toml --with T2 --with-site T2.toml -o shared.csv",
        ),
        live=True,
        remote=True,
    ),
    Job(
        name="join simulate",
        request=JoinSimulate,
        at=f"{_HERE}.training:run_simulate",
        delivery=SimulationFiles,
        examples=(
            "confide join simulate join.toml --table",
            "confide join simulate join.toml -o tree.json --report join.html",
        ),
    ),
)
