"""Draws by key, itemset and block: the same ones whenever they are asked for, with nothing to remember.

    item   --SHAKE-256 under the key-->  128 bits          an itemset is the sum of its items, lane by lane
    (itemset, slot)  --AES-256 under the key-->  128 bits, of which 53 draw from the law

A slot says what is drawn: what stays, block number b, a node of the tree. It is added to one lane of
the itemset by exclusive or. Two different sets have the same sum with a chance of 2^-128, whatever the sets are.

AES is keyed by the law too: noise of two widths from the same bits would give itself away by the difference.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from confide.core.errors import UsageError
from confide.stream.noise import NoiseLaw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Ints = NDArray[np.int64]

__all__ = ["STAYS", "KeyedNoise", "experiment_key", "slot_of"]

KEY_BYTES = 32
STAYS = 0
"""The slot of what never changes."""

_BITS = 53
_FIRST_LEVEL = 16  # slots below this level are kept for what is no node
_NUMBERS = (1 << 56) - 1
_MOST_LABELS = 1 << 18


def slot_of(level: int, number: int) -> int:
    """The slot of a node of the tree; blocks, and releases by their newest block, are level 0."""
    return (_FIRST_LEVEL + level) << 56 | number & _NUMBERS


def experiment_key(seed: int) -> bytes:
    """A key that anybody can make: for experiments."""
    return hashlib.shake_256(b"confide stream experiment %d" % seed).digest(KEY_BYTES)


class KeyedNoise:
    """Draws under a key of 32 bytes.

    >>> law = NoiseLaw.uniform(1 << 4)
    >>> noise = KeyedNoise(bytes(32))
    >>> noise.draw(law, noise.codes(["a", "b"]), [STAYS]).shape
    (2, 1)
    """

    def __init__(self, key: bytes):
        if not isinstance(key, bytes) or len(key) != KEY_BYTES:
            raise UsageError(f"the key of a stream's noise is {KEY_BYTES} bytes; make one with os.urandom({KEY_BYTES})")
        self._key = key
        self._items = self.derive("items")
        self._codes: dict[str, tuple[int, int]] = {}
        self._ciphers: dict[NoiseLaw, tuple[Any, Ints]] = {}

    @property
    def name(self) -> str:
        """Sixteen hexadecimal digits that name the key, and say nothing about it."""
        return self.derive("name", 8).hex()

    def derive(self, purpose: str, size: int = KEY_BYTES) -> bytes:
        """Bytes for another purpose, which say nothing about the key or about noise."""
        return hashlib.shake_256(b"confide stream noise 1\0" + purpose.encode() + b"\0" + self._key).digest(size)

    def codes(self, labels: Sequence[str]) -> "Words":
        """Two words for each label."""
        import numpy as np

        if len(self._codes) > _MOST_LABELS:
            self._codes.clear()
        known = self._codes
        for label in labels:
            if label not in known:
                found = hashlib.shake_256(self._items + label.encode()).digest(16)
                known[label] = int.from_bytes(found[:8], "little"), int.from_bytes(found[8:], "little")
        return np.array([known[label] for label in labels], dtype=np.uint64).reshape(len(labels), 2)

    def draw(self, law: NoiseLaw, codes: "Words", slots: "Sequence[int] | Words") -> "Ints":
        """One draw for each itemset (two words a row) and slot: a row an itemset, a column a slot."""
        import numpy as np

        cipher, ends = self._cipher(law)
        wanted = np.empty((len(codes), len(slots), 2), dtype=np.uint64)
        wanted[:, :, 0] = codes[:, :1]
        wanted[:, :, 1] = codes[:, 1:] ^ np.asarray(slots, dtype=np.uint64)
        mixed = np.frombuffer(cipher.update(wanted.tobytes()), dtype="<u8")[::2]
        bits = (mixed >> np.uint64(64 - _BITS)).astype(np.int64)
        found = law.first + np.searchsorted(ends, bits, side="right")
        return found.reshape(len(codes), len(slots))

    def _cipher(self, law: NoiseLaw) -> "tuple[Any, Ints]":
        import numpy as np

        if law not in self._ciphers:
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

            if law.total > 1 << _BITS or (1 << _BITS) % law.total:
                raise UsageError("a keyed law has weights that sum to a power of two, at most 2^53")
            words = f"draw {law.first} {' '.join(map(str, law.weights))}"
            cipher = Cipher(algorithms.AES(self.derive(words)), modes.ECB())  # each input is used for one draw
            ends = np.cumsum(np.array(law.weights, dtype=np.int64) * ((1 << _BITS) // law.total))
            self._ciphers[law] = cipher.encryptor(), ends
        return self._ciphers[law]
