"""How sure the confidence of a rule is whose two supports are estimates.

The confidence of A -> C is a quotient c = X/A of two estimates, X of the support of A and C together and A of the
antecedent's. Both are sums of weights over the same perturbed records (see `item_estimates`), so they vary together:

    cov(X, A)  is estimated by  sum of w_X w_A  -  X              a true record that holds all of X holds A too
    sets of items       w_X w_A = w_C w_A^2 is a product over items, f^2 or f each; as f takes two values only,
                        f^2 = (shown + hidden) f - shown hidden, and the sum is one over the estimates of C and T, for
                        all parts T of A, which a level-wise search has found before X
    gamma-diagonal      w_X w_A = ([X] - b_X [X] ...)/keep^2, from the two estimates alone
    any other matrix    not from what was found: the covariance that makes the error largest, -sd(X) sd(A), is taken

    standard error      sqrt(var X - 2 c cov + c^2 var A) / A          (delta method)
    interval            all c with (X - c A)^2 <= z^2 (var X - 2 c cov + c^2 var A), within 0 and 1          (Fieller)

Unlike c -+ z errors, Fieller's interval holds the truth as often as it says when A itself is uncertain; when A may
be 0 it is all of 0 to 1.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.item_estimates import ItemWeights
from confide.collect.fields.fields import Fields
from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.mining.rules.association import Rules

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Covarying", "EstimatedRules", "cell_covariances", "item_covariances", "with_errors"]


class Covarying(Protocol):
    """What the errors of rules need of a scheme."""

    @property
    def universe(self) -> tuple[str, ...] | None:
        """The items a perturbed record may hold; None if any."""
        ...

    @property
    def fields(self) -> Fields | None:
        """The fields whose values the items are, of which a true record has one each."""
        ...

    def covariances(self, rules: Rules, *, record_length: int | None = None) -> NDArray[np.float64] | None:
        """cov(X, A) of each rule, estimated; None where it does not follow from what was found."""
        ...


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EstimatedRules(Rules):
    """Rules whose supports are estimates; `columns` says how sure each confidence is.

    confidence_std_error                  its standard error
    confidence_low, confidence_high       the interval that holds the true confidence of a rule named beforehand
    confidence_selected_low, ..._high     the interval for rules that are shown because they were found
    """

    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def take(self, index: NDArray[np.int64]) -> "EstimatedRules":
        """The rules at these positions, in this order."""
        return EstimatedRules(
            itemsets=self.itemsets,
            whole=self.whole[index],
            antecedent=self.antecedent[index],
            consequent=self.consequent[index],
            columns={name: values[index] for name, values in self.columns.items()},
        )

    def surest(self, k: int) -> "EstimatedRules":
        """The k rules of the largest `confidence_selected_low`; ties go to the larger support.

        Their intervals are still those of all rules; `reconstructed_rules` with `top` works them out for the k.
        """
        order = np.lexsort((-self.support, -self.columns["confidence_selected_low"]))
        return self.take(order[: max(k, 0)])

    def to_arrow(self) -> "pyarrow.Table":
        """As `Rules.to_arrow`, with `columns` behind the measures."""
        import pyarrow as pa

        found = super().to_arrow()
        for name, values in self.columns.items():
            found = found.append_column(name, pa.array(values))
        return found


def with_errors(
    rules: Rules,
    *,
    scheme: Covarying | None,
    interval: float,
    selected: NDArray[np.float64],
    record_length: int | None = None,
) -> EstimatedRules:
    """The same rules with the errors of their confidences; `interval` is how many standard errors make one half, and
    `selected` how many do for each rule when these are shown because they were found.

    `scheme` is the one the records were perturbed by; None takes the largest error that any may have.
    """
    sets = rules.itemsets
    if not {"estimate", "std_error"} <= set(sets.columns):
        raise UsageError("these itemsets have no standard errors; give what scheme.mine found")
    variances = sets.columns["std_error"] ** 2
    var_x, var_a = variances[rules.whole], variances[rules.antecedent]
    most = np.sqrt(var_x * var_a)
    found = None if scheme is None else scheme.covariances(rules, record_length=record_length)
    covariance = -most if found is None else np.clip(found, -most, most)

    def variance(c: NDArray[np.float64]) -> NDArray[np.float64]:
        spread: NDArray[np.float64] = np.maximum(var_x - 2 * c * covariance + c**2 * var_a, 0)
        return spread

    shown = sets.columns["estimate"]
    errors = np.sqrt(variance(shown[rules.whole] / shown[rules.antecedent])) / shown[rules.antecedent]
    unbiased = _unbiased(sets)
    x, a = unbiased[rules.whole], unbiased[rules.antecedent]
    low, high = _fieller(x, a, var_x, var_a, covariance, interval)
    selected_low, selected_high = _fieller(x, a, var_x, var_a, covariance, selected)
    return EstimatedRules(
        itemsets=sets,
        whole=rules.whole,
        antecedent=rules.antecedent,
        consequent=rules.consequent,
        columns={
            "confidence_std_error": errors,
            "confidence_low": low,
            "confidence_high": high,
            "confidence_selected_low": selected_low,
            "confidence_selected_high": selected_high,
        },
    )


def _unbiased(sets: Itemsets) -> NDArray[np.float64]:
    return sets.columns.get("unprojected", sets.columns["estimate"])


def _fieller(
    x: NDArray[np.float64],
    a: NDArray[np.float64],
    var_x: NDArray[np.float64],
    var_a: NDArray[np.float64],
    covariance: NDArray[np.float64],
    z: float | NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The roots of q2 c^2 - 2 q1 c + q0 within 0 and 1; 0 and 1 where the antecedent may have no support at all."""
    q2, q1, q0 = a**2 - z**2 * var_a, x * a - z**2 * covariance, x**2 - z**2 * var_x
    known = (q2 > 0) & (a > 0)
    root = np.sqrt(np.maximum(q1**2 - q2 * q0, 0))
    low, high = np.zeros(len(x)), np.ones(len(x))
    np.divide(q1 - root, q2, out=low, where=known)
    np.divide(q1 + root, q2, out=high, where=known)
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


# -- covariances -------------------------------------------------------------------------------------------------------


def cell_covariances(rules: Rules, *, keep: float, sizes: Sequence[int]) -> NDArray[np.float64]:
    """For records kept with the chance `keep`: [X][A] = [X], so only what was seen of the two sets matters."""
    sets, records = rules.itemsets, rules.itemsets.n_transactions
    offsets, items = sets.coded()
    each = np.repeat(1 / np.array(sizes, dtype=np.float64), sizes)
    drawn = (1 - keep) * np.multiply.reduceat(each[items], offsets[:-1])  # chance that a redrawn record holds the set
    estimates = _unbiased(sets)
    seen = keep * estimates + records * drawn
    b_x, b_a = drawn[rules.whole], drawn[rules.antecedent]
    products = seen[rules.whole] * (1 - b_a) - b_x * seen[rules.antecedent] + records * b_x * b_a
    found: NDArray[np.float64] = products / keep**2 - estimates[rules.whole]
    return found


def item_covariances(rules: Rules, weights_of: Callable[[int], ItemWeights]) -> NDArray[np.float64]:
    """For items that were perturbed one by one; `weights_of(n)` are the weights of sets of n items.

    Over all parts T of A: (shown + hidden)^|T| (-shown hidden)^(|A| - |T|) times the sum of weights of C and T.
    """
    sets = rules.itemsets
    estimates, lengths = _unbiased(sets), sets.lengths
    places = _Places(sets)
    scales = [1.0] * (int(lengths.max(initial=0)) + 1)
    shown = hidden = 0.0
    for n in range(1, len(scales)):
        weights = weights_of(n)
        shown, hidden, scales[n] = float(weights.shown), float(weights.hidden), float(weights.scale)
    found = np.empty(len(rules))
    for a, c, which in _by_lengths(lengths[rules.antecedent], lengths[rules.consequent]):
        left, right = places.rows(rules.antecedent[which], a), places.rows(rules.consequent[which], c)
        total = np.zeros(len(which))
        for part in chain.from_iterable(combinations(range(a), n) for n in range(a + 1)):
            t = len(part)
            at = places.find(np.sort(np.concatenate([right, left[:, list(part)]], axis=1), axis=1))
            weight = (shown + hidden) ** t * (-shown * hidden) ** (a - t) / scales[c + t]
            total += weight * estimates[at]
        found[which] = scales[a + c] * scales[a] * total - estimates[rules.whole[which]]
    return found


def _by_lengths(a: NDArray[np.int64], c: NDArray[np.int64]) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    for pair in np.unique(np.column_stack([a, c]), axis=0).tolist():
        yield pair[0], pair[1], np.flatnonzero((a == pair[0]) & (c == pair[1]))


class _Places:
    """Where a set stands among itemsets that hold every part of each: a set is its prefix and one item more."""

    def __init__(self, sets: Itemsets):
        self.offsets, self.items = sets.coded()
        self.n_labels = max(len(sets.labels), 1)
        self.levels: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # sorted keys, and the set of each
        for n in sets.level_counts():
            at = np.flatnonzero(sets.lengths == n)
            rows = self.rows(at, n)
            keys = self._key(self.find(rows[:, :-1]) if n > 1 else None, rows[:, -1])
            order = np.argsort(keys)
            self.levels.append((keys[order], at[order]))

    def rows(self, at: NDArray[Any], n: int) -> NDArray[np.int32]:
        """The items of sets of n items, a row each."""
        found: NDArray[np.int32] = self.items[self.offsets[at.astype(np.int64)][:, None] + np.arange(n)]
        return found

    def find(self, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """The position of each row of ascending items."""
        at: NDArray[np.int64] | None = None
        for n in range(rows.shape[1]):
            keys, sets = self.levels[n]
            at = sets[np.searchsorted(keys, self._key(at, rows[:, n]))]
        assert at is not None
        return at

    def _key(self, prefix: NDArray[np.int64] | None, item: NDArray[np.int32]) -> NDArray[np.int64]:
        last = item.astype(np.int64)
        return last if prefix is None else prefix * self.n_labels + last
