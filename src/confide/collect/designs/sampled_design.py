"""Sampling designs: each person answers one of a public list of subsets of the fields, drawn on the device.

Whoever answers a few fields instead of all spends all of gamma on them. With six fields and gamma 19 that makes
supports of single values forty times as accurate as perturbing the whole record (`GammaDiagonal`), and of pairs
fourteen times. The drawing does not look at the record, so it reveals nothing; `design_estimates` puts the answers
together again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.answers.answer_laws import PRIME, Hashing, Kary, SubsetLaw, Unary, is_prime, read_law
from confide.collect.designs.block_scheme import BlockScheme, check_bound
from confide.collect.designs.field_blocks import (
    BLOCK_SCHEMES,
    MOST_BLOCKS,
    Block,
    best_law,
    cells_of,
    law_for,
    subsets_of,
)
from confide.collect.fields.field import plain
from confide.collect.fields.fields import Fields, is_record
from confide.collect.schemes.scheme import exact, only
from confide.core.errors import InputError, RequirementError
from confide.core.tables.frames import to_table

__all__ = ["SampledDesign"]

_MOST_WEIGHT = 1 << 40


@dataclass(frozen=True, kw_only=True, init=False)
class SampledDesign(BlockScheme):
    """Each person answers one subset of the fields, under the whole gamma.

    `size` asks all subsets of so many fields (default 3), or `subsets` lists them by names. A larger subset gives
    longer itemsets and noisier short ones. `scheme` says how a subset is answered, one name for all or one for each:
    "k-ary", "unary", "symmetric-unary", "hashing", "subset-selection", or "auto" for what errs least. `weights`, whole
    numbers, say how often each subset is drawn (default: all alike). `skipped` is a value for questions that people
    leave out: every field gets it as a value of its own, so that skipping is protected like any other answer.

    >>> design = SampledDesign(domains={"sex": ["f", "m"], "ill": ["no", "yes"], "age": 4}, gamma=19, size=2)
    >>> [len(block.positions) for block in design.blocks], design.amplification().gamma
    ([2, 2, 2], 19.0)
    """

    kind = "sampled-design"

    blocks: tuple[Block, ...] = ()
    skipped: str | None = None

    def __init__(
        self,
        *,
        domains: Any,
        gamma: float,
        size: int | None = None,
        subsets: Sequence[Sequence[str]] | None = None,
        scheme: str | Sequence[str] = "auto",
        weights: Sequence[int] | None = None,
        skipped: str | None = None,
        blocks: Sequence[Block] | None = None,
    ) -> None:
        """`blocks` is how a scheme file gives subsets, laws and weights at once."""
        object.__setattr__(self, "domains", _with_skipped(Fields.of(domains), skipped))
        object.__setattr__(self, "gamma", gamma)
        object.__setattr__(self, "skipped", skipped)
        self.__post_init__()
        if blocks is None:
            if size is not None and subsets is not None:
                raise RequirementError(
                    f"give size={size} or subsets, not both: size stands for all subsets of so many",
                    parameter="size",
                    value=size,
                )
            chosen = subsets_of(self.fields, 3 if size is None else size) if subsets is None else self._read(subsets)
            blocks = self._make_blocks(chosen, scheme, weights)
        object.__setattr__(self, "blocks", tuple(blocks))
        self._check_blocks()

    def _read(self, subsets: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
        if isinstance(subsets, str) or any(isinstance(names, str) for names in subsets):
            raise RequirementError("subsets must be a list of lists of field names, such as [['age', 'sex'], ['ill']]")
        found = []
        for names in subsets:
            positions = [self.fields.position(name) for name in names]
            if not positions or len(set(positions)) < len(positions):
                raise RequirementError(f"a subset lists no field, or one twice: {list(names)}")
            found.append(tuple(sorted(positions)))
        return found

    def _make_blocks(
        self, chosen: Sequence[tuple[int, ...]], scheme: str | Sequence[str], weights: Sequence[int] | None
    ) -> list[Block]:
        names = [scheme] * len(chosen) if isinstance(scheme, str) else list(scheme)
        given = [1] * len(chosen) if weights is None else list(weights)
        if len(names) != len(chosen) or len(given) != len(chosen):
            raise RequirementError(
                f"{len(names)} schemes and {len(given)} weights for {len(chosen)} subsets; give one for each"
            )
        unknown = [name for name in names if name not in BLOCK_SCHEMES]
        if unknown:
            raise RequirementError(
                f"scheme={unknown[0]!r} is not a way to answer; use: {', '.join(BLOCK_SCHEMES)}",
                parameter="scheme",
                value=unknown[0],
            )
        made = []
        for positions, name, weight in zip(chosen, names, given, strict=True):
            size = cells_of(self.fields, positions)
            sizes = [self.fields.sizes[i] for i in positions]
            law = best_law(sizes, gamma=self.gamma) if name == "auto" else law_for(name, size=size, gamma=self.gamma)
            made.append(Block(positions, law, weight))
        return made

    def _check_blocks(self) -> None:
        if not 1 <= len(self.blocks) <= MOST_BLOCKS:
            raise RequirementError(f"{len(self.blocks)} subsets; a design has 1 to {MOST_BLOCKS:,}")
        for block in self.blocks:
            weight: Any = block.weight
            if isinstance(weight, bool) or not isinstance(weight, int) or not 1 <= weight <= _MOST_WEIGHT:
                raise RequirementError(
                    f"weight={weight} is not how often a subset is drawn; use whole numbers from 1",
                    parameter="weight",
                    value=weight,
                )
        missing = set(range(len(self.fields))) - {i for block in self.blocks for i in block.positions}
        if missing:
            raise RequirementError(
                f"no subset asks for {self.fields.names[min(missing)]!r}; add one, or leave the field out"
            )

    def _at(self, gamma: float) -> BlockScheme:
        blocks = [_block_at(block, gamma) for block in self.blocks]
        return SampledDesign(domains=self.fields, gamma=gamma, skipped=self.skipped, blocks=blocks)

    def encode_truth(self, records: Any) -> NDArray[np.int32]:
        """The codes of true records, a missing value becoming `skipped` where the design has it."""
        if self.skipped is None or isinstance(records, np.ndarray):
            return super().encode_truth(records)
        if is_record(records):
            return super().encode_truth(self._fill_record(records))
        if isinstance(records, Sequence):
            return super().encode_truth([self._fill_record(record) for record in records])
        table = to_table(records)
        for i, name in enumerate(table.column_names):
            column = table[name].cast("string").fill_null(self.skipped)
            table = table.set_column(i, name, _replace_empty(column, self.skipped))
        return super().encode_truth(table)

    def _fill_record(self, record: Any) -> Any:
        def fill(value: Any) -> Any:
            return self.skipped if value is None or value == "" else value

        if isinstance(record, Mapping):
            return {**dict.fromkeys(self.fields.names, self.skipped), **{k: fill(v) for k, v in record.items()}}
        return [fill(value) for value in record]

    def _over(self, fields: Fields) -> BlockScheme:
        """Subsets within the kept fields, and those cut down to them."""
        sizes = fields.sizes
        made: dict[tuple[int, ...], Block] = {}
        for block in self.blocks:
            kept = tuple(i for i in block.positions if i < len(fields))
            if kept and kept not in made:
                made[kept] = Block(kept, _law_over(block, sizes, kept), block.weight)
        return SampledDesign(domains=fields, gamma=self.gamma, blocks=list(made.values()))

    @cached_property
    def _unasked(self) -> tuple[tuple[str, str], ...]:
        """Pairs of fields that no subset asks for together."""
        names = self.fields.names
        pairs = ((i, j) for j in range(len(names)) for i in range(j))
        return tuple((names[i], names[j]) for i, j in pairs if not self.covers((i, j)))

    def mining_notes(self) -> tuple[str, ...]:
        notes = super().mining_notes()
        widest = max(len(block.positions) for block in self.blocks)
        if widest > 1 and self._unasked:
            a, b = self._unasked[0]
            said = (
                f"{len(self._unasked):,} pairs of fields are never asked together ({a} and {b} is one): nothing is "
                "estimated for them"
            )
            notes += (said,)
        return notes

    # -- as JSON --------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        blocks = [
            {
                "fields": [self.fields.names[i] for i in block.positions],
                "law": block.law.kind,
                **block.law.parameters(),
                "weight": block.weight,
            }
            for block in self.blocks
        ]
        found = {"fields": self.fields.to_list(), "gamma": plain(self.gamma), "blocks": blocks}
        return found if self.skipped is None else {**found, "skipped": self.skipped}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "SampledDesign":
        only(data, cls.kind, ["fields", "gamma", "blocks"], ["skipped"])
        fields = Fields.from_list(data["fields"])
        skipped = data.get("skipped")
        if skipped is not None and any(skipped not in field.values for field in fields):
            raise InputError("skipped must be a value of every field")
        check_bound(data["gamma"])
        if not isinstance(data["blocks"], list):
            raise InputError(f"blocks must be a list, not {type(data['blocks']).__name__}")
        blocks = [_read_block(part, fields, data["gamma"]) for part in data["blocks"]]
        return cls(domains=fields, gamma=data["gamma"], blocks=blocks, skipped=skipped)


def _read_block(part: Any, fields: Fields, gamma: float) -> Block:
    if not isinstance(part, Mapping) or not {"fields", "law", "weight"} <= set(part):
        raise InputError("a block has fields, law, weight, and the entries of its law")
    names = part["fields"]
    if not isinstance(names, list) or any(not isinstance(name, str) or name not in fields.names for name in names):
        raise InputError(
            f"a block asks for something that is not a field of the scheme; its fields are: {', '.join(fields.names)}"
        )
    positions = tuple(fields.position(name) for name in names)
    if not positions or list(positions) != sorted(set(positions)):
        raise InputError(f"the fields of a block stand in the scheme's order, each once: {', '.join(fields.names)}")
    entries = {name: value for name, value in part.items() if name not in ("fields", "law", "weight")}
    law = read_law(part["law"], entries, size=cells_of(fields, positions), gamma=exact(gamma))
    return Block(positions, law, part["weight"])


def _replace_empty(column: Any, value: str) -> Any:
    """A column of text, its empty texts replaced."""
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(column, ""), value, column)


def _with_skipped(fields: Fields, skipped: str | None) -> Fields:
    """The fields, each with this value for a question that was left out; those that have it already stay."""
    if skipped is None:
        return fields
    made = []
    for field in fields:
        if field.edges is not None:
            raise RequirementError(
                f"field {field.name!r} is cut at edges and has no value for a skipped question; list its values instead"
            )
        made.append(field if skipped in field.values else replace(field, values=(*field.values, skipped)))
    return Fields(tuple(made))


def _block_at(block: Block, gamma: float) -> Block:
    """The same block answered under another gamma, its parameters the best for that."""
    law = block.law
    kind = "symmetric-unary" if isinstance(law, Unary) and law.symmetric else law.kind
    return replace(block, law=law_for(kind, size=law.size, gamma=gamma))


def _law_over(block: Block, sizes: Sequence[int], kept: tuple[int, ...]) -> Any:
    size = 1
    for i in kept:
        size *= sizes[i]
    law = block.law
    if isinstance(law, SubsetLaw):
        return (
            replace(law, size=size, chosen=min(law.chosen, size - 1)) if size > 2 else Kary(size=size, gamma=law.gamma)
        )
    if isinstance(law, Hashing):
        prime = next(n for n in range(max(size, 5), PRIME + 1) if is_prime(n))
        return replace(law, size=size, prime=min(prime, law.prime))
    return replace(law, size=size)
