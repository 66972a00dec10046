"""Schemes whose devices answer one block of fields: their gamma from the law in the passport, and answers that fit it.

A block is drawn by weights that do not depend on the record, and seen by everybody; so gamma is the largest of a
block's. Within a block an answer's chance takes two values, with and without the true combination in what it supports:

    k-ary              g/(g + k - 1)                 against 1/(g + k - 1)
    unary              p (1 - q)                     against q (1 - p), for two combinations of which one is sent
    hashing            as k-ary over the buckets: the function is drawn independently of the record
    subset selection   c/C(k - 1, w - 1)             against (1 - c)/C(k - 1, w), c = w g/(w g + k - w)

A question about a basket is one block over the asked sets and blanks. Its k-ary answer is about one of `pad` slots,
drawn: with g = 1 + pad (gamma - 1) the slot that differs counts g against 1, the other slots 1 each, so the ratio is
(g + pad - 1)/pad. What is hashed may agree in all slots, and keeps the ratio of the law.
"""

import math
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from confide.audit.verifiers.collected.scheme_parts import SchemeFault, is_number, read_fields, read_universe
from confide.core.artefacts.passes import ReleasedTable
from confide.core.datasets.stored_table import StoredTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BLOCK_KINDS", "answers_fault", "block_epsilon"]

BLOCK_KINDS = ("unary-encoding", "local-hashing", "subset-selection", "sampled-design", "basket-question")

_MOST_CELLS = 1 << 20
_ANSWER = re.compile(r"(?:0|[1-9][0-9]{0,9})(?: (?:0|[1-9][0-9]{0,9}))*", re.ASCII)


class _Block(NamedTuple):
    """The combinations of its fields, the name of its law, and the law's entries."""

    cells: int
    law: str
    entries: Mapping[str, Any]


def block_epsilon(scheme: Mapping[str, Any]) -> float:
    """ln of the largest ratio of two records' chances to give the same answer."""
    gamma: Any = scheme.get("gamma")
    if not is_number(gamma) or not gamma > 1:
        raise SchemeFault("gamma must be a number above 1")
    if scheme["scheme"] == "basket-question":
        return _basket_epsilon(scheme, float(gamma))
    return max(_LAWS[block.law](block, float(gamma)) for block in _blocks(scheme))


def _blocks(scheme: Mapping[str, Any]) -> list[_Block]:
    if scheme["scheme"] == "basket-question":
        return [_basket_block(scheme)]
    fields = read_fields(scheme)
    sizes = {part["name"]: len(part["values"]) for part in fields}
    kind = scheme["scheme"]
    if kind != "sampled-design":
        law = {"unary-encoding": "unary", "local-hashing": "hashing"}.get(kind, kind)
        return [_block(list(sizes), law, scheme, sizes)]
    blocks = scheme.get("blocks")
    if not isinstance(blocks, list) or not blocks:
        raise SchemeFault("a design asks for no subset of the fields")
    found = []
    for part in blocks:
        if not isinstance(part, Mapping) or not isinstance(part.get("law"), str) or part["law"] not in _LAWS:
            raise SchemeFault("a subset is answered by an unknown law")
        names, weight = part.get("fields"), part.get("weight")
        if (
            not isinstance(names, list)
            or not names
            or any(not isinstance(name, str) or name not in sizes for name in names)
        ):
            raise SchemeFault("a subset asks for something that is not a field")
        if isinstance(weight, bool) or not isinstance(weight, int) or weight < 1:
            raise SchemeFault("the weight of a subset is not a whole number of 1 or more")
        found.append(_block(names, part["law"], part, sizes))
    return found


def _block(names: list[str], law: str, entries: Mapping[str, Any], sizes: Mapping[str, int]) -> _Block:
    if len(set(names)) < len(names):
        raise SchemeFault("a subset asks for a field twice")
    cells = math.prod(sizes[name] for name in names)
    if cells > _MOST_CELLS:
        raise SchemeFault("a subset has more combinations than an answer can tell apart")
    return _Block(cells, law, entries)


def _whole(block: _Block, name: str, least: int, most: int) -> int:
    value = block.entries.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SchemeFault(f"{name} must be a whole number from {least} to {most}")
    return value


def _basket_epsilon(scheme: Mapping[str, Any], gamma: float) -> float:
    block, pad = _basket_block(scheme), scheme["pad"]
    if block.law == "hashing" or scheme["asks"] == "count":
        return _LAWS[block.law](block, gamma)
    inner = math.exp(_kary_epsilon(block, 1 + pad * (gamma - 1)))
    return math.log((inner + pad - 1) / pad)


def _basket_block(scheme: Mapping[str, Any]) -> _Block:
    """The block over asked sets and `pad` blanks, or over the counts 0 to `pad`."""
    asked, pad, sets, law = read_universe(scheme)[0], scheme.get("pad"), scheme.get("sets"), scheme.get("law")
    if isinstance(pad, bool) or not isinstance(pad, int) or pad < 1:
        raise SchemeFault("pad must be a whole number of 1 or more")
    if sets is not None:
        if not isinstance(sets, list) or not sets or any(not _is_set(one, asked) for one in sets):
            raise SchemeFault("the asked sets are not lists of positions of items")
        asked = len(sets)
    if scheme.get("asks") not in ("sample", "count") or law not in ("k-ary", "hashing"):
        raise SchemeFault("a basket is asked for something unknown, or answered by an unknown law")
    return _Block(pad + (asked if scheme["asks"] == "sample" else 1), law, scheme)


def _is_set(positions: Any, n: int) -> bool:
    whole = isinstance(positions, list) and all(type(i) is int and 0 <= i < n for i in positions)
    return whole and bool(positions) and all(a < b for a, b in pairwise(positions))


# -- the laws --------------------------------------------------------------------------------------------------------


def _kary_epsilon(block: _Block, gamma: float) -> float:
    own, other = gamma / (gamma + block.cells - 1), 1 / (gamma + block.cells - 1)
    return math.log(own / other)


def _unary_epsilon(block: _Block, gamma: float) -> float:
    symmetric = block.entries.get("symmetric", False)
    if not isinstance(symmetric, bool):
        raise SchemeFault("symmetric must be true or false")
    root = math.sqrt(gamma)
    p, q = (root / (1 + root), 1 / (1 + root)) if symmetric else (0.5, 1 / (1 + gamma))
    return math.log(p / q) + math.log((1 - q) / (1 - p))


def _hashing_epsilon(block: _Block, gamma: float) -> float:
    buckets = _whole(block, "buckets", 2, _MOST_CELLS)
    prime = _whole(block, "prime", max(2, block.cells), (1 << 31) - 1)
    if any(prime % divisor == 0 for divisor in range(2, math.isqrt(prime) + 1)):
        raise SchemeFault("prime is not a prime number")
    return _kary_epsilon(_Block(buckets, "k-ary", {}), gamma)


def _subset_epsilon(block: _Block, gamma: float) -> float:
    k = block.cells
    w = _whole(block, "chosen", 1, k - 1)
    inside = w * gamma / (w * gamma + k - w)
    # C(k-1, w) / C(k-1, w-1) = (k - w)/w
    return math.log(inside / (1 - inside)) + math.log((k - w) / w)


_LAWS: dict[str, Callable[[_Block, float], float]] = {
    "k-ary": _kary_epsilon,
    "unary": _unary_epsilon,
    "hashing": _hashing_epsilon,
    "subset-selection": _subset_epsilon,
}


# -- the answers -----------------------------------------------------------------------------------------------------


def answers_fault(artefact: Any, scheme: Mapping[str, Any]) -> str:
    """What keeps a table from holding answers of this scheme; empty if nothing does."""
    from confide.core.tables.frames import to_table

    table = artefact if isinstance(artefact, StoredTable | ReleasedTable) else to_table(artefact)
    if list(table.column_names) != ["question", "answer"]:
        return "the columns are not question and answer"
    job = _Faults(tuple(_blocks(scheme)))
    if isinstance(table, StoredTable | ReleasedTable):
        return table.fold(job, label="looking at answers")
    return job.look(table)


class _Faults:
    """The auditor's pass over answers: the first thing that no device could have sent."""

    shared = False

    def __init__(self, blocks: tuple[_Block, ...]):
        self.blocks = blocks

    def begin(self) -> str:
        """Nothing wrong yet."""
        return ""

    def add(self, state: str, batch: "pa.RecordBatch") -> str:
        """What is wrong with these answers, unless something was before."""
        return state or self.look(batch)

    def merge(self, one: str, other: str) -> str:
        """What is wrong with either."""
        return one or other

    def look(self, rows: Any) -> str:
        """What is wrong with the first answer that does not fit."""
        names = {str(b): block for b, block in enumerate(self.blocks)}
        for question, answer in zip(rows.column(0).to_pylist(), rows.column(1).to_pylist(), strict=True):
            block = names.get(str(question))
            if block is None:
                return f"a question is not one of the scheme's {len(self.blocks)}"
            text = "" if answer is None else str(answer)
            if text and not _ANSWER.fullmatch(text):
                return "an answer is not made of whole numbers"
            if not _is_answer(block, [int(part) for part in text.split()]):
                return "an answer is not one that its question can have"
        return ""


def _is_answer(block: _Block, codes: list[int]) -> bool:
    if block.law == "hashing":
        prime, buckets = block.entries["prime"], block.entries["buckets"]
        return len(codes) == 3 and 0 < codes[0] < prime and codes[1] < prime and codes[2] < buckets
    fixed = {"k-ary": 1, "subset-selection": block.entries.get("chosen")}.get(block.law)
    if fixed is not None and len(codes) != fixed:
        return False
    return all(code < block.cells for code in codes) and all(a < b for a, b in pairwise(codes))
