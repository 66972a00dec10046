"""A released file, opened by somebody who does not trust it: as `exact` reads it, within a bound of memory.

Tables are read in passes (`passes`). What has no passes is looked at before it is read: how many records, items or
entries its bytes can hold says how much memory reading and checking them takes at most. Records of items that are as
dense as real ones are read whatever they take.
"""

from pathlib import Path

from confide.core.artefacts.exact import Released, read_unpacked
from confide.core.artefacts.packing import unpacked
from confide.core.artefacts.passes import open_table
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
    plain = unpacked(data, compression_of(source), source, most=budget.total // 4)
    if not plain:
        raise InputError("is empty", source=source)
    if type not in ("transactions", "itemsets") or _stands_for_much(plain, data, source, type):
        budget.require(_cost(plain, source, type), f"reading this {type} file", source=source)
    return read_unpacked(plain, source, type=type)


def _stands_for_much(plain: bytes, data: bytes, source: Path, type: str) -> bool:
    """Whether records are packed as no real ones are: into a tenth of their text, or three items a byte."""
    if type == "transactions" and _format(source) == "parquet":
        return _values(plain, source) > 3 * len(data)
    return len(plain) > 10 * len(data)


def _cost(plain: bytes, source: Path, type: str) -> int:
    """Bytes that reading and checking these bytes takes at most, roughly: Python's objects are large."""
    size, lines = len(plain), plain.count(b"\n") + 1
    if type == "transactions":
        kind = _format(source)
        if kind == "parquet":
            return 80 * _values(plain, source) + 4 * size
        if kind == "dat":
            return 3 * size + 48 * (lines + plain.count(b" "))
        if kind == "basket" and b'"' not in plain and not plain.startswith(b"id,item"):
            return 3 * size + 48 * (lines + plain.count(b","))
        return 8 * size + 300 * lines + 120 * plain.count(b",")
    if type == "itemsets":
        return 8 * size + 700 * lines
    things = plain.count(b"{") + plain.count(b"[") + lines
    return 6 * size + 240 * things + 64 * plain.count(b",") + 64 * (plain.count(b'"') // 2)


def _format(source: Path) -> str:
    from confide.core.transactions.files import format_of

    return format_of(source, None)


def _values(plain: bytes, source: Path) -> int:
    from confide.core.tables.formats.parquet_pages import Damaged, walked

    try:
        return walked(plain).values
    except Damaged as error:
        raise InputError(f"not a sound Parquet file ({error})", source=source) from None
