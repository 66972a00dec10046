"""The coordinator's side of hidden comparisons: who takes part, where they meet, who won."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UnreachableError, UsageError
from confide.join.protocol.messages import Message
from confide.mining.trees.splits import Criterion

if TYPE_CHECKING:
    from confide.join.coordinator.inquiry import Asker
    from confide.join.hidden.hidden_comparison import Comparing

__all__ = ["Hiding"]


class Hiding:
    """Winners by hidden comparison among the sites and, where two are too few, a third party.

    `third` is the coordinator's own name, or that of a helper, which is asked as a site is.
    """

    def __init__(self, sites: Sequence[str], *, third: str | None, own: "Comparing"):
        self.sites = list(sites)
        thirds = [third] if third is not None and third not in sites else []
        # A party connects to those after it and listens for those before; a coordinator, who has no address that the
        # sites know, comes first.
        self.parties = [*thirds, *sites] if third == own.name else [*sites, *thirds]
        self._own = own
        self._takes_part = own.name in self.parties and own.name not in sites
        self.asked = [name for name in self.parties if name != own.name or not self._takes_part]

    def check(self, criterion: Criterion) -> None:
        """Refuse what would hide nothing."""
        from confide.join.hidden.winner import check_parties

        if criterion == "gain_ratio":
            raise UsageError(
                "the gain ratio compares with the average gain, which hide_gains would have to reveal; "
                "use information_gain or gini"
            )
        check_parties(self.sites, self.parties)

    def introduce(self, run: str, asker: "Asker") -> None:
        """Let all parties listen, and send each the addresses of the others."""
        from confide.join.hidden.winner import new_session

        met = asker.ask_all(dict.fromkeys(self.asked, Message("meet", {"run": run})))
        addresses = {
            name: _reachable(answer.header["address"], asker.link.host_of(name)) for name, answer in met.items()
        }
        if self._takes_part:
            addresses[self._own.name] = self._own.open()
        header: dict[str, Any] = {
            "run": run,
            "sites": self.sites,
            "session": new_session(),
            "addresses": {name: addresses[name] for name in self.parties},
        }
        with self._beside(lambda: self._own.connect(header)):
            asker.ask_all(dict.fromkeys(self.asked, Message("introduce", header)))

    def winners(self, order: Message, asker: "Asker") -> NDArray[np.int64]:
        """For each node of a `compare` order the place of the winner, -1 where nobody has a split."""
        nodes = order.columns["node"]
        nothing = np.zeros(len(nodes), dtype=np.int64)
        with self._beside(lambda: self._own.winners(nothing, asker.link.ledger)):
            answers = asker.ask_all(dict.fromkeys(self.asked, order))
        found = [answer.columns["winner"] for answer in answers.values()]
        if any(not np.array_equal(answer.columns["node"], nodes) for answer in answers.values()):
            raise UnreachableError("a party of the hidden comparison answered for other nodes than it was asked")
        if any(not np.array_equal(one, found[0]) for one in found):
            raise UnreachableError("the parties of the hidden comparison disagree")
        if len(found[0]) and not -1 <= int(found[0].min()) <= int(found[0].max()) < len(self.sites):
            raise UnreachableError(f"the hidden comparison named a winner that is not one of {', '.join(self.sites)}")
        return found[0].astype(np.int64)

    @contextmanager
    def _beside(self, work: Callable[[], Any]) -> Iterator[None]:
        """Do the coordinator's own part, if it has one, while the others are asked."""
        if not self._takes_part:
            yield
            return
        with ThreadPoolExecutor(1) as pool:
            doing = pool.submit(work)
            yield
            doing.result()


def _reachable(address: str, host: str) -> str:
    """Where to find who listens at `address`, known to us by the name `host`. Nobody can connect to "all addresses"."""
    told, _, port = address.rpartition(":")
    return f"{host}:{port}" if told in ("0.0.0.0", "[::]") else address
