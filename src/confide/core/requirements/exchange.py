"""Limited exchange, for tables at several sites that are mined as one join."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from confide.core.requirements.base import Requirement, check_count

__all__ = ["SUMMARIES", "LimitedExchange"]

SUMMARIES = (
    "fan-outs: what two sites send each other back and forth gives, by division, how many records each shared key has",
    (
        "classes: a class summary with one class for a join value, such as a value with one record, tells the class of "
        "everybody behind it; the tree lists how many, but not what parties find out together or from what they know"
    ),
    (
        "the hidden predicate: a split summary tells, for each shared key, on which side of a split it falls; where "
        "keys are unique that is one private bit per split, of the sites beyond the sender as of the sender itself"
    ),
    "labels: the target site names the class labels of all its records, those that join nothing included",
    "errors: the line that ends a run may hold a count of records or entries, or a type of a join column",
    (
        "predictions: the coordinator sees the way each record takes through the tree, and may ask about any record at "
        "any node; a site that leaves prediction-ids out of its policy answers none"
    ),
    "pruning: counts are of joined records, inflated by fan-out, so less is pruned than a table of its own would ask",
)
"""What messages of a limited exchange reveal in detail."""


@dataclass(frozen=True, kw_only=True)
class LimitedExchange(Requirement):
    """Tables at several sites are mined as one join, and only agreed kinds of messages cross between the sites.

    `min_records` is the fewest of its own records that a site reveals anything about, in an entry of a summary or at a
    node. A larger one gives away less about keys with few records; a run that would need a smaller one stops.
    """

    kind = "limited-exchange"
    limits: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Those who take part": ("dishonest sites:", "the coordinator:", "predictions:", "labels:", "errors:"),
        "What summaries show": ("summaries:", "small groups:", "fan-outs:", "classes:", "the hidden predicate:"),
        "What the counts are": ("pruning:",),
    }

    min_records: int = 1

    def __post_init__(self) -> None:
        check_count("min_records", self.min_records, least=1, why="is not a number of records")

    def promise(self) -> str:
        least = "" if self.min_records == 1 else f" in entries of at least {self.min_records} records"
        return (
            f"Only shared join values, class labels, class counts by shared join value{least}, scores (or shares of "
            "them) and the shape of the tree crossed between sites; where a join value is one person's, its class "
            "count is that person's class."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return (
            (
                "another site, or the coordinator, reading a column as it stands in a table, or a join value that two "
                "sites do not share"
            ),
            "anyone who holds the tree reading another site's attribute names or values from it",
        )

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (
            "dishonest sites: each is trusted to follow the protocol, and sites may combine what they have learned",
            (
                "summaries: they show how many records a shared key has, the classes of keys with few records, and the "
                "side of a hidden split a key falls on, for splits of farther sites too; a missing key points to gaps "
                "at third sites"
            ),
            (
                "small groups: when all records of an entry have one class, each record's class is known; one count of "
                "an entry may be about a single record"
            ),
            "the coordinator: it learns class counts and the shape of the tree",
            (
                "predictions: by asking, the coordinator can learn who is in a site's table, how large the table is, "
                "and the branch that any record takes at any split"
            ),
            *SUMMARIES,
        )

    def in_other_terms(self) -> dict[str, str]:
        return {"records of an entry": f"{self.min_records}: the fewest that a summary may be about"}
