"""A secret number of the group ristretto255, and what a private intersection does with it to many points at once.

    Secret.blinded     messages, hashed to points, times the secret
    Secret.encrypted   points of another side, times the secret
    are_points         whether all bytes are encodings of points

libsodium does the arithmetic, by way of `rbcl`: about 50 microseconds a multiplication. All cores are used: it does not
hold the interpreter's lock.

libsodium takes an encoding with the top bit set for that without it; RFC 9496 refuses it, and so do we: with two
encodings of a point, comparing bytes would not compare points.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from confide.core.runtime.extras import require
from confide.core.runtime.progress import task
from confide.core.runtime.threads import in_threads

__all__ = ["POINT", "NotAPoint", "Secret", "are_points"]

T = TypeVar("T")

POINT = 32
"""Bytes of an encoded point; many are laid end to end."""

_PIECE = 1024  # points per piece of work: some 50 ms, so that no core waits long for the last


class NotAPoint(ValueError):
    """Bytes that are no encoding of a point."""


class Secret:
    """A number drawn at random, that lives as long as this object. `workers` is the number of threads."""

    def __init__(self, *, workers: int):
        self._number: bytes = sodium().crypto_core_ristretto255_scalar_random()
        self._workers = workers

    def blind(self, messages: Sequence[bytes], *, prefix: bytes, label: str) -> bytes:
        """Each message, after `prefix`, hashed to a point (SHA-512) and multiplied, in their order."""

        def blind(piece: Sequence[bytes]) -> bytes:
            by, number = sodium(), self._number
            digests = (hashlib.sha512(prefix + message).digest() for message in piece)
            points = map(by.crypto_core_ristretto255_from_hash, digests)
            return b"".join(by.crypto_scalarmult_ristretto255(number, point) for point in points)

        return b"".join(_spread(blind, messages, 1, self._workers, label))

    def encrypt(self, points: bytes, *, label: str) -> bytes:
        """Each point multiplied, in their order; NotAPoint if one is none, or the identity."""
        return b"".join(_spread(self._multiply, points, POINT, self._workers, label))

    def _multiply(self, points: bytes) -> bytes:
        by, number = sodium(), self._number
        try:
            return b"".join(by.crypto_scalarmult_ristretto255(number, _one_encoding(point)) for point in _cut(points))
        except RuntimeError:  # libsodium multiplies nothing but points of the group
            raise NotAPoint from None


def are_points(points: bytes, *, workers: int, label: str) -> bool:
    """Whether every 32 bytes are the encoding of a point."""
    return all(_spread(_check_points, points, POINT, workers, label))


def _check_points(points: bytes) -> bool:
    check = sodium().crypto_core_ristretto255_is_valid_point
    return all(point[-1] < 128 and check(point) for point in _cut(points))


def _one_encoding(point: bytes) -> bytes:
    """The point itself; NotAPoint where the top bit makes it a second encoding of another."""
    if point[-1] >= 128:
        raise NotAPoint
    return point


def _cut(points: bytes) -> list[bytes]:
    return [points[at : at + POINT] for at in range(0, len(points), POINT)]


def _spread(work: Callable[[Any], T], items: Any, unit: int, workers: int, label: str) -> list[T]:
    """`work` on pieces of `items`, each of `unit` places, on all cores; results in order."""
    pieces = [items[start : start + unit * _PIECE] for start in range(0, len(items), unit * _PIECE)]
    if not pieces:
        return []
    left = len(items) // unit
    with task(label, total=left) as step:

        def more(pieces: int) -> None:
            nonlocal left
            points = min(left, pieces * _PIECE)  # the last piece may be a smaller one
            left -= points
            step(points)

        return in_threads(work, pieces, threads=workers, step=more)


@cache
def sodium() -> Any:
    """The module that brings libsodium."""
    rbcl = require("rbcl", extra="join")
    # At import it unpacks the library into a temporary file that it never removes; once loaded, nobody needs it.
    with suppress(OSError, AttributeError, KeyError):
        os.unlink(sys.modules["rbcl._sodium"].lib_path)
    return rbcl
