"""A first draft of what owners agree on before they learn, from one owner's table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from confide.core.errors import InputError
from confide.share.domains import Domains

__all__ = ["Draft", "DraftRequest", "draft_domains"]


@dataclass(frozen=True, kw_only=True)
class DraftRequest:
    """`target` is the class column; `leave_out` names columns that no tree may use."""

    target: str
    leave_out: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Domains to be edited, and notes for the owner of the table."""

    domains: Domains
    notes: tuple[str, ...]


def draft_domains(frame: Any, request: DraftRequest) -> Draft:
    """Propose classes, categories and bins from a table, and say what is left out and what the draft gives away."""
    from confide.core.tables.frames import to_table

    table = to_table(frame)
    for name in request.leave_out:
        if name not in table.column_names:
            raise InputError(f"no column {name!r} to leave out; columns are: {', '.join(table.column_names)}")
    domains = Domains.propose(table.drop_columns(list(request.leave_out)), target=request.target)
    notes = [f"{len(domains.attributes)} attributes and {len(domains.classes)} classes"]
    known = {*(attribute.name for attribute in domains.attributes), *request.leave_out, request.target}
    names = [name for name in table.column_names if name not in known]
    if names:
        notes.append(f"left out, since they hold too many different values: {', '.join(names)}")
    notes.append("warning: the draft shows values and rounded extremes of your table; edit it before you show it")
    return Draft(domains=domains, notes=tuple(notes))
