"""Who can split a node best, without telling how well: gains stay hidden, only the winner is opened.

Each site gives its best score at every node of a level as Shamir shares, one to every party; comparisons are computed
on the shares (mpyc; Toft's protocol), and only the winner's number is put together again. Any minority of the parties,
pooling all they have seen, learns nothing more. So three parties are needed: with two, mpyc's threshold is 0 and a
"share" is the score itself. Two sites take the coordinator, or any helper who has no table, as the third.

All parties are taken to follow the protocol. Every one of them learns the winner at each node, which the tree shows
anyway; nobody learns a score, a difference or who came second.

A party is a process (`confide.join.hidden.hidden_party`), started here, linked to the others by mutual TLS.
"""

import ipaddress
import json
import queue
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, MissingExtraError, RequirementError, UnreachableError, UsageError
from confide.core.runtime.threads import in_threads

__all__ = [
    "LARGEST",
    "NOBODY",
    "ComparisonCredentials",
    "HiddenComparison",
    "LocalComparison",
    "check_parties",
    "new_session",
]

NOBODY = -1
"""The winner where no site has a split; also the score of a site that has none."""

LARGEST = 1 << 62
"""The largest score that can be compared."""


@dataclass(frozen=True, kw_only=True)
class ComparisonCredentials:
    """Paths of PEM files: this party's certificate and key, and the authority that signed every party's."""

    certificate: str | PathLike[str]
    key: str | PathLike[str]
    authority: str | PathLike[str]


def check_parties(sites: Sequence[str], parties: Sequence[str]) -> None:
    """Refuse a comparison that would hide nothing.

    `sites` have scores; `parties` are these and all others that take part.

    >>> check_parties(["hospital", "insurer"], ["hospital", "insurer", "registry"])
    """
    if len(set(parties)) != len(parties) or not set(sites) <= set(parties):
        raise UsageError(
            f"parties of a hidden comparison are different, and every site is one of them; not {', '.join(parties)}"
        )
    if len(parties) < 3:
        raise RequirementError(
            f"hide_gains needs three parties, not {len(parties)}: with two, a share of a score is the score; "
            "let the coordinator, or a helper without a table, take part as the third"
        )


class HiddenComparison:
    """This party's place in a hidden comparison; keep it for a whole training run, then `close` it.

        mine = HiddenComparison("hospital", host="10.0.0.1", credentials=...)
        ... every party sends the coordinator `mine.address`, and gets all addresses and a session's number ...
        mine.connect({"hospital": "10.0.0.1:4711", ...}, sites=["hospital", "insurer"], session=...)
        winners = mine.winners(scores)                        the same call, at the same time, at every party

    `host` and `port` are where this party listens for the others; port 0 takes a free one. Without `credentials`
    only loopback addresses are taken. `deadline` is how many seconds to wait for the others at each step. `sent` holds
    the bytes sent to each of the others so far, for the ledger.
    """

    def __init__(
        self,
        name: str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        credentials: ComparisonCredentials | None = None,
        deadline: float = 60.0,
    ):
        if credentials is None and not _is_loopback(host):
            raise UsageError(f"a hidden comparison between machines needs certificates; {host} is another machine")
        if find_spec("mpyc") is None:  # not imported: that would set up logging, and read this process's command line
            raise MissingExtraError("mpyc", "join")
        self.name, self.deadline = name, deadline
        self._credentials = credentials
        self._largest: int | None = None
        self._parties: list[str] = []
        self.sent: dict[str, int] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "confide.join.hidden.hidden_party"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._ask({"listen": [host, port]})
        at = f"[{host}]" if ":" in host else host
        self.address = f"{at}:{self._answer('listen')['port']}"

    def connect(
        self, addresses: Mapping[str, str], *, sites: Sequence[str], session: str, largest: int = LARGEST
    ) -> None:
        """Link with every other party. All must name the same addresses, in the same order, and all else alike.

        `sites` are the parties with scores, in the order that breaks ties. `session` is 32 hex digits that one
        party draws (`new_session`): strays of another run are cut off. `largest` is the largest score there can be, if
        that is known: time grows with its length in bits.
        """
        parties = list(addresses)
        check_parties(sites, parties)
        if not 1 <= largest <= LARGEST:
            raise RequirementError(
                f"largest={largest} cannot be the largest score; use 1 to 2**62", parameter="largest", value=largest
            )
        if self.name not in addresses:
            raise UsageError(f"{self.name} is not a party of this hidden comparison")
        places = [_split(address) for address in addresses.values()]
        if self._credentials is None and not all(_is_loopback(host) for host, _ in places):
            raise UsageError(
                f"a hidden comparison between machines needs certificates; at {', '.join(addresses.values())}"
            )
        tls = None
        if self._credentials is not None:
            files = ("certificate", "key", "authority")
            tls = {name: str(getattr(self._credentials, name)) for name in files}
        self._ask(
            {
                "me": parties.index(self.name),
                "parties": [[name, *place] for name, place in zip(parties, places, strict=True)],
                "contestants": [parties.index(site) for site in sites],
                "bits": (largest + 1).bit_length() + 1,  # the difference of two scores from -1 to largest fits
                "session": session,
                "tls": tls,
            }
        )
        self._answer("find the other parties")
        self._largest, self._parties = largest, parties

    def winners(self, scores: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int32]:
        """For each node, the place in `sites` of the highest score, the earliest of equals, or NOBODY.

        `scores` are this party's, one for each node, from 0 to `largest`, NOBODY where it has no split; a party that is
        no site gives as many of any. Every party must ask for as many nodes.
        """
        if self._largest is None:
            raise UsageError("connect the hidden comparison first")
        plain = [int(score) for score in scores]
        if any(not NOBODY <= score <= self._largest for score in plain):
            raise InputError(f"a score outside 0..{self._largest} cannot be compared")
        if not plain:
            return np.empty(0, dtype=np.int32)
        self._ask({"scores": plain})
        answer = self._answer("compare")
        self.sent = {
            name: count for name, count in zip(self._parties, answer["sent"], strict=True) if name != self.name
        }
        return np.array(answer["winners"], dtype=np.int32)

    def close(self) -> None:
        """End this party's process; the others' comparison ends with it."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # an order that a dead process never took
            self._process.stdin.close()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> "HiddenComparison":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _ask(self, order: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):  # ended, or closed: the answer says why
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()

    def _answer(self, step: str) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=self.deadline)
        except queue.Empty:
            self.close()
            raise UnreachableError(f"hidden comparison: could not {step} within {self.deadline:g} s") from None
        answer = json.loads(line) if line else {"error": f"could not {step}: this party's process ended"}
        if "error" in answer:
            self.close()
            kind = InputError if answer.get("exit") == InputError.exit_code else UnreachableError
            raise kind(f"hidden comparison: {answer['error']}")
        return answer


class LocalComparison:
    """All parties of a hidden comparison on this machine, one process each: for trials and benchmarks.

    The protocol is the real one, the secrecy is not: this process gives every party's scores.

    >>> with LocalComparison(["hospital", "insurer"], helper="registry") as local:
    ...     local.winners([[5, 7, -1], [5, 9, -1]]).tolist()
    [0, 1, -1]
    """

    def __init__(
        self, sites: Sequence[str], *, helper: str | None = None, largest: int = LARGEST, deadline: float = 60.0
    ):
        parties = [*sites, *([helper] if helper is not None else [])]
        check_parties(sites, parties)
        self._sites = len(sites)
        begin = partial(HiddenComparison, deadline=deadline)
        self._parties = in_threads(begin, parties, threads=len(parties))
        addresses = {party.name: party.address for party in self._parties}
        session = new_session()
        self._each(lambda party, _: party.connect(addresses, sites=sites, session=session, largest=largest))

    def winners(self, scores: Sequence[Sequence[int]] | NDArray[np.int64]) -> NDArray[np.int32]:
        """The winner at each node; `scores` has a row for each site."""
        if len(scores) != self._sites:
            raise UsageError(f"scores of {len(scores)} sites for a comparison of {self._sites}")
        rows = [*scores, *([[NOBODY] * len(scores[0])] * (len(self._parties) - self._sites))]
        heard = self._each(lambda party, number: party.winners(rows[number]))
        if any(not np.array_equal(one, heard[0]) for one in heard):
            raise UnreachableError("the parties of the hidden comparison disagree")
        return heard[0]

    def _each(self, step: Callable[[HiddenComparison, int], Any]) -> list[Any]:
        """One step of every party, at the same time."""
        many = len(self._parties)
        try:
            return in_threads(lambda number: step(self._parties[number], number), range(many), threads=many)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End every party's process."""
        for party in self._parties:
            party.close()

    def __enter__(self) -> "LocalComparison":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def new_session() -> str:
    """A number for `HiddenComparison.connect` that nobody can guess."""
    return secrets.token_hex(16)


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UsageError(f"an address of a hidden comparison is HOST:PORT, not {address!r}")
    return host.strip("[]"), int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
