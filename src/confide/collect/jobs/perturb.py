"""True records perturbed by a scheme, and released; or, with a seed, drawn for an experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confide.collect.jobs.record_files import read_fields, read_items
from confide.collect.jobs.requests import CollectPerturb
from confide.collect.perturbed_release import release_perturbed, undeclared, warned, weaknesses
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.core.datasets.loading import require_loaded
from confide.core.errors import InputError, UsageError
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.tables.reading import Reading

__all__ = ["Perturbed", "perturb"]


@dataclass(frozen=True, kw_only=True)
class Perturbed(Outcome):
    """The perturbed `data`, and the scheme as it was bound to the records.

    `release` holds the data with its passport; None for a seeded draw.
    """

    scheme: Scheme
    data: Any
    randomness: Mapping[str, Any]


def perturb(request: CollectPerturb, host: Host = QUIET) -> Perturbed:
    """Perturb every record by the scheme, and release the result under the scheme's gamma.

    >>> from confide import Transactions
    >>> from confide.collect import Emask
    >>> true = Transactions.from_lists([["tea"], ["milk"]] * 50)
    >>> scheme = Emask(p=0.6, q=0.7).for_items(["tea", "milk", "coffee"], max_length=1)
    >>> done = perturb(CollectPerturb(scheme=scheme, records=true))
    >>> round(done.release.requirement.gamma, 6)
    3.5
    """
    scheme, records, taken, notes = _read(request, request.reading(host.say))
    if request.seed is not None:
        return _draw_for_experiment(request.seed, scheme, records, notes)
    release = release_perturbed(scheme, records, keep_order=request.keep_order, from_records=taken, into=host.output)
    warnings = (*warned(kept=request.keep_order, taken=taken), *weaknesses(scheme))
    return Perturbed(
        scheme=scheme,
        data=release.data,
        release=release,
        randomness=release.passport.randomness,
        notes=(*notes, release.requirement.promise(), *(f"warning: {text}" for text in warnings)),
        document={
            "scheme": scheme.kind,
            "requirement": release.requirement.to_dict(),
            "parameters": dict(release.passport.parameters),
            "loss": dict(release.loss),
            "randomness": dict(release.passport.randomness),
        },
    )


def _draw_for_experiment(seed: int, scheme: Scheme, records: Any, notes: tuple[str, ...]) -> Perturbed:
    """A repeatable draw, for experiments: without a release."""
    from confide.core.randomness import Randomness

    require_loaded(records, "a seeded draw, for experiments,")
    randomness = Randomness.seeded(seed)
    data = scheme.perturb(records, randomness=randomness)
    warning = (
        "warning: drawn from a seed, so it protects nobody and gets no passport; leave out the seed for people's data"
    )
    return Perturbed(
        scheme=scheme,
        data=data,
        answer=data,
        randomness=randomness.describe(),
        notes=(*notes, warning),
        document={"scheme": scheme.kind, "records": len(data), "randomness": randomness.describe()},
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


def _read(request: CollectPerturb, reading: Reading) -> tuple[Scheme, Any, tuple[str, ...], tuple[str, ...]]:
    """Read the scheme and the records; also return which settings were taken from the data, and notes."""
    scheme, longest = read_scheme(request.scheme), request.max_length
    if scheme.fields is not None:
        if longest is not None or request.format or request.id or request.item:
            raise UsageError("a scheme over fields reads a table: leave out max_length, format, id and item")
        records, notes = read_fields(request.records, columns=request.columns, reading=reading)
        if len(records) == 0:
            raise InputError("holds no records", source=request.records if notes else None)
        if notes and request.columns is None:
            _refuse_others(records.column_names, scheme.fields.names)
        return scheme, records, (), notes
    if request.columns is not None:
        raise UsageError(
            "a scheme over items reads baskets, which have no columns: leave out columns=",
            parameter="columns",
            value=request.columns,
        )
    named = {"format": request.format, "id": request.id, "item": request.item}
    records, notes = read_items(request.records, **named, reading=reading)
    if longest is not None and scheme.longest is not None and longest != scheme.longest:
        raise UsageError(
            f"the scheme itself says max_length={scheme.longest}; leave out max_length",
            parameter="max_length",
            value=scheme.longest,
        )
    taken = ["items"] if scheme.universe is None else []
    if scheme.longest is None and longest is None:
        taken.append("max_length")
        longest = max(1, records.longest)
    if taken and not (request.labels_from_data or request.seed is not None):
        raise undeclared(taken[0])
    bound = scheme.bound_to(records, max_length=longest)
    if bound is not scheme:
        notes += (f"bound to these records, the scheme has another sha256 than its file: {bound.fingerprint[:16]}...",)
    return bound, records, tuple(taken), (*notes, *bound.length_notes(records))
