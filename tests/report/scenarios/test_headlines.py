"""What each stage's release says in one sentence: true to its numbers, and without a label of anybody's data."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from confide import Coherence, Transactions
from confide.collect import GammaDiagonal, Mask
from confide.collect.release import release_perturbed
from confide.core.figures import Figures
from confide.join.coordinator.disclosure import headline as join_headline
from confide.publish import suppress
from confide.publish.transactions.loss import headline as publish_headline
from confide.report import render

ROWS = [["bread", "milk", "s:flu"], ["bread", "milk"], ["bread", "caviar"], ["milk", "bread"]]


def baskets():
    return suppress(Transactions.from_lists(ROWS), Coherence(h=1, k=2, p=1), private=["s:flu"])


def answers():
    table = pa.table({"sex": ["f", "m"] * 10, "ill": ["yes", "no"] * 10})
    return release_perturbed(GammaDiagonal(domains={"sex": ["f", "m"], "ill": ["yes", "no"]}, gamma=9), table)


def masked():
    return release_perturbed(Mask(p=0.8).for_items(["bread", "milk", "caviar"]), Transactions.from_lists(ROWS[1:]))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (baskets, "Fewer than 2 public items are hidden; 88% of all entries remain."),  # 8 of 9
        (answers, "20 records are handed on with random changes; about 75% of them are as they were."),  # 9 / 12
        (masked, "3 records are handed on with random changes; each shifts anyone's odds by at most a factor of 64."),
    ],
)
def test_a_headline_is_true_to_the_numbers_and_names_no_label(make, sentence):
    release = make()
    assert release.passport.headline == sentence
    assert not any(label in sentence for label in ("bread", "milk", "caviar", "s:flu", "yes"))
    assert f">{sentence}</" in render(release).replace("&#39;", "'")
    assert isinstance(release.loss, Figures)
    assert set(release.passport.units) == set(release.passport.loss)
    assert 1 <= len(release.key_figures) <= 3


def test_when_nothing_is_lost_the_headline_says_so():
    loss = {"public_items": 3, "public_items_suppressed": 0, "occurrences": 1200, "occurrences_lost": 0}
    assert publish_headline(loss) == "No item is hidden; 100% of all entries remain."


def test_common_items_are_not_called_rare():
    loss = {"public_items": 4, "public_items_suppressed": 2, "occurrences": 1000, "occurrences_lost": 600}
    assert publish_headline(loss) == "2 of 4 public items are hidden; 40% of all entries remain."


def test_a_run_over_several_sites_says_what_crossed():
    loss = {"nodes": 420, "joined_records": 27544, "kilobytes_exchanged": 1112.4}
    assert join_headline(SimpleNamespace(sites=("a", "b", "c")), loss) == (
        "3 sites trained one tree of 420 nodes over 27,544 joined records; 1,112.4 kB crossed between them, and no "
        "private column."
    )
