"""Private intersection of two sites' join values, by commutative encryption.

Agrawal, Evfimievski and Srikant (SIGMOD 2003), on the group ristretto255. Each side hashes its values to points of the
group, H(x), and has a secret number, a or b. Multiplying a point by a secret is encryption, and it commutes:

    A: a*H(x), shuffled            --- start --->
                                   <--- answer ---    B: b*(a*H(x)) in the order they came; b*H(y), shuffled
    A: a*(b*H(y)) in that order    --- finish --->
    both: the values whose doubly encrypted points are in both lists are shared; their points, sorted, number them

From b*H(y) nobody learns y, not even by guessing y (the decisional Diffie-Hellman assumption, hashes as a random
oracle). Each side learns which of its own values the other has, and how many values the other has. It does not learn
the other's remaining values. Both are taken to follow the steps: a side that invents values learns whether the other
has those.

ristretto255 has prime order, so no bit of a value shows in its point (a plain X25519 ladder reveals, by curve or twist,
one bit of each), and a point has one encoding, so comparing bytes compares points. `ristretto` does the arithmetic, on
all cores. The secrets live as long as the object.

Cost: per value of either side a hash onto the group and two multiplications, 170 microseconds of one busy core; and
some 4 of Python that no second core shares.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.randomness import Randomness
from confide.core.runtime.threads import cores
from confide.join.intersection.ristretto import POINT, NotAPoint, Secret, are_points
from confide.join.protocol.key_encoding import encode_key

__all__ = ["POINT", "Answer", "IntersectionParty", "cut_into_points", "private_intersection"]

_DOMAIN = b"confide join intersection, ristretto255, SHA-512, version 1"
_IDENTITY = bytes(POINT)


class Answer(NamedTuple):
    """B's message: A's points, doubly encrypted in A's order, and B's own, singly encrypted and shuffled."""

    doubled: bytes
    blinded: bytes


class IntersectionParty:
    """One side of the protocol, for any transport: messages are bytes, each step may be taken once and in its order.

        A = IntersectionParty(values)        B = IntersectionParty(values)
        started = A.start()                  answer = B.answer(started)
        finished = A.finish(answer)          B.conclude(finished)

    Afterwards `shared` holds, at each side, the positions in its own `values` of those the other has too; the k-th
    entry at A and at B is the same value, so k serves as that value's number in every later message.

    `values` may be any mix of text, whole numbers, decimals, floats, dates, times and bytes, or tuples of these for
    composite keys; NULL and NaN are refused. A repeated value counts once, at its first position, so a message shows
    nothing of repetitions. `context` separates uses: sides that name different contexts share nothing.
    `workers` is the number of threads, by default all cores. `max_ratio` is how many times as many values as this side
    the other may bring; a side that brings more is refused before it learns which of them are here (None: any number).
    Without it whoever lists a small domain whole, every birth date or postcode, reads the other's whole set.
    """

    def __init__(
        self,
        values: Iterable[Any],
        *,
        context: str = "",
        workers: int | None = None,
        max_ratio: float | None = None,
    ):
        values = _column(values)
        self._workers = workers if workers is not None else cores()
        self._secret = Secret(workers=self._workers)
        first: dict[bytes, int] = {}
        for position, value in enumerate(values):
            first.setdefault(encode_key(value), position)
        # Shuffled once, before anything is computed: every later order is this one, or the other side's.
        order = Randomness.system().permutation(len(first))
        self._positions = np.fromiter(first.values(), dtype=np.int64, count=len(first))[order]
        encodings = list(first)
        self._encodings: list[bytes] = [encodings[i] for i in order]
        self._prefix = _DOMAIN + len(context.encode()).to_bytes(8, "big") + context.encode()
        self._most = None if max_ratio is None else max_ratio * len(first)
        self._step = "new"
        self._mine = b""  # own points, singly encrypted: to recognise them if they come back
        self._doubled = b""  # at B: A's points doubly encrypted
        self._shared: NDArray[np.int64] | None = None
        self._others: int | None = None

    def __len__(self) -> int:
        """How many different values this side has: the number the other side learns."""
        return len(self._positions)

    @property
    def shared(self) -> NDArray[np.int64]:
        """Positions in `values` of the shared ones, in the order that both sides know."""
        if self._shared is None:
            raise UsageError("the intersection is not finished: start, answer, finish, conclude")
        return self._shared

    @property
    def others(self) -> int:
        """How many different values the other side has, which this side learns."""
        if self._others is None:
            raise UsageError("the other side has sent nothing yet")
        return self._others

    def prepare(self) -> "IntersectionParty":
        """Encrypt own values before the other side is there; without it, the first step does so."""
        if not self._mine:
            self._mine = self._blind()
        return self

    def start(self) -> bytes:
        """A's first message: its own points, encrypted and shuffled."""
        self._advance("new", "started")
        return self.prepare()._mine

    def answer(self, started: bytes) -> Answer:
        """B's message: A's points doubly encrypted, and B's own."""
        self._advance("new", "answered")
        self._check_size(started, "first message")
        self.prepare()
        self._doubled = self._take(started, "first message")
        return Answer(doubled=self._doubled, blinded=self._mine)

    def finish(self, answer: Answer) -> bytes:
        """A's last message, B's points doubly encrypted in B's order; from here A knows what is shared."""
        self._advance("started", "finished")
        own = cut_into_points(answer.doubled, "answer")
        self._check(own, "answer")
        finished = self._take(answer.blinded, "answer")
        self._compare(own=own, other=cut_into_points(finished, "answer"))
        return finished

    def conclude(self, finished: bytes) -> None:
        """B takes A's last message; from here B knows what is shared."""
        self._advance("answered", "finished")
        own = cut_into_points(finished, "last message")
        self._check(own, "last message")
        self._compare(own=own, other=cut_into_points(self._doubled, "first message"))

    def _take(self, message: bytes, name: str) -> bytes:
        """The other side's points, if they are not too many, doubly encrypted."""
        self._check_size(message, name)
        points = cut_into_points(message, name)
        self._others = len(points)
        return self._encrypt(points, name)

    def _check_size(self, message: bytes, name: str) -> None:
        if self._most is not None and len(message) > POINT * self._most:
            raise CannotMeetError(
                f"private intersection: the {name} holds {len(message) // POINT:,} values against {len(self):,} here, "
                f"and {int(self._most):,} are allowed; a side that lists all values there can be would read this side's"
            )

    def _advance(self, expected: str, then: str) -> None:
        if self._step != expected:
            raise UsageError(f"this step belongs to a side that is {expected}, but this one is {self._step}")
        self._step = then

    def _blind(self) -> bytes:
        points = self._secret.blind(self._encodings, prefix=self._prefix, label="encrypting own join values")
        self._encodings = []
        return points

    def _encrypt(self, points: list[bytes], message: str) -> bytes:
        """The other side's points times this side's secret, in their order; anything else is refused."""
        if not set(points).isdisjoint(cut_into_points(self._mine, "own message")):
            raise InputError(f"private intersection: the {message} holds points that this side has sent itself")
        try:
            return self._secret.encrypt(b"".join(points), label="encrypting the other side's join values")
        except NotAPoint:
            raise _no_point(message) from None

    def _check(self, points: list[bytes], message: str) -> None:
        """Own points on their return. They are only compared, yet bytes that are not a point show a fault."""
        if len(points) != len(self):
            raise InputError(
                f"private intersection: the {message} returns {len(points):,} points of the {len(self):,} sent"
            )
        if not are_points(b"".join(points), workers=self._workers, label="checking points"):
            raise _no_point(message)

    def _compare(self, *, own: list[bytes], other: list[bytes]) -> None:
        theirs = set(other)
        found = sorted((point, i) for i, point in enumerate(own) if point in theirs)
        self._shared = self._positions[np.array([i for _, i in found], dtype=np.int64)]


def private_intersection(
    left: Iterable[Any], right: Iterable[Any], *, context: str = "", workers: int | None = None
) -> list[Any]:
    """The values both sides have, found as two sites find them, with both sides in this process.

    In the order both sides know, which differs from run to run: it comes from their secrets. Between sites, use
    `IntersectionParty` at each.

    >>> sorted(private_intersection(["ada", "bob", "cyd"], ["bob", "cyd", "dan", "bob"]))
    ['bob', 'cyd']
    """
    values = list(_column(left))
    a = IntersectionParty(values, context=context, workers=workers)
    b = IntersectionParty(right, context=context, workers=workers)
    b.conclude(a.finish(b.answer(a.start())))
    return [values[i] for i in a.shared]


def _column(values: Iterable[Any]) -> Iterable[Any]:
    """Refuse what would be taken apart into something else: a path into letters, a frame into names of columns."""
    apart = isinstance(values, str | bytes | Mapping) or getattr(values, "ndim", 1) != 1 or hasattr(values, "columns")
    if apart or not isinstance(values, Iterable):
        raise UsageError(
            f"values to compare are a list, or one column of a frame, not {type(values).__name__}; "
            "of a file, read the column first"
        )
    return values


def cut_into_points(message: bytes, name: str) -> list[bytes]:
    """A message cut into points: whole, none twice (two equal points would reveal equal values), none the identity."""
    if len(message) % POINT:
        raise InputError(f"private intersection: the {name} ends in the middle of a point")
    points = [message[at : at + POINT] for at in range(0, len(message), POINT)]
    different = set(points)
    if len(different) < len(points):
        raise InputError(f"private intersection: the {name} holds a point twice")
    if _IDENTITY in different:  # a point for libsodium, but one that every secret leaves as it is
        raise _no_point(name)
    return points


def _no_point(message: str) -> InputError:
    return InputError(f"private intersection: the {message} holds bytes that are not a point of ristretto255")
