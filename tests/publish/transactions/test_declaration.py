"""Records answer the same of themselves in memory and in files, and say what they cannot do."""

import math

import numpy as np
import pytest

from confide import Coherence, StoredTransactions, Transactions
from confide.core.errors import CannotMeetError, UsageError
from confide.core.samples import baskets
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.declaration import Declared, check_eligible, declare, list_allowed_private
from confide.publish.transactions.moles.stored_moles import DeclaredFiles

SHOP = baskets(300, seed=4)
PRIVATE = [label for label in SHOP.labels if label.startswith("s:")]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    file = tmp_path_factory.mktemp("shop") / "shop.parquet"
    SHOP.write(file)
    return declare(SHOP, PRIVATE), declare(StoredTransactions.open(file, batch_rows=64), PRIVATE)


def test_where_records_are_decides_who_answers(both):
    memory, files = both
    assert (type(memory), type(files)) == (Declared, DeclaredFiles)
    assert memory.private.tolist() == files.private.tolist()
    assert memory.supports.tolist() == files.supports.tolist()


def test_moles_and_itemsets_are_the_same(both):
    memory, files = both
    requirement = Coherence(h=0.5, k=5, p=2)
    assert memory.find_moles(requirement).as_sets() == files.find_moles(requirement).as_sets()
    kept = memory.supports > 20
    assert memory.count_nuggets(kept, 10, 3) == files.count_nuggets(kept, 10, 3)


def test_without_some_items_the_others_keep_their_supports(both):
    unwanted = np.array([0, 3], dtype=np.int32)
    for declared in both:
        rest, code_of = declared.without(unwanted)
        stay = rest.supports > 0
        assert not set(code_of[stay].tolist()) & {0, 3}
        assert rest.supports[stay].tolist() == declared.supports[code_of[stay]].tolist()


def test_whole_records_count_every_record_once(both):
    memory, files = both
    requirement = Coherence(h=1.0, k=2, p=math.inf)
    for declared in both:
        assert declared.knows_whole_records(requirement)
        assert not declared.knows_whole_records(Coherence(h=1.0, k=2, p=1))
        assert declared.whole_records(requirement).entries == SHOP.entries
    assert memory.whole_records(requirement).counts.sum() == files.whole_records(requirement).counts.sum() == len(SHOP)


def test_files_refuse_what_needs_memory_and_memory_nothing(both):
    memory, files = both
    for wishes, p in ((Wishes(method="k-anonymizer"), 2), (Wishes(utility="itemsets", nugget_support=5), 3)):
        memory.refuse(wishes, Coherence(h=0.5, k=2, p=p))
        with pytest.raises(UsageError, match="needs all records in memory"):
            files.refuse(wishes, Coherence(h=0.5, k=2, p=p))


def test_labels_are_checked():
    with pytest.raises(UsageError, match="private item 'cheese-cake' never occurs"):
        declare(SHOP, ["cheese-cake"])
    with pytest.raises(UsageError, match="all items are private"):
        declare(Transactions.from_lists([["a"], ["a"]]), ["a"])


def test_what_nothing_can_help_is_refused():
    with pytest.raises(CannotMeetError, match="larger than the database"):
        check_eligible(declare(SHOP, ()), Coherence(h=1.0, k=301, p=1))


def test_a_bound_is_exact_where_floats_are_not():
    assert list_allowed_private(Coherence(h=0.1, k=2, p=1), 30).tolist() == [s // 10 for s in range(31)]
