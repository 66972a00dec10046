"""How much a scheme protects on average over people: basic privacy.

Basic privacy asks how surely one true entry is read back from its perturbed one, on average over the data's own 1s. It
is an average, not a guarantee: a person with a rare item may fare far worse. The posterior bound holds for everyone,
whatever the attacker knew before, and is the promise a passport carries (see `schemes.promise`).

Source: paper 003, sections 2.2, 3.3.2 and 4.3.1, with the corrections noted where they apply.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.schemes.scheme import Scheme
from confide.core.errors import UsageError
from confide.core.figures import ShownFields
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions as taken_in

__all__ = [
    "BasicPrivacy",
    "basic_privacy",
    "reconstruction_probability",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class BasicPrivacy(ShownFields):
    """Basic privacy of true 1s: `privacy` is 1 - R1, weighted by support; `per_item` the same for each item.

    `at_mean_support` is what the shortcut of Eq. 3.2 gives; where supports differ it promises too much. All are
    shares of 1 and averages; they guarantee nothing to any one person.
    """

    privacy: float
    per_item: NDArray[np.float64]
    at_mean_support: float

    def __float__(self) -> float:
        return self.privacy

    @property
    def breach(self) -> float:
        """R1: the chance that a true 1 is read back, on average."""
        return 1 - self.privacy


def reconstruction_probability(supports: Any, *, p: Any, q: Any) -> NDArray[np.float64]:
    """R1 of Eq. 2.1, for each item: the chance that a true 1 is guessed from its perturbed entry.

        p^2 s / Pr(V=1)  +  (1-p)^2 s / Pr(V=0),        Pr(V=1) = s p + (1-s)(1-q)

    `supports` are shares s in [0, 1]; `p` and `q` the chances that a 1 and a 0 are kept. (Section 3.3.2 prints
    Pr(V=0|U=1) = q, and Eq. 3.5 p for q; both are slips.)
    """
    s = np.asarray(supports, dtype=np.float64)
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    one = s * p + (1 - s) * (1 - q)
    kept = np.divide(p * p * s, one, out=np.zeros(np.shape(one)), where=one > 0)
    return kept + np.divide((1 - p) ** 2 * s, 1 - one, out=np.zeros(np.shape(one)), where=one < 1)


def basic_privacy(scheme: Scheme, data: Any) -> BasicPrivacy:
    """How surely true 1s stay hidden before anything is mined, on average (section 2.2, support-weighted).

    `scheme` is any scheme; `data` is the true records (transactions, or a table for a scheme with fields), or for
    `Mask` and `Emask` also shares: one support, or one for each item. A larger answer hides better; 1 would hide all.

    >>> from confide.collect import Emask
    >>> round(float(basic_privacy(Emask(p=0.5051, q=0.9696), 0.01)), 3)
    0.925
    """
    if scheme.fields is None and not _are_shares(data):
        data = taken_in(data)
    if isinstance(data, Transactions):
        supports = data.supports() / max(len(data), 1)
    elif scheme.fields is not None and not np.isscalar(data):
        data = as_transactions(scheme, data)
        supports = data.supports() / max(len(data), 1)
    else:
        supports = np.atleast_1d(np.asarray(data, dtype=np.float64))
        if not np.all((supports >= 0) & (supports <= 1)):
            raise UsageError("supports must be shares between 0 and 1")
    p, q = scheme.item_rates(data)
    if supports.sum() == 0:
        raise UsageError("there is no 1 in the data, so nothing to hide")
    hidden = 1 - reconstruction_probability(supports, p=p, q=q)
    mean = reconstruction_probability(supports.mean(), p=np.mean(p), q=np.mean(q))
    return BasicPrivacy(
        privacy=float(np.average(hidden, weights=supports)), per_item=hidden, at_mean_support=1 - float(mean)
    )


def _are_shares(data: Any) -> bool:
    """Whether this is a number, or a sequence of numbers, and not records."""
    if isinstance(data, Transactions | str):
        return False
    try:
        return np.asarray(data).dtype.kind in "biuf" and np.ndim(data) < 2
    except ValueError:  # rows of several lengths
        return False


def as_transactions(scheme: Scheme, records: Any) -> Transactions:
    """Categorical records as transactions of "name=value" items, all values of all fields among the labels."""
    if isinstance(records, Transactions):
        return records
    fields = scheme.fields
    if fields is None:
        raise UsageError(f"records of a {scheme.kind} scheme without fields are transactions; pass Transactions")
    codes = np.asarray(fields.encode(records), dtype=np.int64)
    ones = codes + np.array(fields.starts[:-1], dtype=np.int64)
    indptr = np.arange(len(codes) + 1, dtype=np.int64) * len(fields)
    return Transactions.from_arrays(indptr, ones.reshape(-1), fields.columns)
