"""Perturbed records as a release: the promise is the scheme's gamma, the scheme travels in the passport.

This is for whoever holds true records and hands on perturbed ones in bulk (a clinic, a simulation). A person's own
device perturbs one record and sends it; see `confide collect send`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.collect.planning.charts import promise_charts
from confide.collect.schemes.gamma_diagonal import GammaDiagonal
from confide.collect.schemes.item_scheme import ItemScheme
from confide.collect.schemes.record_scheme import RecordScheme
from confide.collect.schemes.scheme import Scheme
from confide.collect.service.notice import is_weak
from confide.core.bounds import at_most
from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.figures import Figure, Figures, Unit
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Amplification
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["headline", "release_perturbed", "weaknesses"]

_LENGTHS = (1, 2, 3, 4)


def release_perturbed(
    scheme: Scheme, records: Any, *, randomness: "Randomness | None" = None, verify: bool = True
) -> Release[Any]:
    """Perturb a batch by `scheme` and release it under its gamma.

    A scheme bound to no universe is bound to the labels of the records. Raises CannotMeetError when its gamma is too
    large to be a promise, and UsageError for seeded randomness: who knows the seed reads the truth back. `verify=False`
    is for benchmarks.
    """
    from confide.core.randomness import Randomness

    source = Randomness.system() if randomness is None else randomness
    if not source.protects:
        raise UsageError(
            "a seeded draw can be drawn again, so it protects nobody and is not released; leave the seed out, or use "
            "scheme.perturb for experiments"
        )
    caveats: tuple[str, ...] = ()
    if isinstance(scheme, ItemScheme) and scheme.universe is None:
        if not isinstance(records, Transactions):
            raise InputError("a scheme without a universe perturbs transactions; bind it with .for_items(labels)")
        scheme = scheme.for_items(records.labels)
        caveats += ("the universe of items was taken from the records themselves",)
    if isinstance(scheme, GammaDiagonal) and scheme.alpha:
        caveats += (
            "alpha adds no privacy that could be promised: unseen and drawn anew by each client, r averages out",
        )
    promise = scheme.amplification()
    if not np.isfinite(promise.gamma):
        raise CannotMeetError(
            f"the scheme's gamma for records of up to {promise.max_length:,} items is e**{promise.epsilon:.0f}, which "
            "promises nothing",
            nearest="declare max_length, the longest record there may be, and a stronger scheme (confide collect plan)",
        )
    caveats += weaknesses(scheme)
    perturbed = scheme.perturb(records, randomness=source)
    loss = _declared(_loss(scheme, perturbed))
    return Release.issue(
        perturbed,
        Amplification(gamma=promise.gamma),
        stage="collect",
        algorithm=scheme.kind,
        parameters=_parameters(scheme),
        context={"scheme": scheme.to_dict()},
        loss=loss,
        headline=headline(promise.gamma, loss),
        key_figures=tuple(loss)[:3],
        randomness=source.describe(),
        caveats=caveats,
        charts=promise_charts(scheme, len(perturbed)),
        owner=_owner(scheme, records, perturbed),
        verify=verify,
    )


def weaknesses(scheme: Scheme) -> tuple[str, ...]:
    """What the passport of a weak scheme must add to its gamma, which few people can read."""
    promise = scheme.amplification()
    if not is_weak(promise.epsilon):
        return ()
    each = promise.per_item
    less = (
        ""
        if each is None or each >= promise.gamma
        else f"; gamma for one item swapped for another is {at_most(each, 4)}"
    )
    return (
        f"telling whole records apart: epsilon {at_most(promise.epsilon, 3)} is no protection for a whole record{less}",
    )


def _parameters(scheme: Scheme) -> dict[str, Any]:
    """The scheme's numbers, its fingerprint, and its promise in other words."""
    promise = scheme.amplification()
    found = {name: value for name, value in scheme.parameters().items() if type(value) in (int, float)}
    found |= {"fingerprint": scheme.fingerprint, "epsilon": promise.epsilon}
    return found if promise.per_item is None else found | {"per_item": promise.per_item}


def _loss(scheme: Scheme, perturbed: Any) -> dict[str, Any]:
    """What reconstruction has to fight with; nothing here depends on the true records but through the perturbed."""
    found: dict[str, Any] = {"records": len(perturbed)}
    if isinstance(scheme, GammaDiagonal):
        found["chance_a_record_stays"] = float(scheme.keep + scheme.x)
        found["condition_number"] = float(f"{scheme.condition_number():.6g}")  # the same for every length
        return found
    if isinstance(perturbed, Transactions):
        found["mean_length"] = round(float(perturbed.lengths.mean()), 3) if len(perturbed) else 0.0
    for length in _LENGTHS[: _longest(scheme)]:
        found[f"condition_number_length_{length}"] = float(f"{scheme.condition_number(length):.6g}")
    return found


def _declared(found: Mapping[str, Any]) -> Figures:
    """Each figure of the loss with its unit and heading."""
    units: dict[str, tuple[Unit, str]] = {
        "records": ("count", "records"),
        "chance_a_record_stays": ("share", "chance that a record stays as it was"),
        "condition_number": ("number", "how much estimating amplifies noise (condition number)"),
        "mean_length": ("number", "items of a record, on average, after the changes"),
    }
    for n in _LENGTHS:
        units[f"condition_number_length_{n}"] = ("number", f"the same for itemsets of {n} item{'s' * (n > 1)}")
    units["condition_number_length_1"] = ("number", "how much estimating amplifies noise for 1 item (condition number)")
    return Figures(*(Figure(name, value, *units[name]) for name, value in found.items()))


def headline(gamma: float, loss: Mapping[str, Any]) -> str:
    """A release of perturbed records in one sentence for somebody in a hurry."""
    changed = f"{loss['records']:,} records are handed on with random changes"
    if "chance_a_record_stays" in loss:
        return f"{changed}; about {loss['chance_a_record_stays']:.0%} of them are as they were."
    return f"{changed}; each shifts anyone's odds by at most a factor of {at_most(gamma)}."


def _longest(scheme: Scheme) -> int:
    if isinstance(scheme, RecordScheme):
        return len(scheme.fields)
    longest = scheme.longest if isinstance(scheme, ItemScheme) else None
    most = getattr(scheme, "K", len(_LENGTHS))
    return most if longest is None and most == len(_LENGTHS) else min(most, longest or 0)


def _owner(scheme: Scheme, records: Any, perturbed: Any) -> OwnerPart:
    """Only who holds the true records may see how they fared."""
    if isinstance(scheme, RecordScheme):
        before, after = scheme.fields.encode(records), scheme.fields.encode(perturbed)
        unchanged = [Figure("records unchanged", int((before == after).all(axis=1).sum()), "count")]
        unchanged += [
            Figure(f"values of {name!r} unchanged", int((before[:, i] == after[:, i]).sum()), "count")
            for i, name in enumerate(scheme.fields.names)
        ]
        return OwnerPart(facts=Figures(*unchanged))
    if not isinstance(records, Transactions):
        return OwnerPart(facts=Figures(Figure("items after", len(perturbed.indices), "count")))
    held, shown = (_pairs(tx, perturbed.codes) for tx in (records, perturbed))
    kept = len(np.intersect1d(held, shown, assume_unique=True))
    counts = {"true items": len(held), "true items still there": kept, "false items": len(shown) - kept}
    return OwnerPart(facts=Figures(*(Figure(name, count, "count") for name, count in counts.items())))


def _pairs(tx: Transactions, codes: dict[str, int]) -> Any:
    """One number for each item of each record, comparable between two databases of the same labels."""
    place = np.array([codes[label] for label in tx.labels], dtype=np.int64)
    return np.repeat(np.arange(len(tx), dtype=np.int64), tx.lengths) * len(codes) + place[tx.indices]
