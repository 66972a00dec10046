"""Mining as a notebook asks for it: the same sets as the scheme finds, with what to know when reading them."""

import pytest

from confide import Randomness, Transactions
from confide.collect import CollectMine, CutAndPaste, Emask, GammaDiagonal, Mask, mine
from confide.core.errors import UsageError

TRUE = Transactions.from_lists([["tea", "milk"]] * 300 + [["beer"]] * 500)
SCHEME = Emask(p=0.9, q=0.95)
SENT = SCHEME.perturb(TRUE, randomness=Randomness.seeded(1))


def test_the_sets_are_those_the_scheme_finds():
    found = mine(CollectMine(perturbed=SENT, scheme=SCHEME, min_support=0.2))
    wanted = SCHEME.mine(SENT, min_support=0.2)
    assert [labels for labels, _ in found.itemsets] == [labels for labels, _ in wanted]
    assert found.rules is None
    (said,) = found.notes
    assert said.startswith(
        "of the intervals selected_low to selected_high, 0.95 or more are expected to hold the truth"
    )


def test_a_file_of_items_or_of_fields_is_read_as_the_scheme_sends(tmp_path):
    SENT.write(tmp_path / "sent.dat")
    found = mine(CollectMine(perturbed=tmp_path / "sent.dat", scheme=SCHEME, min_support=0.2))
    assert found.notes[0] == f"read {tmp_path / 'sent.dat'}: 800 records, 3 items"
    mapped = Mask(p=0.9, fields={"sex": ["f", "m"]})  # asks for fields, sends items
    mapped.perturb([("f",)] * 40 + [("m",)] * 60, randomness=Randomness.seeded(1)).write(tmp_path / "mapped.jsonl")
    found = mine(CollectMine(perturbed=tmp_path / "mapped.jsonl", scheme=mapped, min_support=0.2))
    assert {labels for labels, _ in found.itemsets} == {("sex=f",), ("sex=m",)}
    survey = GammaDiagonal(domains={"sex": ["f", "m"]}, gamma=50)
    (tmp_path / "sent.csv").write_text("sex\n" + "f\nm\n" * 50)
    found = mine(CollectMine(perturbed=tmp_path / "sent.csv", scheme=survey, min_support=0.2))
    assert found.notes[0] == f"read {tmp_path / 'sent.csv'}: 100 records, 1 fields"


def test_the_surest_are_those_of_the_largest_lower_limit():
    asked = {"perturbed": SENT, "scheme": SCHEME, "min_support": 0.2}
    every = mine(CollectMine(**asked)).itemsets
    (one,) = mine(CollectMine(**asked, top=1)).itemsets
    assert one[0] == every[int(every.columns["selected_low"].argmax())][0]
    rules = mine(CollectMine(**asked, min_confidence=0.5)).rules
    surest = mine(CollectMine(**asked, min_confidence=0.5, top=1)).rules
    assert (len(rules), len(surest)) == (2, 1)
    assert surest.columns["confidence_low"][0] == rules.columns["confidence_low"].max()
    assert surest.columns["confidence_selected_low"][0] < rules.columns["confidence_selected_low"].max()


def test_what_changes_the_numbers_is_noted():
    near = mine(CollectMine(perturbed=SENT, scheme=SCHEME, min_support=0.5, keep_near=60.0, consistent=True))
    assert any("standard errors below the threshold" in text for text in near.notes)
    assert any("column unprojected" in text for text in near.notes)
    assert any("may be noise; raise min_support" in text for text in near.notes)
    cut = CutAndPaste(K=1, rho=0.1, fields={"sex": ["f", "m"]})
    sent = cut.perturb([("f",)] * 50 + [("m",)] * 50, randomness=Randomness.seeded(1))
    assert "K=1 leaves no trace" in mine(CollectMine(perturbed=sent, scheme=cut, min_support=0.2)).notes[0]


def test_intervals_can_be_for_the_population():
    here = mine(CollectMine(perturbed=SENT, scheme=SCHEME, min_support=0.2)).itemsets
    wide = mine(CollectMine(perturbed=SENT, scheme=SCHEME, min_support=0.2, population=True))
    assert any("are for the population" in text for text in wide.notes)
    shares = here.columns["estimate"] / 800
    expected = here.columns["std_error"] ** 2 + 800 * shares * (1 - shares)
    assert wide.itemsets.columns["std_error"] ** 2 == pytest.approx(expected)
    assert (wide.itemsets.columns["selected_low"] < here.columns["selected_low"]).all()
    with pytest.raises(UsageError, match="population= goes with itemsets"):
        mine(CollectMine(perturbed=SENT, scheme=SCHEME, min_support=0.2, population=True, min_confidence=0.5))


def test_confidences_above_1_are_warned_of():
    noisy = Emask(p=0.6, q=0.6)
    sent = noisy.perturb(TRUE, randomness=Randomness.seeded(2))
    found = mine(CollectMine(perturbed=sent, scheme=noisy, min_support=1, keep_near=10.0, min_confidence=0.5))
    assert (found.rules.confidence > 1).any()
    assert any("confidence above 1" in text for text in found.notes)


def test_records_without_their_scheme_are_refused():
    with pytest.raises(UsageError, match="mean nothing without their scheme"):
        mine(CollectMine(perturbed=SENT, min_support=0.2))
