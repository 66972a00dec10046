"""True records perturbed by a scheme, and released; or, with a seed, drawn for an experiment."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from confide.collect.release import release_perturbed, weaknesses
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.collect.tasks.record_files import read_fields, read_items
from confide.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from confide.core.release import Release

__all__ = ["PerturbRequest", "Perturbed", "perturb"]


@dataclass(frozen=True, kw_only=True)
class PerturbRequest:
    """Which records to perturb, and how.

    `scheme` is a scheme or its file; `records` a file, `Transactions`, or a frame with the scheme's columns.
    `max_length` is the longest record there may be, where the scheme does not say it (default: the longest of the
    records). A `seed` makes the draw repeatable, for experiments; it protects nobody, so nothing is released. `format`,
    `id` and `item` say how to read a file of items.
    """

    scheme: Scheme | str | PathLike[str] | Mapping[str, Any]
    records: Any
    max_length: int | None = None
    seed: int | None = None
    format: str | None = None
    id: str | None = None
    item: str | None = None


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
    >>> done = perturb(PerturbRequest(scheme=Emask(p=0.6, q=0.7), records=true, max_length=1))
    >>> round(done.release.requirement.gamma, 6)
    3.5
    >>> done.notes[0].startswith("bound to these records, the scheme has another sha256 than its file")
    True
    """
    from confide.core.randomness import Randomness

    scheme, records, notes = _read(request)
    if request.seed is not None:
        source = Randomness.seeded(request.seed)
        data = scheme.perturb(records, randomness=source)
        warning = (
            "warning: drawn from a seed, so it protects nobody and gets no passport; leave out the seed for people's "
            "data"
        )
        return Perturbed(scheme=scheme, data=data, release=None, randomness=source.describe(), notes=(*notes, warning))
    release = release_perturbed(scheme, records)
    said = (release.requirement.promise(), *(f"warning: {text}" for text in weaknesses(scheme)))
    return Perturbed(
        scheme=scheme,
        data=release.data,
        release=release,
        randomness=release.passport.randomness,
        notes=(*notes, *said),
    )


def _read(request: PerturbRequest) -> tuple[Scheme, Any, tuple[str, ...]]:
    """The records in the form the scheme takes, and the scheme bound to what it leaves open."""
    scheme, longest = read_scheme(request.scheme), request.max_length
    if scheme.fields is not None:
        if longest is not None or request.format or request.id or request.item:
            raise UsageError("a scheme over fields reads a table: leave out max_length, format, id and item")
        records, notes = read_fields(request.records)
        if len(records) == 0:
            raise InputError("holds no records", source=request.records if notes else None)
        return scheme, records, notes
    records, notes = read_items(request.records, format=request.format, id=request.id, item=request.item)
    if longest is not None and scheme.longest is not None and longest != scheme.longest:
        raise UsageError(f"the scheme itself says max_length={scheme.longest}; leave out max_length")
    if scheme.longest is None:
        if longest is None:
            longest = max(1, int(records.lengths.max()))
            notes += (
                f"warning: gamma is stated for {longest} items, as the longest of these records has; give max_length",
            )
        scheme = scheme.bound_to(records, max_length=longest)
        notes += (f"bound to these records, the scheme has another sha256 than its file: {scheme.fingerprint[:16]}...",)
    return scheme, records, (*notes, *scheme.length_notes(records))
