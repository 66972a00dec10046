"""A released file, opened by somebody who does not trust it: as `exact` reads it, within a bound of memory.

Tables and records of items are read in passes (`passes`, `records`). What has no passes is looked at before it is read:
how many entries its bytes can hold says how much memory reading and checking them takes at most. Itemsets that are
packed no better than real ones are read whatever they take.
"""

from pathlib import Path

from confide.core.artefacts.exact import Released, read_unpacked
from confide.core.artefacts.packing import unpacked
from confide.core.artefacts.passes import open_table
from confide.core.artefacts.records import open_records
from confide.core.errors import InputError
from confide.core.files import compression_of
from confide.core.runtime.memory import MemoryBudget

__all__ = ["open_released"]


def open_released(data: bytes, name: str, *, type: str, spelled: bool) -> Released:
    """What the bytes of a released file called `name` hold, or an InputError that says what is not as we write it.

    `spelled`: see `open_table`.
    """
    source = Path(name)
    budget = MemoryBudget.for_file(len(data))
    if type == "table":
        return Released(data=open_table(data, source, budget=budget, spelled=spelled), format=None)
    if type == "transactions":
        records, kind = open_records(data, source, budget=budget)
        return Released(data=records, format=kind)
    plain = unpacked(data, compression_of(source), source, most=budget.total // 4)
    if not plain:
        raise InputError("is empty", source=source)
    if type != "itemsets" or len(plain) > 10 * len(data):
        budget.require(_cost(plain, type), f"reading this {type} file", source=source)
    return read_unpacked(plain, source, type=type)


def _cost(plain: bytes, type: str) -> int:
    """Bytes that reading and checking these bytes takes at most, roughly: Python's objects are large."""
    size, lines = len(plain), plain.count(b"\n") + 1
    if type == "itemsets":
        return 8 * size + 700 * lines
    things = plain.count(b"{") + plain.count(b"[") + lines
    return 6 * size + 240 * things + 64 * plain.count(b",") + 64 * (plain.count(b'"') // 2)
