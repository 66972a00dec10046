"""`python -m confide.studio.tables.table_copy TABLE FOLDER`: read a table once, for pages that show it.

    FOLDER/rows.arrow          the rows, to be mapped into memory and sliced
           facts.json          each column: type, values, unique ones, missing ones, distribution, probable role and why
           hierarchies/*.csv   how values of texts could be made coarser, should a column become a quasi-identifier

A process of its own, so that the server stays small whatever is read. Everything is for the owner alone.
"""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import ConfideError
from confide.core.files import atomic_write, write_text

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.publish.tables.proposal.facts import ColumnFacts

__all__ = ["copy_table", "main"]

_BATCH = 1 << 14
_BINS = 12
_COMMONEST = 6
_LONGEST = 60
_FEWEST = 3  # values; fewer have nothing between themselves and *
_RANGED = ("whole", "number", "date", "code")
_LARGEST_TREE = 5_000  # values; a longer list of texts is masked where somebody makes it a quasi-identifier


def copy_table(source: Path, folder: Path) -> None:
    """Write the copy of a table; what was there before is replaced."""
    import pyarrow as pa

    from confide.core.tables.frames import read_table

    table = read_table(source)
    facts = [_facts(table, name, folder) for name in table.column_names]
    with atomic_write(folder / "rows.arrow", replace=True, private=True, sync=False) as file:
        sink = pa.PythonFile(file, mode="w")
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=_BATCH)
    plain = {"rows": table.num_rows, "columns": facts}
    write_text(folder / "facts.json", json.dumps(plain), replace=True, private=True)


def _facts(table: "pa.Table", name: str, folder: Path) -> dict[str, Any]:
    """What can be seen of one column, as plain data."""
    from confide.publish.tables.proposal.coarsening import coarsening_of
    from confide.publish.tables.proposal.facts import facts_of
    from confide.publish.tables.proposal.roles import probable_role

    facts = facts_of(name, table.column(name))
    role, why = probable_role(facts)
    entries: dict[str, Any] = {}
    if facts.different >= _FEWEST and (facts.kind in _RANGED or facts.different <= _LARGEST_TREE):
        coarsening = coarsening_of(facts)
        entries = dict(coarsening.entries)
        if coarsening.hierarchy is not None:
            home = folder / "hierarchies"
            home.mkdir(mode=0o700, exist_ok=True)
            entries["hierarchy"] = f"{len(list(home.iterdir()))}.csv"
            coarsening.hierarchy.write(home / entries["hierarchy"], replace=True)
    elif facts.different >= _FEWEST:
        entries = {"hierarchy": {"build": "masks"}}
    return {
        "name": name,
        "kind": facts.kind,
        "different": facts.different,
        "unique": facts.unique,
        "missing": facts.missing,
        "stand_ins": sum(facts.stand_ins.values()),
        "role": role,
        "why": why,
        "entries": entries,
        "written": facts.written,
        "bars": _bars(table.column(name), facts),
    }


def _bars(column: "pa.ChunkedArray", facts: "ColumnFacts") -> list[tuple[str, int]]:
    """A small distribution: rows of ranges of a number, or of the commonest values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_number = facts.kind in ("whole", "number") and facts.written is None
    if is_number and facts.low is not None and facts.high is not None and facts.different > _BINS:
        width = (facts.high - facts.low) / _BINS or 1.0
        text = column.cast(pa.string())
        numbers = pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text).cast(pa.float64())
        place = pc.floor(pc.divide(pc.subtract(numbers, facts.low), width))
        counted = pc.value_counts(pc.min_element_wise(place.drop_null(), float(_BINS - 1)))
        rows = {int(part["values"]): part["counts"] for part in counted.to_pylist()}
        ends = [facts.low + width * number for number in range(_BINS + 1)]
        return [(f"{ends[n]:.4g} to {ends[n + 1]:.4g}", rows.get(n, 0)) for n in range(_BINS)]
    counted = pc.value_counts(column.cast(pa.string()).drop_null())
    order = pc.array_sort_indices(counted.field("counts"), order="descending")[:_COMMONEST]
    places = [place.as_py() for place in order]
    return [(str(counted[at]["values"])[:_LONGEST], counted[at]["counts"].as_py()) for at in places]


def main() -> int:
    """The process: an error is one line on stderr."""
    os.umask(0o077)
    try:
        copy_table(Path(sys.argv[1]), Path(sys.argv[2]))
    except ConfideError as error:
        print(error, file=sys.stderr)
        return 2
    except MemoryError:
        print("not enough memory to read this table", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
