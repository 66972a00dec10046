"""Slow twins of the noise by blocks: exact numbers, one draw at a time, everything added up afresh."""

import hashlib
import math
from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

__all__ = ["cleaned_error", "draw", "release", "window_noise"]


def cleaned_error(width: float, rate: float) -> float:
    """E[Var(n | n + z)], every pair of a count and a noise by itself; `width` is that of exp(-x^2 / (2 width))."""
    noise = {z: math.exp(-z * z / (2 * width)) for z in range(-60, 61)}
    whole = math.fsum(noise.values())
    prior = {
        n: math.exp(n * math.log(rate) - rate - math.lgamma(n + 1)) for n in range(int(rate + 15 * rate**0.5) + 40)
    }
    seen: dict[int, list[tuple[int, float]]] = {}
    for n, p in prior.items():
        for z, q in noise.items():
            seen.setdefault(n + z, []).append((n, p * q / whole))
    left = 0.0
    for pairs in seen.values():
        chance = math.fsum(p for _, p in pairs)
        if chance > 0:
            mean = math.fsum(n * p for n, p in pairs) / chance
            left += math.fsum((n - mean) ** 2 * p for n, p in pairs)
    return left


def draw(law, key: bytes, items, slot: int) -> int:
    """One draw from a law, by the definition of the keyed function."""

    def derive(words):
        return hashlib.shake_256(b"confide stream noise 1\0" + words.encode() + b"\0" + key).digest(32)

    lanes = [0, 0]
    for item in items:
        code = hashlib.shake_256(derive("items") + item.encode()).digest(16)
        lanes = [(lanes[i] + int.from_bytes(code[8 * i : 8 * i + 8], "little")) % 2**64 for i in (0, 1)]
    text = lanes[0].to_bytes(8, "little") + (lanes[1] ^ slot).to_bytes(8, "little")
    words = f"draw {law.first} {' '.join(map(str, law.weights))}"
    mixed = Cipher(algorithms.AES(derive(words)), modes.ECB()).encryptor().update(text)
    return law.first + bisect_right(list(accumulate(law.weights)), int.from_bytes(mixed[:8], "little") >> 11)


def window_noise(noise, key: bytes, items, newest: int) -> int:
    """A and every z of the window, cut at u."""
    first = newest - noise.blocks + 1
    if noise.requirement.span == "release":
        nodes = [(0, newest)]
    elif noise.requirement.span == "run":
        nodes = [(0, b) for b in range(first, newest + 1)]
    else:
        nodes = []
        todo = set(range(first, newest + 1))
        for level in range(30, -1, -1):  # the largest nodes that lie within the window
            for b in sorted(todo):
                covered = range(b, b + (1 << level))
                if b % (1 << level) == 0 and todo.issuperset(covered):
                    nodes.append((level, b >> level))
                    todo -= set(covered)
    total = 0 if noise.permanent is None else draw(noise.permanent, key, items, 0)
    total += sum(draw(noise.block, key, items, (16 + level) << 56 | number) for level, number in nodes)
    return max(-noise.reach, min(noise.reach, total))


def release(noise, key: bytes, true, newest: int, records: int) -> dict[frozenset[str], int]:
    """What is published of {set: support}."""
    out = {}
    for items, support in true.items():
        value = support + window_noise(noise, key, items, newest)
        low, high = noise.threshold, records - noise.requirement.vulnerable - noise.reach - 1
        if low <= value <= high and support >= low - noise.reach:
            out[frozenset(items)] = value
    return out


def variance(law) -> Fraction:
    return Fraction(sum((law.first + i) ** 2 * w for i, w in enumerate(law.weights)), sum(law.weights))
