"""A released file, opened by somebody who does not trust it: as `exact` reads it, within a bound of memory.

Tables are read in passes (`passes`). What has no passes is looked at before it is read: how many records, items or
entries its bytes can hold says how much memory reading and checking them takes at most.
"""

from pathlib import Path

from confide.core.artefacts.exact import Released, read_unpacked
from confide.core.artefacts.packing import unpacked
from confide.core.artefacts.passes import open_table
from confide.core.errors import InputError
from confide.core.files import compression_of
from confide.core.runtime.memory import MemoryBudget

__all__ = ["open_released", "reading_cost"]


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
    budget.require(reading_cost(plain, source, type), f"reading this {type} file", source=source)
    return read_unpacked(plain, source, type=type)


def reading_cost(plain: bytes, source: Path, type: str) -> int:
    """Bytes that reading and checking these bytes takes at most, roughly."""
    size = len(plain)
    if type == "transactions":
        from confide.core.transactions.files import format_of

        kind = format_of(source, None)
        if kind == "parquet":
            from confide.core.tables.formats.parquet_pages import Damaged, walked

            try:
                return 80 * walked(plain).values + 4 * size
            except Damaged as error:
                raise InputError(f"not a sound Parquet file ({error})", source=source) from None
        lines = plain.count(b"\n") + 1
        if kind == "dat":
            return 3 * size + 48 * (lines + plain.count(b" "))
        if kind == "basket" and b'"' not in plain and not plain.startswith(b"id,item"):
            return 3 * size + 48 * (lines + plain.count(b","))
        return 8 * size + 300 * lines + 120 * plain.count(b",")
    if type == "itemsets":
        return 8 * size + 700 * (plain.count(b"\n") + 1)
    things = plain.count(b"{") + plain.count(b"[")
    return 6 * size + 240 * things + 64 * plain.count(b",") + 64 * (plain.count(b'"') // 2)
