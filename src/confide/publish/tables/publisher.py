"""What every algorithm for tables shares: take a frame in, let the algorithm decide, hand a verified release out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import floor
from os import PathLike
from typing import Any, ClassVar

from confide.core.datasets.intake import as_rows
from confide.core.datasets.loading import is_loaded
from confide.core.errors import CannotMeetError, UsageError
from confide.core.release import Release
from confide.core.requirements import Requirement
from confide.core.requirements.base import exact, is_number
from confide.core.requirements.tables import TableRequirement
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.tables.schema import SchemaLike, schema_of
from confide.publish.jobs.loss_names import LOSSES, LossName
from confide.publish.tables.coding import CodedTable, Missing, QuasiIdentifier
from confide.publish.tables.group_tests.rules import counted_by
from confide.publish.tables.loss.loss_measures import check_loss
from confide.publish.tables.mapping import GlobalMapping
from confide.publish.tables.recoding import Recoding

__all__ = ["TablePublisher"]


@dataclass(kw_only=True)
class TablePublisher(ABC):
    """An algorithm that makes a table keep a requirement.

    `requirement`: what must hold of every group of rows that look alike; several are joined with `&`. `loss`: what is
    kept small. `suppress`: the share of rows that may be left out, 0 to 1; more leave the others finer. `missing`: what
    becomes of missing quasi-identifiers ("refuse", "drop" the row, or a "category" of its own). Rows are shuffled,
    since their order could link them to people; `keep_order` leaves it, and the passport says so. Identifiers are
    dropped; with `pseudonyms`, a secret key of 16 bytes or more, each value becomes a keyed pseudonym instead. Where
    the requirement counts people of a `population`, that is a table with a row for each of them, or the path of one.
    `shift_key` is the secret key by which the schema's shifted dates move.
    """

    algorithm: ClassVar[str]
    losses: ClassVar[tuple[str, ...]] = LOSSES
    begins_at_coarsest: ClassVar[bool] = False
    """Whether it gives up where the coarsest groups fail, although finer ones might pass."""

    requirement: Requirement
    loss: LossName = "ncp"
    suppress: float = 0.0
    missing: Missing = "refuse"
    keep_order: bool = False
    pseudonyms: bytes | None = None
    population: Any = None
    shift_key: bytes | None = None

    def coarsest_suffices(self, passing: int, rows: int) -> bool:
        """Whether it finds a release where `passing` of `rows` are in coarsest groups that pass; the rest may go."""
        return True

    def counts(self, part: TableRequirement) -> bool:
        """Whether it takes a requirement that counts people of the population, or their weights."""
        return False

    @property
    def is_global(self) -> bool:
        """Whether equal values become equal everywhere, so that the table need not be in memory."""
        return False

    @abstractmethod
    def recode(self, table: CodedTable) -> Recoding:
        """Decide what every value becomes and which rows are left out. Raises CannotMeetError where nothing works."""

    def recode_with_numbers(self, table: CodedTable) -> Recoding:
        """As `recode`, with numbers in the columns that are released as numbers."""
        return self.with_numbers(self.recode(table))

    def with_numbers(self, recoding: Recoding) -> Recoding:
        """The recoding with numbers in the columns that are released as numbers."""
        from confide.publish.tables.averaging.group_numbers import settle_numbers

        return settle_numbers(recoding, self.requirement)

    def recode_or_propose(self, table: CodedTable) -> Recoding:
        """As `recode`; a refusal names what fails, and settings that were tried and work."""
        from confide.publish.tables.refusals.cures import explain_refusal

        try:
            recoding = self.recode_with_numbers(table)
            self.check_recoded(recoding)
        except CannotMeetError as error:
            raise explain_refusal(error, self, table) from None
        return recoding

    def would_release(self, table: CodedTable) -> bool:
        """Whether `recode` would find a release. Otherwise False or an error; False too where it takes long to know."""
        self.check_recoded(self.recode_with_numbers(table))
        return True

    def keeps_groups(self, table: CodedTable) -> bool:
        """Whether groups that it makes surely stay apart in the release, so that what passes cannot fail together."""
        return False

    def kept_apart(self, table: CodedTable) -> Sequence[QuasiIdentifier]:
        """The columns whose highest levels keep groups apart, whatever `recode` decides."""
        return table.quasi

    @answers_ctrl_c
    def publish(
        self,
        frame: Any,
        schema: SchemaLike,
        *,
        explain: bool = True,
        verify: bool = True,
        into: str | PathLike[str] | None = None,
    ) -> Release[Any]:
        """Make the table keep the requirement; returns a release that was verified, in the frame's own type.

        `frame` is a pandas, polars or Arrow frame, the path of a file or of a folder of Parquet files, or a Spark
        DataFrame. `schema` is a `Schema`, what `Schema.from_dict` takes, or a TOML file. `explain=False` leaves out the
        owner's part, `verify=False` (benchmarks) the check. A table that is not in memory (a `StoredTable`, Spark's, or
        files that do not fit) is released as Parquet parts in the folder `into`, by `release.write(into)`; methods that
        recode equal values alike can do that.
        """
        self.check()
        frame = as_rows(frame)
        if not is_loaded(frame):
            from confide.publish.tables.stored.stored_release import publish_stored

            how: dict[str, Any] = {"into": into, "explain": explain, "verify": verify}
            return publish_stored(self, frame, schema_of(schema), **how)
        table = self.code(frame, schema)
        return self.publish_recoded(self.recode_or_propose(table), frame, explain=explain, verify=verify)

    def code(self, frame: Any, schema: SchemaLike) -> CodedTable:
        """A frame in memory as integers, with the population."""
        return CodedTable.of(frame, schema_of(schema), missing=self.missing, population=self.population)

    def publish_recoded(
        self, recoding: Recoding, frame: Any, *, explain: bool = True, verify: bool = True
    ) -> Release[Any]:
        """Release what `recode` decided for the table of this frame."""
        from confide.publish.tables.table_release import issue

        recoding = self.with_numbers(recoding)
        self.check_recoded(recoding)
        self.mapping_ = recoding.mapping
        return issue(self, recoding, frame, explain=explain, verify=verify)

    def check_recoded(self, recoding: Recoding) -> None:
        """Refuse a recoding that leaves out more rows than allowed, or all of them."""
        table = recoding.table
        if not len(recoding.rows):
            raise CannotMeetError("every row would have to be left out")
        if recoding.suppressed > self.budget(table):
            raise CannotMeetError(
                f"suppress={self.suppress:g} is too small: {recoding.suppressed / table.total:.2%} of the rows must go",
                parameter="suppress",
                value=self.suppress,
            )

    def transform(self, frame: Any) -> Any:
        """Recode further rows as the published ones were: for global recodings, after `publish`.

        The result promises nothing: nobody counted how many of the further rows look alike.
        """
        mapping: GlobalMapping | None = getattr(self, "mapping_", None)
        if mapping is None:
            again = "publish first" if not hasattr(self, "mapping_") else "it recodes equal values differently"
            raise UsageError(f"{type(self).__name__} has no recoding for further rows: {again}")
        return mapping.transform(frame)

    def budget(self, table: CodedTable) -> int:
        """How many rows may be left out."""
        return floor(exact(self.suppress) * table.total)

    def parameters(self) -> dict[str, Any]:
        """The options as a passport tells them: all but the requirement and the key."""
        told = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name not in ("requirement", "pseudonyms", "keep_order", "population", "shift_key")
        }
        return told | {"order": "kept" if self.keep_order else "shuffled"}

    def check(self) -> None:
        """Refuse options that make no sense, before any work."""
        check_loss(self.loss, among=self.losses, algorithm=type(self).__name__)
        if not is_number(self.suppress) or not 0 <= self.suppress < 1:
            raise UsageError(
                f"suppress={self.suppress} is not a share of the rows; use a number from 0 to below 1",
                parameter="suppress",
                value=self.suppress,
            )
        asked = self.requirement.parts_asked if isinstance(self.requirement, TableRequirement) else ()
        for part in asked:
            if counted_by(part) is not None and not self.counts(part):
                raise UsageError(
                    f"{type(self).__name__} does not take {part.kind}: people of the population are counted where "
                    "equal values are recoded alike; use Incognito",
                    parameter="method",
                    cures=[{"method": "incognito"}],
                )
        if self.population is not None and not any(part.counts_population for part in asked):
            raise UsageError(
                "population= is for k-map and delta-presence, and neither is asked for", parameter="population"
            )
        if self.pseudonyms is not None and (not isinstance(self.pseudonyms, bytes) or len(self.pseudonyms) < 16):
            raise UsageError("pseudonyms must be a secret key of 16 bytes or more, for example secrets.token_bytes(32)")
