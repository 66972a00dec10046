"""Numbers modulo 2**255 - 19 as ristretto255 (RFC 9496) needs them, eight at once: signs, roots, choices by flags.

They are in slots of `_field_kernels`; which slot holds what is laid down here. Neither the steps taken nor the words
read depend on the numbers.
"""

from typing import Any

import numpy as np

from confide.core.runtime.jit import kernel
from confide.join.intersection._field_kernels import LANES, LIMBS, SLOT, add, multiply, square, subtract

__all__ = [
    "A",
    "B",
    "C",
    "CONSTANTS",
    "D",
    "D2",
    "D_MINUS_ONE_SQ",
    "E",
    "ENTRY",
    "F",
    "G",
    "H",
    "INVSQRT_A_MINUS_D",
    "LOW",
    "ONE",
    "ONE_MINUS_D_SQ",
    "OTHER",
    "POINT",
    "R",
    "ROOT",
    "S",
    "SLOTS",
    "SQRT_AD_MINUS_ONE",
    "SUM",
    "TABLE",
    "U",
    "V",
    "ZERO",
    "absolute",
    "canonical",
    "copy",
    "inverse_root",
    "is_odd",
    "is_zero",
    "select",
]

_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)  # the even one of the two square roots of -1


def _even_root(value: int) -> int:
    """The even square root of a square."""
    root = pow(value, (_P + 3) // 8, _P)
    root = root if root * root % _P == value % _P else root * _ROOT % _P
    return _P - root if root & 1 else root


def _constants() -> Any:
    # In the order of the slots below. The RFC fixes which of two roots is meant: that of ad - 1 is the odd one.
    values = (
        0,
        1,
        _D,
        2 * _D % _P,
        _P - _ROOT if _ROOT & 1 else _ROOT,
        _even_root(pow(-1 - _D, -1, _P)),
        (1 - _D * _D) % _P,
        (_D - 1) ** 2 % _P,
        _P - _even_root((-_D - 1) % _P),
    )
    limbs = [[value >> 51 * i & (1 << 51) - 1 for i in range(LIMBS)] for value in values]
    return np.repeat(np.array(limbs, dtype=np.uint64).reshape(-1), LANES)


CONSTANTS = _constants()
# Slots. As numpy's numbers: of each number of Python's own, numba would compile every formula once more.
ZERO, ONE, D, D2, ROOT, INVSQRT_A_MINUS_D, ONE_MINUS_D_SQ, D_MINUS_ONE_SQ, SQRT_AD_MINUS_ONE = np.arange(9)
POINT, OTHER, SUM = np.int64(9), np.int64(13), np.int64(17)  # four slots each
ENTRY, TABLE = np.int64(21), np.int64(25)  # an entry has four slots, the table eight entries
A, B, C, E, F, G, H, R, S, U, V, W = np.arange(57, 69)  # scratch
SLOTS = 69
LOW = (1 << 51) - 1


@kernel
def copy(f: Any, out: int, a: int) -> None:
    for i in range(SLOT):
        f[SLOT * out + i] = f[SLOT * a + i]


@kernel
def power(f: Any, out: int, a: int, times: int) -> None:
    """Slot `out` becomes a, squared `times` times."""
    square(f, out, a)
    for _ in range(times - 1):
        square(f, out, out)


@kernel
def canonical(f: Any, a: int, lane: int, limbs: Any) -> None:
    """The limbs of one number, reduced below p."""
    carry = np.uint64(0)
    for i in range(LIMBS):
        limbs[i] = f[SLOT * a + LANES * i + lane]
    for _ in range(2):
        for i in range(LIMBS):
            value = limbs[i] + carry
            limbs[i], carry = value & np.uint64(LOW), value >> np.uint64(51)
        carry *= np.uint64(19)
    limbs[0] += carry
    # p or more, if adding 19 passes 2**255: then that carry, times 19, is what remains to be added.
    carry = np.uint64(19)
    for i in range(LIMBS):
        carry = (limbs[i] + carry) >> np.uint64(51)
    carry *= np.uint64(19)
    for i in range(LIMBS):
        value = limbs[i] + carry
        limbs[i], carry = value & np.uint64(LOW), value >> np.uint64(51)


@kernel
def is_odd(f: Any, a: int, flags: Any) -> None:
    """Whether each number is odd, which the RFC calls negative."""
    limbs = np.empty(LIMBS, dtype=np.uint64)
    for lane in range(LANES):
        canonical(f, a, lane, limbs)
        flags[lane] = limbs[0] & np.uint64(1)


@kernel
def is_zero(f: Any, a: int, flags: Any) -> None:
    limbs = np.empty(LIMBS, dtype=np.uint64)
    for lane in range(LANES):
        canonical(f, a, lane, limbs)
        flags[lane] = np.uint64((limbs[0] | limbs[1] | limbs[2] | limbs[3] | limbs[4]) == 0)


@kernel
def select(f: Any, out: int, a: int, b: int, flags: Any) -> None:
    """Slot `out` becomes, for each number, a where its flag is 1, and b where it is 0."""
    for lane in range(LANES):
        mask = np.uint64(0) - flags[lane]
        for i in range(LIMBS):
            place = LANES * i + lane
            f[SLOT * out + place] = (f[SLOT * a + place] & mask) | (f[SLOT * b + place] & ~mask)


@kernel
def absolute(f: Any, out: int, a: int, flags: Any) -> None:
    """Slot `out` becomes a, or -a where a is odd; not W."""
    is_odd(f, a, flags)
    subtract(f, W, ZERO, a)
    select(f, out, W, a, flags)


@kernel
def inverse_root(f: Any, u: int, v: int, flags: Any, scratch: Any) -> None:
    """SQRT_RATIO_M1: slot R becomes the even root of u/v, or of i*u/v; flags say which u/v were squares.

    Uses A, B, C, W; u and v must be none of these.
    """
    square(f, A, v)
    multiply(f, A, A, v)  # v**3
    square(f, B, A)
    multiply(f, B, B, v)
    multiply(f, B, B, u)  # u v**7
    multiply(f, R, A, u)  # u v**3
    # B to the power (p - 5) / 8 = 2**252 - 3.
    square(f, A, B)  # 2
    power(f, C, A, 2)  # 8
    multiply(f, C, B, C)  # 9
    multiply(f, A, A, C)  # 11
    square(f, A, A)  # 22
    multiply(f, A, C, A)  # 31 = 2**5 - 1
    power(f, C, A, 5)
    multiply(f, A, C, A)  # 2**10 - 1
    power(f, C, A, 10)
    multiply(f, C, C, A)  # 2**20 - 1
    power(f, W, C, 20)
    multiply(f, C, W, C)  # 2**40 - 1
    power(f, C, C, 10)
    multiply(f, A, C, A)  # 2**50 - 1
    power(f, C, A, 50)
    multiply(f, C, C, A)  # 2**100 - 1
    power(f, W, C, 100)
    multiply(f, C, W, C)  # 2**200 - 1
    power(f, C, C, 50)
    multiply(f, A, C, A)  # 2**250 - 1
    power(f, A, A, 2)
    multiply(f, A, A, B)  # 2**252 - 3
    multiply(f, R, R, A)
    square(f, A, R)
    multiply(f, A, A, v)  # u, -u, i*u or -i*u
    subtract(f, B, A, u)
    is_zero(f, B, flags)
    add(f, B, A, u)
    is_zero(f, B, scratch)  # -u
    for lane in range(LANES):
        flags[lane] |= scratch[lane]
    turned = np.empty(LANES, dtype=np.uint64)
    multiply(f, C, u, ROOT)
    add(f, B, A, C)
    is_zero(f, B, turned)  # -i*u
    for lane in range(LANES):
        turned[lane] |= scratch[lane]
    multiply(f, C, R, ROOT)
    select(f, R, C, R, turned)
    absolute(f, R, R, scratch)
