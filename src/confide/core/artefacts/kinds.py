"""Everything that can be released, one entry for each kind: how it is saved, loaded, read by a stranger and compared.

    data --> type_of --> KINDS[...] --> write, load       its owner's files
                                    --> read, open        a released file, read only if it is as we write it
                                    --> same              was written what was meant?

A container says itself which kind it is (`artefact_kind`); a dict is JSON, and any frame a table. A new kind is an
entry here and its name in `names.KindName`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.artefacts import exact
from confide.core.artefacts.exact import Released
from confide.core.artefacts.packing import unpacked
from confide.core.errors import InputError, UsageError
from confide.core.files import MAX_BYTES, atomic_write, compression_of, read_bytes, write_text
from confide.core.json_text import read_json
from confide.core.runtime.memory import MemoryBudget
from confide.core.tables import frames as tables
from confide.core.transactions import basket_files as transaction_files

__all__ = ["KINDS", "load", "open_released", "read_released", "same_data", "same_to_auditor", "save", "type_of"]

Write = Callable[..., None]
"""Called with data, path and `replace`; and with `format`, where the kind has several."""
Load = Callable[..., Any]
FormatOf = Callable[[Path, str | None], str]
Read = Callable[[bytes, Path], Released]
Open = Callable[[bytes, Path, MemoryBudget, bool], Released]
Compare = Callable[[Any, Any], bool]


def _equal(found: Any, meant: Any) -> bool:
    return bool(found == meant)


def _never(found: Any, meant: Any) -> bool:
    return False


def _always(found: Any, meant: Any) -> bool:
    return True


def _cost_of_json(plain: bytes) -> int:
    things = plain.count(b"{") + plain.count(b"[") + plain.count(b"\n") + 1
    return 6 * len(plain) + 240 * things + 64 * plain.count(b",") + 64 * (plain.count(b'"') // 2)


@dataclass(frozen=True, kw_only=True)
class ArtefactKind:
    """One kind of data.

    `write` and `load` are for its owner. `read` takes the unpacked bytes of a released file, and refuses what our
    writer would not write; `open` does the same in passes, for kinds that have them, within a bound of memory. `same`
    says whether what was read back is what was meant; `same_to_auditor` whether an auditor could not tell the two
    apart, given that they are the same, so that one look serves both. `cost` bounds the memory that reading and
    checking takes, roughly: Python's objects are large. `packs_well`: real files of this kind may be packed tenfold.
    `format_of` says which of several formats a path means.
    """

    write: Write
    load: Load
    read: Read | None = None
    open: Open | None = None
    format_of: FormatOf | None = None
    same: Compare = _equal
    same_to_auditor: Compare = _never
    cost: Callable[[bytes], int] = _cost_of_json
    packs_well: bool = False


# -- one function where a kind does something of its own ---------------------------------------------------------------


def _write_table(data: Any, path: Path, *, replace: bool, delimiter: str = ",") -> None:
    tables.write_table(tables.to_table(data), path, delimiter=delimiter, replace=replace)


def _open_table(data: bytes, source: Path, budget: MemoryBudget, spelled: bool) -> Released:
    from confide.core.artefacts.passes import open_table

    return Released(data=open_table(data, source, budget=budget, spelled=spelled), format=None)


def _same_table(found: Any, meant: Any) -> bool:
    from confide.core.tables.formats.csv_text import quoted_column

    ours = tables.to_table(meant)
    if found.column_names != ours.column_names or found.num_rows != ours.num_rows:
        return False
    return all(quoted_column(a).equals(quoted_column(b)) for a, b in zip(found.columns, ours.columns, strict=True))


def _same_table_to_auditor(found: Any, meant: Any) -> bool:
    """Columns must have the same type and values: CSV turns numbers into text, and one number may be two texts."""
    import pyarrow as pa

    def plain(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
        return column.cast(pa.large_string()) if pa.types.is_string(column.type) else column

    pairs = zip(map(plain, found.columns), map(plain, tables.to_table(meant).columns), strict=True)
    return all(a.type == b.type and not pa.types.is_floating(a.type) and a.equals(b) for a, b in pairs)


def _open_transactions(data: bytes, source: Path, budget: MemoryBudget, spelled: bool) -> Released:
    from confide.core.artefacts.released_baskets import open_records

    records, format = open_records(data, source, budget=budget)
    return Released(data=records, format=format)


def _write_itemsets(data: Any, path: Path, *, replace: bool) -> None:
    from confide.core.itemsets.itemset_files import write_itemsets

    write_itemsets(data, path, replace=replace)


def _load_itemsets(path: Path) -> Any:
    from confide.core.itemsets.itemset_files import read_itemsets

    return read_itemsets(path)


def _same_itemsets(found: Any, meant: Any) -> bool:
    return bool(found.to_arrow().equals(meant.to_arrow()))


def _cost_of_itemsets(plain: bytes) -> int:
    return 8 * len(plain) + 700 * (plain.count(b"\n") + 1)


def _write_model(data: Any, path: Path, *, replace: bool) -> None:
    write_text(path, data.to_json(), replace=replace)


def _load_tree(path: Path) -> Any:
    from confide.core.trees.published import PublishedTree

    return PublishedTree.from_dict(read_json(read_bytes(path), source=path))


def _load_rules(path: Path) -> Any:
    from confide.core.trees.rule_soundness import read_rules

    return read_rules(read_json(read_bytes(path), source=path))


def _write_json(data: Any, path: Path, *, replace: bool) -> None:
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n", replace=replace)


def _load_json(path: Path) -> Any:
    return read_json(read_bytes(path), source=path)


def _write_stream(data: Any, path: Path, *, replace: bool) -> None:
    with atomic_write(path, replace=replace) as file:
        file.writelines(data.lines())


def _load_stream(path: Path) -> Any:
    from confide.core.streams.run import StreamRun

    return StreamRun.read(path)


KINDS: Mapping[str, ArtefactKind] = {
    "table": ArtefactKind(
        write=_write_table,
        load=tables.read_table,
        read=exact.read_table,
        open=_open_table,
        same=_same_table,
        same_to_auditor=_same_table_to_auditor,
    ),
    "transactions": ArtefactKind(
        write=transaction_files.write,
        load=transaction_files.read,
        open=_open_transactions,
        format_of=transaction_files.format_of,
        same_to_auditor=_always,
    ),
    "itemsets": ArtefactKind(
        write=_write_itemsets,
        load=_load_itemsets,
        read=exact.read_itemsets,
        same=_same_itemsets,
        same_to_auditor=_always,
        cost=_cost_of_itemsets,
        packs_well=True,
    ),
    "tree": ArtefactKind(write=_write_model, load=_load_tree, read=exact.read_tree),
    "rules": ArtefactKind(write=_write_model, load=_load_rules, read=exact.read_rule_set),
    "json": ArtefactKind(write=_write_json, load=_load_json, read=exact.read_document),
    "stream": ArtefactKind(write=_write_stream, load=_load_stream, read=exact.read_stream, same_to_auditor=_always),
}
"""By the passport's word for it."""


def type_of(data: Any) -> str:
    """The passport's word for this kind of data: transactions, itemsets, tree, rules, stream, json or table."""
    known: str | None = getattr(type(data), "artefact_kind", None)
    if known is not None:
        return known
    if isinstance(data, dict):
        return "json"
    tables.to_table(data)  # raises for anything else
    return "table"


def save(
    data: Any,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    delimiter: str = ",",
    replace: bool = False,
) -> str | None:
    """Write data to a file, atomically; returns the format, where the type has several.

    `delimiter` divides the cells of a table, and the items of baskets, that are written as .csv.
    """
    name, target = type_of(data), Path(path)
    kind = KINDS[name]
    if kind.format_of is not None:
        used = kind.format_of(target, format)
        kind.write(data, target, format=used, delimiter=delimiter, replace=replace)
        return used
    if format is not None:
        raise UsageError(
            f"format={format!r}: a {name} has no choice of format; the file's name says it",
            parameter="format",
            value=format,
        )
    if name == "table":
        kind.write(data, target, replace=replace, delimiter=delimiter)
    else:
        kind.write(data, target, replace=replace)
    return None


def load(path: str | PathLike[str], *, type: str, format: str | None = None) -> Any:
    """Read back what `save` wrote; a table comes as an Arrow table."""
    kind = KINDS[type]
    return kind.load(path) if kind.format_of is None else kind.load(path, format=format)


def read_released(data: bytes, name: str, *, type: str, most: int = MAX_BYTES) -> Released:
    """Read the bytes of a released file called `name`, or raise an InputError that says what is not as we write it."""
    source, kind = Path(name), KINDS[type]
    if kind.read is None:
        assert kind.open is not None
        return kind.open(data, source, MemoryBudget(MAX_BYTES << 10), True)
    return kind.read(_unpacked(data, source, most), source)


def open_released(data: bytes, name: str, *, type: str, spelled: bool) -> Released:
    """The same within a bound of memory, for somebody who does not trust the file; `spelled`: see `passes.open_table`.

    Tables and records of items are read in passes. What has no passes is looked at before it is read: how many entries
    its bytes can hold says how much memory it takes. Itemsets that are packed no better than real ones are read
    whatever they take.
    """
    source, kind = Path(name), KINDS[type]
    budget = MemoryBudget.for_file(len(data))
    if kind.open is not None:
        return kind.open(data, source, budget, spelled)
    assert kind.read is not None
    plain = _unpacked(data, source, budget.total // 4)
    if not kind.packs_well or len(plain) > 10 * len(data):
        budget.require(kind.cost(plain), f"reading this {type} file", source=source)
    return kind.read(plain, source)


def _unpacked(data: bytes, source: Path, most: int) -> bytes:
    plain = unpacked(data, compression_of(source), source, most=most)
    if not plain:
        raise InputError("is empty", source=source)
    return plain


def same_data(found: Any, meant: Any, *, type: str) -> bool:
    """Whether what was read back is what was meant to be written."""
    return KINDS[type].same(found, meant)


def same_to_auditor(found: Any, meant: Any, *, type: str) -> bool:
    """Whether an auditor could not tell what was read back from what was in memory; `same_data` has compared them.

    Records of items and runs of a stream are whole numbers and text, and equal or not. Trees, rules and other JSON are
    small; who doubts looks again.
    """
    return KINDS[type].same_to_auditor(found, meant)
