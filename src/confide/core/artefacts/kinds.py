"""Everything that can be released, by type: how it is recognised, saved and loaded again."""

from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.errors import UsageError
from confide.core.files import atomic_write, read_bytes, write_text
from confide.core.itemsets.container import Itemsets
from confide.core.json_text import read_json
from confide.core.streams.run import StreamRun
from confide.core.tables import frames as tables
from confide.core.transactions import files as transaction_files
from confide.core.transactions.container import Transactions

__all__ = ["load", "save", "type_of"]


def type_of(data: Any) -> str:
    """The passport's word for this kind of data: transactions, itemsets, tree, rules, stream, json or table."""
    if isinstance(data, Transactions) or type(data).__name__ in ("StoredTransactions", "ReleasedRecords"):
        return "transactions"
    if type(data).__name__ in ("StoredTable", "ReleasedTable"):
        return "table"
    if isinstance(data, Itemsets):
        return "itemsets"
    if type(data).__name__ == "PublishedTree":
        return "tree"
    if type(data).__name__ == "RuleSet":
        return "rules"
    if isinstance(data, dict):
        return "json"
    if isinstance(data, StreamRun):
        return "stream"
    tables.to_table(data)  # raises for anything else
    return "table"


def save(data: Any, path: str | PathLike[str], *, format: str | None = None, replace: bool = False) -> str | None:
    """Write data to a file, atomically; returns the format, where the type has several."""
    import json

    kind = type_of(data)
    target = Path(path)
    if kind == "transactions":
        used = transaction_files.format_of(target, format)
        transaction_files.write(data, target, format=used, replace=replace)
        return used
    if format is not None:
        raise UsageError(f"a {kind} has no choice of format; the file's name says it")
    if kind == "table":
        tables.write_table(tables.to_table(data), target, replace=replace)
    elif kind == "itemsets":
        from confide.core.itemsets.files import write_itemsets

        write_itemsets(data, target, replace=replace)
    elif kind in ("tree", "rules"):
        write_text(target, data.to_json(), replace=replace)
    elif kind == "stream":
        with atomic_write(target, replace=replace) as file:
            file.writelines(data.lines())
    else:
        write_text(target, json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n", replace=replace)
    return None


def load(path: str | PathLike[str], *, type: str, format: str | None = None) -> Any:
    """Read back what `save` wrote; a table comes as an Arrow table."""
    if type == "transactions":
        return transaction_files.read(path, format=format)
    if type == "table":
        return tables.read_table(path)
    if type == "itemsets":
        from confide.core.itemsets.files import read_itemsets

        return read_itemsets(path)
    if type == "stream":
        return StreamRun.read(path)
    data = read_bytes(path)
    if type == "tree":
        from confide.core.trees.published import PublishedTree

        return PublishedTree.from_dict(read_json(data, source=path))
    if type == "rules":
        from confide.core.trees.rule_soundness import read_rules

        return read_rules(read_json(data, source=path))
    return read_json(data, source=path)
