"""The group ristretto255 (RFC 9496), eight points at once: what a private intersection does with one secret.

    encrypted(points, digits)   each point, decoded, times the secret, encoded; and whether it was a point
    blinded(digests, digits)    each digest of 64 bytes, hashed to a point, times the secret, encoded
    are_points(points)          whether each is the encoding of a point

Bytes in and bytes out are those of libsodium, whose functions are the twins in the tests. `digits` is the secret in 64
digits of four bits, from -8 to 8, lowest first (`signed_digits`). Which steps are taken, and which words are read, does
not depend on it: a table of eight multiples is read whole for each digit. It does depend on where a batch of points
ends, which is no secret.

A point is four slots of `_number_kernels` (X, Y, Z, T), x = X/Z, y = Y/Z, T = XY/Z; an entry of the table is
(Y+X, Y-X, 2Z, 2dT). The names of formulas are those of the RFC.
"""

from typing import Any

import numpy as np

from confide.core.runtime.jit import kernel
from confide.join.intersection._field_kernels import LANES, LIMBS, SLOT, add, chosen, multiply, square, subtract
from confide.join.intersection._number_kernels import (
    CONSTANTS,
    D2,
    D_MINUS_ONE_SQ,
    ENTRY,
    INVSQRT_A_MINUS_D,
    LOW,
    ONE,
    ONE_MINUS_D_SQ,
    OTHER,
    POINT,
    ROOT,
    SLOTS,
    SQRT_AD_MINUS_ONE,
    SUM,
    TABLE,
    ZERO,
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
    R,
    S,
    U,
    V,
    absolute,
    canonical,
    copy,
    inverse_root,
    is_odd,
    is_zero,
    select,
)

__all__ = ["DIGITS", "are_points", "blinded", "encrypted", "signed_digits"]

DIGITS = 64

# -- points -----------------------------------------------------------------------------------------------------------


@kernel
def _doubled(f: Any, p: int, with_t: bool) -> None:
    square(f, A, p)
    square(f, B, p + 1)
    square(f, C, p + 2)
    add(f, C, C, C)
    add(f, E, p, p + 1)
    square(f, E, E)
    add(f, H, A, B)
    subtract(f, G, B, A)
    subtract(f, E, E, H)
    subtract(f, F, C, G)
    multiply(f, p, E, F)
    multiply(f, p + 1, G, H)
    multiply(f, p + 2, F, G)
    if with_t:
        multiply(f, p + 3, E, H)


@kernel
def _added(f: Any, p: int, entry: int) -> None:
    """A point plus an entry of a table."""
    subtract(f, A, p + 1, p)
    multiply(f, A, A, entry + 1)
    add(f, B, p + 1, p)
    multiply(f, B, B, entry)
    multiply(f, C, p + 3, entry + 3)
    multiply(f, G, p + 2, entry + 2)
    subtract(f, E, B, A)
    subtract(f, F, G, C)
    add(f, G, G, C)
    add(f, H, B, A)
    multiply(f, p, E, F)
    multiply(f, p + 1, G, H)
    multiply(f, p + 2, F, G)
    multiply(f, p + 3, E, H)


@kernel
def _entered(f: Any, entry: int, p: int) -> None:
    """A point as an entry of a table."""
    add(f, entry, p + 1, p)
    subtract(f, entry + 1, p + 1, p)
    add(f, entry + 2, p + 2, p + 2)
    multiply(f, entry + 3, p + 3, D2)


@kernel
def _raise(flags: Any, value: bool) -> None:
    for lane in range(LANES):
        flags[lane] = np.uint64(value)


@kernel
def _multiplied(f: Any, p: int, digits: Any) -> None:
    """SUM becomes the point times the secret; the point's slots are used up."""
    flags = np.empty(LANES, dtype=np.uint64)
    _entered(f, TABLE, p)
    for i in range(1, 8):
        _added(f, p, TABLE)  # complete formulas: they double, too
        _entered(f, TABLE + 4 * i, p)
    copy(f, SUM, ZERO)
    copy(f, SUM + 1, ONE)
    copy(f, SUM + 2, ONE)
    copy(f, SUM + 3, ZERO)
    copy(f, OTHER, ONE)  # the neutral entry: (1, 1, 2, 0)
    copy(f, OTHER + 1, ONE)
    add(f, OTHER + 2, ONE, ONE)
    copy(f, OTHER + 3, ZERO)
    for number in range(DIGITS - 1, -1, -1):
        if number < DIGITS - 1:
            _doubled(f, SUM, False)
            _doubled(f, SUM, False)
            _doubled(f, SUM, False)
            _doubled(f, SUM, True)
        digit = np.int64(digits[number])
        negative = digit >> 63  # 0 or -1
        size = (digit ^ negative) - negative
        chosen(f, ENTRY, TABLE, size)
        _raise(flags, size == 0)
        for i in range(4):
            select(f, ENTRY + i, OTHER + i, ENTRY + i, flags)
        # Minus an entry: the first two change places, the last its sign.
        _raise(flags, negative != 0)
        select(f, S, ENTRY + 1, ENTRY, flags)
        select(f, ENTRY + 1, ENTRY, ENTRY + 1, flags)
        copy(f, ENTRY, S)
        subtract(f, S, ZERO, ENTRY + 3)
        select(f, ENTRY + 3, S, ENTRY + 3, flags)
        _added(f, SUM, ENTRY)


@kernel
def _read(f: Any, out: int, lane: int, data: Any, start: int) -> bool:
    """32 bytes as a number, without the top bit; whether they are its one encoding: below p, and the top bit 0."""
    words = np.zeros(4, dtype=np.uint64)
    for i in range(32):
        words[i >> 3] |= np.uint64(data[start + i]) << np.uint64(8 * (i & 7))
    plain = (words[3] >> np.uint64(63)) == 0
    words[3] &= np.uint64((1 << 63) - 1)
    low = np.uint64(LOW)
    at = SLOT * out + lane
    f[at] = words[0] & low
    f[at + LANES] = ((words[0] >> np.uint64(51)) | (words[1] << np.uint64(13))) & low
    f[at + 2 * LANES] = ((words[1] >> np.uint64(38)) | (words[2] << np.uint64(26))) & low
    f[at + 3 * LANES] = ((words[2] >> np.uint64(25)) | (words[3] << np.uint64(39))) & low
    f[at + 4 * LANES] = words[3] >> np.uint64(12)
    above = f[at] >= np.uint64(LOW - 18)
    for i in range(1, LIMBS):
        above &= f[at + LANES * i] == low
    return plain and not above


@kernel
def _decoded(f: Any, p: int, data: Any, first: int, number: int, good: Any) -> None:
    """A point from each of `number` encodings, from `first` on (the rest are zeros); flags say which are points."""
    copy(f, S, ZERO)
    for lane in range(LANES):
        good[lane] = np.uint64(1)
        if lane < number:
            canonical = _read(f, S, lane, data, 32 * (first + lane))
            good[lane] = np.uint64(canonical and data[32 * (first + lane)] & 1 == 0)
    flags, scratch = np.empty(LANES, dtype=np.uint64), np.empty(LANES, dtype=np.uint64)
    square(f, E, S)
    subtract(f, F, ONE, E)  # u1
    add(f, G, ONE, E)  # u2
    square(f, H, G)
    square(f, V, F)
    multiply(f, V, V, D)
    subtract(f, V, ZERO, V)
    subtract(f, V, V, H)
    multiply(f, U, V, H)
    inverse_root(f, ONE, U, flags, scratch)
    for lane in range(LANES):
        good[lane] &= flags[lane]
    multiply(f, E, R, G)  # den_x
    multiply(f, H, R, E)
    multiply(f, H, H, V)  # den_y
    add(f, S, S, S)
    multiply(f, S, S, E)
    absolute(f, p, S, scratch)
    multiply(f, p + 1, F, H)
    copy(f, p + 2, ONE)
    multiply(f, p + 3, p, p + 1)
    is_odd(f, p + 3, flags)
    is_zero(f, p + 1, scratch)
    for lane in range(LANES):
        good[lane] &= np.uint64(1) - (flags[lane] | scratch[lane])


@kernel
def _encoded(f: Any, p: int, out: Any, first: int, number: int) -> None:
    flags, scratch = np.empty(LANES, dtype=np.uint64), np.empty(LANES, dtype=np.uint64)
    add(f, E, p + 2, p + 1)
    subtract(f, F, p + 2, p + 1)
    multiply(f, E, E, F)  # u1
    multiply(f, F, p, p + 1)  # u2
    square(f, U, F)
    multiply(f, U, U, E)
    inverse_root(f, ONE, U, flags, scratch)
    multiply(f, E, R, E)  # den1
    multiply(f, F, R, F)  # den2
    multiply(f, G, E, F)
    multiply(f, G, G, p + 3)  # z_inv
    multiply(f, H, p + 3, G)
    is_odd(f, H, flags)  # rotate
    multiply(f, H, p, ROOT)
    multiply(f, U, p + 1, ROOT)
    multiply(f, V, E, INVSQRT_A_MINUS_D)
    select(f, U, U, p, flags)  # x
    select(f, H, H, p + 1, flags)  # y
    select(f, V, V, F, flags)  # den_inv
    multiply(f, U, U, G)
    is_odd(f, U, flags)
    subtract(f, S, ZERO, H)
    select(f, H, S, H, flags)
    subtract(f, S, p + 2, H)
    multiply(f, S, V, S)
    absolute(f, S, S, scratch)
    limbs = np.empty(LIMBS, dtype=np.uint64)
    words = np.empty(4, dtype=np.uint64)
    for lane in range(number):
        canonical(f, S, lane, limbs)
        words[0] = limbs[0] | limbs[1] << np.uint64(51)
        words[1] = limbs[1] >> np.uint64(13) | limbs[2] << np.uint64(38)
        words[2] = limbs[2] >> np.uint64(26) | limbs[3] << np.uint64(25)
        words[3] = limbs[3] >> np.uint64(39) | limbs[4] << np.uint64(12)
        for i in range(32):
            out[32 * (first + lane) + i] = (words[i >> 3] >> np.uint64(8 * (i & 7))) & np.uint64(255)


@kernel
def _mapped(f: Any, p: int, t: int) -> None:
    """MAP: a point from a number (Elligator 2); t must be none of the scratch slots but S."""
    flags, scratch = np.empty(LANES, dtype=np.uint64), np.empty(LANES, dtype=np.uint64)
    square(f, E, t)
    multiply(f, E, E, ROOT)  # r
    add(f, U, E, ONE)
    multiply(f, U, U, ONE_MINUS_D_SQ)
    multiply(f, V, E, D)
    subtract(f, F, ZERO, ONE)
    subtract(f, V, F, V)
    add(f, G, E, D)
    multiply(f, V, V, G)
    inverse_root(f, U, V, flags, scratch)
    multiply(f, G, R, t)
    absolute(f, G, G, scratch)
    subtract(f, G, ZERO, G)  # s'
    select(f, G, R, G, flags)  # s
    select(f, H, F, E, flags)  # c
    subtract(f, E, E, ONE)
    multiply(f, H, H, E)
    multiply(f, H, H, D_MINUS_ONE_SQ)
    subtract(f, H, H, V)  # N
    multiply(f, A, G, V)
    add(f, A, A, A)  # w0
    multiply(f, B, H, SQRT_AD_MINUS_ONE)  # w1
    square(f, C, G)
    subtract(f, E, ONE, C)  # w2
    add(f, F, ONE, C)  # w3
    multiply(f, p, A, F)
    multiply(f, p + 1, E, B)
    multiply(f, p + 2, B, F)
    multiply(f, p + 3, A, E)


# -- many points ------------------------------------------------------------------------------------------------------


@kernel
def _file(constants: Any) -> Any:
    f = np.zeros(SLOT * SLOTS, dtype=np.uint64)
    for i in range(len(constants)):
        f[i] = constants[i]
    return f


@kernel
def _encrypted(data: Any, digits: Any, out: Any, valid: Any, constants: Any) -> None:
    f = _file(constants)
    good = np.empty(LANES, dtype=np.uint64)
    for first in range(0, len(valid), LANES):
        number = min(LANES, len(valid) - first)
        _decoded(f, POINT, data, first, number, good)
        for lane in range(number):
            valid[first + lane] = good[lane] == 1
        if len(digits):
            _multiplied(f, POINT, digits)
            _encoded(f, SUM, out, first, number)


@kernel
def _blinded(data: Any, digits: Any, out: Any, constants: Any) -> None:
    f = _file(constants)
    points = len(out) // 32
    for first in range(0, points, LANES):
        number = min(LANES, points - first)
        for half in range(2):
            copy(f, S, ZERO)
            for lane in range(number):
                _read(f, S, lane, data, 64 * (first + lane) + 32 * half)
            _mapped(f, POINT if half == 0 else OTHER, S)
        _entered(f, ENTRY, OTHER)
        _added(f, POINT, ENTRY)
        _multiplied(f, POINT, digits)
        _encoded(f, SUM, out, first, number)


def signed_digits(secret: bytes) -> Any:
    """A number below the order of the group as 64 digits of four bits, from -8 to 8, lowest first.

    >>> signed_digits((9 + 16 * 3).to_bytes(32, "little"))[:3].tolist()
    [-7, 4, 0]
    """
    digits = np.empty(DIGITS, dtype=np.int8)
    carry = 0
    for place in range(DIGITS):
        digit = (secret[place // 2] >> 4 * (place % 2) & 15) + carry
        carry = (digit + 8) >> 4
        digits[place] = digit - (carry << 4)
    digits[-1] += carry << 4
    return digits


def encrypted(points: bytes, digits: Any) -> tuple[bytes, Any]:
    """Each point of 32 bytes times the secret, in order, and flags: which of them were points of the group."""
    out, valid = np.empty(len(points), dtype=np.uint8), np.empty(len(points) // 32, dtype=np.bool_)
    _encrypted(np.frombuffer(points, dtype=np.uint8), digits, out, valid, CONSTANTS)
    return out.tobytes(), valid


def blinded(digests: bytes, digits: Any) -> bytes:
    """Each digest of 64 bytes, hashed to a point, times the secret, in order."""
    out = np.empty(len(digests) // 2, dtype=np.uint8)
    _blinded(np.frombuffer(digests, dtype=np.uint8), digits, out, CONSTANTS)
    return out.tobytes()


def are_points(points: bytes) -> Any:
    """Flags: which of these 32 bytes each are the encoding of a point (that of the identity is one)."""
    valid = np.empty(len(points) // 32, dtype=np.bool_)
    nothing = np.empty(0, dtype=np.uint8)
    _encrypted(np.frombuffer(points, dtype=np.uint8), np.empty(0, dtype=np.int8), nothing, valid, CONSTANTS)
    return valid
