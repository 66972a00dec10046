"""What each stage's release says in one sentence: true to its numbers, and without a label of anybody's data."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from confide import Coherence, Transactions
from confide.collect import GammaDiagonal, Mask
from confide.collect.perturbed_release import release_perturbed
from confide.core.figures import Figures
from confide.join.coordinator.disclosure import headline as join_headline
from confide.join.protocol.certain_lines import CertainLine
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
    loss = {"nodes": 420, "joined_records": 27544, "leaf_class": 0.93, "commonest_class": 0.528}
    counts = {"class_keys": 3, "class_records": 9, "side_keys": 5, "side_records": 20, "keys": 8, "records": 40}
    line = CertainLine.model_validate(
        {"from": "a", "to": "b", "allowed_classes": 0.5, "allowed_sides": 1.0, **counts}
        | {"seen_class_keys": 3, "seen_side_keys": 5}
    )
    began = (
        "3 sites trained one tree of 420 nodes over 27,544 joined records, of which 93% have the class of their leaf "
        "(the commonest class: 53%); "
    )
    for certain, ends in (
        (
            (line,),
            (
                "b could tell the class of 3 of 8 people by join value for certain (allowed: 50%), b the side of a "
                "hidden split of 5 of 8."
            ),
        ),
        ((), "whose class a neighbour could tell for certain was not counted."),
    ):
        assert join_headline(SimpleNamespace(sites=("a", "b", "c"), certain=certain), loss) == began + ends
