"""Perturbed records as a release: the promise is the scheme's gamma, the scheme travels in the passport.

This is for an owner of true records who hands out perturbed ones in bulk (a clinic, a simulation). A person's own
device perturbs one record and sends it; see `confide collect send`.
"""

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.collect.planning.charts import promise_charts
from confide.collect.schemes.promise import is_weak
from confide.collect.schemes.scheme import LENGTHS, Scheme
from confide.collect.stored import perturb_stored
from confide.core.bounds import at_most
from confide.core.datasets.loading import is_loaded, require_folder
from confide.core.datasets.manifest import StagedParts
from confide.core.datasets.spark.frames import is_spark_frame, stored_table, stored_transactions
from confide.core.errors import CannotMeetError, UsageError
from confide.core.figures import Figure, Figures, Unit
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Amplification
from confide.core.requirements.amplification import FROM_RECORDS, ORDER_KEPT, PER_ITEM, WHOLE_RECORDS
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["headline", "release_perturbed", "shuffled", "undeclared", "verifier_context", "warned", "weaknesses"]


def release_perturbed(
    scheme: Scheme,
    records: Any,
    *,
    randomness: "Randomness | None" = None,
    keep_order: bool = False,
    labels_from_data: bool = False,
    from_records: Sequence[str] = (),
    verify: bool = True,
    into: str | PathLike[str] | None = None,
) -> Release[Any]:
    """Perturb a batch by `scheme` and release it under its gamma, in a random order.

    The passport lists the scheme's items, so a scheme that names none is refused: the labels of true records are
    themselves true. `labels_from_data` takes them from the records all the same, `keep_order` leaves row i at place i,
    and `from_records` names what else of the scheme came from the records ("max_length"); the passport warns of each.
    Raises CannotMeetError when the scheme's gamma is too large to be a promise, and UsageError for seeded randomness:
    anyone who knows the seed can recover the truth. `verify=False` is for benchmarks. Records that are not in
    memory (`StoredTransactions`, for a scheme over fields `StoredTable`, or a Spark DataFrame) are perturbed batch by
    batch and released as Parquet parts in the folder `into`.
    """
    from confide.core.randomness import Randomness

    source = Randomness.system() if randomness is None else randomness
    if not source.protects:
        raise UsageError(
            "a seeded draw can be drawn again, so it protects nobody and is not released; leave the seed out, or use "
            "scheme.perturb for experiments"
        )
    taken = set(from_records)
    if scheme.universe is None:
        if not labels_from_data:
            raise undeclared("items")
        taken.add("items")
    scheme = scheme.bound_to(records)
    promise = scheme.amplification()
    if not np.isfinite(promise.gamma):
        raise CannotMeetError(
            f"the scheme's gamma for records of up to {promise.max_length:,} items is e**{promise.epsilon:.0f}, which "
            "promises nothing",
            advice="declare max_length, the longest record there may be, and a stronger scheme (confide collect plan)",
        )
    staged: StagedParts | None = None
    owner: OwnerPart | None = None
    if is_spark_frame(records):
        records = stored_transactions(records) if scheme.fields is None else stored_table(records)
    if not is_loaded(records):
        perturbed, staged = perturb_stored(scheme, records, into=require_folder(into), shuffle=not keep_order)
    else:
        perturbed = scheme.perturb(records, randomness=source)
        owner = OwnerPart(facts=_counted(scheme.compared(records, perturbed)))
        if not keep_order:
            perturbed = shuffled(perturbed, source)
    loss = declared(scheme.loss(perturbed))
    return Release.issue(
        perturbed,
        Amplification(gamma=promise.gamma),
        stage="collect",
        algorithm=scheme.kind,
        parameters=_parameters(scheme),
        context=verifier_context(scheme, kept=keep_order, taken=taken),
        loss=loss,
        headline=headline(promise.gamma, loss),
        key_figures=tuple(loss)[:3],
        randomness=source.describe(),
        caveats=(*warned(kept=keep_order, taken=taken), *scheme.caveats(), *weaknesses(scheme)),
        charts=promise_charts(scheme, len(perturbed)),
        owner=owner,
        verify=verify,
        staged=staged,
    )


def undeclared(what: str) -> UsageError:
    """The error for a scheme that leaves open what the records would have to settle."""
    said = {"items": "names no items", "max_length": "does not say how long a record may be (max_length)"}[what]
    return UsageError(
        f"the scheme {said}, and what the records themselves hold would become public; declare it in the scheme, or "
        "accept that with labels_from_data="
    )


def verifier_context(scheme: Scheme, *, kept: bool, taken: Collection[str]) -> dict[str, Any]:
    """What a verifier needs to know besides the records: the scheme, its origin, and whether rows were shuffled."""
    order = "kept" if kept else "shuffled"
    return {"scheme": scheme.to_dict(), "order": order, "from_records": sorted(taken)}


def warned(*, kept: bool, taken: Collection[str]) -> tuple[str, ...]:
    """What the passport must say of that; a verifier misses it."""
    return (*((ORDER_KEPT,) if kept else ()), *(FROM_RECORDS[name] for name in sorted(taken)))


def shuffled(records: Any, randomness: "Randomness") -> Any:
    """Transactions or a frame in a random order; a frame's index starts anew."""
    order = randomness.permutation(len(records))
    if isinstance(records, Transactions):
        return records.take(order)
    from confide.core.tables.frames import like, to_table

    return like(to_table(records).take(order), records)


def weaknesses(scheme: Scheme) -> tuple[str, ...]:
    """What the passport of a weak scheme must add to its gamma, which few people can read."""
    promise = scheme.amplification()
    if not is_weak(promise.epsilon):
        return ()
    each = promise.per_item
    less = "" if each is None or each >= promise.gamma else PER_ITEM.format(at_most(each, 4))
    return (WHOLE_RECORDS.format(at_most(promise.epsilon, 3)) + less,)


def _parameters(scheme: Scheme) -> dict[str, Any]:
    """The scheme's numbers, its fingerprint, and the same promise in other terms."""
    promise = scheme.amplification()
    found = {name: value for name, value in scheme.parameters().items() if type(value) in (int, float)}
    found |= {"fingerprint": scheme.fingerprint, "epsilon": promise.epsilon}
    return found if promise.per_item is None else found | {"per_item": promise.per_item}


def _counted(found: Mapping[str, int]) -> Figures:
    return Figures(*(Figure(name, count, "count") for name, count in found.items()))


def declared(found: Mapping[str, Any]) -> Figures:
    """Each figure of a scheme's loss with its unit and heading."""
    units: dict[str, tuple[Unit, str]] = {
        "records": ("count", "records"),
        "chance_a_record_stays": ("share", "chance that a record stays as it was"),
        "condition_number": ("number", "how much estimating amplifies noise (condition number)"),
        "mean_length": ("number", "items of a record, on average, after the changes"),
    }
    for n in LENGTHS:
        units[f"condition_number_length_{n}"] = ("number", f"the same for itemsets of {n} item{'s' * (n > 1)}")
    units["condition_number_length_1"] = ("number", "how much estimating amplifies noise for 1 item (condition number)")
    return Figures(*(Figure(name, value, *units[name]) for name, value in found.items()))


def headline(gamma: float, loss: Mapping[str, Any]) -> str:
    """A release of perturbed records in one sentence for somebody in a hurry."""
    changed = f"{loss['records']:,} records are handed on with random changes"
    if Amplification(gamma=gamma).is_weak:
        return f"{changed} that hardly protect a whole record: odds may shift by a factor of {at_most(gamma)}."
    if "chance_a_record_stays" in loss:
        return f"{changed}; about {loss['chance_a_record_stays']:.0%} of them are as they were."
    return f"{changed}; each shifts anyone's odds by at most a factor of {at_most(gamma)}."
