"""True records perturbed by a scheme, and released; or, with a seed, drawn for an experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from confide.collect.release import release_perturbed, undeclared, warned, weaknesses
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.collect.tasks.record_files import read_fields, read_items
from confide.core.datasets.tables import StoredTable
from confide.core.datasets.transactions import StoredTransactions
from confide.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from confide.core.release import Release

__all__ = ["PerturbRequest", "Perturbed", "perturb"]


@dataclass(frozen=True, kw_only=True)
class PerturbRequest:
    """Which records to perturb, and how.

    `scheme` is a scheme or its file; `records` a file, `Transactions`, or a frame with the scheme's columns;
    `columns` names those to take, where it has others too: they are left out.
    `max_length` is the longest record there may be, where the scheme does not say it. `labels_from_data` takes items
    and longest record from the records, where nobody declared them; `keep_order` does not shuffle; the passport warns
    of both. A `seed` makes the draw repeatable, for experiments; it protects nobody, so nothing is released. `format`,
    `id` and `item` say how to read a file of items; `into` is the folder for records that are not in memory.
    """

    scheme: Scheme | str | PathLike[str] | Mapping[str, Any]
    records: Any
    columns: Sequence[str] | None = None
    max_length: int | None = None
    labels_from_data: bool = False
    keep_order: bool = False
    seed: int | None = None
    format: str | None = None
    id: str | None = None
    item: str | None = None
    into: str | PathLike[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Perturbed:
    """The perturbed `data`, the scheme as it was bound to the records, and `notes` for the person.

    `release` holds the data with its passport; None for a seeded draw.
    """

    scheme: Scheme
    data: Any
    release: "Release[Any] | None"
    randomness: Mapping[str, Any]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        if self.release is None:
            return {"scheme": self.scheme.kind, "records": len(self.data), "randomness": dict(self.randomness)}
        return {
            "scheme": self.scheme.kind,
            "requirement": self.release.requirement.to_dict(),
            "parameters": dict(self.release.passport.parameters),
            "loss": dict(self.release.loss),
            "randomness": dict(self.randomness),
        }


def perturb(request: PerturbRequest) -> Perturbed:
    """Perturb every record by the scheme, and release the result under the scheme's gamma.

    >>> from confide import Transactions
    >>> from confide.collect import Emask
    >>> true = Transactions.from_lists([["tea"], ["milk"]] * 50)
    >>> scheme = Emask(p=0.6, q=0.7).for_items(["tea", "milk", "coffee"], max_length=1)
    >>> done = perturb(PerturbRequest(scheme=scheme, records=true))
    >>> round(done.release.requirement.gamma, 6)
    3.5
    """
    from confide.core.randomness import Randomness

    scheme, records, taken, notes = _read(request)
    if request.seed is not None and isinstance(records, StoredTransactions | StoredTable):
        raise UsageError("a seeded draw is for experiments, and they are made in memory; use engine memory")
    if request.seed is not None:
        source = Randomness.seeded(request.seed)
        data = scheme.perturb(records, randomness=source)
        warning = (
            "warning: drawn from a seed, so it protects nobody and gets no passport; leave out the seed for people's "
            "data"
        )
        return Perturbed(scheme=scheme, data=data, release=None, randomness=source.describe(), notes=(*notes, warning))
    release = release_perturbed(scheme, records, keep_order=request.keep_order, from_records=taken, into=request.into)
    warnings = (*warned(kept=request.keep_order, taken=taken), *weaknesses(scheme))
    said = (release.requirement.promise(), *(f"warning: {text}" for text in warnings))
    return Perturbed(
        scheme=scheme,
        data=release.data,
        release=release,
        randomness=release.passport.randomness,
        notes=(*notes, *said),
    )


def _refuse_others(columns: Sequence[str], fields: Sequence[str]) -> None:
    """Refuse columns that would leave as they are, or be dropped without a word."""
    others = [name for name in columns if name not in fields]
    if others and set(fields) <= set(columns):
        shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        raise UsageError(
            f"the scheme does not ask for {shown}, which would be sent unperturbed; leave other columns out with "
            f"columns={','.join(fields)}"
        )


def _read(request: PerturbRequest) -> tuple[Scheme, Any, tuple[str, ...], tuple[str, ...]]:
    """The scheme bound to what it leaves open, the records as it takes them, what of the one came from the other."""
    scheme, longest = read_scheme(request.scheme), request.max_length
    if scheme.fields is not None:
        if longest is not None or request.format or request.id or request.item:
            raise UsageError("a scheme over fields reads a table: leave out max_length, format, id and item")
        records, notes = read_fields(request.records, columns=request.columns)
        if len(records) == 0:
            raise InputError("holds no records", source=request.records if notes else None)
        if notes and request.columns is None:
            _refuse_others(records.column_names, scheme.fields.names)
        return scheme, records, (), notes
    if request.columns is not None:
        raise UsageError("a scheme over items reads baskets, which have no columns: leave out columns=")
    records, notes = read_items(request.records, format=request.format, id=request.id, item=request.item)
    if longest is not None and scheme.longest is not None and longest != scheme.longest:
        raise UsageError(f"the scheme itself says max_length={scheme.longest}; leave out max_length")
    taken = ["items"] if scheme.universe is None else []
    if scheme.longest is None and longest is None:
        taken.append("max_length")
        longest = _longest(records)
    if taken and not (request.labels_from_data or request.seed is not None):
        raise undeclared(taken[0])
    bound = scheme.bound_to(records, max_length=longest)
    if bound is not scheme:
        notes += (f"bound to these records, the scheme has another sha256 than its file: {bound.fingerprint[:16]}...",)
    return bound, records, tuple(taken), (*notes, *bound.length_notes(records))


def _longest(records: Any) -> int:
    """Items of the longest record, at least 1."""
    if isinstance(records, StoredTransactions):
        return max(1, records.dictionary.longest)
    return max(1, int(records.lengths.max())) if len(records) else 1
