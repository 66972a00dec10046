"""What requirements of tables and trees share: sentences in the terms of a release, and what is left open."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from confide.core.errors import RequirementError
from confide.core.requirements.base import PassportWords, Requirement
from confide.core.requirements.earlier_releases import with_joint_promise
from confide.core.requirements.tables.terms import ROWS, SEVERAL, Terms, number_limits, terms_of
from confide.core.requirements.weakening import Weakening

__all__ = [
    "ALIKE",
    "CERTAIN",
    "COMMONEST",
    "DATES_SHIFTED",
    "EVENNESS",
    "EVERYBODY",
    "FEW_ALIKE",
    "IN_TABLE",
    "ONE_VALUE",
    "ORDER_KEPT",
    "PSEUDONYMS",
    "RULED_OUT",
    "SensitiveRequirement",
    "TableRequirement",
]

# What a requirement may leave open; names in braces are filled with the terms of a release.
ONE_VALUE = "learning a {value} when all {members} of a {group} share it (a diversity requirement stops that)"
CERTAIN = "being certain of a common {value}: all {members} of a {group} may share it"
COMMONEST = "guessing the commonest {value} of a {group}, which may be that of nearly all of its {members}"
EVENNESS = "guessing the commonest {value} of a {group}: entropy sets no fixed bound on that chance"
FEW_ALIKE = "{linking} where few {members} look alike (k-anonymity stops that)"
IN_TABLE = (
    "{linking}, for someone who knows that the person is in the table: few {members} may look alike there "
    "(k-anonymity stops that)"
)
ALIKE = "learning what two {values} with nearly the same meaning have in common"
RULED_OUT = "ruling out {values} a person cannot have, which raises the chance of the others"
EVERYBODY = "learning what is true of everybody in the release"
_OF_ALL_COLUMNS = frozenset({FEW_ALIKE, IN_TABLE, EVERYBODY})  # what has to do with no sensitive column in particular
_NOT_ASKED = "learning values of {!r}: nothing is asked of that column"

PSEUDONYMS = (
    "whoever has the key of the pseudonyms: they can find each person's row, in every release made with that key"
)
"""What a passport must say it does not protect against when identifiers were replaced by keyed pseudonyms."""

DATES_SHIFTED = "reading dates: they are shifted by person and intervals stay, and nothing promised rests on the shift"
"""What it must say where dates were shifted by person."""

ORDER_KEPT = "someone who knows a person's place in the original file: the rows stand in its order"
"""What it must say where rows were not shuffled."""


@dataclass(frozen=True, kw_only=True)
class TableRequirement(Requirement):
    """A requirement of each group of rows that look alike. Several are joined with `&`, and then all must hold."""

    caveats = (ORDER_KEPT, PSEUDONYMS, DATES_SHIFTED)

    compares_release: ClassVar[bool] = False
    """Whether a group is compared with the whole release, so that leaving a row out changes what others need."""
    joins: ClassVar[bool] = True
    """Whether two groups that meet it still do as one: true of every bound on a convex function of counts."""

    option_fields: ClassVar[Mapping[str, str]] = {}
    """Which of its fields an option sets, where these are not called the same; "" for none."""
    counts_population: ClassVar[bool] = False
    """Whether people of a population are counted who are not in the table."""

    @property
    def parts_asked(self) -> "tuple[TableRequirement, ...]":
        """What `&` joined, or itself."""
        return (self,)

    def field_of(self, option: str) -> str:
        """The field that an option of the command sets."""
        return self.option_fields.get(option, option)

    @property
    def plain(self) -> "TableRequirement":
        """What it asks when nobody knows the other sensitive values: itself, unless it is `OthersKnown`."""
        return self

    @property
    def values_needed(self) -> int:
        """How many different sensitive values a group that meets it must have."""
        return 1

    @abstractmethod
    def weakenings(self, rows: int) -> list[Weakening]:
        """For each parameter its weaker values, but for those that so many rows cannot tell apart."""

    def settings_to_weaken(self, rows: int) -> list[Weakening]:
        """The same, each for the column that it speaks of; k is the same for all."""
        return [w if w.parameter == "k" else replace(w, column=self.plain.column) for w in self.weakenings(rows)]

    @property
    def of_sensitive(self) -> bool:
        """Whether it speaks of sensitive values, so that a table needs such a column."""
        return True

    @property
    @abstractmethod
    def fewest(self) -> int:
        """The fewest rows (or persons) that a group which meets it can have."""

    @abstractmethod
    def promise_in(self, terms: Terms) -> str:
        """The promise in the terms of a release, in one sentence."""

    @abstractmethod
    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        """Whom it stops, in the terms of a release."""

    @property
    @abstractmethod
    def leaves_open(self) -> tuple[str, ...]:
        """Whom it does not stop, beside those that no such requirement stops; terms are in braces."""

    @property
    @abstractmethod
    def closes(self) -> frozenset[str]:
        """What others leave open and this one stops, so that both together do not say that it is open."""

    @abstractmethod
    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        """As `in_other_terms`, in the terms of a release."""

    @property
    def column(self) -> str | None:
        """The sensitive column that it speaks of; None where that is each of them, or none."""
        return None

    @property
    def columns(self) -> tuple[str | None, ...]:
        """The sensitive columns that it speaks of by name, and None if a part of it speaks of all."""
        return (self.plain.column,) if self.of_sensitive else ()

    @property
    def left_open(self) -> tuple[tuple[str, str | None], ...]:
        """What it leaves open, each with the sensitive column by which it does; None for all of them."""
        return tuple((text, self._column_of(text)) for text in self.leaves_open)

    @property
    def open_to_all(self) -> frozenset[str]:
        """What it leaves open by no column in particular, and none of its parts closes."""
        return frozenset(text for text, column in self.left_open if column is None) - {text for text, _ in self.closed}

    @property
    def closed(self) -> frozenset[tuple[str, str | None]]:
        """What it closes, likewise."""
        return frozenset((text, self._column_of(text)) for text in self.closes)

    def _column_of(self, text: str) -> str | None:
        return None if text in _OF_ALL_COLUMNS else self.plain.column

    def worded(self, terms: Terms) -> Terms:
        """These terms, with the name of its column where it has one."""
        return terms if self.column is None else terms.of_column(self.column)

    def phrase(self, terms: Terms, sensitive: Collection[str] = ()) -> PassportWords:
        """Promise and limits in the terms of a release, whose `sensitive` columns are these, as far as is known."""
        left: dict[str, None] = {}
        for text, column in self.left_open:
            for name in self._still_open(text, column, sensitive):
                left[(terms if name is None else terms.of_column(name)).fill(text)] = None
        if self.of_sensitive and None not in self.columns:
            left |= dict.fromkeys(_NOT_ASKED.format(name) for name in sensitive if name not in self.columns)
        left |= dict.fromkeys(terms.fill(text) for text in terms.always if (text, None) not in self.closed)
        own = self.worded(terms)
        return PassportWords(self.promise_in(own), self.stops_in(own), tuple(left))

    def _still_open(self, text: str, column: str | None, sensitive: Collection[str]) -> tuple[str | None, ...]:
        """The columns by which a text stays open; (None,) for all of them."""
        closed = self.closed
        if (text, None) in closed or (text, column) in closed:
            return ()
        if column is not None or not any((text, name) in closed for name in sensitive):
            return (column,)
        return tuple(name for name in sensitive if (text, name) not in closed)

    def words(self, artefact: str, context: Mapping[str, Any]) -> PassportWords:
        """Of a tree, leaves and classes are spoken of; of a table with a column of persons, people. Columns of numbers
        add what these leave open; earlier releases that it is built on, what is promised together with them."""
        roles = context.get("roles")
        named = roles.items() if isinstance(roles, Mapping) else ()
        terms = terms_of(artefact, context)
        said = self.phrase(terms, [name for name, role in named if role == "sensitive"])
        said = said._replace(does_not_stop=(*said.does_not_stop, *number_limits(context)))
        if artefact != "table":  # nothing else is built on earlier releases
            return said
        return with_joint_promise(said, context, value=terms.value, values=terms.values, several=SEVERAL)

    def words_in_other_terms(self, artefact: str, context: Mapping[str, Any]) -> dict[str, str]:
        return self.other_terms_in(self.worded(terms_of(artefact, context)))

    def promise(self) -> str:
        return self.promise_in(self.worded(ROWS))

    @property
    def stops(self) -> tuple[str, ...]:
        return self.stops_in(self.worded(ROWS))

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return self.phrase(ROWS).does_not_stop

    def in_other_terms(self) -> dict[str, str]:
        return self.other_terms_in(self.worded(ROWS))

    def __and__(self, other: "TableRequirement") -> "TableRequirement":
        from confide.core.requirements.tables.combination import all_of

        return all_of(self, other) if isinstance(other, TableRequirement) else NotImplemented


@dataclass(frozen=True, kw_only=True, repr=False)
class SensitiveRequirement(TableRequirement):
    """A requirement of sensitive values: of the one `column` named, or of every sensitive column by itself."""

    left_out = {"column": None}  # noqa: RUF012 - a ClassVar

    column: str | None = field(default=None)

    def __post_init__(self) -> None:
        if self.column is not None and (not isinstance(self.column, str) or not self.column):
            raise RequirementError(
                f"column={self.column!r} is not the name of a sensitive column", parameter="column", value=self.column
            )

    def __repr__(self) -> str:
        shown = [f.name for f in fields(self) if f.name != "column"] + ["column"] * (self.column is not None)
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"
