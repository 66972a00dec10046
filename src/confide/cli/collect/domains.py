"""What a plan is for: the fields or items of a sample, or declared fields. `given` are the command's options."""

from pathlib import Path
from typing import Any

from confide.cli.options import note

__all__ = ["domain", "read", "usable_fields", "warn_of_rare"]


def domain(given: dict[str, Any]) -> tuple[Any, Any, tuple[str, ...] | None]:
    """(records looked at, fields, items): from --sample, or declared by --values and --bins alone, or nothing."""
    from confide.cli.collect.files import parsed_bins, parsed_values
    from confide.collect.fields.field import Bins
    from confide.collect.fields.fields import Fields
    from confide.collect.planning.sample_fields import RARE, rare_values
    from confide.core.errors import UsageError
    from confide.core.transactions.container import Transactions

    declared = given["values"] or given["bins"]
    if given["sample"] is None:
        if not declared:
            return None, None, None
        edges = {name: Bins(edges) for name, edges in parsed_bins(given["bins"]).items()}
        values = parsed_values(given["values"])
        if set(edges) & set(values):
            raise UsageError(f"field {min(set(edges) & set(values))!r} is given both --bins and --values; give one")
        return None, Fields.of({**values, **edges}), None
    data = read(given["sample"], given)
    if isinstance(data, Transactions):
        if declared:
            raise UsageError("--bins and --values are for tables; the sample holds records of items")
        warn_of_rare({"items": int((data.supports() < RARE).sum())}, given)
        return data, None, data.labels
    fields = _fields(data, given)
    warn_of_rare(rare_values(data, fields, declared=parsed_values(given["values"])), given)
    return data, fields, None


def warn_of_rare(rare: dict[str, int], given: dict[str, Any]) -> None:
    """A scheme file is public, and with it what it lists."""
    from confide.collect.planning.sample_fields import RARE

    told = ", ".join(f"{count} of {name}" for name, count in rare.items() if count)
    if told and given["output"] is not None:
        note(
            f"warning: values taken from the sample that fewer than {RARE} records hold become public with the scheme "
            f"({told}); declare values with --values, or leave such records out"
        )


def read(source: Path, given: dict[str, Any]) -> Any:
    """A table or transactions, as the options say."""
    from confide.cli.collect.files import read_records

    return read_records(source, columns=given["columns"], kind=given["kind"])


def _fields(table: Any, given: dict[str, Any]) -> Any:
    from confide.cli.collect.files import parsed_bins, parsed_values
    from confide.collect.planning.sample_fields import fields_of

    return fields_of(table, bins=parsed_bins(given["bins"]), values=parsed_values(given["values"]))


def usable_fields(table: Any, given: dict[str, Any]) -> Any:
    """The fields of a table that is only described: columns that cannot be fields are left out, and named."""
    from confide.cli.collect.files import parsed_bins, parsed_values
    from confide.collect.planning.sample_fields import MOST_VALUES, usable_columns

    if given["columns"] is None:
        usable = usable_columns(table, bins=parsed_bins(given["bins"]), values=parsed_values(given["values"]))
        left = [name for name in table.column_names if name not in usable]
        if left:
            note(
                f"left out, as they have one value, more than {MOST_VALUES} (see --bins) or missing ones: "
                f"{', '.join(left)}"
            )
        table = table.select(usable)
    return _fields(table, given)
