"""Join values two sites share, asked for by one of them outside any run: all of them, or only how many.

    asking site                            the neighbour, within its policy and budget
    offer    own values, encrypted    -->  offered   its own likewise; for all values also these, once more
    return   its points, once more    -->  settled   how many both have

Both policies must allow it, both budgets count it, both ledgers hold it. For the size alone see `intersection.size`:
the neighbour counts, and tells the number if that is `min_records` at least.

What remains to a side that breaks the rules: it may bring values it invented, and learn whether the other has these
(or, of the size, whether it changed since it asked without them). The caps bound how many it can bring at a time
(`max_key_ratio`) and how often (`max_intersections`).
"""

import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UnreachableError, UsageError
from confide.core.figures import ShownFields
from confide.core.tables.frames import write_table
from confide.join.graph.key_types import check_key_types
from confide.join.protocol.budget import Budget
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy
from confide.join.protocol.summary_messages import points_column, points_of
from confide.join.site.own_table import OwnTable
from confide.join.site.shared_values import nonsense_from
from confide.join.site.site_mail import Outbox

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.join.intersection.party import IntersectionParty

__all__ = ["Overlap", "Overlaps"]


@dataclass(frozen=True, kw_only=True)
class Overlap(ShownFields):
    """What the asking side learned: how many different join values each has, how many both, and which (or None)."""

    own: int
    other: int
    shared: int
    values: "pa.Table | None" = None

    def summary(self) -> dict[str, int]:
        """The sizes, as plain data for JSON."""
        return {"own_values": self.own, "neighbour_values": self.other, "shared_values": self.shared}


class Overlaps:
    """Both sides of it at one site. `state` keeps shared values that neighbours asked for, for this site's owner."""

    def __init__(self, own: OwnTable, policy: Policy, budget: Budget, outbox: Outbox, state: Path | None):
        self._own, self._policy, self._budget, self._outbox = own, policy, budget, outbox
        self._state = state
        self._lock = threading.Lock()
        self._open: dict[str, tuple[str, IntersectionParty]] = {}

    # -- asking ---------------------------------------------------------------------------------------------------

    def ask(self, neighbour: str, *, size_only: bool) -> Overlap:
        """Ask a neighbour; see `Site.overlap`."""
        from confide.join.intersection.party import Answer

        if neighbour not in self._own.neighbours:
            known = ", ".join(self._own.neighbours)
            raise UsageError(f"{neighbour} is not a neighbour of {self._own.owner}; neighbours are: {known}")
        exchange = secrets.token_hex(16)
        self._admit(neighbour, exchange, size_only=size_only)
        party = self._party(neighbour, exchange, size_only=size_only)
        types = list(self._own.keys(neighbour).types)
        header = {"run": exchange, "types": types, "size_only": size_only}
        offered = self._outbox.send(neighbour, Message("offer", header, {"point": points_column(party.start())}))
        self._check_types(neighbour, offered.header["types"])
        body, doubled = points_of(offered), 32 * offered.header["doubled"]
        with nonsense_from(neighbour):
            finished = party.finish(Answer(doubled=body[:doubled], blinded=body[doubled:]))
        back = Message("return", {"run": exchange}, {"point": points_column(finished)})
        size = self._outbox.send(neighbour, back).header["size"]
        if size > min(len(party), party.others) or (not size_only and size != len(party.shared)):
            raise UnreachableError(f"{neighbour} names a size of the intersection that cannot be true")
        values = None if size_only else self._values(neighbour, party.shared)
        return Overlap(own=len(party), other=party.others, shared=size, values=values)

    # -- answering ------------------------------------------------------------------------------------------------

    def answer(self, sender: str, message: Message) -> Message:
        """Answer a neighbour's `offer` or `return`."""
        return self._take_offer(sender, message) if message.verb == "offer" else self._settle(sender, message)

    def _take_offer(self, sender: str, message: Message) -> Message:
        exchange, size_only = message.header["run"], message.header["size_only"]
        # Counted before anything is computed: a refusal, too, may tell something.
        self._admit(sender, exchange, size_only=size_only)
        self._check_types(sender, message.header["types"])
        party = self._party(sender, exchange, size_only=size_only)
        with nonsense_from(sender):
            answer = party.answer(points_of(message))
        with self._lock:
            self._open[sender] = (exchange, party)
        types = list(self._own.keys(sender).types)
        header = {"run": exchange, "doubled": len(answer.doubled) // 32, "types": types}
        return Message("offered", header, {"point": points_column(answer.doubled + answer.blinded)})

    def _settle(self, sender: str, message: Message) -> Message:
        from confide.join.intersection.size import SizeParty

        exchange = message.header["run"]
        with self._lock:
            known, party = self._open.pop(sender, ("", None))
        if party is None or known != exchange:
            raise UsageError(f"{sender} returns points that {self._own.owner} did not offer, or has taken back already")
        with nonsense_from(sender):
            party.conclude(points_of(message))
        if not isinstance(party, SizeParty):
            self._keep(sender, exchange, party.shared)
            return Message("settled", {"run": exchange, "size": len(party.shared)})
        if party.size < self._policy.min_records:
            raise CannotMeetError(
                f"the policy of {self._own.owner} tells the size of an intersection from {self._policy.min_records} "
                "values on, and it is smaller"
            )
        return Message("settled", {"run": exchange, "size": party.size})

    # -- both -----------------------------------------------------------------------------------------------------

    def _admit(self, neighbour: str, exchange: str, *, size_only: bool) -> None:
        self._policy.check_intersection(size_only=size_only, owner=self._own.owner)
        self._budget.intersect(neighbour, exchange)

    def _party(self, neighbour: str, exchange: str, *, size_only: bool) -> "IntersectionParty":
        from confide.join.intersection.party import IntersectionParty
        from confide.join.intersection.size import SizeParty

        pair = " ".join(sorted((self._own.owner, neighbour)))
        kind = SizeParty if size_only else IntersectionParty
        values = self._own.keys(neighbour).values
        return kind(values, context=f"{kind.__name__} {exchange} {pair}", max_ratio=self._policy.max_key_ratio)

    def _check_types(self, neighbour: str, theirs: list[str]) -> None:
        check_key_types(self._own.keys(neighbour).types, theirs, owner=self._own.owner, neighbour=neighbour)

    def _values(self, neighbour: str, positions: NDArray[np.int64]) -> "pa.Table":
        """The shared values as a table of this site's own columns, one row each."""
        import pyarrow as pa

        keys = self._own.keys(neighbour)
        first = np.full(len(keys.values), -1, dtype=np.int64)
        joins = np.flatnonzero(keys.codes >= 0)[::-1]
        first[keys.codes[joins]] = joins  # the last to be written is the first record of a value
        rows = np.sort(first[positions])
        return self._own.frame.select(self._own.neighbours[neighbour]).take(pa.array(rows))

    def _keep(self, neighbour: str, exchange: str, positions: NDArray[np.int64]) -> None:
        """Leave the shared values for this site's owner, who did not ask."""
        if self._state is not None:
            file = self._state / f"shared-with-{neighbour}.csv"
            write_table(self._values(neighbour, positions), file, replace=True, private=True)
