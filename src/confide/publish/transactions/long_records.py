"""A warning where a release rests on a few very long records.

A record that holds nearly every item matches whatever an attacker knows. Twenty of them, and all combinations of their
items match twenty records: k = 20 holds, though hardly anybody else matches. Such records are often not people
at all (a robot that walked through a shop, a test account), and whoever knows that does not count them. So a release is
tried once more without its longest records: what else would have to go says how much rests on them.
"""

import numpy as np

from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.transactions.container import Transactions
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.suppression_choice import SuppressionChoice

__all__ = ["note_long_records"]

_FEW = 1000  # one record in so many, at most, counts as very long
_LONGER = 4  # times the mean length, at least
_MUCH = 0.05  # of all entries before, that would have to go without them


@answers_ctrl_c
def note_long_records(
    released: Transactions, requirement: Coherence, *, private: tuple[str, ...], entries: int
) -> tuple[str, ...]:
    """How many very long records there are, what they hold, and what else would go without them; nothing if little.

    `entries` is how many the data had before. Takes the time of choosing items for what is left, which is less than
    it took for all.
    """
    declared = Declared.of(released, private)
    public = ~declared.is_private[released.indices]
    lengths = np.diff(np.concatenate([[0], np.cumsum(public)])[released.indptr])
    few = len(lengths) // _FEW
    if not few:
        return ()
    longest = int(np.partition(lengths, -few - 1)[-few - 1])  # at most `few` records are longer
    long = lengths > longest
    if not long.any() or lengths[long].min() < _LONGER * lengths.mean():
        return ()
    rest = released.take(np.flatnonzero(~long))
    try:
        choice = SuppressionChoice.of(Declared.of(rest, private), Wishes())
        more = choice.loss(choice.make(requirement))["occurrences_lost"]
    except CannotMeetError:
        more = len(rest.indices)
    if more < _MUCH * entries:
        return ()
    held = 1 - len(rest.indices) / len(released.indices)
    note = (
        f"warning: the release rests on {int(long.sum()):,} very long records (more than {longest} public items; "
        f"{long.mean():.1%} of the records, {held:.1%} of the entries left): without them another {more / entries:.1%} "
        "of all entries would have to go; if they are not people (robots, test accounts), leave them out of the input"
    )
    return (note,)
