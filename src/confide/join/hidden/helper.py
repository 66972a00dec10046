"""A party without a table, for hidden comparisons of two sites."""

from collections.abc import Callable

import numpy as np

from confide.core.errors import UsageError
from confide.join.hidden.hidden_comparison import Comparing
from confide.join.network.links import Link
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import Message
from confide.join.protocol.party_names import check_name
from confide.join.protocol.policy import Policy
from confide.join.protocol.summary_messages import ledger_lines

__all__ = ["Helper"]


class Helper:
    """A party without a table: the third in hidden comparisons of two sites. It learns who wins, and nothing else."""

    def __init__(self, name: str, *, coordinator: str):
        self.name = check_name(name)
        self.coordinator = coordinator
        self.policy = Policy()
        self.ledger = Ledger(name)
        self.comparing = Comparing(name)
        self._run = ""

    def connect(self, link: Link) -> None:
        """A helper only answers, and needs no link."""

    def handle(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        """Answer the few orders that concern it."""
        if message.verb == "ping":
            return Message("pong")
        if sender != self.coordinator:
            raise UsageError(f"{self.name} takes no orders from {sender}")
        header = message.header
        if message.verb == "meet":
            self._run = header["run"]
            self.ledger.begin(header["run"])
            return Message("met", {"run": header["run"], "address": self.comparing.open()})
        if message.verb == "introduce":
            self.comparing.connect(header)
            return Message("done")
        if message.verb == "compare":
            nodes = message.columns["node"]
            winner = self.comparing.winners(np.zeros(len(nodes), dtype=np.int64), self.ledger)
            body = {"node": nodes, "winner": winner}
            return Message("compared", {"run": header["run"], "level": header["level"]}, body)
        if message.verb == "ledger":
            self.close()
            return ledger_lines(self.ledger, header["run"])
        if message.verb == "stop":
            if header["run"] == self._run:
                self.close()
            return Message("done")
        raise UsageError(f"{self.name} is a helper and has no answer to {message.verb!r}")

    def close(self) -> None:
        """Leave comparisons."""
        self.comparing.close()
