"""Randomness as an argument: from the operating system when it protects people, from a seed for experiments.

Both are one ChaCha20 keystream. `system()` takes its key from the operating system and takes a new one after every
gibibyte and in every forked child; `seeded(n)` derives its keys from n, so a run can be repeated, and every passport
says that such a run protects nobody.

Discrete laws are sampled exactly, in integers: no floating-point number decides about a person.
"""

import hashlib
import os
import threading
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError

__all__ = ["Randomness"]

_REKEY = 1 << 30  # bytes drawn under one key; ChaCha20's 32-bit block counter would allow 256 times as many
_ZEROS = memoryview(bytes(1 << 18))  # the keystream is the encryption of zeros; this many at a time stay in L2


class Randomness:
    """A stream of random bytes, words and exact draws. Safe to share between threads and across forks.

    >>> Randomness.seeded(7).integers(6, 5).tolist() == Randomness.seeded(7).integers(6, 5).tolist()
    True
    >>> Randomness.system().describe()
    {'source': 'system', 'generator': 'ChaCha20 keyed by the operating system'}
    """

    def __init__(self, seed: int | None) -> None:
        self._seed = seed
        self._lock = threading.Lock()
        self._keys = 0
        self._left = 0
        self._stream: Any = None
        if seed is None:
            _SYSTEM.add(self)

    @classmethod
    def system(cls) -> "Randomness":
        """Keyed by the operating system: the only source for noise that protects someone."""
        return cls(None)

    @classmethod
    def seeded(cls, seed: int) -> "Randomness":
        """Repeatable, for experiments and tests. The same seed gives the same stream on every machine."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise RequirementError(f"seed={seed!r} must be a whole number of 0 or more", parameter="seed", value=seed)
        return cls(seed)

    def __repr__(self) -> str:
        return "Randomness.system()" if self._seed is None else f"Randomness.seeded({self._seed})"

    @property
    def protects(self) -> bool:
        """Whether this may be used to protect people."""
        return self._seed is None

    def describe(self) -> dict[str, Any]:
        """For the passport: where the randomness came from."""
        if self._seed is None:
            return {"source": "system", "generator": "ChaCha20 keyed by the operating system"}
        return {"source": "seeded", "seed": self._seed, "warning": "repeatable, so it protects nobody"}

    # -- bits -----------------------------------------------------------------------------------------------------

    def fill(self, buffer: NDArray[Any]) -> None:
        """Fill a contiguous array with random bits, in place: the way to feed a kernel."""
        out = buffer.reshape(-1).view(np.uint8).data
        with self._lock:
            at = 0
            while at < len(out):
                if self._left == 0:
                    self._new_key()
                step = min(len(_ZEROS), len(out) - at, self._left)
                self._stream.update_into(_ZEROS[:step], out[at : at + step])
                at += step
                self._left -= step

    def words(self, n: int) -> NDArray[np.uint64]:
        """n random 64-bit words."""
        buffer = np.empty(n, dtype=np.uint64)
        self.fill(buffer)
        return buffer

    def _new_key(self) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

        if self._seed is None:
            key = os.urandom(32)
        else:
            key = hashlib.sha256(f"confide seed {self._seed} key {self._keys}".encode()).digest()
        # A key is used once, so the nonce may be anything.
        self._stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor()
        self._keys += 1
        self._left = _REKEY

    def _forget(self) -> None:
        """In a forked child: draw a new key before the next use, and a fresh lock, for the old one may be held."""
        self._lock = threading.Lock()
        self._left = 0

    # -- exact draws ----------------------------------------------------------------------------------------------

    def integers(self, bound: int, size: int) -> NDArray[np.int64]:
        """`size` whole numbers, each uniform on 0..bound-1, exactly (2 <= bound <= 2^63).

        Bounds up to 2^32 cost four bytes a draw: the high half of word * bound, refused in the few cases where the
        low half shows that the value would be drawn too often (Lemire 2019).
        """
        if isinstance(bound, bool) or not isinstance(bound, int) or not 1 <= bound <= 1 << 63:
            raise RequirementError(
                f"bound={bound!r} must be a whole number from 1 to 2^63", parameter="bound", value=bound
            )
        out = np.empty(size, dtype=np.int64)
        pending: NDArray[np.int64] | slice = slice(None)
        left = size
        while left:
            drawn, accepted = self._draw_small(bound, left) if bound <= 1 << 32 else self._draw_large(bound, left)
            if isinstance(pending, slice) and accepted.all():
                return drawn
            out[pending] = drawn
            rejected = np.flatnonzero(~accepted)
            pending = rejected if isinstance(pending, slice) else pending[rejected]
            left = len(pending)
        return out

    def _draw_small(self, bound: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        words = np.empty(n, dtype=np.uint32)
        self.fill(words)
        product = words.astype(np.uint64) * np.uint64(bound)
        low = product.astype(np.uint32)
        return (product >> np.uint64(32)).astype(np.int64), low >= np.uint32((1 << 32) % bound)

    def _draw_large(self, bound: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        mask = np.uint64((1 << (bound - 1).bit_length()) - 1)
        drawn = self.words(n) & mask
        accepted = drawn < np.uint64(bound)
        return np.where(accepted, drawn, 0).astype(np.int64), accepted

    def bernoulli(self, probability: Fraction | float, size: int) -> NDArray[np.bool_]:
        """`size` draws that are true with exactly this probability; a float counts as the decimal it is written as.

        A uniform number is compared with the probability 32 bits at a time; only a tie, once in four billion draws,
        looks at the next bits.
        """
        p = probability if isinstance(probability, Fraction) else Fraction(repr(float(probability)))
        if not 0 <= p <= 1:
            raise RequirementError(
                f"probability={probability} is not in [0, 1]", parameter="probability", value=probability
            )
        words = np.empty(size, dtype=np.uint32)
        self.fill(words)
        scaled = p * (1 << 32)
        whole = int(scaled)
        if whole == 1 << 32:
            return np.ones(size, dtype=np.bool_)
        out = words < np.uint32(whole)
        ties = np.flatnonzero(words == np.uint32(whole))
        if len(ties) and scaled != whole:
            out[ties] = self.bernoulli(scaled - whole, len(ties))
        return out

    def permutation(self, n: int) -> NDArray[np.int64]:
        """0..n-1 in uniformly random order: sorted by random 64-bit keys, drawn again in the rare case of a tie."""
        while True:
            keys = self.words(n)
            order = np.argsort(keys, kind="stable")
            ranked = keys[order]
            if not np.any(ranked[1:] == ranked[:-1]):
                return order


_SYSTEM: "weakref.WeakSet[Randomness]" = weakref.WeakSet()


def _after_fork() -> None:
    for source in list(_SYSTEM):
        source._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
