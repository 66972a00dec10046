"""How many people's class, or side of a hidden split, a neighbour could tell for certain from the summaries it gets.

A class summary holds the class counts of each shared join value. Where only one count of a value is above zero, the
class of everybody behind that value is certain; where join values are person ids, that is a class for each person. A
split summary shows the side of a hidden split each join value falls on; where all records of a value fall on one side,
so does everybody behind it.

    the sender      counts its own records before a summary leaves (`NeighbourCount`), and stops above the agreed share
    the receiver    counts again what it can tell, from the messages alone
    `join check`    does the sender's count for all pairs of tables, without growing a tree (`count_certain`)

People are counted in two ways, since no table says which of them is meant: as shared values (`join_values`, where the
value is a person's id) and as records of the sender behind these (`records`, where a value stands for many people). A
share is the larger of the two, so it is never too small. Counted is what one party can tell from the summaries of one
neighbour, without knowing anything else; what several parties find out together may be more.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.join.graph.summary_order import propagation

if TYPE_CHECKING:
    from confide.join.graph.forecast import Prepared
    from confide.join.graph.join_graph import JoinGraph

__all__ = ["Certain", "NeighbourCount", "count_certain", "single_class"]

Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Certain:
    """What `receiver` could tell for certain from the summaries of `sender`, of how many join values and records.

    `class_keys` and `class_records`: whose class; `side_keys` and `side_records`: whose side of a split that is hidden
    from the receiver. A receiver that had the classes before the sender did learns none from it.
    """

    sender: str
    receiver: str
    keys: int
    records: int
    class_keys: int = 0
    class_records: int = 0
    side_keys: int = 0
    side_records: int = 0

    @property
    def class_share(self) -> Fraction:
        """The share of people whose class is certain, by join values or by records, whichever is larger."""
        return max(_share(self.class_keys, self.keys), _share(self.class_records, self.records))

    @property
    def side_share(self) -> Fraction:
        """The share of people whose side of a hidden split is certain."""
        return max(_share(self.side_keys, self.keys), _share(self.side_records, self.records))

    @property
    def line(self) -> str:
        """Both counts in one plain line."""
        return f"{self.receiver} could tell for certain {self.of_classes}, and {self.of_sides}"

    @property
    def of_classes(self) -> str:
        """Whose class, in words."""
        return (
            f"the class of {self.class_keys:,} of {self.keys:,} people by join value "
            f"({self.class_records:,} of {self.records:,} by record of {self.sender})"
        )

    @property
    def of_sides(self) -> str:
        """Whose side of a hidden split, in words."""
        return (
            f"the side of a hidden split of {self.side_keys:,} of {self.keys:,} people by join value "
            f"({self.side_records:,} of {self.records:,} by record of {self.sender})"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        plain = asdict(self)
        return {"from": plain.pop("sender"), "to": plain.pop("receiver"), **plain}


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


class NeighbourCount:
    """The sender's count for one neighbour, over all summaries of a run.

    codes          for each own record the number of its join value, -1 where it is not shared.
    shared         how many join values the two share.
    hidden         whether the sender has columns to split on that the neighbour does not see: then a join value with a
                   single record falls on one side of every split.
    knows_classes  the neighbour had the classes before the sender did.
    """

    def __init__(self, codes: NDArray[np.int32], shared: int, *, hidden: bool, knows_classes: bool):
        self._codes, self._shared, self._hidden, self._knows = codes, shared, hidden, knows_classes
        self._records = np.zeros(shared, dtype=np.int64)
        self._classes = np.zeros(shared, dtype=np.bool_)
        self.sides = np.zeros(shared, dtype=np.bool_)

    def add_classes(self, summary: NDArray[Any], taking_part: Flags) -> None:
        """Count a class summary that is about to leave; `taking_part` marks the own records it stands on."""
        behind = np.bincount(self._codes[taking_part & (self._codes >= 0)], minlength=self._shared)
        self._records = np.maximum(self._records, behind)
        if not self._knows:
            self._classes |= single_class(summary)
        if self._hidden:
            self.sides |= behind == 1

    def add_sides(self, keys: Flags) -> None:
        """Count join values all of whose records fall on one side of a split."""
        self.sides |= keys

    def result(self, sender: str, receiver: str) -> Certain:
        """The count so far."""
        behind = self._records
        sides = self.sides & (behind > 0)
        return Certain(
            sender=sender,
            receiver=receiver,
            keys=int(np.count_nonzero(behind)),
            records=int(behind.sum()),
            class_keys=int(self._classes.sum()),
            class_records=int(behind[self._classes].sum()),
            side_keys=int(sides.sum()),
            side_records=int(behind[sides].sum()),
        )


def single_class(summary: NDArray[Any]) -> Flags:
    """Which join values of a class summary have records of one class only."""
    present = np.zeros(len(summary), dtype=np.int16)
    for c in range(summary.shape[1]):
        present += summary[:, c] > 0
    return present == 1


def count_certain(
    graph: "JoinGraph", prepared: "Prepared", *, hidden: Mapping[tuple[str, str], bool]
) -> tuple[Certain, ...]:
    """What every table's owner could tell from a neighbour's class summaries, if each table were at a site of its own.

    The same counts as sites make before a run. Only whether a count is zero matters, so classes go round as sets, and
    joins of any size are counted. `hidden` as in `NeighbourCount`, for each (sender, receiver). Sides that depend on
    the splits of a tree are not known yet: those of join values with a single record are.
    """
    sets = _target_classes(graph)
    codes, shared = _codes(prepared)
    present: dict[str, Flags] = {}
    heard: dict[str, str] = {graph.target: ""}
    for name in graph.tables:
        linked = np.ones(graph.tables[name].num_rows, dtype=np.bool_)
        for (table, _), own in codes.items():
            if table == name:
                linked &= own >= 0
        present[name] = sets & linked[:, None] if name == graph.target else linked[:, None]
    tallies: dict[tuple[str, str], NeighbourCount] = {}
    for sender, receiver in propagation(graph.neighbours, graph.target):
        own, width = codes[sender, receiver], shared[sender, receiver]
        taking_part: Flags = np.logical_or.reduce(present[sender], axis=1)
        summary = np.zeros((width, sets.shape[1]), dtype=np.bool_)
        for c in range(sets.shape[1]):
            summary[own[present[sender][:, c] & (own >= 0)], c] = True
        tally = tallies.get((sender, receiver))
        if tally is None:
            knows = heard[sender] == receiver
            tally = tallies[sender, receiver] = NeighbourCount(
                own, width, hidden=hidden[sender, receiver], knows_classes=knows
            )
        tally.add_classes(summary, taking_part)
        padded = np.concatenate([summary, np.zeros((1, sets.shape[1]), dtype=np.bool_)])
        present[receiver] = present[receiver] & padded[codes[receiver, sender]]  # -1 is the last row: nothing
        heard.setdefault(receiver, sender)
    return tuple(tally.result(*way) for way, tally in tallies.items())


def _target_classes(graph: "JoinGraph") -> Flags:
    """The class of each record of the target as a row of flags; none where it is empty."""
    import pyarrow.compute as pc

    from confide.join.graph.classes import code_classes

    given = np.flatnonzero(np.asarray(pc.is_valid(graph.tables[graph.target].column(graph.class_column))))
    labels, of_records = code_classes(graph, given)
    sets = np.zeros((graph.tables[graph.target].num_rows, len(labels)), dtype=np.bool_)
    sets[given, of_records] = True
    return sets


def _codes(
    prepared: "Prepared",
) -> tuple[dict[tuple[str, str], NDArray[np.int32]], dict[tuple[str, str], int]]:
    """For each (table, neighbour) the join values of all records, dangling ones too, and how many are shared."""
    codes, shared = {}, {}
    for join, keys in prepared.keys.items():
        codes[join.left, join.right], codes[join.right, join.left] = keys.left, keys.right
        shared[join.left, join.right] = shared[join.right, join.left] = keys.shared
    return codes, shared
