"""Families of itemsets far too large to list, as zero-suppressed decision diagrams: exact counts, in time
proportional to the nodes of the diagram.

The nuggets of connect at 40% are 339,915,255 itemsets; their diagram has some thousand nodes. A family is made once,
by a recipe of operations, and then only counted and cut down: how many of its sets hold each item is one pass up and
one pass down, and suppressing an item (keeping the sets without it) is another pass.

The rarest item is on top: the few records that hold it make a small diagram of their own, and what is below it is
shared. The kernels (`_zdd_kernels`, `_zdd_count_kernels`) work on levels, 0 on top; here they become item codes.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import SupportsInt

import numpy as np
from numpy.typing import NDArray

__all__ = ["Builder", "Counts", "DecisionDiagram", "Sets", "TooLargeError", "build", "levels_by_support"]

_FIRST_NODES, _MOST_NODES = 1 << 18, 1 << 24  # 70 bytes each, touched only when used
_EXACT_BITS = 62
_PRIME_BITS = 30


class TooLargeError(Exception):
    """A diagram would have more nodes than we allow; policy turns this into a refusal."""


@dataclass(frozen=True)
class Sets:
    """Itemsets as two flat arrays: set i is items[starts[i]:starts[i + 1]]."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]


@dataclass(frozen=True)
class Counts:
    """How many sets a family has, and how many hold each item: int64, or Python integers when those may overflow."""

    total: int
    per_item: NDArray[np.int64] | NDArray[np.object_]


def levels_by_support(supports: NDArray[np.int64], keep: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The item code of each level: the rarest kept item on top, equally rare ones by code."""
    kept = np.flatnonzero(keep)
    return kept[np.argsort(supports[kept], kind="stable")].astype(np.int32)


def build(
    recipe: "Callable[[Builder], int]", codes: NDArray[np.int32], *, most_nodes: int | None = None
) -> "DecisionDiagram":
    """Run `recipe` (operations of a `Builder` that end in one family) over items `codes`, top level first.

    A store that proves too small is replaced by one four times as large, and the recipe starts again; beyond
    `most_nodes` (16 million if not given) it raises `TooLargeError`.

    >>> pairs = Sets(np.array([0, 2, 4]), np.array([0, 1, 1, 2], dtype=np.int32))
    >>> sorted(build(lambda made: made.subsets(pairs), np.arange(3, dtype=np.int32)).sets())
    [(), (0,), (0, 1), (1,), (1, 2), (2,)]
    """
    most_nodes = most_nodes or _MOST_NODES
    nodes = min(_FIRST_NODES, most_nodes)
    while True:
        builder = Builder(codes, nodes)
        try:
            root = recipe(builder)
        except _FullError:
            if nodes >= most_nodes:
                raise TooLargeError(f"a decision diagram of more than {most_nodes:,} nodes") from None
            nodes = min(4 * nodes, most_nodes)
        else:
            return builder.finished(root)


class _FullError(Exception):
    pass


class Builder:
    """Operations on families over one order of items, in one store of nodes. Families are numbers."""

    def __init__(self, codes: NDArray[np.int32], nodes: int) -> None:
        from confide.publish.transactions.families._diagram_kernels import FULL, DiagramStore

        self.codes = codes
        self._level_of = np.full(int(codes.max(initial=-1)) + 1, -1, dtype=np.int32)
        self._level_of[codes] = np.arange(len(codes), dtype=np.int32)
        self._full = FULL
        slots = 1 << (nodes - 1).bit_length()
        level, lo, hi = (np.zeros(nodes, dtype=np.int32) for _ in range(3))
        key_f, key_g, answer = (np.zeros(4 * slots, dtype=np.int32) for _ in range(3))
        table, used = np.zeros(2 * slots, dtype=np.int32), np.array([2, 0, 0], dtype=np.int64)
        stack = np.zeros(2 * (4 * len(codes) + 8), dtype=np.int64)  # at most two pairs more per level passed
        self._store = DiagramStore(level, lo, hi, table, key_f, key_g, answer, used, stack)
        self._store.level[:2] = np.iinfo(np.int32).max

    def family(self, sets: Sets) -> int:
        """The family of these sets; items that have no level are left out of them."""
        from confide.publish.transactions.families._diagram_count_kernels import in_levels, in_order
        from confide.publish.transactions.families._diagram_kernels import family

        level_of = np.full(max(len(self._level_of), int(sets.items.max(initial=-1)) + 1), -1, dtype=np.int32)
        level_of[: len(self._level_of)] = self._level_of
        starts, levels = in_levels(sets.starts, sets.items, level_of, len(self.codes))
        return self._checked(family(self._store, starts, levels, in_order(starts, levels, len(self.codes))))

    def subsets(self, sets: Sets, longest: int | None = None) -> int:
        """All subsets of these sets, the empty one included, of at most `longest` items."""
        from confide.publish.transactions.families._diagram_kernels import down_closure

        longest = self._limit(longest)
        return self._checked(down_closure(self._store, self.family(sets), longest))

    def minus(self, f: int, g: int) -> int:
        """The sets of f that are not in g."""
        return self._combined("DIFFERENCE", f, g)

    def supersets(self, f: int, g: int) -> int:
        """The sets of f that hold some set of g, an antichain."""
        return self.minus(f, self._combined("NON_SUPERSETS", f, g))

    def minimal(self, f: int) -> int:
        """The sets of f that hold no other set of f."""
        from confide.publish.transactions.families._diagram_kernels import minimal

        return self._checked(minimal(self._store, f))

    def finished(self, root: int) -> "DecisionDiagram":
        """What belongs to `root`, as a diagram of its own."""
        store = self._store
        return DecisionDiagram(store.level, store.lo, store.hi, root, self.codes).without(())

    def _combined(self, operation: str, f: int, g: int) -> int:
        from confide.publish.transactions.families import _diagram_kernels as _zdd_kernels

        return self._checked(_zdd_kernels.combine(self._store, getattr(_zdd_kernels, operation), f, g))

    def _limit(self, longest: int | None) -> int:
        return 0 if longest is None or longest >= len(self.codes) else longest

    def _checked(self, answer: SupportsInt) -> int:
        if self._store.used[self._full]:
            raise _FullError
        return int(answer)


@dataclass(frozen=True, eq=False, repr=False)
class DecisionDiagram:
    """A finished family: `level`, `lo` and `hi` of its nodes, children first; `codes[level]` is the item."""

    level: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    root: int
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of nodes, without the two that every diagram has."""
        return max(0, self.root - 1)

    def __repr__(self) -> str:
        return f"<Diagram of {len(self):,} nodes>"

    def counts(self, n_items: int, longest: int | None = None) -> Counts:
        """Count the sets of at most `longest` items: all of them, and those that hold each of `n_items` items.

        Exact whatever the size: numbers that may pass 62 bits are found modulo several primes and put together.
        """
        from confide.publish.transactions.families._diagram_count_kernels import counts, log2_size

        n = len(self.codes)
        limit = 0 if longest is None or longest >= n else longest
        bits = log2_size(self.lo, self.hi, self.root)
        found: NDArray[np.int64] | NDArray[np.object_]
        if bits < _EXACT_BITS:
            found = counts(self.level, self.lo, self.hi, self.root, n, limit, 0)
            per_item: NDArray[np.int64] | NDArray[np.object_] = np.zeros(n_items, dtype=np.int64)
        else:
            primes = _primes(math.ceil((bits + 1) / _PRIME_BITS))
            found = _joined(
                [counts(self.level, self.lo, self.hi, self.root, n, limit, prime) for prime in primes], primes
            )
            per_item = np.zeros(n_items, dtype=np.object_)
        per_item[self.codes] = found[:-1]
        return Counts(int(found[-1]), per_item)

    def without(self, items: Iterable[int]) -> "DecisionDiagram":
        """The sets that hold none of these items."""
        from confide.publish.transactions.families._diagram_count_kernels import without_levels

        gone = np.isin(self.codes, np.array(sorted(items), dtype=np.int32))
        level, lo, hi, root = without_levels(self.level, self.lo, self.hi, self.root, gone)
        return DecisionDiagram(level, lo, hi, int(root), self.codes)

    def held_alone(self, items: Iterable[int]) -> set[int]:
        """Those of these items that are the only one of them in some set."""
        from confide.publish.transactions.families._diagram_count_kernels import held_alone

        gone = np.isin(self.codes, np.array(sorted(items), dtype=np.int32))
        return set(self.codes[held_alone(self.level, self.lo, self.hi, self.root, gone)].tolist())

    def sets(self) -> Iterator[tuple[int, ...]]:
        """The sets themselves, as ascending codes; meant for small families."""
        path: list[tuple[int, tuple[int, ...]]] = [(self.root, ())]
        while path:
            node, held = path.pop()
            if node == 1:
                yield tuple(sorted(held))
            elif node > 1:
                path.append((int(self.hi[node]), (*held, int(self.codes[self.level[node]]))))
                path.append((int(self.lo[node]), held))

    def smallest(self) -> tuple[int, ...]:
        """A set of the fewest items; the family must not be empty."""
        fewest = [math.inf, 0.0]
        for node in range(2, self.root + 1):
            fewest.append(min(fewest[self.lo[node]], fewest[self.hi[node]] + 1))
        held, node = [], self.root
        while node > 1:
            if fewest[self.lo[node]] <= fewest[self.hi[node]] + 1:
                node = int(self.lo[node])
            else:
                held.append(int(self.codes[self.level[node]]))
                node = int(self.hi[node])
        return tuple(sorted(held))


def _primes(n: int) -> list[int]:
    """The n largest primes below 2**31 (each holds more than 30 bits)."""
    found: list[int] = []
    candidate = 2**31 - 1
    while len(found) < n:
        if _is_prime(candidate):
            found.append(candidate)
        candidate -= 2
    return found


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test with bases that decide every odd n below 3,215,031,751."""
    twos = (n - 1 & 1 - n).bit_length() - 1
    for base in (2, 3, 5, 7):
        x = pow(base, (n - 1) >> twos, n)
        if x not in (1, n - 1) and not any((x := x * x % n) == n - 1 for _ in range(twos - 1)):
            return False
    return True


def _joined(residues: list[NDArray[np.int64]], primes: list[int]) -> NDArray[np.object_]:
    """The numbers below the product of the primes with these residues (Chinese remainder theorem, Garner's form)."""
    value = residues[0].astype(np.object_)
    product = primes[0]
    for residue, prime in zip(residues[1:], primes[1:], strict=True):
        value = value + product * ((residue - value) * pow(product, -1, prime) % prime)
        product *= prime
    return value
