"""Answers by their definitions: the exact law of each, by enumeration; estimates from blocks by least squares."""

import itertools
from fractions import Fraction

import numpy as np

__all__ = ["answer_law", "block_law", "dense_estimates", "pair_chances"]

Law = dict[tuple[int, ...], Fraction]


def answer_law(law, value: int) -> Law:
    """{answer: chance} for a true value, from the words that describe the law, not from its own code."""
    g, k = law.gamma, law.size
    if law.kind == "k-ary":
        return {(v,): (g if v == value else Fraction(1)) / (g + k - 1) for v in range(k)}
    if law.kind == "unary":
        p, q = (law.root / (1 + law.root), 1 / (1 + law.root)) if law.symmetric else (Fraction(1, 2), 1 / (g + 1))
        found = {}
        for bits in itertools.product((0, 1), repeat=k):
            chance = Fraction(1)
            for v, bit in enumerate(bits):
                one = p if v == value else q
                chance *= one if bit else 1 - one
            found[tuple(v for v, bit in enumerate(bits) if bit)] = chance
        return found
    if law.kind == "subset-selection":
        weights = {s: g if value in s else Fraction(1) for s in itertools.combinations(range(k), law.chosen)}
        total = sum(weights.values())
        return {s: weight / total for s, weight in weights.items()}
    found = {}
    for a, b in itertools.product(range(1, law.prime), range(law.prime)):
        own = (a * value + b) % law.prime % law.buckets
        for bucket in range(law.buckets):
            each = (g if bucket == own else Fraction(1)) / (g + law.buckets - 1)
            found[a, b, bucket] = each / (law.prime * (law.prime - 1))
    return found


def supports(law, answer: tuple[int, ...], value: int) -> bool:
    """Whether an answer speaks for a value."""
    if law.kind == "hashing":
        a, b, bucket = answer
        return (a * value + b) % law.prime % law.buckets == bucket
    return value in answer


def pair_chances(law, truth: int, one: int, other: int) -> Fraction:
    """The chance that an answer speaks for both values."""
    known = answer_law(law, truth).items()
    return sum((chance for a, chance in known if supports(law, a, one) and supports(law, a, other)), Fraction(0))


def block_law(scheme, codes: tuple[int, ...]) -> Law:
    """{(question, *answer): chance} for a true record."""
    total = sum(block.weight for block in scheme.blocks)
    found = {}
    for number, block in enumerate(scheme.blocks):
        value = 0
        for i in block.positions:
            value = value * scheme.fields.sizes[i] + codes[i]
        for answer, chance in answer_law(block.law, value).items():
            found[number, *answer] = chance * block.weight / total
    return found


def _contrasts(size: int) -> np.ndarray:
    """An orthonormal basis whose first column is constant."""
    return np.linalg.qr(np.c_[np.ones(size), np.eye(size)[:, 1:]])[0]


def dense_estimates(scheme, tally) -> np.ndarray:
    """Shares of all cells by generalised least squares: noise alike in all cells of a block, shares adding up to 1.

    The noise of a cell of a block is its variance at even shares, of each interaction's margin as `design_estimates`
    has it; here a dense system over all margins of all blocks, of the least norm where cells are not told apart.
    """
    sizes = scheme.fields.sizes
    cells = list(itertools.product(*(range(size) for size in sizes)))
    rows, values, weights = [np.ones(len(cells))], [1.0], [1e6]
    for b, block in enumerate(scheme.blocks):
        if tally.people[b] == 0:
            continue
        p, q = float(block.law.p), float(block.law.q)
        shares = ((tally.supports[b] / tally.people[b] - q) / (p - q)).reshape([sizes[i] for i in block.positions])
        for size in range(1, len(block.positions) + 1):
            for part in itertools.combinations(range(len(block.positions)), size):
                basis = [_contrasts(sizes[i]) for i in block.positions]
                margin = int(np.prod([sizes[block.positions[k]] for k in part]))
                variance = block.law.moments.variance(block.law.size / margin, 1 / margin) / tally.people[b]
                for columns in itertools.product(*(range(1, sizes[block.positions[k]]) for k in part)):
                    chosen = dict(zip(part, columns, strict=True))
                    contrast = np.ones(())
                    for k in range(len(block.positions)):
                        vector = basis[k][:, chosen[k]] if k in chosen else np.ones(sizes[block.positions[k]])
                        contrast = np.multiply.outer(contrast, vector)
                    rows.append(np.array([contrast[tuple(cell[i] for i in block.positions)] for cell in cells]))
                    values.append(float((contrast * shares).sum()))
                    weights.append(1 / np.sqrt(variance))
    system = np.array(rows) * np.array(weights)[:, None]
    found, *_ = np.linalg.lstsq(system, np.array(values) * np.array(weights), rcond=None)
    return found.reshape(sizes)
