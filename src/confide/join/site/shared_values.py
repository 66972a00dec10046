"""The join values a site shares with its neighbours in one run: found by private intersection, kept for a resumption.

    this site                         neighbour
    points      own values, encrypted   -->  answer_points: these once more, and its own
    finish      its points once more    -->  conclude_points

Afterwards both number the shared values alike, by the order of their doubly encrypted points, which reveals nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, InputError, UnreachableError, UsageError
from confide.core.files import atomic_write
from confide.core.runtime.threads import ahead
from confide.join.graph.key_types import check_key_types
from confide.join.protocol.messages import Message
from confide.join.protocol.summary_messages import points_column, points_of
from confide.join.site.own_table import OwnTable
from confide.join.site.site_mail import Outbox

if TYPE_CHECKING:
    from confide.join.intersection.party import IntersectionParty

__all__ = ["SharedValues", "nonsense_from"]


class SharedValues:
    """By neighbour: `keys`, for each record the number of its join value (-1: not shared), and how many are `shared`.

    `tokens` name the intersection: two neighbours with the same token have the same numbers. `attempt` is what
    neighbours call this attempt at the run `run`; `folder` keeps what is found, if there is one. `max_ratio` is that of
    `IntersectionParty`.
    """

    def __init__(self, own: OwnTable, outbox: Outbox, *, max_ratio: float, run: str, attempt: str, folder: Path | None):
        self.keys: dict[str, NDArray[np.int32]] = {}
        self.shared: dict[str, int] = {}
        self.tokens: dict[str, str] = {}
        self._own, self._outbox, self._max_ratio = own, outbox, max_ratio
        self._run, self._attempt, self._folder = run, attempt, folder
        self._prepared: dict[str, Callable[[], IntersectionParty]] = {}
        self._parties: dict[str, IntersectionParty] = {}
        self._ordered: dict[str, str] = {}
        self._answered: set[str] = set()

    def order(self, neighbour: str, token: str, *, speaks: bool) -> None:
        """The coordinator wants an intersection with a neighbour. Only then is one made, and once in an attempt.

        A neighbour that could ask again could try other invented values each time, and renumber keys in mid-run. The
        side that does not speak first encrypts its values while the other encrypts its own.
        """
        if neighbour in self._ordered:
            raise UnreachableError(f"the coordinator orders a second intersection with {neighbour} in one run")
        self._ordered[neighbour] = token
        if not speaks:
            self._prepared[neighbour] = ahead(lambda: self._party(neighbour).prepare())

    def intersect(self, neighbour: str, token: str) -> Message:
        """Find the shared join values with a neighbour; this site speaks first."""
        from confide.join.intersection.party import Answer

        self._answered.add(neighbour)  # the side that speaks does not answer
        party = self._party(neighbour)
        own = self._own.keys(neighbour)
        header = {"run": self._attempt, "token": token, "types": list(own.types)}
        answer = self._outbox.send(neighbour, Message("points", header, {"point": points_column(party.start())}))
        self._check_types(neighbour, answer.header["types"])
        body, doubled = points_of(answer), 32 * answer.header["doubled"]
        with nonsense_from(neighbour):
            finished = party.finish(Answer(doubled=body[:doubled], blinded=body[doubled:]))
        header = {"run": self._attempt, "token": token}
        self._outbox.send(neighbour, Message("points-back", header, {"point": points_column(finished)}))
        self._keep(neighbour, token, party.shared)
        return Message("done")

    def answer_points(self, sender: str, message: Message) -> Message:
        """The other side of `intersect`: encrypt the neighbour's points once more, and send own ones."""
        if self._ordered.get(sender) != message.header["token"] or sender in self._answered:
            raise UsageError(f"{self._own.owner} was not ordered to find shared join values with {sender} now")
        self._answered.add(sender)
        self._check_types(sender, message.header["types"])
        own = self._own.keys(sender)
        party = self._parties[sender] = self._prepared.pop(sender)()
        with nonsense_from(sender):
            answer = party.answer(points_of(message))
        header = {"run": self._attempt, "doubled": len(answer.doubled) // 32, "types": list(own.types)}
        return Message("answer", header, {"point": points_column(answer.doubled + answer.blinded)})

    def conclude_points(self, sender: str, message: Message) -> Message:
        """The neighbour returns own points: now both know what is shared."""
        party = self._parties.pop(sender, None)
        if party is None or self._ordered.get(sender) != message.header["token"]:
            raise UnreachableError(f"{sender} sent points that nobody asked for")
        with nonsense_from(sender):
            party.conclude(points_of(message))
        self._keep(sender, message.header["token"], party.shared)
        return Message("done")

    def restore(self, neighbours: Iterable[str]) -> None:
        """Read what an earlier start of this run has found."""
        for neighbour in neighbours:
            file = None if self._folder is None else self._folder / f"keys-{neighbour}.npz"
            if file is not None and file.exists():
                with np.load(file, allow_pickle=False) as kept:
                    self.tokens[neighbour] = str(kept["token"])
                    self.shared[neighbour] = int(kept["shared"])
                    self.keys[neighbour] = kept["keys"]

    def _keep(self, neighbour: str, token: str, positions: NDArray[np.int64]) -> None:
        if len(positions) == 0:
            raise CannotMeetError(f"{self._own.owner} and {neighbour} share no join value, so nothing joins")
        self.keys[neighbour] = self._own.keys(neighbour).shared(positions)
        self.shared[neighbour] = len(positions)
        self.tokens[neighbour] = token
        if self._folder is not None:
            with atomic_write(self._folder / f"keys-{neighbour}.npz", replace=True, private=True) as file:
                np.savez(file, token=np.array(token), shared=np.int64(len(positions)), keys=self.keys[neighbour])

    def _party(self, neighbour: str) -> "IntersectionParty":
        from confide.join.intersection.party import IntersectionParty

        pair = " ".join(sorted((self._own.owner, neighbour)))
        values = self._own.keys(neighbour).values
        return IntersectionParty(values, context=f"{self._run} {pair}", max_ratio=self._max_ratio)

    def _check_types(self, neighbour: str, theirs: list[str]) -> None:
        check_key_types(self._own.keys(neighbour).types, theirs, owner=self._own.owner, neighbour=neighbour)


@contextmanager
def nonsense_from(sender: str) -> Iterator[None]:
    """An impossible message of a neighbour is a fault of that site, not of this one."""
    try:
        yield
    except InputError as error:
        raise UnreachableError(f"{sender} sent something impossible: {error}") from None
