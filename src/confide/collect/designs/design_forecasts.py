"""Standard errors of supports before anybody has answered: what the variance of `design_estimates` comes to.

An itemset has a value of each of `length` fields, equally common and independent, so that a share `support` of the
people has all of them. Errors are averaged over the choices of fields, as a root mean square.
"""

import math
from collections.abc import Sequence
from itertools import combinations

from confide.collect.designs.design_estimates import Part, combine_weights, covers, interaction_weights
from confide.collect.designs.field_blocks import Block

__all__ = ["block_error", "set_variance"]

_MOST_SETS = 60  # choices of fields looked at; of more, so many spread over all


def block_error(blocks: Sequence[Block], sizes: Sequence[int], *, length: int, support: float, records: float) -> float:
    """Standard error of a support, as a share, for itemsets over `length` fields; nan where no block asks for so many.

    Choices of fields that no block asks for together are left out.
    """
    everything = list(combinations(range(len(sizes)), length))
    step = max(1, math.ceil(len(everything) / _MOST_SETS))
    chosen = [part for part in everything[::step] if covers(blocks, part)]
    if not chosen:
        return math.nan
    total = sum(block.weight for block in blocks)
    people = [records * block.weight / total for block in blocks]
    found = [set_variance(blocks, people, sizes, part, support=support) for part in chosen]
    return math.sqrt(sum(found) / len(found))


def set_variance(
    blocks: Sequence[Block], people: Sequence[float], sizes: Sequence[int], chosen: Part, *, support: float
) -> float:
    """The variance of an estimated share of people, over the people who took part."""
    weights = interaction_weights(blocks, people, sizes, chosen)
    each = support ** (1 / len(chosen))
    total = 0.0
    for b in {b for part in weights.values() for b in part}:
        counted = combine_weights(weights, sizes, chosen, b)
        total += _person_variance(blocks[b], counted, sizes, each) / people[b]
    return max(total - support * (1 - support) / sum(people), 1e-3 * total)


def _person_variance(block: Block, counted: dict[Part, float], sizes: Sequence[int], each: float) -> float:
    """Of one person's part in the estimate, if the itemset's values are independent and of this share each."""
    inside = max(counted, key=len)
    spread = block.law.size / math.prod(sizes[i] for i in inside)
    squares = people = mean = 0.0
    for part in counted:
        g = sum(weight for other, weight in counted.items() if set(other) <= set(part))
        agreeing = each ** len(part) * (1 - each) ** (len(inside) - len(part))
        squares += g * g * spread * math.prod(sizes[i] - 1 for i in inside if i not in part)
        people += g * g * agreeing
        mean += g * agreeing
    moments = block.law.moments
    own = moments.own - moments.other - 2 * moments.own_pair + 2 * moments.other_pair
    return (moments.other - moments.other_pair) * squares + own * people - mean**2
