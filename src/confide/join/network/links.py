"""How a party's messages leave and arrive, whatever carries them: policy first, then the ledger, then the wire.

    Link.call(to, message)   at the sender: refused by policy? note it, carry it, note the answer, raise what failed
    serve(party, ...)        at the receiver: note it, refused by policy? let the party answer, note the answer

`Hall` carries messages between parties of one process, through the same Arrow bytes a network would see; what
`confide.join.network.transport` adds is Arrow Flight over mutual TLS.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

from confide.core.errors import (
    CannotMeetError,
    ConfideError,
    InputError,
    RequirementError,
    UnreachableError,
    UsageError,
)
from confide.core.runtime.terminal import safe_text
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy
from confide.join.protocol.verbs import ANSWERS

__all__ = ["Hall", "Link", "Party", "RunStopped", "failure", "one_line", "serve"]

_CODES: dict[str, type[ConfideError]] = {
    "unreachable": UnreachableError,
    "cannot-meet": CannotMeetError,
    "input": InputError,
    "requirement": RequirementError,
    "usage": UsageError,
}


class RunStopped(ConfideError):
    """A step was given up because the run was stopped elsewhere; the party that stopped it says why."""

    exit_code = 3


class Party(Protocol):
    """A party that answers messages: a site or a helper."""

    name: str
    ledger: Ledger
    policy: Policy

    def handle(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        """Answer a message. `cancelled()` says whether the sender has stopped waiting."""
        ...

    def close(self) -> None:
        """End waits under way."""
        ...


class Link(ABC):
    """One party's way to the others."""

    def __init__(self, name: str, ledger: Ledger, policy: Policy | None = None):
        self.name = name
        self.ledger = ledger
        self.policy = policy or Policy()

    def call(self, to: str, message: Message, *, timeout: float) -> Message:
        """Send a message and wait for the answer; a failure over there is raised here, with the name of the site."""
        self.policy.check_kind(message.kind, owner=self.name)
        answer = self._carry(to, message, timeout)
        self.policy.check_kind(answer.kind, owner=self.name)
        if answer.verb == "failed":
            raise _rebuild_error(answer, to)
        if answer.verb != ANSWERS.get(message.verb, "done"):
            raise UnreachableError(f"{to} answered {message.verb!r} with {answer.verb!r}, which does not answer it")
        return answer

    @abstractmethod
    def _carry(self, to: str, message: Message, timeout: float) -> Message:
        """Deliver, note both ways in the ledger, return the answer; UnreachableError when there is none."""

    def host_of(self, to: str) -> str:
        """The host by which this party knows another."""
        return "127.0.0.1"

    @abstractmethod
    def abort(self) -> None:
        """Give up calls under way."""

    @abstractmethod
    def renew(self) -> None:
        """Forget connections that may have gone stale."""


def serve(party: Party, sender: str, message: Message, size: int, cancelled: Callable[[], bool]) -> Message:
    """Let a party answer a message that has arrived; whatever goes wrong becomes a `failed` answer without values."""
    # A message that begins a run belongs to it, not to the one before.
    begins = message.header["run"] if message.verb in ("begin", "meet") else message.apart
    party.ledger.note(sender, party.name, message.kind, entries=message.entries, bytes=size, run=begins)
    try:
        party.policy.check_kind(message.kind, owner=party.name)
        answer = party.handle(sender, message, cancelled)
        party.policy.check_kind(answer.kind, owner=party.name)
    except ConfideError as error:
        if not isinstance(error, RunStopped):
            who, said = one_line(sender), one_line(str(error))
            logging.getLogger("confide.join").info("%s refused %r from %s: %s", party.name, message.verb, who, said)
        return failure(error)
    except Exception as error:  # a bug of ours; its text might hold a value, so only its type is sent
        logging.getLogger("confide.join").exception("a message could not be answered")
        return Message("failed", {"code": "bug", "text": f"an internal error ({type(error).__name__})"})
    return answer


def one_line(text: str) -> str:
    r"""What another party wrote, fit for a terminal and for a log: one line, and nothing in it that acts.

    >>> print(one_line("refused\n\x1b[2J"))
    refused\n\x1b[2J
    """
    return safe_text(text).replace("\n", "\\n").replace("\t", " ")


def failure(error: ConfideError) -> Message:
    """An error as an answer."""
    code = next((code for code, kind in _CODES.items() if isinstance(error, kind)), "usage")
    if isinstance(error, RunStopped):
        code = "stopped"
    return Message("failed", {"code": code, "text": one_line(str(error))[:2000]})


def _rebuild_error(answer: Message, where: str) -> ConfideError:
    code, text = answer.header["code"], one_line(answer.header["text"])
    if code == "bug":
        return UnreachableError(f"{where} failed: {text}; see its own log")
    told = text if where in text else f"{where}: {text}"
    return RunStopped(told) if code == "stopped" else _CODES.get(code, UnreachableError)(told)


class Hall:
    """Parties of one process and the messages between them, each encoded and decoded as on a network.

    `heard`, when given, is called with (sender, receiver, verb, bytes) of every message, before anybody reads it.
    """

    def __init__(self, heard: Callable[[str, str, str, bytes], None] | None = None):
        self.parties: dict[str, Party] = {}
        self._heard = heard
        self._lock = threading.Lock()

    def enter(self, party: Party) -> None:
        """Let a party be spoken to."""
        self.parties[party.name] = party

    def link(self, name: str, ledger: Ledger, policy: Policy | None = None) -> Link:
        """A party's way to all others."""
        return _HallLink(self, name, ledger, policy)

    def hear(self, sender: str, receiver: str, verb: str, data: bytes) -> None:
        """Pass a message on to the listener, if there is one."""
        if self._heard is not None:
            with self._lock:
                self._heard(sender, receiver, verb, data)


class _HallLink(Link):
    def __init__(self, hall: Hall, name: str, ledger: Ledger, policy: Policy | None):
        super().__init__(name, ledger, policy)
        self.hall = hall
        self._aborted = threading.Event()

    def _carry(self, to: str, message: Message, timeout: float) -> Message:
        party = self.hall.parties.get(to)
        if party is None:
            raise UnreachableError(f"{to} does not answer")
        arrived, size = self._pass_on(self.name, to, message)
        self.ledger.note(self.name, to, message.kind, entries=message.entries, bytes=size, run=message.apart)
        answer = serve(party, self.name, arrived, size, self._aborted.is_set)
        back, size = self._pass_on(to, self.name, answer)
        party.ledger.note(to, self.name, answer.kind, entries=answer.entries, bytes=size, run=answer.apart)
        self.ledger.note(to, self.name, answer.kind, entries=answer.entries, bytes=size, run=answer.apart)
        return back

    def _pass_on(self, sender: str, receiver: str, message: Message) -> tuple[Message, int]:
        data = message.to_bytes()
        self.hall.hear(sender, receiver, message.verb, data)
        return Message.from_bytes(data)

    def abort(self) -> None:
        self._aborted.set()

    def renew(self) -> None:
        self._aborted.clear()
