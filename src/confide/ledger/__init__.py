"""Several releases about the same people, under one record: who was in which group, and what all groups say together.

packed_arrays   arrays of numbers in few bytes
seal            keys, and entries that are sealed in a chain
ledger_file     the file: read whole, or refused; written whole, or not at all
item_releases   releases of the same baskets: which items each shows, and what they tell together
recorded_places  the places of releases that are built on one another
book            what the entries say: releases, people, groups, values
checking        what the releases say together, by three attackers
building        what the releases of a ledger leave for the next one
recording       a release on its way: pending, released, done
owner_page      the owner's page
jobs            what `confide ledger` asks for
ledger_jobs     the same, carried out
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.ledger.book import ReleaseLedger as ReleaseLedger
    from confide.ledger.checking import JointView as JointView

__all__ = ["ReleaseLedger", "JointView"]

__getattr__, __dir__ = exports(
    __name__, {"ReleaseLedger": "confide.ledger.book", "JointView": "confide.ledger.checking"}
)
