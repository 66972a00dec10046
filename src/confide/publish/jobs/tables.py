"""What `publish table` and `publish schema` ask for; `publish/tables` runs them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from confide.core.errors import ConfideError, RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import RowsOnly, TableFiles, TrialFiles
from confide.core.jobs.fields import setting, source
from confide.core.jobs.kinds import Share
from confide.core.jobs.ledger_use import LedgerUse
from confide.core.jobs.records import EngineReading, FileReading
from confide.publish.jobs.loss_names import LossName
from confide.publish.jobs.population_promise import PopulationPromise

if TYPE_CHECKING:
    from confide.core.tables.reading import Reading

__all__ = [
    "GROUPS",
    "JOBS",
    "PublishApply",
    "PublishSchema",
    "PublishTable",
    "PublishUtility",
    "PublishedTableFiles",
    "SchemaFolder",
]

Method = Literal[
    "auto",
    "mondrian",
    "mondrian-relaxed",
    "one-dimensional",
    "incognito",
    "incognito-local",
    "k-optimize",
    "top-down",
    "blank",
    "microaggregation",
]
_GLOBAL = ("incognito", "k-optimize", "top-down")


@dataclass(frozen=True, kw_only=True)
class PublishTable(PopulationPromise, EngineReading, LedgerUse):
    """Make the values of IN coarser until every group of rows that look alike keeps what is asked: --k, --l, --t and so
    on; several are all kept.

    IN is CSV or Parquet, or a folder of Parquet files. What does not fit into memory is read in passes, by incognito,
    k-optimize or top-down, and released as a folder of parts.

    The loss goes to stdout as JSON. Exit status 1 when it cannot be done, with the nearest setting that can. With
    --explore, numbers may be several with commas between (--k 5,10,20), and --report draws them.
    """

    SEVERAL: ClassVar[str] = "several go with explore="
    table: Any = source(help="The table: .csv, .parquet, .xlsx, or a folder of Parquet files.")
    schema: Any = setting(metavar="FILE", help="TOML file: role and hierarchy of each column.")
    method: Method = setting(
        "auto",
        help="auto tries those that take the requirement, searches on from the best, and says what lost least; of what "
        "is not in memory, incognito.",
    )
    time_limit: float | None = setting(
        None,
        ge=0,
        unit="seconds",
        when={"method": ("auto", "incognito")},
        help="Seconds that auto searches for less loss (3 if not given, 0 for none), or incognito for the best "
        "generalisation (60); Ctrl-C keeps the best so far.",
    )
    rounds: int | None = setting(
        None,
        ge=0,
        when={"method": "auto"},
        help="Search in exactly so many rounds, as the passport tells them, however long it takes.",
    )
    loss: LossName | None = setting(None, help="What to keep small, where the method has a choice.")
    suppress: Share = setting(0.0, help="Share of rows that may be left out (2%).")
    missing: Literal["refuse", "drop", "category"] = setting(
        "refuse", help="What becomes of rows with missing quasi-identifiers."
    )
    pseudonyms: Any = setting(
        None, metavar="FILE", help="Keep identifiers as pseudonyms made with the key in this file."
    )
    shift_key: Any = setting(
        None, metavar="FILE", help="Shift dates by person with the key in this file (shift = 180 in the schema)."
    )
    keep_order: bool = setting(False, help="Leave the rows in the order of IN; the passport warns of it.")
    carry: Share = setting(
        0.03,
        group="Several releases about the same people",
        help="With --after: share of rows that may be shown again from the last release for people who left (3%).",
    )
    explore: bool = setting(False, help="Price every method under every combination of --k, --l ...")

    def check(self) -> None:
        super().check()
        if not self.requirements_asked() and not self._schema_requires():
            raise UsageError("say what must hold: k= for example, l= or t=", parameter="k", value=self.k)
        if self.time_limit is not None and (self.method not in ("auto", "incognito") or self.explore):
            raise RequestError("time_limit", self.time_limit, "bounds the search of method='auto' or 'incognito' only")
        if self.rounds is not None and (self.method != "auto" or self.explore):
            raise RequestError("rounds", self.rounds, "bounds the search of method='auto' only")
        if self.time_limit is not None and self.rounds is not None:
            raise RequestError("rounds", self.rounds, "says how long to search, and so does time_limit=; give one")

    def _schema_requires(self) -> bool:
        """Whether the schema asks something of a column itself."""
        from confide.core.tables.schema import schema_of

        try:
            columns = schema_of(self.schema).columns.values()
        except (ConfideError, TypeError):
            return False  # said when the schema is read
        return any(column.require for column in columns)

    def check_delivery(self, delivery: Any) -> None:
        if self.explore:
            for name in ("ledger", "after"):
                if getattr(self, name) is not None:
                    raise RequestError(name, getattr(self, name), "goes with a release, and explore= releases nothing")
            for name in ("output", "dry_run", "sign", "mapping", "owner_report"):
                if getattr(delivery, name):
                    raise RequestError(
                        name, getattr(delivery, name), "goes with a release, and explore= releases nothing"
                    )
            return
        self.requirement_asked()
        if delivery.mapping is not None and self.method not in _GLOBAL:
            raise RequestError(
                "mapping",
                delivery.mapping,
                f"needs a method that recodes equal values alike: method= one of {', '.join(_GLOBAL)}",
            )
        if delivery.lattice is not None:
            raise RequestError("lattice", delivery.lattice, "goes with explore=")
        if delivery.output is None and not delivery.dry_run:
            raise UsageError(
                "say where the release goes with output=, or dry_run to see what it would lose", parameter="output"
            )

    def options(self, reading: "Reading") -> dict[str, Any]:
        """What every algorithm takes, but for the requirement; the population is read as `reading` says."""
        given: dict[str, Any] = {
            "suppress": self.suppress,
            "missing": self.missing,
            "keep_order": self.keep_order,
            "pseudonyms": self._key(self.pseudonyms),
            "shift_key": self._key(self.shift_key),
            "population": self.read_people(reading),
        }
        return given if self.loss is None else given | {"loss": self.loss}

    def search_options(self) -> dict[str, Any]:
        """How long the method searches, where that is said."""
        given = {"time_limit": self.time_limit, "rounds": self.rounds}
        return {name: value for name, value in given.items() if value is not None}

    @staticmethod
    def _key(given: Any) -> bytes | None:
        """A key, as it stands in its file."""
        from confide.core.files import read_bytes

        return bytes(read_bytes(given)) if isinstance(given, Path) else given


@dataclass(frozen=True, kw_only=True)
class PublishedTableFiles(TrialFiles):
    """A released table; what each value became; and, of an exploration, every generalisation."""

    mapping: Path | None = setting(
        None, metavar="FILE", help="Write what each value becomes here (methods that recode globally)."
    )
    lattice: Path | None = setting(
        None, metavar="FILE", help="With --explore: write every generalisation with its loss here (incognito)."
    )

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (*super().targets, self.mapping, self.lattice)


@dataclass(frozen=True, kw_only=True)
class PublishSchema(FileReading):
    """Propose a schema for the table IN: what each column is, and how its values could be made coarser.

    It goes by names, types and numbers of values, and says why. Check every role before you publish: a column that
    others know and that is not called a quasi-identifier protects nobody.
    """

    table: Any = source(help="The table: .csv, .parquet or .xlsx.")
    hierarchies: Path | None = setting(
        None, metavar="DIR", help="Folder of ARX hierarchies: COLUMN.csv or TABLE_hierarchy_COLUMN.csv."
    )

    def check_delivery(self, delivery: Any) -> None:
        folder = delivery.output
        if folder is not None and folder.suffix.lower() in _FILES and not folder.is_dir():
            raise RequestError(
                "output",
                folder,
                "is named like a file, but schema.toml and the hierarchies beside it need a folder; use {}",
                cure=folder.with_suffix(""),
            )


_FILES = (".toml", ".json", ".csv", ".tsv", ".txt", ".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class SchemaFolder(RowsOnly):
    """A proposal goes to a folder, and to standard output."""

    SHOWN_ANYWAY: ClassVar[bool] = True
    output: Path | None = setting(
        None,
        short="-o",
        metavar="DIR",
        help="Folder for schema.toml and the hierarchies beside it [none: only look].",
    )
    replace: bool = setting(False, help="Overwrite files that exist.")


@dataclass(frozen=True, kw_only=True)
class PublishUtility(FileReading):
    """Compare a release with the table IN that it was made from: what somebody who works with it still finds.

    Distributions, associations and correlations of columns, coefficients of a regression, the accuracy of classifiers
    and the error of count queries, each beside that of IN. The figures are for the owner: they say what is in IN.
    """

    table: Any = source(help="The table: .csv, .parquet or .xlsx.")
    release: Any = setting(metavar="FILE", help="What was released of it.")
    schema: Any = setting(metavar="FILE", help="The schema that it was released by.")
    target: str | None = setting(
        None,
        metavar="COLUMN",
        help="What regression and classifiers predict [the column with the role class, or the first sensitive one].",
    )


@dataclass(frozen=True, kw_only=True)
class PublishApply(FileReading):
    """Recode the rows of IN as published ones were, by the MAPPING that confide publish table --mapping wrote.

    Identifiers and persons are left out. The result promises nothing: nobody counted how many of these rows look alike.
    A value that the mapping does not know is refused.
    """

    mapping: Path = source(help="What each value becomes, as publish table --mapping wrote it.", metavar="MAPPING")
    table: Any = source(help="Further rows with the same columns: .csv, .parquet or .xlsx.")


GROUPS = {"publish": "Publish data about people under a promise that others can check."}

_SCHEMA = "--schema registry.schema.toml"

JOBS = (
    Job(
        name="publish table",
        request=PublishTable,
        at="confide.publish.tables.table_publication:run",
        delivery=PublishedTableFiles,
        examples=(
            f"confide publish table registry.csv {_SCHEMA} --explore --k 5,10 --table",
            f"confide publish table registry.csv -o out.csv {_SCHEMA} --k 5 --diversity distinct --l 2",
        ),
    ),
    Job(
        name="publish schema",
        request=PublishSchema,
        at="confide.publish.tables.proposal.proposal:run",
        delivery=SchemaFolder,
        examples=("confide publish schema registry.csv -o proposed --table",),
    ),
    Job(
        name="publish apply",
        request=PublishApply,
        at="confide.publish.tables.mapping:run",
        delivery=TableFiles,
        examples=("confide publish apply recoding.json later.csv -o recoded.csv",),
    ),
    Job(
        name="publish utility",
        request=PublishUtility,
        at="confide.publish.tables.loss.utility:run",
        delivery=RowsOnly,
        examples=(f"confide publish utility registry.csv --release released.csv {_SCHEMA} --table",),
    ),
)
